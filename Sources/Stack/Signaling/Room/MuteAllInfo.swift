/// A host's word that everybody is muted.
public struct MuteAllInfo: Sendable, Hashable, Codable {
  /// The sources that are muted.
  public var sources: [TrackSource]
  /// Whether people may unmute themselves.
  public var mayUnmute: Bool

  public init(sources: [TrackSource], mayUnmute: Bool) {
    self.sources = sources
    self.mayUnmute = mayUnmute
  }

  /// Reads a host's order; people may unmute unless it says otherwise.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    sources = try container.readable(.sources)
    mayUnmute = container.optional(.mayUnmute) ?? true
  }
}
