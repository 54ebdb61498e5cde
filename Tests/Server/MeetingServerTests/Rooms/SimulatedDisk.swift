import Meetings
import Signaling

@testable import MeetingServer

/// The journal of one room as a disk would have it. Each write is read again at once.
struct SimulatedDisk {
  private(set) var values: [String: String] = [:]
  private(set) var messages: [Int: JournaledMessage] = [:]
  /// Hosts' decisions, without the holders of the participants that they name.
  private(set) var decisions = RoomSnapshot()
  private(set) var polls: [String: PollTable.Kept] = [:]
  private(set) var entries: [Int: ChatEntry] = [:]
  /// Whether something was written since the journal was last compared with the room.
  var hasChanged = false

  mutating func write(_ change: RunningWrite.Change) {
    hasChanged = true
    switch change {
    case .runs: break
    case .value(let text, let name):
      values[name] = text
      if name == RoomJournal.stateName, let state = RoomJournal.value(RoomSnapshot.self, text) {
        decisions = state
        decisions.holders = [:]
      } else if name.hasPrefix(RoomJournal.pollName) {
        polls[name] = RoomJournal.value(PollTable.Kept.self, text)
      }
    case .noValue(let name):
      values[name] = nil
      polls[name] = nil
    case .message(let message):
      messages[message.id] = message
      entries[message.id] = RoomJournal.value(JournaledChatEntry.self, message.body)?.entry
    case .forget(let last):
      messages = messages.filter { $0.key > last }
      entries = entries.filter { $0.key > last }
    case .end: self = SimulatedDisk()
    }
  }
}
