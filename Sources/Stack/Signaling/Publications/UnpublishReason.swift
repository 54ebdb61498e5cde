/// Why a track is gone that its sender did not end.
public enum UnpublishReason: String, Sendable, Hashable, Codable {
  /// A host ended it. It may be published again.
  case removed
  /// The right to send it was taken.
  case notAllowed
}
