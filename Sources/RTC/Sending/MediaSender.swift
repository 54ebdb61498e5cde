public import Basics

/// Every outgoing stream of one connection: packetizing, pacing, retransmission, bandwidth estimation and reports. A state machine without
/// I/O and clock.
///
/// ```swift
/// sender.update(media: peer.media, cname: peer.cname)              // after each answer
/// sender.send(frame, mid: camera, now: now)                        // from each encoder
/// sender.receive(message, in: datagram, now: now)                  // each RTCP message
/// sender.transmit(now: now, to: srtp) { packet in socket.send(packet) }   // after each of these, and at `deadline`
/// while let event = sender.pollEvent() { … }                       // keyframes, bit rates
/// ```
///
/// Sending a packet allocates nothing once a stream's rate has been seen. Video packets are stored once, in the buffer that
/// retransmissions are served from, and encrypted straight out of it.
public struct MediaSender: Sendable {
  /// What was given at the start.
  public let configuration: MediaSenderConfiguration

  var random: any RandomNumberGenerator & Sendable
  var streams: ContiguousArray<SendStream> = []
  /// Random additions to timestamps by section, kept as long as the section lives.
  private var timestampOffsets: [MID: UInt32] = [:]
  var cname = ""
  var pacer: Pacer
  var budget = RetransmissionBudget()
  var transportSequence: UInt16
  var usesTransportFeedback = false

  var target: DataRate
  var smoothedRoundTrip: TimeSpan?
  var events: [MediaSenderEvent] = []
  var allocations: [StreamAllocation] = []
  var nextReport = Instant.distantFuture
  /// Sources of streams that ended and are to be said goodbye to.
  var ended: [SSRC] = []

  /// Scratch: one header, one padding payload and one protected packet.
  var header = [UInt8](repeating: 0, count: 256)
  let padding = [UInt8](repeating: 0, count: 256)
  var output = [UInt8](repeating: 0, count: 2_048)

