import Basics
import Foundation
import Parley
import TestSeeds
import TestSupport
import Testing

@testable import BBMEnterprise
@testable import Messaging

/// Data connections between endpoints of a real server.
@MainActor @Suite(.serialized) struct DataConnectionTests {
  /// The data that a side has received.
  @MainActor private final class Inbox {
    var finished: [(name: String?, type: BBMDataChannelType, bytes: Data)] = []
    var progress: [Double] = []
    var errors: [BBMMediaError?] = []

    func attach(to connection: BBMDataConnection) {
      let callback: @MainActor (BBMChannelData?, (any Error)?) -> Void = { [weak self] data, error in
        guard let self, let data else { return }
        if let error { return errors.append(error as? BBMMediaError) }
        progress.append(data.progress)
        guard data.transferComplete else { return }
        let file = (data.filePath as String?).flatMap { FileManager.default.contents(atPath: $0) }
        finished.append((data.name, data.type, data.data ?? file ?? Data()))
        if let path = data.filePath as String? { try? FileManager.default.removeItem(atPath: path) }
      }
      connection.dataAvailableCallback = callback
      connection.fileAvailableCallback = callback
    }
  }

  @Test("a file of 8 MB, bytes, text and a stream arrive whole, and a refused offer ends")
  func transfers() async throws {
    try await CallServer.run { server in
      let (ann, ben) = (try await server.phone("ann"), try await server.phone("ben"))
      let inbox = Inbox()
      ben.whenAccepted = { inbox.attach(to: $0) }
      let connection = try #require(await ann.connect(ben, "for you"))
      try await wait(for: "the offer") { ben.heard == ["offered", "available"] }
      let offered = try #require(ben.connection)
      #expect(offered.metaData == "for you" && offered.incoming && offered.peerRegId == ann.regId.stringValue)
      #expect(connection.sendFile("/nowhere", callback: nil) == nil && !connection.connected)
      ben.media.accept(offered)
      try await wait(for: "the connection") { ann.heard.last == "accepted" && ben.heard.last == "accepted" }
      #expect(connection.connected && connection.createDataChannel("never used") != nil)

      var random = Numbers(seed: TestSeed.of(8))
      let block = Data((0..<8_192).flatMap { _ in withUnsafeBytes(of: random.next()) { Array($0) } })
      let content = (0..<128).reduce(into: Data()) { $0 += block + [UInt8($1)] }
      let path = NSTemporaryDirectory() + "bbm-\(UUID().uuidString).bin"
      try content.write(to: URL(fileURLWithPath: path))
      defer { try? FileManager.default.removeItem(atPath: path) }
      var sent: [Double] = []
      var done: [String] = []
      connection.sendFile(path) { progress, isDone, error in
        sent.append(progress)
        if isDone { done.append("file \(error == nil)") }
      }
      connection.send(Data([1, 2, 3]), description: "bytes") { if $1 { done.append("bytes \($2 == nil)") } }
      connection.send("Grüße", description: nil) { if $1 { done.append("text \($2 == nil)") } }
      let stream: String = try #require(connection.createDataChannel("log"))
      connection.send(Data("one".utf8), toChannel: stream) { if $1 { done.append("stream \($2 == nil)") } }
      try await wait(for: "all of it") { done.count == 4 && inbox.finished.count == 4 }
      #expect(done.allSatisfy { $0.hasSuffix("true") } && done.last == "file true" && inbox.errors.isEmpty)
      let file = try #require(inbox.finished.first { $0.type == kDataChannelFile })
      #expect(file.bytes == content && file.name == (path as NSString).lastPathComponent)
      let rest = inbox.finished.filter { $0.type != kDataChannelFile }.map {
        "\($0.name ?? "-") \($0.type.rawValue) \($0.bytes.count)"
      }
      #expect(Set(rest) == ["bytes 0 3", "- 1 7", "log 2 3"] && kDataChannelData != kDataChannelString)
      #expect(sent.count > 100 && sent == sent.sorted() && sent.last == 1 && inbox.progress.max() == 1)
      connection.closeDataChannel(stream)
      #expect(connection.send(Data([0]), toChannel: stream, callback: nil) == nil && kDataChannelStream.rawValue == 2)

      // A transfer that is cut off is an error on both sides.
      connection.sendFile(path) { _, isDone, error in if isDone { done.append("cut \(error == nil)") } }
      try await wait(for: "some of it") { inbox.progress.last.map { $0 > 0.01 && $0 < 1 } == true }
      ben.media.end(offered)
      try await wait(for: "the end") { ann.heard.last == "data ended" && ben.heard.last == "data ended" }
      #expect(done.last == "cut false" && inbox.errors == [kMediaErrorCancelled] && !connection.connected)

      _ = try #require(await ann.connect(ben, ""))
      try await wait(for: "another offer") { ben.heard.last == "available" }
      ben.media.end(ben.connection)
      try await wait(for: "the refusal") { ann.heard.last == "data ended" && !ann.heard.contains("data failed") }
    }
  }
}

