import Basics
import TestSeeds
import Testing

@testable import RTC

/// Data through good and bad networks (RFC 9260 sections 6 and 7).
@Suite("SCTP transfer", .tellsSeeds)
struct SCTPTransferTests {
  /// A message whose content follows from its number, so that a mix-up shows.
  static func message(_ number: Int, _ length: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(number))
    let head = Chunks.u32(UInt32(number))
    return length <= 4 ? Array(head.suffix(length)) : head + random.bytes(length - 4)
  }

  static func length(_ number: Int, _ random: inout SeededRandom) -> Int {
    switch random.below(100) {
    case 0..<70: 1 + random.below(200)
    case 70..<95: 200 + random.below(3_000)
    default: 3_000 + random.below(20_000)
    }
  }

  struct Case: Sendable, CustomStringConvertible {
    let loss: Double
    let count: Int
    let ordered: Bool
    var description: String { "\(loss) \(count) \(ordered)" }
  }

  @Test(arguments: [
    Case(loss: 0, count: 3_000, ordered: true), Case(loss: 0, count: 3_000, ordered: false),
    Case(loss: 0.05, count: 2_000, ordered: true), Case(loss: 0.05, count: 2_000, ordered: false),
    Case(loss: 0.2, count: 1_000, ordered: true), Case(loss: 0.2, count: 1_000, ordered: false),
  ])
  func everyMessageArrivesExactlyOnce(_ setup: Case) throws {
    let link = DataChannelLink.connected(seed: 11)
    link.loss = setup.loss
    link.duplication = setup.loss / 2
    link.jitter = .milliseconds(setup.loss > 0 ? 8 : 0)
    let id = try link.client.open(DataChannelOptions(label: "d", ordered: setup.ordered), now: link.now)
    var random = SeededRandom(seed: TestSeed.of(3))
    var lengths = (0..<setup.count).map { Self.length($0, &random) }
    // The largest that is allowed, and the smallest.
    lengths[setup.count / 2] = 262_144
    lengths[setup.count / 3] = 1
    var next = 0
    var pending = Self.message(0, lengths[0])
    while next < setup.count {
      do {
        try link.client.send(pending, kind: .binary, on: id, now: link.now)
        next += 1
        if next < setup.count { pending = Self.message(next, lengths[next]) }
      } catch DataChannelError.bufferFull {
        let before = link.count(.client, .bufferedAmountLow(id))
        let more = link.run(atMost: .seconds(120)) { link.count(.client, .bufferedAmountLow(id)) > before }
        #expect(more, "never told that there is room")
        guard more else { return }
      }
    }
    link.run(atMost: .seconds(600)) { link.messageCounts[1] == setup.count }
    // The last acknowledgements.
    link.loss = 0
    link.run(for: .seconds(10))
    let arrived = link.messages(at: .server)
    #expect(arrived.count == setup.count)
    if setup.ordered {
      for (number, bytes) in arrived.enumerated() {
        guard bytes == Self.message(number, lengths[number]) else {
          Issue.record("message \(number) is wrong or out of place")
          return
        }
      }
    } else {
      let sent = Set((0..<setup.count).map { Self.message($0, lengths[$0]) })
      #expect(Set(arrived) == sent)
    }
    #expect(link.client.statistics.messagesSent == UInt64(setup.count))
    #expect(link.server.statistics.messagesReceived == UInt64(setup.count))
    #expect(link.server.statistics.bytesReceived == UInt64(lengths.reduce(0, +)))
    #expect(link.client.bufferedAmount(id) == 0)
    #expect(link.largestPacket <= SCTPConfiguration().mtu)
    #expect(link.client.association.sender.heldBytes == 0)
    #expect(link.client.association.sender.flight == 0 && link.client.association.sender.lostCount == 0)
    #expect(link.server.association.reassembly.heldBytes == 0 && link.server.association.reassembly.heldCount == 0)
    #expect(link.server.association.unreadBytes == 0)
    if setup.loss == 0 { #expect(link.client.statistics.retransmissions == 0) }
  }

  @Test func bothDirectionsAndManyChannelsAtOnce() throws {
    let link = DataChannelLink.connected(seed: 5)
    link.loss = 0.03
    link.jitter = .milliseconds(5)
    var sent: [UInt16: Int] = [:]
    for index in 0..<20 {
      let id = try link.client.open(DataChannelOptions(label: "c\(index)"), now: link.now)
      let other = try link.server.open(DataChannelOptions(label: "s\(index)"), now: link.now)
      for number in 0..<40 {
        try link.client.send(Self.message(number, 300), kind: .binary, on: id, now: link.now)
        try link.server.send(Self.message(number, 300), kind: .text, on: other, now: link.now)
      }
      sent[id.streamID] = 40
      sent[other.streamID] = 40
    }
    link.run(for: .seconds(60))
    for (stream, count) in sent {
      let messages = link.messages(at: stream % 2 == 0 ? .server : .client, on: stream)
      #expect(messages == (0..<count).map { Self.message($0, 300) }, "stream \(stream)")
    }
    #expect(link.opened(at: .client).count == 40 && link.opened(at: .server).count == 40)
  }

  /// TSNs pass 2³² (RFC 9260 section 1.6).
  @Test func theTransmissionSequenceNumberWraps() throws {
    let link = DataChannelLink(seed: 8, starts: false)
    link.client.setInitialTSN(0xFFFF_FFF0)
    link.server.setInitialTSN(0xFFFF_FFFF)
    link.client.start(now: link.now)
    link.server.start(now: link.now)
    link.loss = 0.1
    let id = try link.client.open(DataChannelOptions(label: "w"), now: link.now)
    for number in 0..<300 { try link.client.send(Self.message(number, 2_000), kind: .binary, on: id, now: link.now) }
    link.run(for: .seconds(60))
    #expect(link.messages(at: .server) == (0..<300).map { Self.message($0, 2_000) })
  }

  /// Stream sequence numbers pass 2¹⁶.
  @Test func theStreamSequenceNumberWraps() throws {
    let link = DataChannelLink.connected(seed: 9)
    let id = try link.client.open(DataChannelOptions(label: "w"), now: link.now)
    var arrived = 0
    for batch in 0..<70 {
      for number in 0..<1_000 {
        try link.client.send(Chunks.u32(UInt32(batch * 1_000 + number)), kind: .binary, on: id, now: link.now)
      }
      link.run(atMost: .seconds(20)) { link.client.association.sender.isDrained }
      link.run(for: .milliseconds(50))
      for bytes in link.messages(at: .server) {
        #expect(bytes == Chunks.u32(UInt32(arrived)))
        arrived += 1
      }
      link.clearEvents()
    }
    #expect(arrived == 70_000)
  }

  /// A lossless path of 50 ms round trip carries well over 5 Mb/s: slow start opens the window.
  @Test func throughputOverFiftyMillisecondsIsSane() throws {
    let link = DataChannelLink.connected(seed: 2)
    link.delay = .milliseconds(25)
    let id = try link.client.open(
      DataChannelOptions(label: "t", bufferedAmountLowThreshold: 500_000), now: link.now)
    let chunk = [UInt8](repeating: 7, count: 16_000)
    let start = link.now
    var bytes = 0
    while link.now - start < .seconds(5) {
      while link.client.bufferedAmount(id) < 1_000_000 {
        do { try link.client.send(chunk, kind: .binary, on: id, now: link.now) } catch { break }
      }
      link.run(for: .milliseconds(50))
      bytes += link.messages(at: .server).reduce(0) { $0 + $1.count }
      link.clearEvents()
    }
    let rate = Double(bytes) * 8 / (link.now - start).seconds / 1e6
    #expect(rate > 5, "\(rate) Mb/s")
    print("SCTP over 50 ms without loss: \(rate) Mb/s, window \(link.client.statistics.congestionWindow)")
    let measured = try #require(link.client.statistics.smoothedRoundTripTime)
    #expect((50...200).contains(measured.milliseconds))
  }

  /// One lost packet among many is sent again after three later SACKs, long before T3 (RFC 9260 section 7.2.4).
  @Test func oneLossIsRepairedByFastRetransmit() throws {
    let link = DataChannelLink.connected(seed: 2)
    let id = try link.client.open(DataChannelOptions(label: "f"), now: link.now)
    for _ in 0..<200 { try link.client.send([UInt8](repeating: 1, count: 1_100), kind: .binary, on: id, now: link.now) }
    var data = 0
    link.tap = { end, packet in
      guard end == .client, Chunks.parse(packet).contains(where: { $0.type == 0 }) else { return packet }
      data += 1
      return data == 60 ? nil : packet
    }
    let start = link.now
    #expect(link.run(atMost: .seconds(5)) { link.messageCounts[1] == 200 })
    #expect(link.client.statistics.retransmissions == 1)
    #expect(link.now - start < .milliseconds(400), "\((link.now - start).milliseconds) ms")
  }

  /// RFC 9260 section 7.2.3: after T3 the window is one packet.
  @Test func aTimeoutShrinksTheWindowToOnePacket() throws {
    let link = DataChannelLink.connected(seed: 2)
    let id = try link.client.open(DataChannelOptions(label: "t"), now: link.now)
    for _ in 0..<200 { try link.client.send([UInt8](repeating: 1, count: 1_100), kind: .binary, on: id, now: link.now) }
    link.run(for: .milliseconds(100))
    let before = link.client.statistics.congestionWindow
    link.isCut = true
    link.run(for: .milliseconds(700))
    let packet = SCTPAssociation.maximumChunkPayload(SCTPConfiguration())
    #expect(before > 4 * packet)
    #expect(link.client.statistics.congestionWindow == packet)
    link.isCut = false
    link.run(for: .seconds(20))
    #expect(link.messages(at: .server).count == 200)
  }

  /// RFC 9260 section 8.1: the peer is gone while data is under way.
  @Test func aPeerThatVanishesEndsTheAssociation() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "v"), now: link.now)
    link.run(for: .seconds(1))
    link.isCut = true
    try link.client.send([1], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(200))
    #expect(link.failure(at: .client) == .peerUnreachable)
    // The other end was idle; its heartbeats went unanswered (section 8.3).
    #expect(link.failure(at: .server) == .peerUnreachable)
    #expect(link.client.deadline == .distantFuture && link.server.deadline == .distantFuture)
    #expect(throws: DataChannelError.ended) {
      try link.client.send([1], kind: .binary, on: id, now: link.now)
    }
  }

  /// A meeting survives an outage of 20 s without anybody doing anything, and goes on soon after.
  @Test func anOutageOfTwentySecondsIsSurvived() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "o"), now: link.now)
    link.run(for: .seconds(1))
    link.isCut = true
    try link.client.send([1], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(20))
    link.isCut = false
    #expect(link.run(atMost: .seconds(6)) { link.messages(at: .server) == [[1]] })
  }

  @Test func anIdleAssociationLivesOnHeartbeats() {
    let link = DataChannelLink.connected()
    let before = link.packetCount
    link.run(for: .seconds(600))
    #expect(link.failure(at: .client) == nil && link.failure(at: .server) == nil)
    // A heartbeat and an answer each half minute each way, and nothing else.
    #expect((60...100).contains(link.packetCount - before), "\(link.packetCount - before)")
  }

  /// A reader that takes nothing closes the window; the sender probes and goes on when it opens (section 6.1 rule A).
  @Test func aSlowReaderStopsThePeerAndStartsItAgain() throws {
    var small = SCTPConfiguration()
    small.receiveBuffer = 64 << 10
    small.maximumReceiveMessageSize = 32 << 10
    let link = DataChannelLink.connected(server: small)
    let id = try link.client.open(DataChannelOptions(label: "z"), now: link.now)
    link.run(for: .seconds(1))
    link.polls = [0]
    for number in 0..<300 { try link.client.send(Self.message(number, 1_000), kind: .binary, on: id, now: link.now) }
    link.run(for: .seconds(120))
    // Still there, though nothing moved for two minutes; and not more held than the buffer.
    #expect(link.failure(at: .client) == nil && link.failure(at: .server) == nil)
    #expect(link.server.association.unreadBytes <= small.receiveBuffer)
    #expect(link.server.association.unreadBytes > small.receiveBuffer - 4_000)
    #expect(link.client.statistics.receiverWindow < 4_000)
    let probes = link.packetCount
    link.run(for: .seconds(60))
    #expect(link.packetCount - probes < 60, "probing is a flood: \(link.packetCount - probes)")
    link.polls = [0, 1]
    #expect(link.run(atMost: .seconds(10)) { link.messageCounts[1] == 300 })
    #expect(link.messages(at: .server) == (0..<300).map { Self.message($0, 1_000) })
  }

  /// RFC 9260 section 6.2: a SACK for every other packet, and the last one not later than the delay.
  @Test func sacksAreDelayedAndBundled() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "s"), now: link.now)
    link.run(for: .seconds(1))
    var sacks: [Instant] = []
    link.tap = { end, packet in
      if end == .server, Chunks.types([packet]).contains(3) { sacks.append(link.now) }
      return packet
    }
    try link.client.send([1], kind: .binary, on: id, now: link.now)
    let sent = link.now
    link.run(for: .seconds(1))
    #expect(sacks.count == 1)
    #expect(sacks.first.map { $0 - sent } == .milliseconds(110))
    sacks = []
    for _ in 0..<40 { try link.client.send([UInt8](repeating: 0, count: 1_100), kind: .binary, on: id, now: link.now) }
    link.run(for: .seconds(2))
    #expect((20...25).contains(sacks.count), "\(sacks.count)")
  }

  /// A peer may throw away what it acknowledged by a gap block only (section 6.2: renege).
  @Test func whatThePeerThrewAwayIsSentAgain() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "r"), now: link.now)
    link.run(for: .seconds(1))
    var end = link.client
    for _ in 0..<3 { try end.send([UInt8](repeating: 5, count: 1_100), kind: .binary, on: id, now: link.now) }
    let first = SCTPSerial.wire(end.association.sender.cumulativeAck + 1)
    _ = end.drain()
    end.receive(end.forged(Chunks.sack(first &- 1, [(2, 3)])), now: link.now)
    #expect(end.association.sender.flight == 1_100)
    // The first arrives; the others are not there after all.
    end.receive(end.forged(Chunks.sack(first)), now: link.now)
    let again = end.drain().flatMap(Chunks.parse).filter { $0.type == 0 }
    #expect(again.first.map { Array($0.value[0..<4]) } == Chunks.u32(first &+ 1))
  }
}
