import Basics
import TestSeeds

@testable import RTC

/// Two transports and the network between them, in virtual time: delay, loss, duplicates, reordering, a bottleneck, and
/// a hook that sees and may change every packet. Everything follows from the seed.
final class DataChannelLink {
  enum End: Int { case client, server }

  var client: DataChannelTransport
  var server: DataChannelTransport
  private(set) var now = Instant.milliseconds(1_000)
  var random: SeededRandom

  /// The delay in one direction.
  var delay = TimeSpan.milliseconds(10)
  /// Up to this much more, each packet its own: reorders.
  var jitter = TimeSpan.zero
  var loss = 0.0
  var duplication = 0.0
  var isCut = false
  /// Sees each packet before the network does; nil drops it.
  var tap: ((End, [UInt8]) -> [UInt8]?)?
  /// Whether the ends' events are taken as they come.
  var polls: Set<Int> = [0, 1]

  private(set) var clientEvents: [DataChannelEvent] = []
  private(set) var serverEvents: [DataChannelEvent] = []
  private(set) var packetCount = 0
  /// How often each channel was told that little waits, kept apart because it comes after nearly every message.
  private(set) var lowCounts: [[DataChannelID: Int]] = [[:], [:]]
  /// Messages that arrived at each end.
  private(set) var messageCounts = [0, 0]
  private(set) var largestPacket = 0
  private var wire: [(at: Instant, order: Int, to: End, bytes: [UInt8])] = []
  private var order = 0

  init(
    seed: UInt64 = 1, client: SCTPConfiguration = .init(), server: SCTPConfiguration = .init(), starts: Bool = true
  ) {
    let seed = TestSeed.of(seed)
    random = SeededRandom(seed: seed)
    self.client = DataChannelTransport(
      dtlsRole: .client, configuration: client, random: SeededRandom(seed: seed &* 2 &+ 1))
    self.server = DataChannelTransport(
      dtlsRole: .server, configuration: server, random: SeededRandom(seed: seed &* 2 &+ 2))
    if starts {
      self.client.start(now: now)
      self.server.start(now: now)
    }
  }

  /// A link whose handshake is done.
  static func connected(
    seed: UInt64 = 1, client: SCTPConfiguration = .init(), server: SCTPConfiguration = .init()
  ) -> DataChannelLink {
    let link = DataChannelLink(seed: seed, client: client, server: server)
    link.run(for: .milliseconds(200))
    return link
  }

  /// Lets this much time pass.
  func run(for span: TimeSpan) { run(until: now + span) { false } }

  /// Lets time pass until the condition holds, at most this long; whether it did.
  @discardableResult
  func run(atMost span: TimeSpan, until done: () -> Bool) -> Bool {
    run(until: now + span, done)
    return done()
  }

  private func run(until end: Instant, _ done: () -> Bool) {
    flush()
    while !done() {
      let due = min(min(client.deadline, server.deadline), wire.first?.at ?? .distantFuture)
      guard due <= end else {
        now = max(now, end)
        return
      }
      now = max(now, due)
      if let packet = wire.first, packet.at <= now {
        wire.removeFirst()
        switch packet.to {
        case .client: client.receive(packet.bytes.span, now: now)
        case .server: server.receive(packet.bytes.span, now: now)
        }
      }
      if client.deadline <= now { client.handleTimeout(now: now) }
      if server.deadline <= now { server.handleTimeout(now: now) }
      flush()
    }
  }

  /// Takes events and puts packets on the wire.
  func flush() {
    takeEvents()
    while let packet = client.pollTransmit() { put(packet, from: .client) }
    while let packet = server.pollTransmit() { put(packet, from: .server) }
    takeEvents()
  }

  private func note(_ event: DataChannelEvent, _ end: Int) {
    if case .message = event { messageCounts[end] += 1 }
    if case .bufferedAmountLow(let id) = event {
      lowCounts[end][id, default: 0] += 1
    } else if end == 0 {
      clientEvents.append(event)
    } else {
      serverEvents.append(event)
    }
  }

  private func takeEvents() {
    while polls.contains(0), let event = client.pollEvent() {
      note(event, 0)
    }
    while polls.contains(1), let event = server.pollEvent() {
      note(event, 1)
    }
  }

  private func put(_ packet: [UInt8], from: End) {
    packetCount += 1
    largestPacket = max(largestPacket, packet.count)
    guard let packet = tap.map({ $0(from, packet) }) ?? packet else { return }
    guard !isCut else { return }
    if random.chance(loss) { return }
    enqueue(packet, to: from == .client ? .server : .client)
    if random.chance(duplication) { enqueue(packet, to: from == .client ? .server : .client) }
  }

  private func enqueue(_ packet: [UInt8], to end: End) {
    var at = now + delay
    if jitter > .zero { at = at + TimeSpan(nanoseconds: Int64(random.below(Int(jitter.nanoseconds)))) }
    order += 1
    // Insert behind everything that arrives at the same time or before.
    var low = 0
    var high = wire.count
    while low < high {
      let middle = (low + high) / 2
      if wire[middle].at <= at { low = middle + 1 } else { high = middle }
    }
    wire.insert((at, order, end, packet), at: low)
  }

  // MARK: Arrivals

  func messages(at end: End, on stream: UInt16? = nil) -> [[UInt8]] {
    (end == .client ? clientEvents : serverEvents).compactMap {
      if case .message(let id, _, let bytes) = $0, stream == nil || id.streamID == stream { bytes } else { nil }
    }
  }

