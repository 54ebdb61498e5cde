public import Basics

/// Every outgoing stream of one connection: packetizing, pacing, retransmission, bandwidth estimation and reports. A
/// state machine without I/O and clock.
///
/// ```swift
/// sender.update(media: peer.media, cname: peer.cname)              // after each answer
/// sender.send(frame, mid: camera, now: now)                        // from each encoder
/// sender.receive(message, in: datagram, now: now)                  // each RTCP message
/// sender.transmit(now: now, to: srtp) { packet in socket.send(packet) }   // after each of these, and at `deadline`
/// while let event = sender.pollEvent() { … }                       // keyframes, bit rates
/// ```
///
/// Sending a packet allocates nothing once a stream's rate has been seen. Video packets are stored once, in the buffer
/// that retransmissions are served from, and encrypted straight out of it.
public struct MediaSender: Sendable {
  /// The configuration at the start; it never changes.
  public let configuration: MediaSenderConfiguration

  var random: any RandomNumberGenerator & Sendable
  var streams: ContiguousArray<SendStream> = []
  /// Random additions to timestamps by section, kept as long as the section lives.
  private var timestampOffsets: [MID: UInt32] = [:]
  var cname = ""
  var pacer: Pacer
  var budget = RetransmissionBudget()
  var estimator: SendSideBandwidthEstimator
  /// The probe that is being sent.
  var probe: ActiveProbe?
  var retransmissionRate = RetransmissionRate()
  /// When the last sender reports left, by the middle of their NTP time, to measure round trips.
  var sentReports = InlineArray<8, SentReport>(repeating: SentReport())
  var sentReportCount = 0
  /// The reference time that came last and was not answered yet.
  var asked: (time: NTPTime, by: SSRC, arrival: Instant)?
  var events: [MediaSenderEvent] = []
  var allocations: [StreamAllocation] = []
  /// The target and the time that ``allocations`` were made for.
  var allocatedTarget = DataRate.zero
  var allocatedAt = Instant.zero
  var nextReport = Instant.distantFuture
  /// The stream with which a report that did not fit one packet continues.
  var reportCursor = 0
  /// The latest time that was handed in, for calls without one.
  var latest = Instant.zero
  /// Sources of streams that ended and are to be said goodbye to.
  var ended: [SSRC] = []

  /// Scratch: one header, one padding payload and one protected packet.
  var header = [UInt8](repeating: 0, count: 256)
  var output = [UInt8](repeating: 0, count: 2_048)

  /// A sender without streams.
  /// - Parameter random: The source of SSRCs, first sequence numbers and timestamp offsets. Leave it out except in
  ///   tests.
  public init(
    configuration: MediaSenderConfiguration = .init(),
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  ) {
    self.configuration = configuration
    self.random = random
    estimator = SendSideBandwidthEstimator(
      configuration: .init(
        start: configuration.startBitrate, minimum: configuration.minimumBitrate,
        maximum: configuration.maximumBitrate, history: configuration.history, probes: configuration.probes),
      firstSequence: UInt16(truncatingIfNeeded: self.random.next()))
    pacer = Pacer(
      rate: configuration.startBitrate,
      limits: .init(
        bytes: configuration.retransmissionBytes / 2, time: configuration.retransmissionAge, burst: Self.burst))
  }

  /// The amount that leaves at once after a pause, in time at the pacing rate: about half a frame, so that a requested
  /// keyframe is under way soon.
  private static let burst = TimeSpan.milliseconds(20)

  // MARK: Streams

