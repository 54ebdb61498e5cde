import Basics
import RTC
import TestSeeds
import Testing

/// The reports of ICE and DTLS, in the words of the W3C's statistics: the candidates of the media's path, the distance
/// to the other side, and both states.
@Suite(.tellsSeeds) struct CandidatePairTests {
  /// Ten milliseconds each way, and no time for computing.
  private let roundTrip = TimeSpan.milliseconds(20)

  @Test("the selected pair has the round trip, and an address by the peer (prflx)")
  func direct() throws {
    let world = IceWorld(servers: [])
    try world.connect()
    let first = try #require(world.client.selectedCandidatePair)
    #expect(first.local.kind == .peerReflexive && first.local.transport == .udp)
    #expect(first.local.transportAddress?.ip == IceWorld.outsideIP)
    #expect(first.local.relatedAddress == IceWorld.inside)
    #expect(first.remote.kind == .host && first.remote.transportAddress == IceWorld.media)
    #expect(first.relayProtocol == nil && first.relayURL == nil)
    #expect(first.currentRoundTripTime == roundTrip)

    world.delay = .milliseconds(35)
    world.run(for: .seconds(60))
    let later = try #require(world.client.selectedCandidatePair)
    #expect(later.currentRoundTripTime == .milliseconds(70))
    // One consent check every four to six seconds.
    let count = later.responsesReceived - first.responsesReceived
    #expect((10...15).contains(count))
    #expect(later.totalRoundTripTime - first.totalRoundTripTime == .milliseconds(70) * Int64(count))
  }

  // The address that a server reported.
  @Test("behind a NAT the local candidate is server-reflexive (srflx)")
  func reflexive() throws {
    let world = IceWorld()
    try world.connect()
    world.run(for: .seconds(6))
    let pair = try #require(world.client.selectedCandidatePair)
    #expect(pair.local.kind == .serverReflexive && pair.local.transportAddress?.ip == IceWorld.outsideIP)
  }

  @Test(
    "a relay has the protocol to its server (relayProtocol), and relays UDP",
    arguments: [
      ("turn:198.51.100.9", IceServerURL.Transport.udp), ("turn:198.51.100.9?transport=tcp", .tcp),
      ("turns:turn.example.org:3478", .tls),
    ])
  func relayed(url: String, kind: IceServerURL.Transport) throws {
    let world = IceWorld(servers: [IceWorld.server(url)], policy: .relay)
    try world.connect()
    let pair = try #require(world.client.selectedCandidatePair)
    #expect(pair.local.kind == .relayed && pair.local.transport == .udp)
    #expect(pair.local.transportAddress?.ip == IceWorld.turnAddress.ip)
    #expect(pair.relayProtocol == kind)
    #expect(pair.relayURL?.hasPrefix(kind == .tls ? "turns:turn.example.org:3478" : "turn:198.51.100.9:3478") == true)
    #expect(pair.remote.kind == .host)
    // There and back, twice the way each.
    #expect(pair.currentRoundTripTime == roundTrip + roundTrip)
  }

  @Test("the server's own TCP port is a pair of two TCP candidates")
  func tcp() throws {
    let world = IceWorld(servers: [])
    world.passes = { _, kind in kind == .tcp }
    try world.connect()
    let pair = try #require(world.client.selectedCandidatePair)
    #expect(pair.local.transport == .tcp && pair.local.tcpType == .active)
    #expect(pair.remote.transport == .tcp && pair.remote.kind == .host && pair.relayProtocol == nil)
  }

  @Test("an answer to a check that was sent twice is not timed")
  func ambiguous() throws {
    let world = IceWorld(servers: [])
    // The first check is sent again after 50 ms, long before its answer.
    world.delay = .milliseconds(100)
    try world.negotiate()
    world.run(for: .seconds(5)) { world.client.selectedPath != nil }
    let pair = try #require(world.client.selectedCandidatePair)
    #expect(pair.currentRoundTripTime == nil && pair.responsesReceived == 0)
    world.run(for: .seconds(7))
    #expect(world.client.selectedCandidatePair?.currentRoundTripTime == .milliseconds(200))
  }

  // RTCIceTransportState.
  @Test("ICE states go from new to completed, report silence, and end closed")
  func states() throws {
    let world = IceWorld(servers: [])
    #expect(world.client.iceState == .new && world.client.dtlsState == .new)
    #expect(world.client.selectedCandidatePair == nil)
    try world.negotiate()
    #expect(world.client.iceState == .checking && world.client.dtlsState == .new)
    world.run(for: .seconds(5)) { world.client.dtlsState == .connecting }
    #expect(world.client.dtlsState == .connecting)
    world.run(for: .seconds(5)) { world.isConnected }
    world.run(for: .seconds(1))
    #expect(world.client.iceState == .completed && world.client.dtlsState == .connected)
    #expect(world.server.iceState == .connected && world.server.dtlsState == .connected)

    world.passes = { _, _ in false }
    world.run(for: .seconds(22))
    #expect(world.client.iceState == .disconnected)
    world.run(for: .seconds(15))
    #expect(world.client.iceState == .failed && world.client.selectedCandidatePair == nil)
    world.client.close()
    #expect(world.client.iceState == .closed && world.client.dtlsState == .closed)
  }

  @Test("after an ICE restart over the same path the counts of the pair go on")
  func restart() throws {
    let world = IceWorld(servers: [])
    try world.connect()
    world.run(for: .seconds(30))
    let before = try #require(world.client.selectedCandidatePair)
    try world.negotiate(restartsIce: true)
    world.run(for: .seconds(10))
    let after = try #require(world.client.selectedCandidatePair)
    #expect(after.responsesReceived > before.responsesReceived)
    #expect(after.totalRoundTripTime > before.totalRoundTripTime)
  }
}
