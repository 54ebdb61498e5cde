public import Basics
public import RTC

/// Plays one received audio stream: jitter buffer, decoder and time stretching, 10 ms at a time.
///
///     let playout = AudioPlayout(decoder: try OpusDecoder())
///     playout.insert(packet, payload: bytes, now: now)      // as packets come
///     speaker.receive(playout.next(now: now))               // every 10 ms
///
/// ``next(now:)`` always gives 10 ms and never waits: silence when there is nothing. Not thread-safe: insert and play
/// on one queue. Cost: that of decoding, about 10 µs for 10 ms of speech; stretching adds 50 µs, up to 25 times a
/// second.
public final class AudioPlayout {
  /// The point of a stream that is being heard. See ``LipSync``.
  public struct Position: Hashable, Sendable {
    /// Media time, in the sender's RTP clock.
    public var timestamp: RTPTimestamp
    /// When it is heard.
    public var time: Instant
  }

  /// Samples of the fade at the borders of silence: 5 ms.
  private static let ramp = 240
  /// Steps that one tick may take; packets hold at least 2.5 ms, so four would do.
  private static let maximumSteps = 32

  private let decoder: any AudioDecoder
  private var buffer: AudioJitterBuffer
  private var stretcher: TimeStretcher
  private let channels: Int
  /// Decoded audio that was not played yet, from `head` on.
  private var pcm: [Int16] = []
  private var head = 0
  private var isSilent = true
  private var power = 0.0
  /// The point that is heard; nil while the stream is silent.
  public private(set) var position: Position?

  /// A playout for packets that `decoder` decodes.
  public init(
    decoder: any AudioDecoder, configuration: AudioJitterBufferConfiguration = AudioJitterBufferConfiguration()
  ) {
    self.decoder = decoder
    channels = max(decoder.channels, 1)
    buffer = AudioJitterBuffer(configuration: configuration)
    stretcher = TimeStretcher(channels: channels)
    pcm.reserveCapacity(8_192 * channels)
  }

  /// A delay that other streams need, so that all of one participant are in step.
  public var minimumDelay: TimeSpan {
    get { buffer.minimumDelay }
    set { buffer.minimumDelay = newValue }
  }
  /// Whether ``next(now:)`` is called. See ``AudioJitterBuffer/isPlayed``.
  public var isPlayed: Bool {
    get { buffer.isPlayed }
    set { buffer.isPlayed = newValue }
  }
  /// The delay against a packet without queueing.
  public var currentDelay: TimeSpan { buffer.currentDelay }
  /// The delay that jitter asks for, whatever ``minimumDelay`` is.
  public var networkDelay: TimeSpan { buffer.networkDelay }
  /// The delay that is aimed at.
  public var targetDelay: TimeSpan { buffer.targetDelay }
  public var statistics: AudioPlayoutStatistics { buffer.statistics }
  /// How loud it is now, 0 to 1 of full scale, smoothed over about 100 ms.
  public var audioLevel: Double { buffer.statistics.audioLevel }

  /// Takes a packet from `MediaReceiver`.
  public func insert(_ packet: ReceivedPacket, payload: Span<UInt8>, now: Instant) {
    buffer.insert(packet, payload: payload, now: now)
  }

  /// Starts again: the next packets are of another source. Decoded audio fades out.
  public func reset() {
    buffer.reset()
    decoder.reset()
    fadeOut()
  }

  /// The next 10 ms, heard from `now` on.
  public func next(now: Instant) -> AudioFrame {
    let wanted = AudioFrame.samplesPer10Milliseconds * channels
    var steps = 0
    while pcm.count - head < wanted, steps < Self.maximumSteps {
      steps += 1
      play(buffer.next(now: now, ahead: (pcm.count - head) / channels), now)
    }
    while pcm.count - head < wanted { pcm.append(0) }
    let samples = Array(pcm[head..<(head + wanted)])
    head += wanted
    let left = (pcm.count - head) / channels
    if head >= 4_096 * channels || left == 0 {
      pcm.removeFirst(head)
      head = 0
    }
    measure(samples)
    position =
      isSilent
      ? nil
      : buffer.nextTimestamp.map {
        Position(
          timestamp: $0, time: now + AudioJitterBuffer.span(Int64(AudioFrame.samplesPer10Milliseconds + left)))
      }
    return AudioFrame(samples: samples, channels: channels, time: now)
  }

