import FoundationEssentials
import Meetings
import Signaling

/// What hosts have decided in a meeting that runs, as it is kept on the disk.
struct KeptState: Sendable, Equatable, Codable {
  /// Whether nobody but hosts gets in.
  var isLocked = false
  /// Roles and permissions that hosts have given and taken.
  var decisions = DecisionBook()
  /// That everybody is muted.
  var muteAll: MuteAll?
  /// Whom everybody is to show large, by participant.
  var spotlight: String?
  /// Who the participants are that are named here: after a restart nobody has the id that they had.
  var holders: [String: Holder] = [:]
}

/// Whom somebody is known by who comes back after a restart.
struct Holder: Sendable, Hashable, Codable {
  /// The user that their token names.
  var user: String?
  /// Their token, where it names no user.
  var token: String?

  /// The holder of a grant; nil when nothing tells them from others.
  init?(_ grant: JoinGrant) {
    user = grant.user
    guard user == nil else { return }
    guard grant.form != .development else { return nil }
    token = grant.id.rawValue
  }
}

/// A chat message as it is kept on the disk.
struct KeptEntry: Sendable, Codable {
  var entry: ChatEntry
  /// The users who wrote it and whom it is for, where their tokens name them. A token alone may be somebody else's tomorrow: what two said to
  /// each other is shown again to nobody but the users themselves.
  var from: String?
  var to: String?

  /// For the store; nil when it cannot be written, which does not happen.
  var message: KeptMessage? {
    RoomKeeping.text(self).map { KeptMessage(id: entry.id, body: $0, file: entry.file.map { ($0.id, $0.size) }) }
  }
}

/// What a room remembers of what is kept of it.
struct RoomKeeping {
  /// News of the chat that wait until they are on the disk.
  enum News {
    /// A message, and the number under which its sender is to hear what has become of it.
    case message(ChatEntry, id: Int?)
    /// A message has become another one.
    case changed(ChatEntry)
  }

  /// What was written last; nil where that is not known.
  var state: KeptState? = KeptState()
  /// Up to where something was given up (``RunningBook/lost(of:)``) that was written anew since.
  var mended: UInt64 = 0
  /// Where in the ``RunningBook`` the last of this room stands.
  var place: UInt64 = 0
  /// In the order in which everybody is to hear of them.
  var untold: [(place: UInt64, news: News)] = []
  /// Whether the room has taken over what was left of it.
  var isRestored = false
  /// Whether somebody was in.
  var wasEntered = false
  /// Participants of before a restart who have not come back yet, as far as something is kept of them.
  var absent: [String: Holder] = [:]
  /// The same of those who wrote private messages or got some, by user.
  var absentWriters: [String: Set<String>] = [:]
  /// The one of ``absent`` who is to be shown large, or who that is now.
  var absentSpotlight: String?
  /// The users who wrote messages that are kept, or got some, by participant.
  var users: [String: String] = [:]

  /// A value as it is written.
  static func text(_ value: some Encodable) -> String? {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a value; nil when that is nothing that this version has written.
  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
