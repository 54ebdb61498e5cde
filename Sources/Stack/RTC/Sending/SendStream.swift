import Basics

/// One outgoing stream of a ``MediaSender``: its numbering, its stored packets and its counts.
struct SendStream: Sendable {
  let mid: MID
  let rid: RID?
  let kind: MediaKind
  let ssrc: SSRC
  private let midText: HeaderExtensionText?
  private let ridText: HeaderExtensionText?
  /// The negotiated codecs, kept by value so that a frame costs no look-up by name.
  private(set) var codecs: [NegotiatedCodec]
  private(set) var extensions: HeaderExtensionMap
  var rtxSSRC: SSRC?

  /// The number of the next packet, extended; starts below 32,768 as ``SRTPSender`` asks for.
  private(set) var nextSequence: Int64
  private var nextRTXSequence: UInt16
  /// Added to the frames' timestamps, the same for all layers of a section (RFC 3550 section 5.1).
  let timestampOffset: UInt32

  private var packetizer: Packetizer?
  /// The codec that frames are packetized for now.
  private(set) var codec: NegotiatedCodec?
  var store: RetransmissionBuffer
  var keyframes: KeyframeThrottle
  var parameters: EncodingParameters
  var statistics: OutboundStreamStatistics
  var ladder = QualityLadder()
  /// How far back the next packet that serves as padding is.
  private var paddingBack: Int64 = 0
  /// The highest number of the last report block, to count from (RFC 3550 section 6.4.1).
  var lastHighest: UInt32?
  var lastLost: Int32 = 0

  /// The last frame's timestamp on the wire and when it was captured, for sender reports.
  var lastTimestamp: RTPTimestamp?
  var lastCapture = Instant.zero
  /// For sender reports, wrapping.
  private(set) var reportedPackets: UInt32 = 0
  private(set) var reportedOctets: UInt32 = 0
  /// Whether the receiver has reported on the stream, so that it knows whose it is.
  var isKnown = false
  /// The sequence number of the last FIR that was answered (RFC 5104 section 4.3.1.2).
  var lastFIR: UInt8?

  init(
    media: NegotiatedMedia, rid: RID?, source: NegotiatedSource, timestampOffset: UInt32,
    configuration: MediaSenderConfiguration, random: inout some RandomNumberGenerator
  ) {
    mid = media.mid
    self.rid = rid
    kind = media.kind
    ssrc = source.ssrc
    rtxSSRC = source.rtxSSRC
    midText = HeaderExtensionText(media.mid.rawValue)
    ridText = rid.flatMap { HeaderExtensionText($0.rawValue) }
    codecs = media.codecs
    extensions = media.extensions
    nextSequence = Int64(random.next() & 0x3FFF)
    nextRTXSequence = UInt16(truncatingIfNeeded: random.next() & 0x3FFF)
    self.timestampOffset = timestampOffset
    let isVideo = media.kind == .video
    store = RetransmissionBuffer(
      limits: .init(
        packets: isVideo ? 2_048 : 256,
        bytes: isVideo ? configuration.retransmissionBytes : configuration.retransmissionBytes / 16,
        age: configuration.retransmissionAge))
    keyframes = KeyframeThrottle(
      interval: configuration.keyframeInterval,
      urgentInterval: TimeSpan(nanoseconds: configuration.keyframeInterval.nanoseconds / 5), repeatsUrgently: true)
    parameters = isVideo ? .layer(rid.flatMap { media.rids.firstIndex(of: $0) } ?? 0, of: media.rids.count) : .audio
    statistics = OutboundStreamStatistics(
      ssrc: source.ssrc, rtxSSRC: source.rtxSSRC, mid: media.mid, rid: rid, kind: media.kind)
  }

  /// Takes over what a new answer says.
  mutating func update(_ media: NegotiatedMedia) {
    extensions = media.extensions
    guard codecs != media.codecs else { return }
    codecs = media.codecs
    codec = nil
    packetizer = nil
  }

  /// The payload type that retransmissions of `payloadType` have; nil without.
  func retransmissionType(of payloadType: PayloadType) -> PayloadType? {
    for codec in codecs where codec.payloadType == payloadType { return codec.rtxPayloadType }
    return nil
  }

