import FoundationEssentials
import Meetings

/// The part of a room that survives the process, and what a process before it left.
struct RoomJournal {
  /// The name of the one value of a room besides its polls.
  static let stateName = "state"
  static let pollName = "poll "

  /// The snapshot that was written last; nil where that isn't known.
  var state: RoomSnapshot? = RoomSnapshot()
  /// How many writes this room has given to the journal.
  private(set) var writes: UInt64 = 0
  /// Up to where the journal gave something up, as it says.
  var lost: UInt64 = 0
  /// Up to where what was given up is written again.
  private var mended: UInt64 = 0
  /// Whether the room has taken over what a killed server left of it.
  var isRestored = false
  /// Whether somebody was in.
  var wasEntered = false
  /// Participants of before a restart who haven't come back yet, as far as something is kept of them.
  var absent: [String: Holder] = [:]
  /// Participants of before a restart who wrote private messages or got some, by user.
  var absentWriters: [String: Set<String>] = [:]
  /// The one of ``absent`` who is to be shown large, or who that is now.
  var absentSpotlight: String?
  /// The users who wrote messages that are kept, or got some, by participant.
  var users: [String: String] = [:]

  /// Whether anything of the room may be in the journal.
  var hasContent: Bool { writes != 0 || isRestored }

  /// Whether the room may write now: what a killed server left stays as it is until somebody has come back to it.
  var isWritable: Bool { !isRestored || wasEntered }

  /// Counts a write, and returns its number.
  mutating func nextWrite() -> UInt64 {
    writes += 1
    return writes
  }

  /// Whether the journal gave something up that has not been written again; from now on it counts as written.
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

  /// A value as it is written.
  static func text(_ value: some Encodable) -> String? {
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Reads a value; nil when this version can't have written it.
  static func value<Value: Decodable>(_ type: Value.Type, _ text: String) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
