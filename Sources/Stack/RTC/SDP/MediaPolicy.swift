/// The codecs, extensions and feedback that this side accepts in a negotiation. The order of codecs is always the
/// offerer's.
public struct MediaPolicy: Hashable, Sendable {
  /// Accepted codecs; retransmissions follow their codec and need not be listed.
  public var codecs: Set<Codec>
  public var extensions: Set<HeaderExtensionKind>
  public var feedback: FeedbackMechanisms
  /// The most simulcast layers of one m-section; further ones are left out of the answer.
  public var maximumLayers: Int

  public init(
    codecs: Set<Codec>, extensions: Set<HeaderExtensionKind>, feedback: FeedbackMechanisms = .all,
    maximumLayers: Int = 4
  ) {
    self.codecs = codecs
    self.extensions = extensions
    self.feedback = feedback
    self.maximumLayers = maximumLayers
  }

  /// Everything that the media server forwards.
  public static let standard = MediaPolicy(
    codecs: [.opus, .red, .vp8, .vp9, .h264, .av1],
    extensions: [
      .mid, .rid, .repairedRID, .audioLevel, .absSendTime, .transportSequenceNumber, .videoOrientation,
      .playoutDelay, .dependencyDescriptor,
    ])

  /// The codecs of `section` that this policy accepts, in the section's order, with their retransmissions.
  func accepted(of section: MediaDescription, kind: MediaKind) -> [NegotiatedCodec] {
    var accepted: [NegotiatedCodec] = []
    for offered in section.codecs {
      guard let codec = offered.codec, codec != .rtx, codec.kind == kind, codecs.contains(codec),
        codec.accepts(offered.parameters)
      else { continue }
      let feedback = FeedbackMechanisms(offered.feedback.compactMap { FeedbackMechanisms(message: $0) })
      accepted.append(
        NegotiatedCodec(
          payloadType: offered.payloadType, codec: codec, parameters: codec.answered(offered.parameters),
          feedback: feedback.intersection(self.feedback)))
    }
    let primaries = Set(accepted.map(\.payloadType))
    accepted.removeAll { $0.codec == .red && !$0.carriesOnly(primaries) }
    for offered in section.codecs where offered.codec == .rtx {
      guard let apt = offered.parameters?["apt"].flatMap({ Substring($0).decimal(UInt8.self) }), apt <= 127,
        let index = accepted.firstIndex(where: { $0.payloadType.rawValue == apt }),
        accepted[index].rtxPayloadType == nil
      else { continue }
      accepted[index].rtxPayloadType = offered.payloadType
    }
    return accepted
  }

  /// Why nothing of `section` is accepted, for whoever made the offer. `ignored` are the malformed attributes of the
  /// offer.
  func rejection(of section: MediaDescription, ignored: [SDPError]) -> String {
    let offered = section.codecs.filter { $0.codec != .rtx }.prefix(4).map { codec in
      let name = String(codec.name.prefix(20))
      return codec.codec.map(codecs.contains) == true
        ? "\(name) (\((codec.parameters?.text ?? "without parameters").prefix(80)))" : name
    }
    let list = offered.isEmpty ? "no codec with an a=rtpmap line" : offered.joined(separator: ", ")
    let sentence = "None of the codecs that the m-section offers can be forwarded: \(list)."
    return ([sentence] + ignored.prefix(1).map(\.description)).joined(separator: " ")
  }

  /// The header extensions of `section` that this policy accepts. The first id of an extension counts.
  func accepted(of section: MediaDescription) -> [(ExtensionAttribute, HeaderExtensionKind, UInt8)] {
    var seen: Set<HeaderExtensionKind> = []
    let highest = section.allowsMixedExtensions ? 255 : 14
    return section.extensions.compactMap { offered in
      guard let kind = HeaderExtensionKind(uri: offered.uri), extensions.contains(kind), offered.id <= highest,
        offered.id != 15, let id = UInt8(exactly: offered.id), seen.insert(kind).inserted
      else { return nil }
      return (offered, kind, id)
    }
  }
}

extension CodecDescription {
  /// The codec this describes, or nil for one that this stack does not know.
  public var codec: Codec? { Codec(name: name, clockRate: clockRate, channels: channels) }
}

extension NegotiatedCodec {
  /// Whether redundant audio (`a=fmtp:63 111/111`) carries only payload types out of `primaries`.
  fileprivate func carriesOnly(_ primaries: Set<PayloadType>) -> Bool {
    let parts = (parameters?.text ?? "").utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    guard !parts.isEmpty else { return false }
    return parts.allSatisfy { part in
      guard let number = part.decimal(UInt8.self), number <= 127 else { return false }
      let type = PayloadType(rawValue: number)
      return type != payloadType && primaries.contains(type)
    }
  }
}
