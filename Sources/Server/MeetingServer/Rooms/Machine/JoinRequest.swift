import Basics
import Meetings
import Signaling

/// A `join` on its way into a room, until it is admitted, sent to the lobby or refused.
struct JoinRequest: Sendable {
  /// The session that it becomes: the participant's id, and the secret that resumes it.
  struct Session: Sendable {
    var participant = "p_" + RandomID.text(characters: 12)
    var resumeToken = RandomID.text(characters: 40)
  }

  var admission: Admission
  var name: String
  var origin: String?
  var join: ClientMessage.Join
  var channel: SignalingChannel
  /// The client's address, if bans go by that.
  var address: IPAddress?
  /// The address of this machine that the client reached, where that is known.
  var reached: IPAddress?
  /// The passcode that the client has proved to know; nil when the meeting had none.
  var passcode: PasscodeHash?
  var session = Session()
  /// Whether it waited and was let in, so that its session is reserved.
  var isAdmitted = false
  /// Whether a host let it in by hand.
  var isChosen = false

  /// About how many bytes everybody gets to know of it, besides what any participant costs.
  var announcedBytes: Int {
    let tracks = join.tracks.reduce(0) {
      $0 + MessageBudget.overhead / 2 + min($1.name?.utf8.count ?? 0, RoomMachine.trackNameBytes)
    }
    return name.utf8.count + (admission.grant.connectionData?.utf8.count ?? 0) + tracks
  }
}
