/// What another router lacks of a stream because the ring to it was full: everything from a packet on, and what came
/// late meanwhile. It is read from the stream's store, so nothing is kept twice.
struct RelayBacklog {
  /// So many packets that came late are kept in mind one by one; more are given up.
  static let maximumLate = 64

  let relay: Relay
  /// The packet whose turn is next: all before it were written or given up, or had not come when it was their turn.
  private(set) var from: Int64
  /// Packets before ``from`` that came afterwards: repaired ones, and such as others overtook. Their turn is first.
  private var late: ContiguousArray<Int64> = []
  /// How many packets came that are neither written nor given up.
  private(set) var waiting = 0
  /// The last number that was not in the store when it was its turn.
  private var absent: Int64?
  /// The last packet that was given up; nil while none was.
  private(set) var lost: Int64?

  init(relay: Relay, from: Int64) {
    self.relay = relay
    self.from = from
  }

  /// A packet came that has to wait; false when it has to be given up.
  mutating func add(_ sequence: Int64) -> Bool {
    waiting += 1
    guard sequence < from else { return true }
    guard late.count < Self.maximumLate else {
      giveUp(sequence)
      return false
    }
    late.append(sequence)
    return true
  }

  /// The number whose turn it is, of a stream whose newest packet is `highest`; nil when nothing is left.
  func next(highest: Int64) -> Int64? { late.first ?? (from <= highest ? from : nil) }

  /// The turn of ``next(highest:)`` is over.
  mutating func advance() { if late.isEmpty { from &+= 1 } else { late.removeFirst() } }

  /// Everything before `oldest` has lost its turn.
  mutating func advance(to oldest: Int64) {
    guard from < oldest else { return }
    noteAbsent(oldest &- 1)
    from = oldest
  }

  mutating func noteWritten() { waiting -= 1 }

  /// `sequence` has not come, or is not kept any more; which of both, the count of what waits tells at the end.
  mutating func noteAbsent(_ sequence: Int64) { absent = max(absent ?? sequence, sequence) }

  /// `sequence` will not be written.
  mutating func giveUp(_ sequence: Int64) {
    waiting -= 1
    lost = max(lost ?? sequence, sequence)
  }

  /// Gives up what waits and has not been found. Returns how many packets it was.
  mutating func giveUpAbsent() -> Int {
    guard waiting > 0 else { return 0 }
    defer { waiting = 0 }
    if let absent { lost = max(lost ?? absent, absent) }
    return waiting
  }
}
