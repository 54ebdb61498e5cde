import Basics
import RTC

/// One participant's incoming side: what its packets are, which SSRC belongs to which of its publications, and what
/// it must be told about them.
///
/// An SSRC is learned from the session description or from the MID (and RID) that a packet carries, and stays with its
/// publication: a packet that claims it for another one is refused. The table is the participant's own, so no packet can
/// reach the publication of somebody else, whatever it says about itself.
public final class Ingress {
  /// Most SSRCs that a participant may use.
  public static let maximumSources = 64
  /// The largest packet that is taken, in bytes. What is larger came in fragments, and would leave in fragments to each receiver.
  public static let maximumPacket = 1_500

  /// What an SSRC stands for. An object, so that a packet counts one reference and not one for each part.
  final class Claim {
    let publication: Publication
    let stream: SourceStream
    let isRetransmission: Bool

    init(publication: Publication, stream: SourceStream, isRetransmission: Bool) {
      self.publication = publication
      self.stream = stream
      self.isRetransmission = isRetransmission
    }
  }

  /// What an SSRC stood for whose publication has ended.
  private struct FormerClaim {
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

  /// What the extensions of a packet say.
  private struct Extensions {
    var mid: Range<Int>?
    var rid: Range<Int>?
    var repairedRID: Range<Int>?
    var transportSequence: SequenceNumber?
    var descriptor: Range<Int> = 0..<0
    var audioLevel = StoredPacket.absent
    var orientation = StoredPacket.absent
    var playoutDelay = StoredPacket.absentDelay
  }

  /// What receiving a packet led to.
  enum Outcome {
    /// It waits in the stream of the claim, which the ingress owns, to be forwarded.
    case accepted(BorrowedReference<Claim>)
    /// It was counted and is not forwarded (padding).
    case consumed
    case dropped(RoutingDrop)
  }

