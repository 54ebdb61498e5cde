/// A track by who sends it and what it shows or lets hear, also one that is not published yet, or is published again.
public struct TrackReference: Sendable, Hashable, Codable {
  public var participant: String
  public var source: TrackSource

  public init(participant: String, source: TrackSource) {
    self.participant = participant
    self.source = source
  }
}
