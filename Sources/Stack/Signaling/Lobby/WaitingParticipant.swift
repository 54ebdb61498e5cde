/// Somebody who waits to be let in, as hosts see them.
public struct WaitingParticipant: Sendable, Hashable, Codable, Identifiable {
  /// Names who waits, for `admit` and `deny`; it becomes the participant's id.
  public var id: String
  /// The display name. Always show it as text, never as markup.
  public var name: String

  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
