public import Basics

/// A transport address that a side offers for media, as it stands in a `candidate` attribute (RFC 8839 section 5.1; for
/// TCP RFC 6544 section 4.5).
public struct IceCandidate: Hashable, Sendable {
  /// How the address was obtained (RFC 8445 section 4).
  public enum Kind: String, Hashable, Sendable {
    /// An address of the machine itself.
    case host
    /// The address a STUN server saw.
    case serverReflexive = "srflx"
    /// The address the peer saw in a check.
    case peerReflexive = "prflx"
    /// An address of a TURN server.
    case relayed = "relay"
  }

  /// The side that opens the connection (RFC 6544 section 4.5).
  public enum TCPType: String, Hashable, Sendable {
    /// The offering side connects; nobody can connect to it.
    case active
    /// The offering side listens.
    case passive
    /// Both connect at the same time.
    case simultaneousOpen = "so"
  }

  /// The candidate's address or name.
  public enum Host: Hashable, Sendable {
    case ip(IPAddress)
    /// A name, such as the `….local` ones that browsers hide their addresses behind. It is not resolved: the peer's
    /// checks reveal its address.
    case name(String)
  }

  /// Groups candidates of one origin (RFC 8445 section 5.1.1.3).
  public var foundation: String
  /// 1 for RTP; 2 for RTCP where it is not multiplexed.
  public var component: UInt16
  public var transport: IceTransport
  /// The larger, the sooner it is tried (RFC 8445 section 5.1.2).
  public var priority: UInt32
  /// The address or name.
  public var host: Host
  /// The port; 9 for active TCP candidates, which have none.
  public var port: UInt16
  /// How the address was obtained.
  public var kind: Kind
  /// For TCP: which side connects.
  public var tcpType: TCPType?
  /// `raddr` and `rport`, informative.
  public var relatedAddress: TransportAddress?

  /// A host candidate of ours (RFC 8445 section 5.1.1.1).
  ///
  /// - Parameters:
  ///   - preference: which of several addresses is preferred, larger first; for TCP at most 8,191 counts.
  ///   - tcpType: for TCP, by default passive.
  public static func host(
    _ address: TransportAddress, transport: IceTransport, preference: UInt16 = 65_535,
    tcpType: TCPType = .passive
  ) -> IceCandidate {
    // Same kind, base and protocol make the same foundation; a hash of both keeps it short.
    let words = [address.ip.high, address.ip.low, UInt64(transport.rawValue)]
    let hash = words.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ $1) &* 0x100_0000_01B3 }
    return IceCandidate(
      foundation: String(hash >> 32), component: 1, transport: transport,
      priority: priority(kind: .host, transport: transport, preference: preference, tcpType: tcpType),
      host: .ip(address.ip), port: address.port, kind: .host,
      tcpType: transport == .tcp ? tcpType : nil, relatedAddress: nil)
  }

  /// The address, nil when the candidate has a name.
  public var transportAddress: TransportAddress? {
    guard case .ip(let ip) = host else { return nil }
    return TransportAddress(ip: ip, port: port)
  }

  /// Whether packets or a connection can be sent to it: it has an address and a port, and on TCP it listens.
  public var isUsable: Bool {
    guard case .ip(let ip) = host, !ip.isUnspecified, port != 0 else { return false }
    return transport == .udp || tcpType == .passive
  }

  /// The priority formula of RFC 8445 section 5.1.2.1, for TCP with the direction in the local preference
  /// (RFC 6544 section 4.2). TCP's type preference is lower, so that UDP is tried first.
  public static func priority(
    kind: Kind, transport: IceTransport, preference: UInt16 = 65_535, tcpType: TCPType = .passive,
    component: UInt16 = 1
  ) -> UInt32 {
    let typePreference: UInt32 =
      switch (kind, transport) {
      case (.host, .udp): 126
      case (.peerReflexive, .udp): 110
      case (.serverReflexive, .udp): 100
      case (.relayed, .udp): 2
      case (.host, .tcp): 90
      case (.peerReflexive, .tcp): 80
      case (.serverReflexive, .tcp): 70
      case (.relayed, .tcp): 0
      }
    let direction: UInt32 =
      switch tcpType {
      case .active: 6
      case .passive: 4
      case .simultaneousOpen: 2
      }
    let local = transport == .udp ? UInt32(preference) : direction << 13 | UInt32(min(preference, 8_191))
    return typePreference << 24 | local << 8 | (256 - UInt32(min(component, 256)))
  }

  /// The priority of a pair (RFC 8445 section 6.1.2.3).
  static func pairPriority(controlling: UInt32, controlled: UInt32) -> UInt64 {
    let g = UInt64(controlling)
    let d = UInt64(controlled)
    return min(g, d) << 32 &+ 2 &* max(g, d) &+ (g > d ? 1 : 0)
  }

  /// A candidate of these parts.
  public init(
    foundation: String, component: UInt16, transport: IceTransport, priority: UInt32, host: Host,
    port: UInt16, kind: Kind, tcpType: TCPType?, relatedAddress: TransportAddress?
  ) {
    self.foundation = foundation
    self.component = component
    self.transport = transport
    self.priority = priority
    self.host = host
    self.port = port
    self.kind = kind
    self.tcpType = tcpType
    self.relatedAddress = relatedAddress
  }
}