/// The packets of data connections, in virtual time.
@MainActor @Suite(.tellsSeeds) struct DataLinkTests {
  /// Two sides with a network that loses packets.
  private func run(_ one: DataChannels, _ other: DataChannels, loss: Int, until isDone: () -> Bool) -> Bool {
    var random = Numbers(seed: TestSeed.of(21))
    var now = Instant(nanoseconds: 0)
    for _ in 0..<20_000 where !isDone() {
      for (side, peer) in [(one, other), (other, one)] {
        while case .send(let packet) = side.nextOutput(now: now) {
          if random.next() % 100 >= UInt64(loss) { peer.receive(packet, now: now) }
        }
      }
      now = now + .milliseconds(20)
    }
    return isDone()
  }

  @Test("whatever the network loses arrives once and in order, within the server's rate")
  func losses() throws {
    let (one, other) = (DataChannels(), DataChannels())
    var blocks: [String] = []
    other.isTaken = { _ in true }
    other.received = { data, error in
      if let error {
        blocks.append("\(error.rawValue)")
      } else if let block = data.data {
        blocks.append(String(decoding: block, as: UTF8.self))
      }
    }
    let stream = try #require(one.open { .stream($0, name: "s") })
    var acknowledged = 0
    for number in 0..<200 {
      let isTaken = one.send(Data("\(number)".utf8), to: stream) { _, isDone, _ in if isDone { acknowledged += 1 } }
      #expect(isTaken)
    }
    let isThrough = run(one, other, loss: 10) { acknowledged == 200 }
    #expect(isThrough)
    #expect(blocks == (0..<200).map(String.init))

    // A second of virtual time has room for no more than the server takes.
    var bytes = 0
    var now = Instant(nanoseconds: 1_000_000_000_000)
    _ = one.open { .memory($0, kDataChannelData, name: nil, Data(count: 64_000_000), nil) }
    let end = now + .seconds(4)
    while now < end {
      while case .send(let packet) = one.nextOutput(now: now) {
        bytes += packet.count
        other.receive(packet, now: now)
      }
      while case .send(let packet) = other.nextOutput(now: now) { one.receive(packet, now: now) }
      now = now + .milliseconds(10)
    }
    let allowed = 8 * (2 * 1_048_576 + 4 * 1_048_576)
    #expect(bytes > 28_000_000 && bytes < allowed)
  }

