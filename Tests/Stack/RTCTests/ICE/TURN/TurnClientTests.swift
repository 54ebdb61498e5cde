import Basics
import RTC
import TestSeeds
import Testing

@Suite("The TURN client, RFC 8656", .tellsSeeds)
struct TurnClientTests {
  private static let me = TurnServerModel.Client(address: IceWorld.address(192, 0, 2, 1, 4_000))
  private static let peer = IceWorld.address(203, 0, 113, 5, 10_000)

  /// Sends everything that waits to the model and its answers back.
  private func pump(_ turn: inout TurnClient, _ model: inout TurnServerModel, at now: Instant) -> [[UInt8]] {
    var toPeers: [[UInt8]] = []
    var isBusy = true
    while isBusy {
      isBusy = false
      while let bytes = turn.pollTransmit() {
        isBusy = true
        for output in model.receive(bytes, from: Self.me, now: now) {
          switch output {
          case .toClient(let reply, _): _ = turn.receive(reply.span, now: now)
          case .toPeer(let data, _, _): toPeers.append(data)
          }
        }
      }
    }
    return toPeers
  }

  private func events(_ turn: inout TurnClient) -> [TurnClient.Event] {
    var out: [TurnClient.Event] = []
    while let event = turn.pollEvent() { out.append(event) }
    return out
  }

  private func client(_ seed: UInt64 = 1, isStream: Bool = false) -> TurnClient {
    TurnClient(username: "ann", password: Secret("secret"), isStream: isStream, random: SeededRandom(seed: seed))
  }

  private func allocated() -> (TurnClient, TurnServerModel) {
    var turn = client()
    var model = TurnServerModel(IceWorld.turnAddress)
    turn.start(now: .zero)
    _ = pump(&turn, &model, at: .zero)
    _ = events(&turn)
    return (turn, model)
  }

  // Realm, nonce and integrity.
  @Test("an unanswered first request repeats with credentials (RFC 8489 9.2)")
  func allocate() {
    var turn = client()
    var model = TurnServerModel(IceWorld.turnAddress)
    turn.start(now: .zero)
    _ = pump(&turn, &model, at: .zero)
    let relayed = TransportAddress(ip: IceWorld.turnAddress.ip, port: 50_001)
    #expect(events(&turn) == [.allocated(relayed: relayed, mapped: Self.me.address)])
    #expect(model.received[.allocate] == 2 && turn.relayedAddress == relayed)
    #expect(turn.deadline == Instant.zero + .seconds(540))
  }

  @Test("packets wait for permission, then use Send indications, then ChannelData")
  func sending() {
    var (turn, model) = allocated()
    turn.send([1, 1, 1].span, to: Self.peer, now: .zero)
    turn.send([2, 2, 2].span, to: Self.peer, now: .zero)
    turn.send([3, 3, 3].span, to: Self.peer, now: .zero)
    #expect(turn.encapsulation(to: Self.peer) == nil)
    #expect(pump(&turn, &model, at: .zero) == [[2, 2, 2], [3, 3, 3]])
    #expect(turn.encapsulation(to: Self.peer) == .sendIndication(to: Self.peer))
    turn.bindChannel(Self.peer, now: .zero)
    _ = pump(&turn, &model, at: .zero)
    #expect(events(&turn) == [.channelBound(peer: Self.peer)] && turn.encapsulation(to: Self.peer) == .channel(0x4000))
    turn.send([4].span, to: Self.peer, now: .zero)
    #expect(pump(&turn, &model, at: .zero) == [[4]] && model.channelData == 1)
  }

  @Test("permissions and channels are renewed in time for an hour (RFC 8656 9, 12)")
  func renewal() {
    var (turn, model) = allocated()
    turn.permit(Self.peer, now: .zero)
    turn.bindChannel(Self.peer, now: .zero)
    var now = Instant.zero
    _ = pump(&turn, &model, at: now)
    while now < .zero + .seconds(3_600) {
      now = turn.deadline
      turn.handleTimeout(now: now)
      _ = pump(&turn, &model, at: now)
      #expect((model.allocations[Self.me]?.permissions[Self.peer.ip] ?? .zero) > now)
    }
    #expect(model.allocations.count == 1 && !turn.isOver)
  }

