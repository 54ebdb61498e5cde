import Basics

/// The participants in a meeting, in the order in which they came in, and how many more fit.
struct Roster {
  private(set) var members: [RoomMember] = []
  private var byID: [String: RoomMember] = [:]
  /// Admitted join requests whose media is being negotiated.
  private(set) var reserved = 0
  private var nextOrder = 0
  private var speechCount = 0
  /// A lower bound of all members' deadlines.
  private(set) var deadline = Instant.distantFuture

  subscript(id: String) -> RoomMember? { byID[id] }
  var count: Int { members.count }

  var isEmpty: Bool { members.isEmpty && reserved == 0 }

  var hasHost: Bool { members.contains { $0.permissions.contains(.moderate) } }

  /// In the order of their join requests.
  var inOrder: [RoomMember] { members.sorted { $0.order < $1.order } }

  /// How many more fit into a meeting that takes `capacity`.
  func vacancies(of capacity: Int) -> Int { max(0, capacity - members.count - reserved) }

  /// Whether `member` is still in; another one may have its id.
  func contains(_ member: RoomMember) -> Bool { byID[member.id] === member }

  /// The next number of ``RoomMember/order``.
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

  mutating func removeAll() -> [RoomMember] {
    defer { (members, byID) = ([], [:]) }
    return members
  }

  /// Records that participants speak: they rank before those who spoke earlier.
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
