import Basics

@testable import RTC

/// Sections, packets and deliveries for tests of the receiving half.
enum Receiving {
  static let audioSSRC = SSRC(rawValue: 0x0A0A_0A0A)
  static let videoSSRC = SSRC(rawValue: 0x0B0B_0B0B)
  static let rtxSSRC = SSRC(rawValue: 0x0C0C_0C0C)
  static let own = SSRC(rawValue: 7)

  static var extensions: HeaderExtensionMap {
    var map = HeaderExtensionMap()
    map[.mid] = 1
    map[.audioLevel] = 2
    map[.transportSequenceNumber] = 3
    map[.dependencyDescriptor] = 4
    return map
  }

  static func section(
    _ mid: String, _ kind: MediaKind, _ codecs: [NegotiatedCodec], sources: [NegotiatedSource], reduced: Bool = true,
    index: Int = 0
  ) -> NegotiatedMedia {
    NegotiatedMedia(
      mid: MID(rawValue: mid), index: index, kind: kind, role: .receive, codecs: codecs, extensions: extensions,
      remoteSources: sources, remoteStreamIDs: [], rids: [], localSource: nil, localStreamID: nil,
      usesReducedSizeRTCP: reduced)
  }

  static func audio(announced: Bool = true, nack: Bool = false, reduced: Bool = true) -> NegotiatedMedia {
    section(
      "a", .audio,
      [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 111), codec: .opus,
          feedback: nack ? [.nack, .transportWide] : .transportWide),
        NegotiatedCodec(payloadType: PayloadType(rawValue: 63), codec: .red),
      ], sources: announced ? [NegotiatedSource(ssrc: audioSSRC)] : [], reduced: reduced)
  }

  static func video(
    announced: Bool = true, feedback: FeedbackMechanisms = [.nack, .pictureLoss, .transportWide], reduced: Bool = true
  ) -> NegotiatedMedia {
    section(
      "v", .video,
      [
        NegotiatedCodec(
          payloadType: PayloadType(rawValue: 96), codec: .vp8, rtxPayloadType: PayloadType(rawValue: 97),
          feedback: feedback)
      ], sources: announced ? [NegotiatedSource(ssrc: videoSSRC, rtxSSRC: rtxSSRC)] : [], reduced: reduced)
  }

  /// One RTP packet, byte by byte.
  static func packet(
    _ ssrc: SSRC, _ payloadType: UInt8, _ sequence: Int, timestamp: UInt32 = 0, payload: [UInt8] = [1, 2, 3, 4],
    mid: String? = nil, level: UInt8? = nil, transport: UInt16? = nil, descriptor: [UInt8]? = nil, padding: Int = 0
  ) -> [UInt8] {
    var elements: [UInt8] = []
    func add(_ id: UInt8, _ bytes: [UInt8]) { elements += [id << 4 | UInt8(bytes.count - 1)] + bytes }
    if let mid { add(1, Array(mid.utf8)) }
    if let level { add(2, [level]) }
    if let transport { add(3, [UInt8(transport >> 8), UInt8(transport & 255)]) }
    if let descriptor { add(4, descriptor) }
    var bytes = RTPSample.packet(
      extension: elements.isEmpty ? nil : (0xBEDE, elements), payload: payload, padding: padding,
      sequence: UInt16(truncatingIfNeeded: sequence), marker: false)
    bytes[1] = payloadType
    bytes.replaceSubrange(4..<8, with: RTPSample.bigEndian(timestamp))
    bytes.replaceSubrange(8..<12, with: RTPSample.bigEndian(ssrc.rawValue))
    return bytes
  }

  /// A retransmission of the packet numbered `original`.
  static func retransmission(_ original: Int, under sequence: Int, payload: [UInt8], transport: UInt16? = nil)
    -> [UInt8]
  {
    packet(
      rtxSSRC, 97, sequence, payload: [UInt8(original >> 8 & 255), UInt8(original & 255)] + payload,
      transport: transport)
  }

  /// Redundant audio: older blocks with how many ticks they lie back, then the packet's own.
  static func redundant(_ older: [(back: Int, bytes: [UInt8])], _ own: [UInt8]) -> [UInt8] {
    var payload: [UInt8] = []
    for block in older {
      let fields = UInt32(block.back) << 10 | UInt32(block.bytes.count)
      payload += [0x80 | 111, UInt8(fields >> 16 & 255), UInt8(fields >> 8 & 255), UInt8(fields & 255)]
    }
    payload.append(111)
    for block in older { payload += block.bytes }
    return payload + own
  }

  /// The first payload byte of VP8 (RFC 7741) followed by a frame header that says key or delta frame.
  static let keyframe: [UInt8] = [0x10, 0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01]
  static let delta: [UInt8] = [0x10, 0x11, 0, 0]

  static func ms(_ milliseconds: Int64) -> Instant { .milliseconds(milliseconds) }
}

