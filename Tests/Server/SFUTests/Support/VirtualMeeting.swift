import Basics
import TestSeeds
@testable import RTC
@testable import SFU

/// How a virtual link treats packets.
struct LinkConditions {
  var loss = 0.0
  var duplicates = 0.0
  var delay = TimeSpan.milliseconds(10)
  /// Added at random to the delay, so that packets overtake each other.
  var jitter = TimeSpan.zero
}

/// SplitMix64, so that each run of a test is the same.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// A router and its participants in virtual time, connected by links that lose, double and reorder packets.
final class VirtualMeeting: PacketSink {
  let router: Router
  let batch = OutputBatch()
  var now = Instant.milliseconds(1_000)
  private(set) var clients: [VirtualClient] = []
  var up = LinkConditions()
  /// In place of ``up`` for the clients of these numbers.
  var upOf: [Int: LinkConditions] = [:]
  var down = LinkConditions()
  /// In place of ``down`` for the clients of these numbers.
  var downOf: [Int: LinkConditions] = [:]
  /// The clients whose RTP does not come through, while their RTCP does, as where only small packets pass.
  var blockedMediaOf: Set<Int> = []
  /// Every datagram that the router sent, by receiver.
  private(set) var sentDatagrams: [Int: Int] = [:]
  private(set) var sentBytes: [Int: Int] = [:]
  /// In how many sends.
  private(set) var sentRuns = 0
  /// Whether packets may wait for others to leave with, as they do in a worker.
  var holds = false
  /// Whether it sends by itself what is due; false where a ``VirtualWorker`` does.
  var flushesItself = true
  private var random: SeededGenerator
  private var queue: [(time: Instant, order: Int, client: Int, isUp: Bool, bytes: [UInt8])] = []
  private var order = 0
  let sender: SRTPSender

  /// - Parameter number: Keeps the meetings of one test apart from each other.
  init(seed: UInt64 = 1, number: UInt64 = 0, audioLoudest: Int = 5) throws {
    let seed = TestSeed.of(seed) &+ number
    let clock = NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000))
    router = Router(clock: clock, seed: seed, audioLoudest: audioLoudest)
    // These clients send no feedback; targets are the tests' own.
    router.dividesBandwidth = false
    random = SeededGenerator(seed)
    sender = try SRTPSender(.insecureNullForSimulation())
  }

  /// - Parameter isConnected: Whether the client's connection stands already; ``connect(_:)`` makes it.
  func join(_ name: String, isConnected: Bool = true) throws -> VirtualClient {
    let member = router.add(ParticipantID(rawValue: name), now: now)
    let client = VirtualClient(meeting: self, member: member)
    while clients.count <= member.index { clients.append(client) }
    clients[member.index] = client
    if isConnected { try connect(client) }
    return client
  }

  /// Makes the connection of a client, or makes it again.
  func connect(_ client: VirtualClient) throws {
    router.open(client.member, sender: try SRTPSender(.insecureNullForSimulation()))
  }

  // MARK: Links

  func send(_ batch: OutputBatch, to egress: Egress) {
    for run in batch.runs {
      sentRuns += 1
      var offset = run.offset
      let end = run.offset + run.length
      while offset < end {
        let next = min(offset + run.segment, end)
        sentDatagrams[egress.participant, default: 0] += 1
        sentBytes[egress.participant, default: 0] += next - offset
        carry((offset..<next).map { batch.bytes[$0] }, client: egress.participant, isUp: false)
        offset = next
      }
    }
  }

  func upload(_ bytes: [UInt8], from client: VirtualClient) {
    if blockedMediaOf.contains(client.member.index), !(192...223).contains(bytes[1]) { return }
    carry(bytes, client: client.member.index, isUp: true)
  }

  private func carry(_ bytes: [UInt8], client: Int, isUp: Bool) {
    let link = isUp ? upOf[client] ?? up : downOf[client] ?? down
    var copies = Double.random(in: 0..<1, using: &random) < link.loss ? 0 : 1
    if copies > 0, Double.random(in: 0..<1, using: &random) < link.duplicates { copies = 2 }
    for _ in 0..<copies {
      let extra = link.jitter == .zero ? 0 : Int64.random(in: 0...link.jitter.nanoseconds, using: &random)
      queue.append((now + link.delay + TimeSpan(nanoseconds: extra), order, client, isUp, bytes))
      order += 1
    }
  }

  /// Takes what a client has sent and the router has not seen yet.
  func takeUploads(of client: VirtualClient) -> [[UInt8]] {
    let taken = queue.filter { $0.isUp && $0.client == client.member.index }
    queue.removeAll { $0.isUp && $0.client == client.member.index }
    return taken.map(\.bytes)
  }

  // MARK: Time

  /// Lets `span` pass.
  func run(for span: TimeSpan) {
    let end = now + span
    while true {
      var next = min(end, router.deadline)
      for event in queue { next = min(next, event.time) }
      for client in clients { next = min(next, client.deadline) }
      if router.needsFlush { next = min(next, flushDeadline) }
      now = max(now, next)
      if now >= end { now = end }
      step()
      if now >= end, !queue.contains(where: { $0.time <= end }), router.deadline > end,
        !clients.contains(where: { $0.deadline <= end })
      {
        return
      }
    }
  }

  /// When something is next to be done.
  var nextEvent: Instant {
    var next = router.deadline
    for event in queue { next = min(next, event.time) }
    for client in clients { next = min(next, client.deadline) }
    return next
  }

  /// Does what is due now.
  func step() {
    var due = queue.filter { $0.time <= now }
    queue.removeAll { $0.time <= now }
    due.sort { ($0.time, $0.order) < ($1.time, $1.order) }
    for event in due {
      if event.isUp { receive(event.bytes, clients[event.client]) } else { clients[event.client].receive(event.bytes) }
    }
    for client in clients { client.tick() }
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    if flushesItself, router.needsFlush, flushDeadline <= now { router.flush(now: now, batch: batch, to: self) }
  }

  private var flushDeadline: Instant { holds ? router.flushDeadline(load: .zero) : .zero }

  /// Hands a packet to the router at once, as if decryption had just accepted it.
  func receive(_ bytes: [UInt8], _ client: VirtualClient) {
    if (192...223).contains(bytes[1]) {
      router.receiveRTCP(bytes.span, from: client.member, now: now)
    } else if let header = try? RTPHeader.parse(bytes.span) {
      router.receiveRTP(bytes.span, header: header, from: client.member, now: now)
    }
    if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
  }

  func flush() { router.flush(now: now, batch: batch, to: self) }
}

