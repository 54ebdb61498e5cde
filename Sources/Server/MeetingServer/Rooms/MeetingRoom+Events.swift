import Meetings
import Signaling

/// What the room tells whoever keeps book of it.
extension MeetingRoom {
  /// Somebody is in: with the first one the meeting has started.
  func noteJoined(_ member: RoomMember) {
    if !hasStarted {
      hasStarted = true
      note(.meetingStarted)
    }
    note(.participantJoined(member.person))
    for publication in member.publications { note(.publicationAdded(member.person, publication.info)) }
  }

  /// Somebody is gone, with all they sent.
  func noteLeft(_ member: RoomMember, reason: String) {
    for publication in member.publications { note(.publicationRemoved(member.person, publication.info)) }
    note(.participantLeft(member.person, reason: reason))
  }

  /// Somebody waits no more, and was neither let in nor sent away by a host. Who waited for something else than a host's word was never told of.
  func noteGone(_ waiter: Lobby.Waiter) {
    if waiter.reason == .lobby { note(.lobby(.left, waiter.person)) }
  }

  /// What somebody sends has changed from `before`.
  func notePublications(of member: RoomMember, before: [RoomMember.Publication]) {
    for old in before where !member.publications.contains(where: { $0.info.id == old.info.id }) {
      note(.publicationRemoved(member.person, old.info))
    }
    for new in member.publications where !before.contains(where: { $0.info.id == new.info.id }) {
      note(.publicationAdded(member.person, new.info))
    }
  }

  /// The meeting runs no more.
  func noteEnded(reason: String) {
    if hasStarted { note(.meetingEnded(reason: reason)) }
    hasStarted = false
  }

  /// Tells of something that happened just now.
  @discardableResult func note(_ what: RoomEvent.What) -> UInt64 {
    lastNote = events.add(RoomEvent(what, in: meeting))
    return lastNote
  }
}

extension RoomMember {
  /// The participant as those who keep book know it.
  var person: RoomEvent.Person { .init(id: id, name: name, role: role.rawValue) }
}
