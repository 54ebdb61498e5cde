public import Basics

/// Limits and timing of an SCTP association and its data channels. The defaults fit WebRTC over a path of 1,200 byte
/// datagrams.
public struct SCTPConfiguration: Hashable, Sendable {
  /// The most bytes of one SCTP packet, 512 at least. DTLS adds 37, so the default fills a datagram of 1,200 bytes,
  /// which is what ``DTLSTransport`` allows by default.
  public var mtu = 1_160
  /// The port of both ends (RFC 8261 section 4; `a=sctp-port` names it).
  public var port: UInt16 = 5_000

  /// The most bytes of received data held for the association: out of order, incomplete, or not yet polled. Advertised
  /// as the receive window.
  public var receiveBuffer = 1 << 20
  /// The most bytes of messages waiting to be sent or acknowledged, over all channels. Each message counts
  /// 64 bytes more than it has.
  public var sendBuffer = 4 << 20
  /// The longest message taken from the peer (`a=max-message-size` of our description). A longer one closes its
  /// channel.
  public var maximumReceiveMessageSize = 262_144
  /// The longest message that may be sent (`a=max-message-size` of the peer's description).
  public var maximumSendMessageSize = 262_144

  /// How many streams each way are announced (RFC 9260 section 3.3.2).
  public var maximumStreams: UInt16 = 1_024
  /// How many channels may exist, closing ones included.
  public var maximumChannels = 256
  /// The most bytes of UTF-8 of a label, and of a protocol.
  public var maximumLabelLength = 1_024
  /// How many gaps of the received sequence are remembered; a packet that would make one more is dropped.
  public var maximumGapBlocks = 256
  /// How many chunks and messages may be held out of order or incomplete, whatever their size.
  public var maximumHeldChunks = 8_192
  /// How many chunks may be unacknowledged at a time.
  public var maximumOutstandingChunks = 8_192

  /// The retransmission timeout before the first round trip is measured (RFC 9260 section 16, RTO.Initial). Shorter
  /// than the RFC's second: ICE and DTLS have just proven that the path is alive and short.
  public var initialRTO = TimeSpan.milliseconds(500)
  /// The shortest retransmission timeout; more than any peer delays its SACK.
  public var minimumRTO = TimeSpan.milliseconds(400)
  /// The longest. Far below the RFC's minute, so that data flows soon after an outage ends.
  public var maximumRTO = TimeSpan.seconds(5)
  /// How often data, a heartbeat or a request may go unanswered in a row before the peer counts as gone
  /// (Association.Max.Retrans). With the default timeouts an outage of half a minute is survived.
  public var maximumRetransmissions = 10
  /// How often INIT and COOKIE ECHO are sent again (Max.Init.Retransmits).
  public var maximumSetupRetransmissions = 8
  /// How long a state cookie is good for (Valid.Cookie.Life).
  public var cookieLifetime = TimeSpan.seconds(60)
  /// How long a SACK may wait for a second packet or for data to go along with (RFC 9260 section 6.2).
  public var sackDelay = TimeSpan.milliseconds(100)
  /// How often an idle peer is asked for a sign of life (HB.interval).
  public var heartbeatInterval = TimeSpan.seconds(30)
  /// How many packets one call may add to what is in flight (RFC 9260 section 6.1, Max.Burst).
  public var maximumBurst = 4

  public init() {}
}
