import Basics
import RTC
import TestSeeds
import Testing

/// A lite and a controlling agent on a network in virtual time that loses, delays and reorders by a seed.
private struct IceNetwork {
  struct Packet {
    let at: Instant
    let toServer: Bool
    let path: IcePath
    let bytes: [UInt8]
  }

  var server = IceLiteAgent(local: IceTest.server, remote: IceTest.client, now: .zero)
  var client: IceAgent
  var random: SeededRandom
  var loss = 0.0
  /// Paths over which nothing arrives, by the server's address.
  var dead: Set<TransportAddress> = []
  var now = Instant.zero
  var inFlight: [Packet] = []
  var clientEvents: [(at: Instant, event: IceAgent.Event)] = []
  var serverEvents: [IceLiteAgent.Event] = []
  var sentByClient = 0

  init(seed: UInt64, loss: Double = 0) {
    let seed = TestSeed.of(seed)
    random = SeededRandom(seed: seed)
    client = iceAgent(IceTest.client, IceTest.server, seed: seed &+ 1_000)
    self.loss = loss
  }

  mutating func addServer(_ last: UInt8, transport: IceTransport = .udp) {
    client.check(
      .host(IceTest.address(last), transport: transport, preference: UInt16(last)), local: IceTest.address(200),
      now: now)
  }

  static func mirror(_ path: IcePath) -> IcePath {
    IcePath(transport: path.transport, local: path.remote, remote: path.local, handle: path.handle)
  }

  mutating func send(_ bytes: [UInt8], path: IcePath, toServer: Bool) {
    let serverAddress = toServer ? path.remote : path.local
    if dead.contains(serverAddress) || (path.transport == .udp && random.chance(loss)) { return }
    let delay = TimeSpan.milliseconds(Int64(5 + random.below(20)))
    inFlight.append(Packet(at: now + delay, toServer: toServer, path: Self.mirror(path), bytes: bytes))
  }

  mutating func drain() {
    while let t = client.pollTransmit() {
      sentByClient += 1
      send(t.bytes, path: t.path, toServer: true)
    }
    while let event = client.pollEvent() {
      if event != .gatheringComplete { clientEvents.append((now, event)) }
    }
    serverEvents += server.drainEvents()
  }

  /// Runs until virtual time `end`, or until nothing is left to happen.
  mutating func run(until end: Instant) {
    drain()
    while true {
      let arrival = inFlight.min { $0.at < $1.at }?.at ?? .distantFuture
      let next = min(arrival, client.deadline, server.deadline)
      guard next <= end else { break }
      now = max(now, next)
      while let index = inFlight.indices.filter({ inFlight[$0].at <= now }).min(by: {
        inFlight[$0].at < inFlight[$1].at
      }) {
        let packet = inFlight.remove(at: index)
        if packet.toServer {
          if let reply = server.receive(packet.bytes.span, path: packet.path, now: now).reply {
            send(reply, path: packet.path, toServer: false)
          }
        } else {
          client.receive(packet.bytes.span, path: packet.path, now: now)
        }
      }
      if client.deadline <= now { client.handleTimeout(now: now) }
      if server.deadline <= now { server.handleTimeout(now: now) }
      drain()
    }
    now = max(now, end)
  }

  /// The expectation that both sides have selected the same path; says what each has when they have not.
  func expectAgreement(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) {
    let client = client.selectedPath
    let server = server.selectedPath
    let isAgreed = self.isAgreed
    #expect(isAgreed, "\(comment): \(client as Any), \(server as Any)", sourceLocation: sourceLocation)
  }

  var isAgreed: Bool {
    guard let path = client.selectedPath else { return false }
    return server.selectedPath == Self.mirror(path)
  }
}

/// An agent without sockets that knows both sides' credentials; paths are given to it one by one.
private func iceAgent(_ local: IceCredentials, _ remote: IceCredentials, seed: UInt64 = 9) -> IceAgent {
  var agent = IceAgent(local: local, random: SeededRandom(seed: seed))
  agent.setRemote(remote, now: .zero)
  return agent
}

@Suite("The client's ICE agent", .tellsSeeds)
struct IceAgentTests {
  @Test("both sides agree on a path, one round trip after the first check")
  func connects() {
    var network = IceNetwork(seed: 1)
    network.addServer(1)
    network.run(until: .milliseconds(60))
    network.expectAgreement()
    #expect(network.clientEvents.map(\.event) == [.selected(network.client.selectedPath ?? IceTest.path(0))])
    #expect(network.client.mappedAddress == IceTest.address(200))
    #expect(network.sentByClient == 1)
  }

