/// A track by who sends it and what it shows or lets hear, also one that is not published yet, or is published again.
public struct TrackReference: Sendable, Hashable, Codable {
  /// Who sends it.
  public var participant: String
  public var source: TrackSource

  /// Names a track.
  public init(participant: String, source: TrackSource) {
    self.participant = participant
    self.source = source
  }
}
