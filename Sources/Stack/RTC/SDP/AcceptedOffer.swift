public import Basics

/// An offer that fits: what is agreed, and how to answer. See ``Negotiation``.
public struct AcceptedOffer: Sendable {
  let offer: SessionDescription
  /// The state to keep once the answer is sent.
  public internal(set) var negotiation: Negotiation
  /// How to reach the client; nil when every m-section is rejected or stopped.
  public let transport: TransportParameters?
  /// Whether the client restarts ICE: the answer then needs new ICE credentials (RFC 8839 section 4.4.3).
  public let restartsIce: Bool
  /// The live m-sections in order.
  public internal(set) var media: [NegotiatedMedia] = []
  /// Live m-sections of audio and video that are rejected with port 0, since none of their codecs is accepted.
  public internal(set) var rejected: [MID: RejectedMedia] = [:]
  /// The section of data channels; nil where none was offered that fits.
  public internal(set) var dataChannels: NegotiatedDataChannels?

  init(offer: SessionDescription, negotiation: Negotiation, transport: TransportParameters?, restartsIce: Bool) {
    self.offer = offer
    self.negotiation = negotiation
    self.transport = transport
    self.restartsIce = restartsIce
  }

  /// The answer. `local` goes into the live sections, its candidates into the first; its ``TransportParameters/setup``
  /// should be `passive`.
  public func makeAnswer(local: TransportParameters) -> SessionDescription {
    let live = Dictionary(uniqueKeysWithValues: media.map { ($0.index, $0) })
    var mids = Set(media.map(\.mid))
    if let dataChannels { mids.insert(dataChannels.mid) }
    var answer = SessionDescription(
      origin: .init(sessionID: negotiation.sessionID, version: negotiation.version),
      bundle: offer.bundle.filter { mids.contains($0) }, isIceLite: local.isIceLite,
      allowsMixedExtensions: offer.allowsMixedExtensions)
    // Without a group in the offer there is none in the answer (RFC 9143 section 7.3).
    let tagged = offer.transportGroup.first { mids.contains($0) }
    for (index, offered) in offer.media.enumerated() {
      if let dataChannels, dataChannels.index == index {
        var section = MediaDescription(
          dataChannels: dataChannels.mid, protocol: offered.transportProtocol, port: dataChannels.port)
        local.write(to: &section, isTagged: dataChannels.mid == tagged)
        answer.media.append(section)
        continue
      }
      guard let media = live[index] else {
        answer.media.append(rejection(of: offered))
        continue
      }
      var section = section(answering: offered, with: media)
      local.write(to: &section, isTagged: media.mid == tagged)
      answer.media.append(section)
    }
    return answer
  }

  private func rejection(of offered: MediaDescription) -> MediaDescription {
    var section = MediaDescription(
      kind: offered.kind, port: 0, transportProtocol: offered.transportProtocol, formats: offered.formats)
    section.mid = offered.mid
    section.direction = .inactive
    return section
  }

  private func section(answering offered: MediaDescription, with media: NegotiatedMedia) -> MediaDescription {
    let types = Set(media.codecs.flatMap { [$0.payloadType, $0.rtxPayloadType].compactMap { $0?.rawValue } })
    let formats = offered.formats.filter { Substring($0).decimal(UInt8.self).map(types.contains) ?? false }
    // Port 9 says nothing: the address is that of the candidates (RFC 9429 section 5.3.1).
    var section = MediaDescription(
      kind: offered.kind, port: 9, transportProtocol: offered.transportProtocol, formats: formats)
    section.mid = media.mid
    section.hasRTCPMux = true
    section.hasReducedSizeRTCP = offered.hasReducedSizeRTCP
    section.allowsMixedExtensions = offered.allowsMixedExtensions
    section.codecs = offered.codecs.filter { types.contains($0.payloadType.rawValue) }.map {
      answered($0, in: media)
    }
    section.extensions = negotiation.policy.accepted(of: offered).filter { media.extensions[$0.1] == $0.2 }
      .map { offered, _, _ in
        ExtensionAttribute(id: offered.id, direction: offered.direction?.reversed, uri: offered.uri)
      }
    switch media.role {
    case .receive:
      section.direction = .recvonly
      section.rids = media.rids.map { RIDAttribute(id: $0, direction: .recv) }
      if !media.rids.isEmpty {
        // A browser that has layers switched off offers them paused; an answer without the mark would switch them on.
        let paused = Set((offered.simulcast?.send ?? []).joined().filter(\.isPaused).map(\.rid))
        section.simulcast = SimulcastAttribute(
          receive: media.rids.map { [.init(rid: $0, isPaused: paused.contains($0))] })
      }
    case .inactive: section.direction = .inactive
    case .send:
      section.direction = .sendonly
      section.announce(media.localSource, as: media.localStreamID, cname: negotiation.cname)
    }
    return section
  }

  private func answered(_ offered: CodecDescription, in media: NegotiatedMedia) -> CodecDescription {
    var codec = offered
    guard let agreed = media.codecs.first(where: { $0.payloadType == offered.payloadType }) else {
      codec.feedback = []
      return codec
    }
    codec.parameters = agreed.parameters
    codec.feedback = offered.feedback.filter { message in
      FeedbackMechanisms(message: message).map { agreed.feedback.contains($0) } ?? false
    }
    return codec
  }
}

extension MediaDescription {
  /// Writes the lines that announce what the writer sends: msid, SSRCs with their canonical name, and the FID group.
  mutating func announce(_ source: NegotiatedSource?, as id: MediaStreamID?, cname: String) {
    guard let source else { return }
    if let id { streamIDs = [id] }
    if let rtx = source.rtxSSRC { sourceGroups = [SourceGroup(semantics: "FID", sources: [source.ssrc, rtx])] }
    sources = [source.ssrc, source.rtxSSRC].compactMap { $0 }.map {
      SourceAttribute(ssrc: $0, cname: cname, streamID: id)
    }
  }
}
