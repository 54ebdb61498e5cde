public import Basics

/// The client of one TURN allocation (RFC 8656): an address on the server, to and from which the server relays
/// datagrams.
///
///     turn.start(now: now)
///     loop: while let bytes = turn.pollTransmit() { send(bytes, to: server) }
///           while let event = turn.pollEvent() { … }
///           wait until turn.deadline or a packet of the server; handleTimeout(now:) or receive(_:now:)
///     turn.send(packet, to: peer, now: now)
///
/// It authenticates with long-term credentials (RFC 8489 section 9.2, MD5 and HMAC-SHA1), and keeps the allocation, its
/// permissions and channels alive. It sends by ChannelData once a channel is bound and by Send indications before. It
/// does no I/O and knows no addresses but those in the protocol: its owner sends to the server that it was made for.
///
/// Memory is bounded, whatever the server sends: at most ``maximumPeers`` peers, two packets waiting for each, and one
/// transaction of each kind for each.
public struct TurnClient {
  /// How many peers one allocation relays for.
  public static let maximumPeers = 64
  /// Wait before a request is sent again the first time over UDP; doubles each time. RFC 8489 section 6.2.1 recommends
  /// 500 ms and lets paths that are known to be quicker use less; a join should not wait half a second for one lost
  /// datagram.
  public static let initialRTO = TimeSpan.milliseconds(250)
  /// How often a request is sent over UDP.
  public static let maximumTransmissions = 6
  /// How long an answer may take on a stream, which repeats lost bytes by itself.
  public static let streamTimeout = TimeSpan.seconds(10)
  /// Permissions last five minutes and channels ten (RFC 8656 sections 9 and 12), both are renewed after four.
  public static let permissionInterval = TimeSpan.seconds(240)
  /// How often one request may be repeated with a new nonce before the server's 438 is taken for a refusal.
  static let maximumStaleNonces = 3

  public enum Event: Hashable, Sendable {
    /// The server relays for this address now; `mapped` is ours as the server sees it.
    case allocated(relayed: TransportAddress, mapped: TransportAddress?)
    /// There is no relayed address, or it is lost. The client is of no more use.
    case failed(TurnError)
    /// The server names another one to ask instead (RFC 8489 section 10): make a new client for that.
    case redirected(TransportAddress)
    /// The server does not relay to this peer.
    case refused(peer: TransportAddress, TurnError)
    /// Packets for this peer go in ChannelData from now on.
    case channelBound(peer: TransportAddress)
    /// The allocation has been released, as ``close()`` asked.
    case released
  }

  /// The result of ``receive(_:now:)``.
  public enum Input: Hashable, Sendable {
    /// It was for the client itself.
    case handled
    /// `payload` of the packet is what `peer` sent.
    case data(payload: Range<Int>, peer: TransportAddress)
    /// It is of no known peer, belongs to no request, or is not authentic.
    case ignored
  }

  enum Phase { case idle, allocating, allocated, releasing, over }

  struct Transaction {
    enum Purpose: Hashable {
      case allocate, refresh, release
      case permission(TransportAddress)
      case channel(TransportAddress)
    }
    let purpose: Purpose
    var id: STUNTransactionID
    var bytes: [UInt8]
    var transmissions = 0
    var nextAt = Instant.distantFuture
    var isAuthenticated = false
    var staleNonces = 0
  }

  struct Peer {
    enum Permission { case asked, granted, refused }
    let address: TransportAddress
    let channel: UInt16
    var permission = Permission.asked
    var wantsChannel = false
    var isBound = false
    var refreshAt = Instant.distantFuture
    var waiting: [[UInt8]] = []
  }

  /// The address on the server; nil before it is allocated and after it is lost.
  public internal(set) var relayedAddress: TransportAddress?
  /// Whether the server is reached over TCP or TLS.
  public let isStream: Bool
  /// Whether nothing more will happen.
  public var isOver: Bool { phase == .over }

  let username: String
  let password: Secret<String>
  let requestedLifetime: TimeSpan?
  var wantsIPv6: Bool
  var random: any RandomNumberGenerator & Sendable
  var phase = Phase.idle
  var realm = ""
  var nonce: [UInt8] = []
  var key: STUNIntegrityKey?
  var transactions: [Transaction] = []
  var peers: [Peer] = []
  var refreshAt = Instant.distantFuture
  var outgoing: [[UInt8]] = []
  var events: [Event] = []

  /// A client that has not asked for anything yet.
  /// - Parameters:
  ///   - username: The user name of the long-term credentials.
  ///   - password: The password.
  ///   - wantsIPv6: Whether to ask for an IPv6 address; a server that has none is asked for IPv4 then.
  ///   - isStream: Whether the server is reached over TCP or TLS.
  ///   - requestedLifetime: The lifetime of the allocation without refresh; the server's default without it.
  ///   - random: The source of transaction ids. Leave it out except in tests.
  public init(
    username: String, password: Secret<String>, wantsIPv6: Bool = false, isStream: Bool = false,
    requestedLifetime: TimeSpan? = nil,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.username = username
    self.password = password
    self.wantsIPv6 = wantsIPv6
    self.isStream = isStream
    self.requestedLifetime = requestedLifetime
    self.random = random
  }

