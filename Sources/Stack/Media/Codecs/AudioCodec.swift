public import Basics

/// Turns packets of one audio codec into sound, and makes up what was lost. Not thread-safe: use it from one queue.
///
/// Every frame is at 48 kHz and has ``channels`` channels.
public protocol AudioDecoder: AnyObject {
  /// 1 or 2: what comes out, whatever the sender sends.
  var channels: Int { get }
  /// The sound of one packet. When it throws, conceal the packet.
  func decode(_ packet: [UInt8], time: Instant) throws(MediaError) -> AudioFrame
  /// The sound of a lost packet out of the copy in `next`, the packet after it; without a copy it is concealed.
  /// - Parameters:
  ///   - next: The packet after the lost one.
  ///   - samples: How long the lost packet was, in samples a channel.
  ///   - time: What the sound is stamped with.
  func decodeFEC(of next: [UInt8], samples: Int?, time: Instant) throws(MediaError) -> AudioFrame
  /// Makes up sound for a loss: what was heard last, fading.
  /// - Parameters:
  ///   - samples: Samples a channel, at most 120 ms.
  ///   - time: What the sound is stamped with.
  func conceal(samples: Int?, time: Instant) throws(MediaError) -> AudioFrame
  /// Whether a packet carries a copy of the one before it.
  func carriesCopy(_ packet: [UInt8]) -> Bool
  /// Forgets what was heard, before sound of another source.
  func reset()
}

extension OpusDecoder: AudioDecoder {
  /// Whether a packet carries a copy of the one before it; see ``carriesFEC(_:)``.
  public func carriesCopy(_ packet: [UInt8]) -> Bool { Self.carriesFEC(packet) }
}
