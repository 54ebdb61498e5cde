/// The kind of participant who deleted a chat message.
public enum ChatDeletion: String, Sendable, Hashable, Codable, CaseIterable {
  case author
  case host
}
