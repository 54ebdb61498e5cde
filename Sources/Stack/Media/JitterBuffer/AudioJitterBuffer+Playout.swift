public import Basics
import RTC

extension AudioJitterBuffer {
  /// The next step of playout.
  ///
  /// Call it when less than a playout tick of decoded audio is left. Cost: constant, but for packets that are dropped.
  /// - Parameters:
  ///   - now: When the next tick is played.
  ///   - ahead: Samples a channel that are decoded and not played yet: the result of this step is heard after them.
  public mutating func next(now: Instant, ahead: Int = 0) -> AudioPlayoutStep {
    let heard = now + Self.span(Int64(ahead))
    estimator.settle()
    dropPassed()
    var index = 0
    while index < packets.count, packets[index].duration == 0 { index += 1 }
    guard index < packets.count, estimator.base != nil else { return starve() }
    guard let position else {
      guard heard >= due(index) else { return .silence(samples: Self.tick) }
      return take(index, heard)
    }
    let gap = packets[index].timestamp - position
    if gap <= 0 {
      // After silence sound begins with the delay that is wanted, not with the one it came with.
      if stalled > 0 || lastWasDiscontinuous, heard < due(index) { return pause() }
      // The audio concealed in between was a failure of the network: the packets were late.
      countConcealed(waited)
      settleStall(lost: stalled)
      return take(index, heard)
    }
    let missing = min(packets[index].sequence &- lastSequence &- 1 &- Int64(index), Self.largestSequenceJump)
    if missing > 0, let step = bridge(index, gap: gap, missing: missing, heard) { return step }
    // The sender left this out, or too much is lost to make it up.
    guard heard >= due(index) else { return pause() }
    countConcealed(max(0, waited - gap))
    settleStall(lost: max(missing, 0) * lastDuration - concealed)
    return take(index, heard)
  }

  /// Drops what lies before the next sample.
  private mutating func dropPassed() {
    guard let position else { return }
    while let first = packets.first {
      if first.duration == 0 {
        guard first.sequence == lastSequence &+ 1 else { return }
        lastSequence = first.sequence
      } else {
        guard first.timestamp + first.duration <= position else { return }
        statistics.packetsDiscarded &+= 1
      }
      releasePayload(at: 0)
      packets.removeFirst()
    }
  }

  /// When a packet is to be heard.
  private func due(_ index: Int) -> Instant {
    Instant(nanoseconds: (estimator.base ?? 0) &+ Self.span(packets[index].timestamp).nanoseconds) + targetDelay
  }

  /// Fills a gap of lost packets before the packet at `index`; nil when all is filled or too long.
  private mutating func bridge(_ index: Int, gap: Int64, missing: Int64, _ heard: Instant) -> AudioPlayoutStep? {
    var gap = gap
    if waited > 0 {
      // Audio concealed while nothing was there stands for the lost packets.
      let covered = min(gap, waited)
      countConcealed(waited)
      waited = 0
      bridged += covered
      position = (position ?? 0) + covered
      gap -= covered
      if gap <= 0 { return take(index, heard) }
    }
    let limit = Self.samples(configuration.maximumConcealment)
    let lost = min(missing * lastDuration - bridged, gap)
    guard lost > 0, concealed < limit else { return nil }
    if gap <= lastDuration {
      position = packets[index].timestamp
      bridged += gap
      concealed += gap
      return .recover(next: packets[index].payload, samples: Int(gap))
    }
    let samples = min(min(lost, lastDuration), max(gap - lastDuration, Int64(Self.tick)))
    position = (position ?? 0) + samples
    bridged += samples
    concealed += samples
    countConcealed(samples)
    return .conceal(samples: Int(samples))
  }

