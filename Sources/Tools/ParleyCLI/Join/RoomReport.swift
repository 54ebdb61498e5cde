import Meetings
import Parley

/// An event of hosts, hands, reactions or polls, as a line for programs and in words.
@MainActor struct RoomReport {
  let name: String
  let line: JSONLine
  /// Nil for events that people needn't hear of.
  let words: String?

  init(_ event: RoomEvent, _ meeting: Meeting) {
    switch event {
    case .mutedByHost(let publication):
      name = "mutedByHost"
      line = ["source": .text(publication.source.rawValue)]
      words = "a host has muted your \(publication.source.rawValue)"
    case .stoppedByHost(let publication, let reason):
      name = "stoppedByHost"
      line = ["source": .text(publication.source.rawValue), "reason": JSONLine.Value(reason?.rawValue)]
      words =
        "a host has ended your \(publication.source.rawValue)"
        + (reason == .notAllowed ? ": you may not send it any more" : "")
    case .unmuteRequested(let sources, let host):
      name = "unmuteRequested"
      line = ["sources": .list(sources.map { .text($0.rawValue) }), "by": JSONLine.Value(host?.id)]
      words = "\(host?.name ?? "a host") asks you to unmute"
    case .permissionsChanged:
      let names = meeting.local.permissions.map(\.rawValue).sorted()
      name = "permissions"
      line = ["role": .text(meeting.local.role.rawValue), "permissions": .list(names.map { .text($0) })]
      words = "a host has changed what you may do: \(names.joined(separator: ", "))"
    case .handChanged(let participant):
      name = "hand"
      line = ["participant": .text(participant.id), "raised": .truth(participant.hand != nil)]
      words = "\(participant.name) has \(participant.hand == nil ? "a hand down again" : "raised a hand")"
    case .spotlightChanged(let participant):
      name = "spotlight"
      line = ["participant": JSONLine.Value(participant?.id)]
      words = participant.map { "\($0.name) is in the spotlight" }
    case .muteForAllChanged(let order):
      name = "muteAll"
      line = ["active": .truth(order != nil), "mayUnmute": .truth(order?.mayUnmute ?? true)]
      words = order == nil ? "everybody may unmute again" : "a host has muted everybody"
    case .reaction(let participant, let reaction):
      name = "reaction"
      line = ["participant": .text(participant.id), "reaction": .text(reaction.rawValue)]
      words = "\(participant.name) \(reaction.emoji)"
    case .pollChanged(let poll):
      name = "poll"
      let options = poll.options.map { option in
        JSONLine.Value.object(["text": .text(option.text), "votes": option.votes.map { .integer($0) } ?? .null])
      }
      line = [
        "poll": .integer(poll.id), "question": .text(poll.question), "options": .list(options),
        "open": .truth(poll.isOpen),
      ]
      words = nil
    case .pollRemoved(let id):
      name = "pollRemoved"
      line = ["poll": .integer(id)]
      words = nil
    case .meetingChanged(let info):
      name = "meeting"
      line = ["subject": .text(info.subject), "expires": JSONLine.Value(info.expires.map(DataFolder.text))]
      words =
        "the meeting is called \(info.subject)" + (info.expires.map { ", and ends at \(DataFolder.text($0))" } ?? "")
    }
  }
}
