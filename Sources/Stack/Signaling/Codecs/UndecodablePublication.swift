/// A publication that a receiver cannot decode.
public struct UndecodablePublication: Sendable, Hashable, Codable {
  public var publication: String
  public var participant: String
  /// The codec it is sent in.
  public var codec: CodecInfo

  /// Describes a publication that a receiver cannot decode.
  public init(publication: String, participant: String, codec: CodecInfo) {
    self.publication = publication
    self.participant = participant
    self.codec = codec
  }
}
