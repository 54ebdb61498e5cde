import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// Something to be done for a room. ``MeetingRoom`` carries effects out in the order of the machine.
enum RoomEffect {
  case send(ServerMessage, to: SignalingChannel)
  /// The same message to many, so that it is encoded once.
  case broadcast(ServerMessage, to: [SignalingChannel])
  /// The socket stands for a participant from now on.
  case admit(SignalingChannel, ServerMessage)
  /// A fatal `error`, and the socket's end.
  case fail(SignalingChannel, SignalingRefusal)
  /// The meeting is over for this client.
  case end(SignalingChannel, EndReason, String)
  case close(SignalingChannel)
  case media(RoomMediaOperation)
  /// The media plane's events are read from now on.
  case listen
  /// Something for the room journal.
  case journal(RunningWrite.Change)
  /// ``RoomCommand/journalWritten(through:_:)`` is to come once the last journal write is on the disk. `through` is its
  /// number.
  case awaitJournal(through: UInt64)
  /// Somebody has come back to an orphaned meeting.
  case leftMeetingGoesOn
  /// The answer to a request, once all its results are on the disk.
  case acknowledge(RoomAcknowledgement)
  case event(RoomEvent)
  case log(Log.Level, String, KeyValuePairs<String, any Sendable>)
  case count(RoomCounter)
  /// Chat files are removed.
  case removeFiles([String])
  case removeAllFiles
  /// The files of an orphaned meeting belong to this one again.
  case resumeFiles
  /// A session ended by somebody's decision: its resume token is answered with the reason.
  case sessionEnded(Tombstone)
  /// A session is over, for any reason.
  case left(resumeToken: String)
  /// A ban is to be written down.
  case ban(JoinGrant, IPAddress?)
  /// A token to come back with is to be made; see ``RoomCommand/tokenRefreshed(_:participant:insteadOf:)``.
  case refreshToken(participant: String, Admission)
  case lobby(MeetingRoom.LobbyEvent)
  /// The room is closed.
  case closed
  case wait(RoomWait)
}

/// An operation of the media plane without an answer.
enum RoomMediaOperation {
  case leave(participant: String)
  case setMuted(Bool, publication: String, participant: String)
  /// Refused slots come back as ``RoomCommand/slotsRefused(_:receiver:)``.
  case assign([SlotChange], receiver: String)
  case setViews([SlotView], receiver: String)
  case close
}

/// The answer to a request that has been carried out.
struct RoomAcknowledgement {
  var id: Int
  var channel: SignalingChannel
  /// The last journal write that it waits for.
  var write: UInt64
  /// Whether it waits for a ban to be written.
  var awaitsBan = false
  /// Whether it waits for audit entries or events.
  var awaitsEvents = false
  /// The sentence with which the meeting ends for the sender, once that is on the disk.
  var ending: String?
}

/// A counter of the server that a room adds to.
enum RoomCounter: Hashable {
  case chatMessage, signal, resumed, waiting, refusedJoin
  case keyEnvelopes(Int), droppedKeyEnvelopes(Int)
  case limit(LimitReached.Limit)
}

/// The effects of a command, in order.
final class RoomOutput {
  private var effects: [RoomEffect] = []

  func append(_ effect: RoomEffect) { effects.append(effect) }

  func drain() -> [RoomEffect] {
    defer { effects.removeAll(keepingCapacity: true) }
    return effects
  }
}

/// A client's socket as the machine sees it: whatever is sent over it becomes an effect.
struct RoomChannel {
  let channel: SignalingChannel
  let output: RoomOutput

  var id: UInt64 { channel.id }

  func send(_ message: ServerMessage) { output.append(.send(message, to: channel)) }
  func admit(with message: ServerMessage) { output.append(.admit(channel, message)) }
  func fail(_ refusal: SignalingRefusal) { output.append(.fail(channel, refusal)) }
  func end(_ reason: EndReason, _ message: String) { output.append(.end(channel, reason, message)) }
  func close() { output.append(.close(channel)) }

  /// Refuses one message without ending anything.
  func refuse(_ refusal: SignalingRefusal, id: Int? = nil) {
    send(.error(code: refusal.code, message: refusal.message, fatal: false, id: id))
  }

  /// The same, by its parts.
  func refuse(_ code: SignalingErrorCode, _ message: String, id: Int? = nil) { refuse(.init(code, message), id: id) }
}
