public import Basics

/// A received media packet as ``MediaReceiver`` has unwrapped it: the order and the time of its payload, which travels
/// next to it. A plain value; copying it allocates nothing.
public struct ReceivedPacket: Hashable, Sendable {
  /// The m-section that it belongs to.
  public var mid: MID
  /// The stream. When it changes within one m-section, the sender has started again: number and timestamp do not
  /// continue.
  public var ssrc: SSRC
  /// The payload's codec; never ``Codec/rtx`` or ``Codec/red``, which have been unwrapped.
  public var codec: Codec
  /// The sequence number, extended so that it never wraps (RFC 3550 appendix A.1). Each number is delivered once at
  /// most.
  public var sequence: Int64
  /// The media time of the payload in the codec's clock; wraps.
  public var timestamp: RTPTimestamp
  /// The marker bit: for video the last packet of a frame, for audio the first one after silence.
  public var marker: Bool
  /// Whether it came as a retransmission (RFC 4588) or out of the redundancy of a later packet (RFC 2198). Its arrival
  /// then says nothing about the network's delay.
  public var isRetransmission: Bool
  /// The audio level in −dBov: 0 (loudest) to 127 (silence) (RFC 6464); nil if the sender didn't send it.
  public var audioLevel: UInt8?
  public var arrival: Instant

  public init(
    mid: MID, ssrc: SSRC, codec: Codec, sequence: Int64, timestamp: RTPTimestamp, marker: Bool = false,
    isRetransmission: Bool = false, audioLevel: UInt8? = nil, arrival: Instant
  ) {
    self.mid = mid
    self.ssrc = ssrc
    self.codec = codec
    self.sequence = sequence
    self.timestamp = timestamp
    self.marker = marker
    self.isRetransmission = isRetransmission
    self.audioLevel = audioLevel
    self.arrival = arrival
  }
}
