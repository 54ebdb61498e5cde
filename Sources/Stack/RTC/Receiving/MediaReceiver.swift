public import Basics

/// The receiving half of one connection. It assigns packets to streams, finds missing ones, and writes the feedback for
/// the sender. A state machine without I/O and clock.
///
///     receiver.update(media: peer.media, cname: peer.cname)
///     receiver.receive(header, &datagram, now: now) { packet, payload, descriptor in
///       jitterBuffer.insert(packet, payload, …)
///     }
///     // at receiver.deadline:
///     while let length = receiver.makeFeedback(now: now, sender: ssrc, into: &buffer) { protect and send }
///
/// A stream is known by the SSRC that the description announces, otherwise by the MID that its packets carry (RFC 9143
/// section 15), and keeps its m-section: a packet that claims it for another one is dropped. One stream lives in an
/// m-section at a time. Retransmissions (RFC 4588) and redundant audio (RFC 2198) are unwrapped; each sequence number
/// is delivered once.
///
/// Bounded whatever arrives: ``MediaReceiverConfiguration/maximumSources`` SSRCs, one stream an m-section of about 1
/// kB, 17 deliveries a packet. A packet of a known stream allocates nothing.
public struct MediaReceiver: Sendable {
  /// Most events that wait to be polled; further ones are dropped.
  static let maximumEvents = 256

  /// The m-section that an SSRC belongs to.
  struct Binding: Sendable {
    var section: Int
    var isRetransmission: Bool
  }

  struct Source: Sendable {
    let ssrc: SSRC
    let binding: Binding
  }

  /// The identifiers that extensions of incoming packets have; bundled sections share them (RFC 8843 section 9.2).
  struct Identifiers: Sendable {
    var mid: UInt8 = 0
    var audioLevel: UInt8 = 0
    var transportSequence: UInt8 = 0
    var dependencyDescriptor: UInt8 = 0
  }

  // First what each packet needs, together: with hundreds of connections it comes from memory, not from a cache.

  var identifiers = Identifiers()
  var lastSource = SSRC(rawValue: 0)
  var usesReducedSize = false
  var sections: [ReceivingSection] = []
  /// The sources of the last packets, most often one of audio and one of video, so that most need no look-up.
  var recentSource: Source?
  var formerSource: Source?
  var sources: RTPDemultiplexer<Binding>
  var reportDue = Instant.distantFuture
  var nackDeadline = Instant.distantFuture
  var keyframeDeadline = Instant.distantFuture
  /// Arrivals of all packets, for transport-wide feedback.
  var arrivals: TransportFeedbackRecorder

  /// The round trip to the sender, which spaces repeated requests; nil while unknown. Set it at each new measurement.
  public var roundTripTime: TimeSpan?
  /// Counts of dropped packets, by reason.
  public internal(set) var drops = MediaReceiverDrops()
  /// The canonical name that reports carry (RFC 3550 section 6.5.1).
  public var cname = "-"
  /// The section that the report in progress goes on with; nil between reports.
  var reportCursor: Int?
  var events: [MediaReceiverEvent] = []
  /// Room for what is written, kept so that reports allocate nothing.
  var lost = [SequenceNumber](repeating: SequenceNumber(rawValue: 0), count: maximumNacks)
  var blocks: [ReportBlock] = []
  public let configuration: MediaReceiverConfiguration

  /// A receiver without streams.
  public init(configuration: MediaReceiverConfiguration = MediaReceiverConfiguration()) {
    self.configuration = configuration
    sources = RTPDemultiplexer(capacity: configuration.maximumSources)
    arrivals = TransportFeedbackRecorder(
      interval: configuration.transportFeedbackInterval,
      longestInterval: configuration.longestTransportFeedbackInterval)
    blocks.reserveCapacity(31)
  }

  // MARK: Negotiation

  /// Takes over what an answer says. Sections in which the other side sends are received; streams of the others are
  /// forgotten, and those that stay keep their state.
  public mutating func update(media: [NegotiatedMedia], cname: String? = nil, now: Instant = .zero) {
    if let cname, (1...255).contains(cname.utf8.count) { self.cname = cname }
    let receiving = media.filter { $0.role == .receive }
    var old: [MID: ReceivingSection] = [:]
    for section in sections { old[section.mid] = section }
    sections = receiving.prefix(configuration.maximumSources).map { media in
      var section = ReceivingSection(media)
      if let before = old[media.mid], before.kind == section.kind { section.inherit(before) }
      return section
    }
    usesReducedSize = !sections.isEmpty && sections.allSatisfy(\.usesReducedSize)
    for media in media { learnIdentifiers(media.extensions) }
    sources = RTPDemultiplexer(capacity: configuration.maximumSources)
    forgetSources()
    for index in sections.indices {
      guard let stream = sections[index].stream else { continue }
      // A stream whose place the description gives to another one has ended.
      if let announced = sections[index].announced, announced.ssrc != stream.ssrc {
        sections[index].stream = nil
        continue
      }
      if !bind(stream.ssrc, to: index, isRetransmission: false) { sections[index].stream = nil }
    }
    for index in sections.indices {
      if let announced = sections[index].announced { announce(announced, of: index, now) }
      if let rtx = sections[index].stream?.retransmissionSSRC {
        _ = bind(rtx, to: index, isRetransmission: true)
      }
    }
    updateDeadlines()
  }

