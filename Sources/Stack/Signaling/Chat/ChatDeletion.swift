/// Who took a chat message away.
public enum ChatDeletion: String, Sendable, Hashable, Codable, CaseIterable {
  case author
  case host
}
