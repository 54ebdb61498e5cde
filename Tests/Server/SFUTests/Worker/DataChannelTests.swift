import Basics
import Foundation
import TestSupport
import Testing
import Transport

@testable import RTC
@testable import SFU

/// Clients with data channels on loopback sockets against real workers.
@Suite("Data channels of a worker", .serialized)
struct DataChannelTests {
  /// A client with its channels, and what came over them.
  private final class Peer {
    let id: ParticipantID
    let client: LoopbackClient
    var channels: [DataDelivery: DataChannelID] = [:]
    private var read = 0
    private(set) var opened: Set<DataChannelID> = []
    private(set) var closed: Set<DataChannelID> = []
    private(set) var messages: [DataChannelID: [[UInt8]]] = [:]

    init(_ name: String, dtls: DTLSContext, hasData: Bool = true) throws {
      id = ParticipantID(rawValue: name)
      client = try LoopbackClient(dtls: dtls)
      _ = client.peer.addSlot(.audio)
      if hasData { client.peer.addDataChannels() }
    }

    func pump() {
      client.pump()
      for event in client.events[read...] {
        guard case .data(let data) = event else { continue }
        switch data {
        case .opened(let id, _): opened.insert(id)
        case .closed(let id): closed.insert(id)
        case .message(let id, _, let bytes): messages[id, default: []].append(bytes)
        case .connected, .bufferedAmountLow, .failed: break
        }
      }
      read = client.events.count
    }

    func open(_ delivery: DataDelivery, label: String? = nil) throws {
      let options = DataChannelOptions(
        label: label ?? (delivery == .reliable ? "reliable" : "lossy"), ordered: delivery == .reliable,
        maxRetransmits: delivery == .lossy ? 0 : nil)
      channels[delivery] = try client.peer.openDataChannel(options, now: MonotonicClock.now)
    }

    var isReady: Bool { client.isConnected && channels.values.allSatisfy { opened.contains($0) } }

    func send(_ bytes: [UInt8], _ delivery: DataDelivery, kind: DataMessageKind = .binary) throws {
      guard let channel = channels[delivery] else { throw CancellationError() }
      try client.peer.sendData(bytes.span, kind: kind, on: channel, now: MonotonicClock.now)
    }

    func received(_ delivery: DataDelivery) -> [[UInt8]] { channels[delivery].flatMap { messages[$0] } ?? [] }
  }

  /// The workers' reports, gathered next to the test.
  private actor Reports {
    private(set) var all: [MeetingDataEvent] = []
    func gather(_ events: AsyncStream<MeetingDataEvent>) { Task { for await event in events { all.append(event) } } }
    func messages(from id: ParticipantID) -> [[UInt8]] {
      all.compactMap { if case .message(id, _, let bytes) = $0 { bytes } else { nil } }
    }
  }

  private static func context() throws -> DTLSContext {
    try DTLSContext(certificate: .selfSigned(unixTime: Int64(Date().timeIntervalSince1970)))
  }