  @Test("after a callback has ended the connection, nothing more comes")
  func callbacksAfterTheEnd() {
    let pump = DataPump { _ throws(JoinError) in }
    let connection = BBMDataConnection(CallID("call"), peer: RegID(9), incoming: true, metaData: nil)
    var heard: [String] = []
    connection.dataAvailableCallback = { [weak connection] data, error in
      heard.append("\(data?.name ?? "-") \(error == nil)")
      connection?.close()
    }
    connection.follow(pump)
    let records: [ChannelRecord] = [
      .open(1, ChannelHeader(type: 2, name: "stream")), .bytes(1, [1]), .bytes(1, [2]),
      .open(2, ChannelHeader(type: 0, name: "block", size: 2)), .bytes(2, [1]), .close(2),
    ]
    for (number, record) in records.enumerated() {
      pump.receive(DataPacket.block(number: UInt64(number), record.block).bytes)
    }
    pump.start()
    pump.receive(DataPacket.block(number: 6, ChannelRecord.bytes(1, [3]).block).bytes)
    #expect(heard == ["stream true"] && !connection.connected)
  }

  @Test("a channel that takes 4 s for a block isn't filled with blocks that are under way")
  func slowChannel() {
    let (one, other) = (DataChannels(), DataChannels())
    var isThere = false
    other.isTaken = { _ in true }
    other.received = { data, _ in isThere = data.transferComplete }
    _ = one.open { .memory($0, kDataChannelData, name: nil, Data(count: 1_200_000), nil) }
    var underWay: [(arrival: Instant, packet: [UInt8])] = []
    var (now, free, sent) = (Instant(nanoseconds: 0), Instant(nanoseconds: 0), 0)
    for _ in 0..<20_000 where !isThere {
      while case .send(let packet) = one.nextOutput(now: now) {
        free = max(free, now) + .milliseconds(Int64(packet.count / 15))
        underWay.append((free, packet))
        sent += packet.count
      }
      while let first = underWay.first, first.arrival <= now {
        other.receive(first.packet, now: now)
        underWay.removeFirst()
      }
      while case .send(let packet) = other.nextOutput(now: now) { one.receive(packet, now: now) }
      now = now + .milliseconds(20)
    }
    #expect(isThere && sent < 4_500_000)
  }

  @Test("a description of many bytes is cut, and what can't be sent ends the connection")
  func refusedPackets() async throws {
    let family = "👨‍👩‍👧‍👦"
    let name = ChannelHeader.cut(String(repeating: family, count: 1_024))
    #expect(name.utf8.count <= 4_096 && name.count == 4_096 / family.utf8.count)
    #expect(ChannelHeader.cut("e" + String(repeating: "\u{301}", count: 10_000)).isEmpty)
    #expect(!ChannelHeader(type: 2, name: String(repeating: family, count: 1_024)).isValid)
    let pump = DataPump { _ throws(JoinError) in throw .refused(code: "noDataChannel", message: "") }
    var failures = 0
    pump.failed = { failures += 1 }
    _ = pump.channels.open { .stream($0, name: name) }
    pump.wake()
    try await wait(for: "the failure") { failures == 1 }
    pump.end(kMediaFailureMediaSetup)
  }

