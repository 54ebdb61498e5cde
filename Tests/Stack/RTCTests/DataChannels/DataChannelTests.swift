import Basics
import TestSeeds
import Testing

@testable import RTC

/// Channels: RFC 8831, RFC 8832 and what W3C's interface expects of them.
@Suite("Data channels", .tellsSeeds)
struct DataChannelTests {
  @Test func aChannelOpensAtBothEndsWithItsOptions() throws {
    let link = DataChannelLink()
    let options = DataChannelOptions(
      label: "grüß", protocol: "v1", ordered: false, maxLifetime: .milliseconds(1_500), priority: 1_024)
    // Before the association is up.
    let id = try link.client.open(options, now: link.now)
    try link.client.send(Array("early".utf8), kind: .text, on: id, now: link.now)
    #expect(link.clientEvents.isEmpty)
    link.run(for: .seconds(1))
    #expect(link.clientEvents == [.connected, .opened(id, options)])
    let theirs = try #require(link.opened(at: .server).first)
    #expect(theirs.streamID == id.streamID)
    #expect(
      link.serverEvents == [
        .connected, .opened(theirs, options), .message(theirs, .text, Array("early".utf8)),
      ])
    // And back on the same channel.
    try link.server.send([1, 2], kind: .binary, on: theirs, now: link.now)
    link.run(for: .seconds(1))
    #expect(link.clientEvents.last == .message(id, .binary, [1, 2]))
  }

  /// RFC 8832 section 6: even streams for the DTLS client, odd for the server, so that both may open at once.
  @Test func streamsFollowTheRole() throws {
    let link = DataChannelLink.connected()
    let client = try (0..<3).map { _ in try link.client.open(DataChannelOptions(), now: link.now).streamID }
    let server = try (0..<3).map { _ in try link.server.open(DataChannelOptions(), now: link.now).streamID }
    #expect(client == [0, 2, 4] && server == [1, 3, 5])
    link.run(for: .seconds(1))
    #expect(link.opened(at: .client).count == 6 && link.opened(at: .server).count == 6)
  }

  /// RFC 8831 section 6.6: PPIDs 56 and 57 with one byte that does not count.
  @Test func emptyMessagesKeepTheirKind() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(), now: link.now)
    try link.client.send([], kind: .text, on: id, now: link.now)
    try link.client.send([], kind: .binary, on: id, now: link.now)
    try link.client.send([0], kind: .binary, on: id, now: link.now)
    link.run(for: .seconds(1))
    let theirs = try #require(link.opened(at: .server).first)
    #expect(
      Array(link.serverEvents.suffix(3)) == [
        .message(theirs, .text, []), .message(theirs, .binary, []), .message(theirs, .binary, [0]),
      ])
    #expect(link.server.statistics.bytesReceived == 1)
  }

  @Test func negotiatedChannelsNeedNoOpen() throws {
    let link = DataChannelLink(starts: false)
    let options = DataChannelOptions(label: "n", negotiatedID: 1_023)
    let a = try link.client.open(options, now: link.now)
    let b = try link.server.open(options, now: link.now)
    link.client.start(now: link.now)
    link.run(for: .seconds(1))
    #expect(link.clientEvents == [.connected, .opened(a, options)])
    #expect(link.serverEvents == [.connected, .opened(b, options)])
    try link.client.send([1], kind: .text, on: a, now: link.now)
    try link.server.send([2], kind: .text, on: b, now: link.now)
    link.run(for: .seconds(1))
    #expect(link.messages(at: .server) == [[1]] && link.messages(at: .client) == [[2]])
    #expect(throws: DataChannelError.idInUse(1_023)) { try link.client.open(options, now: link.now) }
    #expect(throws: DataChannelError.idOutOfRange(1_024)) {
      try link.client.open(DataChannelOptions(negotiatedID: 1_024), now: link.now)
    }
  }

  @Test func callsThatCannotBeServedSayWhy() throws {
    var configuration = SCTPConfiguration()
    configuration.maximumChannels = 2
    configuration.maximumSendMessageSize = 100
    let link = DataChannelLink.connected(client: configuration)
    #expect(throws: DataChannelError.twoLimits) {
      try link.client.open(DataChannelOptions(maxRetransmits: 1, maxLifetime: .seconds(1)), now: link.now)
    }
    #expect(throws: DataChannelError.labelTooLong(limit: 1_024)) {
      try link.client.open(DataChannelOptions(label: String(repeating: "ü", count: 513)), now: link.now)
    }
    let id = try link.client.open(DataChannelOptions(), now: link.now)
    _ = try link.client.open(DataChannelOptions(), now: link.now)
    #expect(throws: DataChannelError.tooManyChannels) { try link.client.open(DataChannelOptions(), now: link.now) }
    try link.client.send([UInt8](repeating: 0, count: 100), kind: .binary, on: id, now: link.now)
    #expect(throws: DataChannelError.messageTooLarge(limit: 100)) {
      try link.client.send([UInt8](repeating: 0, count: 101), kind: .binary, on: id, now: link.now)
    }
    link.client.close(id, now: link.now)
    #expect(throws: DataChannelError.closing) { try link.client.send([1], kind: .binary, on: id, now: link.now) }
    link.run(for: .seconds(2))
    #expect(throws: DataChannelError.unknownChannel) {
      try link.client.send([1], kind: .binary, on: id, now: link.now)
    }
    #expect(link.client.bufferedAmount(id) == 0)
    link.client.shutdown(now: link.now)
    #expect(throws: DataChannelError.ended) { try link.client.open(DataChannelOptions(), now: link.now) }
  }

  /// RFC 8831 section 6.7: what was sent before the close arrives, both ends learn of it, and the stream is free again.
  @Test(arguments: [0.0, 0.15])
  func aClosedChannelDeliversEverythingAndItsStreamIsUsedAgain(loss: Double) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let link = DataChannelLink.connected(seed: seed)
      link.loss = loss
      link.jitter = .milliseconds(loss > 0 ? 10 : 0)
      var previous: DataChannelID?
      for round in 0..<5 {
        let id = try link.client.open(DataChannelOptions(label: "r\(round)"), now: link.now)
        #expect(id.streamID == 0, "seed \(seed)")
        #expect(id != previous)
        for number in 0..<20 {
          try link.client.send(SCTPTransferTests.message(number, 3_000), kind: .binary, on: id, now: link.now)
        }
        link.client.close(id, now: link.now)
        let done = link.run(atMost: .seconds(60)) { link.closed(at: .client).contains(id) }
        #expect(done, "seed \(seed) round \(round)")
        link.run(atMost: .seconds(60)) { link.closed(at: .server).count == round + 1 }
        let expected = (0..<20).map { SCTPTransferTests.message($0, 3_000) }
        #expect(Array(link.messages(at: .server).suffix(20)) == expected, "seed \(seed) round \(round)")
        #expect(link.closed(at: .server).count == round + 1, "seed \(seed) round \(round)")
        previous = id
      }
      #expect(link.client.statistics.dataChannelsClosed == 5)
      #expect(link.server.channels.isEmpty && link.server.resetting.isEmpty)
    }
  }

  @Test func bothEndsMayCloseAtOnce() throws {
    let link = DataChannelLink.connected()
    var ids: [DataChannelID] = []
    for _ in 0..<30 { ids.append(try link.client.open(DataChannelOptions(), now: link.now)) }
    link.run(for: .seconds(1))
    for id in ids { link.client.close(id, now: link.now) }
    for id in link.opened(at: .server) { link.server.close(id, now: link.now) }
    link.run(for: .seconds(5))
    #expect(link.closed(at: .client).count == 30 && link.closed(at: .server).count == 30)
    #expect(link.client.channels.isEmpty && link.server.channels.isEmpty)
  }

  @Test func theOtherEndMayClose() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "x"), now: link.now)
    link.run(for: .seconds(1))
    let theirs = try #require(link.opened(at: .server).first)
    link.server.close(theirs, now: link.now)
    link.run(for: .seconds(2))
    #expect(link.closed(at: .client) == [id] && link.closed(at: .server) == [theirs])
    // Only its owner's parity gets the stream again.
    #expect(try link.client.open(DataChannelOptions(), now: link.now).streamID == 0)
  }

  /// The peer may use the stream again as soon as it has seen both halves end, while the answer to our own
  /// reset is still lost somewhere (the race of pion/sctp and str0m).
  @Test func aStreamUsedAgainBeforeOurAnswerArrivesIsANewChannel() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(label: "old"), now: link.now)
    link.run(for: .seconds(1))
    // The client's answers to resets get lost for a while, its own requests and data do not.
    var isLosing = true
    link.tap = { end, packet in
      guard isLosing, end == .client else { return packet }
      let isAnswer = Chunks.parse(packet).contains { $0.type == 130 && $0.value.count >= 2 && $0.value[1] == 16 }
      return isAnswer ? nil : packet
    }
    link.client.close(id, now: link.now)
    link.run(atMost: .seconds(2)) { link.closed(at: .client) == [id] }
    #expect(link.closed(at: .server).isEmpty)
    let fresh = try link.client.open(DataChannelOptions(label: "new"), now: link.now)
    #expect(fresh.streamID == id.streamID)
    try link.client.send([5], kind: .binary, on: fresh, now: link.now)
    link.run(for: .milliseconds(100))
    let theirs = link.opened(at: .server)
    #expect(theirs.count == 2)
    #expect(link.closed(at: .server) == [theirs[0]])
    #expect(link.messages(at: .server) == [[5]])
    try link.server.send([6], kind: .binary, on: theirs[1], now: link.now)
    isLosing = false
    link.run(for: .seconds(5))
    #expect(link.messages(at: .client) == [[6]])
    #expect(link.closed(at: .client) == [id])
  }

  @Test func bufferedAmountCountsDownAndTellsWhenItIsLow() throws {
    let link = DataChannelLink.connected()
    let id = try link.client.open(DataChannelOptions(bufferedAmountLowThreshold: 50_000), now: link.now)
    link.run(for: .seconds(1))
    for _ in 0..<10 {
      try link.client.send([UInt8](repeating: 0, count: 20_000), kind: .binary, on: id, now: link.now)
    }
    #expect(link.client.bufferedAmount(id) == 200_000)
    var seen = -1
    link.run(atMost: .seconds(5)) {
      if seen < 0, link.count(.client, .bufferedAmountLow(id)) > 0 { seen = link.client.bufferedAmount(id) }
      return seen >= 0
    }
    #expect((0...50_000).contains(seen))
    link.run(for: .seconds(5))
    #expect(link.client.bufferedAmount(id) == 0)
    #expect(link.count(.client, .bufferedAmountLow(id)) == 1)
  }

  /// RFC 8832 section 6: until the peer has answered, an unordered channel's messages go in order behind the OPEN, or
  /// they would arrive on a stream that the peer does not know.
  @Test func messagesOfAnUnorderedChannelDoNotOvertakeItsOpen() throws {
    for seed in 1...30 as ClosedRange<UInt64> {
      let link = DataChannelLink.connected(seed: seed)
      link.jitter = .milliseconds(60)
      link.loss = 0.1
      let id = try link.client.open(DataChannelOptions(label: "u", ordered: false), now: link.now)
      for number in 0..<20 {
        try link.client.send(SCTPTransferTests.message(number, 900), kind: .binary, on: id, now: link.now)
      }
      link.run(for: .seconds(30))
      #expect(link.messages(at: .server).count == 20, "seed \(seed)")
      #expect(link.server.statistics.drops[.unknownChannel] == 0)
    }
  }

  @Test func aMessageLongerThanAnnouncedClosesItsChannelOnly() throws {
    var small = SCTPConfiguration()
    small.maximumReceiveMessageSize = 10_000
    let link = DataChannelLink.connected(server: small)
    let big = try link.client.open(DataChannelOptions(label: "big"), now: link.now)
    let other = try link.client.open(DataChannelOptions(label: "other"), now: link.now)
    try link.client.send([UInt8](repeating: 1, count: 10_000), kind: .binary, on: big, now: link.now)
    try link.client.send([UInt8](repeating: 1, count: 10_001), kind: .binary, on: big, now: link.now)
    try link.client.send([3], kind: .binary, on: other, now: link.now)
    link.run(for: .seconds(3))
    #expect(link.messages(at: .server).map(\.count) == [10_000, 1])
    #expect(link.closed(at: .client) == [big])
    #expect(link.closed(at: .server).count == 1)
    #expect(link.server.statistics.drops[.messageTooLarge] == 1)
  }

  @Test func theHigherPriorityGoesFirst() throws {
    let link = DataChannelLink.connected()
    let low = try link.client.open(DataChannelOptions(label: "low", priority: 128), now: link.now)
    let high = try link.client.open(DataChannelOptions(label: "high", priority: 1_024), now: link.now)
    link.run(for: .seconds(1))
    for _ in 0..<50 { try link.client.send([UInt8](repeating: 0, count: 5_000), kind: .binary, on: low, now: link.now) }
    link.run(for: .milliseconds(1))
    try link.client.send([1], kind: .binary, on: high, now: link.now)
    link.run(atMost: .seconds(5)) { link.messages(at: .server, on: high.streamID).count == 1 }
    #expect(link.messages(at: .server, on: low.streamID).count < 20)
  }

  @Test func countersAreKeptForEachChannel() throws {
    let link = DataChannelLink.connected()
    let a = try link.client.open(DataChannelOptions(), now: link.now)
    let b = try link.client.open(DataChannelOptions(), now: link.now)
    try link.client.send([1, 2, 3], kind: .binary, on: a, now: link.now)
    try link.client.send([1], kind: .binary, on: b, now: link.now)
    try link.client.send([1], kind: .binary, on: b, now: link.now)
    link.run(for: .seconds(1))
    #expect(link.client.statistics(of: a)?.bytesSent == 3)
    #expect(link.client.statistics(of: b)?.messagesSent == 2)
    let theirs = link.opened(at: .server)
    #expect(link.server.statistics(of: theirs[0])?.bytesReceived == 3)
    #expect(link.server.statistics.messagesReceived == 3)
    #expect(link.client.statistics.dataChannelsOpened == 2)
  }

  // MARK: The end (RFC 9260 section 9)

  @Test(arguments: [0.0, 0.2])
  func shutdownDeliversEverythingFirst(loss: Double) throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      let link = DataChannelLink.connected(seed: seed)
      link.loss = loss
      let id = try link.client.open(DataChannelOptions(), now: link.now)
      for number in 0..<50 {
        try link.client.send(SCTPTransferTests.message(number, 2_000), kind: .binary, on: id, now: link.now)
      }
      link.client.shutdown(now: link.now)
      link.run(for: .seconds(120))
      #expect(link.messages(at: .server) == (0..<50).map { SCTPTransferTests.message($0, 2_000) }, "seed \(seed)")
      #expect(link.failure(at: .client) == .shutDown, "seed \(seed)")
      #expect(link.failure(at: .server) == .shutDown, "seed \(seed)")
      #expect(link.client.deadline == .distantFuture && link.server.deadline == .distantFuture)
      // The counts can still be read.
      #expect(link.client.statistics.smoothedRoundTripTime != nil)
      if loss > 0 { #expect(link.client.statistics.retransmissions > 0, "seed \(seed)") }
    }
  }

  @Test func bothEndsMayShutDownAtOnce() {
    let link = DataChannelLink.connected()
    link.client.shutdown(now: link.now)
    link.server.shutdown(now: link.now)
    link.run(for: .seconds(5))
    #expect(link.failure(at: .client) == .shutDown && link.failure(at: .server) == .shutDown)
  }

  @Test func aShutdownThatNobodyAnswersEnds() {
    let link = DataChannelLink.connected()
    link.isCut = true
    link.client.shutdown(now: link.now)
    link.run(for: .seconds(100))
    #expect(link.failure(at: .client) == .peerUnreachable)
  }

  @Test func shutdownBeforeTheStartEndsAtOnce() {
    var end = DataChannelTransport(dtlsRole: .client)
    end.shutdown(now: .zero)
    #expect(end.drainEvents() == [.failed(.shutDown)])
    #expect(end.drain().isEmpty)
  }

  @Test func aTransportInAnotherTaskIsAValue() {
    let transport = DataChannelTransport(dtlsRole: .server)
    func needsSendable(_ value: some Sendable) {}
    needsSendable(transport)
    #expect(transport.deadline == .distantFuture)
    #expect(!transport.isConnected)
  }
}
