public enum TrackKind: String, Sendable, Hashable, Codable {
  case audio, video
}