struct Delivery: Equatable {
  var packet: ReceivedPacket
  var payload: [UInt8]
  var descriptor: [UInt8]?
}

extension Span<UInt8> {
  var copied: [UInt8] { indices.map { self[$0] } }
}

extension MediaReceiver {
  init(_ media: [NegotiatedMedia], configuration: MediaReceiverConfiguration = .init()) {
    self.init(configuration: configuration)
    update(media: media, cname: "me")
  }

  /// The deliveries for a packet; none when its header cannot be read.
  mutating func feed(_ bytes: [UInt8], at now: Instant) -> [Delivery] {
    guard let header = try? RTPHeader.parse(bytes.span) else { return [] }
    var bytes = bytes
    var deliveries: [Delivery] = []
    var span = bytes.mutableSpan
    receive(header, &span, now: now) { packet, payload, descriptor in
      deliveries.append(Delivery(packet: packet, payload: payload.copied, descriptor: descriptor?.copied))
    }
    return deliveries
  }

  /// Every datagram that is due.
  mutating func feedback(at now: Instant, size: Int = 1_150) -> [[UInt8]] {
    var datagrams: [[UInt8]] = []
    var buffer = [UInt8](repeating: 0xEE, count: size)
    while datagrams.count < 100 {
      var span = buffer.mutableSpan
      guard let length = makeFeedback(now: now, sender: Receiving.own, into: &span) else { break }
      datagrams.append(Array(buffer[0..<length]))
    }
    return datagrams
  }

  /// Feedback of a whole time span, at its deadlines.
  mutating func feedback(from start: Instant, until end: Instant) -> [(Instant, [UInt8])] {
    var all: [(Instant, [UInt8])] = []
    var now = start
    while now <= end {
      all += feedback(at: now).map { (now, $0) }
      now = max(deadline, now + .milliseconds(1))
    }
    return all
  }

  mutating func feed(report info: SenderInfo, at now: Instant) throws {
    var buffer = [UInt8](repeating: 0, count: 100)
    var writer = RTCPWriter()
    var span = buffer.mutableSpan
    try writer.append(senderReport: info, into: &span)
    try feed(reports: Array(buffer[0..<writer.length]), at: now)
  }

  mutating func feed(reports datagram: [UInt8], at now: Instant) throws {
    var reader = RTCPReader()
    while let message = try reader.next(in: datagram.span) { receive(message, in: datagram.span, now: now) }
  }
}

/// The content of an RTCP datagram, in a form that tests can compare.
enum Said: Equatable {
  case report([ReportBlock])
  case name(String)
  case lost([UInt16], of: SSRC)
  case pictureLoss(SSRC)
  case fullIntra(SSRC, UInt8)
  case arrivals([UInt16])
  case other

  static func read(_ datagram: [UInt8]) throws -> [Said] {
    var reader = RTCPReader()
    var said: [Said] = []
    while let message = try reader.next(in: datagram.span) {
      switch message {
      case .receiverReport(let report):
        said.append(.report((0..<report.blocks.count).compactMap { report.blocks.block(at: $0, in: datagram.span) }))
      case .sdes(let sdes): said.append(.name(sdes.cname(of: Receiving.own, in: datagram.span) ?? ""))
      case .nack(let nack):
        var numbers: [UInt16] = []
        var iterator = nack.sequenceNumbers
        while let number = iterator.next(in: datagram.span) { numbers.append(number.rawValue) }
        said.append(.lost(numbers, of: nack.mediaSSRC))
      case .pli(let pli): said.append(.pictureLoss(pli.mediaSSRC))
      case .fir(let fir):
        let entry = fir.entry(at: 0, in: datagram.span)
        said.append(.fullIntra(entry?.ssrc ?? SSRC(rawValue: 0), entry?.sequenceNumber ?? 0))
      case .transportFeedback(let feedback):
        var numbers: [UInt16] = []
        var iterator = feedback.arrivals
        while let arrival = iterator.next(in: datagram.span) { numbers.append(arrival.sequenceNumber.rawValue) }
        said.append(.arrivals(numbers))
      default: said.append(.other)
      }
    }
    return said
  }
}
