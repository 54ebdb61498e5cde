internal import Basics

/// Obtains local candidates (RFC 8445 section 5.1): those of the sockets themselves, server-reflexive ones by STUN,
/// relayed ones by TURN; and runs the TURN allocations from then on. Owned by ``IceAgent``.
///
/// Bounds: ``IceServer/maximumURLs`` servers, two addresses of each name, ``maximumRelays`` allocations,
/// ``maximumSockets`` sockets, ``maximumQueries`` STUN queries.
struct IceGatherer {
  static let maximumRelays = 8
  static let maximumSockets = 16
  static let maximumQueries = 64
  /// How often a TURN server may send us on to another (RFC 8489 section 10).
  static let maximumAlternates = 3
  /// A STUN query is sent this often, first after ``TurnClient/initialRTO`` and then after twice the wait before.
  static let maximumTransmissions = 5

  typealias Socket = PeerConnectionConfiguration.Socket

  enum Event {
    /// A new local candidate; packets for it leave over `base`.
    case candidate(IceCandidate, base: IceBase?)
    case relayFailed(handle: UInt32, url: String, TurnError)
    case stunFailed(url: String, TurnError)
    case peerRefused(handle: UInt32, TransportAddress)
    /// How packets for this relayed address are wrapped has changed.
    case encapsulationChanged
  }

  struct Server {
    let url: IceServerURL
    var username: String
    var password: Secret<String>
    /// nil while the name is not resolved.
    var addresses: [IPAddress]?
  }

  struct Relay {
    let server: Int
    var client: TurnClient
    /// The path to the server; nil while a stream is being opened.
    var outer: IcePath?
    var streamRequest: UInt32?
    var alternates: [TransportAddress] = []
    var isOver = false
  }

  struct Query {
    let server: Int
    let path: IcePath
    let id: STUNTransactionID
    let bytes: [UInt8]
    var transmissions = 0
    var nextAt: Instant
  }

  let policy: IceTransportPolicy
  let allocationLifetime: TimeSpan?
  var servers: [Server] = []
  var ignored: [IgnoredIceServer] = []
  var sockets: [Socket] = []
  var relays: [Relay] = []
  var queries: [Query] = []
  var candidates: [IceCandidate] = []
  var isStarted = false
  var requests: [IceRequest] = []
  var outgoing: [IceTransmission] = []
  var events: [Event] = []
  var nextStreamRequest: UInt32 = 1
  var random: SaltedRandom

  init(
    servers list: [IceServer], policy: IceTransportPolicy, allocationLifetime: TimeSpan?,
    random: inout any RandomNumberGenerator & Sendable
  ) {
    self.policy = policy
    self.allocationLifetime = allocationLifetime
    self.random = SaltedRandom(&random)
    for server in list {
      for url in server.urls { add(url, of: server) }
    }
  }

  private mutating func add(_ text: String, of server: IceServer) {
    do throws(IceServerURLError) {
      guard servers.count < IceServer.maximumURLs else { throw .tooMany }
      let url = try IceServerURL(parsing: text)
      if url.service == .turn && (server.username ?? "").isEmpty { throw .missingCredentials }
      guard (server.username ?? "").utf8.count <= IceServer.maximumUsername else { throw .usernameTooLong }
      guard !servers.contains(where: { $0.url == url }) else { return }
      var addresses: [IPAddress]?
      if case .ip(let ip) = url.host { addresses = [ip] }
      servers.append(
        Server(
          url: url, username: server.username ?? "", password: server.credential ?? Secret(""), addresses: addresses))
    } catch {
      guard ignored.count < 2 * IceServer.maximumURLs else { return }
      ignored.append(IgnoredIceServer(url: String(text.prefix(256)), reason: error))
    }
  }

  /// Credentials for allocations from now on, of the servers that are known already. Existing allocations are refreshed
  /// with the credentials that they were made with.
  mutating func setCredentials(_ list: [IceServer]) {
    for server in list {
      for text in server.urls {
        guard let url = try? IceServerURL(parsing: text), let index = servers.firstIndex(where: { $0.url == url }),
          (server.username ?? "").utf8.count <= IceServer.maximumUsername
        else { continue }
        servers[index].username = server.username ?? servers[index].username
        servers[index].password = server.credential ?? servers[index].password
      }
    }
  }

  /// Whether nothing more is to be expected.
  var isComplete: Bool {
    guard isStarted else { return false }
    let isWaiting = servers.contains { $0.addresses == nil && !isStream($0) }
    return !isWaiting && queries.isEmpty && relays.allSatisfy { $0.isOver || $0.client.relayedAddress != nil }
  }

  private func isStream(_ server: Server) -> Bool { server.url.transport != .udp }

  // MARK: Starting

  mutating func start(now: Instant) {
    guard !isStarted else { return }
    isStarted = true
    for socket in sockets { addHost(socket) }
    for index in servers.indices {
      switch servers[index].url.host {
      case .name(let name) where servers[index].url.transport == .udp:
        if !requests.contains(.resolve(name: name)) { requests.append(.resolve(name: name)) }
      default: ask(index, now: now)
      }
    }
  }

  /// Allocates again what was released or lost, for an ICE restart or after the path in use is gone.
  mutating func renew(now: Instant) {
    guard isStarted else { return start(now: now) }
    for index in servers.indices where servers[index].url.service == .turn {
      let isThere = relays.contains { $0.server == index && !$0.isOver }
      if !isThere { ask(index, now: now) }
    }
  }

  mutating func add(_ socket: Socket, now: Instant) {
    guard sockets.count < Self.maximumSockets, !sockets.contains(socket) else { return }
    sockets.append(socket)
    guard isStarted else { return }
    addHost(socket)
    for index in servers.indices where servers[index].url.transport == .udp { ask(index, over: socket, now: now) }
  }

