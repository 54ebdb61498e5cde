import Foundation
import TestSupport
import Testing

@testable import OpenTok
@testable import Parley

/// How an app's capturers are called, and the reports when they fail.
@MainActor @Suite(.serialized) struct CapturerTests {
  // Its captureSettings or start fails, before it is published or while it is. Publishing again starts it again.
  @Test(
    "a capturer that fails to start ends publishing with 1610",
    arguments: [BrokenCapture.FailurePoint.captureSettings, .start])
  func failures(step: BrokenCapture.FailurePoint) async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let failed = "publisher failed \(OTPublisherErrorDomain) 1610"
      let capture = BrokenCapture(step)
      let publisher = try ann.publisher("Ann", capture: capture)
      ann.session.publish(publisher, error: nil)
      try await wait(for: "the failure: \(ann.book.lines)") { ann.book.saw(failed) }
      #expect(publisher.session == nil && publisher.stream == nil && capture.videoCaptureConsumer == nil)
      let begin = ["initCapture", "captureSettings"] + (step == .start ? ["start"] : [])
      #expect(Array(capture.calls.prefix(begin.count + 1)) == begin + ["releaseCapture"])
      #expect(!capture.calls.contains("stop") && !ann.book.lines.contains { $0.hasPrefix("publisher stream") })

      capture.step = nil
      try await ann.publish(publisher)
      _ = try await ben.subscribe(to: "Ann")
      // Another one in its place fails while it is published.
      publisher.videoCapture = BrokenCapture(step)
      try await wait(for: "the second failure: \(ann.book.lines)") { ann.book.times(failed) == 2 }
      #expect(ann.book.lines.suffix(2) == ["publisher streamDestroyed true", failed])
      #expect(publisher.session == nil && capture.calls.suffix(2) == ["stop", "releaseCapture"])
      try await wait(for: "the end at Ben's: \(ben.book.lines)") { ben.book.saw("streamDestroyed Ann true") }
      #expect(ann.session.sessionConnectionStatus == .connected)
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }

  @Test("a capturer runs as long as its publisher exists, published or not")
  func order() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      let capture = ColourCapture()
      var publisher: OTPublisher? = try ann.publisher("Ann", capture: capture)
      let begin = ["initCapture", "captureSettings", "start"]
      try await wait(for: "the beginning: \(capture.calls)") { capture.calls == begin }
      for _ in 0..<2 {
        try await ann.publish(try #require(publisher))
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end of the stream") { publisher?.session == nil }
      }
      #expect(capture.calls == begin && capture.videoCaptureConsumer != nil)
      publisher = nil
      try await wait(for: "the end: \(capture.calls)") { capture.videoCaptureConsumer == nil }
      #expect(capture.calls == begin + ["stop", "releaseCapture"])
      try await ann.disconnect()
    }
  }
}

extension CapturerTests {
  // Of a camera and of a screen.
  @Test("videoContentHint decides whether video is coded sharp or smooth")
  func contentHint() async throws {
    try await LiveSession.run { live in
      let ann = try await Guest(live)
      for (type, hint, isSharp) in [
        (OTPublisherKitVideoType.camera, OTVideoContentHint.none, false), (.camera, .text, true),
        (.camera, .detail, true),
        (.camera, .motion, false), (.screen, .none, true), (.screen, .motion, false),
      ] {
        let capture = ColourCapture()
        capture.videoContentHint = hint
        let publisher = try ann.publisher("Ann", capture: capture, type: type)
        try await ann.publish(publisher)
        let local = try #require(ann.session.engine.meeting?.local)
        let sent = try #require(local.publication(type == .camera ? .camera : .screen)?.publisher as? VideoPublisher)
        #expect(sent.track.options.isScreen == isSharp, "\(type) \(hint)")
        ann.session.unpublish(publisher, error: nil)
        try await wait(for: "the end of the stream") { publisher.session == nil }
      }
      try await ann.disconnect()
    }
  }
}

/// A capturer that fails in one of its calls, and else gives nothing.
// unchecked: behind `lock`.
final class BrokenCapture: OTVideoCapture, @unchecked Sendable {
  enum FailurePoint: Sendable {
    case captureSettings
    case start
  }

  private let lock = NSLock()
  private var failing: FailurePoint?
  private var called: [String] = []
  private let inner = ColourCapture()

  init(_ step: FailurePoint) { failing = step }

  /// The failing step; nil for none.
  var step: FailurePoint? {
    get { lock.withLock { failing } }
    set { lock.withLock { failing = newValue } }
  }
  var calls: [String] { lock.withLock { called } }

  private func note(_ call: String) { lock.withLock { called.append(call) } }

  var videoCaptureConsumer: (any OTVideoCaptureConsumer)? {
    get { inner.videoCaptureConsumer }
    set { inner.videoCaptureConsumer = newValue }
  }
  var videoContentHint = OTVideoContentHint.none
  func initCapture() { note("initCapture") }
  func releaseCapture() { note("releaseCapture") }
  func isCaptureStarted() -> Bool { inner.isCaptureStarted() }
  func captureSettings(_ videoFormat: OTVideoFormat) -> Int32 {
    note("captureSettings")
    return step == .captureSettings ? -1 : inner.captureSettings(videoFormat)
  }
  func start() -> Int32 {
    note("start")
    return step == .start ? -1 : inner.start()
  }
  func stop() -> Int32 {
    note("stop")
    return inner.stop()
  }
}
