/// The source of a track.
public enum TrackSource: String, Sendable, Hashable, Codable, CaseIterable {
  case microphone, camera, screen, screenAudio

  public var kind: TrackKind { self == .microphone || self == .screenAudio ? .audio : .video }
}