  /// The router's number of the participant.
  public let participant: Int
  /// Its publications.
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
  // These two are assigned as a whole: an array that is changed in place is checked for exclusive access by who reads it, for each packet.
  private var ssrcs: ContiguousArray<UInt32> = []
  private var claims: ContiguousArray<Claim> = []
  private var lastClaim = 0
  /// A browser that takes a section again goes on under its SSRCs, and names neither section nor layer in its packets any more: reports have
  /// told it that those are known.
  private var former: ContiguousArray<FormerClaim> = []

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
      for index in claims.indices where claims[index].publication === publication {
        let ssrc = SSRC(rawValue: ssrcs[index])
        former.removeAll { $0.ssrc == ssrc }
        if former.count == Self.maximumSources { former.removeFirst() }
        former.append(FormerClaim(ssrc: ssrc, mid: mid, layer: claims[index].stream.layer))
      }
    }
    releaseClaims { $0.publication === publication }
  }

  func removeAll() {
    publications.removeAll()
    ssrcs = []
    claims = []
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

  /// Notes an announced source, as long as nobody else of the participant's publications has it.
  private func announce(_ source: NegotiatedSource, of publication: Publication) {
    // With simulcast layers the RID tells the streams apart; announced SSRCs do not say which is which.
    guard publication.layerNames.isEmpty, ssrcs.count + 2 <= Self.maximumSources, claim(of: source.ssrc) == nil,
      publication.stream(of: nil) == nil
    else { return }
    let stream = makeStream(source.ssrc, nil, publication)
    insert(source.ssrc, Claim(publication: publication, stream: stream, isRetransmission: false))
    if let rtx = source.rtxSSRC, claim(of: rtx) == nil {
      stream.retransmissionSSRC = rtx
      insert(rtx, Claim(publication: publication, stream: stream, isRetransmission: true))
    }
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
    if lastClaim < ssrcs.count, ssrcs[lastClaim] == header.ssrc.rawValue {
      index = lastClaim
    } else if let known = claim(of: header.ssrc) {
      index = known
      lastClaim = known
    } else {
      switch learn(header, extensions, packet) {
      case .success(let learned): index = learned
      case .failure(let refusal): return .dropped(refusal.reason)
      }
    }
    // Nothing that follows changes the list of claims.
    let outcome = claims.reference(at: index).use { claim -> Outcome in
      if let mid = extensions.mid, !names(mid, packet, claim.publication) { return .dropped(.refusedClaim) }
      if claim.isRetransmission { return receiveRetransmission(packet, header, extensions, claim, now) }
      return receiveMedia(packet, header, extensions, claim, now)
    }
    return outcome ?? .consumed
  }

  private func receiveMedia(
    _ packet: Span<UInt8>, _ header: RTPHeader, _ extensions: Extensions, _ claim: Claim, _ now: Instant
  ) -> Outcome {
    let publication = claim.publication
    let stream = claim.stream
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
      &stored, packet, header.payloadRange, header.payloadType, codec, header, extensions, claim, now)
  }

  private func receiveRetransmission(
    _ packet: Span<UInt8>, _ header: RTPHeader, _ extensions: Extensions, _ claim: Claim, _ now: Instant
  ) -> Outcome {
    // A retransmission stream also carries the padding that probes for bandwidth.
    if header.payloadLength == 0 { return .consumed }
    let publication = claim.publication
    let stream = claim.stream
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
      &stored, packet, (start &+ 2)..<header.payloadRange.upperBound, type, codec, header, extensions, claim, now)
  }

  private func keep(
    _ stored: inout StoredPacket, _ packet: Span<UInt8>, _ payload: Range<Int>, _ type: PayloadType, _ codec: Codec,
    _ header: RTPHeader, _ extensions: Extensions, _ claim: Claim, _ now: Instant
  ) -> Outcome {
    let publication = claim.publication
    let stream = claim.stream
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
    return .accepted(BorrowedReference(claim))
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

  // MARK: Claims

  private struct Refusal: Error { var reason: RoutingDrop }

  private func claim(of ssrc: SSRC) -> Int? {
    for index in 0..<ssrcs.count where ssrcs[index] == ssrc.rawValue { return index }
    return nil
  }

  /// Whether `range` of the packet spells the MID of `publication`.
  private func names(_ range: Range<Int>, _ packet: Span<UInt8>, _ publication: Publication) -> Bool {
    HeaderExtensionText(packet, at: range) == publication.midText
  }

  /// Finds out what an unknown SSRC is.
  private func learn(_ header: RTPHeader, _ extensions: Extensions, _ packet: Span<UInt8>) -> Result<Int, Refusal> {
    guard ssrcs.count < Self.maximumSources else { return .failure(Refusal(reason: .tooManySources)) }
    var found: Publication?
    let known = former.first { $0.ssrc == header.ssrc }
    if let mid = extensions.mid {
      found = publications.first { names(mid, packet, $0) }
    } else if let known, let again = publications.first(where: { $0.midText == known.mid }) {
      found = again
    } else {
      // Without a MID the payload type must leave no doubt.
      for publication in publications where publication.formats.contains(header.payloadType) {
        if found != nil { return .failure(Refusal(reason: .unknownSource)) }
        found = publication
      }
    }
    guard let publication = found else { return .failure(Refusal(reason: .unknownSource)) }
    guard publication.formats.contains(header.payloadType) else {
      return .failure(Refusal(reason: .unknownPayloadType))
    }
    let isRetransmission = publication.formats.codec(header.payloadType) == nil
    var layer: HeaderExtensionText?
    if !publication.layerNames.isEmpty {
      let range = isRetransmission ? extensions.repairedRID ?? extensions.rid : extensions.rid
      let knownLayer = known?.mid == publication.midText ? known?.layer : nil
      layer = range.flatMap { HeaderExtensionText(packet, at: $0) } ?? knownLayer
      guard let layer, publication.layerNames.contains(layer) else {
        return .failure(Refusal(reason: .unknownSource))
      }
    }
    let existing = publication.stream(of: layer)
    if isRetransmission {
      guard let existing else { return .failure(Refusal(reason: .unknownSource)) }
      if let old = existing.retransmissionSSRC { release(old) }
      existing.retransmissionSSRC = header.ssrc
      return .success(
        insert(header.ssrc, Claim(publication: publication, stream: existing, isRetransmission: true)))
    }
    if let existing {
      // A sender may start over under a new SSRC, but not without end.
      guard extensions.mid != nil, publication.replacements < Publication.maximumReplacements else {
        return .failure(Refusal(reason: .refusedClaim))
      }
      publication.replacements += 1
      releaseClaims { $0.stream === existing }
      publication.streams = ContiguousArray(publication.streams.filter { $0 !== existing })
      publication.leavesStreams = true
    }
    let stream = makeStream(header.ssrc, layer, publication)
    return .success(insert(header.ssrc, Claim(publication: publication, stream: stream, isRetransmission: false)))
  }

  private func makeStream(
    _ ssrc: SSRC, _ layer: HeaderExtensionText?, _ publication: Publication
  ) -> SourceStream {
    let stream = SourceStream(
      ssrc: ssrc, layer: layer, kind: publication.media.kind, clockRate: publication.clockRate,
      usesNack: publication.acceptsNack, isEncrypted: publication.isEncrypted)
    publication.streams = publication.streams + [stream]
    publication.streamsChanged()
    return stream
  }

  @discardableResult
  private func insert(_ ssrc: SSRC, _ claim: Claim) -> Int {
    ssrcs = ssrcs + [ssrc.rawValue]
    claims = claims + [claim]
    return ssrcs.count - 1
  }

  private func release(_ ssrc: SSRC) {
    guard let index = claim(of: ssrc) else { return }
    release { $0 == index }
  }

  private func releaseClaims(_ condition: (Claim) -> Bool) { release { condition(claims[$0]) } }

  private func release(where isGone: (Int) -> Bool) {
    let kept = claims.indices.filter { !isGone($0) }
    ssrcs = ContiguousArray(kept.map { ssrcs[$0] })
    claims = ContiguousArray(kept.map { claims[$0] })
    lastClaim = 0
  }

  /// The stream that the participant sends under `ssrc`; nil for retransmissions.
  func stream(of ssrc: SSRC) -> SourceStream? {
    guard let index = claim(of: ssrc), !claims[index].isRetransmission else { return nil }
    return claims[index].stream
  }
}
