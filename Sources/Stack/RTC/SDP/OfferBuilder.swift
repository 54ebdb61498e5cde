public import Basics

/// The client's side of offer and answer: keeps its tracks and receive slots, writes offers, and reads the answers to
/// them. A value without I/O. Every section keeps its place; a stopped one stays with port 0 (RFC 9429 section 5.2.2).
public struct OfferBuilder: Sendable {
  struct Section: Hashable, Sendable {
    var mid: MID
    var kind: MediaDescription.Kind
    var direction: MediaDirection
    var codecs: [Codec]
    var source: NegotiatedSource?
    var streamID: MediaStreamID?
    var rids: [RID] = []
    var isStopped = false
  }

  /// Codecs that offers list where a section says nothing else, in order of preference.
  public let codecs: [Codec]
  /// The canonical name of this side's sources.
  public let cname: String
  private let sessionID: UInt64
  private var version: UInt64 = 0
  private var sections: [Section] = []
  /// How many sections the last offer had. More may have been added since, which its answer knows nothing of.
  private var offered = 0
  private var claims = BundleClaims()
  private var remoteFingerprint: [UInt8]?

  /// A builder without sections. `rng` gives ids, names and SSRCs.
  public init(
    codecs: [Codec] = [.opus, .vp8, .vp9, .h264, .av1], using rng: inout some RandomNumberGenerator
  ) {
    self.codecs = codecs
    sessionID = rng.next() >> 2
    cname = RandomToken.make(length: 16, using: &rng)
  }

  /// Adds a section in which this side sends a track; returns its name.
  /// - Parameters:
  ///   - kind: Audio or video.
  ///   - codecs: The codecs to offer in order of preference; nil for the builder's.
  ///   - streamID: The MediaStream's id, the same for tracks that are to be played in step; nil for one of its own.
  ///   - rids: Simulcast layers, best last; empty for one layer. Layers are announced by RID, not by SSRC.
  public mutating func addTrack(
    _ kind: MediaKind, codecs: [Codec]? = nil, streamID: String? = nil, rids: [RID] = [],
    using rng: inout some RandomNumberGenerator
  ) -> MID {
    let mid = addSection(.media(kind), .sendonly, chosen(codecs, kind))
    let source = NegotiatedSource(
      ssrc: claims.freeSSRC(using: &rng), rtxSSRC: kind == .video ? claims.freeSSRC(using: &rng) : nil)
    sections[sections.count - 1].source = source
    sections[sections.count - 1].rids = rids
    sections[sections.count - 1].streamID = MediaStreamID(
      stream: streamID ?? "stream-\(mid)", track: "track-\(mid)")
    return mid
  }

  /// Adds a receive slot; returns its name.
  public mutating func addSlot(_ kind: MediaKind, codecs: [Codec]? = nil) -> MID {
    addSection(.media(kind), .recvonly, chosen(codecs, kind))
  }

  /// Adds the section of data channels, of which there is one at most; returns its name.
  public mutating func addDataChannels() -> MID {
    if let known = sections.first(where: { $0.kind == .application && !$0.isStopped }) { return known.mid }
    return addSection(.application, .sendrecv, [])
  }

  /// Stops a section permanently.
  /// - Throws: ``SDPError/invalidUse(expected:)`` when there is no live section of that name.
  public mutating func stop(_ mid: MID) throws(SDPError) {
    guard let index = sections.firstIndex(where: { $0.mid == mid && !$0.isStopped }) else {
      throw .invalidUse(expected: "the mid of a live section")
    }
    sections[index].isStopped = true
  }

  private func chosen(_ codecs: [Codec]?, _ kind: MediaKind) -> [Codec] {
    (codecs ?? self.codecs).filter { $0.kind == kind }
  }

  private mutating func addSection(
    _ kind: MediaDescription.Kind, _ direction: MediaDirection, _ codecs: [Codec]
  ) -> MID {
    let mid = MID(rawValue: String(sections.count))
    sections.append(Section(mid: mid, kind: kind, direction: direction, codecs: codecs))
    return mid
  }

