import Basics
import RTC
import TestSeeds
import Testing

@Suite("Gathering, trickle and changes of network", .tellsSeeds)
struct GatheringTests {
  private static let second = IceWorld.address(10, 9, 0, 3, 4_100)

  // Each with an event.
  @Test("host, srflx and relayed candidates are found and offered (RFC 8445 5.1)")
  func kinds() throws {
    let world = IceWorld(servers: [IceServer(urls: ["stun:198.51.100.9"]), IceWorld.server("turn:198.51.100.9")])
    world.client.startGathering(now: world.now)
    #expect(world.client.localCandidates.map(\.kind) == [.host])
    #expect(try world.client.createOffer().contains("a=end-of-candidates") == false)
    world.run(for: .seconds(1))
    let kinds = Set(world.client.localCandidates.map(\.kind))
    #expect(kinds == [.host, .serverReflexive, .relayed] && world.client.isGatheringComplete)
    let told = world.clientEvents.compactMap { if case .iceLocalCandidate(let c) = $0.event { c } else { nil } }
    #expect(told == world.client.localCandidates && world.has(.iceGatheringComplete))
    let reflexive = try #require(told.first { $0.kind == .serverReflexive })
    #expect(reflexive.transportAddress?.ip == IceWorld.outsideIP && reflexive.relatedAddress == IceWorld.inside)
    let byPriority = told.sorted { $0.priority > $1.priority }.map(\.kind)
    #expect(byPriority == [.host, .serverReflexive, .relayed])
    #expect(Set(told.map(\.foundation)).count == 3)
    let offer = try world.client.createOffer()
    #expect(offer.contains("typ srflx") && offer.contains("typ relay") && offer.contains("a=end-of-candidates"))
    // Further gathering asks nobody again.
    world.client.startGathering(now: world.now)
    world.run(for: .seconds(1))
    #expect(world.turn.received[.binding] == 1 && world.turn.received[.allocate] == 2)
  }

  // It is the host's.
  @Test("without a NAT the reflexive address makes no candidate (RFC 8445 5.1.3)")
  func redundant() {
    let world = IceWorld(servers: [IceServer(urls: ["stun:198.51.100.9"])], nat: false)
    world.client.startGathering(now: world.now)
    world.run(for: .seconds(1))
    #expect(world.client.localCandidates.map(\.kind) == [.host] && world.client.isGatheringComplete)
  }

  @Test("servers' names are asked for, and a silent STUN server is an event")
  func names() {
    let world = IceWorld(servers: [IceServer(urls: ["stun:turn.example.org", "stun:192.0.2.200"])])
    world.client.startGathering(now: world.now)
    world.run(for: .seconds(20))
    #expect(world.asked == [.resolve(name: "turn.example.org")])
    #expect(world.client.localCandidates.contains { $0.kind == .serverReflexive })
    #expect(world.has(.iceServerFailed(url: "stun:192.0.2.200:3478", .noAnswer)) && world.client.isGatheringComplete)
  }