  private func wait(_ peers: [Peer], until condition: () async throws -> String?) async throws {
    let end = ContinuousClock.now + waitingLimit
    while true {
      for peer in peers { peer.pump() }
      guard let missing = try await condition() else { return }
      if ContinuousClock.now > end {
        Issue.record("still missing after \(waitingLimit): \(missing)")
        throw CancellationError()
      }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  /// A pool and its participants, with their channels open.
  private func meet(
    _ meetings: [String: String], settings: DataChannelSettings = DataChannelSettings(),
    without: Set<String> = []
  ) async throws -> (MediaWorkerPool, [String: Peer], [String: Reports]) {
    let dtls = try Self.context()
    let pool = try MediaWorkerPool(count: 2, configuration: MediaWorkerConfiguration(dtls: dtls, data: settings))
    try await pool.start()
    var peers: [String: Peer] = [:]
    var reports: [String: Reports] = [:]
    for (name, meeting) in meetings.sorted(by: { $0.key < $1.key }) {
      if reports[meeting] == nil {
        let gathering = Reports()
        await gathering.gather(await pool.dataEvents(of: MeetingID(rawValue: meeting)))
        reports[meeting] = gathering
      }
      let peer = try Peer(name, dtls: dtls, hasData: !without.contains(name))
      let answer = try await pool.join(
        peer.id, meeting: MeetingID(rawValue: meeting), offer: try peer.client.peer.createOffer(), tracks: [])
      try peer.client.peer.setAnswer(answer.sdp, now: MonotonicClock.now)
      if !without.contains(name) {
        try peer.open(.reliable)
        try peer.open(.lossy)
      }
      peers[name] = peer
    }
    let all = Array(peers.values)
    try await wait(all) { all.allSatisfy(\.isReady) ? nil : "not every channel is open" }
    return (pool, peers, reports)
  }

  @Test("both channels' messages leave the meeting's stream as sent, and no other's")
  func incoming() async throws {
    let (pool, peers, reports) = try await meet(["a": "m", "b": "m", "c": "n"])
    let a = try #require(peers["a"])
    let c = try #require(peers["c"])
    let long = (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try a.send([1, 2, 3], .reliable)
    try a.send(long, .reliable)
    try a.send([4], .lossy)
    try c.send([5], .reliable)
    try await wait(Array(peers.values)) {
      let count = await reports["m"]?.all.count ?? 0
      let other = await reports["n"]?.all.count ?? 0
      return count == 3 && other == 1 ? nil : "\(count) and \(other) messages came"
    }
    let all = await reports["m"]?.all ?? []
    #expect(
      all.contains(.message(from: a.id, .reliable, [1, 2, 3])) && all.contains(.message(from: a.id, .lossy, [4])))
    let isWhole = all.contains(.message(from: a.id, .reliable, long))
    #expect(isWhole)
    #expect(await reports["n"]?.all == [.message(from: c.id, .reliable, [5])])
    let data = await pool.statistics().map(\.data)
    #expect(data.map(\.messagesReceived).reduce(0, +) == 4)
    #expect(data.map(\.bytesReceived).reduce(0, +) == 70_005)
    await pool.shutdown()
  }

  @Test("a message goes to those the room names, on its channel, if they have it")
  func outgoing() async throws {
    let (pool, peers, _) = try await meet(["a": "m", "b": "m", "d": "m"], without: ["d"])
    let a = try #require(peers["a"])
    let b = try #require(peers["b"])
    let d = try #require(peers["d"])
    let everybody = [a.id, b.id, d.id, ParticipantID(rawValue: "nobody")]
    let long = (0..<66_000).map { UInt8(truncatingIfNeeded: $0 &* 3) }
    await pool.sendData([1], .reliable, to: everybody)
    await pool.sendData(long, .reliable, to: [b.id])
    await pool.sendData([2], .lossy, to: everybody)
    try await wait(Array(peers.values)) {
      a.received(.reliable).count == 1 && b.received(.reliable).count == 2 && a.received(.lossy).count == 1
        && b.received(.lossy).count == 1 ? nil : "messages are missing"
    }
    #expect(a.received(.reliable) == [[1]] && a.received(.lossy) == [[2]] && d.messages.isEmpty)
    let isWhole = b.received(.reliable) == [[1], long]
    #expect(isWhole)
    #expect(await pool.statistics().map(\.data.messagesSent).reduce(0, +) == 5)
    await pool.leave(a.id)
    await pool.sendData([3], .reliable, to: [a.id, b.id])
    try await wait([b]) { b.received(.reliable).count == 3 ? nil : "the third message is missing" }
    await pool.shutdown()
  }

  @Test("threat 20: a small meeting's participants have more bytes, and no more messages")
  func smallMeeting() {
    let settings = DataChannelSettings(
      messagesPerSecond: 10, messageBurst: 10, bytesPerSecond: 100, byteBurst: 100, smallMeetingFactor: 8)
    func passed(_ bytes: Int, isSmall: Bool) -> Int {
      var limit = DataRateLimit(settings, isSmall: isSmall)
      return (0..<20).count(where: { _ in limit.consume(bytes, now: .zero) })
    }
    let found: [Int] = [passed(100, isSmall: false), passed(100, isSmall: true), passed(1, isSmall: true)]
    #expect(found == [1, 8, 10])
  }

  @Test("threat 20: sending too much loses messages, is told once a second, and ends")
  func tooFast() async throws {
    let settings = DataChannelSettings(
      messagesPerSecond: 50, messageBurst: 20, bytesPerSecond: 20_000, byteBurst: 60_000)
    let (pool, peers, reports) = try await meet(["a": "m"], settings: settings)
    let a = try #require(peers["a"])
    for number in 0..<60 { try a.send([UInt8(number)], .reliable) }
    try await wait([a]) {
      let drops = await pool.statistics().map { $0.data[.tooFast] }.reduce(0, +)
      let passed = await reports["m"]?.messages(from: a.id).count ?? 0
      return Int(drops) + passed == 60 ? nil : "\(drops) dropped, \(passed) passed"
    }
    var all = await reports["m"]?.all ?? []
    #expect(all.filter { $0 == .tooFast(a.id) }.count == 1)
    let passed = await reports["m"]?.messages(from: a.id) ?? []
    #expect((20..<60).contains(passed.count) && passed.first == [0])
    // Lossy messages are dropped without a word; too large ones count as such.
    try await Task.sleep(for: .milliseconds(600))
    let before = await reports["m"]?.all.count ?? 0
    try a.send([UInt8](repeating: 1, count: 50_000), .reliable)
    try a.send([UInt8](repeating: 1, count: 80_000), .reliable)
    for _ in 0..<100 { try a.send([9], .lossy) }
    try await wait([a]) {
      let data = await pool.statistics().map(\.data)
      let large = data.map { $0[.tooLarge] }.reduce(0, +)
      return large == 1 && data.map { $0[.tooFast] }.reduce(0, +) > UInt64(60 - passed.count)
        ? nil : "no drops are counted"
    }
    all = await reports["m"]?.all ?? []
    #expect(all.count > before && all.contains(.message(from: a.id, .reliable, [UInt8](repeating: 1, count: 50_000))))
    await pool.shutdown()
  }

  @Test(
    "threat 21: a reader that stalls loses lossy messages and its reliable channel")
  func slowReader() async throws {
    let settings = DataChannelSettings(maximumBuffer: 100_000)
    let (pool, peers, reports) = try await meet(["fast": "m", "slow": "m"], settings: settings)
    let fast = try #require(peers["fast"])
    let slow = try #require(peers["slow"])
    let chunk = [UInt8](repeating: 7, count: 8_000)
    // The slow one is not pumped: nothing of what is sent to it is acknowledged.
    for round in 1...40 {
      await pool.sendData(chunk, .lossy, to: [fast.id, slow.id])
      if round % 4 == 0 {
        try await wait([fast]) { fast.received(.lossy).count >= round - 3 ? nil : "the fast reader waits" }
      }
    }
    var data = await pool.statistics().map(\.data)
    #expect(data.map { $0[.slowReader] }.reduce(0, +) >= 20 && data.map(\.channelsClosed).reduce(0, +) == 0)
    for round in 1...40 {
      await pool.sendData(chunk, .reliable, to: [fast.id, slow.id])
      try await wait([fast]) { fast.received(.reliable).count == round ? nil : "the fast reader waits" }
    }
    data = await pool.statistics().map(\.data)
    #expect(data.map(\.channelsClosed).reduce(0, +) == 1)
    #expect(await reports["m"]?.all == [.slowReader(slow.id)])
    #expect(!fast.closed.contains { $0 == fast.channels[.reliable] })
    // Once it reads again it learns of the end, and can open the channel again.
    let lost = try #require(slow.channels[.reliable])
    try await wait([fast, slow]) { slow.closed.contains(lost) ? nil : "the channel is not closed" }
    try slow.open(.reliable)
    try await wait([fast, slow]) { slow.isReady ? nil : "the channel is not open again" }
    await pool.sendData([1], .reliable, to: [slow.id])
    try await wait([fast, slow]) { slow.received(.reliable) == [[1]] ? nil : "nothing came" }
    await pool.shutdown()
  }

  @Test("other labels are closed, text is dropped, and of two channels the newer counts")
  func channels() async throws {
    let (pool, peers, reports) = try await meet(["a": "m"])
    let a = try #require(peers["a"])
    let first = try #require(a.channels[.reliable])
    try a.send([1], .reliable, kind: .text)
    try await wait([a]) {
      await pool.statistics().map { $0.data[.unexpected] }.reduce(0, +) == 1 ? nil : "the text is not counted"
    }
    try a.open(.lossy, label: "something")
    let other = try #require(a.channels[.lossy])
    try await wait([a]) { a.closed.contains(other) ? nil : "the unknown channel is not closed" }
    try a.open(.reliable)
    try await wait([a]) { a.closed.contains(first) ? nil : "the older channel is not closed" }
    try a.send([2], .reliable)
    await pool.sendData([3], .reliable, to: [a.id])
    try await wait([a]) {
      let came = await reports["m"]?.messages(from: a.id) ?? []
      return came == [[2]] && a.received(.reliable) == [[3]] ? nil : "came: \(came), \(a.received(.reliable))"
    }
    await pool.shutdown()
  }
}
