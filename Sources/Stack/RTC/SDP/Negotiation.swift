import Basics

/// The server's side of offer and answer (RFC 9429 section 5): reads a client's offer against what was agreed before
/// and against a ``MediaPolicy``, and makes the answer. A value without I/O; it remembers the m-sections and the
/// sources given to each mid.
///
/// Use it in three steps, so that an offer that is refused changes nothing: ``accept(_:using:)``, then
/// ``AcceptedOffer/makeAnswer(local:)`` with the transport's parameters (new ones when
/// ``AcceptedOffer/restartsIce`` says so), then keep ``AcceptedOffer/negotiation`` as the new state.
public struct Negotiation: Sendable {
  /// The state of an m-section.
  struct Section: Hashable, Sendable {
    var mid: MID?
    var kind: MediaDescription.Kind
    var isStopped: Bool
    var source: NegotiatedSource?
  }

  /// The server's policy for offers.
  public let policy: MediaPolicy
  /// The canonical name of this side's sources (RFC 7022).
  public let cname: String
  let sessionID: UInt64
  var version: UInt64 = 0
  var sections: [Section] = []
  var remote: TransportParameters?

  /// The state before the first offer. `rng` gives the session id and the canonical name.
  public init(policy: MediaPolicy = .standard, using rng: inout some RandomNumberGenerator) {
    self.policy = policy
    // 62 bits: the number must fit a signed 64-bit integer (RFC 9429 section 5.2.1).
    sessionID = rng.next() >> 2
    cname = RandomToken.make(length: 16, using: &rng)
  }

  /// Checks `offer` against the previous one and the policy. Nothing changes here; see the type's comment.
  /// - Throws: ``SDPError`` with what was expected.
  public func accept(_ offer: SessionDescription, using rng: inout some RandomNumberGenerator)
    throws(SDPError) -> AcceptedOffer
  {
    guard offer.media.count >= sections.count else {
      throw .sectionsRemoved(had: sections.count, found: offer.media.count)
    }
    let transport = try checkedTransport(of: offer)
    var accepted = AcceptedOffer(
      offer: offer, negotiation: self, transport: transport,
      restartsIce: remote != nil && transport != nil && remote?.ice != transport?.ice)
    accepted.dataChannels = dataChannels(in: offer)
    var next: [Section] = []
    var claims = BundleClaims()
    let bundled = Set(offer.transportGroup)
    for (index, offered) in offer.media.enumerated() {
      let previous = sections.indices.contains(index) ? sections[index] : nil
      try checkIdentity(offered, index: index, previous: previous, in: offer)
      var section = Section(mid: offered.mid, kind: offered.kind, isStopped: true, source: nil)
      if accepted.dataChannels?.index == index { section.isStopped = false }
      if case .media(let kind) = offered.kind, !offered.isStopped {
        let mid = try checkLive(offered, index: index, bundled: bundled)
        if previous?.mid == mid { section.source = previous?.source }
        if let media = try negotiated(offered, mid: mid, kind: kind, index: index, source: section.source, &claims) {
          section.isStopped = false
          accepted.media.append(media)
        } else {
          // The source's packets end here, and so do its numbers: a new source must not use them again under one key
          // (RFC 7714 section 8.1).
          section.source = nil
          accepted.rejected[mid] = RejectedMedia(
            kind: kind, role: Self.role(of: offered), reason: policy.rejection(of: offered, ignored: offer.ignored))
        }
      }
      next.append(section)
    }
    try allocateSources(in: &accepted, sections: &next, claims: claims, using: &rng)
    accepted.negotiation.sections = next
    accepted.negotiation.version &+= 1
    if let transport { accepted.negotiation.remote = transport }
    return accepted
  }

  /// The section of data channels that is taken. There is one at most: the one before as long as it lives, otherwise
  /// the first; others, and what cannot be used, are rejected with port 0.
  private func dataChannels(in offer: SessionDescription) -> NegotiatedDataChannels? {
    let group = offer.transportGroup
    let usable = offer.media.enumerated().compactMap { index, section in
      section.mid.map(group.contains) == true ? NegotiatedDataChannels(section, index: index) : nil
    }
    let before = sections.first { $0.kind == .application && !$0.isStopped }?.mid
    return usable.first { $0.mid == before } ?? usable.first
  }