  /// A sender without streams.
  /// - Parameter random: Where sources, first sequence numbers and timestamp offsets come from. Leave it out except in tests.
  public init(
    configuration: MediaSenderConfiguration = .init(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.configuration = configuration
    self.random = random
    target = configuration.startBitrate
    pacer = Pacer(
      rate: DataRate(bitsPerSecond: configuration.startBitrate.bitsPerSecond * 5 / 2),
      limits: .init(bytes: configuration.retransmissionBytes / 2, time: configuration.retransmissionAge))
    transportSequence = UInt16(truncatingIfNeeded: self.random.next())
  }

  // MARK: Streams

  /// Takes over what was agreed on: one stream for each section with the role ``NegotiatedMedia/Role/send``, or one for each of its
  /// simulcast layers. Streams that are there already keep their sources, numbers and history; those that are gone end with a BYE.
  /// - Parameter cname: The canonical name of all sources (RFC 3550 section 6.5.1).
  public mutating func update(media: [NegotiatedMedia], cname: String) {
    self.cname = cname
    usesTransportFeedback = media.contains { section in
      section.role == .send && section.extensions[.transportSequenceNumber] != nil
        && section.codecs.contains { $0.feedback.contains(.transportWide) }
    }
    var kept: ContiguousArray<SendStream> = []
    var places = [Int?](repeating: nil, count: streams.count)
    for section in media where section.role == .send {
      let rids: [RID?] = section.rids.isEmpty ? [nil] : section.rids
      for rid in rids {
        if let index = streams.firstIndex(where: { $0.mid == section.mid && $0.rid == rid && $0.kind == section.kind })
        {
          guard places[index] == nil else { continue }
          places[index] = kept.count
          streams[index].update(section)
          kept.append(streams[index])
        } else if let stream = makeStream(section, rid) {
          kept.append(stream)
        }
      }
    }
    for index in streams.indices where places[index] == nil { ended.append(streams[index].ssrc) }
    streams = kept
    pacer.remap { places.indices.contains($0) ? places[$0] : nil }
    let mids = Set(media.map(\.mid))
    timestampOffsets = timestampOffsets.filter { mids.contains($0.key) }
    if !streams.isEmpty, nextReport == .distantFuture { nextReport = .zero }
    allocate()
  }

  private mutating func makeStream(_ section: NegotiatedMedia, _ rid: RID?) -> SendStream? {
    let offset = timestampOffsets[section.mid] ?? UInt32(truncatingIfNeeded: random.next())
    timestampOffsets[section.mid] = offset
    var source: NegotiatedSource
    if rid == nil, let local = section.localSource {
      source = local
    } else {
      source = NegotiatedSource(ssrc: freeSSRC(section))
      source.rtxSSRC = freeSSRC(section, beside: source.ssrc)
    }
    if !section.codecs.contains(where: { $0.rtxPayloadType != nil }) { source.rtxSSRC = nil }
    return SendStream(
      media: section, rid: rid, source: source, timestampOffset: offset, configuration: configuration, random: &random)
  }

  private mutating func freeSSRC(_ section: NegotiatedMedia, beside other: SSRC? = nil) -> SSRC {
    // A few tries make a collision as unlikely as it need be; zero is not used.
    for _ in 0..<8 {
      let ssrc = SSRC(rawValue: UInt32(truncatingIfNeeded: random.next()))
      let isTaken =
        ssrc.rawValue == 0 || ssrc == other || ssrc == section.localSource?.ssrc || ssrc == section.localSource?.rtxSSRC
        || streams.contains { $0.ssrc == ssrc || $0.rtxSSRC == ssrc }
      if !isTaken { return ssrc }
    }
    return SSRC(rawValue: UInt32(truncatingIfNeeded: random.next()) | 1)
  }

  /// Says what a stream wants and what its source gives. Ignored where there is no such stream.
  public mutating func setParameters(_ parameters: EncodingParameters, mid: MID, rid: RID? = nil) {
    guard let index = index(mid, rid), streams[index].parameters != parameters else { return }
    streams[index].parameters = parameters
    allocate()
  }

  /// The parameters of a stream; nil where there is no such stream.
  public func parameters(mid: MID, rid: RID? = nil) -> EncodingParameters? {
    index(mid, rid).map { streams[$0].parameters }
  }

  func index(_ mid: MID, _ rid: RID?) -> Int? { streams.firstIndex { $0.mid == mid && $0.rid == rid } }
  func index(of ssrc: SSRC) -> Int? { streams.firstIndex { $0.ssrc == ssrc } }

  // MARK: Frames

  /// Packetizes a frame and queues its packets. A frame that cannot be sent (unknown stream, a codec that was not negotiated,
  /// no room in the queue) is dropped and counted; when others need it, a keyframe is asked for.
  public mutating func send(_ frame: EncodedFrame, mid: MID, rid: RID? = nil, now: Instant) {
    guard let index = index(mid, rid) else { return }
    let isAudio = streams[index].kind == .audio
    let hasRoom = isAudio || pacer.queuedBytes + frame.data.count + frame.data.count / 8 <= pacer.limits.bytes
    guard hasRoom,
      let sequences = streams[index].packetize(
        frame, maximumPacketSize: configuration.maximumPacketSize, now: now, random: &random)
    else {
      streams[index].statistics.framesDropped &+= 1
      if !isAudio, frame.isReference { streams[index].keyframes.request() }
      return
    }
    for sequence in sequences {
      guard let packet = streams[index].store.packet(sequence) else { continue }
      let entry = Pacer.Entry(
        stream: index, sequence: sequence, size: Int(packet.length) + streams[index].headerRoom, enqueued: now)
      if !pacer.enqueue(entry, isAudio ? .audio : .video) { streams[index].statistics.packetsDropped &+= 1 }
    }
  }

  // MARK: Events and time

  /// What happened since the last call; nil when nothing did.
  public mutating func pollEvent() -> MediaSenderEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// When ``handleTimeout(now:)``, ``transmit(now:to:emit:)`` and ``makeReports(now:clock:into:)`` are next to be called;
  /// ``Basics/Instant/distantFuture`` when nothing is to be done.
  public var deadline: Instant {
    var next = min(pacer.deadline, nextReport)
    for stream in streams { next = min(next, stream.keyframes.deadline) }
    return next
  }

  /// Lets time pass: keyframe requests, and the estimate where feedback is missing.
  public mutating func handleTimeout(now: Instant) {
    for index in streams.indices where streams[index].keyframes.take(now: now) {
      events.append(.keyframeRequested(streams[index].mid, streams[index].rid))
    }
  }

  /// The estimate of what may be sent in all.
  public var targetBitrate: DataRate { target }

  /// The round-trip time, smoothed; nil while unknown.
  public var roundTripTime: TimeSpan? { smoothedRoundTrip }

  /// What was sent on each stream.
  public func statistics() -> [OutboundStreamStatistics] { streams.map(\.statistics) }
}
