import Basics
import RTC
import TestSeeds
import Testing

@Suite("Data channels of peer connections, RFC 8261", .tellsSeeds)
struct DataConnectionTests {
  private static let reliable = DataChannelOptions(label: "all", ordered: true)
  private static let lossy = DataChannelOptions(label: "some", ordered: false, maxRetransmits: 0)

  /// One side's events about its data channels.
  private func data(_ events: [PeerConnectionEvent]) -> [DataChannelEvent] {
    events.compactMap { if case .data(let event) = $0 { event } else { nil } }
  }

  private func opened(_ events: [PeerConnectionEvent], label: String) -> DataChannelID? {
    data(events).compactMap { if case .opened(let id, let options) = $0, options.label == label { id } else { nil } }
      .first
  }

  private func messages(_ events: [PeerConnectionEvent], on id: DataChannelID?) -> [[UInt8]] {
    data(events).compactMap { if case .message(id, _, let bytes) = $0 { bytes } else { nil } }
  }

  private func isClosed(_ events: [PeerConnectionEvent], _ id: DataChannelID) -> Bool {
    data(events).contains { if case .closed(id) = $0 { true } else { false } }
  }

  // Both ways.
  @Test(
    "data channels carry messages of every length over a lossy network",
    arguments: [0.0, 0.05, 0.2], [1, 2] as [UInt64])
  func exchange(loss: Double, seed: UInt64) throws {
    let pair = PeerPair(
      seed: seed, network: .init(loss: loss, duplication: loss / 2, jitter: .milliseconds(10)), dataChannels: true)
    try pair.negotiate()
    // Opened before anything is connected: it waits.
    let mine = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    pair.run(for: .seconds(20)) { self.opened(pair.serverEvents, label: "all") != nil }
    let theirs = try #require(opened(pair.serverEvents, label: "all"))
    let lengths = [1, 2, 1_131, 1_132, 1_133, 1_163, 5_000, 66_000, 200_000]
    let sent = lengths.map { length in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ length) } }
    for message in sent {
      try pair.client.sendData(message.span, on: mine, now: pair.now)
      try pair.server.sendData(message.span, kind: .text, on: theirs, now: pair.now)
    }
    pair.drain()
    pair.run(for: .seconds(60)) {
      self.messages(pair.serverEvents, on: theirs).count == sent.count
        && self.messages(pair.clientEvents, on: mine).count == sent.count
    }
    // Compared outside the macro, which would print megabytes.
    let arrivedThere = messages(pair.serverEvents, on: theirs) == sent
    let arrivedHere = messages(pair.clientEvents, on: mine) == sent
    #expect(arrivedThere && arrivedHere, "seed \(seed), loss \(loss)")
    #expect(pair.largestDatagram <= 1_200)
    pair.run(for: .seconds(5)) { pair.client.bufferedAmount(of: mine) == 0 }
    #expect(pair.client.bufferedAmount(of: mine) == 0)
  }

  @Test("a channel without retransmissions loses messages on a bad network only")
  func lossy() throws {
    let pair = try PeerPair(seed: 3, dataChannels: true).connected()
    let id = try pair.client.openDataChannel(Self.lossy, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(5)) { self.opened(pair.serverEvents, label: "some") != nil }
    let theirs = try #require(opened(pair.serverEvents, label: "some"))
    let options = data(pair.serverEvents).compactMap {
      if case .opened(theirs, let options) = $0 { options } else { nil }
    }
    #expect(options.first?.ordered == false && options.first?.maxRetransmits == 0)
    func send(_ count: Int) throws {
      for number in 0..<count {
        let message = [UInt8(truncatingIfNeeded: number)] + [UInt8](repeating: 9, count: 500)
        try pair.client.sendData(message.span, on: id, now: pair.now)
        pair.drain()
        pair.run(for: .milliseconds(20))
      }
    }
    try send(50)
    #expect(messages(pair.serverEvents, on: theirs).count == 50)
    pair.network.loss = 0.3
    try send(100)
    pair.network.loss = 0
    pair.run(for: .seconds(5))
    let arrived = messages(pair.serverEvents, on: theirs).count - 50
    #expect((30..<100).contains(arrived), "\(arrived) of 100 arrived")
    try send(20)
    #expect(messages(pair.serverEvents, on: theirs).count == 50 + arrived + 20)
  }

  @Test("closing a channel is heard on both sides and leaves the others open")
  func close() throws {
    let pair = try PeerPair(dataChannels: true).connected()
    let first = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    let second = try pair.client.openDataChannel(DataChannelOptions(label: "other"), now: pair.now)
    pair.drain()
    pair.run(for: .seconds(2)) { self.opened(pair.serverEvents, label: "other") != nil }
    pair.server.closeDataChannel(try #require(opened(pair.serverEvents, label: "all")), now: pair.now)
    pair.drain()
    pair.run(for: .seconds(5)) { self.isClosed(pair.clientEvents, first) && self.isClosed(pair.serverEvents, first) }
    #expect(isClosed(pair.clientEvents, first) && isClosed(pair.serverEvents, first))
    #expect(throws: PeerConnectionError.self) {
      try pair.client.sendData([1 as UInt8].span, on: first, now: pair.now)
    }
    try pair.client.sendData([7 as UInt8].span, on: second, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(2))
    #expect(messages(pair.serverEvents, on: opened(pair.serverEvents, label: "other")) == [[7]])
  }

  @Test("messages go on over an ICE restart, later offers and while media flows")
  func restart() throws {
    let pair = try PeerPair(dataChannels: true).connected()
    let id = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(2)) { self.opened(pair.serverEvents, label: "all") != nil }
    _ = pair.client.addSlot(.audio)
    try pair.negotiate(restartsIce: true)
    for number in 0..<20 {
      try pair.client.sendData([UInt8(number)].span, on: id, now: pair.now)
      pair.drain()
      try pair.sendMedia(fromServer: false, sequence: UInt16(number))
      pair.run(for: .milliseconds(20))
    }
    pair.run(for: .seconds(2))
    #expect(messages(pair.serverEvents, on: id) == (0..<20).map { [UInt8($0)] })
    #expect(pair.serverMedia.count == 20)
  }

  @Test("an offer that adds data channels to a connection that stands starts them at once")
  func late() throws {
    let pair = try PeerPair().connected()
    #expect(pair.server.dataChannelStatistics == nil)
    #expect(throws: PeerConnectionError.noDataChannels) {
      try pair.client.openDataChannel(Self.reliable, now: pair.now)
    }
    pair.client.addDataChannels()
    try pair.negotiate()
    _ = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(5)) { self.opened(pair.serverEvents, label: "all") != nil }
    #expect(opened(pair.serverEvents, label: "all") != nil && pair.server.dataChannelStatistics != nil)
  }

  // Before it is sent.
  @Test("a message beyond the peer's max-message-size is refused (RFC 8841 6.1)")
  func tooLong() throws {
    let pair = PeerPair(dataChannels: true)
    try pair.negotiate { $0.replacing("a=max-message-size:262144", with: "a=max-message-size:1000") }
    pair.run(for: .seconds(5)) { pair.server.isConnected && pair.client.isConnected }
    let id = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(2)) { self.opened(pair.serverEvents, label: "all") != nil }
    let long = [UInt8](repeating: 0, count: 1_001)
    #expect(throws: PeerConnectionError.dataChannel(.messageTooLarge(limit: 1_000))) {
      try pair.server.sendData(long.span, on: id, now: pair.now)
    }
    try pair.client.sendData(long.span, on: id, now: pair.now)
    pair.drain()
    pair.run(for: .seconds(2))
    #expect(messages(pair.serverEvents, on: id).count == 1)
  }

  @Test("after the end nothing can be opened or sent")
  func closed() throws {
    let pair = try PeerPair(dataChannels: true).connected()
    let id = try pair.client.openDataChannel(Self.reliable, now: pair.now)
    pair.client.close()
    #expect(throws: PeerConnectionError.closed) { try pair.client.openDataChannel(Self.reliable, now: pair.now) }
    #expect(throws: PeerConnectionError.closed) { try pair.client.sendData([1 as UInt8].span, on: id, now: pair.now) }
    #expect(pair.client.deadline == .distantFuture && pair.client.bufferedAmount(of: id) == 0)
  }
}
