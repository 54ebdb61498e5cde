import Basics
@testable import RTC
@testable import SFU

/// A participant of a ``VirtualMeeting``: it sends media as a browser does, answers NACK with RTX and PLI with a
/// keyframe, and checks what it receives.
final class VirtualClient {
  unowned let meeting: VirtualMeeting
  let member: Member
  private(set) var sources: [VirtualSource] = []
  /// Receivers by the slot's SSRC.
  private(set) var streams: [UInt32: VirtualReceiver] = [:]
  private(set) var slots: [String: Subscription] = [:]
  /// RTCP that came from the router.
  var keyframeRequests = 0
  var receivedNacks = 0
  var transportFeedbacks: [Instant] = []
  var senderReports: [UInt32: [(SenderInfo, Instant)]] = [:]
  var receiverReports: [ReportBlock] = []
  /// Whether lost packets are asked for.
  var sendsNacks = true
  private var transportSequence: UInt16 = 0
  private var nextReport: Instant

  init(meeting: VirtualMeeting, member: Member) {
    self.meeting = meeting
    self.member = member
    nextReport = meeting.now + .milliseconds(700)
  }

  // MARK: Set-up

  @discardableResult
  func publish(
    _ id: String, mid: String, _ kind: MediaKind, ssrc: UInt32, announce: Bool = false, base: UInt8 = 96,
    codecs: [NegotiatedCodec]? = nil
  ) -> VirtualSource {
    let media = Sections.receive(
      mid: mid, kind, base: base, codecs: codecs,
      sources: announce
        ? [NegotiatedSource(ssrc: SSRC(rawValue: ssrc), rtxSSRC: kind == .video ? SSRC(rawValue: ssrc + 1) : nil)] : [])
    let publication = meeting.router.publish(PublicationID(rawValue: id), media: media, isMuted: false, by: member)
    let source = VirtualSource(client: self, publication: publication, ssrc: ssrc, media: media)
    sources.append(source)
    return source
  }

  /// Publishes simulcast: a source for each of `rids`, in the offer's order.
  func publishSimulcast(
    _ id: String, mid: String, rids: [String], ssrc: UInt32, codecs: [NegotiatedCodec]? = nil
  ) -> [VirtualSource] {
    let media = Sections.receive(mid: mid, .video, codecs: codecs, rids: rids.map { RID(rawValue: $0) })
    let publication = meeting.router.publish(PublicationID(rawValue: id), media: media, isMuted: false, by: member)
    let layers = rids.enumerated().map { index, rid in
      let source = VirtualSource(
        client: self, publication: publication, ssrc: ssrc + UInt32(index * 10), media: media)
      source.ridOnWire = rid
      return source
    }
    sources += layers
    return layers
  }

  @discardableResult
  func slot(
    _ mid: String, _ kind: MediaKind, ssrc: UInt32, base: UInt8 = 96, codecs: [NegotiatedCodec]? = nil,
    without unknown: HeaderExtensionKind? = nil
  ) -> Subscription {
    var media = Sections.slot(mid: mid, kind, ssrc: ssrc, base: base, codecs: codecs)
    if let unknown { media.extensions[unknown] = nil }
    guard let subscription = meeting.router.addSlot(media, of: member) else {
      preconditionFailure("the router refused the slot \(mid), which the test set up")
    }
    slots[mid] = subscription
    streams[ssrc] = VirtualReceiver(ssrc: ssrc, kind: kind, now: meeting.now)
    return subscription
  }

  func nextTransportSequence() -> UInt16 {
    transportSequence &+= 1
    return transportSequence
  }

  // MARK: Time

  var deadline: Instant {
    var deadline = nextReport
    for source in sources { deadline = min(deadline, source.nextFrame) }
    if sendsNacks { for stream in streams.values { deadline = min(deadline, stream.nacks.deadline) } }
    return deadline
  }

  func tick() {
    let now = meeting.now
    for source in sources where source.nextFrame <= now { source.sendFrame(now) }
    if sendsNacks {
      for stream in streams.values where stream.nacks.deadline <= now { sendNacks(stream, now) }
    }
    if nextReport <= now {
      nextReport = now + .seconds(1)
      sendReports(now)
    }
  }

