public import Basics
import COpus
public import RTC

/// The settings of an Opus encoder (RFC 7587); all but the channels may be changed before any frame.
public struct OpusEncoderSettings: Hashable, Sendable {
  /// The kind of audio: decides how the codec spends its bits.
  public enum Content: Hashable, Sendable {
    /// Speech first, `OPUS_APPLICATION_VOIP`.
    case voice
    /// Everything else, `OPUS_APPLICATION_AUDIO`.
    case music
  }

  /// 1 or 2. Frames of the other kind are mixed down or doubled.
  public var channels: Int
  /// The rate to aim at, 6 to 510 kb/s; the average is kept below it. 32 kb/s is good for speech, 64 to 96 for music in
  /// stereo.
  public var bitrate: DataRate
  /// The kind of audio.
  public var content: Content
  /// The length of a packet: 10, 20, 40 or 60 ms. Longer ones save headers and cost delay.
  public var frameDuration: TimeSpan
  /// Repeats each packet's speech, coarsely, in the next one, so that a single loss can be repaired (RFC 6716 section
  /// 2.1.7). Costs bits only when ``expectedLossPercent`` is above 0.
  public var usesForwardErrorCorrection: Bool
  /// Loss to prepare for, 0 to 100 per cent; take it from receiver reports.
  public var expectedLossPercent: Int
  /// Sends nothing in silence but a short packet now and then (section 2.1.9).
  public var usesDiscontinuousTransmission: Bool
  /// Effort, 0 to 10. 5 costs half of 10 and is close in quality.
  public var complexity: Int

  /// Settings. The defaults suit speech in a meeting.
  public init(
    channels: Int = 1, bitrate: DataRate = .kilobits(32), content: Content = .voice,
    frameDuration: TimeSpan = .milliseconds(20), usesForwardErrorCorrection: Bool = true, expectedLossPercent: Int = 0,
    usesDiscontinuousTransmission: Bool = false, complexity: Int = 7
  ) {
    self.channels = channels
    self.bitrate = bitrate
    self.content = content
    self.frameDuration = frameDuration
    self.usesForwardErrorCorrection = usesForwardErrorCorrection
    self.expectedLossPercent = expectedLossPercent
    self.usesDiscontinuousTransmission = usesDiscontinuousTransmission
    self.complexity = complexity
  }
}

/// Turns audio into Opus packets (RFC 6716, 7587). Not thread-safe: use it from one queue.
///
/// ```swift
/// let encoder = try OpusEncoder(OpusEncoderSettings(bitrate: .kilobits(32)))
/// if let packet = try encoder.encode(sound) { print("\(packet.data.count) bytes") }
/// ```
///
/// Cost: about 0.15 ms for 20 ms of speech at complexity 7, and one allocation a packet (its bytes).
public final class OpusEncoder {
  /// Changes take effect with the next packet. The number of channels stays as it was made.
  public var settings: OpusEncoderSettings { didSet { isConfigured = settings == oldValue && isConfigured } }
  /// Packets that were not sent because of silence.
  public private(set) var discontinuousPackets = 0

