public import Basics

/// Turns packets of one audio codec into audio, and conceals lost ones. Not thread-safe: use it from one queue.
///
/// Every frame is at 48 kHz and has ``channels`` channels.
public protocol AudioDecoder: AnyObject {
  /// 1 or 2: what comes out, whatever the sender sends.
  var channels: Int { get }
  /// The audio of one packet. When it throws, conceal the packet.
  func decode(_ packet: [UInt8], time: Instant) throws(MediaError) -> AudioFrame
  /// The audio of a lost packet out of the copy in `next`, the packet after it; without a copy it is concealed.
  /// - Parameters:
  ///   - next: The packet after the lost one.
  ///   - samples: The length of the lost packet, in samples a channel.
  ///   - time: The timestamp of the result.
  func decodeFEC(of next: [UInt8], samples: Int?, time: Instant) throws(MediaError) -> AudioFrame
  /// Conceals a loss: the last audio again, fading.
  /// - Parameters:
  ///   - samples: Samples a channel, at most 120 ms.
  ///   - time: The timestamp of the result.
  func conceal(samples: Int?, time: Instant) throws(MediaError) -> AudioFrame
  /// Whether a packet carries a copy of the one before it.
  func carriesCopy(_ packet: [UInt8]) -> Bool
  /// Forgets earlier audio, before that of another source.
  func reset()
}

extension OpusDecoder: AudioDecoder {
  /// Whether a packet carries a copy of the one before it; see ``carriesFEC(_:)``.
  public func carriesCopy(_ packet: [UInt8]) -> Bool { Self.carriesFEC(packet) }
}
