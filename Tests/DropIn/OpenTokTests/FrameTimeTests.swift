import Foundation
import Parley
import TestSupport
import Testing

@testable import OpenTok

/// When frames were taken: by the capturer's timestamps where they make sense, else by when they come.
@MainActor @Suite(.serialized) struct FrameTimeTests {
  private nonisolated static let start = Instant.milliseconds(50_000)

  /// A clock's results for timestamps and arrivals in milliseconds, likewise, from its start.
  private func times(_ frames: [(stamp: Int64?, now: Int64)], delay: Int64 = 0) -> [Double] {
    var clock = CaptureClock()
    clock.delay = .milliseconds(delay)
    return frames.map { frame in
      let now = Self.start + .milliseconds(frame.now)
      let time = clock.time(
        of: frame.stamp.map { $0.multipliedReportingOverflow(by: 1_000_000).partialValue }, now: now)
      #expect(time <= now)
      return Double((time - Self.start).nanoseconds) / 1_000_000
    }
  }

  private func expect(
    _ frames: [(stamp: Int64?, now: Int64)], delay: Int64 = 0, are wanted: [Double],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let times = times(frames, delay: delay)
    #expect(
      zip(times, wanted).allSatisfy { abs($0 - $1) < 0.001 }, "\(times), not \(wanted)", sourceLocation: sourceLocation)
  }

  @Test("frames keep the distances of their timestamps, however unevenly they come")
  func distances() {
    for start in [Int64(0), -7_000, 1_700_000_000_000] {
      let frames = (0..<200).map { (stamp: Optional(start + $0 * 100), now: $0 * 100 + ($0 % 2 == 0 ? 0 : 60)) }
      let times = times(frames)
      for (before, after) in zip(times, times.dropFirst()) { #expect(abs(after - before - 100) < 1) }
    }
    expect([(0, 20), (100, 120)], delay: 20, are: [0, 100])
  }

  @Test("a capturer's clock that goes too fast or too slowly is followed without a jump")
  func drift() {
    for direction in [Int64(-1), 1] {
      // A millisecond wrong every four seconds.
      let times = times((0..<4_000).map { (stamp: $0 * 1_000 + direction * ($0 / 4), now: $0 * 1_000) })
      for (index, time) in times.enumerated() { #expect(abs(time - Double(index) * 1_000) < 70) }
      for (before, after) in zip(times, times.dropFirst()) { #expect(abs(after - before - 1_000) < 2) }
    }
  }

  // Timestamps that stand still, go back, jump, overflow or are none.
  @Test("invalid timestamps aren't followed, and valid ones after them are")
  func nonsense() {
    let step = 10.0 / 256
    expect([(0, 0), (0, 33), (0, 70)], are: [0, 33, 70])
    expect([(nil, 0), (nil, 33), (5, 70), (15, 90)], are: [0, 33, 70, 80 + step])
    expect([(900, 0), (800, 50), (850, 110)], are: [0, 50, 100 + step])
    expect([(0, 0), (90_000, 50), (90_030, 90)], delay: 10, are: [-10, 40, 70 + step])
    expect([(.max / 1_000_000, 0), (.min / 1_000_000, 50), (.max / 1_000_000, 90)], are: [0, 50, 90])
    // Never back, although the one before was ahead of when the last one came.
    let ahead = 90 - 85.0 / 256
    expect([(0, 100), (90, 105), (nil, 106)], delay: 100, are: [0, ahead, ahead])
  }

  @Test("a time without a timescale, and one that is too large, is no timestamp")
  func stamps() {
    #expect(CMTime(value: 3, timescale: 0).stamp == nil && CMTime(value: 3, timescale: -1).stamp == nil)
    #expect(CMTime(value: .max, timescale: 1).stamp == nil && CMTime(value: .min, timescale: 1).stamp == nil)
    #expect(CMTime(value: .max, timescale: 1_000_000_000).stamp == .max)
    #expect(CMTime(value: -9, timescale: 4).stamp == -2_250_000_000 && CMTime.zero.stamp == 0)
    #expect(CMTime(value: 90_001, timescale: 90_000).stamp == 1_000_011_111)
    #expect(CMTime(value: 5, timescale: .max).stamp == 2)
  }

  @Test("times are made of a fraction and of seconds; NaN isn't a time")
  func made() {
    let (value, scale): (CMTimeValue, CMTimeScale) = (90_001, 90_000)
    #expect(CMTimeMake(value: value, timescale: scale) == CMTime(value: value, timescale: scale))
    #expect(CMTimeMakeWithSeconds(1.5, preferredTimescale: 600) == CMTime(value: 900, timescale: 600))
    #expect(CMTimeGetSeconds(CMTime(seconds: -0.25, preferredTimescale: 4)) == -0.25 && CMTime.zero.isValid)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
      #expect(CMTime(seconds: seconds, preferredTimescale: 1_000) == .invalid)
    }
    for scale in [CMTimeScale(0), -1, .min] { #expect(!CMTime(seconds: 1, preferredTimescale: scale).isValid) }
    #expect(CMTimeGetSeconds(.invalid).isNaN && CMTime.invalid.stamp == nil)
    let pointers = NSPointerArray()
    pointers.addPointer(nil)
    var byte: UInt8 = 0
    withUnsafeMutablePointer(to: &byte) { place in
      for index in [0, 1, -1] { pointers.replacePointer(at: index, withPointer: place) }
      #expect(pointers.count == 1 && pointers.pointer(at: 0) == UnsafeMutableRawPointer(place))
    }
  }

  // The first frame is as old as captureSettings says.
  @Test("both ways to give a frame use its timestamp, and estimatedCaptureDelay")
  func consumer() throws {
    let frames = Guarded<[VideoFrame]>([])
    let consumer = FrameConsumer(now: { Self.start }) { frame in frames.update { $0.append(frame) } }
    for delay in [Double.nan, -1, 1_001, .infinity] { consumer.setDelay(milliseconds: delay) }
    consumer.setDelay(milliseconds: 150)
    for delay in [Double.nan, -1, 1_001, .infinity] { consumer.setDelay(milliseconds: delay) }
    var made: CVPixelBuffer?
    #expect(CVPixelBufferCreate(nil, 16, 16, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
    let buffer = try #require(made)
    for value in [Int64(9_000), 9_900] {
      let stamp = CMTime(value: value, timescale: 90_000)
      #expect(consumer.consumeImageBuffer(buffer, orientation: .up, timestamp: stamp, metadata: nil))
    }
    let frame = OTVideoFrame(frames.read { $0[1] })
    frame.timestamp = CMTime(value: 10_800, timescale: 90_000)
    consumer.consumeFrame(frame)
    let ages = frames.read { $0.map { Double((Self.start - $0.time).nanoseconds) / 1_000_000 } }
    try #require(ages.count == 3)
    for (age, wanted) in zip(ages, [150.0, 140, 130]) { #expect(abs(age - wanted) < 0.2, "\(ages)") }
  }

  @Test("uneven frames are shown as evenly as their OTVideoFrame.timestamp says")
  func shown() async throws {
    try await LiveSession.run { live in
      let (ann, ben) = (try await Guest(live), try await Guest(live))
      let (own, theirs) = (StampReader(), StampReader())
      let publisher = try ann.publisher("Ann", capture: TimedCapture.uneven())
      publisher.videoRender = own
      try await ann.publish(publisher)
      let subscriber = try await ben.subscribe(to: "Ann")
      subscriber.videoRender = theirs
      // They come 40 and 160 ms apart, and were taken every 100 ms.
      for reader in [own, theirs] {
        try await wait(for: "ten frames in step: \(reader.distances)") { reader.distances.count == 10 && reader.isEven }
      }
      try await ann.disconnect()
      try await ben.disconnect()
    }
  }
}

/// Notes the times between the last frames, in milliseconds.
// unchecked: behind `lock`.
private final class StampReader: OTVideoRender, @unchecked Sendable {
  private let lock = NSLock()
  private var latest: Double?
  private var last: [Double] = []
  var distances: [Double] { lock.withLock { last } }
  var isEven: Bool { distances.allSatisfy { abs($0 - 100) < 25 } }

  func renderVideoFrame(_ frame: OTVideoFrame) {
    let time = frame.timestamp.seconds * 1_000
    lock.withLock {
      if let latest { last = last.suffix(9) + [time - latest] }
      latest = time
    }
  }
}

extension TimedCapture {
  /// Gives a grey picture every 100 ms by its timestamps, every second one 60 ms late.
  fileprivate static func uneven() -> TimedCapture {
    TimedCapture(every: .milliseconds(20)) { consumer, number in
      // Of every ten ticks the first, and the ninth for what was taken at the sixth.
      guard number % 10 == 0 || number % 10 == 8 else { return }
      let frame = OTVideoFrame(format: OTVideoFormat(i420WithWidth: 160, height: 120))
      frame.timestamp = CMTime(value: number / 10 * 200 + (number % 10 == 0 ? 0 : 100), timescale: 1_000)
      var bytes = [UInt8](repeating: 128, count: 160 * 120)
      bytes.withUnsafeMutableBufferPointer { buffer in
        var planes = [buffer.baseAddress, buffer.baseAddress, buffer.baseAddress]
        frame.setPlanesWithPointers(&planes, numPlanes: 3)
        consumer.consumeFrame(frame)
      }
    }
  }
}