  @Test("packets of a peer come out with their place in the packet, by both ways")
  func receiving() {
    var (turn, model) = allocated()
    turn.permit(Self.peer, now: .zero)
    _ = pump(&turn, &model, at: .zero)
    let relayed = turn.relayedAddress ?? Self.peer
    func arrive(_ bytes: [UInt8]) -> [UInt8]? {
      for output in model.receive(bytes, from: Self.peer, relayed: relayed, now: .zero) {
        guard case .toClient(let packet, _) = output else { continue }
        guard case .data(let range, let from) = turn.receive(packet.span, now: .zero), from == Self.peer else {
          return nil
        }
        return Array(packet[range])
      }
      return nil
    }
    #expect(arrive([9, 8, 7, 6, 5]) == [9, 8, 7, 6, 5])
    turn.bindChannel(Self.peer, now: .zero)
    _ = pump(&turn, &model, at: .zero)
    #expect(arrive([1, 2]) == [1, 2])
    // A channel and a peer that nobody asked for.
    #expect(turn.receive([0x40, 9, 0, 1, 7, 0, 0, 0].span, now: .zero) == .ignored)
    var stranger = STUNMessageBuilder(.indication, method: .data, transactionID: STUNTransactionID(high: 1, low: 1))
    stranger.addXorPeerAddress(IceWorld.address(6, 6, 6, 6, 6))
    stranger.addData([1].span)
    #expect(turn.receive(stranger.finish(integrity: nil).span, now: .zero) == .ignored)
    // ChannelData that says it is longer than it is.
    #expect(turn.receive([0x40, 0, 0, 9, 7, 0, 0, 0].span, now: .zero) == .ignored)
  }

  @Test("a request is sent six times over UDP, once over a stream, then given up")
  func silence() {
    for isStream in [false, true] {
      var turn = client(isStream: isStream)
      turn.start(now: .zero)
      var sent = 0
      while turn.deadline != .distantFuture {
        while turn.pollTransmit() != nil { sent += 1 }
        turn.handleTimeout(now: turn.deadline)
      }
      #expect(sent == (isStream ? 1 : 6) && events(&turn) == [.failed(.noAnswer)] && turn.isOver)
    }
  }

