import Basics
import Media
import Testing

@Suite struct PushSourceTests {
  @Test func audioOfAnyLengthLeavesInTenMilliseconds() throws {
    let source = PushAudioSource()
    let frames = Collected<AudioFrame>()
    #expect(source.push(AudioFrame(samples: [Int16](repeating: 1, count: 480), time: .zero)) == 0, "not started")
    try source.start { frames.append($0) }
    var pushed: [Int16] = []
    var next: Int16 = 0
    for length in [100, 480, 481, 7, 1_440, 960, 372] {
      let samples = (0..<length).map { _ in
        next &+= 1
        return next
      }
      source.push(
        AudioFrame(
          samples: samples, time: Instant(nanoseconds: 50_000_000 + Int64(pushed.count) * 1_000_000_000 / 48_000)))
      pushed += samples
    }
    #expect(frames.values.allSatisfy { $0.samples.count == 480 })
    #expect(frames.values.flatMap(\.samples) == pushed.prefix(frames.values.count * 480).map { $0 })
    #expect(frames.values.count == 8)
    #expect(frames.values.enumerated().allSatisfy { $1.time == .milliseconds(Int64(50 + $0 * 10)) })
    source.stop()
    #expect(source.push(AudioFrame(samples: pushed, time: .zero)) == 0)
  }

  @Test func videoGoesThroughWhileStarted() throws {
    let source = PushVideoSource()
    let sink = NullSink()
    let frame = try TestPictureSource(.bars, width: 64, height: 36).frame(at: .zero)
    #expect(!source.push(frame))
    try source.start { sink.receive($0) }
    #expect(source.push(frame))
    source.stop()
    #expect(!source.push(frame))
    #expect(sink.videoFrames == 1)
  }
}
