/// The receivers that can't decode a publication.
public struct UndecodableReceivers: Sendable, Hashable, Codable {
  public var publication: String
  /// The codec it is sent in.
  public var codec: CodecInfo
  /// The participants who cannot decode it: at most ``maximumNamed``, those first who came first.
  public var participants: [String]
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