  private func sendNacks(_ stream: VirtualReceiver, _ now: Instant) {
    var numbers = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: 64)
    var span = numbers.mutableSpan
    let count = stream.nacks.poll(now: now, roundTripTime: .milliseconds(40), into: &span)
    guard count > 0 else { return }
    sendNack(numbers[..<count].map(\.rawValue), ssrc: stream.ssrc)
  }

  func sendNack(_ numbers: [UInt16], ssrc: UInt32) {
    let lost = numbers.map { SequenceNumber(rawValue: $0) }
    upload { writer, buffer throws(RTCPError) in
      try writer.append(nack: lost.span, sender: SSRC(rawValue: 9), media: SSRC(rawValue: ssrc), into: &buffer)
    }
  }

  func sendPLI(ssrc: UInt32) {
    upload { writer, buffer throws(RTCPError) in
      try writer.append(pliFor: SSRC(rawValue: ssrc), sender: SSRC(rawValue: 9), into: &buffer)
    }
  }

  /// The reference time that the router sent last, and when it came; it is answered with the next reports.
  private(set) var asked: (time: NTPTime, ssrc: SSRC, at: Instant)?
  private(set) var questions = 0

  /// Sender reports of all sources and receiver reports of all streams.
  func sendReports(_ now: Instant) {
    for source in sources where source.sendsReports {
      guard let info = source.senderInfo(now) else { continue }
      upload { writer, buffer throws(RTCPError) in try writer.append(senderReport: info, into: &buffer) }
    }
    if let asked {
      let delay = ReferenceDelay(to: asked.time, of: asked.ssrc, arrival: asked.at, now: now)
      upload { writer, buffer throws(RTCPError) in
        try writer.append(delay: delay, sender: SSRC(rawValue: 9), into: &buffer)
      }
      self.asked = nil
    }
    let blocks = streams.values.compactMap { $0.reportBlock(now) }
    upload { writer, buffer throws(RTCPError) in
      try writer.append(receiverReportFrom: SSRC(rawValue: 9), blocks: blocks.span, into: &buffer)
    }
  }

  private func upload(_ body: (inout RTCPWriter, inout MutableSpan<UInt8>) throws(RTCPError) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 1_200)
    var writer = RTCPWriter()
    var span = bytes.mutableSpan
    do { try body(&writer, &span) } catch { return }
    meeting.upload(Array(bytes[..<writer.length]), from: self)
  }

  // MARK: Receiving

  func receive(_ bytes: [UInt8]) {
    if (192...223).contains(bytes[1]) { return receiveReport(bytes) }
    guard let header = try? RTPHeader.parse(bytes.span) else { return }
    let ssrc = header.ssrc.rawValue
    if let stream = streams[ssrc] {
      stream.receive(header, bytes, Array(bytes[header.payloadRange]), isRetransmission: false, now: meeting.now)
    } else if let stream = streams[ssrc &- 1] {
      let payload = Array(bytes[header.payloadRange])
      guard payload.count >= 2 else { return }
      var original = header
      original.sequenceNumber = SequenceNumber(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
      stream.retransmissionSequences.append(header.sequenceNumber.rawValue)
      stream.receive(original, bytes, Array(payload[2...]), isRetransmission: true, now: meeting.now)
    }
  }

  private func receiveReport(_ bytes: [UInt8]) {
    var reader = RTCPReader()
    while let message = try? reader.next(in: bytes.span) {
      switch message {
      case .pli(let pli):
        keyframeRequests += 1
        let source = sources.first { $0.ssrc == pli.mediaSSRC.rawValue }
        source?.keyframeRequests.append(meeting.now)
        if source?.ignoresRequests == false { source?.wantsKeyframe = true }
      case .nack(let nack):
        receivedNacks += 1
        var numbers = nack.sequenceNumbers
        guard let source = sources.first(where: { $0.ssrc == nack.mediaSSRC.rawValue }) else { continue }
        while let number = numbers.next(in: bytes.span) { source.resend(number.rawValue) }
      case .transportFeedback: transportFeedbacks.append(meeting.now)
      case .extendedReport(let report):
        questions += 1
        if let time = report.referenceTime { asked = (time, report.ssrc, meeting.now) }
      case .senderReport(let report):
        streams[report.info.ssrc.rawValue]?.lastSenderReport = (report.info.ntp.middle32, meeting.now)
        senderReports[report.info.ssrc.rawValue, default: []].append((report.info, meeting.now))
      case .receiverReport(let report):
        var index = 0
        while let block = report.blocks.block(at: index, in: bytes.span) {
          receiverReports.append(block)
          index += 1
        }
      default: break
      }
    }
  }
}