  func opened(at end: End) -> [DataChannelID] {
    (end == .client ? clientEvents : serverEvents).compactMap { if case .opened(let id, _) = $0 { id } else { nil } }
  }

  func closed(at end: End) -> [DataChannelID] {
    (end == .client ? clientEvents : serverEvents).compactMap { if case .closed(let id) = $0 { id } else { nil } }
  }

  func failure(at end: End) -> SCTPFailure? {
    for event in end == .client ? clientEvents : serverEvents {
      if case .failed(let failure) = event { return failure }
    }
    return nil
  }

  func count(_ end: End, _ event: DataChannelEvent) -> Int {
    if case .bufferedAmountLow(let id) = event { return lowCounts[end.rawValue][id] ?? 0 }
    return (end == .client ? clientEvents : serverEvents).filter { $0 == event }.count
  }

  func clearEvents() {
    clientEvents = []
    serverEvents = []
  }
}

extension DataChannelTransport {
  /// Makes the first TSN a given one; before the start only.
  mutating func setInitialTSN(_ tsn: UInt32) {
    association.localInitialTSN = tsn
    association.sender = SCTPSender(configuration: association.configuration, initialTSN: tsn)
    association.reset = SCTPStreamReset(initialTSN: tsn)
  }

  /// A packet as the peer of this end would send it.
  func forged(_ chunks: [UInt8]...) -> [UInt8] {
    var writer = SCTPPacketWriter(port: 5_000, tag: association.localTag, capacity: 2_000)
    for chunk in chunks { writer.append(chunk: chunk) }
    return writer.finish()
  }

  /// The TSN that the peer would use next.
  var nextExpectedTSN: UInt32 { SCTPSerial.wire(association.received.cumulative + 1) }

  mutating func receive(_ packet: [UInt8], now: Instant) { receive(packet.span, now: now) }

  mutating func send(
    _ message: [UInt8], kind: DataMessageKind, on id: DataChannelID, now: Instant
  ) throws(DataChannelError) {
    try send(message.span, kind: kind, on: id, now: now)
  }

  mutating func drain() -> [[UInt8]] {
    var packets: [[UInt8]] = []
    while let packet = pollTransmit() { packets.append(packet) }
    return packets
  }

  mutating func drainEvents() -> [DataChannelEvent] {
    var events: [DataChannelEvent] = []
    while let event = pollEvent() { events.append(event) }
    return events
  }
}

/// Chunks written by hand, independent of the code under test.
enum Chunks {
  static func data(
    tsn: UInt32, stream: UInt16 = 0, sequence: UInt16 = 0, ppid: UInt32 = 53, flags: UInt8 = 3, _ payload: [UInt8]
  ) -> [UInt8] {
    [0, flags] + u16(16 + payload.count) + u32(tsn) + u16(Int(stream)) + u16(Int(sequence)) + u32(ppid) + payload
  }

  static func forward(_ tsn: UInt32, _ skipped: [(UInt16, UInt16)] = []) -> [UInt8] {
    [192, 0] + u16(8 + skipped.count * 4) + u32(tsn) + skipped.flatMap { u16(Int($0.0)) + u16(Int($0.1)) }
  }

  static func sack(_ tsn: UInt32, window: UInt32 = 1 << 20, _ blocks: [(Int, Int)] = []) -> [UInt8] {
    [3, 0] + u16(16 + blocks.count * 4) + u32(tsn) + u32(window) + u16(blocks.count) + u16(0)
      + blocks.flatMap { u16($0.0) + u16($0.1) }
  }

  static func initiation(
    type: UInt8 = 1, tag: UInt32 = 7, window: UInt32 = 1 << 20, outbound: Int = 1_024, inbound: Int = 1_024,
    tsn: UInt32 = 100, parameters: [UInt8] = []
  ) -> [UInt8] {
    [type, 0] + u16(20 + parameters.count) + u32(tag) + u32(window) + u16(outbound) + u16(inbound) + u32(tsn)
      + parameters
  }

  static func outgoingReset(sequence: UInt32, lastTSN: UInt32, _ streams: [UInt16]) -> [UInt8] {
    [130, 0] + u16(4 + 16 + streams.count * 2) + u16(13) + u16(16 + streams.count * 2) + u32(sequence) + u32(0)
      + u32(lastTSN) + streams.flatMap { u16(Int($0)) }
  }

  static func u16(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
  static func u32(_ value: UInt32) -> [UInt8] { u16(Int(value >> 16)) + u16(Int(value & 0xFFFF)) }

  /// The chunks of a packet: type, flags, value.
  static func parse(_ packet: [UInt8]) -> [(type: UInt8, flags: UInt8, value: [UInt8])] {
    var chunks: [(UInt8, UInt8, [UInt8])] = []
    var at = 12
    while at + 4 <= packet.count {
      let length = Int(packet[at + 2]) << 8 | Int(packet[at + 3])
      guard length >= 4, at + length <= packet.count else { break }
      chunks.append((packet[at], packet[at + 1], Array(packet[at + 4..<at + length])))
      at += (length + 3) & ~3
    }
    return chunks
  }

  static func types(_ packets: [[UInt8]]) -> [UInt8] { packets.flatMap { parse($0).map(\.type) } }

  static func open(_ label: String = "x", type: UInt8 = 0) -> [UInt8] {
    [3, type, 1, 0, 0, 0, 0, 0] + u16(label.utf8.count) + u16(0) + Array(label.utf8)
  }
}