  private let encoder: OpaquePointer
  private let channels: Int
  private var isConfigured = false
  private var pending: [Int16] = []
  private var pendingTime = Instant.zero
  private var timestamp: UInt32 = 0
  private var output = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)

  /// The largest packet of one frame (RFC 6716 section 3.4).
  static let maximumPacketSize = 1_275 * 3 + 7

  /// An encoder.
  /// - Throws: ``MediaError/invalid(_:)`` for channels other than 1 and 2, ``MediaError/encoderFailed(_:reason:)``.
  public init(_ settings: OpusEncoderSettings = OpusEncoderSettings()) throws(MediaError) {
    guard settings.channels == 1 || settings.channels == 2 else {
      throw .invalid("Opus encodes one channel or two, not \(settings.channels).")
    }
    self.settings = settings
    channels = settings.channels
    var status: Int32 = 0
    let application = settings.content == .voice ? OPUS_APPLICATION_VOIP : OPUS_APPLICATION_AUDIO
    guard let encoder = opus_encoder_create(Int32(AudioFrame.sampleRate), Int32(channels), application, &status) else {
      throw .encoderFailed("Opus", reason: String(cString: opus_strerror(status)))
    }
    self.encoder = encoder
  }

  deinit { opus_encoder_destroy(encoder) }

  /// Takes audio, usually 10 ms, and gives a packet when one is full and worth sending; nil otherwise. The packet's
  /// `time` and RTP timestamp are those of its first sample, its level is measured.
  ///
  /// Timestamps run with the samples, so that a source's jitter does not show in them; a gap of more than 60 ms between
  /// the frames' times moves them ahead.
  /// - Throws: ``MediaError/invalid(_:)`` for more than 120 ms at once or a bad packet length,
  ///   ``MediaError/encoderFailed(_:reason:)``.
  public func encode(_ frame: AudioFrame) throws(MediaError) -> EncodedFrame? {
    let perChannel = Int(settings.frameDuration.microseconds) * 48 / 1_000
    guard [480, 960, 1_920, 2_880].contains(perChannel) else {
      throw .invalid("An Opus packet lasts 10, 20, 40 or 60 ms, not \(settings.frameDuration.milliseconds).")
    }
    guard (1...2).contains(frame.channels), frame.samples.count <= 2 * 5_760 else {
      throw .invalid("Sound must come in one channel or two, and at most 120 ms at once.")
    }
    follow(frame.time)
    append(frame)
    guard pending.count >= perChannel * channels else { return nil }
    if !isConfigured { configure() }

    let level = AudioLevel.measure(pending[..<(perChannel * channels)])
    let length: Int32 = pending.withUnsafeBufferPointer { samples in
      output.withUnsafeMutableBufferPointer { output -> Int32 in
        guard let from = samples.baseAddress, let to = output.baseAddress else { return OPUS_BAD_ARG }
        return opus_encode(encoder, from, Int32(perChannel), to, Int32(output.count))
      }
    }
    let time = pendingTime
    let stamp = timestamp
    pending.removeFirst(perChannel * channels)
    pendingTime = pendingTime + settings.frameDuration
    timestamp &+= UInt32(perChannel)
    guard length >= 0 else { throw .encoderFailed("Opus", reason: String(cString: opus_strerror(length))) }
    if length <= 2 {
      // RFC 6716 section 2.1.9: nothing but the header, which needs not be sent.
      discontinuousPackets += 1
      return nil
    }
    return EncodedFrame(
      codec: .opus, data: Array(output[..<Int(length)]), timestamp: RTPTimestamp(rawValue: stamp), audioLevel: level,
      time: time)
  }

  /// Forgets the audio that has not filled a packet, and the codec's state: for a new talker or source.
  public func reset() {
    pending.removeAll(keepingCapacity: true)
    hasTime = false
    _ = parley_opus_encoder_reset(encoder)
  }

  private var hasTime = false

  /// Follows the source's clock where it jumps.
  private func follow(_ time: Instant) {
    let buffered = TimeSpan(nanoseconds: Int64(pending.count / channels) * 1_000_000_000 / Int64(AudioFrame.sampleRate))
    if hasTime {
      let gap = time - (pendingTime + buffered)
      guard gap > .milliseconds(60) || gap < .milliseconds(-60) else { return }
      if gap > .zero {
        // Ahead by whole packets of 10 ms, so that receivers see round numbers.
        let steps = min(gap.milliseconds / 10, 1_000_000)
        timestamp &+= UInt32(pending.count / channels) &+ UInt32(steps) &* 480
        pending.removeAll(keepingCapacity: true)
      }
      pendingTime = time - (gap > .zero ? .zero : buffered)
    } else {
      hasTime = true
      pendingTime = time
      timestamp = UInt32(truncatingIfNeeded: time.nanoseconds / 1_000 &* 48 / 1_000)
    }
  }

  private func append(_ frame: AudioFrame) {
    switch (frame.channels, channels) {
    case (1, 2):
      for sample in frame.samples {
        pending.append(sample)
        pending.append(sample)
      }
    case (2, 1):
      var index = 0
      while index + 1 < frame.samples.count {
        pending.append(Int16((Int32(frame.samples[index]) + Int32(frame.samples[index + 1])) / 2))
        index += 2
      }
    default: pending.append(contentsOf: frame.samples)
    }
  }

  private func configure() {
    isConfigured = true
    let rate = min(max(settings.bitrate.bitsPerSecond, 6_000), 510_000)
    set(OPUS_SET_BITRATE_REQUEST, Int32(rate))
    set(OPUS_SET_COMPLEXITY_REQUEST, Int32(min(max(settings.complexity, 0), 10)))
    set(OPUS_SET_INBAND_FEC_REQUEST, settings.usesForwardErrorCorrection ? 1 : 0)
    set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(min(max(settings.expectedLossPercent, 0), 100)))
    set(OPUS_SET_DTX_REQUEST, settings.usesDiscontinuousTransmission ? 1 : 0)
    set(OPUS_SET_SIGNAL_REQUEST, settings.content == .voice ? OPUS_SIGNAL_VOICE : OPUS_SIGNAL_MUSIC)
    // Constrained, so that the rate holds within a packet or two.
    set(OPUS_SET_VBR_REQUEST, 1)
    set(OPUS_SET_VBR_CONSTRAINT_REQUEST, 1)
  }

  private func set(_ request: Int32, _ value: Int32) { _ = parley_opus_encoder_set(encoder, request, value) }
}