  /// The bytes of a header with every extension at its longest, so that packetizing leaves room for it.
  var headerRoom: Int { 12 + 4 + 3 + 4 + 3 + (midText?.count ?? 0) + 2 + (ridText?.count ?? 0) + 2 + 2 + 3 }

  // MARK: Packetizing

  /// Cuts a frame into packets, stores them and gives their extended numbers; nil when the frame cannot be sent.
  mutating func packetize(
    _ frame: EncodedFrame, maximumPacketSize: Int, now: Instant, random: inout some RandomNumberGenerator
  ) -> Range<Int64>? {
    if codec?.codec != frame.codec {
      guard let negotiated = codecs.first(where: { $0.codec == frame.codec }) else { return nil }
      codec = negotiated
      packetizer = Packetizer(
        codec: frame.codec, maximumPayloadSize: maximumPacketSize - headerRoom - 16 - RetransmissionBuffer.headroom,
        using: &random)
    }
    guard let codec, var packetizer = packetizer.take() else { return nil }
    defer { self.packetizer = packetizer }
    var packet = RetransmissionBuffer.Packet()
    packet.payloadType = codec.payloadType
    packet.isKeyframe = frame.isKeyframe
    packet.timestamp = RTPTimestamp(rawValue: frame.timestamp.rawValue &+ timestampOffset)
    packet.audioLevel =
      frame.audioLevel.map {
        AudioLevel(decibelsBelowFullScale: $0, voiceActivity: $0 < Self.voiceThreshold).encoded
      } ?? 0xFF
    var sequence = nextSequence
    var isWhole = true
    do throws(PayloadError) {
      try packetizer.packetize(frame) { payload, marker in
        packet.sequence = sequence
        packet.marker = marker
        guard isWhole, store.append(packet, payload: payload, now: now) else {
          isWhole = false
          return
        }
        sequence &+= 1
      }
    } catch { isWhole = false }
    // Numbers of a frame that failed halfway were never sent and are given again.
    guard isWhole, sequence > nextSequence else { return nil }
    let sequences = nextSequence..<sequence
    nextSequence = sequence
    lastTimestamp = packet.timestamp
    lastCapture = frame.time == .zero ? now : frame.time
    statistics.codec = frame.codec
    statistics.payloadType = codec.payloadType
    statistics.framesSent &+= 1
    if frame.isKeyframe, kind == .video {
      statistics.keyFramesSent &+= 1
      keyframes.keyframeArrived()
    }
    statistics.frameWidth = frame.width
    statistics.frameHeight = frame.height
    return sequences
  }

  /// Louder than this (in −dBov) counts as speech in the voice activity bit.
  private static let voiceThreshold: UInt8 = 60

  // MARK: Padding

  /// The next packet to send again as padding; nil where none is long enough. Goes back through the recent packets, so
  /// that a probe does not send one packet all the time.
  mutating func nextPadding(atLeast length: Int) -> RetransmissionBuffer.Packet? {
    for _ in 0..<16 {
      paddingBack = (paddingBack + 1) % 16
      if let packet = store.packet(nextSequence &- 1 &- paddingBack), packet.isSent, packet.length >= length,
        retransmissionType(of: packet.payloadType) != nil
      {
        return packet
      }
    }
    return nil
  }

  /// Writes `packet` as a retransmission, or padding without payload where it is nil (RFC 4588 section 4 allows both).
  mutating func writePadding(
    _ packet: RetransmissionBuffer.Packet?, transportSequence: SequenceNumber, now: Instant,
    header: inout [UInt8], output: inout [UInt8], _ srtp: SRTPSender
  ) -> (length: Int, headerLength: Int)? {
    if let packet {
      return write(
        packet, again: true, transportSequence: transportSequence, now: now, header: &header, output: &output, srtp)
    }
    guard let lastTimestamp, let type = codec?.rtxPayloadType else { return nil }
    var empty = RetransmissionBuffer.Packet()
    empty.timestamp = lastTimestamp
    var head = header.mutableSpan
    let headerLength = writeHeader(
      of: empty, as: type, padding: true, transportSequence: transportSequence, sendTime: AbsSendTime(now), into: &head)
    guard headerLength > 0 else { return nil }
    var out = output.mutableSpan
    let length = try? srtp.protectRTP(
      header: header.span.extracting(0..<headerLength), payload: Self.padding.span, into: &out)
    return length.map { ($0, headerLength) }
  }

