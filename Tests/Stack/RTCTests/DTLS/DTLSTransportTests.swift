import Basics
import RTC
import TestSeeds
import Testing

@Suite("DTLS association", .tellsSeeds)
struct DTLSTransportTests {
  @Test("both ends derive the same keys, each other's way round (RFC 5764 section 4.2)")
  func connects() throws {
    let link = try DTLSLink()
    link.handshake()
    let client = try #require(link.clientKeys)
    let server = try #require(link.serverKeys)
    #expect(client.profile == .aeadAES128GCM)
    #expect(client.local == server.remote)
    #expect(client.remote == server.local)
    #expect(client.local != client.remote)
    #expect(client.local.key.value.count == 16)
    #expect(client.local.salt.value.count == 12)
    #expect(link.client.state == .connected)
    #expect(link.server.state == .connected)
    #expect(link.client.deadline == .distantFuture)
    #expect(link.client.retransmissions == 0)
    #expect(link.server.retransmissions == 0)
    #expect(link.client.drops.total == 0)
    #expect(link.server.drops.total == 0)
  }

  @Test("a handshake without loss takes two round trips and as many datagrams as flights")
  func isQuick() throws {
    let link = try DTLSLink()
    let begin = link.now
    link.handshake()
    #expect(link.now - begin == .milliseconds(40))
    #expect(link.sent.count == 4)
  }

  @Test(
    "the server's order of profiles decides, and keys have the profile's lengths",
    arguments: [
      ([SRTPProfile.aeadAES256GCM, .aeadAES128GCM], 32, 12), ([.aes128CMHMACSHA1_80, .aeadAES128GCM], 16, 14),
      ([.aeadAES128GCM], 16, 12),
    ])
  func profiles(order: [SRTPProfile], key: Int, salt: Int) throws {
    let link = try DTLSLink(serverProfiles: order)
    link.handshake()
    let material = try #require(link.serverKeys)
    #expect(material.profile == order[0])
    #expect(material == SRTPKeyingMaterial(profile: order[0], local: material.local, remote: material.remote))
    #expect(material.local.key.value.count == key)
    #expect(material.remote.salt.value.count == salt)
    #expect(link.clientKeys?.local == material.remote)
  }

  @Test("without a common profile both ends fail and no keys appear")
  func noCommonProfile() throws {
    let link = try DTLSLink(clientProfiles: [.aeadAES256GCM], serverProfiles: [.aes128CMHMACSHA1_80])
    link.handshake(limit: .seconds(5))
    #expect(link.clientKeys == nil)
    #expect(link.serverKeys == nil)
    #expect(link.serverEvents.contains(.failed(.noSharedProfile)) || link.server.state == .failed)
  }

