import Foundation
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// How an app's audio device is asked to capture, and the reports when it does not.
@MainActor @Suite(.serialized) struct AudioDeviceTests {
  // initializeCapture or startCapture gives false; in version 1 it is OTNoMediaPublished. Publishing again asks it
  // again.
  @Test(
    "an audio device that fails to start fails publishing with 1610",
    arguments: [ToneDevice.FailurePoint.initializeCapture, .startCapture])
  func failures(step: ToneDevice.FailurePoint) async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      device.step = step
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let publisher = try ann.publisher("Ann", audio: true, capture: nil)
      ann.session.publish(publisher, error: nil)
      try await wait(for: "the failure: \(ann.book.lines)") {
        ann.book.saw("publisher failed \(OTPublisherErrorDomain) 1610")
      }
      #expect(publisher.session == nil && publisher.stream == nil && !device.isCapturing())
      #expect(!ann.book.lines.contains { $0.hasPrefix("publisher stream") })

      let old = Notebook()
      let session = try #require(OTSession(sessionId: live.id, andDelegate: old))
      session.connect(withApiKey: "100", token: "devtoken")
      try await wait(for: "the connection: \(old.lines)") { old.saw("connected connected true 0") }
      session.publish(OTPublisherKit(delegate: old, name: "Old", audioTrack: true, videoTrack: false))
      let code = OTLegacyErrorCode.Publisher.noMediaPublished.number
      try await wait(for: "the failure in version 1: \(old.lines)") {
        old.saw("publisher failed \(OTPublisherErrorDomain) \(code)")
      }
      session.disconnect()

      device.step = nil
      try await ann.publish(publisher)
      _ = try await ben.subscribe(to: "Ann")
      try await wait(for: "the tone, which was heard at \(device.heardShare)") { device.heardShare > 0.8 }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("audio is as old as estimatedCaptureDelay says, which is asked repeatedly")
  func captureDelay() async throws {
    let device = ToneDevice(frequency: 600)
    device.captureDelay = 500
    OTAudioDeviceManager.setAudioDevice(device)
    defer { OTAudioDeviceManager.setAudioDevice(nil) }
    let ages = Guarded<[TimeSpan]>([])
    AudioHub.shared.addConsumer(device) { frame in ages.update { $0.append(MonotonicClock.now - frame.time) } }
    defer { AudioHub.shared.removeConsumer(device) }
    try await wait(for: "sound") { ages.read { !$0.isEmpty } }
    #expect(ages.read { $0.allSatisfy { $0 >= .milliseconds(510) } }, "\(ages.read { $0 })")
    // More than a second is one.
    device.captureDelay = .max
    try await wait(for: "the new delay") { ages.read { $0.last ?? .zero >= .milliseconds(1_010) } }
    device.captureDelay = 0
    let asked = device.delayAsked
    try await wait(for: "no delay") { ages.read { $0.last ?? .distant < .milliseconds(500) } }
    #expect(device.delayAsked > asked)
  }

  @Test(
    "a device that plays late by estimatedRenderDelay delays its video as much")
  func renderDelay() async throws {
    try await LiveSession.run { live in
      let device = ToneDevice(frequency: 600)
      device.renderDelay = 0
      OTAudioDeviceManager.setAudioDevice(device)
      defer { OTAudioDeviceManager.setAudioDevice(nil) }
      let ann = try await Meeting.join("\(live.url)/\(live.id)?jwt=devtoken", name: "Ann")
      let picture = TestPictureSource(width: 320, height: 240, framesPerSecond: 25)
      try await ann.local.publish(LocalVideoTrack(picture))
      try await ann.local.publish(LocalAudioTrack(ToneSource()))
      let ben = try await Guest(live)
      let subscriber = try await ben.subscribe(to: "Ann")
      let render = AgeReader()
      subscriber.videoRender = render
      try await wait(for: "sound: \(device.loudness)") { device.loudness > 100 }
      try await wait(for: "pictures in step: \(render.ages)") { render.isSteady }
      let before = render.age
      device.renderDelay = 400
      try await wait(for: "pictures that are 300 ms older than \(before) ms: \(render.ages)") {
        render.isSteady && render.age > before + 300
      }
      // It plays at once again: the pictures are back in some seconds, and do not stay half way.
      device.renderDelay = 0
      try await wait(for: "pictures as old as before, \(before) ms: \(render.ages)") {
        render.isSteady && render.age < before + 100
      }
      await ann.leave()
      try await ben.disconnect()
    }
  }
}

/// Reads from the marker of each test picture how old it is when it is shown, in milliseconds.
// unchecked: behind `lock`.
private final class AgeReader: OTVideoRender, @unchecked Sendable {
  private let lock = NSLock()
  private var last: [Int] = []
  private static let day = 86_400_000
  var ages: [Int] { lock.withLock { last } }
  /// The one in the middle.
  var age: Int { ages.sorted().dropFirst(ages.count / 2).first ?? 0 }
  /// Whether the last second of them are about the same.
  var isSteady: Bool { ages.count == 25 && (ages.max() ?? 0) - (ages.min() ?? 0) < 80 }

  func renderVideoFrame(_ frame: OTVideoFrame) {
    let now = Int(Date().timeIntervalSince1970 * 1_000) % Self.day
    guard let picture = frame.picture(at: .zero), let marker = TestPictureMarker.decode(picture) else { return }
    let age = (now - Int(marker.milliseconds) + Self.day) % Self.day
    lock.withLock { last = last.suffix(24) + [age] }
  }
}

extension TimeSpan {
  fileprivate static var distant: TimeSpan { .seconds(3_600) }
}
