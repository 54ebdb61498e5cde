import Basics

/// The meetings of a worker in which something happened, until each has been flushed.
///
/// A meeting whose packets wait for others to leave with (``BatchingPolicy``) stays on the list, and those beside it
/// leave when it is their time. At the end of each tick: ``begin(now:load:isBusy:)``, then ``next(of:)`` until it
/// gives nil; ``earliest`` is then when the next of them is due. Nothing is allocated while few meetings are touched
/// at a time. It knows meetings by their numbers: objects that are put on a list and taken off count references in
/// each tick.
struct DirtyMeetings {
  private var meetings: ContiguousArray<Int32> = []
  /// How many meetings of this round were looked at, and how many of them stay.
  private var seen = 0
  private var held = 0
  private var now = Instant.zero
  private var load = TimeSpan.zero
  private var isBusy = false
  /// When the next meeting is due; `distantFuture` when none waits.
  private(set) var earliest = Instant.distantFuture

  init() { meetings.reserveCapacity(64) }

  /// Whether nothing happened in any meeting.
  var isEmpty: Bool { meetings.isEmpty }

  /// Something happened in `meeting`. Who adds one with each packet looks first whether it is there: this list is
  /// checked for exclusive access.
  @inline(__always)
  mutating func add(_ meeting: MediaCore.Meeting) {
    if meeting.isTouched { return }
    meeting.isTouched = true
    meetings.append(Int32(truncatingIfNeeded: meeting.index))
  }

  /// `meeting` is closed; whatever waits in it leaves no more. Not to be called between ``begin(now:load:isBusy:)`` and
  /// the end of that round.
  mutating func remove(_ meeting: MediaCore.Meeting) {
    meeting.isTouched = false
    let number = Int32(truncatingIfNeeded: meeting.index)
    meetings.removeAll { $0 == number }
  }

  /// Begins a round. While the worker is not busy every meeting is due; else each when its packets have waited long
  /// enough under `load` (``Router/flushDeadline(load:)``).
  mutating func begin(now: Instant, load: TimeSpan, isBusy: Bool) {
    self.now = now
    self.load = load
    self.isBusy = isBusy
    seen = 0
    held = 0
    earliest = .distantFuture
  }

  /// The next meeting of this round, and whether it is to be flushed now; nil at the end. What is not to be flushed
  /// stays on the list; what is is taken off it, and may be added again in the same round.
  ///
  /// - Parameter all: Every meeting of the worker by its number, which owns what is returned.
  mutating func next(
    of all: borrowing ContiguousArray<MediaCore.Meeting?>
  ) -> (meeting: BorrowedReference<MediaCore.Meeting>, isDue: Bool)? {
    guard seen < meetings.count else {
      meetings.removeLast(meetings.count &- held)
      seen = held
      return nil
    }
    let number = meetings[seen]
    seen &+= 1
    let meeting = all.reference(at: Int(number))
    let deadline = isBusy ? meeting.use { $0.router.flushDeadline(load: load) } ?? .zero : .zero
    guard deadline > now else {
      meeting.use { $0.isTouched = false }
      return (meeting, true)
    }
    earliest = min(earliest, deadline)
    meetings[held] = number
    held &+= 1
    return (meeting, false)
  }
}