  /// Takes over what was agreed on: one stream for each section with the role ``NegotiatedMedia/Role/send``, or one for
  /// each of its simulcast layers. Streams that are there already keep their sources, numbers and history; those that
  /// are gone end with a BYE.
  /// - Parameter cname: The canonical name of all sources (RFC 3550 section 6.5.1).
  public mutating func update(media: [NegotiatedMedia], cname: String) {
    self.cname = cname
    estimator.expectsFeedback = media.contains { section in
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
        } else if let stream = makeStream(section, rid, kept) {
          kept.append(stream)
        }
      }
    }
    for index in streams.indices where places[index] == nil && streams[index].reportedPackets > 0 {
      ended.append(streams[index].ssrc)
    }
    streams = kept
    pacer.remap { places.indices.contains($0) ? places[$0] : nil }
    let mids = Set(media.map(\.mid))
    timestampOffsets = timestampOffsets.filter { mids.contains($0.key) }
    allocate()
  }

  private mutating func makeStream(
    _ section: NegotiatedMedia, _ rid: RID?, _ others: ContiguousArray<SendStream>
  ) -> SendStream? {
    let offset = timestampOffsets[section.mid] ?? UInt32(truncatingIfNeeded: random.next())
    timestampOffsets[section.mid] = offset
    var source: NegotiatedSource
    if rid == nil, let local = section.localSource {
      source = local
    } else {
      // Layers are announced by RID, so their sources are ours to choose. Zero and a collision are as unlikely as they
      // need be.
      source = NegotiatedSource(ssrc: freeSSRC(others), rtxSSRC: freeSSRC(others))
    }
    if !section.codecs.contains(where: { $0.rtxPayloadType != nil }) { source.rtxSSRC = nil }
    return SendStream(
      media: section, rid: rid, source: source, timestampOffset: offset, configuration: configuration, random: &random)
  }

  private mutating func freeSSRC(_ others: ContiguousArray<SendStream>) -> SSRC {
    for _ in 0..<8 {
      let ssrc = SSRC(rawValue: UInt32(truncatingIfNeeded: random.next()))
      let isTaken = (others + streams).contains { $0.ssrc == ssrc || $0.rtxSSRC == ssrc }
      if !isTaken, ssrc.rawValue != 0 { return ssrc }
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

  /// Packetizes a frame and queues its packets. A frame that cannot be sent (unknown stream, a codec that was not
  /// negotiated, no room in the queue) is dropped and counted; when others need it, a keyframe is asked for. Hand in
  /// frames only while the connection is up and ``transmit(now:to:emit:)`` is called: packets that wait make
  /// ``deadline`` due.
  public mutating func send(_ frame: EncodedFrame, mid: MID, rid: RID? = nil, now: Instant) {
    latest = max(latest, now)
    guard let index = index(mid, rid) else { return }
    let isAudio = streams[index].kind == .audio
    let hasRoom = isAudio || pacer.queuedBytes + frame.data.count + frame.data.count / 8 <= pacer.limits.bytes
    guard hasRoom,
      let sequences = streams[index].packetize(
        frame, maximumPacketSize: configuration.maximumPacketSize, now: now, random: &random)
    else {
      streams[index].statistics.framesDropped &+= 1
      if !isAudio, frame.isReference { streams[index].keyframes.request(urgent: true) }
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

  /// The oldest event that wasn't polled; nil when there is none.
  public mutating func pollEvent() -> MediaSenderEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// When ``handleTimeout(now:)``, ``transmit(now:to:emit:)`` and ``makeReports(now:clock:into:)`` are next to be
  /// called; ``Basics/Instant/distantFuture`` when nothing is to be done.
  public var deadline: Instant {
    var next = min(min(pacer.deadline, nextReport), estimator.deadline)
    if probe != nil { next = min(next, pacer.budgetDeadline) }
    if !ended.isEmpty { next = .zero }
    for stream in streams { next = min(next, stream.keyframes.deadline) }
    return next
  }

  /// Lets time pass: keyframe requests, and the estimate where feedback is missing. Call ``transmit(now:to:emit:)`` and
  /// ``pollEvent()`` after it.
  public mutating func handleTimeout(now: Instant) {
    latest = max(latest, now)
    for index in streams.indices where streams[index].keyframes.take(now: now) {
      events.append(.keyframeRequested(streams[index].mid, streams[index].rid))
    }
    if estimator.deadline <= now {
      estimator.handleTimeout(now: now)
      targetMayHaveChanged(now)
    }
  }

  /// Ends every stream: what waits is dropped, and the next report says goodbye (RFC 3550 section 6.6).
  public mutating func close() {
    for stream in streams where stream.reportedPackets > 0 { ended.append(stream.ssrc) }
    streams.removeAll()
    pacer.remap { _ in nil }
    probe = nil
    nextReport = .distantFuture
  }

  /// The estimate of what may be sent in all.
  public var targetBitrate: DataRate { estimator.target }

  /// The estimate of what may be sent in all; nil while nothing was measured, and ``targetBitrate`` still the
  /// configured start.
  public var availableBitrate: DataRate? { estimator.isMeasured ? estimator.target : nil }

  /// The round-trip time, smoothed; nil while unknown.
  public var roundTripTime: TimeSpan? { estimator.roundTrip }

  /// Bytes that wait for their turn, audio not counted.
  public var queuedBytes: Int { pacer.queuedBytes }

  /// The counters of each stream.
  public func statistics() -> [OutboundStreamStatistics] { streams.map(\.statistics) }
}
