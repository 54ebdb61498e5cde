import FoundationEssentials
import Meetings

/// The part of a room that survives the process, and the part that an earlier process left.
struct RoomJournal {
  /// The name of the one value of a room besides its polls.
  static let stateName = "state"
  static let pollName = "poll "

  /// The snapshot that was written last; nil where that isn't known.
  var state: RoomSnapshot? = RoomSnapshot()
  /// How many writes this room has given to the journal.
  private(set) var writes: UInt64 = 0
  /// The place up to which the journal gave up writes of this room.
  var lost: UInt64 = 0
  /// The place up to which these were written again.
  private var mended: UInt64 = 0
  /// Whether the room has taken over what a killed server left of it.
  var isRestored = false
  /// Whether anybody has joined.
  var wasEntered = false
  /// Participants of before a restart who haven't come back yet and of whom some state is kept.
  var absent: [String: Holder] = [:]
  /// Participants of before a restart who wrote private messages or got some, by user.
  var absentWriters: [String: Set<String>] = [:]
  /// The participant in the spotlight before a restart: one of ``absent``, or their new id.
  var absentSpotlight: String?
  /// The users who wrote messages that are kept, or got some, by participant.
  var users: [String: String] = [:]

  /// Whether anything of the room may be in the journal.
  var hasContent: Bool { writes != 0 || isRestored }

  /// Whether the room may write now. The state of an orphaned meeting stays as it is until somebody has come back.
  var isWritable: Bool { !isRestored || wasEntered }

  /// Counts a write, and returns its number.
  mutating func nextWrite() -> UInt64 {
    writes += 1
    return writes
  }

  /// Whether writes were given up that haven't been repeated; from now on they count as repeated.
  mutating func mend() -> Bool {
    guard lost > mended else { return false }
    (mended, state) = (lost, nil)
    return true
  }

  /// The former participants who may be the holder of a grant.
  func absent(_ grant: JoinGrant) -> [String] {
    guard !absent.isEmpty, let holder = Holder(grant) else { return [] }
    return absent.filter { $0.value == holder }.map(\.key)
  }

  /// The text of a value.
  static func text(_ value: some Encodable) -> String? {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a value; nil when this version can't have written it.
  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