  private mutating func learnIdentifiers(_ map: HeaderExtensionMap) {
    identifiers.mid = map[.mid] ?? identifiers.mid
    identifiers.audioLevel = map[.audioLevel] ?? identifiers.audioLevel
    identifiers.transportSequence = map[.transportSequenceNumber] ?? identifiers.transportSequence
    identifiers.dependencyDescriptor = map[.dependencyDescriptor] ?? identifiers.dependencyDescriptor
  }

  private mutating func announce(_ source: NegotiatedSource, of index: Int, _ now: Instant) {
    if sections[index].stream == nil {
      guard bind(source.ssrc, to: index, isRetransmission: false) else { return }
      begin(source.ssrc, in: index, now)
    }
    if let rtx = source.rtxSSRC, sources.index(of: rtx) == nil { sections[index].stream?.retransmissionSSRC = rtx }
  }

  // MARK: Streams

  /// Forgets what was measured about the stream's past: an m-section now carries another publication under the same
  /// SSRC. Lost packets and keyframes of the one before are not asked for any more; numbers go on.
  public mutating func reset(_ mid: MID) {
    guard let index = sections.firstIndex(where: { $0.mid == mid }) else { return }
    sections[index].wantsKeyframe = false
    sections[index].stream?.forgetMissing()
    sections[index].stream?.keyframes.withdraw()
    sections[index].stream?.mapping = nil
    sections[index].stream?.counters.headerAudioLevel = nil
    updateDeadlines()
  }

  /// Asks for a keyframe of the stream in `mid`, and again every ``MediaReceiverConfiguration/keyframeInterval`` until
  /// one begins to arrive. However often it is called, no more than one request an interval is sent.
  public mutating func requestKeyframe(_ mid: MID, now: Instant) {
    guard let index = sections.firstIndex(where: { $0.mid == mid }), sections[index].kind == .video else { return }
    requestKeyframe(section: index)
  }

  mutating func requestKeyframe(section index: Int) {
    guard sections[index].stream != nil else {
      sections[index].wantsKeyframe = true
      return
    }
    sections[index].stream?.keyframes.request()
    keyframeDeadline = min(keyframeDeadline, sections[index].stream?.keyframes.deadline ?? .distantFuture)
  }

  /// How the stream's clock relates to its sender's wall clock, from the newest sender report; nil before the first one
  /// and for an unknown SSRC.
  public func senderReportMapping(_ ssrc: SSRC) -> SenderReportMapping? {
    guard let section = section(of: ssrc) else { return nil }
    return sections[section].stream?.mapping
  }

  /// The SSRC of the stream in `mid`; nil while there is none.
  public func ssrc(_ mid: MID) -> SSRC? { sections.first { $0.mid == mid }?.stream?.ssrc }

  /// The measurements of every stream that has received a packet.
  public func statistics() -> [InboundStreamStatistics] {
    sections.compactMap { section in section.stream.flatMap { $0.hasStarted ? $0.report : nil } }
  }

  /// The measurements of the stream in `mid`; nil before its first packet.
  public func statistics(_ mid: MID) -> InboundStreamStatistics? {
    guard let stream = sections.first(where: { $0.mid == mid })?.stream, stream.hasStarted else { return nil }
    return stream.report
  }

  /// The oldest event that wasn't polled; nil when there is none.
  public mutating func pollEvent() -> MediaReceiverEvent? { events.isEmpty ? nil : events.removeFirst() }

  mutating func emit(_ event: MediaReceiverEvent) {
    if events.count < Self.maximumEvents { events.append(event) }
  }

  // MARK: Sources

  /// The section whose stream `ssrc` is.
  func section(of ssrc: SSRC) -> Int? {
    guard let index = sources.index(of: ssrc), !sources.bindings[index].isRetransmission else { return nil }
    return sources.bindings[index].section
  }

  /// Binds an SSRC to a section; false when it is bound already or the table is full.
  mutating func bind(_ ssrc: SSRC, to section: Int, isRetransmission: Bool) -> Bool {
    guard let sources = sources.binding(ssrc, to: Binding(section: section, isRetransmission: isRetransmission)) else {
      return false
    }
    self.sources = sources
    return true
  }

  mutating func release(_ ssrc: SSRC) {
    sources = sources.releasing { bound, _ in bound == ssrc }
    forgetSources()
  }

  /// Has the next packets look into ``sources``, where something is not bound any more.
  private mutating func forgetSources() {
    recentSource = nil
    formerSource = nil
  }

  /// The binding of an SSRC; nil for an unknown one.
  mutating func binding(of ssrc: SSRC) -> Binding? {
    if let recentSource, recentSource.ssrc == ssrc { return recentSource.binding }
    if let formerSource, formerSource.ssrc == ssrc { return formerSource.binding }
    guard let index = sources.index(of: ssrc) else { return nil }
    formerSource = recentSource
    recentSource = Source(ssrc: ssrc, binding: sources.bindings[index])
    return sources.bindings[index]
  }

  /// Puts a new stream into a section.
  mutating func begin(_ ssrc: SSRC, in index: Int, _ now: Instant) {
    var stream = InboundStream(ssrc: ssrc, section: sections[index], configuration: configuration, now: now)
    if sections[index].wantsKeyframe { stream.keyframes.request() }
    sections[index].wantsKeyframe = false
    sections[index].stream = stream
    keyframeDeadline = min(keyframeDeadline, stream.keyframes.deadline)
  }
}
