import Basics
import RTC
import TestSeeds
import Testing

@Suite("A client's ways to a server, direct and relayed", .tellsSeeds)
struct RelayTests {
  private func expectMedia(_ world: IceWorld, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let (before, after) = (world.serverMedia.count, world.clientMedia.count)
    for _ in 0..<10 { try world.sendMedia() }
    world.run(for: .milliseconds(500))
    #expect(world.serverMedia.count == before + 10, "\(comment)", sourceLocation: sourceLocation)
    #expect(world.clientMedia.count == after + 10, "\(comment)", sourceLocation: sourceLocation)
    #expect(world.serverMedia.last?.suffix(5) == [1, 2, 3, 4, 5], sourceLocation: sourceLocation)
  }

  // The allocation is released.
  @Test("a direct path is selected within two round trips despite a TURN server")
  func direct() throws {
    let world = IceWorld()
    let start = world.now
    try world.negotiate()
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    #expect(world.now - start <= .milliseconds(20))
    world.run(for: .seconds(5)) { world.isConnected }
    #expect(
      world.client.selectedPath?.isRelayed == false
        && world.client.selectedRoute?.encapsulation == IceRoute.Encapsulation.none)
    try expectMedia(world)
    world.run(for: .seconds(15))
    #expect(world.turn.allocations.isEmpty && world.turn.received[.refresh] == 1)
    #expect(world.client.selectedPath?.isRelayed == false)
  }

  // Media flows in ChannelData.
  @Test("an unreachable server is reached through TURN over UDP (RFC 8656)")
  func relayed() throws {
    let world = IceWorld()
    world.passes = { to, _ in to != IceWorld.media }
    let start = world.now
    try world.connect()
    #expect(world.isConnected && world.client.selectedPath?.isRelayed == true)
    #expect(world.now - start <= .milliseconds(600))
    try expectMedia(world)
    world.run(for: .seconds(2))
    try expectMedia(world)
    #expect(world.turn.channelData > 0)
    guard case .channel = world.client.selectedRoute?.encapsulation else {
      Issue.record("no channel is bound")
      return
    }
    #expect(world.seenByServer.allSatisfy { $0.ip == IceWorld.turnAddress.ip })
  }

  @Test(
    "where UDP is blocked altogether, TURN over TCP or TLS carries the media",
    arguments: [("turn:198.51.100.9?transport=tcp", IceWorld.Kind.tcp), ("turns:turn.example.org:3478", .tls)])
  func streams(url: String, kind: IceWorld.Kind) throws {
    let world = IceWorld(servers: [IceWorld.server("turn:198.51.100.9", url)])
    world.passes = { _, used in used == kind }
    world.opens = { to, _ in to != IceWorld.media }
    try world.connect()
    #expect(world.isConnected && world.client.selectedPath?.isRelayed == true)
    #expect(world.client.selectedRoute?.transport == .tcp)
    try expectMedia(world)
    world.run(for: .seconds(2))
    try expectMedia(world)
    #expect(world.turn.channelData > 0)
    if kind == .tls {
      let wanted = world.asked.compactMap { if case .openStream(let request) = $0 { request } else { nil } }
      #expect(wanted.contains { $0.security == .tls && $0.host == .name("turn.example.org") && $0.framing == .turn })
    }
  }

  @Test("the server's own TCP port is preferred to a relay, RFC 6544")
  func tcpBeforeRelay() throws {
    let world = IceWorld()
    world.passes = { to, kind in kind != .udp || to != IceWorld.media }
    try world.connect()
    #expect(world.isConnected && world.client.selectedPath?.transport == .tcp)
    #expect(world.client.selectedPath?.remote == IceWorld.media)
    try expectMedia(world)
  }

  // No other candidate is announced.
  @Test("with relays only, the server sees nothing but the relay")
  func relayPolicy() throws {
    let world = IceWorld(policy: .relay)
    world.client.startGathering(now: world.now)
    world.run(for: .milliseconds(200))
    #expect(world.client.localCandidates.map(\.kind) == [.relayed])
    #expect(world.client.localCandidates.allSatisfy { $0.relatedAddress?.ip.isUnspecified == true })
    let offer = try world.client.createOffer()
    #expect(offer.contains("typ relay") && !offer.contains("typ host") && !offer.contains("10.0.0.2"))
    try world.connect()
    #expect(world.isConnected)
    try expectMedia(world)
    world.run(for: .seconds(60))
    #expect(!world.seenByServer.isEmpty && world.seenByServer.allSatisfy { $0.ip == IceWorld.turnAddress.ip })
  }

  // It takes over no sooner.
  @Test("a relay that answers sooner waits 200 ms for a direct path")
  func holdback() throws {
    let world = IceWorld()
    world.passes = { to, _ in to != IceWorld.media }
    let start = world.now
    try world.negotiate()
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    #expect(world.client.selectedPath?.isRelayed == true)
    #expect(world.now - start >= .milliseconds(195) && world.now - start <= .milliseconds(260))

    let quick = IceWorld()
    let begin = quick.now
    quick.passes = { to, _ in to != IceWorld.media || quick.now - begin >= .milliseconds(140) }
    try quick.negotiate()
    quick.run(for: .seconds(5)) { quick.client.selectedPath != nil }
    #expect(quick.client.selectedPath?.isRelayed == false)
  }

  @Test("a direct path that answers after the relay takes over; the server follows")
  func upgrade() throws {
    let world = IceWorld()
    let start = world.now
    world.passes = { to, _ in to != IceWorld.media || world.now - start > .milliseconds(900) }
    try world.connect()
    #expect(world.client.selectedPath?.isRelayed == true)
    world.run(for: .seconds(5))
    #expect(world.client.selectedPath?.isRelayed == false && world.server.selectedPath?.remote.ip == IceWorld.outsideIP)
    try expectMedia(world)
    world.run(for: .seconds(30))
    #expect(world.turn.allocations.isEmpty && world.isConnected)
    #expect(world.server.selectedPath?.remote.ip == IceWorld.outsideIP)
  }

  // Short lifetimes, stale nonces and consent.
  @Test("a relayed call of half an hour survives renewals (RFC 8656 8)")
  func longCall() throws {
    let world = IceWorld(policy: .relay)
    world.turn.lifetime = 20
    try world.connect()
    for _ in 0..<30 {
      world.turn.staleNonceAt = world.now + .seconds(7)
      world.run(for: .seconds(60))
      try expectMedia(world)
    }
    #expect(world.isConnected && world.turn.allocations.count == 1)
    #expect((world.turn.received[.refresh] ?? 0) > 100 && (world.turn.received[.channelBind] ?? 0) > 5)
    #expect(!world.has(.iceConsentLost))
  }

  @Test("closing gives the relayed address back, RFC 8656 section 8")
  func close() throws {
    let world = IceWorld(policy: .relay)
    try world.connect()
    #expect(world.turn.allocations.count == 1)
    world.client.close()
    world.drain()
    world.run(for: .milliseconds(100))
    #expect(world.turn.allocations.isEmpty && world.server.isClosed)
  }

  @Test("a TURN server's fault is an event in words, and direct paths still work")
  func failures() throws {
    var world = IceWorld(servers: [IceWorld.server("turn:198.51.100.9", password: "wrong")])
    try world.connect()
    #expect(world.isConnected)
    #expect(world.has(.iceServerFailed(url: "turn:198.51.100.9:3478?transport=udp", .badCredentials)))
    #expect(TurnError.badCredentials.description.contains("user name and password"))

    for (code, expected) in [(486, TurnError.quotaReached), (508, .noCapacity), (442, .unsupported), (403, .forbidden)]
    {
      world = IceWorld()
      world.turn.allocateError = code
      try world.connect()
      #expect(world.isConnected && world.has(.iceServerFailed(url: "turn:198.51.100.9:3478?transport=udp", expected)))
    }
    world = IceWorld()
    world.turn.allocateError = 431
    try world.connect()
    #expect(
      world.has(.iceServerFailed(url: "turn:198.51.100.9:3478?transport=udp", .refused(code: 431, reason: "because"))))

    world = IceWorld(policy: .relay)
    world.passes = { to, _ in to != IceWorld.turnAddress }
    try world.connect()
    #expect(!world.isConnected && world.has(.iceServerFailed(url: "turn:198.51.100.9:3478?transport=udp", .noAnswer)))

    world = IceWorld(servers: [IceWorld.server("turn:nowhere.example", "turns:nowhere.example")])
    try world.connect()
    #expect(world.isConnected)
    #expect(world.has(.iceServerFailed(url: "turn:nowhere.example:3478?transport=udp", .unknownHost)))
    #expect(world.has(.iceServerFailed(url: "turns:nowhere.example:5349?transport=tcp", .connectionFailed)))
  }

  @Test("with relays only and none to be had, the connection fails instead of hanging")
  func nothingWorks() throws {
    let world = IceWorld(servers: [IceWorld.server("turn:198.51.100.9", password: "wrong")], policy: .relay)
    try world.connect(within: .seconds(40))
    #expect(!world.isConnected && world.has(.iceFailed))
    #expect(world.seenByServer.isEmpty)

    let refused = IceWorld(policy: .relay)
    refused.turn.refusesPeers = true
    try refused.connect(within: .seconds(10))
    #expect(refused.has(.iceFailed) && refused.seenByServer.isEmpty)
  }

  @Test("a server that sends us in circles is left, RFC 8489 section 10")
  func alternates() throws {
    let world = IceWorld()
    world.turn.alternate = IceWorld.turnAddress
    try world.connect()
    #expect(world.isConnected)
    #expect(world.has(.iceServerFailed(url: "turn:198.51.100.9:3478?transport=udp", .tooManyAlternates)))
    #expect((world.turn.received[.allocate] ?? 0) <= IceAgent.maximumStreams + 1)
  }

  @Test("a broken stream to the TURN server moves the call, or ends it by an event")
  func brokenStream() throws {
    let world = IceWorld(servers: [IceWorld.server("turn:198.51.100.9?transport=tcp")])
    world.passes = { _, kind in kind == .tcp }
    world.opens = { to, _ in to != IceWorld.media }
    try world.connect()
    let handle = try #require(world.client.selectedRoute?.handle)
    world.streams[handle] = nil
    world.client.streamClosed(handle, now: world.now)
    #expect(world.client.selectedPath == nil && world.client.selectedRoute == nil)
    // A new allocation over a new stream takes its place.
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    #expect(world.client.selectedPath?.isRelayed == true)
    // The nomination must reach the server before that sends the new way.
    world.run(for: .milliseconds(100))
    try expectMedia(world)
  }

  @Test("an ICE restart keeps the allocation, or renews a released one (RFC 8445 9)")
  func restart() throws {
    let world = IceWorld(policy: .relay)
    try world.connect()
    try world.negotiate(restartsIce: true)
    world.run(for: .seconds(5))
    #expect(world.isConnected && world.turn.received[.allocate] == 2)
    try expectMedia(world)

    let direct = IceWorld()
    try direct.connect()
    direct.run(for: .seconds(15))
    #expect(direct.turn.allocations.isEmpty)
    direct.passes = { to, _ in to != IceWorld.media }
    try direct.negotiate(restartsIce: true)
    direct.run(for: .seconds(5)) { direct.client.selectedPath?.isRelayed == true }
    #expect(direct.client.selectedPath?.isRelayed == true)
    direct.run(for: .milliseconds(100))
    try expectMedia(direct)
  }
}
