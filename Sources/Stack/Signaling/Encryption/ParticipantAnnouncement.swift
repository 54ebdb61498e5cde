/// A participant's announcement in an encrypted meeting: its keys, signed by itself. The server passes it on unread.
public struct ParticipantAnnouncement: Sendable, Hashable, Codable {
  public var participant: String
  /// The signed announcement, in base64url.
  public var announcement: String

  /// An announcement of a participant.
  public init(participant: String, announcement: String) {
    self.participant = participant
    self.announcement = announcement
  }
}
