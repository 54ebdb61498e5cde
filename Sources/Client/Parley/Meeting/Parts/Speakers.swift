import Signaling

/// The participants who speak now. It is apart from the ``Roster`` so that a view of the participants isn't drawn again
/// for each level.
@MainActor struct Speakers {
  /// The loudest is first.
  private(set) var all: [any Participant] = []

  nonisolated init() {}

  /// The speakers after a report of the server. Levels of participants who aren't known are left out.
  func applying(_ levels: [SpeakerLevel], _ roster: Roster) -> Speakers {
    for speaker in all { setLevel(0, of: speaker) }
    var speakers = Speakers()
    for level in levels {
      guard let speaker = roster.participant(level.participant) else { continue }
      setLevel(min(max(level.level, 0.01), 1), of: speaker)
      speakers.all.append(speaker)
    }
    return speakers
  }

  mutating func remove(_ participant: any Participant) { all.removeAll { $0 === participant } }

  private func setLevel(_ level: Double, of participant: any Participant) {
    if let local = participant as? LocalParticipant {
      local.audioLevel = level
    } else {
      (participant as? RemoteParticipant)?.audioLevel = level
    }
  }
}
