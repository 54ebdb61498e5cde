/// A live m-section of which no codec is accepted.
public struct RejectedMedia: Hashable, Sendable {
  /// Audio or video.
  public var kind: MediaKind
  /// What this side would have done with it.
  public var role: NegotiatedMedia.Role
  /// Why, as a sentence for whoever made the offer.
  public var reason: String

  /// A rejected section.
  public init(kind: MediaKind, role: NegotiatedMedia.Role, reason: String) {
    self.kind = kind
    self.role = role
    self.reason = reason
  }
}