  /// The next offer. `local`'s ``TransportParameters/setup`` should be `actpass`.
  public mutating func offer(local: TransportParameters) -> SessionDescription {
    version &+= 1
    offered = sections.count
    var offer = SessionDescription(
      origin: .init(sessionID: sessionID, version: version),
      bundle: sections.filter { !$0.isStopped }.map(\.mid), isIceLite: local.isIceLite, allowsMixedExtensions: true)
    for section in sections {
      var description = description(of: section)
      if !section.isStopped { local.write(to: &description, isTagged: section.mid == offer.bundle.first) }
      offer.media.append(description)
    }
    return offer
  }

  private func description(of section: Section) -> MediaDescription {
    guard case .media(let kind) = section.kind else {
      var description = MediaDescription(dataChannels: section.mid)
      if section.isStopped { description.port = 0 }
      return description
    }
    let codecs = section.codecs.flatMap(\.offered)
    var description = MediaDescription(
      kind: section.kind, port: section.isStopped ? 0 : 9, transportProtocol: "UDP/TLS/RTP/SAVPF",
      formats: codecs.map(\.payloadType.description))
    description.mid = section.mid
    description.direction = section.isStopped ? .inactive : section.direction
    description.codecs = codecs
    description.allowsMixedExtensions = true
    guard !section.isStopped else { return description }
    description.hasRTCPMux = true
    description.hasReducedSizeRTCP = true
    description.extensions = HeaderExtensionKind.offered(for: kind)
      .map { ExtensionAttribute(id: $0.id, uri: $0.extension.uri) }
    if section.rids.isEmpty {
      description.announce(section.source, as: section.streamID, cname: cname)
    } else {
      description.streamIDs = section.streamID.map { [$0] } ?? []
      description.rids = section.rids.map { RIDAttribute(id: $0, direction: .send) }
      description.simulcast = SimulcastAttribute(send: section.rids.map { [.init(rid: $0)] })
    }
    return description
  }

  /// Reads the answer to the last offer.
  /// - Throws: ``SDPError`` with what was expected.
  public mutating func apply(_ answer: SessionDescription) throws(SDPError) -> AcceptedAnswer {
    guard version > 0 else { throw .invalidUse(expected: "an answer after an offer") }
    guard answer.media.count == offered else {
      throw .answerMismatch(section: min(answer.media.count, offered), expected: "\(offered) m-sections")
    }
    guard let transport = try TransportParameters(taggedIn: answer) else {
      throw .transport(expected: "at least one accepted m-section in the BUNDLE group")
    }
    guard transport.setup == .passive || transport.setup == .active else {
      throw .transport(expected: "a=setup:passive or a=setup:active in an answer")
    }
    if let remoteFingerprint, remoteFingerprint != transport.sha256Fingerprint {
      throw .transport(expected: "the certificate fingerprint of the previous answer")
    }
    var media: [NegotiatedMedia] = []
    var dataChannels: NegotiatedDataChannels?
    var remoteClaims = BundleClaims()
    for (index, section) in sections.prefix(offered).enumerated() {
      let answered = answer.media[index]
      guard answered.kind == section.kind, answered.mid == nil || answered.mid == section.mid else {
        throw .answerMismatch(section: index, expected: "\(section.kind.text) with the mid \(section.mid)")
      }
      guard !section.isStopped, !answered.isStopped else { continue }
      guard answer.bundle.contains(section.mid) else { throw .notBundled(section.mid) }
      guard case .media(let kind) = section.kind else {
        var named = answered
        named.mid = section.mid
        guard let agreed = NegotiatedDataChannels(named, index: index),
          agreed.port == NegotiatedDataChannels.offeredPort
        else {
          throw .answerMismatch(section: index, expected: "UDP/DTLS/SCTP, webrtc-datachannel and a=sctp-port:5000")
        }
        dataChannels = agreed
        continue
      }
      guard answered.hasRTCPMux else { throw .missingRTCPMux(section.mid) }
      media.append(try negotiated(section, kind, answered, index: index, &remoteClaims))
    }
    remoteFingerprint = transport.sha256Fingerprint
    for index in 0..<offered where answer.media[index].isStopped { sections[index].isStopped = true }
    return AcceptedAnswer(transport: transport, media: media, dataChannels: dataChannels)
  }

