import Basics
import RTC
import SFU

/// A meeting in which everybody talks and hears everybody else: the real router and real AES-128-GCM, nothing behind
/// them.
final class BenchVoices: BenchMeeting {
  private(set) var published = 0
  private(set) var forwarded = 0
  var isReplay = false
  var participants: Int { talkers.count }
  var title: String { "\(talkers.count) voices" }

  /// One participant's voice, in spurts and pauses.
  private struct Talker {
    var receiver: BenchReceiver
    /// The voices do not beat in step.
    var start: Instant
    var round = 0
    var index = 0
    var sequence: UInt16 = 1
  }

  private let mid = HeaderExtensionText("0")
  let router: Router
  let batch = OutputBatch()
  private let trace: PublishedTrace
  private let duration: Int
  private var talkers: [Talker] = []
  private var byMember: [BenchReceiver?] = []
  private(set) var senders: ContiguousArray<Member> = []
  private var now = Instant.milliseconds(1_000)
  private var header = [UInt8](repeating: 0, count: 64)

  init(_ count: Int, trace: PublishedTrace) throws {
    self.trace = trace
    duration = trace.packets[trace.packets.count - 1].microseconds + 20_000
    router = Router(
      clock: NTPClock(instant: .zero, time: NTPTime(unixNanoseconds: 1_800_000_000_000_000_000)), seed: 1)
    var voices: [Publication] = []
    for number in 0..<count {
      let member = router.add(ParticipantID(rawValue: "v\(number)"), now: now)
      let receiver = BenchReceiver(member: member)
      senders.append(member)
      talkers.append(Talker(receiver: receiver, start: now + .microseconds(Int64(number * 20_000 / count))))
      while byMember.count <= member.index { byMember.append(nil) }
      byMember[member.index] = receiver
      router.open(member, sender: try SRTPSender(BenchNegotiation.keys(number)))
      voices.append(
        router.publish(
          PublicationID(rawValue: "v\(number)"), media: BenchNegotiation.section("0", .audio, .receive),
          isMuted: false, by: member))
    }
    for number in 0..<count {
      for other in 0..<count where other != number {
        let source = NegotiatedSource(ssrc: SSRC(rawValue: UInt32(1_000 + number * count + other)))
        let section = BenchNegotiation.section("s\(other)", .audio, .send, source: source)
        if let slot = router.addSlot(section, of: talkers[number].receiver.member) {
          router.attach(voices[other], to: slot)
        }
      }
    }
  }

  func prepare(_ recording: inout BenchRecording) {
    now = now + .milliseconds(1)
    recording.begin(now)
    for number in talkers.indices {
      if let report = talkers[number].receiver.makeReport(now: now) { recording.add(report: report, from: number) }
      while true {
        let packet = trace.packets[talkers[number].index]
        let due = talkers[number].start + .microseconds(Int64(talkers[number].round * duration + packet.microseconds))
        guard due <= now else { break }
        recording.add(packet: write(packet, of: number), from: number)
        published += 1
        talkers[number].index += 1
        if talkers[number].index == trace.packets.count {
          talkers[number].index = 0
          talkers[number].round += 1
        }
      }
    }
  }

  private func write(_ packet: PublishedTrace.Packet, of number: Int) -> [UInt8] {
    let timestamp = packet.timestamp &+ UInt32(talkers[number].round) &* UInt32(duration / 1_000 * 48)
    let sequence = talkers[number].sequence
    talkers[number].sequence &+= 1
    var writer = RTPHeaderWriter()
    var span = header.mutableSpan
    let length = try? {
      try writer.begin(
        payloadType: PayloadType(rawValue: 111), marker: packet.marker,
        sequenceNumber: SequenceNumber(rawValue: sequence), timestamp: RTPTimestamp(rawValue: timestamp),
        ssrc: SSRC(rawValue: UInt32(70 + number)), into: &span)
      if let mid { try writer.append(id: BenchNegotiation.midID, text: mid, into: &span) }
      try writer.append(id: BenchNegotiation.transportID, uint16: sequence, into: &span)
      try writer.append(id: BenchNegotiation.audioLevelID, uint8: 0x80 | 30, into: &span)
      return try writer.finish(into: &span)
    }()
    guard let length else { return [] }
    return Array(header[0..<length]) + [UInt8](repeating: 0x5A, count: packet.size)
  }

  // MARK: Output

  func send(_ batch: OutputBatch, to egress: Egress) {
    // Reports of the server have no transport-wide number.
    guard let first = batch.firstRun, !(192...223).contains(batch.bytes[first.offset + 1]) else { return }
    forwarded += batch.packets
    if !isReplay { byMember[egress.participant]?.receive(batch.packets, now: now) }
  }
}
