public import Basics

/// Decides on which worker a participant goes: a meeting stays on one worker while it is small and that worker has
/// room, and takes one more at a time otherwise. A value without side effects.
public struct MeetingPlacement: Sendable {
  /// A worker and whether it is new to the meeting, so that relays have to be opened.
  public struct Place: Sendable, Hashable {
    public var worker: Int
    /// Whether nobody of the meeting was there before.
    public var isNew: Bool
  }

  /// A worker that is busier than this gets nobody new while another one has room.
  public static let busy = 0.6

  private struct Meeting: Sendable {
    /// In the order in which they were taken; the first one judges who speaks.
    var workers: [Int] = []
    var participants: [Int: Int] = [:]
  }

  /// Participants of one meeting on one worker before the next worker is taken.
  public let spread: Int
  private var meetings: [MeetingID: Meeting] = [:]
  /// Participants on each worker.
  public private(set) var loads: [Int]

  /// No meetings on `workers` workers; see ``spread``.
  public init(workers: Int, spread: Int = 16) {
    loads = [Int](repeating: 0, count: max(workers, 1))
    self.spread = max(spread, 1)
  }

  /// The workers of a meeting, the first one first.
  public func workers(of meeting: MeetingID) -> [Int] { meetings[meeting]?.workers ?? [] }

  /// The worker that a meeting begins on.
  public mutating func open(_ meeting: MeetingID, utilization: [Double]) -> Place {
    if let home = meetings[meeting]?.workers.first { return Place(worker: home, isNew: false) }
    let home = roomiest(loads.indices.filter { $0 >= 0 }, utilization) ?? 0
    meetings[meeting] = Meeting(workers: [home])
    return Place(worker: home, isNew: true)
  }

  /// Finds a place for a participant and counts it.
  public mutating func place(in meeting: MeetingID, utilization: [Double]) -> Place {
    var place = open(meeting, utilization: utilization)
    guard var entry = meetings[meeting] else { return place }
    if entry.participants.isEmpty, entry.workers.count == 1 {
      // Nobody is there yet: the worker may be another one by now than when the meeting was opened, but need not be.
    } else if let roomy = entry.workers.first(where: {
      entry.participants[$0, default: 0] < spread && busyness($0, utilization) < Self.busy
    }) {
      place = Place(worker: roomy, isNew: false)
    } else {
      let others = loads.indices.filter { !entry.workers.contains($0) && busyness($0, utilization) < Self.busy }
      if let next = roomiest(others, utilization) {
        place = Place(worker: next, isNew: true)
        entry.workers.append(next)
      } else if let known = roomiest(entry.workers, utilization) {
        place = Place(worker: known, isNew: false)
      }
    }
    entry.participants[place.worker, default: 0] += 1
    loads[place.worker] += 1
    meetings[meeting] = entry
    return place
  }

  /// A participant has left, or could not join.
  public mutating func leave(_ meeting: MeetingID, worker: Int) {
    guard let count = meetings[meeting]?.participants[worker], count > 0, loads.indices.contains(worker) else { return }
    meetings[meeting]?.participants[worker] = count - 1
    loads[worker] -= 1
  }

  /// The meeting is over.
  public mutating func close(_ meeting: MeetingID) {
    guard let entry = meetings.removeValue(forKey: meeting) else { return }
    for (worker, count) in entry.participants { loads[worker] -= count }
  }

  private func busyness(_ worker: Int, _ utilization: [Double]) -> Double {
    utilization.indices.contains(worker) ? utilization[worker] : 0
  }

  /// Those that are not busy first, then who has the fewest participants, then who does the least.
  private func roomiest(_ workers: [Int], _ utilization: [Double]) -> Int? {
    workers.min { a, b in
      let busy = (busyness(a, utilization) >= Self.busy, busyness(b, utilization) >= Self.busy)
      if busy.0 != busy.1 { return busy.1 }
      if loads[a] != loads[b] { return loads[a] < loads[b] }
      return busyness(a, utilization) < busyness(b, utilization)
    }
  }
}
