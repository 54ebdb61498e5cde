/// How loud a participant speaks.
public struct SpeakerLevel: Sendable, Hashable, Codable {
  public var participant: String
  /// 0 (silence) to 1 (as loud as can be sent).
  public var level: Double

  public init(participant: String, level: Double) {
    self.participant = participant
    self.level = level
  }
}
