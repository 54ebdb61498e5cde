/// The result of ``PeerConnection/receive(_:path:now:)``.
public enum ReceiveResult: Hashable, Sendable {
  /// STUN or DTLS: poll for datagrams to send and for events.
  case handled
  /// An RTP packet, decrypted in place: `length` bytes from the datagram's start, with the header that was read.
  case rtp(header: RTPHeader, length: Int)
  /// A compound RTCP packet, decrypted in place: `length` bytes from the datagram's start.
  case rtcp(length: Int)
  /// Nothing; the reason is counted.
  case dropped(DropReason)
}