  @Test("a peer holds 256 MiB, 8 files and 64 channels at once; a sender waits for room")
  func limits() throws {
    let channels = DataChannels()
    var heard: [String] = []
    channels.isTaken = { _ in true }
    channels.received = { if let error = $1 { heard.append("\($0.name ?? "-") \(error.rawValue)") } }
    var number: UInt64 = 0
    func give(_ record: ChannelRecord) {
      channels.receive(DataPacket.block(number: number, record.block).bytes, now: Instant(nanoseconds: 0))
      number += 1
    }
    let (tooLarge, cut) = (kMediaErrorTooLarge.rawValue, kMediaErrorCancelled.rawValue)
    let half = ChannelHeader.memoryLimit / 2
    give(.open(1, ChannelHeader(type: 0, name: "one", size: half)))
    give(.open(2, ChannelHeader(type: 1, name: "two", size: half + 1)))
    give(.open(3, ChannelHeader(type: 1, name: "three", size: half)))
    give(.close(1))
    give(.open(4, ChannelHeader(type: 0, name: "four", size: half)))
    #expect(heard == ["two \(tooLarge)", "one \(cut)"])
    heard = []
    for file in UInt32(10)...18 { give(.open(file, ChannelHeader(type: 3, name: "file \(file)", size: 1))) }
    give(.close(10))
    give(.open(19, ChannelHeader(type: 3, name: "no room", size: .max)))
    for stream in UInt32(20)...74 { give(.open(stream, ChannelHeader(type: 2, name: "\(stream)"))) }
    // Open are 2 blocks, 7 files and 55 streams.
    #expect(heard == ["file 18 \(tooLarge)", "file 10 \(cut)", "no room \(tooLarge)"])
    give(.open(75, ChannelHeader(type: 2, name: "last")))
    #expect(heard.last == "last \(tooLarge)")

    let (one, other) = (DataChannels(), DataChannels())
    var texts: Set<String> = []
    other.isTaken = { _ in true }
    other.received = {
      if $1 == nil, $0.transferComplete, let data = $0.data { texts.insert("\($0.name ?? "-") \(data.count)") }
    }
    for index in 0..<100 {
      _ = one.open { .memory($0, kDataChannelString, name: "\(index)", Data(count: index), nil) }
    }
    let isThrough = run(one, other, loss: 0) { texts.count == 100 }
    #expect(isThrough)
  }

  @Test("a hostile peer's sizes, digests, names and unknown records are errors or ignored")
  func badInput() throws {
    let channels = DataChannels()
    var heard: [String] = []
    channels.isTaken = { _ in true }
    channels.received = { heard.append("\($0.name ?? "-") \($1?.rawValue ?? 0) \($0.transferComplete)") }
    var number: UInt64 = 0
    func give(_ block: [UInt8]) {
      channels.receive(DataPacket.block(number: number, block).bytes, now: Instant(nanoseconds: 0))
      number += 1
    }
    func give(_ record: ChannelRecord) { give(record.block) }
    for bytes in [[], [0], [7, 0, 0, 0, 0, 0, 0, 0, 0], [UInt8](repeating: 1, count: 12)] {
      #expect(DataPacket(bytes) == nil)
    }
    give([])
    give([9, 0, 0, 0, 1])
    give([0, 0, 0, 0, 1, 0x7B])
    #expect(!ChannelHeader(type: 0, size: .max).isValid && !ChannelHeader(type: 9, size: 1).isValid)
    give(.open(1, ChannelHeader(type: 0, name: "more", size: 2)))
    give(.bytes(1, [1, 2, 3]))
    give(.open(2, ChannelHeader(type: 0, name: "digest", size: 1)))
    give(.bytes(2, [1]))
    give(.end(2, digest: [0]))
    give(.open(3, ChannelHeader(type: 3, name: "../../etc/name", size: 5)))
    give(.bytes(3, [1]))
    give(.close(3))
    for (index, name) in ["a/..", "/", ".", "", "a\0b"].enumerated() {
      let id = UInt32(10 + index)
      give(.open(id, ChannelHeader(type: 3, name: name, size: 5)))
      give(.close(id))
    }
    give(.bytes(77, [1]))
    give(.end(77, digest: []))
    // Blocks that were there before or are too early, and an acknowledgement of what was never sent.
    for late in [0, number + 1, .max] {
      let block = ChannelRecord.open(5, ChannelHeader(type: 0, name: "late", size: 1)).block
      channels.receive(DataPacket.block(number: late, block).bytes, now: Instant(nanoseconds: 0))
    }
    give(.bytes(5, [1]))
    channels.receive(DataPacket.received(before: 5).bytes, now: Instant(nanoseconds: 0))
    let cut = kMediaErrorCancelled.rawValue
    let wrong = kMediaErrorTransfer.rawValue
    #expect(
      heard == [
        "more \(wrong) false", "digest 0 false", "digest \(wrong) false", "name 0 false", "name \(cut) false",
      ] + Array(repeating: "- \(cut) false", count: 5))
  }
}

/// Numbers of a seed: SplitMix64.
struct Numbers: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
