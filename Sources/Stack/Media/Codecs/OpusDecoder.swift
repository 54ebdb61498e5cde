public import Basics
import COpus
import RTC

/// Turns Opus packets into audio, and conceals lost ones (RFC 6716, 7587). Not thread-safe: use it from one queue.
///
/// ```swift
/// let decoder = try OpusDecoder()
/// let sound = try decoder.decode(bytes, time: MonotonicClock.now)
/// ```
///
/// Cost: about 0.03 ms for 20 ms of speech, and one allocation a call (the frame's samples).
public final class OpusDecoder {
  /// 1 or 2: what comes out, whatever the sender sends.
  public let channels: Int
  /// Samples a channel of the packet decoded last; 960 (20 ms) before the first.
  public private(set) var lastPacketSamples = 960

  private let decoder: OpaquePointer
  /// 120 ms, the most a packet may hold (RFC 6716 section 3.2.5).
  private static let maximumSamples = 5_760

  /// A decoder.
  /// - Throws: ``MediaError/invalid(_:)`` for channels other than 1 and 2, ``MediaError/decoderFailed(_:reason:)``.
  public init(channels: Int = 1) throws(MediaError) {
    guard channels == 1 || channels == 2 else { throw .invalid("Opus decodes to one channel or two, not \(channels).") }
    self.channels = channels
    var status: Int32 = 0
    guard let decoder = opus_decoder_create(Int32(AudioFrame.sampleRate), Int32(channels), &status) else {
      throw .decoderFailed("Opus", reason: String(cString: opus_strerror(status)))
    }
    self.decoder = decoder
  }

  deinit { opus_decoder_destroy(decoder) }

  /// The audio of one packet.
  /// - Throws: ``MediaError/decoderFailed(_:reason:)`` when the packet is malformed; conceal it then.
  public func decode(_ packet: [UInt8], time: Instant) throws(MediaError) -> AudioFrame {
    guard !packet.isEmpty, packet.count <= OpusEncoder.maximumPacketSize * 2 else {
      throw .decoderFailed("Opus", reason: "a packet of \(packet.count) bytes is not possible")
    }
    let frame = try run(packet, samples: Self.maximumSamples, isRecovery: false, time: time)
    lastPacketSamples = frame.samples.count / channels
    return frame
  }

  /// The audio of a lost packet out of the copy that `next`, the packet after it, carries. Without a copy it is
  /// concealed.
  ///
  /// Call it once for the lost packet, then ``decode(_:time:)`` with the same `next`.
  /// - Parameters:
  ///   - next: The packet after the lost one.
  ///   - samples: The length of the lost packet, in samples a channel; nil for that of the last one. Rounded down to
  ///     2.5 ms.
  ///   - time: The timestamp of the result.
  public func decodeFEC(of next: [UInt8], samples: Int? = nil, time: Instant) throws(MediaError) -> AudioFrame {
    guard !next.isEmpty, next.count <= OpusEncoder.maximumPacketSize * 2 else {
      throw .decoderFailed("Opus", reason: "a packet of \(next.count) bytes is not possible")
    }
    return try run(next, samples: clamp(samples ?? lastPacketSamples), isRecovery: true, time: time)
  }

  /// Conceals a loss: the last audio again, fading.
  /// - Parameters:
  ///   - samples: Samples a channel, at most 120 ms; nil for the length of the last packet. Rounded down to 2.5 ms.
  ///   - time: The timestamp of the result.
  public func conceal(samples: Int? = nil, time: Instant) throws(MediaError) -> AudioFrame {
    try run([], samples: clamp(samples ?? lastPacketSamples), isRecovery: false, time: time)
  }

  /// Forgets what was heard: for a new talker in the same slot.
  public func reset() {
    lastPacketSamples = 960
    _ = parley_opus_decoder_reset(decoder)
  }

  /// Whether a packet carries a copy of the one before it (low bit-rate redundancy, RFC 6716 section 4.2.4): ask before
  /// choosing between ``decodeFEC(of:samples:time:)`` and ``conceal(samples:time:)``. Nothing allocates.
  public static func carriesFEC(_ packet: [UInt8]) -> Bool {
    // Configurations 16 to 31 are CELT alone, which has no copies.
    guard let header = try? OpusPacket.parse(packet.span), header.configuration < 16 else { return false }
    let first: Int
    switch packet[0] & 0x03 {
    case 0, 1: first = 1
    case 2: first = packet.count > 1 && packet[1] >= 252 ? 3 : 2
    default:
      // The count byte, padding lengths, then frame lengths when they differ.
      var offset = 2
      if packet[1] & 0x40 != 0 {
        while offset < packet.count, packet[offset] == 255 { offset += 1 }
        offset += 1
      }
      if packet[1] & 0x80 != 0 {
        for _ in 1..<max(header.frameCount, 1) where offset < packet.count {
          offset += packet[offset] >= 252 ? 2 : 1
        }
      }
      first = offset
    }
    guard first < packet.count else { return false }
    // A frame's SILK layer begins with one activity bit for each 20 ms, then the bit in question; a side channel
    // repeats both.
    let parts = max(Int(header.frameDuration.milliseconds / 20), 1)
    let bits = packet[first]
    if bits >> UInt8(7 - parts) & 1 != 0 { return true }
    return header.isStereo && bits >> UInt8(6 - 2 * parts) & 1 != 0
  }

  private func clamp(_ samples: Int) -> Int { min(max(samples, 120), Self.maximumSamples) / 120 * 120 }

  private func run(
    _ packet: [UInt8], samples: Int, isRecovery: Bool, time: Instant
  ) throws(MediaError) -> AudioFrame {
    var decoded: Int32 = 0
    let output = [Int16](unsafeUninitializedCapacity: samples * channels) { buffer, filled in
      guard let target = buffer.baseAddress else { return }
      decoded = packet.withUnsafeBufferPointer { bytes in
        // No bytes mean that the packet is lost.
        opus_decode(
          decoder, bytes.isEmpty ? nil : bytes.baseAddress, Int32(bytes.count), target, Int32(samples),
          isRecovery ? 1 : 0)
      }
      filled = max(Int(decoded), 0) * channels
    }
    guard decoded > 0 else { throw .decoderFailed("Opus", reason: String(cString: opus_strerror(decoded))) }
    return AudioFrame(samples: output, channels: channels, time: time)
  }
}
