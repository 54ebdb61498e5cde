import Signaling

/// The kinds of ``RoomRequest``. A new case of that doesn't compile here before it has a kind, and the simulation none
/// before it makes such requests.
enum RequestKind: CaseIterable {
  case muteParticipant, stopTracks, muteAll, liftMuteAll, askToUnmute, removeParticipant, setRole, setPermissions
  case changePermissions, spotlight, endMeeting, raiseHand, lowerHands, react, createPoll, setPoll, removePoll, vote
  case editChat, deleteChat, typing
}

extension RoomRequest {
  var kind: RequestKind {
    switch self {
    case .muteParticipant: .muteParticipant
    case .stopTracks: .stopTracks
    case .muteAll: .muteAll
    case .liftMuteAll: .liftMuteAll
    case .askToUnmute: .askToUnmute
    case .removeParticipant: .removeParticipant
    case .setRole: .setRole
    case .setPermissions: .setPermissions
    case .changePermissions: .changePermissions
    case .spotlight: .spotlight
    case .endMeeting: .endMeeting
    case .raiseHand: .raiseHand
    case .lowerHands: .lowerHands
    case .react: .react
    case .createPoll: .createPoll
    case .setPoll: .setPoll
    case .removePoll: .removePoll
    case .vote: .vote
    case .chat(.edit): .editChat
    case .chat(.delete): .deleteChat
    case .chat(.typing): .typing
    }
  }
}

/// How often requests of each kind were answered with `done`, and refused.
struct RequestCounts {
  private(set) var done: [RequestKind: Int] = [:]
  private(set) var refused: [RequestKind: Int] = [:]

  mutating func add(_ kind: RequestKind, isDone: Bool) {
    if isDone { done[kind, default: 0] += 1 } else { refused[kind, default: 0] += 1 }
  }

  mutating func merge(_ other: RequestCounts) {
    done.merge(other.done, uniquingKeysWith: +)
    refused.merge(other.refused, uniquingKeysWith: +)
  }

  /// The kinds that were never carried out or never refused. Nobody hears more of typing than others do, unless it is
  /// refused.
  var missing: [RequestKind] {
    RequestKind.allCases.filter { ($0 != .typing && done[$0] == nil) || refused[$0] == nil }
  }
}