/// One stream that a virtual client sends.
final class VirtualSource {
  unowned let client: VirtualClient
  let publication: Publication
  let ssrc: UInt32
  let media: NegotiatedMedia
  var nextFrame = Instant.distantFuture
  var interval = TimeSpan.milliseconds(33)
  var packetsPerFrame = 4
  var packetSize = 1_000
  var wantsKeyframe = false
  /// When keyframes were asked for.
  var keyframeRequests: [Instant] = []
  var ignoresRequests = false
  /// The simulcast layer that packets name.
  var ridOnWire: String?
  /// The payload type of its packets, one of its section's.
  var payloadType: PayloadType
  /// Makes its frames; nil for plain VP8.
  var shape: LayeredShape?
  var sendsReports = true
  var level: UInt8 = 30
  /// Whether packets carry the MID.
  var midOnWire: String?
  var sequence: UInt16 = 65_000
  var timestamp: UInt32
  var pictureID: UInt16 = 100
  var tl0: UInt8 = 7
  private(set) var framesSent = 0
  private(set) var packetsSent = 0
  private var retransmissionSequence: UInt16 = 1
  private var history: [UInt16: (timestamp: UInt32, marker: Bool, payload: [UInt8], descriptor: [UInt8])] = [:]
  /// The wall clock of the source is behind the router's by this much.
  var clockError = TimeSpan.milliseconds(-123_456)
  private var startedAt: Instant?
  private let firstTimestamp: UInt32
  private var packetCount: UInt32 = 0

  init(client: VirtualClient, publication: Publication, ssrc: UInt32, media: NegotiatedMedia) {
    self.client = client
    self.publication = publication
    self.ssrc = ssrc
    self.media = media
    payloadType = media.codecs[0].payloadType
    midOnWire = media.mid.rawValue
    firstTimestamp = ssrc &* 77_777
    timestamp = firstTimestamp
    if media.kind == .audio {
      interval = .milliseconds(20)
      packetsPerFrame = 1
      packetSize = 120
    }
  }

  var clockRate: UInt32 { media.codecs[0].codec.clockRate }

  /// Starts to send frames.
  func start() {
    nextFrame = client.meeting.now
    startedAt = client.meeting.now
  }

  func stop() { nextFrame = .distantFuture }

  /// The RTP time of an instant of the source.
  func timestamp(at instant: Instant) -> UInt32 {
    let elapsed = instant - (startedAt ?? instant)
    return firstTimestamp &+ UInt32(truncatingIfNeeded: elapsed.microseconds * Int64(clockRate) / 1_000_000)
  }

  func senderInfo(_ now: Instant) -> SenderInfo? {
    guard startedAt != nil else { return nil }
    let clock = client.meeting.router.clock
    return SenderInfo(
      ssrc: SSRC(rawValue: ssrc), ntp: clock.time(at: now) + clockError,
      rtpTimestamp: RTPTimestamp(rawValue: timestamp(at: now)), packetCount: packetCount, octetCount: 0)
  }

  func sendFrame(_ now: Instant) {
    nextFrame = now + interval
    timestamp = timestamp(at: now)
    let isKeyframe = framesSent == 0 || wantsKeyframe
    wantsKeyframe = false
    if let shape {
      for packet in shape.picture(isKeyframe: isKeyframe, of: self) {
        send(packet.payload, marker: packet.marker, descriptor: packet.descriptor)
      }
      framesSent += 1
      return
    }
    if media.kind == .video {
      pictureID = (pictureID + 1) & 0x7FFF
      tl0 &+= 1
    }
    for index in 0..<packetsPerFrame {
      // Sizes of a frame's packets differ by a byte, as browsers make them.
      let size = packetSize + (index % 2)
      var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: framesSent), count: size)
      if media.kind == .video {
        payload[0] = 0x80 | (index == 0 ? 0x10 : 0)
        payload[1] = 0xC0
        payload[2] = 0x80 | UInt8(pictureID >> 8)
        payload[3] = UInt8(truncatingIfNeeded: pictureID)
        payload[4] = tl0
        payload[5] = isKeyframe ? 0x10 : 0x11
      }
      send(payload, marker: index == packetsPerFrame - 1)
    }
    framesSent += 1
  }

  func send(_ payload: [UInt8], marker: Bool = false, descriptor: [UInt8] = []) {
    history[sequence] = (timestamp, marker, payload, descriptor)
    client.meeting.upload(
      packet(
        ssrc: ssrc, type: payloadType, sequence: sequence, timestamp: timestamp, payload, marker,
        descriptor), from: client)
    sequence &+= 1
    packetCount &+= 1
    packetsSent += 1
  }

  func resend(_ number: UInt16) {
    guard let old = history[number], let type = media.codecs[0].rtxPayloadType else { return }
    let payload = [UInt8(number >> 8), UInt8(number & 0xFF)] + old.payload
    client.meeting.upload(
      packet(
        ssrc: ssrc + 1, type: type, sequence: retransmissionSequence, timestamp: old.timestamp, payload, old.marker,
        old.descriptor), from: client)
    retransmissionSequence &+= 1
  }

  func packet(
    ssrc: UInt32, type: PayloadType, sequence: UInt16, timestamp: UInt32, _ payload: [UInt8], _ marker: Bool,
    _ descriptor: [UInt8] = []
  ) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 512)
    var span = bytes.mutableSpan
    var writer = RTPHeaderWriter()
    guard
      let length = try? {
        try writer.begin(
          payloadType: type, marker: marker, sequenceNumber: SequenceNumber(rawValue: sequence),
          timestamp: RTPTimestamp(rawValue: timestamp), ssrc: SSRC(rawValue: ssrc), into: &span)
        try writer.append(id: Sections.transportID, uint16: client.nextTransportSequence(), into: &span)
        if let midOnWire, let text = HeaderExtensionText(midOnWire) {
          try writer.append(id: Sections.midID, text: text, into: &span)
        }
        if media.kind == .audio { try writer.append(id: Sections.levelID, uint8: level, into: &span) }
        if let ridOnWire, let text = HeaderExtensionText(ridOnWire) {
          let id = ssrc == self.ssrc ? Sections.ridID : Sections.repairedID
          try writer.append(id: id, text: text, into: &span)
        }
        if !descriptor.isEmpty { try writer.append(id: Sections.descriptorID, bytes: descriptor.span, into: &span) }
        return try writer.finish(into: &span)
      }()
    else { return [] }
    return Array(bytes[..<length]) + payload
  }
}

