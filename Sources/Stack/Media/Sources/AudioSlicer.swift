import Basics

/// Cuts audio of any lengths into frames of 10 ms, each with the time of its first sample.
struct AudioSlicer {
  private var rest: [Int16] = []
  private var taken = 0
  private var restTime = Instant.zero
  private var channels = 1

  /// Adds interleaved samples. If they do not follow the earlier ones (by more than 20 ms), or have another number of
  /// channels, the remainder is dropped.
  mutating func append(_ samples: UnsafeBufferPointer<Int16>, channels: Int, time: Instant) {
    let waiting = rest.count - taken
    let expected = restTime + TimeSpan(nanoseconds: Int64(waiting / max(channels, 1)) * 1_000_000_000 / 48_000)
    let gap = (time - expected).nanoseconds
    if waiting == 0 || channels != self.channels || abs(gap) > 20_000_000 {
      rest.removeAll(keepingCapacity: true)
      taken = 0
      restTime = time
      self.channels = channels
    } else if taken > 0 {
      rest.removeFirst(taken)
      taken = 0
    }
    rest.append(contentsOf: samples)
  }

  /// The next 10 ms, when they are complete.
  mutating func next() -> AudioFrame? {
    let size = AudioFrame.samplesPer10Milliseconds * channels
    guard rest.count - taken >= size else { return nil }
    let frame = AudioFrame(samples: Array(rest[taken..<(taken + size)]), channels: channels, time: restTime)
    taken += size
    restTime = restTime + .milliseconds(10)
    return frame
  }
}
