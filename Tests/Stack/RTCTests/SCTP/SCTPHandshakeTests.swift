import Basics
import TestSeeds
import Testing

@testable import RTC

/// RFC 9260 section 5.
@Suite("SCTP handshake", .tellsSeeds)
struct SCTPHandshakeTests {
  @Test func oneEndStarts() {
    let link = DataChannelLink(starts: false)
    link.client.start(now: link.now)
    link.run(for: .milliseconds(45))
    // INIT, INIT ACK, COOKIE ECHO, COOKIE ACK: two round trips of 20 ms.
    #expect(link.count(.client, .connected) == 1)
    #expect(link.count(.server, .connected) == 1)
    #expect(link.packetCount == 4)
    #expect(link.client.statistics.drops.total == 0)
  }

  /// Section 5.2.1: both INITs cross, as every WebRTC session has it.
  @Test func bothEndsStart() {
    let link = DataChannelLink()
    link.run(for: .seconds(1))
    #expect(link.count(.client, .connected) == 1)
    #expect(link.count(.server, .connected) == 1)
    #expect(link.client.association.peerTag == link.server.association.localTag)
    #expect(link.server.association.peerTag == link.client.association.localTag)
  }

  @Test func theHandshakeSurvivesLossAndDuplicates() {
    for seed in 1...60 as ClosedRange<UInt64> {
      let link = DataChannelLink(seed: seed, starts: seed % 3 != 0)
      if seed % 3 == 0 { link.client.start(now: link.now) }
      link.loss = 0.3
      link.duplication = 0.3
      link.jitter = .milliseconds(40)
      let done = link.run(atMost: .seconds(30)) {
        link.count(.client, .connected) > 0 && link.count(.server, .connected) > 0
      }
      #expect(done, "seed \(seed)")
      link.loss = 0
      link.run(for: .seconds(40))
      #expect(link.count(.client, .connected) == 1 && link.count(.server, .connected) == 1, "seed \(seed)")
      #expect(link.failure(at: .client) == nil && link.failure(at: .server) == nil, "seed \(seed)")
    }
  }

  @Test func nobodyAnswersInit() {
    let link = DataChannelLink(starts: false)
    link.isCut = true
    link.client.start(now: link.now)
    link.run(for: .seconds(120))
    #expect(link.failure(at: .client) == .setupTimeout)
    #expect(link.client.deadline == .distantFuture)
    // The first and eight repetitions.
    #expect(link.packetCount == 9)
  }

  /// Section 5.2.4 row D: the COOKIE ACK was lost, the COOKIE ECHO comes again.
  @Test func aReplayedCookieChangesNothing() throws {
    let link = DataChannelLink(starts: false)
    var echo: [UInt8] = []
    link.tap = { end, packet in
      if end == .client, Chunks.parse(packet).first?.type == 10 { echo = packet }
      return packet
    }
    link.client.start(now: link.now)
    link.run(for: .seconds(1))
    let id = try link.client.open(DataChannelOptions(label: "a"), now: link.now)
    try link.client.send([1], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(1))
    let cumulative = link.server.association.received.cumulative
    for _ in 0..<100 { link.server.receive(echo, now: link.now) }
    #expect(link.server.association.received.cumulative == cumulative)
    #expect(link.count(.server, .connected) == 1)
    let answers = Chunks.types(link.server.drain())
    #expect(answers.count <= SCTPAssociation.maximumControl && answers.allSatisfy { $0 == 11 })
    try link.client.send([2], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(1))
    #expect(link.messages(at: .server) == [[1], [2]])
  }

  @Test func aForgedCookieIsDropped() throws {
    let link = DataChannelLink(starts: false)
    link.tap = { end, packet in
      guard end == .client, Chunks.parse(packet).first?.type == 10 else { return packet }
      // One bit of the cookie, with the checksum made right again.
      var changed = packet
      changed[30] ^= 1
      let crc = CRC32c.ofPacket(changed.span)
      for index in 0..<4 { changed[8 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(index * 8)) }
      return changed
    }
    link.client.start(now: link.now)
    link.run(for: .seconds(3))
    #expect(link.count(.server, .connected) == 0)
    #expect(link.server.statistics.drops[.badCookie] > 0)
    #expect(link.server.association.state == .closed)
  }

  /// Section 5.2.6: a cookie past its time is answered with ERROR, and the client begins again.
  @Test func aStaleCookieIsRefusedAndTheClientStartsAnew() {
    var configuration = SCTPConfiguration()
    configuration.cookieLifetime = .milliseconds(100)
    let link = DataChannelLink(server: configuration, starts: false)
    var held = 0
    link.tap = { end, packet in
      if end == .client, Chunks.parse(packet).first?.type == 10, held < 1 {
        held += 1
        return nil
      }
      return packet
    }
    link.client.start(now: link.now)
    link.run(for: .seconds(10))
    #expect(link.server.statistics.drops[.staleCookie] == 1)
    #expect(link.count(.client, .connected) == 1)
    #expect(link.count(.server, .connected) == 1)
  }

