/// A track that a client sends: an entry of `tracks` in `join` and `offer`.
public struct TrackDescription: Sendable, Hashable, Codable {
  /// The `a=mid` of the m-section that carries it.
  public var mid: String
  /// The source, such as the camera.
  public var source: TrackSource
  /// Whether it starts muted. `false` where the key is absent.
  public var muted: Bool
  /// The name that the others see; nil for none of its own.
  public var name: String?

  /// Describes the track sent in m-section `mid`.
  public init(mid: String, source: TrackSource, muted: Bool = false, name: String? = nil) {
    self.mid = mid
    self.source = source
    self.muted = muted
    self.name = name
  }

  /// Reads an entry; `muted` and `name` may be missing.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    mid = try container.decode(String.self, forKey: .mid)
    source = try container.decode(TrackSource.self, forKey: .source)
    muted = try container.decodeIfPresent(Bool.self, forKey: .muted) ?? false
    name = try container.decodeIfPresent(String.self, forKey: .name)
  }

  private enum CodingKeys: String, CodingKey { case mid, source, muted, name }
}
