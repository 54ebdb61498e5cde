import Basics
import Meetings
import Signaling

/// Dependencies of a room besides the media plane: bans, files, the journal, tokens, ICE servers.
struct RoomDependencies: Sendable {
  /// The session answers `resume` with the reason, as long as sessions are held.
  var sessionEnded: @Sendable (Tombstone) -> Void = { _ in }
  /// Keeps the holder of the grant out of the meeting permanently, and their address where there is one. Returns once
  /// that is written down, and false when it couldn't be.
  var banned: @Sendable (JoinGrant, IPAddress?) async -> Bool = { _, _ in true }
  /// The store of the chat's files; nil where none are taken.
  var files: ChatFileStore?
  /// The room journal; nil where there is none.
  var running: RoomJournalWriter?
  /// A token with which somebody who was admitted can come back; nil when they may not.
  var refreshed: @Sendable (Admission) async -> RefreshedToken? = { _ in nil }
  /// Decides whether the meeting is encrypted, unless that is decided already. Returns the decision once it is on the
  /// disk; nil when it couldn't be written.
  var decided: @Sendable (Bool) async -> Bool? = { $0 }
  /// The STUN and TURN servers that `welcome` names, besides those of the discover document.
  var iceServers: @Sendable () -> IceServerSettings = { IceServerSettings() }
}
