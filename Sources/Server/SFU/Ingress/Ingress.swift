import Basics
import RTC

/// One participant's incoming side: the kind of each packet, the publication of each SSRC, and the feedback due for
/// them.
///
/// An SSRC is learned from the session description or from the MID (and RID) that a packet carries, and stays with its
/// publication: a packet that claims it for another one is refused. The table is the participant's own, so no packet
/// can reach the publication of somebody else, whatever it says about itself.
public final class Ingress {
  /// Most SSRCs that a participant may use.
  public static let maximumSources = 64
  /// The largest accepted packet, in bytes. Anything larger came in fragments, and would leave in fragments to each
  /// receiver.
  public static let maximumPacket = 1_500

  /// The meaning of an SSRC. An object, so that a packet counts one reference and not one for each part.
  final class Binding {
    let publication: Publication
    let stream: SourceStream
    let isRetransmission: Bool

    init(publication: Publication, stream: SourceStream, isRetransmission: Bool) {
      self.publication = publication
      self.stream = stream
      self.isRetransmission = isRetransmission
    }
  }

  /// The former meaning of an SSRC whose publication has ended.
  struct FormerBinding {
    var ssrc: SSRC
    var mid: HeaderExtensionText
    var layer: HeaderExtensionText?
  }

  /// The identifiers that extensions of incoming packets have; bundled sections share them (RFC 8843 section 9.2).
  struct Identifiers {
    var mid: UInt8 = 0
    var rid: UInt8 = 0
    var repairedRID: UInt8 = 0
    var audioLevel: UInt8 = 0
    var transportSequence: UInt8 = 0
    var orientation: UInt8 = 0
    var playoutDelay: UInt8 = 0
    var dependencyDescriptor: UInt8 = 0
  }

  /// Header extensions of a packet.
  struct Extensions {
    var mid: Range<Int>?
    var rid: Range<Int>?
    var repairedRID: Range<Int>?
    var transportSequence: SequenceNumber?
    var descriptor: Range<Int> = 0..<0
    var audioLevel = StoredPacket.absent
    var orientation = StoredPacket.absent
    var playoutDelay = StoredPacket.absentDelay

    func identification(in packet: Span<UInt8>) -> RTPDemultiplexer<Binding>.Identification {
      func text(_ range: Range<Int>?) -> HeaderExtensionText? { range.flatMap { HeaderExtensionText(packet, at: $0) } }
      return .init(mid: text(mid), rid: text(rid), repairedRID: text(repairedRID))
    }
  }

  /// The outcome of receiving a packet.
  enum Outcome {
    /// It waits in the stream of the binding, which the ingress owns, to be forwarded.
    case accepted(BorrowedReference<Binding>)
    /// It was counted and is not forwarded (padding).
    case consumed
    case dropped(RoutingDrop)
  }

  /// The router's number of the participant.
  public let participant: Int
  public private(set) var publications: ContiguousArray<Publication> = []

  /// Arrival times of all its packets, for transport-wide feedback.
  var feedback = TransportFeedbackRecorder()
  /// When lost packets should be asked for, over all streams.
  var nackDeadline = Instant.distantFuture
  /// When a keyframe should be asked for, over all streams.
  var keyframeDeadline = Instant.distantFuture
  /// How far our wall clock is ahead of the participant's, one value for all its streams.
  var clockOffset: TimeSpan?
  /// When an authentic packet last came.
  var lastArrival: Instant
  private var identifiers = Identifiers()
  var sources = RTPDemultiplexer<Binding>(capacity: maximumSources)
  /// The index of the last packet's SSRC in ``sources``.
  var lastIndex = 0
  /// A browser that takes a section again goes on under its SSRCs, and names neither section nor layer in its packets
  /// any more: by our reports it knows that they are known.
  var former: ContiguousArray<FormerBinding> = []

  init(participant: Int, now: Instant) {
    self.participant = participant
    lastArrival = now
  }

  // MARK: Publications

  func add(_ publication: Publication) {
    publications.append(publication)
    learnIdentifiers(publication.media.extensions)
    for source in publication.media.remoteSources {
      announce(source, of: publication)
    }
  }

