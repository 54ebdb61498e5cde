import Parley

/// Commands at standard input beyond chat and own tracks, of hosts and others, in `--json` mode.
@MainActor struct RoomCommand {
  /// The keys of such a line.
  struct Line: Decodable {
    var command: String
    var source: String?
    var ban: Bool?
    var role: String?
    var raised: Bool?
    var reaction: String?
    var later: Bool?
    var mayUnmute: Bool?
    var question: String?
    var options: [String]?
    var multiple: Bool?
    var poll: Int?
    var open: Bool?
    var choices: [Int]?
  }

  /// The missing part of a line.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  /// The names of these commands.
  static let names = [
    "muteParticipant", "stopTracks", "muteAll", "allowUnmuting", "askToUnmute", "removeParticipant", "setRole",
    "spotlight",
    "endMeeting", "raiseHand", "lowerHands", "react", "createPoll", "setPoll", "vote",
  ]

  /// Carries a line out; false when the command is none of these.
  static func run(_ line: Line, to participant: RemoteParticipant?, _ meeting: Meeting) async throws -> Bool {
    func target() throws(Problem) -> RemoteParticipant {
      guard let participant else { throw Problem(description: "\(line.command) needs \"to\", a participant's id.") }
      return participant
    }
    let source = line.source.flatMap { TrackSource(rawValue: $0) } ?? .microphone
    switch line.command {
    case "muteParticipant": try await target().mute([source])
    case "stopTracks":
      // An ended track can't be unmuted: nothing is guessed here.
      guard let source = line.source.flatMap({ TrackSource(rawValue: $0) }) else {
        let names = TrackSource.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(description: "stopTracks needs \"source\", one of \(names).")
      }
      try await target().stop([source])
    case "muteAll":
      try await meeting.muteAll(
        [source], except: participant.map { [$0] } ?? [], includingLater: line.later ?? false,
        mayUnmute: line.mayUnmute ?? true)
    case "allowUnmuting": try await meeting.allowUnmuting()
    case "askToUnmute": try await target().askToUnmute([source])
    case "removeParticipant": try await target().remove(ban: line.ban ?? false)
    case "setRole": try await target().setRole(ParticipantRole(rawValue: line.role ?? "guest"))
    case "spotlight": try await meeting.setSpotlight(participant)
    case "endMeeting": try await meeting.endForAll()
    case "raiseHand":
      if let participant {
        try await participant.lowerHand()
      } else if line.raised ?? true {
        try await meeting.local.raiseHand()
      } else {
        try await meeting.local.lowerHand()
      }
    case "lowerHands": try await meeting.lowerAllHands()
    case "react":
      guard let reaction = line.reaction.flatMap(Reaction.init) else {
        let names = Reaction.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(description: "react needs \"reaction\", one of \(names).")
      }
      try await meeting.react(reaction)
    case "createPoll":
      try await meeting.createPoll(line.question ?? "", options: line.options ?? [], multiple: line.multiple ?? false)
    case "setPoll": try await meeting.setPoll(line.poll ?? 0, isOpen: line.open ?? false)
    case "vote": try await meeting.vote(in: line.poll ?? 0, for: line.choices ?? [])
    default: return false
    }
    return true
  }
}
