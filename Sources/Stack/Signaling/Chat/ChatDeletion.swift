/// Who took a chat message away.
public enum ChatDeletion: String, Sendable, Hashable, Codable, CaseIterable {
  /// Who wrote it.
  case author
  /// A host.
  case host
}