  @Test("a success that isn't signed with our password is ignored (RFC 8489 9.2.5)")
  func forgedSuccess() throws {
    var turn = client()
    var model = TurnServerModel(IceWorld.turnAddress)
    turn.start(now: .zero)
    let waiting = turn.pollTransmit()
    let first = try #require(waiting)
    for output in model.receive(first, from: Self.me, now: .zero) {
      if case .toClient(let reply, _) = output { _ = turn.receive(reply.span, now: .zero) }
    }
    let next = turn.pollTransmit()
    let second = try STUNSnapshot(try #require(next))
    for key in [nil, STUNIntegrityKey(password: "secret")] {
      var forged = STUNMessageBuilder(.successResponse, method: .allocate, transactionID: second.transactionID)
      forged.addXorRelayedAddress(Self.peer)
      forged.addLifetime(seconds: 600)
      #expect(turn.receive(forged.finish(integrity: key).span, now: .zero) == .ignored)
    }
    #expect(turn.relayedAddress == nil)
  }

  @Test("a server that only says stale nonce, or asks for credentials, is given up")
  func endlessChallenges() throws {
    for code in [438, 401] {
      var turn = client()
      turn.start(now: .zero)
      var sent = 0
      while let bytes = turn.pollTransmit(), sent < 100 {
        sent += 1
        let id = try STUNSnapshot(bytes).transactionID
        var reply = STUNMessageBuilder(.errorResponse, method: .allocate, transactionID: id)
        reply.addErrorCode(sent == 1 ? 401 : code, reason: "")
        reply.add(.realm, "r".utf8)
        reply.add(.nonce, "n\(sent)".utf8)
        _ = turn.receive(reply.finish(integrity: nil).span, now: .zero)
      }
      #expect(sent <= 6 && turn.isOver, "\(code)")
    }
  }

  @Test("a lost allocation ends the client with a typed error, RFC 8656 section 8.3")
  func mismatch() {
    var (turn, model) = allocated()
    model.allocations = [:]
    let now = turn.deadline
    turn.handleTimeout(now: now)
    _ = pump(&turn, &model, at: now)
    #expect(events(&turn) == [.failed(.allocationLost)] && turn.isOver && turn.deadline == .distantFuture)
  }

  @Test("at most 64 peers are relayed for, whatever is asked")
  func peerLimit() {
    var (turn, model) = allocated()
    for port in 1...500 as ClosedRange<UInt16> {
      turn.send([1].span, to: TransportAddress(ip: Self.peer.ip, port: port), now: .zero)
    }
    #expect(pump(&turn, &model, at: .zero).count == TurnClient.maximumPeers)
  }

  @Test("30,000 damaged packets of a server neither crash the client nor make it grow")
  func damaged() {
    var random = SeededRandom(seed: TestSeed.of(21))
    var (turn, model) = allocated()
    turn.permit(Self.peer, now: .zero)
    _ = pump(&turn, &model, at: .zero)
    turn.bindChannel(Self.peer, now: .zero)
    var corpus: [[UInt8]] = [[0x40, 0, 0, 4, 1, 2, 3, 4]]
    while let bytes = turn.pollTransmit() {
      for output in model.receive(bytes, from: Self.me, now: .zero) {
        if case .toClient(let reply, _) = output { corpus.append(reply) }
      }
    }
    if let relayed = turn.relayedAddress {
      for output in model.receive([1, 2, 3], from: Self.peer, relayed: relayed, now: .zero) {
        if case .toClient(let packet, _) = output { corpus.append(packet) }
      }
    }
    var sent = 0
    for round in 0..<30_000 {
      let packet = random.mutate(random.pick(corpus))
      if case .data(let range, _) = turn.receive(packet.span, now: .milliseconds(Int64(round / 100))) {
        #expect(range.upperBound <= packet.count)
      }
      while turn.pollTransmit() != nil { sent += 1 }
      while turn.pollEvent() != nil {}
    }
    #expect(sent < 100)
  }

  @Test("a Send indication written in place is what the builder writes, for both families")
  func indication() throws {
    for peer in [Self.peer, TransportAddress(ip: try #require(IPAddress("2001:db8::7")), port: 99)] {
      for size in [0, 1, 3, 4, 1_200] {
        let payload = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let route = IceRoute(
          transport: .udp, handle: 1, local: peer, remote: peer, encapsulation: .sendIndication(to: peer))
        var out = [UInt8](repeating: 0xEE, count: size + 60)
        var span = out.mutableSpan
        let length = try #require(route.encapsulate(payload.span, into: &span))
        let packet = Array(out.prefix(length))
        let bytes = packet.span
        let message = try STUNMessage(parsing: bytes)
        #expect(message.method == .send && message.messageClass == .indication && message.xorPeerAddress == peer)
        #expect(message.dataRange.map { Array(packet[$0]) } == payload && length % 4 == 0)
        #expect(length <= size + route.headroom + route.tailroom)
      }
    }
  }

  @Test("ChannelData is padded on streams only, and stays within the buffer")
  func channelData() {
    for transport in [IceTransport.udp, .tcp] {
      let route = IceRoute(
        transport: transport, handle: 1, local: Self.peer, remote: Self.peer, encapsulation: .channel(0x4001))
      var out = [UInt8](repeating: 0xEE, count: 16)
      var span = out.mutableSpan
      #expect(route.encapsulate([1, 2, 3, 4, 5].span, into: &span) == (transport == .tcp ? 12 : 9))
      #expect(out.prefix(9) == [0x40, 1, 0, 5, 1, 2, 3, 4, 5] && out[12] == 0xEE)
      var small = [UInt8](repeating: 0, count: 8)
      var smallSpan = small.mutableSpan
      #expect(route.encapsulate([1, 2, 3, 4, 5].span, into: &smallSpan) == nil)
    }
  }
}
