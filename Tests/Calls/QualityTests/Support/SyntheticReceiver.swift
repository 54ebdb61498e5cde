import Basics
import NetworkEmulator

@testable import RTC
@testable import SFU

/// A participant that receives as a browser does: it reports on each packet, asks for what is lost, and judges what it
/// could have shown and played.
final class SyntheticReceiver {
  enum Feedback {
    case transportWide
    /// The same for pictures only, as Firefox does.
    case transportWideForVideo
    /// Only an estimate of its own, of this rate.
    case estimate(DataRate)
    case none
  }

  let member: Member
  let link: Int
  var back: NetworkEmulator
  private(set) var videos: [UInt32: VideoJudge] = [:]
  private(set) var sounds: [UInt32: SoundJudge] = [:]
  private(set) var subscriptions: [Subscription] = []
  private(set) var nacksSent = 0
  private(set) var paddings = 0
  /// Whether it keeps what came, to compare with it what comes again.
  var keepsPackets = false
  /// Packets that came again although they were there: how far back each was.
  private(set) var repeats: [Int] = []
  /// Packets that came again with another content.
  private(set) var changed = 0
  private var kept: [UInt32: [UInt16: ArraySlice<UInt8>]] = [:]
  private var newest: [UInt32: SequenceNumber] = [:]
  private(set) var bytes = 0
  private(set) var packets = 0
  var feedback: Feedback
  /// Called with each packet that comes.
  var onPacket: ((_ bytes: [UInt8], _ at: Instant) -> Void)?
  /// Whether it negotiated that lost sound is sent again, and asks for it.
  private let repairsSound: Bool
  private var recorder = TransportFeedbackRecorder()
  private var nextReport: Instant
  private let start: Instant
  private var nextSSRC: UInt32 = 50_000

  init(
    member: Member, link: Int, back: NetworkEmulator, feedback: Feedback, repairsSound: Bool = false, now: Instant
  ) {
    self.repairsSound = repairsSound
    self.member = member
    self.link = link
    self.back = back
    self.feedback = feedback
    nextReport = now + .milliseconds(300)
    start = now
  }

  /// The judge of the video of the `index`-th publisher watched.
  func video(_ index: Int = 0) -> VideoJudge? { videos[50_000 + UInt32(index) * 10] }
  func sound(_ index: Int = 0) -> SoundJudge? { sounds[50_005 + UInt32(index) * 10] }

  func watch(_ publisher: SyntheticPublisher, _ router: Router, redundancy: Bool) {
    var mechanisms = FeedbackMechanisms.all
    var isWide = true
    switch feedback {
    case .transportWide, .transportWideForVideo: break
    case .estimate:
      mechanisms = [.nack, .pictureLoss, .remb]
      isWide = false
    case .none:
      mechanisms = [.nack, .pictureLoss]
      isWide = false
    }
    let ssrc = nextSSRC
    nextSSRC += 10
    let isWideForSound = if case .transportWideForVideo = feedback { false } else { isWide }
    func slot(_ mid: String, _ kind: MediaKind, _ ssrc: UInt32, _ codecs: [NegotiatedCodec]) -> Subscription? {
      router.addSlot(
        NegotiatedMedia(
          mid: MID(rawValue: mid), index: 0, kind: kind, role: .send, codecs: codecs,
          extensions: Formats.extensions(transportWide: kind == .video ? isWide : isWideForSound), remoteSources: [],
          remoteStreamIDs: [], rids: [],
          localSource: NegotiatedSource(
            ssrc: SSRC(rawValue: ssrc), rtxSSRC: kind == .video || repairsSound ? SSRC(rawValue: ssrc + 1) : nil),
          localStreamID: nil, usesReducedSizeRTCP: true), of: member)
    }
    if let video = publisher.video, let subscription = slot("v\(ssrc)", .video, ssrc, Formats.video(mechanisms)) {
      router.attach(video, to: subscription)
      subscriptions.append(subscription)
      videos[ssrc] = VideoJudge(ssrc: ssrc, start: start)
    }
    if let audio = publisher.audio,
      let subscription = slot(
        "a\(ssrc)", .audio, ssrc + 5, Formats.audio(redundancy: redundancy, repairs: repairsSound))
    {
      router.attach(audio, to: subscription)
      sounds[ssrc + 5] = SoundJudge(ssrc: ssrc + 5, start: start)
    }
  }

  var deadline: Instant {
    var next = min(nextReport, back.deadline)
    if reportsPackets { next = min(next, recorder.deadline) }
    for judge in videos.values { next = min(next, judge.nacks.deadline, judge.keyframeDeadline) }
    if repairsSound { for judge in sounds.values { next = min(next, judge.nacks.deadline) } }
    return next
  }

  /// Whether packets are reported one by one.
  private var reportsPackets: Bool {
    switch feedback {
    case .transportWide, .transportWideForVideo: true
    case .estimate, .none: false
    }
  }

  // MARK: In

