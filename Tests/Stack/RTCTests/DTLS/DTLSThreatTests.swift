import Basics
import RTC
import TestSeeds
import Testing

@Suite("DTLS under attack", .tellsSeeds)
struct DTLSThreatTests {
  /// A well-formed ClientHello that offers one cipher suite.
  private static func clientHello(cipher: UInt16) -> [UInt8] {
    var body: [UInt8] = [0xFE, 0xFD]
    body += [UInt8](repeating: 7, count: 32)
    body += [0, 0]  // no session, no cookie
    body += [0, 2, UInt8(cipher >> 8), UInt8(cipher & 255), 1, 0]
    // Groups, signature algorithms and use_srtp, so that only the cipher is at fault.
    let extensions: [UInt8] =
      [0, 10, 0, 6, 0, 4, 0, 0x1D, 0, 0x17] + [0, 13, 0, 4, 0, 2, 4, 3] + [0, 14, 0, 5, 0, 2, 0, 7, 0]
    body += [UInt8(extensions.count >> 8), UInt8(extensions.count & 255)] + extensions
    let message = DTLSRecords.fragment(
      type: 1, length: body.count, sequence: 0, offset: 0, count: body.count, body)
    return DTLSRecords.record(type: 22, epoch: 0, sequence: 0, message)
  }

  private static func connected() throws -> DTLSLink {
    let link = try DTLSLink()
    link.handshake()
    #expect(link.bothConnected)
    return link
  }

  /// Application data still passes, both ways, and nobody noticed anything.
  private static func expectAlive(_ link: DTLSLink, sourceLocation: SourceLocation = #_sourceLocation) {
    link.run(limit: .seconds(1))
    #expect(link.clientEvents.count == 1, sourceLocation: sourceLocation)
    #expect(link.serverEvents.count == 1, sourceLocation: sourceLocation)
    #expect(link.client.send(bytes: [1, 2, 3]), sourceLocation: sourceLocation)
    #expect(link.server.send(bytes: [4, 5]), sourceLocation: sourceLocation)
    link.run(limit: .seconds(1))
    #expect(link.serverEvents.last == .received([1, 2, 3]), sourceLocation: sourceLocation)
    #expect(link.clientEvents.last == .received([4, 5]), sourceLocation: sourceLocation)
  }

  // The next one succeeds.
  @Test("threat 2: a ClientHello with only a NULL cipher ends that handshake alone")
  func nullCipher() throws {
    let link = try DTLSLink()
    for cipher: UInt16 in [0x0001, 0x0002, 0x003B, 0xC006, 0x002F] {
      link.server.receive(bytes: Self.clientHello(cipher: cipher), now: link.now)
      #expect(link.server.pollEvent() == .failed(.noSharedCipher))
      #expect(link.server.pollEvent() == nil)
      #expect(link.server.state == .failed)
      // A fatal handshake_failure alert, no larger than what caused it.
      #expect(link.server.pollTransmit()?.suffix(2) == [2, 40])
      #expect(link.server.pollTransmit() == nil)
      try link.server.reset()
    }
    // The same hello with a real suite is answered: the test's hello is sound.
    link.server.receive(bytes: Self.clientHello(cipher: 0xC02B), now: link.now)
    #expect(link.server.state == .handshaking)
    #expect(link.server.pollTransmit() != nil)
    try link.server.reset()
    link.handshake()
    #expect(link.bothConnected)
  }

