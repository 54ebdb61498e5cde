import Media
import Synchronization
import Testing

@testable import Parley

/// The parts of the audio hub between meetings and a device.
@Suite struct AudioHubTests {
  private func frame(_ value: Int16) -> AudioFrame {
    AudioFrame(samples: Array(repeating: value, count: 480), channels: 1, time: MonotonicClock.now)
  }

  @Test("meetings are mixed at one device's pace, and another takes over when it stops")
  func mix() {
    let (one, two) = (ClosureAudioSink { _ in }, ClosureAudioSink { _ in })
    let (first, second) = (ObjectIdentifier(one), ObjectIdentifier(two))
    var mix = MeetingAudioMix()
    #expect(mix.add(frame(1), of: first)?.samples.first == 1)
    #expect(mix.add(frame(20), of: second) == nil)
    #expect(mix.add(frame(3), of: first)?.samples.first == 23)
    for _ in 0..<MeetingAudioMix.patience { #expect(mix.add(frame(4), of: second) == nil) }
    #expect(mix.add(frame(5), of: second)?.samples.first == 4)
    mix.remove(second)
    #expect(mix.add(frame(30_000), of: first)?.samples.first == 30_000)
  }

  @Test("a device's bus converts rates and channels, and keeps 200 ms")
  func bus() {
    let captured = Mutex<[AudioFrame]>([])
    let bus = AudioDeviceBus(
      capture: AudioDeviceFormat(sampleRate: 48_000, channels: 2),
      render: AudioDeviceFormat(sampleRate: 48_000, channels: 2)
    ) { frame in captured.withLock { $0.append(frame) } }
    [Int16](repeating: 7, count: 480 * 2 + 10).withUnsafeBufferPointer { bus.write($0) }
    #expect(captured.withLock { $0.map(\.samples.count) } == [960])
    for _ in 0..<30 { bus.enqueue(frame(9)) }
    var samples = [Int16](repeating: 1, count: 20 * 960 + 2)
    let count = samples.withUnsafeMutableBufferPointer { bus.read(into: $0) }
    #expect(count == 20 * 960 && samples[0] == 9 && samples.last == 0)
    #expect(AudioDeviceFormat(sampleRate: 1, channels: 9) == AudioDeviceFormat(sampleRate: 8_000, channels: 1))
  }
}
