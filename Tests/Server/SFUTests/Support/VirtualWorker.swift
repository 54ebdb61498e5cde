import Basics
@testable import SFU

/// Several meetings on one worker in virtual time. Events are attributed and meetings flushed as in a worker.
final class VirtualWorker {
  let meetings: [VirtualMeeting]
  private let entries: ContiguousArray<MediaCore.Meeting?>
  private(set) var touched = DirtyMeetings()
  private var closed: Set<Int> = []
  private(set) var now: Instant
  /// The worker's gauge, asked in each tick.
  var gauge: () -> (load: TimeSpan, isBusy: Bool) = { (.zero, true) }

  init(_ meetings: [VirtualMeeting]) {
    self.meetings = meetings
    now = meetings.map(\.now).max() ?? .zero
    entries = ContiguousArray(
      meetings.enumerated().map { index, meeting in
        meeting.flushesItself = false
        return MediaCore.Meeting(id: MeetingID(rawValue: "m\(index)"), index: index, router: meeting.router)
      })
  }

  /// Whether packets of a meeting wait to be sent.
  func waits(_ index: Int) -> Bool { entries[index]?.isTouched == true && meetings[index].router.pendingPackets > 0 }

  /// Ends a meeting, whatever waits in it.
  func close(_ index: Int) {
    closed.insert(index)
    if let entry = entries[index] { touched.remove(entry) }
  }

  /// Lets `span` pass, or less once `isDone`.
  func run(for span: TimeSpan, until isDone: () -> Bool = { false }) {
    let end = now + span
    while now < end, !isDone() {
      var next = min(end, touched.earliest)
      for meeting in open { next = min(next, meeting.nextEvent) }
      now = max(now, next)
      tick()
    }
  }

  private var open: [VirtualMeeting] { meetings.indices.filter { !closed.contains($0) }.map { meetings[$0] } }

  private func tick() {
    for (index, meeting) in meetings.enumerated() where !closed.contains(index) {
      meeting.now = now
      guard meeting.nextEvent <= now else { continue }
      meeting.step()
      if let entry = entries[index] { touched.add(entry) }
    }
    let (load, isBusy) = gauge()
    touched.begin(now: now, load: load, isBusy: isBusy)
    while let (entry, isDue) = touched.next(of: entries) {
      entry.use { if isDue, $0.router.needsFlush { meetings[$0.index].flush() } }
    }
  }
}
