import Basics
import TestSeeds
import Testing

@testable import RTC

/// RFC 3758, as RFC 8831 section 6.4 uses it.
@Suite("SCTP partial reliability", .tellsSeeds)
struct SCTPPartialReliabilityTests {
  @Test(arguments: [true, false])
  func withoutRetransmissionsLostMessagesAreSkippedAndTheRestGoesOn(ordered: Bool) throws {
    let link = DataChannelLink.connected(seed: 4)
    let id = try link.client.open(DataChannelOptions(label: "p", ordered: ordered, maxRetransmits: 0), now: link.now)
    link.run(for: .seconds(1))
    link.loss = 0.1
    for number in 0..<1_000 {
      // Every tenth is of many pieces, of which some will be lost.
      let message = SCTPTransferTests.message(number, number % 10 == 0 ? 8_000 : 500)
      try link.client.send(message, kind: .binary, on: id, now: link.now)
      if number % 10 == 9 { link.run(for: .milliseconds(20)) }
    }
    link.run(for: .seconds(5))
    link.loss = 0
    link.run(for: .seconds(10))
    try link.client.send([1, 2, 3], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(5))
    let arrived = link.messages(at: .server)
    #expect(arrived.last == [1, 2, 3])
    #expect((600..<1_000).contains(arrived.count), "\(arrived.count)")
    let numbers = arrived.dropLast().map { Int($0[0]) << 24 | Int($0[1]) << 16 | Int($0[2]) << 8 | Int($0[3]) }
    if ordered { #expect(numbers == numbers.sorted()) }
    #expect(Set(numbers).count == numbers.count)
    for (number, message) in zip(numbers, arrived) {
      #expect(message == SCTPTransferTests.message(number, number % 10 == 0 ? 8_000 : 500))
    }
    #expect(link.client.statistics.messagesAbandoned > 0)
    // Nothing stays behind at either end.
    #expect(link.client.association.sender.heldBytes == 0)
    #expect(link.client.association.sender.outstanding.isEmpty)
    #expect(link.server.association.reassembly.heldBytes == 0 && link.server.association.reassembly.heldCount == 0)
  }

  @Test func aLifetimeEndsTheTryingDuringAnOutage() throws {
    let link = DataChannelLink.connected(seed: 4)
    let id = try link.client.open(DataChannelOptions(label: "l", maxLifetime: .milliseconds(300)), now: link.now)
    let reliable = try link.client.open(DataChannelOptions(label: "r"), now: link.now)
    link.run(for: .seconds(1))
    link.isCut = true
    for number in 0..<50 {
      try link.client.send(SCTPTransferTests.message(number, 2_000), kind: .binary, on: id, now: link.now)
    }
    try link.client.send([9], kind: .binary, on: reliable, now: link.now)
    link.run(for: .seconds(3))
    link.isCut = false
    link.run(for: .seconds(10))
    #expect(link.messages(at: .server, on: reliable.streamID) == [[9]])
    #expect(link.messages(at: .server, on: id.streamID).isEmpty)
    #expect(link.client.statistics.messagesAbandoned == 50)
    try link.client.send([8], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(1))
    #expect(link.messages(at: .server, on: id.streamID) == [[8]])
  }

  /// A message of which every sent piece arrived but whose rest was given up must not hold its stream forever.
  @Test func aMessageGivenUpHalfwayDoesNotBlockItsStream() throws {
    let link = DataChannelLink.connected(seed: 4)
    let id = try link.client.open(DataChannelOptions(label: "h", maxLifetime: .milliseconds(60)), now: link.now)
    link.run(for: .seconds(1))
    // Far more than the first windows carry in 60 ms of a 20 ms round trip.
    try link.client.send([UInt8](repeating: 1, count: 250_000), kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(2))
    try link.client.send([2], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(2))
    #expect(link.messages(at: .server) == [[2]])
    #expect(link.client.statistics.messagesAbandoned == 1)
    #expect(link.client.statistics.retransmissions == 0)
    #expect(link.server.association.reassembly.heldCount == 0)
  }

  @Test func aPeerWithoutForwardTSNGetsEverything() throws {
    let link = DataChannelLink(seed: 6, starts: false)
    // The parameter and the extension become unknown ones that are skipped.
    link.tap = { _, packet in
      guard let type = Chunks.parse(packet).first?.type, type == 1 || type == 2 else { return packet }
      var changed = packet
      changed[32] = 0x80
      changed[33] = 0x77
      changed[41] = 0xC1
      let crc = CRC32c.ofPacket(changed.span)
      for index in 0..<4 { changed[8 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(index * 8)) }
      return changed
    }
    link.client.start(now: link.now)
    let id = try link.client.open(DataChannelOptions(label: "n", maxRetransmits: 0), now: link.now)
    link.run(for: .seconds(1))
    #expect(!link.client.association.sender.mayAbandon)
    link.loss = 0.2
    for number in 0..<200 {
      try link.client.send(SCTPTransferTests.message(number, 700), kind: .binary, on: id, now: link.now)
    }
    link.run(for: .seconds(120))
    #expect(link.messages(at: .server) == (0..<200).map { SCTPTransferTests.message($0, 700) })
  }

  @Test func aLimitOfRetransmissionsIsKept() throws {
    let link = DataChannelLink.connected(seed: 4)
    let id = try link.client.open(DataChannelOptions(label: "m", maxRetransmits: 2), now: link.now)
    link.run(for: .seconds(1))
    var copies = 0
    link.tap = { end, packet in
      let data = end == .client && Chunks.types([packet]).contains(0)
      if data { copies += 1 }
      return data ? nil : packet
    }
    try link.client.send([1], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(30))
    #expect(copies == 3)
    #expect(link.client.statistics.messagesAbandoned == 1)
    #expect(link.failure(at: .client) == nil)
  }
}
