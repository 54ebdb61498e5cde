import Basics
import TestSeeds
import Testing

@testable import RTC

/// Damaged copies of real packets, with the checksum made right again, stand in for a fuzzer.
@Suite("SCTP mutations", .tellsSeeds)
struct SCTPFuzzTests {
  /// The packets of two ends over a lossy network, every kind of chunk included.
  private func corpus() throws -> [[UInt8]] {
    let link = DataChannelLink(seed: 77)
    var packets: [[UInt8]] = []
    link.tap = { end, packet in
      if end == .client { packets.append(packet) }
      return packet
    }
    link.loss = 0.1
    let id = try link.client.open(DataChannelOptions(label: "a", ordered: false, maxRetransmits: 0), now: link.now)
    let other = try link.client.open(DataChannelOptions(label: "b"), now: link.now)
    for number in 0..<40 {
      try link.client.send(SCTPTransferTests.message(number, 900), kind: .binary, on: id, now: link.now)
      try link.client.send(SCTPTransferTests.message(number, 2_900), kind: .text, on: other, now: link.now)
      link.run(for: .milliseconds(30))
    }
    for id in link.opened(at: .server) {
      try link.server.send([UInt8](repeating: 3, count: 9_000), kind: .binary, on: id, now: link.now)
    }
    link.run(for: .seconds(40))
    link.client.close(id, now: link.now)
    link.run(for: .seconds(5))
    link.client.shutdown(now: link.now)
    link.run(for: .seconds(5))
    return packets
  }

  @Test func tensOfThousandsOfDamagedPacketsNeitherTrapNorGrow() throws {
    let packets = try corpus()
    let types = Set(packets.flatMap { Chunks.parse($0).map(\.type) })
    #expect(types.isSuperset(of: [0, 1, 2, 3, 4, 7, 10, 11, 130, 192]), "\(types.sorted())")
    var random = SeededRandom(seed: TestSeed.of(4_242))
    var total = 0
    for round in 0..<5_000 where total < 25_000 {
      let link = DataChannelLink.connected(seed: UInt64(round))
      var end = link.server
      var now = link.now
      _ = try? end.open(DataChannelOptions(label: "v"), now: now)
      for _ in 0..<600 {
        var packet = random.mutate(random.pick(packets))
        if packet.count >= 12 {
          // Past the first checks: right ports, this association's tag, mostly TSNs near its own, a right checksum.
          let tag = Chunks.u32(random.chance(0.05) ? 0 : end.association.localTag)
          packet.replaceSubrange(0..<8, with: [0x13, 0x88, 0x13, 0x88] + tag)
          if packet.count >= 20, packet[12] == 0 || packet[12] == 192 || packet[12] == 3, random.chance(0.8) {
            let base =
              packet[12] == 3
              ? SCTPSerial.wire(end.association.sender.cumulativeAck) : end.nextExpectedTSN
            packet.replaceSubrange(16..<20, with: Chunks.u32(base &+ UInt32(random.below(6)) &- 1))
          }
          let crc = CRC32c.ofPacket(packet.span)
          for index in 0..<4 { packet[8 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(index * 8)) }
        }
        end.receive(packet, now: now)
        total += 1
        if random.chance(0.2) {
          now = max(now, min(end.deadline, now + .seconds(1)))
          end.handleTimeout(now: now)
        }
        if random.chance(0.3), let channel = end.channels.values.first {
          _ = try? end.send([1, 2, 3], kind: .text, on: channel.id, now: now)
          if random.chance(0.1) { end.close(channel.id, now: now) }
        }
        if random.chance(0.5) {
          for sent in end.drain() { #expect(sent.count <= SCTPConfiguration().mtu) }
          _ = end.drainEvents()
        }
        let state = end.association
        #expect(state.reassembly.heldBytes >= 0 && state.reassembly.heldCount >= 0, "round \(round)")
        #expect(
          state.sender.flight >= 0 && state.sender.lostCount >= 0 && state.sender.heldBytes >= 0, "round \(round)")
        #expect(state.control.count <= SCTPAssociation.maximumControl)
        #expect(state.packets.count <= SCTPAssociation.maximumControl)
        if state.state == .ended { break }
      }
    }
    #expect(total > 20_000, "\(total)")
  }

  /// Before any association exists, everything must come from a peer that echoed a cookie.
  @Test func damagedPacketsDoNotSetUpAnAssociation() throws {
    let packets = try corpus()
    var random = SeededRandom(seed: TestSeed.of(5))
    var end = DataChannelTransport(dtlsRole: .server, random: SeededRandom(seed: 6))
    for _ in 0..<20_000 {
      var packet = random.mutate(random.pick(packets))
      if packet.count >= 12 {
        let crc = CRC32c.ofPacket(packet.span)
        for index in 0..<4 { packet[8 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(index * 8)) }
      }
      end.receive(packet, now: .zero)
      if random.chance(0.2) { _ = end.drain() }
    }
    #expect(end.association.state == .closed)
    #expect(end.drainEvents().isEmpty)
  }

  /// Damage on the wire itself: the checksum catches it, the association repairs it.
  @Test func damageOnTheWireIsRepaired() throws {
    let link = DataChannelLink.connected(seed: 3)
    var damage = SeededRandom(seed: TestSeed.of(10))
    link.tap = { _, packet in damage.chance(0.1) ? damage.mutate(packet) : packet }
    let id = try link.client.open(DataChannelOptions(label: "d"), now: link.now)
    for number in 0..<500 {
      try link.client.send(SCTPTransferTests.message(number, 1_500), kind: .binary, on: id, now: link.now)
    }
    link.run(for: .seconds(120))
    #expect(link.messages(at: .server) == (0..<500).map { SCTPTransferTests.message($0, 1_500) })
    #expect(link.server.statistics.drops[.wrongChecksum] > 0)
  }
}
