import Basics

/// The participants in a meeting, in the order in which they came in, and how many more fit.
struct Roster {
  /// Everybody who is in.
  private(set) var members: [RoomMember] = []
  private var byID: [String: RoomMember] = [:]
  /// Join requests that were admitted and whose media is being negotiated.
  private(set) var reserved = 0
  private var nextOrder = 0
  private var speechCount = 0
  /// No member's own deadline is due before this.
  private(set) var deadline = Instant.distantFuture

  subscript(id: String) -> RoomMember? { byID[id] }
  var count: Int { members.count }

  /// Whether nobody is in or on the way in.
  var isEmpty: Bool { members.isEmpty && reserved == 0 }

  /// Whether somebody is in who can let others in.
  var hasHost: Bool { members.contains { $0.permissions.contains(.moderate) } }

  /// In the order in which they asked to come in.
  var inOrder: [RoomMember] { members.sorted { $0.order < $1.order } }

  /// How many more fit into a meeting that takes `capacity`.
  func vacancies(of capacity: Int) -> Int { max(0, capacity - members.count - reserved) }

  /// Whether `member` is still in, and not somebody else under its id.
  func contains(_ member: RoomMember) -> Bool { byID[member.id] === member }

  /// The order of the next one who comes in.
  mutating func takeOrder() -> Int {
    defer { nextOrder += 1 }
    return nextOrder
  }

  mutating func reserve() { reserved += 1 }
  mutating func release() { reserved -= 1 }

  mutating func insert(_ member: RoomMember) {
    members.append(member)
    byID[member.id] = member
  }

  mutating func remove(_ member: RoomMember) {
    members.removeAll { $0 === member }
    byID[member.id] = nil
  }

  /// Removes everybody, and returns them.
  mutating func removeAll() -> [RoomMember] {
    defer { (members, byID) = ([], [:]) }
    return members
  }

  /// Somebody speaks: they rank before those who spoke earlier.
  mutating func noteSpeech(of ids: some Sequence<String>) {
    speechCount += 1
    for id in ids { byID[id]?.lastSpoke = speechCount }
  }

  /// A member has a deadline of its own at `instant`.
  mutating func schedule(_ instant: Instant) { deadline = min(deadline, instant) }

  /// Finds the earliest deadline again, after some were due.
  mutating func reschedule() {
    deadline = members.lazy.compactMap(\.deadline).min() ?? .distantFuture
  }
}