  func remove(_ publication: Publication) {
    publications.removeAll { $0 === publication }
    if let mid = publication.midText {
      for (ssrc, binding) in zip(sources.ssrcs, sources.bindings) where binding.publication === publication {
        let ssrc = SSRC(rawValue: ssrc)
        former.removeAll { $0.ssrc == ssrc }
        if former.count == Self.maximumSources { former.removeFirst() }
        former.append(FormerBinding(ssrc: ssrc, mid: mid, layer: binding.stream.layer))
      }
    }
    release { _, binding in binding.publication === publication }
  }

  func removeAll() {
    publications.removeAll()
    sources = RTPDemultiplexer(capacity: Self.maximumSources)
    former.removeAll()
  }

  /// Takes over what a new offer says about the section of `publication`.
  func renegotiate(_ publication: Publication, _ media: NegotiatedMedia) {
    publication.renegotiate(media)
    learnIdentifiers(media.extensions)
    for source in media.remoteSources { announce(source, of: publication) }
  }

  private func learnIdentifiers(_ map: HeaderExtensionMap) {
    func learn(_ kind: HeaderExtensionKind, _ path: WritableKeyPath<Identifiers, UInt8>) {
      if let id = map[kind] { identifiers[keyPath: path] = id }
    }
    learn(.mid, \.mid)
    learn(.rid, \.rid)
    learn(.repairedRID, \.repairedRID)
    learn(.audioLevel, \.audioLevel)
    learn(.transportSequenceNumber, \.transportSequence)
    learn(.videoOrientation, \.orientation)
    learn(.playoutDelay, \.playoutDelay)
    learn(.dependencyDescriptor, \.dependencyDescriptor)
  }

  // MARK: Packets

  /// Takes a decrypted RTP packet whose header has been read.
  func receive(_ packet: Span<UInt8>, header: RTPHeader, now: Instant) -> Outcome {
    lastArrival = now
    let extensions = read(header, packet)
    if let sequence = extensions.transportSequence {
      feedback.receive(sequence, now: now)
    }
    let index: Int
    if let known = sources.index(of: header.ssrc, hint: lastIndex) {
      index = known
      if known != lastIndex { lastIndex = known }
    } else {
      switch learn(header, extensions, packet) {
      case .success(let learned): index = learned
      case .failure(let refusal): return .dropped(refusal.reason)
      }
    }
    // Nothing that follows changes the bindings.
    let outcome = sources.bindings.reference(at: index).use { binding -> Outcome in
      if let mid = extensions.mid, !names(mid, packet, binding.publication) { return .dropped(.refusedClaim) }
      if binding.isRetransmission { return receiveRetransmission(packet, header, extensions, binding, now) }
      return receiveMedia(packet, header, extensions, binding, now)
    }
    return outcome ?? .consumed
  }

  private func receiveMedia(
    _ packet: Span<UInt8>, _ header: RTPHeader, _ extensions: Extensions, _ binding: Binding, _ now: Instant
  ) -> Outcome {
    let publication = binding.publication
    let stream = binding.stream
    guard let codec = publication.formats.codec(header.payloadType) else { return .dropped(.unknownPayloadType) }
    stream.statistics.receive(header, now: now)
    var stored = StoredPacket()
    stored.sequence = stream.extendOriginal(header.sequenceNumber)
    if stream.acceptsNack {
      if stream.nacks.receive(header.sequenceNumber, now: now) == .needsKeyframe, stream.kind == .video {
        stream.keyframes.request()
        keyframeDeadline = min(keyframeDeadline, stream.keyframes.deadline)
      }
      nackDeadline = min(nackDeadline, stream.nacks.deadline)
    }
    return keep(
      &stored, packet, header.payloadRange, header.payloadType, codec, header, extensions, binding, now)
  }