  // For ten minutes.
  @Test("with a fifth lost both agree within 5 s and keep consent (RFC 7675)")
  func loss() {
    for seed in 0..<60 as Range<UInt64> {
      var network = IceNetwork(seed: seed, loss: 0.2)
      for last in 1...4 as ClosedRange<UInt8> { network.addServer(last) }
      network.run(until: .milliseconds(5_000))
      #expect(network.client.selectedPath != nil, "seed \(seed)")
      network.run(until: .milliseconds(20_000))
      network.expectAgreement("seed \(seed)")
      network.run(until: .milliseconds(600_000))
      network.expectAgreement("seed \(seed)")
      // A run of lost answers may bring another path in; consent is never lost.
      let isAlive = network.clientEvents.allSatisfy { if case .selected = $0.event { true } else { false } }
      #expect(isAlive && network.clientEvents.count <= 3, "seed \(seed)")
    }
  }

  @Test("the same seed repeats the same run to the byte")
  func repeats() {
    func bytes() -> [[UInt8]] {
      var agent = iceAgent(IceTest.client, IceTest.server, seed: 3)
      agent.check(.host(IceTest.address(1), transport: .udp), local: IceTest.address(2), now: .zero)
      var out: [[UInt8]] = []
      while agent.deadline < .milliseconds(1_000) {
        agent.handleTimeout(now: agent.deadline)
        while let t = agent.pollTransmit() { out.append(t.bytes) }
      }
      return out
    }
    #expect(bytes() == bytes())
  }

  @Test("a check repeats after 50, 100, 200 ms, and then fails (RFC 8445 14.3)")
  func retransmissions() {
    var agent = iceAgent(IceTest.client, IceTest.server)
    agent.check(.host(IceTest.address(1), transport: .udp), local: IceTest.address(2), now: .zero)
    var times: [Int64] = []
    var events: [IceAgent.Event] = []
    var first: [UInt8]?
    while agent.deadline != .distantFuture {
      let now = agent.deadline
      agent.handleTimeout(now: now)
      while let t = agent.pollTransmit() {
        times.append(now.nanoseconds / 1_000_000)
        #expect(first == nil || first == t.bytes)
        first = t.bytes
      }
      while let event = agent.pollEvent() {
        if event != .gatheringComplete { events.append(event) }
      }
    }
    #expect(times == [0, 50, 150, 350, 750, 1_550, 3_150])
    #expect(events == [.failed])
  }

  @Test("when UDP is blocked the TCP path is taken, and UDP is preferred when it is not")
  func tcp() {
    var network = IceNetwork(seed: 4)
    network.addServer(1, transport: .tcp)
    network.addServer(2)
    network.run(until: .milliseconds(200))
    #expect(network.client.selectedPath?.transport == .udp)
    network.expectAgreement()

    network = IceNetwork(seed: 4)
    network.dead = [IceTest.address(2)]
    network.addServer(1, transport: .tcp)
    network.addServer(2)
    network.run(until: .milliseconds(500))
    #expect(network.client.selectedPath?.transport == .tcp)
    network.expectAgreement()
  }

  @Test("threat 10: both notice within 30 s that the other is gone (RFC 7675 5.1)")
  func consentLost() {
    var network = IceNetwork(seed: 5)
    network.addServer(1)
    network.run(until: .milliseconds(60_000))
    network.dead = [IceTest.address(1)]
    network.run(until: .milliseconds(91_000))
    #expect(network.clientEvents.last?.event == .consentLost)
    #expect(network.client.selectedPath == nil)
    #expect(network.serverEvents.contains(.consentLost))
    #expect(network.client.deadline == .distantFuture)
  }

  @Test("consent checks come every 4 to 6 s, RFC 7675 section 5.1")
  func consentPace() {
    var network = IceNetwork(seed: 6)
    network.addServer(1)
    network.run(until: .milliseconds(1_000))
    let before = network.sentByClient
    network.run(until: .milliseconds(601_000))
    #expect((100...150).contains(network.sentByClient - before))
  }

  @Test("an ICE restart moves to new credentials without a gap, RFC 8445 section 9")
  func restart() {
    var network = IceNetwork(seed: 7, loss: 0.1)
    network.addServer(1)
    network.run(until: .milliseconds(10_000))
    let (newServer, newClient) = (IceTest.credentials("srv2"), IceTest.credentials("cln2"))
    network.server.restart(remote: newClient, newLocal: newServer, now: network.now)
    network.client.restart(local: newClient, remote: newServer, now: network.now)
    network.expectAgreement("the old path keeps flowing")
    network.addServer(2)
    network.run(until: .milliseconds(15_000))
    network.expectAgreement()
    #expect(network.client.selectedPath?.remote == IceTest.address(2))
    #expect(network.serverEvents.contains(.ufragRetired("serv")))
    network.run(until: .milliseconds(120_000))
    network.expectAgreement()
  }

