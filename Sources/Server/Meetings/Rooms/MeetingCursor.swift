public import Basics
public import FoundationEssentials

/// A position in the list of meetings, the newest first; as text `<milliseconds since 1970>.<id>`.
public struct MeetingCursor: Sendable, Hashable {
  /// When the meeting before the position was made.
  public var created: Date
  /// Its id, by which meetings of one moment are ordered.
  public var id: MeetingID

  public init(created: Date, id: MeetingID) {
    self.created = created
    self.id = id
  }

  /// The position after a meeting.
  public init(_ record: MeetingRecord) { self.init(created: record.created, id: record.id) }

  /// Reads the text form; nil when it isn't one.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...13).contains(parts[0].utf8.count), let milliseconds = Int(parts[0]),
      parts[0].utf8.allSatisfy({ (48...57).contains($0) }), (1...40).contains(parts[1].utf8.count),
      parts[1].utf8.allSatisfy({ (48...57).contains($0) || (97...122).contains($0) || $0 == UInt8(ascii: "_") })
    else { return nil }
    self.init(
      created: Date(timeIntervalSince1970: Double(milliseconds) / 1_000), id: MeetingID(rawValue: String(parts[1])))
  }

  public var text: String { "\(milliseconds).\(id.rawValue)" }

  private var milliseconds: Int { Int((created.timeIntervalSince1970 * 1_000).rounded()) }

  public func isBefore(_ other: MeetingCursor) -> Bool {
    milliseconds != other.milliseconds ? milliseconds > other.milliseconds : id.rawValue < other.id.rawValue
  }
}