  /// Asks for a relayed address.
  public mutating func start(now: Instant) {
    guard phase == .idle else { return }
    phase = .allocating
    begin(.allocate, now: now)
  }

  /// Releases the allocation (RFC 8656 section 8): one request to send. Whether or not the server answers, the client
  /// is of no more use; ``Event/released`` follows when it does.
  public mutating func close() {
    guard phase == .allocated else {
      phase = .over
      transactions = []
      return
    }
    phase = .releasing
    relayedAddress = nil
    peers = []
    transactions = []
    refreshAt = .distantFuture
    begin(.release, now: .distantFuture)
  }

  /// The stream to the server, or the socket, is gone: fails at once instead of after the last retransmission.
  public mutating func connectionLost(_ error: TurnError = .connectionFailed) {
    if phase != .over { fail(error) }
  }

  // MARK: Peers

  /// Lets a peer send to us, and makes its packets wait for that no longer than needed.
  public mutating func permit(_ peer: TransportAddress, now: Instant) { _ = index(of: peer, now: now) }

  /// Has packets for a peer go by ChannelData, 4 bytes instead of 36 and more.
  public mutating func bindChannel(_ peer: TransportAddress, now: Instant) {
    guard let index = index(of: peer, now: now), !peers[index].wantsChannel else { return }
    peers[index].wantsChannel = true
    begin(.channel(peer), now: now)
  }

  /// The wrapper around packets for a peer; nil when it has no permission (yet).
  public func encapsulation(to peer: TransportAddress) -> IceRoute.Encapsulation? {
    guard let known = peers.first(where: { $0.address == peer }), known.permission == .granted else { return nil }
    return known.isBound ? .channel(known.channel) : .sendIndication(to: peer)
  }

  /// Sends a packet to a peer, for the rare ones (checks, DTLS); media uses ``encapsulation(to:)``. Before there is a
  /// permission, asks for it and keeps the last two packets until it is there.
  public mutating func send(_ packet: Span<UInt8>, to peer: TransportAddress, now: Instant) {
    guard let index = index(of: peer, now: now) else { return }
    switch peers[index].permission {
    case .refused: return
    case .asked:
      if peers[index].waiting.count >= 2 { peers[index].waiting.removeFirst() }
      var copy: [UInt8] = []
      copy.reserveCapacity(packet.count)
      for index in packet.indices { copy.append(packet[index]) }
      peers[index].waiting.append(copy)
    case .granted:
      if let wrapped = wrap(packet, for: peers[index]) { outgoing.append(wrapped) }
    }
  }

  private mutating func index(of peer: TransportAddress, now: Instant) -> Int? {
    if let known = peers.firstIndex(where: { $0.address == peer }) { return known }
    // A relay talks to the family of its own address only (RFC 8656 section 10.1).
    guard phase == .allocated, let relayedAddress, relayedAddress.ip.isIPv4 == peer.ip.isIPv4,
      peers.count < Self.maximumPeers
    else { return nil }
    // Channel numbers are never given to another peer while the allocation lives (RFC 8656 section 12).
    peers.append(Peer(address: peer, channel: 0x4000 + UInt16(peers.count)))
    begin(.permission(peer), now: now)
    return peers.count - 1
  }

  func wrap(_ packet: Span<UInt8>, for peer: Peer) -> [UInt8]? {
    let none = TransportAddress(ip: IPAddress(v4: 0), port: 0)
    let route = IceRoute(
      transport: isStream ? .tcp : .udp, handle: 0, local: none, remote: none,
      encapsulation: peer.isBound ? .channel(peer.channel) : .sendIndication(to: peer.address))
    var out = [UInt8](repeating: 0, count: route.headroom + packet.count + route.tailroom)
    var span = out.mutableSpan
    guard let length = route.encapsulate(packet, into: &span) else { return nil }
    out.removeLast(out.count - length)
    return out
  }

  // MARK: Time

  /// When ``handleTimeout(now:)`` wants to be called.
  public var deadline: Instant {
    guard phase != .over else { return .distantFuture }
    var next = refreshAt
    for transaction in transactions { next = min(next, transaction.nextAt) }
    for peer in peers { next = min(next, peer.refreshAt) }
    return next
  }

  /// Lets time pass: call it at ``deadline`` or later.
  public mutating func handleTimeout(now: Instant) {
    guard phase != .over else { return }
    var index = 0
    while index < transactions.count {
      if transactions[index].nextAt > now {
        index += 1
      } else if transactions[index].transmissions < (isStream ? 1 : Self.maximumTransmissions) {
        transmit(index, now: now)
        index += 1
      } else {
        gaveUp(transactions.remove(at: index).purpose, .noAnswer, now: now)
        if phase == .over { return }
      }
    }
    if now >= refreshAt {
      refreshAt = .distantFuture
      begin(.refresh, now: now)
    }
    for index in peers.indices where now >= peers[index].refreshAt {
      peers[index].refreshAt = .distantFuture
      let peer = peers[index]
      // Binding a channel again renews the permission as well (RFC 8656 section 12.1).
      begin(peer.isBound ? .channel(peer.address) : .permission(peer.address), now: now)
    }
  }

  /// The next packet for the server, nil when there is none left.
  public mutating func pollTransmit() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

  /// The next event, nil when there is none left.
  public mutating func pollEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }
}
