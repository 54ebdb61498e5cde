/// The rules of a meeting's chat, as `welcome` says it.
public struct ChatRules: Sendable, Hashable, Codable {
  /// Whether later participants get earlier messages.
  public var history: Bool
  /// The most bytes of one file; 0 where no files are taken.
  public var fileLimit: Int

  public init(history: Bool, fileLimit: Int) {
    self.history = history
    self.fileLimit = fileLimit
  }
}