  // Answers that are forged, unauthentic or come over another path.
  @Test("forged and misrouted answers are ignored (RFC 8445 7.2.5.2.1)")
  func forgedAnswers() throws {
    var agent = iceAgent(IceTest.client, IceTest.server)
    agent.check(.host(IceTest.address(1), transport: .udp), local: IceTest.address(2), now: .zero)
    agent.handleTimeout(now: .zero)
    let sent = agent.pollTransmit()
    let check = try #require(sent)
    let id = try STUNSnapshot(check.bytes).transactionID

    func answer(_ id: STUNTransactionID, password: String?) -> [UInt8] {
      var builder = STUNMessageBuilder(.successResponse, transactionID: id)
      builder.addXorMappedAddress(IceTest.address(2))
      return builder.finish(integrity: password.map { STUNIntegrityKey(password: $0) })
    }
    func give(_ bytes: [UInt8], _ path: IcePath) -> IceIgnoredReason? {
      agent.receive(bytes.span, path: path, now: .zero)
    }
    let right = IceTest.server.password.value
    var other = check.path
    other.remote.port = 9
    #expect(give(answer(id, password: nil), check.path) == .missingIntegrity)
    #expect(give(answer(id, password: IceTest.client.password.value), check.path) == .wrongIntegrity)
    #expect(give(answer(id, password: right), other) == .notForUs)
    #expect(give(answer(STUNTransactionID(high: 1, low: 1), password: right), check.path) == .notForUs)
    #expect(agent.selectedPath == nil)
    #expect(give(answer(id, password: right), check.path) == nil)
    #expect(agent.selectedPath == check.path)
  }

  @Test("the larger tie-breaker keeps the role, and both agree (RFC 8445 7.3.1.1)")
  func roleConflict() {
    for seed in 0..<20 as Range<UInt64> {
      let a = IceTest.address(1)
      let b = IceTest.address(2)
      var left = iceAgent(IceTest.client, IceTest.server, seed: seed)
      var right = iceAgent(IceTest.server, IceTest.client, seed: seed &+ 99)
      left.check(.host(b, transport: .udp), local: a, now: .zero)
      right.check(.host(a, transport: .udp), local: b, now: .zero)
      var now = Instant.zero
      for _ in 0..<40 {
        left.handleTimeout(now: now)
        right.handleTimeout(now: now)
        now = now + .milliseconds(10)
        var toRight: [IceTransmission] = []
        var toLeft: [IceTransmission] = []
        while let t = left.pollTransmit() { toRight.append(t) }
        while let t = right.pollTransmit() { toLeft.append(t) }
        for t in toRight { right.receive(t.bytes.span, path: IceNetwork.mirror(t.path), now: now) }
        for t in toLeft { left.receive(t.bytes.span, path: IceNetwork.mirror(t.path), now: now) }
      }
      #expect(left.isControlling != right.isControlling, "seed \(seed)")
      #expect(left.selectedPath?.remote == b, "seed \(seed)")
      #expect(right.selectedPath?.remote == a, "seed \(seed)")
    }
  }

  @Test("unusable candidates and those beyond the limit are not checked")
  func candidates() throws {
    var agent = iceAgent(IceTest.client, IceTest.server)
    for line in [
      "1 1 udp 1 x.local 5 typ host", "1 1 tcp 1 192.0.2.9 9 typ host tcptype active", "1 2 udp 1 192.0.2.9 5 typ host",
      "1 1 udp 1 2001:db8::1 5 typ host",
    ] {
      let candidate = try IceCandidate(parsing: line)
      #expect(agent.check(candidate, local: IceTest.address(2), now: .zero) == nil, "\(line)")
    }
    #expect(agent.deadline == Instant.zero + IceAgent.consentTimeout)
    let taken = (0..<100 as Range<UInt8>).filter {
      agent.check(.host(IceTest.address($0), transport: .udp), local: IceTest.address(200), now: .zero)
        != nil
    }
    #expect(taken.count == IceAgent.maximumPairs)
  }

  @Test("50,000 damaged datagrams neither crash nor connect the client")
  func damaged() throws {
    var random = SeededRandom(seed: TestSeed.of(11))
    var agent = iceAgent(IceTest.client, IceTest.server)
    agent.check(.host(IceTest.address(1), transport: .udp), local: IceTest.address(2), now: .zero)
    agent.handleTimeout(now: .zero)
    let sent = agent.pollTransmit()
    let check = try #require(sent)
    let incoming = IceTest.check(from: IceTest.server, to: IceTest.client)
    for _ in 0..<50_000 {
      let bytes = random.mutate(random.pick([incoming, check.bytes, RFC5769.responseIPv4]))
      agent.receive(bytes.span, path: check.path, now: .zero)
    }
    #expect(agent.selectedPath == nil)
  }
}
