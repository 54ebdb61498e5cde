/// A live m-section of which no codec is accepted.
public struct RejectedMedia: Hashable, Sendable {
  public var kind: MediaKind
  /// This side's part in the section if it had been accepted.
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