/// Media sections as two sides would have negotiated them.
enum Sections {
  static let midID: UInt8 = 1
  static let transportID: UInt8 = 2
  static let levelID: UInt8 = 3
  static let ridID: UInt8 = 4
  static let repairedID: UInt8 = 5
  static let descriptorID: UInt8 = 6

  static var extensions: HeaderExtensionMap {
    var map = HeaderExtensionMap()
    map[.mid] = midID
    map[.transportSequenceNumber] = transportID
    map[.audioLevel] = levelID
    map[.rid] = ridID
    map[.repairedRID] = repairedID
    map[.dependencyDescriptor] = descriptorID
    return map
  }

  static func codecs(_ kind: MediaKind, base: UInt8) -> [NegotiatedCodec] {
    kind == .audio
      ? [NegotiatedCodec(payloadType: PayloadType(rawValue: base + 11), codec: .opus, feedback: [.transportWide])]
      : [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: base), codec: .vp8, rtxPayloadType: PayloadType(rawValue: base + 1),
          feedback: .all)
      ]
  }

  static func receive(
    mid: String, _ kind: MediaKind, base: UInt8 = 96, codecs: [NegotiatedCodec]? = nil,
    sources: [NegotiatedSource] = [],
    rids: [RID] = []
  ) -> NegotiatedMedia {
    NegotiatedMedia(
      mid: MID(rawValue: mid), index: 0, kind: kind, role: .receive, codecs: codecs ?? self.codecs(kind, base: base),
      extensions: extensions, remoteSources: sources, remoteStreamIDs: [], rids: rids, localSource: nil,
      localStreamID: nil, usesReducedSizeRTCP: true)
  }

  static func slot(
    mid: String, _ kind: MediaKind, ssrc: UInt32, base: UInt8 = 96, codecs: [NegotiatedCodec]? = nil
  ) -> NegotiatedMedia {
    NegotiatedMedia(
      mid: MID(rawValue: mid), index: 0, kind: kind, role: .send, codecs: codecs ?? self.codecs(kind, base: base),
      extensions: extensions, remoteSources: [], remoteStreamIDs: [], rids: [],
      localSource: NegotiatedSource(
        ssrc: SSRC(rawValue: ssrc), rtxSSRC: kind == .video ? SSRC(rawValue: ssrc + 1) : nil),
      localStreamID: nil, usesReducedSizeRTCP: true)
  }
}
