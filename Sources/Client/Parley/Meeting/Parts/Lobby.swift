import Signaling

/// The participants who wait to be let in, and the meeting's lock, as hosts see them.
struct Lobby {
  private(set) var waiting: [WaitingParticipant] = []
  private(set) var isLocked = false

  /// Returns the events of what has changed.
  mutating func apply(_ told: LobbyInfo, isHost: Bool) -> [MeetingEvent] {
    // The last message to a participant who isn't a host any more still says whether the meeting is locked.
    let info = isHost ? told : LobbyInfo()
    let (before, wasLocked) = (waiting, isLocked)
    (waiting, isLocked) = (info.waiting, info.locked)
    var events: [MeetingEvent] = []
    for old in before where !waiting.contains(where: { $0.id == old.id }) { events.append(.knockEnded(old)) }
    for new in waiting where !before.contains(where: { $0.id == new.id }) { events.append(.knocked(new)) }
    if isLocked != wasLocked { events.append(.lockChanged(isLocked)) }
    return events
  }
}
