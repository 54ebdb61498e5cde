import Basics
import RTC
import TestSeeds
import Testing

@Suite("Which paths a peer connection trusts", .tellsSeeds)
struct PathTests {
  /// The first datagram of a DTLS client that the server does not know.
  private func strangersHello() throws -> [UInt8] {
    let stranger = try DTLSTransport(
      context: TestCertificates.stranger, role: .client,
      remoteFingerprints: [TestCertificates.server.certificate.fingerprint])
    stranger.start(now: .zero)
    return try #require(stranger.pollTransmit())
  }

  /// Lets a DTLS client of the test's own shake hands with the server over the path of UDP.
  private func shakeHands(_ dtls: DTLSTransport, _ pair: PeerPair) {
    dtls.start(now: pair.now)
    for _ in 0..<10 {
      while let bytes = dtls.pollTransmit() { pair.deliver(bytes, over: PeerPair.udpPath, toServer: true) }
      pair.drain()
      for datagram in pair.sentByServer where datagram.bytes[0] >= 20 {
        dtls.receive(datagram.bytes.span, now: pair.now)
      }
      pair.sentByServer = []
    }
  }

  // Before and after ICE.
  @Test("threat 1: DTLS from an address without an authenticated check is dropped")
  func dtlsRace() throws {
    let pair = PeerPair()
    let hello = try strangersHello()
    try pair.negotiate()
    for path in [PeerPair.strangerPath, PeerPair.udpPath] {
      #expect(pair.deliver(hello, over: path, toServer: true) == .dropped(.dtlsFromUnprovenPath))
    }
    #expect(pair.server.pollTransmit() == nil)
    pair.run(for: .seconds(5)) { pair.server.isConnected && pair.client.isConnected }
    #expect(pair.server.isConnected && !pair.serverEvents.contains { if case .dtlsFailed = $0 { true } else { false } })
    #expect(pair.deliver(hello, over: PeerPair.strangerPath, toServer: true) == .dropped(.dtlsFromUnprovenPath))
    #expect(pair.server.drops[.dtlsFromUnprovenPath] == 3)
  }

  @Test("threat 2: a handshake with a wrong certificate fails, the right one works")
  func wrongCertificateThenRight() throws {
    let pair = PeerPair()
    // On the proven path a stranger shakes hands first; the client's own datagrams are held back.
    pair.passes = { bytes, _ in bytes[0] < 20 }
    try pair.negotiate()
    pair.run(for: .milliseconds(500)) { pair.server.selectedPath != nil }
    let stranger = try DTLSTransport(
      context: TestCertificates.stranger, role: .client,
      remoteFingerprints: [TestCertificates.server.certificate.fingerprint])
    shakeHands(stranger, pair)
    #expect(pair.serverEvents.contains(.dtlsFailed(.fingerprintMismatch)))
    #expect(!pair.server.isConnected && pair.server.srtpSender == nil && stranger.state != .connected)
    pair.passes = { _, _ in true }
    pair.run(for: .seconds(10)) { pair.server.isConnected && pair.client.isConnected }
    #expect(pair.server.isConnected && pair.client.isConnected)
  }

  @Test("threat 2: a peer whose certificate never fits never connects; attempts end")
  func wrongCertificateForever() throws {
    let pair = PeerPair()
    let right = TestCertificates.client.certificate.fingerprint
    let wrong = TestCertificates.stranger.certificate.fingerprint
    try pair.negotiate { $0.replacing(right.sdp, with: wrong.sdp) }
    pair.run(for: .seconds(60))
    #expect(!pair.serverEvents.contains(.connected) && pair.server.srtpSender == nil)
    let failures = pair.serverEvents.filter { $0 == .dtlsFailed(.fingerprintMismatch) }.count
    #expect((1...PeerConnection.maximumHandshakes).contains(failures))
  }

  @Test("threat 8: only the proven 5-tuple is sent to, whatever arrives from elsewhere")
  func bleed() throws {
    let pair = try PeerPair().connected()
    pair.sentByServer = []
    let rtp = try pair.packet(from: pair.client, sequence: 1)
    let hello = try strangersHello()
    let probe: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
    for bytes in [rtp, hello, probe, [0x80, 200, 0, 1, 0, 0, 0, 1], [255, 1], [0]] {
      guard case .dropped = pair.deliver(bytes, over: PeerPair.strangerPath, toServer: true) else {
        Issue.record("\(bytes.prefix(4)) was not dropped")
        continue
      }
    }
    pair.run(for: .seconds(60))
    #expect(pair.sentByServer.allSatisfy { $0.path == PeerPair.udpPath })
    #expect(pair.server.selectedPath == PeerPair.udpPath)
  }

