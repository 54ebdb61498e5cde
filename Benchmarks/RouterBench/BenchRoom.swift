import Basics
import RTC
import SFU

/// A meeting in which one camera is sent to many receivers: the real router and real AES-128-GCM, nothing behind them.
///
/// Time is virtual and goes on by a millisecond a tick. What the router does not do (making packets and reports) is outside of what is counted.
final class BenchRoom: PacketSink {
  private static let midID: UInt8 = 1
  private static let transportID: UInt8 = 2
  private let mid = HeaderExtensionText("0")

  /// Packets that the camera has sent, and that left to receivers.
  private(set) var published = 0
  private(set) var forwarded = 0
  /// Reports of receivers.
  private(set) var reports = 0

  private let router: Router
  private let batch = OutputBatch()
  private let trace: PublishedTrace
  private let publisher: Member
  private var receivers: [BenchReceiver] = []
  private var byMember: [BenchReceiver?] = []
  private var now = Instant.milliseconds(1_000)
  private let start = Instant.milliseconds(1_000)
  private var round = 0
  private var index = 0
  private var sequence: UInt16 = 1
  private var pictureID: UInt16 = 0
  private var lastTimestamp: UInt32 = .max
  private var bytes = [UInt8](repeating: 0x5A, count: 2_048)
  private var lengths: [Int] = []
  private var arrived: [(offset: Int, length: Int)] = []
  private var burst = [UInt8](repeating: 0x5A, count: 262_144)

  init(receivers count: Int, trace: PublishedTrace) throws {
    self.trace = trace
    router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)), seed: 1)
    publisher = router.add(ParticipantID(rawValue: "camera"), now: now)
    let camera = router.publish(
      PublicationID(rawValue: "v"), media: Self.section("0", .receive, nil), isMuted: false, by: publisher)
    byMember = [nil]
    for number in 0..<count {
      let member = router.add(ParticipantID(rawValue: "r\(number)"), now: now)
      let receiver = BenchReceiver(member: member)
      receivers.append(receiver)
      while byMember.count <= member.index { byMember.append(nil) }
      byMember[member.index] = receiver
      router.open(member, sender: try SRTPSender(Self.keys(number)))
      let source = NegotiatedSource(
        ssrc: SSRC(rawValue: UInt32(1_000 + number * 2)), rtxSSRC: SSRC(rawValue: UInt32(1_001 + number * 2)))
      if let slot = router.addSlot(Self.section("v", .send, source), of: member) { router.attach(camera, to: slot) }
    }
    lengths = [Int](repeating: 0, count: count)
    arrived.reserveCapacity(256)
  }

  /// A millisecond that is not counted.
  func tick() {
    prepare()
    work()
  }

  /// The same, under a name of its own for callgrind.
  @inline(never)
  func measuredTick() {
    prepare()
    measuredWork()
  }

  @inline(never)
  private func measuredWork() { work() }

  /// What the server does in a millisecond, and nothing else.
  @inline(__always)
  private func work() {
    for index in receivers.indices where lengths[index] > 0 {
      receivers[index].deliver(lengths[index], to: router, now: now)
    }
    let all = burst
    for packet in arrived {
      let span = all.span.extracting(packet.offset..<(packet.offset + packet.length))
      guard let header = try? RTPHeader.parse(span) else { continue }
      router.receiveRTP(span, header: header, from: publisher, now: now)
      if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
    }
    if router.needsFlush { router.flush(now: now, batch: batch, to: self) }
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    while router.pollEvent() != nil {}
  }

  /// Makes what arrives in the next millisecond.
  @inline(never)
  private func prepare() {
    now = now + .milliseconds(1)
    for index in receivers.indices {
      lengths[index] = receivers[index].writeReport(now: now)
      if lengths[index] > 0 { reports += 1 }
    }
    arrived.removeAll(keepingCapacity: true)
    var used = 0
    let duration = trace.packets[trace.packets.count - 1].microseconds + 40_000
    while true {
      let packet = trace.packets[index]
      let due = start + .microseconds(Int64(round * duration + packet.microseconds))
      guard due <= now, used + 2_048 <= burst.count else { return }
      let length = write(packet, at: used)
      arrived.append((used, length))
      used += length
      published += 1
      index += 1
      if index == trace.packets.count {
        index = 0
        round += 1
      }
    }
  }

  private func write(_ packet: PublishedTrace.Packet, at offset: Int) -> Int {
    let timestamp = packet.timestamp &+ UInt32(round) &* 1_803_600
    let begins = timestamp != lastTimestamp
    if begins { pictureID = (pictureID + 1) & 0x7FFF }
    lastTimestamp = timestamp
    var writer = RTPHeaderWriter()
    var span = bytes.mutableSpan
    guard
      let length = try? {
        try writer.begin(
          payloadType: PayloadType(rawValue: 96), marker: packet.marker,
          sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: RTPTimestamp(rawValue: timestamp),
          ssrc: SSRC(rawValue: 77), into: &span)
        if let mid { try writer.append(id: Self.midID, text: mid, into: &span) }
        try writer.append(id: Self.transportID, uint16: sequence, into: &span)
        return try writer.finish(into: &span)
      }()
    else { return 0 }
    sequence &+= 1
    bytes[length] = 0x80 | (begins ? 0x10 : 0)
    bytes[length + 1] = 0x80
    bytes[length + 2] = 0x80 | UInt8(pictureID >> 8)
    bytes[length + 3] = UInt8(truncatingIfNeeded: pictureID)
    bytes[length + 4] = index < 3 ? 0x10 : 0x11
    let total = length + packet.size
    for position in 0..<total { burst[offset + position] = bytes[position] }
    return total
  }

  // MARK: What leaves

  func send(_ batch: OutputBatch, to outlet: Outlet) {
    guard let first = batch.runs.first, let receiver = byMember[outlet.participant] else { return }
    // Reports of the server have no transport-wide number.
    guard !(192...223).contains(batch.bytes[first.offset + 1]) else { return }
    forwarded += batch.packets
    receiver.receive(batch.packets, now: now)
  }

  // MARK: What was negotiated

  private static func keys(_ number: Int) -> SRTPKeyingMaterial {
    let key = SRTPMasterKey(
      key: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16), salt: [UInt8](repeating: 7, count: 12))
    return SRTPKeyingMaterial(profile: .aeadAES128GCM, local: key, remote: key)
  }

  private static func section(
    _ mid: String, _ role: NegotiatedMedia.Role, _ source: NegotiatedSource?
  ) -> NegotiatedMedia {
    var extensions = HeaderExtensionMap()
    extensions[.mid] = midID
    extensions[.transportSequenceNumber] = transportID
    return NegotiatedMedia(
      mid: MID(rawValue: mid), index: 0, kind: .video, role: role,
      codecs: [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97),
          feedback: .all)
      ], extensions: extensions, remoteSources: [], remoteStreamIDs: [], rids: [], localSource: source,
      localStreamID: nil, usesReducedSizeRTCP: true)
  }
}