  mutating func remove(_ socket: Socket) {
    sockets.removeAll { $0 == socket }
    queries.removeAll { $0.path.handle == socket.handle && $0.path.local == socket.address }
    for index in relays.indices {
      guard let outer = relays[index].outer, outer.transport == .udp, outer.handle == socket.handle,
        outer.local == socket.address
      else { continue }
      relays[index].client.connectionLost(.socketRemoved)
      drain(index, now: .distantFuture)
    }
    candidates.removeAll {
      $0.transport == .udp && ($0.transportAddress == socket.address || $0.relatedAddress == socket.address)
    }
  }

  private mutating func addHost(_ socket: Socket) {
    guard policy == .all else { return }
    // Earlier sockets are preferred; loopback comes last, it helps on this machine only.
    let position = UInt16(clamping: sockets.firstIndex(of: socket) ?? 0)
    let preference = (socket.address.ip.isLoopback ? 32_767 : 65_535) &- position
    let candidate = IceCandidate.host(socket.address, transport: .udp, preference: preference)
    let base = IceBase(
      handle: socket.handle, address: socket.address, rank: .direct, priority: candidate.priority,
      foundation: candidate.foundation)
    // A socket on every interface has no address to announce, but checks can leave from it.
    if socket.address.ip.isUnspecified {
      events.append(.candidate(candidate, base: base))
    } else {
      emit(candidate, base: base)
    }
  }

  mutating func emit(_ candidate: IceCandidate, base: IceBase?) {
    let isKnown = candidates.contains {
      $0.transportAddress == candidate.transportAddress && $0.transport == candidate.transport
        && $0.kind == candidate.kind
    }
    if !isKnown { candidates.append(candidate) }
    if !isKnown || base != nil { events.append(.candidate(candidate, base: base)) }
  }

  // MARK: Asking servers

  mutating func resolved(_ name: String, _ addresses: [IPAddress], now: Instant) {
    for index in servers.indices {
      guard servers[index].addresses == nil, servers[index].url.transport == .udp,
        case .name(name) = servers[index].url.host
      else { continue }
      servers[index].addresses = Self.oneOfEachFamily(addresses)
      if addresses.isEmpty {
        let text = servers[index].url.text
        events.append(.stunFailed(url: text, .unknownHost))
      } else {
        ask(index, now: now)
      }
    }
  }

  private static func oneOfEachFamily(_ addresses: [IPAddress]) -> [IPAddress] {
    [addresses.first { $0.isIPv4 }, addresses.first { !$0.isIPv4 }].compactMap { $0 }
  }

  private mutating func ask(_ server: Int, now: Instant) {
    if servers[server].url.transport == .udp {
      for socket in sockets { ask(server, over: socket, now: now) }
    } else {
      let relay = Relay(server: server, client: client(server, isStream: true, wantsIPv6: wantsIPv6(server)))
      guard let index = place(relay) else { return }
      requestStream(index, host: servers[server].url.host, port: servers[server].url.port)
    }
  }

  /// Over a stream to a name nothing is known of the family, so IPv4, which every server has.
  private func wantsIPv6(_ server: Int) -> Bool {
    if case .ip(let ip) = servers[server].url.host { !ip.isIPv4 } else { false }
  }

  private mutating func ask(_ server: Int, over socket: Socket, now: Instant) {
    let url = servers[server].url
    for ip in servers[server].addresses ?? [] where ip.isIPv4 == socket.address.ip.isIPv4 {
      // Packets from loopback stay there.
      guard !socket.address.ip.isLoopback || ip.isLoopback else { continue }
      let path = IcePath(
        transport: .udp, local: socket.address, remote: TransportAddress(ip: ip, port: url.port), handle: socket.handle)
      switch url.service {
      case .stun:
        guard policy == .all, queries.count < Self.maximumQueries else { continue }
        let id = STUNTransactionID(using: &random)
        let bytes = STUNMessageBuilder(.request, transactionID: id).finish(integrity: nil)
        // One after the other, at the pace of checks (RFC 8445 section 14.2).
        let at = now + IceCheckList.pacing * Int64(queries.count / 4)
        queries.append(Query(server: server, path: path, id: id, bytes: bytes, nextAt: at))
      case .turn:
        let relay = Relay(server: server, client: client(server, isStream: false, wantsIPv6: !ip.isIPv4), outer: path)
        guard let index = place(relay) else { continue }
        relays[index].client.start(now: now)
        drain(index, now: now)
      }
    }
  }

  /// Puts a relay where one is over, or at the end; nil when there are as many as allowed.
  private mutating func place(_ relay: Relay) -> Int? {
    if let free = relays.firstIndex(where: \.isOver) {
      relays[free] = relay
      return free
    }
    guard relays.count < Self.maximumRelays else { return nil }
    relays.append(relay)
    return relays.count - 1
  }

  private mutating func client(_ server: Int, isStream: Bool, wantsIPv6: Bool) -> TurnClient {
    var generator: any RandomNumberGenerator & Sendable = random
    _ = random.next()
    return TurnClient(
      username: servers[server].username, password: servers[server].password, wantsIPv6: wantsIPv6, isStream: isStream,
      requestedLifetime: allocationLifetime, random: SaltedRandom(&generator))
  }

  mutating func requestStream(_ relay: Int, host: IceCandidate.Host, port: UInt16) {
    let id = nextStreamRequest
    nextStreamRequest &+= 1
    relays[relay].streamRequest = id
    relays[relay].outer = nil
    let security: IceStreamRequest.Security = servers[relays[relay].server].url.transport == .tls ? .tls : .none
    requests.append(
      .openStream(IceStreamRequest(id: id, host: host, port: port, security: security, framing: .turn)))
  }
}
