import Basics
import Glibc
import RTC
import SFU

/// Somebody in the meeting, and what was noticed at their end.
final class SimulatedParticipant {
  let number: Int
  var worker: SimulatedWorker
  var member: Member?
  var sources: [SimulatedSource] = []
  /// When they asked to join (again), and when every picture had begun.
  var joinedAt = Instant.zero
  var pictureAt: Instant?
  var missingPictures = 0
  /// First SSRC of their slots; a video slot takes two.
  var seen: UInt64 = 0

  init(number: Int, worker: SimulatedWorker) {
    self.number = number
    self.worker = worker
  }

  var isConnected: Bool { member != nil }
}

/// A media worker: the real router, with counters where sockets and ciphers would be.
final class SimulatedWorker: PacketSink {
  /// Packets and bytes since the last reset.
  struct Counts {
    var packets = 0
    /// Of them packets of sound.
    var soundPackets = 0
    var bytes = 0
    var datagramsIn = 0
    var slotUpdates = 0
    var records = 0
    var routerNanoseconds = 0
  }

  let index: Int
  let machine: Int
  let router: Router
  var counts = Counts()
  var isLost = false
  private(set) var participants: [SimulatedParticipant?] = []
  var load: Int { participants.count { $0 != nil } }
  /// Delays between the beginning of talk and the first slot here that carries it.
  var onsets: [TimeSpan] = []
  private var heardSince: [String: Instant] = [:]
  private let batch = OutputBatch()
  private let lossInterval: Int
  /// The load that packets wait under; nil where they leave in each tick.
  private let hold: TimeSpan?
  private var untilLoss = 0
  private var lost: [(at: Instant, member: Int, ssrc: UInt32, sequence: UInt16)] = []
  private var lostRead = 0
  private var reports: [(at: Instant, member: Int)] = []
  var now = Instant.zero
  /// Bytes around each packet: SRTP tag, UDP and IP headers.
  static let overhead = 16 + 28

  init(index: Int, machine: Int, router: Router, settings: SimulationSettings) {
    self.index = index
    self.machine = machine
    self.router = router
    lossInterval = settings.lossInterval
    hold = settings.hold > 0 ? .milliseconds(Int64(settings.hold)) : nil
    untilLoss = settings.lossInterval
  }

