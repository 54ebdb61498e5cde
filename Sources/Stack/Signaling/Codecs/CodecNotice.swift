/// The server's notice about codecs: publications that this client can't decode, receivers that can't decode its own,
/// and the codec to send instead.
public enum CodecNotice: Sendable, Hashable {
  /// The publications that no slot of the client can carry, since its offer has no codec for them, whole.
  case undecodable([UndecodablePublication])
  /// The receivers that can't decode a publication of the client's own; the whole list.
  case undecodableFor(UndecodableReceivers)
  /// The codec to send the client's own track in m-section `mid` in; nil for the client's own choice.
  case sendCodec(mid: String, codec: CodecInfo?)
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