  @Test("the null profile is never negotiated")
  func nullRefused() throws {
    let certificate = try DTLSCertificate.selfSigned(unixTime: 1_800_000_000)
    #expect(throws: DTLSSetupError.noUsableProfile) {
      try DTLSContext(certificate: certificate, profiles: [.insecureNullForSimulation()])
    }
    #expect(throws: DTLSSetupError.noUsableProfile) { try DTLSContext(certificate: certificate, profiles: []) }
  }

  @Test("media protected by one end opens at the other", arguments: DTLSContext.defaultProfiles)
  func mediaFlows(profile: SRTPProfile) throws {
    let link = try DTLSLink(clientProfiles: [profile])
    link.handshake()
    let sender = try SRTPSender(try #require(link.clientKeys))
    let receiver = try SRTPReceiver(try #require(link.serverKeys))
    let header: [UInt8] = [0x80, 96, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]
    let payload = [UInt8](repeating: 7, count: 100)
    var packet = [UInt8](repeating: 0, count: 200)
    var output = packet.mutableSpan
    let length = try sender.protectRTP(header: header.span, payload: payload.span, into: &output)
    var protected = Array(packet[..<length])
    var input = protected.mutableSpan
    let plain = try receiver.unprotectRTP(&input)
    #expect(Array(protected[..<plain]) == header + payload)
  }

  @Test("a lost flight repeats after 50, 100, 200 ms with new numbers (RFC 6347 4.2.4)")
  func backsOff() throws {
    let link = try DTLSLink(network: .init(loss: 1))
    link.handshake(limit: .seconds(40)) { $0.client.state == .failed }
    #expect(link.clientEvents == [.failed(.timeout)])
    #expect(link.now == .milliseconds(31_000))
    // 50 + 100 + … + 3,200 = 6,350 ms, then every 3.2 s until 30 s.
    #expect(link.client.retransmissions == 7 + 7)
    let hellos = link.sent.filter(\.fromClient).map(\.bytes)
    let numbers = Set(hellos.map { Array($0[5..<11]) })
    #expect(numbers.count == 7)
    let bodies = Set(hellos.map { Array($0[13...]) })
    #expect(bodies.count == 1)
  }

  @Test("with 20 % loss, duplicates and reordering every handshake completes", arguments: 0..<60)
  func lossy(seed: UInt64) throws {
    let link = try DTLSLink(
      seed: seed, network: .init(loss: 0.2, duplicates: 0.2, delay: .milliseconds(5), jitter: .milliseconds(30)),
      clientMTU: 300, serverMTU: 300)
    link.handshake()
    #expect(link.bothConnected, "seed \(seed): client \(link.client.state), server \(link.server.state)")
    #expect(link.clientKeys?.local == link.serverKeys?.remote, "seed \(seed)")
  }

  // In many fragments, reordered, duplicated and lost.
  @Test(
    "a fragmented ClientHello is reassembled (RFC 6347 4.2.3)",
    arguments: 0..<40)
  func fragmentedHello(seed: UInt64) throws {
    var random = SeededRandom(seed: TestSeed.of(seed) &+ 1_000)
    let link = try DTLSLink(
      seed: seed, network: .init(loss: 0.1, duplicates: 0.3, delay: .milliseconds(5), jitter: .milliseconds(20)))
    var numbers: [Bool: UInt64] = [:]
    link.network.tamper = { fromClient, datagram in
      DTLSRecords.refragment(datagram, size: 40 + random.below(60), &numbers[fromClient, default: 0])
        .shuffled(using: &random)
    }
    link.handshake()
    #expect(link.bothConnected, "seed \(seed): client \(link.client.state), server \(link.server.state)")
  }

  @Test("a ClientHello in two fragments, the second first, as Chromium's may arrive")
  func twoFragmentsReordered() throws {
    let link = try DTLSLink()
    var number: UInt64 = 0
    link.network.tamper = { fromClient, datagram in
      guard fromClient, number == 0 else { return [datagram] }
      // Only the first datagram, and with the numbers 0 and 1: the client's next flight uses later ones.
      return DTLSRecords.refragment(datagram, size: 100, &number).reversed()
    }
    link.handshake()
    #expect(link.bothConnected)
    #expect(link.server.drops.total == 0)
  }

  @Test("no datagram is larger than the MTU", arguments: [256, 300, 600, 1_200])
  func respectsMTU(mtu: Int) throws {
    let link = try DTLSLink(network: .init(loss: 0.3), clientMTU: mtu, serverMTU: mtu)
    link.handshake()
    #expect(link.bothConnected)
    #expect(link.sent.allSatisfy { $0.bytes.count <= mtu })
    if mtu == 256 { #expect(link.sent.count > 6) }
  }

  @Test("a lost last flight is repeated when the client repeats its own")
  func lastFlightLost() throws {
    let link = try DTLSLink()
    var lost = 0
    link.network.tamper = { fromClient, datagram in
      // The server's second flight starts with ChangeCipherSpec.
      if !fromClient, datagram[0] == 20, lost < 2 {
        lost += 1
        return []
      }
      return [datagram]
    }
    link.handshake()
    #expect(lost == 2)
    #expect(link.bothConnected)
    #expect(link.client.retransmissions >= 2)
  }

  @Test("application data passes both ways, within the MTU and once connected")
  func applicationData() throws {
    let link = try DTLSLink()
    let message = [UInt8](0..<200)
    #expect(!link.client.send(bytes: message))
    link.handshake()
    #expect(link.client.send(bytes: message))
    #expect(link.server.send(bytes: [9]))
    #expect(!link.client.send(bytes: [UInt8](repeating: 0, count: 1_200)))
    link.run(limit: .seconds(1))
    #expect(link.serverEvents.last == .received(message))
    #expect(link.clientEvents.last == .received([9]))
  }

  @Test("closing tells the peer")
  func closes() throws {
    let link = try DTLSLink()
    link.handshake()
    link.client.close()
    link.run(limit: .seconds(1))
    #expect(link.client.state == .closed)
    #expect(link.server.state == .closed)
    #expect(link.serverEvents.last == .closed)
    let before = link.server.drops.inactive
    link.server.receive([20, 254, 253].span, now: link.now)
    #expect(link.server.drops.inactive == before + 1)
  }

  @Test("after a handshake timed out, reset allows another attempt that succeeds")
  func resets() throws {
    let link = try DTLSLink(network: .init(loss: 1))
    link.handshake { $0.client.state == .failed && $0.server.state == .failed }
    link.network.loss = 0
    try link.client.reset()
    try link.server.reset()
    #expect(link.client.state == .idle)
    link.handshake()
    #expect(link.bothConnected)
  }
}
