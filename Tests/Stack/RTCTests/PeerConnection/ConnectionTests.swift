import Basics
import RTC
import TestSeeds
import Testing

@Suite("Peer connections", .tellsSeeds)
struct ConnectionTests {
  // With loss, reordering and duplicates.
  @Test(
    "client and server complete ICE and DTLS and exchange SRTP on a bad network",
    arguments: [0.0, 0.1, 0.3], [1, 2, 3] as [UInt64])
  func connect(loss: Double, seed: UInt64) throws {
    let pair = PeerPair(
      seed: seed,
      network: .init(loss: loss, duplication: loss / 2, minimumDelay: .milliseconds(5), jitter: .milliseconds(20)))
    try pair.connected()
    #expect(pair.server.isConnected && pair.client.isConnected, "seed \(seed), loss \(loss)")
    #expect(pair.serverEvents.contains(.connected) && pair.clientEvents.contains(.connected))
    #expect(pair.server.selectedPath == PeerPair.udpPath)
    #expect(pair.largestDatagram <= 1_200)
    pair.network.loss = 0
    for sequence in 1...20 {
      try pair.sendMedia(fromServer: false, sequence: UInt16(sequence))
      try pair.sendMedia(fromServer: true, sequence: UInt16(sequence))
    }
    pair.run(for: .milliseconds(200))
    #expect(pair.serverMedia.count == 20 && pair.clientMedia.count == 20)
    #expect(pair.serverMedia.allSatisfy { $0.suffix(3) == [1, 2, 3] })
  }

  @Test("without loss a client is connected within six one-way delays of the answer")
  func speed() throws {
    let pair = PeerPair()
    let start = pair.now
    try pair.connected()
    #expect(pair.now - start <= .milliseconds(30))
  }

  @Test("a lost ClientHello costs 50 ms, not a second")
  func lostHello() throws {
    let pair = PeerPair()
    var hellos = 0
    pair.passes = { bytes, toServer in
      guard toServer, bytes[0] == 22 else { return true }
      hellos += 1
      return hellos > 1
    }
    let start = pair.now
    try pair.connected()
    #expect(pair.server.isConnected && hellos > 1)
    #expect(pair.now - start <= .milliseconds(100))
  }

  @Test("RTP comes out decrypted in place with its header, RTCP with its length")
  func media() throws {
    let pair = try PeerPair().connected()
    let rtp = try pair.packet(from: pair.client, sequence: 9, payload: [5, 6, 7, 8])
    guard case .rtp(let header, let length) = pair.deliver(rtp, over: PeerPair.udpPath, toServer: true) else {
      Issue.record("not RTP")
      return
    }
    #expect(header.sequenceNumber.rawValue == 9 && header.ssrc.rawValue == 0xABCD && length == 16)
    #expect(
      header.payloadRange == 12..<16 && pair.serverMedia == [Array(pair.serverMedia[0].prefix(12)) + [5, 6, 7, 8]])