  private func checkedTransport(of offer: SessionDescription) throws(SDPError) -> TransportParameters? {
    guard let transport = try TransportParameters(taggedIn: offer) else { return nil }
    guard transport.setup == .actpass || transport.setup == .active else {
      throw .transport(expected: "a=setup:actpass or a=setup:active, because the server is DTLS passive")
    }
    guard !transport.isIceLite else {
      throw .transport(expected: "an offer without a=ice-lite, because the server is the lite side")
    }
    if let remote, remote.sha256Fingerprint != transport.sha256Fingerprint {
      throw .transport(
        expected: "the certificate fingerprint of the previous offer; a new certificate needs a new connection")
    }
    return transport
  }

  /// M-sections keep their place and their name until they are stopped (RFC 9429 section 5.2.2).
  private func checkIdentity(
    _ offered: MediaDescription, index: Int, previous: Section?, in offer: SessionDescription
  ) throws(SDPError) {
    if let mid = offered.mid,
      let before = sections.firstIndex(where: { $0.mid == mid }),
      before != index || sections[before].kind != offered.kind
    {
      throw before == index ? .midChangedKind(mid) : .midMoved(mid)
    }
    guard let previous, !previous.isStopped, let was = previous.mid, was != offered.mid else { return }
    // A stopped section may come without its mid.
    guard offered.isStopped && offered.mid == nil else {
      throw .midChanged(section: index, was: was, now: offered.mid)
    }
  }

  private func checkLive(_ offered: MediaDescription, index: Int, bundled: Set<MID>) throws(SDPError) -> MID {
    guard let mid = offered.mid else { throw .missingMID(section: index) }
    guard MediaDescription.rtpProtocols.contains(offered.transportProtocol) else {
      throw .unsupportedProtocol(mid, found: String(offered.transportProtocol.prefix(40)))
    }
    guard bundled.contains(mid) else { throw .notBundled(mid) }
    guard offered.hasRTCPMux else { throw .missingRTCPMux(mid) }
    return mid
  }

  /// The agreement about a live section, or nil when no codec is left and the section is rejected.
  private func negotiated(
    _ offered: MediaDescription, mid: MID, kind: MediaKind, index: Int, source: NegotiatedSource?,
    _ claims: inout BundleClaims
  ) throws(SDPError) -> NegotiatedMedia? {
    let codecs = policy.accepted(of: offered, kind: kind)
    guard !codecs.isEmpty else { return nil }
    var extensions = HeaderExtensionMap()
    // An extension is optional, so one that contradicts an earlier section is left out of the answer.
    for (_, kind, id) in policy.accepted(of: offered) where claims.claim(id: id, for: kind) { extensions[kind] = id }
    let role = Self.role(of: offered)
    var remoteSources: [NegotiatedSource] = []
    if offered.direction.sends {
      remoteSources = offered.negotiatedSources
      for source in remoteSources {
        try claims.claim(source.ssrc)
        if let rtx = source.rtxSSRC { try claims.claim(rtx) }
      }
    }
    return NegotiatedMedia(
      mid: mid, index: index, kind: kind, role: role, codecs: codecs, extensions: extensions,
      remoteSources: remoteSources, remoteStreamIDs: offered.direction.sends ? offered.streamIDs : [],
      rids: role == .receive && extensions[.rid] != nil ? Array(offered.sendLayers.prefix(policy.maximumLayers)) : [],
      localSource: source, localStreamID: nil, usesReducedSizeRTCP: offered.hasReducedSizeRTCP)
  }

  /// This side's part in an offered section.
  private static func role(of offered: MediaDescription) -> NegotiatedMedia.Role {
    offered.direction.sends ? .receive : offered.direction.receives ? .send : .inactive
  }

