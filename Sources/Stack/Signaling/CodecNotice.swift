/// What the server says of codecs: what this client cannot decode, who cannot decode what it sends, and what to send instead.
public enum CodecNotice: Sendable, Hashable {
  /// The publications that no slot of the client can carry, since its offer has no codec for them, whole.
  case undecodable([UndecodablePublication])
  /// Who cannot decode a publication of the client's own, whole.
  case undecodableFor(UndecodableReceivers)
  /// The codec to send the client's own track in m-section `mid` in; nil for the client's own choice.
  case sendCodec(mid: String, codec: CodecInfo?)
}

/// A codec with what tells its profiles apart.
public struct CodecInfo: Sendable, Hashable, Codable {
  /// The encoding name in `a=rtpmap`, such as `VP9`.
  public var name: String
  /// The format-specific parameters (`a=fmtp`), such as `profile-level-id=640032;packetization-mode=1`; nil for none.
  public var parameters: String?
  /// The payload type in the offer of whoever sends it; nil where it does not matter.
  public var payloadType: Int?

  /// Describes a codec.
  public init(name: String, parameters: String? = nil, payloadType: Int? = nil) {
    self.name = name
    self.parameters = parameters
    self.payloadType = payloadType
  }
}

/// A publication that a receiver cannot decode.
public struct UndecodablePublication: Sendable, Hashable, Codable {
  /// The publication's id.
  public var publication: String
  /// Who publishes it.
  public var participant: String
  /// What it is sent in.
  public var codec: CodecInfo

  /// Describes a publication that a receiver cannot decode.
  public init(publication: String, participant: String, codec: CodecInfo) {
    self.publication = publication
    self.participant = participant
    self.codec = codec
  }
}

/// Who cannot decode a publication.
public struct UndecodableReceivers: Sendable, Hashable, Codable {
  /// The publication's id.
  public var publication: String
  /// What it is sent in.
  public var codec: CodecInfo
  /// The participants who cannot decode it: at most ``maximumNamed``, those first who came first.
  public var participants: [String]
  /// How many cannot.
  public var count: Int

  /// Most participants that one notice names.
  public static let maximumNamed = 50

  /// Describes who cannot decode a publication.
  public init(publication: String, codec: CodecInfo, participants: [String], count: Int) {
    self.publication = publication
    self.codec = codec
    self.participants = participants
    self.count = count
  }
}

extension CodecNotice: Encodable {
  private enum Kind: String { case undecodable, undecodableFor, sendCodec }

  private enum Key: String, CodingKey { case type, publications, mid, codec }

  /// Reads the notice of a message of this type; nil when the type is none of its own.
  init?(type: String, from decoder: any Decoder) throws {
    guard let kind = Kind(rawValue: type) else { return nil }
    let container = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .undecodable:
      self = .undecodable(try container.decode([UndecodablePublication].self, forKey: .publications))
    case .undecodableFor: self = .undecodableFor(try UndecodableReceivers(from: decoder))
    case .sendCodec:
      self = .sendCodec(
        mid: try container.decode(String.self, forKey: .mid),
        codec: try container.decodeIfPresent(CodecInfo.self, forKey: .codec))
    }
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    switch self {
    case .undecodable(let publications):
      try container.encode(Kind.undecodable.rawValue, forKey: .type)
      try container.encode(publications, forKey: .publications)
    case .undecodableFor(let receivers):
      try container.encode(Kind.undecodableFor.rawValue, forKey: .type)
      try receivers.encode(to: encoder)
    case .sendCodec(let mid, let codec):
      try container.encode(Kind.sendCodec.rawValue, forKey: .type)
      try container.encode(mid, forKey: .mid)
      try container.encode(codec, forKey: .codec)
    }
  }
}