/// One stream that a virtual client receives.
final class VirtualReceiver {
  struct Packet {
    var sequence: Int64
    var timestamp: UInt32
    var payload: [UInt8]
    var pictureID: Int
    var tl0: Int
    var isRetransmission: Bool
    var at: Instant
    var length: Int
    var marker = false
    var descriptor: [UInt8] = []
  }

  let ssrc: UInt32
  let kind: MediaKind
  var nacks = NackGenerator()
  private(set) var packets: [Int64: Packet] = [:]
  private(set) var highest: Int64 = -1
  private(set) var lowest: Int64 = .max
  private(set) var duplicates = 0
  /// Packets that came under a number that another one has.
  private(set) var conflicts = 0
  private(set) var firstHeader: RTPHeader?
  private(set) var arrivals = 0
  var retransmissionSequences: [UInt16] = []
  var lastSenderReport: (middle: UInt32, at: Instant)?
  private var statistics: ReceiveStatistics
  var lastBytes: [UInt8] = []

  init(ssrc: UInt32, kind: MediaKind, now: Instant) {
    self.ssrc = ssrc
    self.kind = kind
    statistics = ReceiveStatistics(ssrc: SSRC(rawValue: ssrc), clockRate: kind == .audio ? 48_000 : 90_000)
  }

  var ordered: [Packet] { packets.sorted { $0.key < $1.key }.map(\.value) }
  /// Numbers that never came.
  var missing: Int { highest < 0 ? 0 : Int(highest - lowest) + 1 - packets.count }

  func receive(_ header: RTPHeader, _ bytes: [UInt8], _ payload: [UInt8], isRetransmission: Bool, now: Instant) {
    arrivals += 1
    lastBytes = bytes
    if firstHeader == nil { firstHeader = header }
    let raw = header.sequenceNumber
    let extended: Int64
    if highest < 0 {
      extended = Int64(raw.rawValue) + 0x1_0000
    } else {
      extended = highest + Int64(raw.distance(from: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: highest))))
    }
    _ = nacks.receive(raw, isRetransmission: isRetransmission, now: now)
    if !isRetransmission { statistics.receive(header, now: now) }
    if let known = packets[extended] {
      duplicates += 1
      if known.payload != payload { conflicts += 1 }
      return
    }
    let isVP8 = kind == .video && payload.count > 6
    packets[extended] = Packet(
      sequence: extended, timestamp: header.timestamp.rawValue, payload: payload,
      pictureID: isVP8 ? Int(payload[2] & 0x7F) << 8 | Int(payload[3]) : -1, tl0: isVP8 ? Int(payload[4]) : -1,
      isRetransmission: isRetransmission, at: now, length: bytes.count, marker: header.marker,
      descriptor: Self.descriptor(header, bytes))
    highest = max(highest, extended)
    lowest = min(lowest, extended)
  }

  private static func descriptor(_ header: RTPHeader, _ bytes: [UInt8]) -> [UInt8] {
    var elements = header.elements
    while let element = elements.next(in: bytes.span) {
      if element.id == Sections.descriptorID { return Array(bytes[element.range]) }
    }
    return []
  }

  func reportBlock(_ now: Instant) -> ReportBlock? {
    guard var block = statistics.makeReportBlock(now: now) else { return nil }
    if let lastSenderReport {
      block.lastSenderReport = lastSenderReport.middle
      let delay = (now - lastSenderReport.at).nanoseconds
      block.delaySinceLastSenderReport = UInt32(delay * 65_536 / 1_000_000_000)
    }
    return block
  }
}