  func receive(_ packet: [UInt8], now: Instant) {
    onPacket?(packet, now)
    if (192...223).contains(packet[1]) { return receiveReport(packet, now) }
    guard let header = try? RTPHeader.parse(packet.span) else { return }
    bytes += packet.count
    packets += 1
    var elements = header.elements
    while let element = elements.next(in: packet.span) {
      if element.id == Formats.transport, let number = TransportSequenceNumber.parse(packet.span, at: element.range) {
        recorder.receive(number, now: now)
      }
    }
    let ssrc = header.ssrc.rawValue
    let payload = packet[header.payloadRange]
    if let judge = videos[ssrc] {
      keep(payload, ssrc, header.sequenceNumber)
      judge.receive(header, header.sequenceNumber, payload, isRetransmission: false, now: now)
    } else if let judge = videos[ssrc &- 1] {
      guard payload.count > 2 else {
        paddings += 1
        return
      }
      let first = payload.startIndex
      let original = SequenceNumber(rawValue: UInt16(payload[first]) << 8 | UInt16(payload[first + 1]))
      compare(payload.dropFirst(2), ssrc &- 1, original)
      judge.receive(header, original, payload.dropFirst(2), isRetransmission: true, now: now)
    } else if let judge = sounds[ssrc] {
      judge.receive(header, payload, now: now)
    } else if let judge = sounds[ssrc &- 1], payload.count > 2 {
      let first = payload.startIndex
      let original = SequenceNumber(rawValue: UInt16(payload[first]) << 8 | UInt16(payload[first + 1]))
      judge.receive(repaired: original, payload.dropFirst(2), now: now)
    }
  }

  private func keep(_ payload: ArraySlice<UInt8>, _ ssrc: UInt32, _ sequence: SequenceNumber) {
    guard keepsPackets else { return }
    kept[ssrc, default: [:]][sequence.rawValue] = payload
    if let newest = newest[ssrc], sequence.distance(from: newest) <= 0 { return }
    newest[ssrc] = sequence
  }

  private func compare(_ payload: ArraySlice<UInt8>, _ ssrc: UInt32, _ original: SequenceNumber) {
    guard keepsPackets, let newest = newest[ssrc] else { return }
    guard let known = kept[ssrc]?[original.rawValue] else {
      kept[ssrc, default: [:]][original.rawValue] = payload
      return
    }
    if !known.elementsEqual(payload) { changed += 1 }
    repeats.append(newest.distance(from: original))
  }

  private func receiveReport(_ packet: [UInt8], _ now: Instant) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: packet.span) {
      guard case .senderReport(let report) = message else { continue }
      videos[report.info.ssrc.rawValue]?.lastReport = (report.info.ntp.middle32, now)
      sounds[report.info.ssrc.rawValue]?.lastReport = (report.info.ntp.middle32, now)
    }
  }

  // MARK: Out

  func tick(now: Instant) {
    if reportsPackets {
      while recorder.deadline <= now {
        var done = false
        report(now) { writer, buffer in
          done = recorder.appendFeedback(
            to: &writer, sender: SSRC(rawValue: 1), media: SSRC(rawValue: 2), now: now, into: &buffer)
        }
        if !done { break }
      }
    }
    for judge in videos.values {
      ask(&judge.nacks, judge.ssrc, now)
      if judge.takeKeyframeRequest(now: now) {
        report(now) { writer, buffer in
          try? writer.append(pliFor: SSRC(rawValue: judge.ssrc), sender: SSRC(rawValue: 1), into: &buffer)
        }
      }
    }
    if repairsSound { for judge in sounds.values { ask(&judge.nacks, judge.ssrc, now) } }
    if nextReport <= now {
      nextReport = now + .seconds(1)
      var blocks: [ReportBlock] = []
      for ssrc in videos.keys.sorted() { if let block = videos[ssrc]?.reportBlock(now) { blocks.append(block) } }
      for ssrc in sounds.keys.sorted() { if let block = sounds[ssrc]?.reportBlock(now) { blocks.append(block) } }
      report(now) { writer, buffer in
        _ = try? writer.append(receiverReportFrom: SSRC(rawValue: 1), blocks: blocks.span, into: &buffer)
      }
      if case .estimate(let rate) = feedback {
        report(now) { writer, buffer in
          let media = [SSRC(rawValue: 50_000)]
          try? writer.append(remb: rate, ssrcs: media.span, sender: SSRC(rawValue: 1), into: &buffer)
        }
      }
    }
  }

  /// Asks for what is missing of one stream.
  private func ask(_ nacks: inout NackGenerator, _ ssrc: UInt32, _ now: Instant) {
    guard nacks.deadline <= now else { return }
    var numbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 128)
    var span = numbers.mutableSpan
    let count = nacks.poll(now: now, roundTripTime: member.egress.roundTrip ?? .milliseconds(100), into: &span)
    guard count > 0 else { return }
    nacksSent += count
    report(now) { writer, buffer in
      _ = try? writer.append(
        nack: numbers.span.extracting(0..<count), sender: SSRC(rawValue: 1), media: SSRC(rawValue: ssrc), into: &buffer)
    }
  }

  private func report(_ now: Instant, _ body: (inout RTCPWriter, inout MutableSpan<UInt8>) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 1_200)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    body(&writer, &span)
    guard writer.length > 0 else { return }
    back.send(Array(bytes[..<writer.length]), now: now)
  }
}

/// The part of reception statistics that both judges share.
struct ReceptionReport {
  var statistics: ReceiveStatistics

  mutating func block(_ lastReport: (middle: UInt32, at: Instant)?, _ now: Instant) -> ReportBlock? {
    guard var block = statistics.makeReportBlock(now: now) else { return nil }
    if let lastReport {
      block.lastSenderReport = lastReport.middle
      block.delaySinceLastSenderReport = UInt32((now - lastReport.at).nanoseconds * 65_536 / 1_000_000_000)
    }
    return block
  }
}
