import Meetings
import Signaling

/// Events of the room for webhooks, the audit log and the administration.
extension RoomMachine {
  /// A participant is in: with the first one the meeting has started.
  func reportJoined(_ member: RoomMember) {
    if !lifeCycle.hasStarted {
      lifeCycle.hasStarted = true
      report(.meetingStarted)
    }
    report(.participantJoined(member.person))
    for publication in member.publications { report(.publicationAdded(member.person, publication.info)) }
  }

  /// A participant is gone, with everything they sent.
  func reportLeft(_ member: RoomMember, reason: String) {
    for publication in member.publications { report(.publicationRemoved(member.person, publication.info)) }
    report(.participantLeft(member.person, reason: reason))
  }

  /// A participant left the lobby without a host's decision. Only those who waited for one were reported before.
  func reportGone(_ waiter: Lobby.Waiter) {
    if waiter.reason == .lobby { report(.lobby(.left, waiter.person)) }
  }

  /// The tracks that a participant sends have changed from `before`.
  func reportPublications(of member: RoomMember, before: [RoomMember.Publication]) {
    for old in before where !member.publications.contains(where: { $0.info.id == old.info.id }) {
      report(.publicationRemoved(member.person, old.info))
    }
    for new in member.publications where !before.contains(where: { $0.info.id == new.info.id }) {
      report(.publicationAdded(member.person, new.info))
    }
  }

  /// The meeting doesn't run any more.
  func reportEnded(reason: String) {
    if lifeCycle.hasStarted { report(.meetingEnded(reason: reason)) }
    lifeCycle.hasStarted = false
  }
}

extension RoomMember {
  /// The participant as events name them.
  var person: RoomEvent.Person { .init(id: id, name: name, role: role.rawValue) }
}
