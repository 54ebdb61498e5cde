import FoundationEssentials
import Meetings
import Signaling

/// Hosts' decisions in a running meeting, as the journal has them.
struct RoomSnapshot: Sendable, Equatable, Codable {
  /// Whether nobody but hosts gets in.
  var isLocked = false
  /// Roles and permissions that hosts have given and taken.
  var decisions = RoleOverrides()
  /// That everybody is muted.
  var muteAll: MuteAll?
  /// The participant whom everybody is to show large.
  var spotlight: String?
  /// The holders of the participants that are named here: after a restart everybody has another id.
  var holders: [String: Holder] = [:]
}

/// Identifies somebody who comes back after a restart.
struct Holder: Sendable, Hashable, Codable {
  /// The user that their token names.
  var user: String?
  /// Their token, where it names no user.
  var token: String?

  /// The holder of a grant; nil when nothing distinguishes them from others.
  init?(_ grant: JoinGrant) {
    user = grant.user
    guard user == nil else { return }
    guard grant.form != .development else { return nil }
    token = grant.id.rawValue
  }
}

/// A chat message as it is stored.
struct JournaledChatEntry: Sendable, Codable {
  var entry: ChatEntry
  /// The users who wrote it and whom it is for, if their tokens name them. A token alone may be somebody else's
  /// tomorrow, so private messages are shown after a restart to users only.
  var from: String?
  var to: String?

  /// For the store; nil when it cannot be written, which does not happen.
  var message: JournaledMessage? {
    RoomJournal.text(self).map { JournaledMessage(id: entry.id, body: $0, file: entry.file.map { ($0.id, $0.size) }) }
  }
}