  /// There is no packet.
  private mutating func starve() -> AudioPlayoutStep {
    guard position != nil else { return .silence(samples: Self.tick) }
    if lastWasDiscontinuous { return pause() }
    guard concealed < Self.samples(configuration.maximumConcealment) else { return pause() }
    // Media time stands still: if the packets are only late, they are played all the same. Whether it was a failure or
    // the sender's silence shows when the next packet comes.
    concealed += Int64(Self.tick)
    waited += Int64(Self.tick)
    return .conceal(samples: Self.tick)
  }

  /// Counts concealed audio that stands for lost or late packets.
  mutating func countConcealed(_ samples: Int64) {
    guard samples > 0 else { return }
    if !isConcealing { statistics.concealmentEvents &+= 1 }
    isConcealing = true
    statistics.concealedSamples &+= UInt64(samples)
    statistics.totalSamplesReceived &+= UInt64(samples)
  }

  private mutating func pause() -> AudioPlayoutStep {
    if lastWasDiscontinuous {
      // A sender that is silent repeats so about every 400 ms; without that it has stopped.
      quiet += Int64(Self.tick)
      return quiet <= Self.clockRate ? .comfortNoise(samples: Self.tick) : .silence(samples: Self.tick)
    }
    stalled += Int64(Self.tick)
    return .silence(samples: Self.tick)
  }

  /// Audio continues after silence, of which at most `lost` samples are a failure of the network; otherwise the sender
  /// was silent.
  private mutating func settleStall(lost: Int64) {
    let samples = UInt64(max(0, min(stalled, lost)))
    statistics.totalSamplesReceived &+= samples
    statistics.concealedSamples &+= samples
    statistics.silentConcealedSamples &+= samples
  }

  /// Hands out the packet at `index`; those before it have no audio.
  private mutating func take(_ wanted: Int, _ heard: Instant) -> AudioPlayoutStep {
    var index = wanted
    var excess = excess(index, heard)
    if excess > configuration.skipAbove {
      // So far behind that stretching would take seconds.
      while excess > configuration.shortenAbove, index + 1 < packets.count {
        index += 1
        if packets[index - 1].duration > 0 {
          statistics.packetsDiscarded &+= 1
          statistics.removedSamplesForAcceleration &+= UInt64(packets[index - 1].duration)
        }
        excess = self.excess(index, heard)
      }
    }
    for passed in 0..<index { releasePayload(at: passed) }
    let entry = packets[index]
    packets.removeFirst(index + 1)
    currentDelay = excess + targetDelay
    position = entry.timestamp + entry.duration
    lastSequence = entry.sequence
    guard entry.duration > 0 else { return .conceal(samples: Self.tick) }
    lastDuration = entry.duration
    lastWasDiscontinuous = entry.isDiscontinuous
    clearConcealment()
    let samples = UInt64(entry.duration)
    statistics.jitterBufferDelay += max(heard - entry.arrival, .zero).seconds * Double(samples)
    statistics.jitterBufferTargetDelay += targetDelay.seconds * Double(samples)
    statistics.jitterBufferMinimumDelay += estimator.target.seconds * Double(samples)
    statistics.jitterBufferEmittedCount &+= samples
    return .decode(entry.payload, stretch(excess))
  }

  /// How much later than wanted the packet at `index` is heard; negative when it is early.
  private func excess(_ index: Int, _ heard: Instant) -> TimeSpan { heard - due(index) }

  private mutating func stretch(_ excess: TimeSpan) -> AudioPlayoutStep.Stretch {
    decodedSinceStretch += 1
    let isUrgent = excess > configuration.hurryAbove
    // Every other packet at most, so that speech stays natural.
    guard isUrgent || decodedSinceStretch >= 2 else { return .none }
    if excess > configuration.shortenAbove {
      decodedSinceStretch = 0
      return .shorten(upTo: Int(Self.samples(excess)), isUrgent: isUrgent)
    }
    if excess < TimeSpan.zero - configuration.lengthenBelow {
      decodedSinceStretch = 0
      return .lengthen(upTo: Int(Self.samples(TimeSpan.zero - excess)))
    }
    return .none
  }
}