  private func negotiated(
    _ section: Section, _ kind: MediaKind, _ answered: MediaDescription, index: Int, _ claims: inout BundleClaims
  ) throws(SDPError) -> NegotiatedMedia {
    let policy = MediaPolicy(codecs: Set(section.codecs), extensions: Set(HeaderExtensionKind.allCases))
    let offered = Set(section.codecs.flatMap(\.offered).map(\.payloadType))
    let codecs = policy.accepted(of: answered, kind: kind).filter { offered.contains($0.payloadType) }
    guard !codecs.isEmpty else {
      throw .answerMismatch(section: index, expected: "at least one of the offered payload types")
    }
    var extensions = HeaderExtensionMap()
    // An answer takes ids of the offer; others would mean something else to this side (RFC 8285 section 6).
    let ids = HeaderExtensionKind.offered(for: kind)
    for (_, kind, id) in policy.accepted(of: answered) where ids.contains(where: { $0 == (Int(id), kind) }) {
      extensions[kind] = id
    }
    let sends = section.direction.sends && answered.direction.receives
    let receives = section.direction.receives && answered.direction.sends
    let remoteSources = receives ? answered.negotiatedSources : []
    for source in remoteSources {
      try claims.claim(source.ssrc)
      if let rtx = source.rtxSSRC { try claims.claim(rtx) }
    }
    let received = Set(answered.rids.filter { $0.direction == .recv }.map(\.id))
    return NegotiatedMedia(
      mid: section.mid, index: index, kind: kind, role: sends ? .send : receives ? .receive : .inactive,
      codecs: codecs, extensions: extensions, remoteSources: remoteSources,
      remoteStreamIDs: receives ? answered.streamIDs : [], rids: section.rids.filter { received.contains($0) },
      localSource: section.source, localStreamID: section.streamID,
      usesReducedSizeRTCP: answered.hasReducedSizeRTCP)
  }
}

/// The result of an answer for the side that made the offer. See ``OfferBuilder``.
public struct AcceptedAnswer: Sendable {
  /// How to reach the other side.
  public let transport: TransportParameters
  /// The live m-sections in order.
  public let media: [NegotiatedMedia]
  /// The section of data channels; nil where none was offered, or it was rejected.
  public let dataChannels: NegotiatedDataChannels?
}

extension Codec {
  /// The payload types that an offer lists for this codec. They are those Chromium uses, so that traces read alike.
  fileprivate var offered: [CodecDescription] {
    func codec(_ type: UInt8, _ codec: Codec, _ parameters: String?, _ feedback: FeedbackMechanisms = [])
      -> CodecDescription
    {
      CodecDescription(
        payloadType: PayloadType(rawValue: type), name: codec.name, clockRate: codec.clockRate,
        channels: codec.channels, parameters: parameters.map { FormatParameters($0) }, feedback: feedback.messages)
    }
    return switch self {
    case .opus: [codec(111, .opus, "minptime=10;useinbandfec=1", .transportWide)]
    case .red: [codec(63, .red, "111/111")]
    case .vp8: [codec(96, .vp8, nil, .all), codec(97, .rtx, "apt=96")]
    case .vp9: [codec(98, .vp9, "profile-id=0", .all), codec(99, .rtx, "apt=98")]
    case .h264:
      [
        codec(108, .h264, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f", .all),
        codec(109, .rtx, "apt=108"),
        // Browsers send larger profiles to who takes them: Chromium's first choice is Baseline, Safari's High.
        codec(112, .h264, "level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=64001f", .all),
        codec(113, .rtx, "apt=112"),
      ]
    case .av1: [codec(45, .av1, "level-idx=5;profile=0;tier=0", .all), codec(46, .rtx, "apt=45")]
    default: []
    }
  }
}

extension HeaderExtensionKind {
  /// The ids an offer gives, and for which kind of media (nil: both).
  fileprivate static let offered: [(id: Int, extension: HeaderExtensionKind, kind: MediaKind?)] = [
    (1, .audioLevel, .audio), (2, .absSendTime, nil), (3, .transportSequenceNumber, nil), (4, .mid, nil),
    (5, .playoutDelay, .video), (10, .rid, .video), (11, .repairedRID, .video), (12, .dependencyDescriptor, .video),
    (13, .videoOrientation, .video),
  ]

  fileprivate static func offered(for kind: MediaKind) -> [(id: Int, extension: HeaderExtensionKind)] {
    offered.filter { $0.kind == nil || $0.kind == kind }.map { ($0.id, $0.extension) }
  }
}