  /// The most padding a packet can have: its last byte says how much (RFC 3550 section 5.1).
  private static let padding = [UInt8](repeating: 0, count: 254) + [255]

  // MARK: Headers

  /// Writes the RTP header of a stored packet and returns its length; 0 when it does not fit.
  mutating func writeHeader(
    of packet: RetransmissionBuffer.Packet, as retransmission: PayloadType?, padding: Bool,
    transportSequence: SequenceNumber, sendTime: AbsSendTime, into header: inout MutableSpan<UInt8>
  ) -> Int {
    let number: SequenceNumber
    if retransmission != nil {
      number = SequenceNumber(rawValue: nextRTXSequence)
      nextRTXSequence &+= 1
    } else {
      number = SequenceNumber(rawValue: UInt16(truncatingIfNeeded: packet.sequence))
    }
    // The stream's identity goes into each packet until the receiver reports on it, and into keyframes.
    let namesStream = !isKnown || packet.isKeyframe || retransmission != nil
    var writer = RTPHeaderWriter()
    do throws(RTPError) {
      try writer.begin(
        payloadType: retransmission ?? packet.payloadType, marker: packet.marker && !padding, sequenceNumber: number,
        timestamp: packet.timestamp, ssrc: retransmission == nil ? ssrc : rtxSSRC ?? ssrc, hasPadding: padding,
        twoByte: extensions.needsTwoByteForm, into: &header)
      if namesStream {
        if let id = extensions[.mid], let midText { try writer.append(id: id, text: midText, into: &header) }
        let kind = retransmission == nil ? HeaderExtensionKind.rid : .repairedRID
        if let id = extensions[kind], let ridText { try writer.append(id: id, text: ridText, into: &header) }
      }
      if let id = extensions[.transportSequenceNumber] {
        try writer.append(id: id, uint16: transportSequence.rawValue, into: &header)
      }
      if let id = extensions[.absSendTime] { try writer.append(id: id, uint24: sendTime.rawValue, into: &header) }
      if packet.audioLevel != 0xFF, let id = extensions[.audioLevel] {
        try writer.append(id: id, uint8: packet.audioLevel, into: &header)
      }
      return try writer.finish(into: &header)
    } catch { return 0 }
  }

  /// Writes a stored packet, protected, to the start of `output`; as a retransmission where `again` (RFC 4588 section
  /// 4).
  mutating func write(
    _ packet: RetransmissionBuffer.Packet, again: Bool, transportSequence: SequenceNumber, now: Instant,
    header: inout [UInt8], output: inout [UInt8], _ srtp: SRTPSender
  ) -> (length: Int, headerLength: Int)? {
    let type = again ? retransmissionType(of: packet.payloadType) : nil
    guard type != nil || !again else { return nil }
    var head = header.mutableSpan
    let headerLength = writeHeader(
      of: packet, as: type, padding: false, transportSequence: transportSequence, sendTime: AbsSendTime(now),
      into: &head)
    let payload = again ? store.retransmissionRange(of: packet) : store.range(of: packet)
    guard headerLength > 0, payload.upperBound <= store.bytes.count else { return nil }
    var out = output.mutableSpan
    let bytes = store.bytes.span
    let length = try? srtp.protectRTP(
      header: header.span.extracting(0..<headerLength), payload: bytes.extracting(payload), into: &out)
    return length.map { ($0, headerLength) }
  }

  /// Counts a packet that left, for the first time or again.
  mutating func countSent(payloadLength: Int, headerLength: Int, again: Bool) {
    statistics.packetsSent &+= 1
    statistics.bytesSent &+= UInt64(truncatingIfNeeded: payloadLength)
    statistics.headerBytesSent &+= UInt64(truncatingIfNeeded: headerLength)
    if again {
      statistics.retransmittedPacketsSent &+= 1
      statistics.retransmittedBytesSent &+= UInt64(truncatingIfNeeded: payloadLength)
    } else {
      reportedPackets &+= 1
      reportedOctets &+= UInt32(truncatingIfNeeded: payloadLength)
    }
  }
}
