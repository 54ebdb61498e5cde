import Basics

@testable import RTC

/// Receives plain RTP and reports on it as a WebRTC receiver does: transport-wide feedback, NACK, receiver reports.
struct SimulatedReceiver {
  struct Stream {
    var nacks = NackGenerator()
    var statistics: ReceiveStatistics
    var sequences: Set<UInt16> = []
    var highest: UInt16?
    var mid: String?
    var rid: String?
  }

  var reportsFeedback: Bool
  var asksAgain = true
  var streams: [SSRC: Stream] = [:]
  /// Packets by SSRC, in order of arrival, kept where asked for.
  var keepsPackets = false
  var packets: [[UInt8]] = []
  var recorder = TransportFeedbackRecorder()
  var retransmissions = 0
  var recovered = 0
  var paddings = 0
  var goodbyes: [SSRC] = []
  var senderReports: [(info: SenderInfo, at: Instant)] = []
  var feedbackReports = 0
  /// Retransmission payload types, to the payload types they repair.
  private var repairs: [UInt8: UInt8] = [:]
  private var extensions = HeaderExtensionMap()
  private var lastMedia: [String: SSRC] = [:]
  private var nextReport = Instant.milliseconds(500)

  init(media: [NegotiatedMedia], reports: Bool) {
    reportsFeedback = reports
    for section in media {
      for codec in section.codecs {
        if let rtx = codec.rtxPayloadType { repairs[rtx.rawValue] = codec.payloadType.rawValue }
      }
      for kind in HeaderExtensionKind.allCases where section.extensions[kind] != nil {
        extensions[kind] = section.extensions[kind]
      }
    }
  }

  mutating func receive(_ packet: [UInt8], now: Instant) {
    guard let header = try? RTPHeader.parse(packet.span) else { return }
    if keepsPackets { packets.append(packet) }
    var mid: String?
    var rid: String?
    var elements = header.elements
    while let element = elements.next(in: packet.span) {
      switch extensions.kind(forID: element.id) {
      case .transportSequenceNumber:
        if let number = TransportSequenceNumber.parse(packet.span, at: element.range) {
          recorder.receive(number, now: now)
        }
      case .mid: mid = HeaderExtensionText(packet.span, at: element.range)?.text
      case .rid, .repairedRID: rid = HeaderExtensionText(packet.span, at: element.range)?.text
      default: break
      }
    }
    let name = (mid ?? "") + "/" + (rid ?? "")
    if let original = repairs[header.payloadType.rawValue] {
      retransmissions += 1
      guard let ssrc = lastMedia[name] else { return }
      var copy = packet
      var span = copy.mutableSpan
      let unpacked = try? RTXUnpacker.unpack(
        &span, header: header, ssrc: ssrc, payloadType: PayloadType(rawValue: original))
      guard let repaired = unpacked else {
        paddings += 1
        return
      }
      if streams[ssrc]?.sequences.insert(repaired.sequenceNumber.rawValue).inserted == true { recovered += 1 }
      _ = streams[ssrc]?.nacks.receive(repaired.sequenceNumber, isRetransmission: true, now: now)
      return
    }
    var stream = streams[header.ssrc] ?? Stream(statistics: ReceiveStatistics(ssrc: header.ssrc, clockRate: 90_000))
    if let mid {
      stream.mid = mid
      stream.rid = rid
      lastMedia[name] = header.ssrc
    }
    stream.sequences.insert(header.sequenceNumber.rawValue)
    stream.highest = header.sequenceNumber.rawValue
    stream.statistics.receive(header, now: now)
    if repairs.values.contains(header.payloadType.rawValue) {
      _ = stream.nacks.receive(header.sequenceNumber, now: now)
    }
    streams[header.ssrc] = stream
  }