  @Test("URLs that cannot be used are ignored with a reason")
  func ignoredServers() {
    let world = IceWorld(servers: [
      IceServer(urls: [
        "http://x", "turn:x", "turns:x?transport=udp", "stun:", "stun:x:0", "turn:x:3478?foo=1", "stuns:x",
      ])
    ])
    #expect(
      world.client.ignoredIceServers.map(\.reason) == [
        .unsupportedScheme("http"), .missingCredentials, .unsupportedTransport, .malformedHost, .malformedPort,
        .malformedQuery, .unsupportedScheme("stuns"),
      ])
    let names = [508, 509].map {
      IceServer(urls: ["turn:h\($0)"], username: String(repeating: "u", count: $0), credential: Secret("x"))
    }
    #expect(IceWorld(servers: names).client.ignoredIceServers.map(\.reason) == [.usernameTooLong])
    let many = IceWorld(servers: [IceServer(urls: (0..<1_000).map { "stun:h\($0)" })])
    #expect(many.client.ignoredIceServers.count <= 64 && many.client.ignoredIceServers.first?.reason == .tooMany)
  }

  @Test(
    "URLs of RFC 7064 and RFC 7065 are read",
    arguments: [
      ("stun:example.org", IceServerURL.Service.stun, IceServerURL.Transport.udp, "example.org", 3_478 as UInt16),
      ("STUN:example.org:5", .stun, .udp, "example.org", 5), ("turn:192.0.2.1", .turn, .udp, "192.0.2.1", 3_478),
      ("turn:x:80?transport=TCP", .turn, .tcp, "x", 80), ("turns:x", .turn, .tls, "x", 5_349),
      ("turns:[2001:db8::1]:443?transport=tcp", .turn, .tls, "2001:db8::1", 443),
      ("turn:[::1]", .turn, .udp, "::1", 3_478),
    ])
  func urls(
    text: String, service: IceServerURL.Service, transport: IceServerURL.Transport, host: String, port: UInt16
  ) throws {
    let url = try IceServerURL(parsing: text)
    #expect(url.service == service && url.transport == transport && url.port == port)
    #expect(url.host == (IPAddress(host).map { .ip($0) } ?? .name(host)))
    #expect(try IceServerURL(parsing: url.text) == url)
  }

  @Test("20,000 damaged URLs are read or refused, never a trap")
  func damagedURLs() {
    var random = SeededRandom(seed: TestSeed.of(5))
    let valid = ["turns:[2001:db8::1]:443?transport=tcp", "turn:example.org:3478?transport=udp", "stun:192.0.2.1"]
    for _ in 0..<20_000 {
      let text = String(decoding: random.mutate(Array(random.pick(valid).utf8)), as: UTF8.self)
      if let url = try? IceServerURL(parsing: text) { #expect((try? IceServerURL(parsing: url.text)) == url) }
    }
  }

  @Test("unusable candidates of the peer are ignored and counted; others connect")
  func ignoredCandidates() throws {
    let world = IceWorld(servers: [])
    let odd = [
      "1 1 udp 2122260223 f3b1.local 5000 typ host", "1 2 udp 1 192.0.2.1 5 typ host",
      "1 1 sctp 1 192.0.2.1 5 typ host",
      "1 1 tcp 1 192.0.2.1 9 typ host tcptype active", "1 1 udp 1 fe80::1 5 typ host", "1 1 udp 1 0.0.0.0 5 typ host",
      "1 1 udp 1 192.0.2.1 5 typ strange", "nonsense",
    ]
    try world.negotiate { answer in
      answer.replacing(
        "a=candidate:", with: odd.map { "a=candidate:\($0)\r\n" }.joined() + "a=candidate:", maxReplacements: 1)
    }
    world.run(for: .seconds(5)) { world.isConnected }
    #expect(world.isConnected)
    let counts = world.client.ignoredCandidates
    #expect(counts[.hostName] == 1 && counts[.otherComponent] == 1 && counts[.unreadable] == 3)
    #expect(
      counts[.tcpNotPassive] == 1 && counts[.linkLocal] == 1 && counts[.unusableAddress] == 1 && counts.total == 8)
  }

  // Running out before is not a failure.
  @Test("the peer's later candidates are checked (RFC 8838)")
  func trickle() throws {
    let world = IceWorld(servers: [])
    var candidates: [IceCandidate] = []
    try world.negotiate { answer in
      let lines = answer.split(separator: "\r\n")
      candidates = lines.filter { $0.hasPrefix("a=candidate:") }.compactMap { try? IceCandidate(parsing: $0) }
      let dead = "a=candidate:9 1 udp 5 192.0.2.77 7777 typ host"
      return lines.filter { !$0.hasPrefix("a=candidate:") && !$0.hasPrefix("a=end-of-candidates") }
        .flatMap { $0.hasPrefix("a=ice-ufrag") && candidates.count > 0 ? [String($0), dead] : [String($0)] }
        .joined(separator: "\r\n") + "\r\n"
    }
    world.run(for: .seconds(10))
    #expect(!world.has(.iceFailed) && world.client.selectedPath == nil)
    for candidate in candidates { #expect(world.client.addRemoteCandidate(candidate, now: world.now) == nil) }
    let again = try #require(candidates.first)
    #expect(world.client.addRemoteCandidate(again, now: world.now) == .duplicate)
    world.client.endOfRemoteCandidates(now: world.now)
    world.run(for: .seconds(5)) { world.isConnected }
    #expect(world.isConnected)
  }

  // Over the new socket.
  @Test("after a change of network the call continues without an ICE restart")
  func handover() throws {
    let world = IceWorld(servers: [])
    try world.connect()
    let first = try #require(world.client.selectedPath)
    world.sockets[Self.second] = 55
    world.client.addSocket(.init(address: Self.second, handle: 55), now: world.now)
    world.run(for: .seconds(1))
    #expect(world.client.selectedPath == first)
    world.sockets[IceWorld.inside] = nil
    world.client.removeSocket(.init(address: IceWorld.inside, handle: 7), now: world.now)
    #expect(world.client.selectedPath == nil)
    let start = world.now
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    #expect(world.client.selectedPath?.handle == 55 && world.now - start <= .milliseconds(25))
    try world.sendMedia()
    world.run(for: .milliseconds(100))
    #expect(world.serverMedia.count == 1 && world.clientMedia.count == 1)
    #expect(!world.client.localCandidates.contains { $0.transportAddress == IceWorld.inside && $0.kind == .host })
  }

  @Test("a gap between two networks is bridged, with a relay on the new socket")
  func handoverThroughGap() throws {
    let world = IceWorld(policy: .relay)
    try world.connect()
    world.sockets = [:]
    world.client.removeSocket(.init(address: IceWorld.inside, handle: 7), now: world.now)
    world.run(for: .seconds(3))
    #expect(world.client.selectedPath == nil && !world.has(.iceFailed))
    world.sockets[Self.second] = 56
    world.client.addSocket(.init(address: Self.second, handle: 56), now: world.now)
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    #expect(world.client.selectedPath?.isRelayed == true && world.client.selectedRoute?.handle == 56)
    // The nomination must reach the server before that sends the new way.
    world.run(for: .milliseconds(100))
    try world.sendMedia()
    world.run(for: .milliseconds(200))
    #expect(world.serverMedia.count == 1 && world.clientMedia.count == 1)
  }

  @Test("a silent path is replaced by an answering one before consent is lost")
  func doubt() throws {
    let world = IceWorld(servers: [], sockets: [IceWorld.inside, Self.second])
    try world.connect()
    let first = try #require(world.client.selectedPath)
    let dead = first.local
    world.sockets[dead] = nil
    world.run(for: .seconds(25)) { world.client.selectedPath != first }
    #expect(world.client.selectedPath?.local != dead && world.client.selectedPath != nil)
    #expect(!world.has(.iceConsentLost))
  }

  @Test("an address that only the peer sees is peer-reflexive (RFC 8445 7.2.5.3.1)")
  func peerReflexive() throws {
    let world = IceWorld(servers: [])
    try world.connect()
    let found = world.client.localCandidates.filter { $0.kind == .peerReflexive }
    #expect(found.count == 1 && found.first?.transportAddress?.ip == IceWorld.outsideIP)
    #expect(
      !world.clientEvents.contains {
        if case .iceLocalCandidate(let c) = $0.event { c.kind == .peerReflexive } else { false }
      })
  }
}
