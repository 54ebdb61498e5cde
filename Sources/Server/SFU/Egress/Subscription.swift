import Basics
public import RTC

/// One receive slot of a participant and the publication it carries: a stream of its own towards the receiver, with its
/// own SSRC, numbers and header extensions, whatever source feeds it.
///
/// The slot stays when its publication changes, so the receiver sees one continuous stream. Video begins at a keyframe,
/// which is asked for as long as it does not come.
public final class Subscription {
  enum State: UInt8 {
    /// The slot carries nothing.
    case idle
    /// It begins with the next packet a decoder can start at.
    case waiting
    case running
  }

  /// The negotiated media section of the receiver.
  public var media: NegotiatedMedia { section }
  // Private, as the two below, so that reading it needs no check for exclusive access; see ``Egress``.
  private var section: NegotiatedMedia
  /// The publication in the slot; nil for none.
  private(set) var publication: Publication?
  /// Whether the receiver asked for nothing to be sent for now.
  private(set) var isPaused = false
  public let ssrc: SSRC
  /// The SSRC of its retransmissions.
  public let retransmissionSSRC: SSRC?

  /// The publication that it will carry as soon as another router announces it.
  var awaited: PublicationID?
  /// Whether it carries whichever of the loudest voices it is given.
  public internal(set) var followsLoudest = false

  let egress: Egress
  var stream: SourceStream? { didSet { source = BorrowedReference(stream) } }
  /// ``stream``, for packets that are forwarded: the router owns each stream of which some wait.
  private(set) var source = BorrowedReference<SourceStream>(nil)
  var state = State.idle
  /// Which layers it forwards; see ``limit`` and ``target``.
  var layering = LayerState()
  /// Whether nothing is to be sent: the receiver said so, shows it nowhere, or lacks the bandwidth.
  private(set) var isStopped = false
  let rewriter: StreamRewriter
  private(set) var layout: ExtensionLayout
  /// Whether its packets carry transport-wide numbers, so that the receiver reports on each of them.
  @inline(__always)
  var isNumbered: Bool { layout.transportSequence != 0 }
  /// Whether its packets may carry dependency descriptors.
  var takesDescriptors: Bool { layout.dependencyDescriptor != 0 }
  let mid: HeaderExtensionText?
  /// The outgoing payload type for each of the publication's, 0xFF where the receiver cannot take it.
  private var payloadTypes: ContiguousArray<UInt8> = []
  /// The outgoing retransmission format for each outgoing payload type.
  private var retransmissionTypes: ContiguousArray<UInt8> = []
  private(set) var rewritesRedundancy = false

  var retransmissionSequence: UInt16
  var packetCount: UInt32 = 0
  var octetCount: UInt32 = 0
  /// Packets that still carry the MID: the receiver knows the SSRC from the first one that arrives.
  var midPackets = 250
  /// The receiver's newest report.
  var fractionLost: UInt8 = 0
  var jitter: UInt32 = 0
  /// Whether the report says something new since the last judgement of quality.
  var hasNewReport = false
  /// Whether the receiver has pinned it, so that it comes before what is not when there is not enough bandwidth for
  /// everything.
  public internal(set) var isPinned = false
  /// Keeps its layer from changing to and fro.
  var hysteresis = LayerHysteresis()
  /// When it last began at a keyframe.
  private var began: Instant?
  /// How much earlier sound is added for the receiver.
  var redundancy = RedundancyControl()
  /// Whether earlier sound that the publisher adds (RED, RFC 2198) is left out for the receiver.
  private(set) var omitsRedundancy = false
  /// The counts of the receiver's last report.
  var reportedHighest: UInt32?
  var reportedLost: Int32 = 0
  /// The figures of its own path, from its reports.
  var reportedLoss = ReportedLoss()

  init(media: NegotiatedMedia, source: NegotiatedSource, egress: Egress, random: inout RouterRandom) {
    section = media
    self.egress = egress
    ssrc = source.ssrc
    retransmissionSSRC = source.rtxSSRC
    mid = HeaderExtensionText(media.mid.rawValue)
    layout = ExtensionLayout(media.extensions)
    // Below 32,768, so that a receiver that misses the first packets guesses the roll-over counter right.
    rewriter = StreamRewriter(
      firstSequence: random.next16() & 0x7FFF, firstTimestamp: random.next32())
    retransmissionSequence = random.next16() & 0x7FFF
  }

  /// Takes over what a new offer says about the media section; see ``Router/renegotiate(_:media:)``.
  func renegotiate(_ media: NegotiatedMedia) {
    section = media
    layout = ExtensionLayout(media.extensions)
    if let publication { mapPayloadTypes(publication) }
  }

  /// The publication's formats may have other numbers now.
  func sourceRenegotiated() {
    if let publication { mapPayloadTypes(publication) }
  }

  /// Carries `publication` from now on, or nothing.
  func attach(_ publication: Publication?) {
    guard publication !== self.publication else { return }
    self.publication = publication
    layering = LayerState()
    hysteresis = LayerHysteresis()
    isPinned = false
    isStopped = isPaused
    stream = nil
    rewriter.detach()
    state = publication == nil ? .idle : .waiting
    midPackets = max(midPackets, 50)
    if let publication { mapPayloadTypes(publication) }
    sourceChanged()
  }

  /// The publication's streams are other ones now.
  func sourceChanged() {
    reconsider()
    if state == .waiting { requestKeyframe(urgent: true) }
  }

  /// Stops or continues at the receiver's wish.
  func setPaused(_ paused: Bool) {
    isPaused = paused
    updateStopped()
  }