  mutating func receiveReport(_ packet: [UInt8], now: Instant) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: packet.span) {
      switch message {
      case .senderReport(let report):
        senderReports.append((report.info, now))
        streams[report.info.ssrc]?.statistics.receive(senderReport: report.info, now: now)
      case .bye(let bye):
        for index in 0..<bye.count { bye.ssrc(at: index, in: packet.span).map { goodbyes.append($0) } }
      default: break
      }
    }
  }

  /// The share of numbers between the first and the last that are missing permanently.
  func missing(_ ssrc: SSRC) -> Int {
    guard let stream = streams[ssrc], let highest = stream.highest, let lowest = stream.sequences.min() else {
      return 0
    }
    return max(0, Int(highest) - Int(lowest) + 1 - stream.sequences.count)
  }

  mutating func reports(now: Instant) -> [[UInt8]] {
    var out: [[UInt8]] = []
    if reportsFeedback {
      while recorder.deadline <= now {
        guard
          let report = Self.write({ writer, buffer in
            recorder.appendFeedback(
              to: &writer, sender: SSRC(rawValue: 1), media: SSRC(rawValue: 2), now: now, into: &buffer)
          })
        else { break }
        out.append(report)
        feedbackReports += 1
      }
    }
    if asksAgain {
      for ssrc in streams.keys.sorted(by: { $0.rawValue < $1.rawValue })
      where streams[ssrc].map({ $0.nacks.deadline <= now }) == true {
        var numbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 128)
        var span = numbers.mutableSpan
        let count = streams[ssrc]?.nacks.poll(now: now, roundTripTime: .milliseconds(100), into: &span) ?? 0
        guard count > 0 else { continue }
        let report = Self.write { writer, buffer in
          (try? writer.append(
            nack: numbers.span.extracting(0..<count), sender: SSRC(rawValue: 1), media: ssrc, into: &buffer)) != nil
        }
        if let report { out.append(report) }
      }
    }
    if now >= nextReport {
      nextReport = now + .seconds(1)
      var blocks: [ReportBlock] = []
      for ssrc in streams.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
        if let block = streams[ssrc]?.statistics.makeReportBlock(now: now) { blocks.append(block) }
      }
      let report = Self.write { writer, buffer in
        (try? writer.append(receiverReportFrom: SSRC(rawValue: 1), blocks: blocks.span, into: &buffer)) != nil
      }
      if let report { out.append(report) }
    }
    return out
  }

  private static func write(_ body: (inout RTCPWriter, inout MutableSpan<UInt8>) -> Bool) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 1_200)
    var writer = RTCPWriter()
    var span = buffer.mutableSpan
    guard body(&writer, &span) else { return nil }
    return Array(buffer[..<writer.length])
  }
}

/// Negotiated media for tests: one section each, ids as offers have them.
enum TestMedia {
  static let audioMID = MID(rawValue: "0")
  static let videoMID = MID(rawValue: "1")

  static func extensions(_ kind: MediaKind, transportWide: Bool = true) -> HeaderExtensionMap {
    var map = HeaderExtensionMap()
    map[.mid] = 4
    map[.absSendTime] = 2
    if transportWide { map[.transportSequenceNumber] = 3 }
    if kind == .audio { map[.audioLevel] = 1 }
    if kind == .video {
      map[.rid] = 10
      map[.repairedRID] = 11
    }
    return map
  }

  static func video(
    _ mid: MID = videoMID, rids: [String] = [], ssrc: UInt32 = 2_000, feedback: FeedbackMechanisms = .all,
    rtx: Bool = true
  ) -> NegotiatedMedia {
    NegotiatedMedia(
      mid: mid, index: 1, kind: .video, role: .send,
      codecs: [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: rtx ? PayloadType(rawValue: 97) : nil,
          feedback: feedback)
      ],
      extensions: extensions(.video, transportWide: feedback.contains(.transportWide)), remoteSources: [],
      remoteStreamIDs: [], rids: rids.map { RID(rawValue: $0) },
      localSource: NegotiatedSource(ssrc: SSRC(rawValue: ssrc), rtxSSRC: rtx ? SSRC(rawValue: ssrc + 1) : nil),
      localStreamID: nil, usesReducedSizeRTCP: true)
  }

  static func audio(_ mid: MID = audioMID, ssrc: UInt32 = 1_000, transportWide: Bool = true) -> NegotiatedMedia {
    NegotiatedMedia(
      mid: mid, index: 0, kind: .audio, role: .send,
      codecs: [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 111), codec: .opus, feedback: transportWide ? .transportWide : [])
      ],
      extensions: extensions(.audio, transportWide: transportWide), remoteSources: [], remoteStreamIDs: [], rids: [],
      localSource: NegotiatedSource(ssrc: SSRC(rawValue: ssrc)), localStreamID: nil, usesReducedSizeRTCP: true)
  }
}
