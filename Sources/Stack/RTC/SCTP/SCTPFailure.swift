/// Why an SCTP association ended.
public enum SCTPFailure: Error, Hashable, Sendable {
  /// Ended in good order by either side (RFC 9260 section 9.2): everything sent was delivered.
  case shutDown
  /// No answer to INIT or COOKIE ECHO: the peer speaks no SCTP or the path is gone.
  case setupTimeout
  /// The peer stopped answering (RFC 9260 section 8.1).
  case peerUnreachable
  /// The peer ended the association; the first cause code of its ABORT, if it gave one (RFC 9260 section 3.3.10).
  case abortedByPeer(cause: UInt16?)
  /// The peer broke the protocol and the association was aborted; what it did, for people.
  case protocolViolation(String)
  /// The peer made us hold more than a limit allows and the association was aborted; which limit, for people.
  case limitExceeded(String)
}