  /// Section 5.2.4.1, row A: the peer lost everything and comes back with new tags; its cookie carries our tie tags.
  @Test func aRestartedPeerGetsAFreshAssociation() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "a"), now: link.now)
    link.run(for: .seconds(1))
    #expect(link.opened(at: .server).count == 1)
    link.client = DataChannelTransport(dtlsRole: .client, random: SeededRandom(seed: 99))
    link.client.start(now: link.now)
    link.run(for: .seconds(2))
    #expect(link.count(.server, .connected) == 2)
    #expect(link.closed(at: .server).count == 1)
    #expect(throws: DataChannelError.unknownChannel) {
      try link.client.send([1], kind: .binary, on: id, now: link.now)
    }
    let fresh = try link.client.open(DataChannelOptions(label: "b"), now: link.now)
    try link.client.send([7], kind: .binary, on: fresh, now: link.now)
    link.run(for: .seconds(2))
    #expect(link.messages(at: .server) == [[7]])
  }

  /// Section 5.2.2: an INIT in an association that is up is answered, and changes nothing by itself.
  @Test func anInitOutOfPlaceChangesNothing() {
    let link = DataChannelLink.connected()
    let tag = link.server.association.localTag
    var writer = SCTPPacketWriter(port: 5_000, tag: 0, capacity: 100)
    writer.append(chunk: Chunks.initiation())
    let packet = writer.finish()
    for _ in 0..<500 { link.server.receive(packet, now: link.now) }
    #expect(link.server.association.localTag == tag)
    let answers = link.server.drain()
    #expect(answers.count <= SCTPAssociation.maximumControl)
    for answer in answers {
      let chunk = Chunks.parse(answer)[0]
      #expect(chunk.type == 2)
      // Other tags than the association's, so that an old cookie cannot pass for it.
      #expect(Array(chunk.value[0..<4]) != Chunks.u32(tag))
    }
  }

  /// Section 3.2.1: the upper bits of an unknown parameter decide.
  @Test func unknownParametersAreTreatedByTheirUpperBits() throws {
    func answer(_ parameters: [UInt8]) throws -> (reported: Bool, forward: Bool) {
      var end = DataChannelTransport(dtlsRole: .server, random: SeededRandom(seed: 5))
      var writer = SCTPPacketWriter(port: 5_000, tag: 0, capacity: 100)
      writer.append(chunk: Chunks.initiation(parameters: parameters + [0xC0, 0, 0, 4]))
      end.receive(writer.finish(), now: .zero)
      let polled = end.pollTransmit()
      let packet = try #require(polled)
      let value = Chunks.parse(packet)[0].value
      // Parameters of the INIT ACK, and the cookie's flag for FORWARD TSN.
      var at = 16
      var reported = false
      var forward = false
      while at + 4 <= value.count {
        let type = Int(value[at]) << 8 | Int(value[at + 1])
        let length = Int(value[at + 2]) << 8 | Int(value[at + 3])
        if type == 8 {
          reported = true
          #expect(Array(value[at + 4..<at + length]) == parameters)
        }
        if type == 7 { forward = value[at + 4 + 43] & 1 == 1 }
        at += (length + 3) & ~3
      }
      return (reported, forward)
    }
    // 00: stop, no report. 01: stop, report. 10: go on. 11: go on, report.
    #expect(try answer([0x3F, 1, 0, 4]) == (false, false))
    #expect(try answer([0x7F, 1, 0, 4]) == (true, false))
    #expect(try answer([0xBF, 1, 0, 4]) == (false, true))
    #expect(try answer([0xFF, 1, 0, 4]) == (true, true))
  }

  @Test func aPeerWithFewStreamsLosesTheChannelsBeyond() throws {
    var few = SCTPConfiguration()
    few.maximumStreams = 4
    let link = DataChannelLink(server: few, starts: false)
    var ids: [DataChannelID] = []
    for _ in 0..<4 { ids.append(try link.client.open(DataChannelOptions(label: "x"), now: link.now)) }
    link.client.start(now: link.now)
    link.run(for: .seconds(1))
    #expect(link.opened(at: .client) == [ids[0], ids[1]])
    #expect(link.closed(at: .client) == [ids[2], ids[3]])
    #expect(link.opened(at: .server).count == 2)
  }
}
