/// What holds for the chat of a meeting, as `welcome` says it.
public struct ChatRules: Sendable, Hashable, Codable {
  /// Whether who comes later is told what was written before.
  public var history: Bool
  /// The most bytes of one file; 0 where no files are taken.
  public var fileLimit: Int

  public init(history: Bool, fileLimit: Int) {
    self.history = history
    self.fileLimit = fileLimit
  }
}
