import Basics
import Media
import RTC
import Synchronization
import TestSupport
import Testing

@testable import Parley

/// Sinks that are added to a video that is already there.
@Suite struct RemoteVideoTrackTests {
  private final class Counter: Sendable {
    let asked = Mutex(0)
    let shown = Mutex<[Int]>([])
  }

  private static func frames(_ count: Int) throws -> [EncodedFrame] {
    let encoder = try VideoCodecFactory.encoder(
      for: .vp8, settings: VideoEncoderSettings(width: 64, height: 64, bitrate: .kilobits(2_000)))
    return try (0..<count).compactMap { index in
      let picture = VideoFrame(width: 64, height: 64, time: .zero + .milliseconds(Int64(index) * 40)) { y, u, v in
        y.update(repeating: UInt8(index * 20))
        u.update(repeating: 128)
        v.update(repeating: 128)
      }
      return try encoder.encode(picture, forceKeyframe: index == 0)
    }
  }

  private func track(_ counter: Counter) -> RemoteVideoTrack {
    RemoteVideoTrack(onKeyframeNeeded: { counter.asked.withLock { $0 += 1 } }, onFirstFrame: {})
  }

  private func sink(_ counter: Counter) -> ClosureVideoSink {
    ClosureVideoSink { frame in counter.shown.withLock { $0.append(Int(frame.time.nanoseconds / 1_000_000)) } }
  }

  @Test("a sink added just after a keyframe gets it and the rest, and asks for no other")
  @MainActor func beginsWithWhatCame() async throws {
    let counter = Counter()
    let track = track(counter)
    let frames = try Self.frames(6)
    for frame in frames.prefix(4) { track.decode(frame) }
    #expect(track.framesDecoded == 0)
    let sink = sink(counter)
    track.add(sink)
    for frame in frames.dropFirst(4) { track.decode(frame) }
    try await wait(for: "six pictures") { counter.shown.withLock { $0.count } == 6 }
    #expect(counter.shown.withLock { $0 } == [0, 40, 80, 120, 160, 200])
    #expect(counter.asked.withLock { $0 } == 0)
  }

  @Test("a sink added before a keyframe asks for one, and once only")
  @MainActor func asks() async throws {
    let counter = Counter()
    let track = track(counter)
    let frames = try Self.frames(3)
    for frame in frames.dropFirst() { track.decode(frame) }
    track.add(sink(counter))
    track.add(sink(counter))
    #expect(counter.asked.withLock { $0 } == 1)
    for frame in frames { track.decode(frame) }
    try await wait(for: "three pictures twice") { counter.shown.withLock { $0.count } == 6 }
  }

  @Test("a sink that is removed and added again begins with a keyframe")
  @MainActor func again() async throws {
    let counter = Counter()
    let track = track(counter)
    let frames = try Self.frames(3)
    let sink = sink(counter)
    track.add(sink)
    for frame in frames { track.decode(frame) }
    try await wait(for: "three pictures") { counter.shown.withLock { $0.count } == 3 }
    track.remove(sink)
    track.decode(frames[2])
    track.add(sink)
    #expect(counter.asked.withLock { $0 } == 2)
    track.decode(frames[2])
    #expect(counter.shown.withLock { $0.count } == 3)
  }

  @Test("a keyframe is kept for half a second, with 60 frames at most")
  func bounds() throws {
    let frames = try Self.frames(2)
    let start = Instant.zero + .seconds(5)
    var recent = RecentFrames()
    recent.add(frames[1], now: start)
    #expect(recent.take(now: start).isEmpty)
    recent.add(frames[0], now: start)
    recent.add(frames[1], now: start + .milliseconds(500))
    #expect(recent.take(now: start + .milliseconds(500)).count == 2)
    #expect(recent.take(now: start + .milliseconds(500)).isEmpty)
    recent.add(frames[0], now: start)
    #expect(recent.take(now: start + .milliseconds(501)).isEmpty)
    recent.add(frames[0], now: start)
    recent.add(frames[1], now: start + .milliseconds(501))
    #expect(recent.take(now: start + .milliseconds(100)).isEmpty)
    recent.add(frames[0], now: start)
    for _ in 1..<60 { recent.add(frames[1], now: start) }
    #expect(recent.take(now: start).count == 60)
    recent.add(frames[0], now: start)
    for _ in 0..<60 { recent.add(frames[1], now: start) }
    #expect(recent.take(now: start).isEmpty)
  }

  /// The frames that a slot gives out in a tenth of a second, of one keyframe in one packet that came before `track`
  /// began.
  private func shown(in slot: VideoSlot, sequence: Int64) throws -> [EncodedFrame] {
    let encoded = try #require(try Self.frames(1).first)
    // RFC 7741 section 4.2: the start of a partition, and nothing else.
    let payload = [0x10] + encoded.data
    var given: [EncodedFrame] = []
    slot.onFrame = { given.append($0) }
    let now = Instant.zero + .seconds(1)
    let packet = ReceivedPacket(
      mid: MID(rawValue: "v"), ssrc: SSRC(rawValue: 7), codec: .vp8, sequence: sequence,
      timestamp: RTPTimestamp(rawValue: 90_000), marker: true, arrival: now)
    slot.insert(packet, payload.span, nil, now)
    #expect(slot.deadline == .distantFuture && !slot.poll(now: now))
    slot.start(track(Counter()), participant: "p")
    for step in 0..<10 { _ = slot.poll(now: now + .milliseconds(Int64(step) * 10)) }
    return given
  }

  @Test("a keyframe that precedes its owner's message begins only a slot's first video")
  func fasterThanItsMessage() throws {
    let slot = VideoSlot(mid: MID(rawValue: "0"), roundTripTime: nil)
    #expect(try shown(in: slot, sequence: 10).count == 1)
    slot.stop()
    #expect(try shown(in: slot, sequence: 11).isEmpty)
  }
}
