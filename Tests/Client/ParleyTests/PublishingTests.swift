import Basics
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Media that an app publishes is sent, or the app hears why not.
@MainActor @Suite(.serialized) struct PublishingTests {
  private func bobSees(_ source: TrackSource, _ server: LiveServer, _ room: String) async throws {
    let bob = try await Meeting.join("\(server.url)/\(room)", name: "Bob")
    try await wait(for: "the subscription to Ann's \(source)") {
      bob.participants.first?.publication(source)?.subscription != nil
    }
    let track = try #require(bob.participants.first?.publication(source)?.subscription?.video)
    for await frame in track.frames where TestPictureMarker.read(from: frame) != nil { break }
    await bob.leave()
  }

  @Test("tracks published during a join or rejoin go out")
  func publishingWhileJoining() async throws {
    try await LiveServer.run { server in
      let ann = try Meeting("\(server.url)/early", name: "Ann")
      let join = Task { try await ann.join() }
      try await until { ann.times.welcomed != nil }
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180)))
      try await join.value
      try await bobSees(.camera, server, "early")

      let id = ann.local.id
      ann.rejoin()
      try await until { ann.local.id != id }
      try await ann.local.publish(LocalVideoTrack(TestPictureSource(.bars, width: 320, height: 180)), as: .screen)
      try await wait(for: "the meeting joined anew") { ann.state == .connected }
      try await bobSees(.screen, server, "early")
      await ann.leave()
    }
  }

  /// Looks in every turn of the main actor: what is waited for lasts a few of them.
  private func until(_ condition: () -> Bool) async throws {
    let end = MonotonicClock.now + .seconds(10)
    while !condition() {
      guard MonotonicClock.now < end else { throw StillMissing("the server's welcome") }
      await Task.yield()
    }
  }

  @Test("options that nothing can be encoded with are refused when publishing")
  func impossibleOptions() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/options", name: "Ann")
      for options in [
        VideoOptions(maximumFramesPerSecond: 0), VideoOptions(maximumFramesPerSecond: -1),
        VideoOptions(maximumBitrate: .kilobits(0)), VideoOptions(codec: .av1), VideoOptions(temporalLayers: 0),
        VideoOptions(temporalLayers: 4),
      ] {
        await #expect(throws: MediaError.self) {
          try await ann.local.publish(LocalVideoTrack(TestPictureSource(), options: options))
        }
      }
      for options in [AudioOptions(bitrate: .kilobits(0)), AudioOptions(channels: 3)] {
        await #expect(throws: MediaError.self) {
          try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440), options: options))
        }
      }
      #expect(ann.local.publications.isEmpty)
      await ann.leave()
    }
  }

  @Test("an encoder that fails is told, with the name of the track")
  func failingEncoders() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/encoder", name: "Ann")
      let witness = Witness(ann)
      let pictures = PushVideoSource()
      try await ann.local.publish(LocalVideoTrack(pictures, options: VideoOptions(codec: .h264)))
      // H.264 has no pictures below 16×16.
      try await wait(for: "the problem of the camera, seen: \(witness.events)") {
        pictures.push(VideoFrame(width: 8, height: 8, time: MonotonicClock.now) { _, _, _ in })
        return witness.events.contains { $0.hasPrefix("problem") && $0.contains("camera") }
      }
      let sound = BadSound()
      try await ann.local.publish(LocalAudioTrack(sound))
      try await wait(for: "the problem of the microphone, seen: \(witness.events)") {
        sound.push(AudioFrame(samples: [Int16](repeating: 0, count: 1_440), channels: 3, time: MonotonicClock.now))
        return witness.events.contains { $0.hasPrefix("problem") && $0.contains("microphone") }
      }
      await ann.leave()
    }
  }

  @Test("a source that ends or breaks off is told, with its reason")
  func sourcesThatEnd() async throws {
    try await LiveServer.run { server in
      let ann = try await Meeting.join("\(server.url)/ends", name: "Ann")
      let witness = Witness(ann)
      try await ann.local.publish(
        LocalVideoTrack(PipelineVideoSource("videotestsrc is-live=true num-buffers=10", width: 320, height: 180)))
      try await wait(for: "the end of the camera, seen: \(witness.events)") { witness.saw("sourceEnded camera") }
      try await ann.local.publish(
        LocalAudioTrack(PipelineAudioSource("audiotestsrc is-live=true ! identity error-after=20")))
      try await wait(for: "the microphone's breaking off, seen: \(witness.events)") {
        witness.saw("sourceEnded microphone with an error")
      }
      let path = NSTemporaryDirectory() + "parley-ends-\(UUID().uuidString).wav"
      try Self.wave(seconds: 1).write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      let file = try FileSource(path, loops: false)
      try await ann.local.publish(LocalAudioTrack(try #require(file.audio)), as: .screenAudio)
      try await wait(for: "the end of the file, seen: \(witness.events)") { witness.saw("sourceEnded screenAudio") }
      #expect(ann.local.publications.count == 3, "what to do about it is the app's decision")
      await ann.leave()
    }
  }

  /// A file of silence.
  private static func wave(seconds: Int) -> Data {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> (8 * $0) & 255) } }
    let size = seconds * 96_000
    var bytes = Array("RIFF".utf8) + number(36 + size, 4) + Array("WAVEfmt ".utf8)
    bytes += number(16, 4) + number(1, 2) + number(1, 2) + number(48_000, 4) + number(96_000, 4) + number(2, 2)
    bytes += number(16, 2) + Array("data".utf8) + number(size, 4) + [UInt8](repeating: 0, count: size)
    return Data(bytes)
  }

  @Test("an address can ask to start muted, which leaves what is published later alone")
  func startingMuted() async throws {
    try await LiveServer.run { server in
      let fragment = "#config.startWithAudioMuted=true&config.startWithVideoMuted=true&userInfo.displayName=Ann"
      let ann = try Meeting("\(server.url)/muted\(fragment)")
      let microphone = try await ann.local.publish(LocalAudioTrack(ToneSource(frequency: 440)))
      let camera = try await ann.local.publish(LocalVideoTrack(TestPictureSource(width: 320, height: 180)))
      #expect(microphone.isMuted && camera.isMuted)
      try await ann.join()
      let bob = try await Meeting.join("\(server.url)/muted", name: "Bob")
      try await wait(for: "Ann's tracks at Bob's") { bob.participants.first?.publications.count == 2 }
      #expect(bob.participants.first?.name == "Ann")
      #expect(bob.participants.first?.publications.allSatisfy(\.isMuted) == true)
      let screen = try await ann.local.publish(
        LocalVideoTrack(TestPictureSource(width: 320, height: 180)), as: .screen)
      #expect(!screen.isMuted)
      await bob.leave()
      await ann.leave()
    }
  }
}

/// Sound that no encoder takes.
private final class BadSound: AudioSource {
  private let sink = Mutex<(@Sendable (AudioFrame) -> Void)?>(nil)
  func start(_ sink: @escaping @Sendable (AudioFrame) -> Void) throws(MediaError) { self.sink.withLock { $0 = sink } }
  func stop() { sink.withLock { $0 = nil } }
  func push(_ frame: AudioFrame) { sink.withLock { $0 }?(frame) }
}
