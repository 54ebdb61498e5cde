import Basics
import NetworkEmulator
import TestSeeds

@testable import RTC
@testable import SFU

/// A router in virtual time between publishers on perfect networks and receivers behind emulated ones. Everything
/// follows from the seed.
final class QualityMeeting: PacketSink {
  typealias Link = EmulatedLink<AddressedPacket<Int>>

  let router: Router
  private(set) var now = Instant.milliseconds(1_000)
  let start = Instant.milliseconds(1_000)
  private(set) var publishers: [SyntheticPublisher] = []
  private(set) var receivers: [SyntheticReceiver] = []
  /// The ways to the receivers; several may share one.
  var links: [Link] = []
  private(set) var events: [(at: Double, event: MediaEvent)] = []
  private let batch = OutputBatch()
  private let seed: UInt64
  private var receiverOf: [Int: Int] = [:]
  private var publisherOf: [Int: Int] = [:]
  private var nextSample: Instant
  /// Called ten times a second, after everything that was due.
  var onSample: (() -> Void)?
  /// The load that packets wait under, as in a busy worker; nil where they leave at once, as in one that has room.
  private let load: TimeSpan?

  /// - Parameter load: See ``LoadGauge/hold``; 5 ms is the longest that packets can wait.
  init(seed: UInt64, load: TimeSpan? = nil) {
    self.load = load
    let seed = TestSeed.of(seed)
    self.seed = seed
    nextSample = start
    router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)), seed: seed)
  }

  /// Seconds since the beginning.
  var seconds: Double { (now - start).seconds }

  // MARK: Participants

  /// Adds a publisher, whose layers are at their rates at once, or take `ramp` to come to them.
  func addPublisher(
    _ layers: [Int] = [120, 450, 1_500], audio: Bool = true, isScreenShare: Bool = false, ramp: TimeSpan = .zero,
    addsRedundancy: Bool = false
  ) throws -> SyntheticPublisher {
    let index = publishers.count
    let member = router.add(ParticipantID(rawValue: "p\(index)"), now: now)
    let publisher = SyntheticPublisher(
      index: index, member: member, router: router, layers: layers, hasAudio: audio, isScreenShare: isScreenShare,
      ramp: ramp, start: now, seed: seed &* 31 &+ UInt64(index), addsRedundancy: addsRedundancy)
    publishers.append(publisher)
    publisherOf[member.index] = index
    router.open(member, sender: try SRTPSender(.insecureNullForSimulation()))
    return publisher
  }

  /// Adds a way whose conditions begin as `conditions`.
  func addLink(_ conditions: LinkConditions) -> Int {
    links.append(Link(conditions, seed: seed &+ UInt64(links.count) &* 7 &+ 1))
    return links.count - 1
  }

  /// Adds a receiver of all publishers behind the link of number `link`.
  func addReceiver(
    link: Int, back: LinkConditions, redundancy: Bool = true, repairsSound: Bool = false,
    feedback: SyntheticReceiver.Feedback = .transportWide
  ) throws -> SyntheticReceiver {
    let index = receivers.count
    let member = router.add(ParticipantID(rawValue: "r\(index)"), now: now)
    let receiver = SyntheticReceiver(
      member: member, link: link, back: NetworkEmulator(back, seed: seed &+ 1_000 &+ UInt64(index)),
      feedback: feedback, repairsSound: repairsSound, now: now)
    receivers.append(receiver)
    receiverOf[member.index] = index
    router.open(member, sender: try SRTPSender(.insecureNullForSimulation()))
    for publisher in publishers { receiver.watch(publisher, router, redundancy: redundancy) }
    return receiver
  }

  // MARK: Time

  func run(for span: TimeSpan) {
    let end = now + span
    while now < end {
      var next = min(end, router.deadline, nextSample)
      for link in links { next = min(next, link.deadline) }
      for receiver in receivers { next = min(next, receiver.deadline) }
      for publisher in publishers { next = min(next, publisher.deadline) }
      if router.needsFlush { next = min(next, flushDeadline) }
      now = max(now, next)
      step()
    }
  }

  private func step() {
    for publisher in publishers where publisher.deadline <= now {
      publisher.send(now: now) { packet in receive(packet, from: publisher.member) }
    }
    for index in links.indices {
      while let packet = links[index].deliver(now: now) {
        guard let number = receiverOf[packet.destination] else { continue }
        receivers[number].receive(packet.bytes, now: now)
      }
    }
    for receiver in receivers {
      receiver.tick(now: now)
      while let report = receiver.back.deliver(now: now) {
        router.receiveRTCP(report.span, from: receiver.member, now: now)
      }
    }
    if router.needsFlush, flushDeadline <= now { router.flush(now: now, batch: batch, to: self) }
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    while let event = router.pollEvent() { events.append((seconds, event)) }
    if nextSample <= now {
      nextSample = nextSample + .milliseconds(100)
      onSample?()
    }
  }

  private var flushDeadline: Instant { load.map { router.flushDeadline(load: $0) } ?? .zero }

  private func receive(_ bytes: [UInt8], from member: Member) {
    guard let header = try? RTPHeader.parse(bytes.span) else { return }
    router.receiveRTP(bytes.span, header: header, from: member, now: now)
    if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
  }

  // MARK: Output

  func send(_ batch: OutputBatch, to egress: Egress) {
    for run in batch.runs {
      var offset = run.offset
      let end = run.offset + run.length
      while offset < end {
        let next = min(offset + run.segment, end)
        var bytes = [UInt8](repeating: 0, count: next - offset)
        for index in bytes.indices { bytes[index] = batch.bytes[offset + index] }
        offset = next
        if let number = receiverOf[egress.participant] {
          links[receivers[number].link].send(bytes, to: egress.participant, now: now)
        } else if let number = publisherOf[egress.participant] {
          publishers[number].receiveReport(bytes)
        }
      }
    }
  }
}

/// Header extensions and formats of both sides.
enum Formats {
  static let mid: UInt8 = 1
  static let transport: UInt8 = 2
  static let level: UInt8 = 3
  static let rid: UInt8 = 4
  static let repaired: UInt8 = 5

  static func extensions(transportWide: Bool = true) -> HeaderExtensionMap {
    var map = HeaderExtensionMap()
    map[.mid] = mid
    if transportWide { map[.transportSequenceNumber] = transport }
    map[.audioLevel] = level
    map[.rid] = rid
    map[.repairedRID] = repaired
    return map
  }

  static func video(_ feedback: FeedbackMechanisms = .all) -> [NegotiatedCodec] {
    [
      NegotiatedCodec(
        payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97),
        feedback: feedback)
    ]
  }

  static func audio(redundancy: Bool, repairs: Bool = false) -> [NegotiatedCodec] {
    let opus = NegotiatedCodec(
      payloadType: PayloadType(rawValue: 111), codec: .opus, rtxPayloadType: repairs ? PayloadType(rawValue: 112) : nil,
      feedback: repairs ? [.transportWide, .nack] : [.transportWide])
    return redundancy
      ? [opus, NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red, feedback: [])] : [opus]
  }
}
