import Basics
import Meetings
import Signaling

/// What a room tells those who guard its doors, so that who was sent away does not come back by another one.
struct RoomDoors: Sendable {
  /// A place that ended by somebody else's decision.
  struct Expulsion: Sendable {
    var resumeToken: String
    var reason: EndReason
    var message: String
  }

  /// The place is to answer `resume` with the reason, as long as places are held.
  var expelled: @Sendable (Expulsion) -> Void = { _ in }
  /// Keeps the holder of the grant out of the meeting for good, and their address where there is one; returns once that is written down, and
  /// false when it could not be.
  var banned: @Sendable (JoinGrant, IPAddress?) async -> Bool = { _, _ in true }
  /// Where the files of the chat are; nil where none are taken.
  var files: ChatFileStore?
  /// Where what holds in the room is kept on the disk; nil where it is not.
  var running: RunningBook?
  /// A token with which who was admitted can come back; nil when the door is closed to them.
  var refreshed: @Sendable (Admission) async -> RefreshedToken? = { _ in nil }
  /// The STUN and TURN servers that who comes in is told of, beside those that they were told at the door.
  var iceServers: @Sendable () -> IceServerSettings = { IceServerSettings() }
}