  @Test("before a nomination media may use the proven path of the DTLS handshake")
  func mediaBeforeNomination() throws {
    let pair = PeerPair()
    // The client's own checks, which nominate at once, are held back; one that does not nominate comes by hand, as a
    // browser's first one.
    pair.passes = { _, toServer in !toServer }
    let offer = try pair.client.createOffer()
    let answer = try pair.server.setRemoteOffer(offer, now: pair.now)
    func credentials(_ text: String) throws -> IceCredentials {
      let media = try SessionDescription(parsing: text).media[0]
      let ufrag = try #require(media.iceUfrag)
      let password = try #require(media.icePassword).value
      return try #require(IceCredentials(ufrag: ufrag, password: password))
    }
    let check = IceTest.check(from: try credentials(offer), to: try credentials(answer))
    #expect(pair.deliver(check, over: PeerPair.udpPath, toServer: true) == .handled)
    pair.drain()
    #expect(pair.serverEvents.contains(.icePathValidated(PeerPair.udpPath)))
    #expect(pair.server.selectedPath == nil, "nothing says yet who the peer is")
    let dtls = try DTLSTransport(
      context: TestCertificates.client, role: .client,
      remoteFingerprints: [TestCertificates.server.certificate.fingerprint])
    shakeHands(dtls, pair)
    #expect(pair.server.isConnected)
    #expect(pair.server.selectedPath == PeerPair.udpPath)
    #expect(pair.serverEvents.filter { $0 == .iceSelectedPathChanged(PeerPair.udpPath) }.count == 1)
    // The nomination changes nothing; consent ends as always.
    let nomination = IceTest.check(from: try credentials(offer), to: try credentials(answer), nominate: true, id: 2)
    #expect(pair.deliver(nomination, over: PeerPair.udpPath, toServer: true) == .handled)
    pair.drain()
    #expect(pair.serverEvents.filter { if case .iceSelectedPathChanged = $0 { true } else { false } }.count == 1)
    pair.run(for: .seconds(40))
    #expect(pair.server.selectedPath == nil)
  }

  @Test("threat 8: checks with wrong credentials get no reply and prove nothing")
  func forgedChecks() throws {
    let pair = PeerPair()
    // The client believes in another password than the server's.
    let offer = try pair.client.createOffer()
    let answer = try pair.server.setRemoteOffer(offer, now: pair.now)
    let password = try #require(try SessionDescription(parsing: answer).media[0].icePassword).value
    try pair.client.setAnswer(answer.replacing(password, with: String(password.reversed())), now: pair.now)
    pair.run(for: .seconds(5))
    #expect(pair.sentByServer.isEmpty && pair.server.selectedPath == nil)
    #expect(pair.server.drops[.unauthenticatedSTUN] > 0)
    #expect(!pair.serverEvents.contains { if case .icePathValidated = $0 { true } else { false } })
  }

