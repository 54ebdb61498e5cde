import Signaling

/// The participants who wait to be let in, and the meeting's lock, as hosts see them.
struct Lobby {
  private(set) var waiting: [WaitingParticipant] = []
  private(set) var isLocked = false

  /// Returns the events of what has changed.
  mutating func apply(_ info: LobbyInfo) -> [MeetingEvent] {
    let (before, wasLocked) = (waiting, isLocked)
    (waiting, isLocked) = (info.waiting, info.locked)
    var events: [MeetingEvent] = []
    for old in before where !waiting.contains(where: { $0.id == old.id }) { events.append(.knockEnded(old)) }
    for new in waiting where !before.contains(where: { $0.id == new.id }) { events.append(.knocked(new)) }
    if isLocked != wasLocked { events.append(.lockChanged(isLocked)) }
    return events
  }
}