  private func receiveRetransmission(
    _ packet: Span<UInt8>, _ header: RTPHeader, _ extensions: Extensions, _ binding: Binding, _ now: Instant
  ) -> Outcome {
    // A retransmission stream also carries the padding that probes for bandwidth.
    if header.payloadLength == 0 { return .consumed }
    let publication = binding.publication
    let stream = binding.stream
    guard let type = publication.formats.repaired(by: header.payloadType),
      let codec = publication.formats.codec(type)
    else { return .dropped(.unknownPayloadType) }
    guard header.payloadLength >= 2 else { return .dropped(.malformed) }
    let start = header.payloadOffset
    let original = SequenceNumber(rawValue: UInt16(packet[start]) << 8 | UInt16(packet[start &+ 1]))
    // Nothing is repaired before anything came: the number would be taken as the stream's start.
    guard stream.highest >= 0 else { return .consumed }
    var stored = StoredPacket()
    stored.sequence = stream.extend(original)
    stored.isRecovered = true
    if stream.acceptsNack { _ = stream.nacks.receive(original, isRetransmission: true, now: now) }
    return keep(
      &stored, packet, (start &+ 2)..<header.payloadRange.upperBound, type, codec, header, extensions, binding, now)
  }

  private func keep(
    _ stored: inout StoredPacket, _ packet: Span<UInt8>, _ payload: Range<Int>, _ type: PayloadType, _ codec: Codec,
    _ header: RTPHeader, _ extensions: Extensions, _ binding: Binding, _ now: Instant
  ) -> Outcome {
    let publication = binding.publication
    let stream = binding.stream
    guard packet.count <= Self.maximumPacket else {
      stream.passOver(stored.sequence)
      return .dropped(.tooLarge)
    }
    stored.timestamp = header.timestamp
    stored.arrival = now
    stored.payloadType = type
    stored.marker = header.marker
    stored.audioLevel = extensions.audioLevel
    stored.orientation = extensions.orientation
    stored.playoutDelay = extensions.playoutDelay
    if !payload.isEmpty {
      guard PayloadInspection.inspect(packet.extracting(payload), codec, &stored) else {
        return .dropped(.malformed)
      }
    }
    if stream.kind == .video, !publication.noteFormat(type, codec, of: stream, sequence: stored.sequence) {
      return .dropped(.tooOld)
    }
    var descriptor = extensions.descriptor
    if stream.kind == .video, !payload.isEmpty,
      !stream.inspectLayers(
        &stored, packet, descriptor: descriptor, payload: packet.extracting(payload), codec: codec)
    {
      descriptor = 0..<0
    }
    if publication.isMuted {
      stream.passOver(stored.sequence)
      return .dropped(.muted)
    }
    if let reason = stream.accept(
      stored, descriptor: packet.extracting(descriptor), payload: packet.extracting(payload))
    {
      return .dropped(reason)
    }
    return .accepted(BorrowedReference(binding))
  }

  /// One walk over the extensions of a packet.
  @inline(__always)
  private func read(_ header: RTPHeader, _ packet: Span<UInt8>) -> Extensions {
    var result = Extensions()
    var elements = header.elements
    while let element = elements.next(in: packet) {
      let id = element.id
      let range = element.range
      if id == identifiers.transportSequence {
        result.transportSequence = TransportSequenceNumber.parse(packet, at: range)
      } else if id == identifiers.mid {
        result.mid = range
      } else if id == identifiers.audioLevel {
        if range.count >= 1 { result.audioLevel = packet[range.lowerBound] }
      } else if id == identifiers.orientation {
        if range.count >= 1 { result.orientation = packet[range.lowerBound] & 0x0F }
      } else if id == identifiers.dependencyDescriptor {
        result.descriptor = range
      } else if id == identifiers.rid {
        result.rid = range
      } else if id == identifiers.repairedRID {
        result.repairedRID = range
      } else if id == identifiers.playoutDelay {
        if range.count == 3 {
          result.playoutDelay =
            UInt32(packet[range.lowerBound]) << 16 | UInt32(packet[range.lowerBound &+ 1]) << 8
            | UInt32(packet[range.lowerBound &+ 2])
        }
      }
    }
    return result
  }
}