  /// Lets nothing pass while one of the reasons holds; video goes on from the next keyframe.
  func updateStopped() {
    let stopped = isPaused || isHidden || layering.target == nil
    guard stopped != isStopped else { return }
    isStopped = stopped
    if !stopped { interrupt() }
  }

  /// Some packets were left out on purpose: go on at a point where a decoder can, and ask for one unless that is done
  /// later.
  func interrupt(asks: Bool = true) {
    guard state != .idle else { return }
    state = .waiting
    layering.waitingSince = nil
    reconsider()
    if asks { requestKeyframe(urgent: true) }
  }

  /// Whether it has not begun, and could with a keyframe that came before its receiver's connection was there.
  var startsWithKeyframe: Bool { media.kind == .video && state == .waiting && !isStopped && !rewriter.hasSent }

  /// Whether a keyframe request that comes now was sent before the receiver could have the keyframe that the stream
  /// began with. Another one would show it nothing sooner, and costs everybody who receives the stream.
  func beginningAnswersRequest(now: Instant) -> Bool {
    guard state == .running, let began else { return false }
    let roundTrip = egress.roundTrip ?? Self.unknownRoundTrip
    return now - began < min(max(roundTrip, .milliseconds(50)), .milliseconds(500))
  }

  /// For newcomers, who have not reported yet. A receiver that has lost the keyframe asks for its packets first, and
  /// again for a keyframe.
  private static let unknownRoundTrip = TimeSpan.milliseconds(300)

  /// Whether any of the publication's formats can be sent to this receiver.
  var isCompatible: Bool { payloadTypes.contains { $0 != 0xFF } }

  /// The outgoing payload type for `type` of the source; nil when the receiver cannot take it.
  @inline(__always)
  func payloadType(for type: PayloadType) -> PayloadType? {
    let raw = payloadTypes[Int(type.rawValue & 0x7F)]
    return raw == 0xFF ? nil : PayloadType(rawValue: raw)
  }

  /// The outgoing retransmission format for the outgoing payload type `type`.
  @inline(__always)
  func retransmissionType(for type: PayloadType) -> PayloadType? {
    let raw = retransmissionTypes[Int(type.rawValue & 0x7F)]
    return raw == 0xFF ? nil : PayloadType(rawValue: raw)
  }

  /// The numbers under which `packet` is to be sent now; nil when it is not.
  @inline(__always)
  func numbers(for packet: StoredPacket, of stream: SourceStream, now: Instant) -> StreamRewriter.Numbers? {
    if state == .running {
      if packet.payloadLength == 0 {
        rewriter.skip(packet)
        return nil
      }
      if layering.selector.isOpen, !packet.layers.flags.contains(.hasStructure) {
        return rewriter.rewrite(packet, now: now)
      }
      return selectNumbers(packet, stream, now)
    }
    return start(packet, stream, now)
  }

  private func start(
    _ packet: StoredPacket, _ stream: SourceStream, _ now: Instant
  ) -> StreamRewriter.Numbers? {
    guard state == .waiting, packet.payloadLength != 0 else { return nil }
    if media.kind == .video, !packet.startsKeyframe {
      stream.keyframes.request()
      if layering.waitingSince == nil { layering.waitingSince = now }
      return nil
    }
    began = now
    if rewriter.isRunning {
      rewriter.resume(with: packet)
      run(stream)
    } else {
      change(to: stream, at: packet, now: now)
    }
    return rewriter.rewrite(packet, layering.selector.selection, now: now)
  }

  /// Leaves out earlier sound that the publisher adds, or no longer.
  func setOmitsRedundancy(_ omits: Bool) {
    guard omits != omitsRedundancy else { return }
    omitsRedundancy = omits
    if let publication { mapPayloadTypes(publication) }
  }

  private func mapPayloadTypes(_ publication: Publication) {
    // Put together apart: an array that is changed in place is checked for exclusive access by who reads it, for each
    // packet.
    var types = ContiguousArray<UInt8>(repeating: 0xFF, count: 128)
    var retransmissions = types
    rewritesRedundancy = false
    let takesPlain = media.codecs.contains { $0.codec == .opus }
    for source in publication.media.codecs {
      // Of what has no type here the primary block alone is sent.
      if omitsRedundancy, takesPlain, source.codec == .red { continue }
      guard let match = source.bestMatch(in: media.codecs) else { continue }
      types[Int(source.payloadType.rawValue & 0x7F)] = match.payloadType.rawValue
      if let rtx = match.rtxPayloadType {
        retransmissions[Int(match.payloadType.rawValue & 0x7F)] = rtx.rawValue
      }
      if source.codec == .opus, source.payloadType != match.payloadType { rewritesRedundancy = true }
    }
    payloadTypes = types
    retransmissionTypes = retransmissions
  }

  /// The contents of a sender report to the receiver now; nil before there are any.
  ///
  /// The wall-clock time is ours; the publisher's clock is mapped onto it by one offset for all streams of the
  /// participant, so what was captured together is played together (RFC 3550 section 6.4.1).
  func senderInfo(now: Instant, clock: NTPClock, sourceOffset: TimeSpan) -> SenderInfo? {
    guard state == .running, rewriter.hasSent, let mapping = stream?.mapping else { return nil }
    let time = clock.time(at: now)
    let source = time + (TimeSpan.zero - sourceOffset)
    guard (source - mapping.ntp).nanoseconds.magnitude < 60_000_000_000 else { return nil }
    let timestamp = mapping.rtpTimestamp(at: source).rawValue &+ rewriter.timestampOffset
    return SenderInfo(
      ssrc: ssrc, ntp: time, rtpTimestamp: RTPTimestamp(rawValue: timestamp), packetCount: packetCount,
      octetCount: octetCount)
  }
}