  /// Gives each slot its sources. They stay with the mid for as long as it lives, so that what a slot carries can
  /// change without a new offer.
  private func allocateSources(
    in accepted: inout AcceptedOffer, sections: inout [Section], claims: BundleClaims,
    using rng: inout some RandomNumberGenerator
  ) throws(SDPError) {
    var claims = claims
    for media in accepted.media {
      guard let source = media.localSource else { continue }
      try claims.claim(source.ssrc)
      if let rtx = source.rtxSSRC { try claims.claim(rtx) }
    }
    var counts: [MediaKind: Int] = [:]
    for index in accepted.media.indices {
      if accepted.media[index].localSource == nil && accepted.media[index].role == .send {
        let needsRTX = accepted.media[index].codecs.contains { $0.rtxPayloadType != nil }
        let source = NegotiatedSource(
          ssrc: claims.freeSSRC(using: &rng), rtxSSRC: needsRTX ? claims.freeSSRC(using: &rng) : nil)
        accepted.media[index].localSource = source
        sections[accepted.media[index].index].source = source
      }
      if accepted.media[index].localSource != nil {
        let mid = accepted.media[index].mid
        let number = counts[accepted.media[index].kind, default: 0]
        counts[accepted.media[index].kind] = number + 1
        // Receivers play the sound and the picture of one stream in step (RFC 8834 section 4.11); so that those of one
        // participant can be, the slots of the same number are one stream.
        accepted.media[index].localStreamID = MediaStreamID(stream: "slots-\(number)", track: "slot-\(mid)-track")
      }
    }
  }
}

/// Ids and sources that are taken in one bundle.
struct BundleClaims {
  private var kinds: [UInt8: HeaderExtensionKind] = [:]
  private var ids: [HeaderExtensionKind: UInt8] = [:]
  private var ssrcs: Set<SSRC> = []

  /// Takes a header extension, unless its id or its kind has another meaning in the bundle already: packets of all
  /// sections are read with the same ids (RFC 9143 section 9.1).
  mutating func claim(id: UInt8, for kind: HeaderExtensionKind) -> Bool {
    guard kinds[id] ?? kind == kind, ids[kind] ?? id == id else { return false }
    kinds[id] = kind
    ids[kind] = id
    return true
  }

  mutating func claim(_ ssrc: SSRC) throws(SDPError) {
    guard ssrcs.insert(ssrc).inserted else { throw .sourceConflict(ssrc) }
  }

  mutating func freeSSRC(using rng: inout some RandomNumberGenerator) -> SSRC {
    while true {
      let ssrc = SSRC(rawValue: rng.next())
      if ssrc.rawValue != 0, ssrcs.insert(ssrc).inserted { return ssrc }
    }
  }
}

/// Random text for names in descriptions.
enum RandomToken {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// `length` characters of six random bits each, all of them `ice-char`s.
  static func make(length: Int, using rng: inout some RandomNumberGenerator) -> String {
    String(decoding: (0..<length).map { _ in alphabet[Int(rng.next() & 63)] }, as: UTF8.self)
  }
}

extension MediaDescription {
  /// Names of RTP over DTLS in the m-line that mean the same here (RFC 9429 section 5.1.2).
  static let rtpProtocols: Set = [
    "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP",
  ]

  /// The section's sources, each with the source of its retransmissions.
  var negotiatedSources: [NegotiatedSource] {
    var repairs: [SSRC: SSRC] = [:]
    for group in sourceGroups where group.semantics == "FID" && group.sources.count == 2 {
      if repairs[group.sources[0]] == nil { repairs[group.sources[0]] = group.sources[1] }
    }
    let others = Set(
      sourceGroups.filter { $0.semantics == "FID" || $0.semantics == "FEC-FR" }.flatMap { $0.sources.dropFirst() })
    return sources.filter { !others.contains($0.ssrc) }.map {
      NegotiatedSource(ssrc: $0.ssrc, rtxSSRC: repairs[$0.ssrc])
    }
  }

  /// The simulcast layers the writer sends: of each stream the first alternative that a `rid` line describes.
  var sendLayers: [RID] {
    let described = Set(rids.filter { $0.direction == .send }.map(\.id))
    var seen: Set<RID> = []
    return (simulcast?.send ?? []).compactMap { alternatives in
      alternatives.first { described.contains($0.rid) }?.rid
    }.filter { seen.insert($0).inserted }
  }
}