    var report: [UInt8] = [0x80, 201, 0, 1, 0, 0, 0, 5] + [UInt8](repeating: 0, count: 40)
    let sender = try #require(pair.client.srtpSender)
    let protected: Int
    do {
      var span = report.mutableSpan
      protected = try sender.protectRTCP(&span, length: 8)
    }
    #expect(
      pair.deliver(Array(report.prefix(protected)), over: PeerPair.udpPath, toServer: true) == .rtcp(length: 8))
  }

  @Test("a connection over ICE-TCP works, RFC 6544")
  func tcp() throws {
    let pair = PeerPair()
    pair.passes = { _, _ in true }
    let offer = try pair.client.createOffer()
    let answer = try pair.server.setRemoteOffer(offer, now: pair.now)
    // No UDP candidate reaches the client, as behind a strict firewall.
    let tcpOnly = answer.split(separator: "\r\n").filter { !$0.contains(" udp ") }.joined(separator: "\r\n") + "\r\n"
    try pair.client.setAnswer(tcpOnly, now: pair.now)
    let candidate = try #require(pair.client.remoteCandidates.first)
    #expect(candidate.transport == .tcp && candidate.tcpType == .passive)
    #expect(pair.client.check(candidate, local: PeerPair.clientAddress, handle: 8, now: pair.now) != nil)
    pair.run(for: .seconds(5)) { pair.server.isConnected && pair.client.isConnected }
    #expect(pair.server.isConnected && pair.server.selectedPath?.transport == .tcp)
    try pair.sendMedia(fromServer: true, sequence: 1)
    pair.run(for: .milliseconds(50))
    #expect(pair.clientMedia.count == 1)
    // The owner says that the TCP connection broke: nothing can be sent any more.
    let path = try #require(pair.server.selectedPath)
    pair.server.pathClosed(path)
    #expect(pair.server.selectedPath == nil)
  }

  @Test("close tells the peer, and nothing is sent or taken afterwards")
  func close() throws {
    let pair = try PeerPair().connected()
    let rtp = try pair.packet(from: pair.client, sequence: 1)
    pair.server.close()
    pair.server.close()
    #expect(!pair.server.isConnected && pair.server.srtpSender == nil && pair.server.selectedPath == nil)
    pair.run(for: .seconds(1))
    #expect(pair.clientEvents.last == .closed && pair.client.isClosed)
    #expect(pair.deliver(rtp, over: PeerPair.udpPath, toServer: true) == .dropped(.closed))
    #expect(pair.server.deadline == .distantFuture)
    #expect(throws: PeerConnectionError.closed) { try pair.server.setRemoteOffer("", now: pair.now) }
    #expect(throws: PeerConnectionError.closed) { try pair.client.createOffer() }
  }

  @Test("each role refuses what the other one does")
  func roles() {
    let pair = PeerPair()
    #expect(throws: PeerConnectionError.wrongRole(expected: .client)) { try pair.server.createOffer() }
    #expect(throws: PeerConnectionError.wrongRole(expected: .server)) {
      try pair.client.setRemoteOffer("", now: pair.now)
    }
  }

  @Test("a later offer adds and stops sections in a call; a refused one does nothing")
  func renegotiation() throws {
    let pair = try PeerPair().connected()
    let before = pair.server.media
    #expect(before.map(\.role) == [.receive, .receive, .send])
    let added = pair.client.addSlot(.audio)
    try pair.client.stop(MID(rawValue: "0"))
    try pair.negotiate()
    #expect(pair.server.media.map(\.mid.rawValue) == ["1", "2", "3"] && pair.client.media.last?.mid == added)
    #expect(pair.server.media[1].localSource == before[2].localSource)
    let ufrag = pair.server.localUfrag
    let agreed = pair.server.media
    #expect(throws: PeerConnectionError.self) { try pair.server.setRemoteOffer("v=0", now: pair.now) }
    let bad = try pair.client.createOffer(restartsIce: true).replacing("a=rtcp-mux\r\n", with: "")
    #expect(throws: PeerConnectionError.self) { try pair.server.setRemoteOffer(bad, now: pair.now) }
    #expect(pair.server.media == agreed && pair.server.localUfrag == ufrag)
    try pair.sendMedia(fromServer: false, sequence: 1)
    try pair.sendMedia(fromServer: true, sequence: 1)
    pair.run(for: .milliseconds(100))
    #expect(pair.serverMedia.count == 1 && pair.clientMedia.count == 1)
  }

  @Test(
    "datagrams to the server's candidates are answered without a client of ours")
  func browserOffer() throws {
    let pair = PeerPair()
    let answer = try SessionDescription(parsing: pair.server.setRemoteOffer(Offers.chromiumSlots, now: pair.now))
    #expect(answer.isIceLite && answer.media[0].iceUfrag == pair.server.localUfrag)
    #expect(answer.media[0].candidates.count == 2 && answer.media[0].hasEndOfCandidates)
    #expect(answer.media[0].fingerprints[0].digest == TestCertificates.server.certificate.fingerprint.bytes)
    #expect(pair.server.media.count == 4)
  }
}
