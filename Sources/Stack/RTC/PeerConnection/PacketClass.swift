/// The protocol of a datagram on a shared port, by its first bytes (RFC 7983 section 7, RFC 5761 section 4).
public enum PacketClass: Hashable, Sendable {
  /// STUN: first byte 0 to 3.
  case stun
  /// DTLS: first byte 20 to 63.
  case dtls
  /// RTP: version 2, payload type outside 64 to 95.
  case rtp
  /// RTCP: version 2, packet type 192 to 223.
  case rtcp
  /// ChannelData from a TURN server: first byte 64 to 79.
  case turnChannel
  /// Anything else: to be dropped.
  case unknown

  /// The class of `datagram`. Looks at two bytes.
  @inlinable public init(_ datagram: Span<UInt8>) {
    guard datagram.count >= 2 else {
      self = .unknown
      return
    }
    switch datagram[0] {
    case 128...191: self = (192...223).contains(datagram[1]) ? .rtcp : .rtp
    case 0...3: self = .stun
    case 20...63: self = .dtls
    case 64...79: self = .turnChannel
    default: self = .unknown
    }
  }
}
