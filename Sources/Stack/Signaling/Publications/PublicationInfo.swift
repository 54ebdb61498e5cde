public import FoundationEssentials

/// A track that others may receive.
public struct PublicationInfo: Sendable, Hashable, Codable {
  /// The publication's id, `t_…`.
  public var id: String
  public var kind: TrackKind
  /// The source, such as the camera.
  public var source: TrackSource
  /// Whether it is muted: nobody receives anything of it.
  public var muted: Bool
  /// True when it was a host, not the sender, who muted it; nil otherwise.
  public var mutedByHost: Bool?
  /// The name that its sender gave it, a screen's title for instance; nil for none. Always show it as text, never as
  /// markup.
  public var name: String?
  private var moment: Moment?

  /// Describes publication `id`.
  public init(
    id: String, kind: TrackKind, source: TrackSource, muted: Bool, mutedByHost: Bool? = nil, name: String? = nil,
    created: Date? = nil
  ) {
    self.id = id
    self.kind = kind
    self.source = source
    self.muted = muted
    self.mutedByHost = mutedByHost
    self.name = name
    self.created = created
  }

  /// Reads a publication; optional parts of an odd type count as absent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    kind = try container.decode(TrackKind.self, forKey: .kind)
    source = try container.decode(TrackSource.self, forKey: .source)
    muted = try container.decode(Bool.self, forKey: .muted)
    mutedByHost = container.optional(.mutedByHost)
    name = container.optional(.name)
    moment = container.optional(.moment)
  }

  /// When the server took it, to the millisecond; nil from servers that do not say.
  public var created: Date? {
    get { moment?.date }
    set { moment = newValue.map { Moment($0) } }
  }

  private enum CodingKeys: String, CodingKey {
    case id, kind, source, muted, mutedByHost, name
    case moment = "created"
  }
}
