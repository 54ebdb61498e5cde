public import Basics

/// How patient a DTLS handshake is (RFC 6347 section 4.2.4.1).
public struct DTLSTiming: Sendable, Hashable {
  /// The wait before the first retransmission; it doubles with each. RFC 6347 says one second, but ICE has shown that
  /// the path works and is short, and a lost datagram must not cost a joining participant a second.
  public var initialRetransmission: TimeSpan
  /// The longest wait between retransmissions.
  public var maximumRetransmission: TimeSpan
  /// How long the whole handshake may take.
  public var handshakeLimit: TimeSpan

  /// 50 ms doubling up to 3.2 s, 30 s in total.
  public init(
    initialRetransmission: TimeSpan = .milliseconds(50), maximumRetransmission: TimeSpan = .milliseconds(3_200),
    handshakeLimit: TimeSpan = .seconds(30)
  ) {
    self.initialRetransmission = initialRetransmission
    self.maximumRetransmission = maximumRetransmission
    self.handshakeLimit = handshakeLimit
  }
}