  @Test("threat 9: forged and replayed media is dropped, and media never moves the path")
  func inject() throws {
    let pair = try PeerPair().connected()
    let genuine = try pair.packet(from: pair.client, sequence: 1)
    // A genuine packet from elsewhere neither passes nor moves the path.
    #expect(
      pair.deliver(genuine, over: PeerPair.strangerPath, toServer: true) == .dropped(.mediaFromUnprovenPath))
    #expect(pair.server.selectedPath == PeerPair.udpPath)
    // The same packet over the proven path is new; afterwards it is a replay.
    guard case .rtp = pair.deliver(genuine, over: PeerPair.udpPath, toServer: true) else {
      Issue.record("the genuine packet was dropped")
      return
    }
    #expect(pair.deliver(genuine, over: PeerPair.udpPath, toServer: true) == .dropped(.replayedMedia))
    var forged = try pair.packet(from: pair.client, sequence: 2)
    forged[forged.count - 1] ^= 1
    #expect(pair.deliver(forged, over: PeerPair.udpPath, toServer: true) == .dropped(.unauthenticatedMedia))
    #expect(pair.server.drops[.unauthenticatedMedia] == 1 && pair.serverMedia.count == 1)
  }

  @Test("threat 9: only an authenticated nominating check moves the path")
  func rebinding() throws {
    let pair = try PeerPair().connected()
    // The NAT gives the client a new port: media from it is dropped until the client's next check comes from there.
    pair.clientAsSeen = TransportAddress(ip: PeerPair.clientAddress.ip, port: 5_001)
    try pair.sendMedia(fromServer: false, sequence: 1)
    pair.run(for: .milliseconds(20))
    #expect(pair.serverMedia.isEmpty && pair.server.drops[.mediaFromUnprovenPath] == 1)
    #expect(pair.server.selectedPath == PeerPair.udpPath)
    pair.run(for: .seconds(8)) { pair.server.selectedPath != PeerPair.udpPath }
    #expect(pair.server.selectedPath?.remote.port == 5_001)
    #expect(pair.serverEvents.contains(.iceSelectedPathChanged(pair.server.selectedPath)))
    try pair.sendMedia(fromServer: false, sequence: 2)
    try pair.sendMedia(fromServer: true, sequence: 2)
    pair.run(for: .milliseconds(20))
    #expect(pair.serverMedia.count == 1 && pair.clientMedia.count == 1)
  }

  // Until an ICE restart.
  @Test("threat 10: 30 s after the last check nothing is sent (RFC 7675)")
  func consent() throws {
    let pair = try PeerPair().connected()
    pair.run(for: .seconds(60))
    #expect(pair.server.selectedPath != nil, "checks keep consent alive")
    pair.passes = { _, _ in false }
    let silentSince = pair.now
    let checks = pair.sentByServer.count
    pair.run(for: .seconds(40)) { pair.serverEvents.contains(.iceConsentLost) }
    #expect(pair.now - silentSince <= .seconds(30))
    #expect(pair.server.selectedPath == nil && pair.server.pollTransmit() == nil)
    #expect(pair.serverEvents.contains(.icePathForgotten(PeerPair.udpPath)))
    pair.run(for: .seconds(60))
    #expect(pair.sentByServer.count == checks)
    // Media is not taken either.
    let late = try pair.packet(from: pair.client, sequence: 3)
    #expect(pair.deliver(late, over: PeerPair.udpPath, toServer: true) == .dropped(.mediaFromUnprovenPath))

    pair.passes = { _, _ in true }
    try pair.negotiate(restartsIce: true)
    pair.run(for: .seconds(5)) { pair.server.selectedPath != nil && pair.client.selectedPath != nil }
    #expect(pair.serverEvents.contains(.iceConsentRestored) && pair.clientEvents.contains(.iceConsentRestored))
    try pair.sendMedia(fromServer: true, sequence: 4)
    try pair.sendMedia(fromServer: false, sequence: 4)
    pair.run(for: .milliseconds(50))
    #expect(pair.clientMedia.count == 1 && pair.serverMedia.count == 1)
    #expect(pair.serverEvents.filter { $0 == .connected }.count == 1, "the DTLS association lives on")
  }

  @Test("a server that changes its ICE credentials without being asked is followed")
  func serverRestarts() throws {
    let pair = try PeerPair(seed: 6).connected()
    let oldUfrag = pair.server.localUfrag
    // Only the server sees another password of the client, so it alone restarts.
    try pair.negotiate { offer in
      offer.split(whereSeparator: \.isNewline)
        .map { $0.hasPrefix("a=ice-pwd:") ? "a=ice-pwd:" + String(repeating: "p", count: 24) : String($0) }
        .map { $0 + "\r\n" }.joined()
    }
    #expect(pair.server.localUfrag != oldUfrag)
    pair.run(for: .seconds(3))
    #expect(pair.serverEvents.contains(.iceUfragRetired(oldUfrag)))
    for sequence in UInt16(1)...10 {
      try pair.sendMedia(fromServer: false, sequence: sequence)
      try pair.sendMedia(fromServer: true, sequence: sequence)
      pair.run(for: .milliseconds(50))
    }
    #expect(pair.serverMedia.count == 10 && pair.clientMedia.count == 10)
    pair.run(for: .seconds(60))
    #expect(!pair.serverEvents.contains(.iceConsentLost) && !pair.clientEvents.contains(.iceConsentLost))
  }

  @Test("an ICE restart keeps media flowing both ways, RFC 8445 section 9", arguments: [0.0, 0.2])
  func restart(loss: Double) throws {
    let pair = try PeerPair(seed: 5).connected()
    let oldUfrag = pair.server.localUfrag
    let end = pair.now + .seconds(3)
    var sequence: UInt16 = 0
    var restarted = false
    // Only the control packets are lost, so that every missing media packet is the restart's fault.
    pair.passes = { bytes, _ in bytes[0] >= 128 || !pair.random.chance(loss) }
    while pair.now < end {
      sequence += 1
      try pair.sendMedia(fromServer: false, sequence: sequence)
      try pair.sendMedia(fromServer: true, sequence: sequence)
      if sequence == 50, !restarted {
        restarted = true
        try pair.negotiate(restartsIce: true)
      }
      pair.run(for: .milliseconds(10))
    }
    pair.run(for: .milliseconds(50))
    #expect(pair.serverMedia.count == Int(sequence) && pair.clientMedia.count == Int(sequence))
    #expect(pair.server.localUfrag != oldUfrag)
    #expect(pair.serverEvents.contains(.iceUfragRetired(oldUfrag)))
    #expect(!pair.serverEvents.contains(.iceConsentLost))
  }
}