  /// The CPU time of this thread.
  private static var cpuNanoseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }

  // MARK: Participants

  func add(_ participant: SimulatedParticipant, videos: Int, audioSlots: Int, now: Instant) throws {
    let member = router.add(ParticipantID(rawValue: "p\(participant.number)"), now: now)
    participant.member = member
    participant.worker = self
    while participants.count <= member.index { participants.append(nil) }
    participants[member.index] = participant
    router.open(member, sender: try SRTPSender(.insecureNullForSimulation()))
    for source in participant.sources { source.wantsKeyframe = true }
    var own: Set<String> = []
    for (place, source) in participant.sources.enumerated() {
      let media = SimulatedSections.track("\(place)", source.kind)
      _ = router.publish(PublicationID(rawValue: source.publication), media: media, isMuted: false, by: member)
      own.insert(source.publication)
    }
    participant.missingPictures = 0
    participant.pictureAt = nil
    participant.seen = 0
    for video in 0..<videos where !own.contains("v\(video)") {
      let media = SimulatedSections.slot("v\(video)", .video, ssrc: 1_000 + UInt32(video) * 2)
      guard let slot = router.addSlot(media, of: member) else { continue }
      participant.missingPictures += 1
      let id = PublicationID(rawValue: "v\(video)")
      if let publication = router.publication(id) {
        router.attach(publication, to: slot)
      } else {
        _ = router.attachWhenAnnounced(id, to: slot)
      }
    }
    for place in 0..<audioSlots {
      let media = SimulatedSections.slot("a\(place)", .audio, ssrc: 5_000 + UInt32(place))
      if let slot = router.addSlot(media, of: member) { router.setFollowsLoudest(true, slot) }
    }
    reports.append((now + .milliseconds(Int64(participant.number % 1_000)), member.index))
  }

  func remove(_ participant: SimulatedParticipant) {
    guard let member = participant.member else { return }
    router.remove(member)
    participants[member.index] = nil
    participant.member = nil
  }

  /// The worker stops at once; its participants are on their own.
  func lose() -> [SimulatedParticipant] {
    isLost = true
    let here = participants.compactMap { $0 }
    for participant in here { participant.member = nil }
    participants = []
    return here
  }

  // MARK: Packets

  func receive(_ packet: Span<UInt8>, _ header: RTPHeader, from participant: SimulatedParticipant, _ now: Instant) {
    guard let member = participant.member else { return }
    counts.datagramsIn += 1
    router.receiveRTP(packet, header: header, from: member, now: now)
    if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
  }

  func receive(_ record: Span<UInt8>, from relay: Relay, _ now: Instant) {
    counts.records += 1
    router.receive(record, from: relay, now: now)
    if router.pendingPackets >= 64 { router.flush(now: now, batch: batch, to: self) }
  }

  /// One tick: what receivers say, timers, what waits.
  func tick(_ now: Instant) {
    self.now = now
    let start = Self.cpuNanoseconds
    sendReceiverReports(now)
    if router.deadline <= now { router.handleTimeout(now: now, batch: batch, to: self) }
    if router.needsFlush, hold.map({ router.flushDeadline(load: $0) <= now }) ?? true {
      router.flush(now: now, batch: batch, to: self)
    }
    counts.routerNanoseconds += Self.cpuNanoseconds - start
    while let event = router.pollEvent() {
      if case .slots(let updates) = event {
        counts.slotUpdates += Set(updates.map(\.participant)).count
        for update in updates { if let id = update.publication { noteHeard(id.rawValue, now) } }
      }
    }
  }

  /// Every receiver reports once a second; who lost packets asks for them 40 ms later.
  private func sendReceiverReports(_ now: Instant) {
    var index = 0
    while index < reports.count {
      if reports[index].at <= now {
        let member = reports[index].member
        if participants.indices.contains(member), let owner = participants[member]?.member {
          upload(from: owner, now) { writer, buffer throws(RTCPError) in
            let blocks: [ReportBlock] = []
            try writer.append(receiverReportFrom: SSRC(rawValue: 9), blocks: blocks.span, into: &buffer)
          }
        }
        reports[index].at = reports[index].at + .seconds(1)
      }
      index += 1
    }
    while lostRead < lost.count, lost[lostRead].at <= now {
      let entry = lost[lostRead]
      lostRead += 1
      guard participants.indices.contains(entry.member), let owner = participants[entry.member]?.member else {
        continue
      }
      upload(from: owner, now) { writer, buffer throws(RTCPError) in
        let numbers = [SequenceNumber(rawValue: entry.sequence)]
        try writer.append(
          nack: numbers.span, sender: SSRC(rawValue: 9), media: SSRC(rawValue: entry.ssrc), into: &buffer)
      }
    }
    if lostRead == lost.count {
      lost.removeAll(keepingCapacity: true)
      lostRead = 0
    }
  }

  private func upload(
    from member: Member, _ now: Instant,
    _ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> Void
  ) {
    var bytes = [UInt8](repeating: 0, count: 128)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    do throws(RTCPError) { try body(&writer, &span) } catch { return }
    counts.datagramsIn += 1
    router.receiveRTCP(bytes.span.extracting(0..<writer.length), from: member, now: now)
  }

  // MARK: Output

  func send(_ batch: OutputBatch, to egress: Egress) {
    counts.packets += batch.packets
    for run in batch.runs {
      for offset in stride(from: run.offset, to: run.offset + run.length, by: run.segment)
      where batch.bytes[offset + 1] & 0x7F == SimulatedSections.soundType {
        counts.soundPackets += 1
      }
    }
    counts.bytes += batch.used + batch.packets * Self.overhead
    guard participants.indices.contains(egress.participant), let participant = participants[egress.participant] else {
      return
    }
    if participant.missingPictures > 0 || !participant.sources.isEmpty { inspect(batch, participant) }
    if lossInterval > 0 {
      untilLoss -= batch.packets
      if untilLoss <= 0 {
        untilLoss += lossInterval
        loseFirst(of: batch, egress.participant)
      }
    }
  }

  private func loseFirst(of batch: OutputBatch, _ member: Int) {
    guard let run = batch.runs.first else { return }
    let block = batch.bytes
    let packet = block.span(run.offset..<(run.offset + min(run.segment, run.length)))
    guard packet.count > 12, packet[1] & 0x7F == 96 else { return }
    let ssrc = UInt32(packet[8]) << 24 | UInt32(packet[9]) << 16 | UInt32(packet[10]) << 8 | UInt32(packet[11])
    lost.append((now + .milliseconds(40), member, ssrc, UInt16(packet[2]) << 8 | UInt16(packet[3])))
  }

  /// Notes first pictures, and keyframe requests to those who send.
  private func inspect(_ batch: OutputBatch, _ participant: SimulatedParticipant) {
    let block = batch.bytes
    for run in batch.runs {
      var offset = run.offset
      let end = run.offset + run.length
      while offset < end {
        let next = min(offset + run.segment, end)
        let bytes = block.span(offset..<next)
        offset = next
        if (192...223).contains(bytes[1]) {
          readReport(bytes, participant)
        } else if participant.missingPictures > 0, bytes[1] & 0x7F == 96 {
          notePicture(UInt32(bytes[10]) << 8 | UInt32(bytes[11]), participant)
        }
      }
    }
  }

  private func notePicture(_ ssrc: UInt32, _ participant: SimulatedParticipant) {
    let bit: UInt64 = 1 << UInt64((ssrc &- 1_000) / 2 & 63)
    guard participant.seen & bit == 0 else { return }
    participant.seen |= bit
    participant.missingPictures -= 1
    if participant.missingPictures == 0 { participant.pictureAt = now }
  }

  private func readReport(_ bytes: Span<UInt8>, _ participant: SimulatedParticipant) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: bytes) {
      guard case .pli = message else { continue }
      for source in participant.sources where source.kind == .video {
        source.keyframeRequests += 1
        source.wantsKeyframe = true
      }
    }
  }

  // MARK: Talk

  /// Somebody begins to talk; the first slot here that carries it after that is noted.
  func talkBegan(_ publication: String, _ now: Instant) { heardSince[publication] = now }
  func talkEnded(_ publication: String) { heardSince[publication] = nil }

  private func noteHeard(_ publication: String, _ now: Instant) {
    guard let began = heardSince.removeValue(forKey: publication) else { return }
    onsets.append(now - began)
  }
}
