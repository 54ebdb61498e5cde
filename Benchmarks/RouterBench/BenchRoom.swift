import Basics
import RTC
import SFU

/// A meeting in which one camera is sent to many receivers: the real router and real AES-128-GCM, nothing behind them.
final class BenchRoom: BenchMeeting {
  private let mid = HeaderExtensionText("0")

  /// Packets that the camera has sent, and that left to receivers.
  private(set) var published = 0
  private(set) var forwarded = 0
  var isReplay = false

  var participants: Int { senders.count }
  var title: String { "\(receivers.count) receivers" }

  let router: Router
  let batch = OutputBatch()
  private let trace: PublishedTrace
  /// Receivers by number, and behind them the camera.
  private(set) var senders: ContiguousArray<Member> = []
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

  init(receivers count: Int, trace: PublishedTrace) throws {
    self.trace = trace
    router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)), seed: 1)
    let publisher = router.add(ParticipantID(rawValue: "camera"), now: now)
    let camera = router.publish(
      PublicationID(rawValue: "v"), media: BenchNegotiation.section("0", .video, .receive), isMuted: false,
      by: publisher)
    byMember = [nil]
    for number in 0..<count {
      let member = router.add(ParticipantID(rawValue: "r\(number)"), now: now)
      let receiver = BenchReceiver(member: member)
      receivers.append(receiver)
      while byMember.count <= member.index { byMember.append(nil) }
      byMember[member.index] = receiver
      router.open(member, sender: try SRTPSender(BenchNegotiation.keys(number)))
      let source = NegotiatedSource(
        ssrc: SSRC(rawValue: UInt32(1_000 + number * 2)), rtxSSRC: SSRC(rawValue: UInt32(1_001 + number * 2)))
      let section = BenchNegotiation.section("v", .video, .send, source: source)
      if let slot = router.addSlot(section, of: member) { router.attach(camera, to: slot) }
      senders.append(member)
    }
    senders.append(publisher)
  }

  func prepare(_ recording: inout BenchRecording) {
    now = now + .milliseconds(1)
    recording.begin(now)
    for (index, receiver) in receivers.enumerated() {
      if let report = receiver.makeReport(now: now) { recording.add(report: report, from: index) }
    }
    let duration = trace.packets[trace.packets.count - 1].microseconds + 40_000
    while true {
      let packet = trace.packets[index]
      let due = start + .microseconds(Int64(round * duration + packet.microseconds))
      guard due <= now else { return }
      recording.add(packet: write(packet), from: receivers.count)
      published += 1
      index += 1
      if index == trace.packets.count {
        index = 0
        round += 1
      }
    }
  }

  private func write(_ packet: PublishedTrace.Packet) -> [UInt8] {
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
        if let mid { try writer.append(id: BenchNegotiation.midID, text: mid, into: &span) }
        try writer.append(id: BenchNegotiation.transportID, uint16: sequence, into: &span)
        return try writer.finish(into: &span)
      }()
    else { return [] }
    sequence &+= 1
    bytes[length] = 0x80 | (begins ? 0x10 : 0)
    bytes[length + 1] = 0x80
    bytes[length + 2] = 0x80 | UInt8(pictureID >> 8)
    bytes[length + 3] = UInt8(truncatingIfNeeded: pictureID)
    bytes[length + 4] = index < 3 ? 0x10 : 0x11
    return Array(bytes[0..<(length + packet.size)])
  }

  // MARK: Output

  func send(_ batch: OutputBatch, to egress: Egress) {
    // Reports of the server have no transport-wide number.
    guard let first = batch.firstRun, !(192...223).contains(batch.bytes[first.offset + 1]) else { return }
    forwarded += batch.packets
    if !isReplay { byMember[egress.participant]?.receive(batch.packets, now: now) }
  }
}