  // It fails closed.
  @Test("threat 2: a client with an unannounced certificate gets no keys")
  func wrongClientFingerprint() throws {
    let other = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000)
    let link = try DTLSLink(serverExpects: [other.fingerprint])
    link.handshake(limit: .seconds(5))
    #expect(link.serverEvents == [.failed(.fingerprintMismatch)])
    #expect(link.server.state == .failed)
    #expect(link.clientEvents == [.failed(.peerAlert(42))])
  }

  // It fails closed.
  @Test("threat 2: a server with an unannounced certificate gets no keys")
  func wrongServerFingerprint() throws {
    let other = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000)
    let link = try DTLSLink(clientExpects: [other.fingerprint])
    link.handshake(limit: .seconds(5))
    #expect(link.clientEvents == [.failed(.fingerprintMismatch)])
    #expect(link.serverEvents == [.failed(.peerAlert(42))])
  }

  @Test("threat 2: without any announced fingerprint every peer is refused")
  func noFingerprint() throws {
    let link = try DTLSLink(serverExpects: [])
    link.handshake(limit: .seconds(5))
    #expect(link.serverEvents == [.failed(.fingerprintMismatch)])
    #expect(link.clientKeys == nil)
  }

  @Test("one of several announced fingerprints is enough, of any accepted algorithm")
  func severalFingerprints() throws {
    let other = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000).fingerprint
    let der = try DTLSLink.clientCertificate.get().der
    for algorithm in Fingerprint.Algorithm.allCases {
      let right = try #require(Fingerprint(algorithm: algorithm, certificate: der))
      let link = try DTLSLink(serverExpects: [other, right])
      link.handshake()
      #expect(link.bothConnected)
    }
  }

  @Test("threat 3: encrypted records shorter than nonce and tag are dropped", arguments: 0..<24)
  func shortCiphertext(length: Int) throws {
    let link = try Self.connected()
    for type: UInt8 in [21, 22, 23] {
      for sequence: UInt64 in [1, 40, 0xFFFF] {
        let record = DTLSRecords.record(
          type: type, epoch: 1, sequence: sequence, [UInt8](repeating: 9, count: length))
        link.server.receive(bytes: record, now: link.now)
        link.client.receive(bytes: record, now: link.now)
      }
    }
    let drops = link.server.drops
    #expect(length == 0 ? drops.malformed == 9 : drops.shortCiphertext == 9)
    #expect(link.client.drops == drops)
    #expect(link.server.pollTransmit() == nil)
    Self.expectAlive(link)
  }

  @Test("threat 3: records long enough but forged are dropped too, up to a full datagram")
  func forgedCiphertext() throws {
    let link = try Self.connected()
    for length in [24, 25, 26, 36, 100, 1_187] {
      for type: UInt8 in [21, 22, 23] {
        let record = DTLSRecords.record(type: type, epoch: 1, sequence: 50, [UInt8](repeating: 9, count: length))
        link.server.receive(bytes: record, now: link.now)
        link.client.receive(bytes: record, now: link.now)
      }
    }
    Self.expectAlive(link)
  }

  @Test("threat 4: plain data, alerts and handshakes after the handshake are dropped")
  func plaintextAfterHandshake() throws {
    let link = try Self.connected()
    let records = [
      DTLSRecords.record(type: 23, epoch: 0, sequence: 100, [1, 2, 3]),
      DTLSRecords.record(type: 21, epoch: 0, sequence: 101, [2, 40]),
      DTLSRecords.record(type: 21, epoch: 0, sequence: 102, [1, 0]),
      DTLSRecords.record(type: 20, epoch: 0, sequence: 103, [1]),
      Self.clientHello(cipher: 0xC02B),
      DTLSRecords.record(type: 23, epoch: 2, sequence: 0, [UInt8](repeating: 1, count: 40)),
      DTLSRecords.record(type: 24, epoch: 1, sequence: 9, [UInt8](repeating: 1, count: 40)),
      DTLSRecords.record(type: 25, epoch: 1, sequence: 9, [UInt8](repeating: 1, count: 40)),
    ]
    for record in records {
      link.server.receive(bytes: record, now: link.now)
      link.client.receive(bytes: record, now: link.now)
    }
    for drops in [link.server.drops, link.client.drops] {
      #expect(drops.plaintextData == 1)
      #expect(drops.wrongEpoch == 5)
      #expect(drops.malformed == 2)
    }
    Self.expectAlive(link)
  }

  // In whichever part of it they come.
  @Test(
    "threat 4: unauthenticated alerts don't end a handshake that continues",
    arguments: [[1, 0], [2, 40], [2, 42], [2, 0], [1, 90]] as [[UInt8]])
  func forgedAlerts(alert: [UInt8]) throws {
    let link = try DTLSLink()
    var sequence: UInt64 = 500
    link.network.tamper = { _, datagram in
      sequence += 2
      // Before and after each datagram of either side.
      return [
        DTLSRecords.record(type: 21, epoch: 0, sequence: sequence, alert), datagram,
        DTLSRecords.record(type: 21, epoch: 0, sequence: sequence + 1, alert),
      ]
    }
    link.handshake()
    #expect(link.bothConnected)
    for drops in [link.server.drops, link.client.drops] { #expect(drops.plaintextAlerts > 2) }
    link.network.tamper = nil
    Self.expectAlive(link)
  }

  @Test("threat 4: a forged alert costs a handshake on a lossy path nothing", arguments: 1...10 as ClosedRange<UInt64>)
  func forgedAlertsAndLoss(seed: UInt64) throws {
    let link = try DTLSLink(seed: seed, network: DTLSLink.Network(loss: 0.2))
    var isFirst = true
    link.network.tamper = { _, datagram in
      defer { isFirst = false }
      return isFirst ? [DTLSRecords.record(type: 21, epoch: 0, sequence: 500, [2, 40]), datagram] : [datagram]
    }
    link.handshake()
    #expect(link.bothConnected)
  }

  @Test(
    "a peer's plain alert without further answers is believed within 2 s",
    arguments: [0, 40] as [UInt8])
  func believedAlert(description: UInt8) throws {
    let link = try DTLSLink()
    // The client hears of the server's end only, and the server nothing at all.
    link.network.tamper = { _, _ in [] }
    link.handshake(limit: .milliseconds(10))
    let began = link.now
    let alert: [UInt8] = [description == 0 ? 1 : 2, description]
    link.client.receive(bytes: DTLSRecords.record(type: 21, epoch: 0, sequence: 0, alert), now: link.now)
    #expect(link.client.state == .handshaking)
    link.run { !$0.clientEvents.isEmpty }
    #expect(link.clientEvents == [description == 0 ? .closed : .failed(.peerAlert(description))])
    #expect(link.now - began < .seconds(2))
  }

  @Test("threat 4: plain application data is dropped and the handshake completes")
  func plaintextDuringHandshake() throws {
    let link = try DTLSLink()
    var sequence: UInt64 = 500
    link.network.tamper = { _, datagram in
      sequence += 1
      return [DTLSRecords.record(type: 23, epoch: 0, sequence: sequence, [1, 2, 3]), datagram]
    }
    link.handshake()
    #expect(link.bothConnected)
    #expect(link.serverEvents.count == 1)
    #expect(link.server.drops.plaintextData == 2)
    #expect(link.client.drops.plaintextData == 2)
  }

  // Fragments that overrun, contradict or promise too much.
  @Test("threat 5: bad fragments are dropped, and the handshake completes")
  func badFragments() throws {
    func record(
      _ number: UInt64, _ length: Int, _ sequence: UInt16, _ offset: Int, _ count: Int, _ body: Int
    ) -> [UInt8] {
      DTLSRecords.record(
        type: 22, epoch: 0, sequence: number,
        DTLSRecords.fragment(
          type: 1, length: length, sequence: sequence, offset: offset, count: count,
          [UInt8](repeating: 0, count: body)))
    }
    let bad = [
      record(20, 16_385, 5, 0, 10, 10),  // longer than any message
      record(21, 0xFF_FFFF, 5, 0, 10, 10),
      record(22, 100, 5, 95, 10, 10),  // past the message's end
      record(23, 100, 5, 0xFF_FFFF, 10, 10),
      record(24, 100, 5, 0, 20, 10),  // past the record's end
      record(25, 100, 5, 0, 0, 0),  // an empty fragment of a message that is not
      record(26, 100, 24, 0, 10, 10),  // no handshake has so many messages
      record(27, 100, 0xFFFF, 0, 10, 10),
      DTLSRecords.record(type: 22, epoch: 0, sequence: 28, [1, 0, 0, 5, 0, 0, 0]),  // a header cut short
    ]
    let link = try DTLSLink()
    var isFirst = true
    link.network.tamper = { fromClient, datagram in
      defer { isFirst = false }
      return fromClient && isFirst ? bad + [datagram] : [datagram]
    }
    link.handshake()
    #expect(link.bothConnected)
    #expect(link.server.drops.badFragment == UInt64(bad.count))
  }

  @Test("threat 5: a fragment whose message_length differs from an earlier one is dropped")
  func contradiction() throws {
    let link = try DTLSLink()
    var number: UInt64 = 0
    link.network.tamper = { fromClient, datagram in
      guard fromClient, number == 0 else { return [datagram] }
      var pieces = DTLSRecords.refragment(datagram, size: 60, &number)
      // The same fragments as of a message one byte longer, in between.
      for piece in pieces.reversed() {
        var other = piece
        other[15] &+= 1
        pieces.insert(other, at: 1)
      }
      return pieces
    }
    link.handshake()
    #expect(link.bothConnected)
    #expect(link.server.drops.badFragment == 3)
  }

  @Test("threat 5: messages that are begun and never ended cannot hold more than 48 KiB")
  func endlessBuffering() throws {
    let link = try DTLSLink()
    for sequence: UInt16 in 0..<24 {
      let piece = DTLSRecords.fragment(
        type: 11, length: 16_384, sequence: sequence, offset: 0, count: 10, [UInt8](repeating: 0, count: 10))
      link.server.receive(
        bytes: DTLSRecords.record(type: 22, epoch: 0, sequence: UInt64(sequence), piece), now: link.now)
    }
    #expect(link.server.drops.badFragment == 21)
  }

  @Test("no datagram crashes either end, and an unharmed handshake still completes")
  func mutationFuzz() throws {
    let sample = try DTLSLink(clientMTU: 400, serverMTU: 400)
    sample.handshake()
    sample.client.close()
    sample.collect()
    let corpus = sample.sent.map(\.bytes) + [Self.clientHello(cipher: 0xC02B)]
    var random = SeededRandom(seed: TestSeed.of(11))
    var link = try DTLSLink()
    for round in 0..<20_000 {
      if round % 50 == 0 {
        link = try DTLSLink()
        link.client.start(now: link.now)
        if round % 100 == 0 { link.handshake() }
      }
      let bytes = random.mutate(random.pick(corpus))
      link.server.receive(bytes: bytes, now: link.now)
      link.client.receive(bytes: bytes, now: link.now)
      link.collect()
    }
    let last = try DTLSLink()
    last.handshake()
    #expect(last.bothConnected)
  }
}

extension DTLSTransport {
  /// `receive` for tests that hold arrays.
  func receive(bytes: [UInt8], now: Instant) { receive(bytes.span, now: now) }
}