  // MARK: Steps

  private func play(_ step: AudioPlayoutStep, _ now: Instant) {
    switch step {
    case .decode(let payload, let stretch):
      if var sound = (try? decoder.decode(payload, time: now))?.samples {
        buffer.statistics.totalSamplesReceived &+= UInt64(sound.count / channels)
        apply(stretch, &sound)
        append(sound)
      } else {
        buffer.statistics.decodingErrors &+= 1
        buffer.countConcealed(buffer.lastDuration)
        append(madeUp(Int(buffer.lastDuration), now))
      }
      buffer.recycle(payload)
    case .recover(let next, let samples):
      if decoder.carriesCopy(next), let sound = (try? decoder.decodeFEC(of: next, samples: samples, time: now))?.samples
      {
        buffer.statistics.recoveredPackets &+= 1
        buffer.statistics.totalSamplesReceived &+= UInt64(sound.count / channels)
        append(sound)
      } else {
        buffer.countConcealed(Int64(samples))
        append(madeUp(samples, now))
      }
    case .conceal(let samples), .comfortNoise(let samples):
      append(madeUp(samples, now))
    case .silence(let samples):
      if !isSilent {
        append(madeUp(samples, now))
        fadeOut()
      } else {
        for _ in 0..<(samples * channels) { pcm.append(0) }
      }
    }
  }

  private func apply(_ stretch: AudioPlayoutStep.Stretch, _ sound: inout [Int16]) {
    switch stretch {
    case .none: break
    case .shorten(let limit, let isUrgent):
      let removed = stretcher.shorten(&sound, upTo: limit, isUrgent: isUrgent)
      buffer.statistics.removedSamplesForAcceleration &+= UInt64(removed)
    case .lengthen(let limit):
      let inserted = stretcher.lengthen(&sound, upTo: limit)
      buffer.statistics.insertedSamplesForDeceleration &+= UInt64(inserted)
    }
  }

  private func madeUp(_ samples: Int, _ now: Instant) -> [Int16] {
    if let sound = (try? decoder.conceal(samples: samples, time: now))?.samples, !sound.isEmpty { return sound }
    return [Int16](repeating: 0, count: max(samples, 1) * channels)
  }

  /// Appends audio; after silence it fades in without a click.
  private func append(_ sound: [Int16]) {
    let start = pcm.count
    pcm.append(contentsOf: sound)
    guard isSilent, !sound.isEmpty else { return }
    isSilent = false
    let count = min(Self.ramp, sound.count / channels)
    for index in 0..<(count * channels) {
      pcm[start + index] = Int16(Int(pcm[start + index]) * (index / channels) / max(count, 1))
    }
  }

  /// Lets what is left end without a click.
  private func fadeOut() {
    isSilent = true
    let count = min(Self.ramp, (pcm.count - head) / channels)
    let start = pcm.count - count * channels
    for index in 0..<(count * channels) {
      pcm[start + index] = Int16(Int(pcm[start + index]) * (count - index / channels - 1) / max(count, 1))
    }
  }

  private func measure(_ samples: [Int16]) {
    var sum = 0.0
    for sample in samples {
      let value = Double(sample) / 32_768
      sum += value * value
    }
    let duration = 0.01
    let mean = sum / Double(samples.count)
    // A time constant of 100 ms.
    power += (mean - power) * 0.1
    buffer.statistics.audioLevel = power < 1e-10 ? 0 : power.squareRoot()
    buffer.statistics.totalAudioEnergy += mean * duration
    buffer.statistics.totalSamplesDuration += duration
  }
}
