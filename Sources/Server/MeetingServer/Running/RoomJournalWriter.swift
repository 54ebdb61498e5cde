import Basics
import FoundationEssentials
import Meetings
import Synchronization

/// Writes the journals of all rooms to the store (``RunningStore``), and knows the orphaned meetings.
///
/// Group commit: all writes that come during one disk synchronisation share the next. A room adds a write without
/// waiting. It waits until the write is on the disk before it sends anybody the result
/// (``RoomEffect/awaitJournal(through:)``).
///
/// A meeting whose server was killed is orphaned. Its room takes its state over when somebody comes back in time.
final class RoomJournalWriter: Sendable {
  /// The most writes that wait while nothing can be written. Older ones are given up.
  static let maximumWaiting = 20_000
  /// How many further tries a write gets after ``end()``.
  private static let lastTries = 4

  private struct State {
    var queue = GroupCommitQueue<RunningWrite, CheckedContinuation<Bool, Never>>()
    /// Whether something was deleted since the last time that deleted data were overwritten in the files.
    var hasForgotten = true
    /// The place up to which writes of a meeting were given up.
    var lost: [MeetingID: UInt64] = [:]
    var (isEnded, isFinished) = (false, false)
    /// Meetings that have state in the store.
    var running: Set<MeetingID> = []
    /// Orphaned meetings, with the keys of their files.
    var orphans: [MeetingID: MeetingID?] = [:]
    /// The orphaned meetings whose end was reported, and the place of the last report in ``events``.
    var (reported, reportedPlace): (Set<MeetingID>, UInt64) = ([], 0)
    /// Whether orphaned meetings are known; nil while they are being taken over.
    var isTakenOver: Bool? = true
    var waiters: [CheckedContinuation<Bool, Never>] = []
  }

  private let store: any RunningStore
  private let events: RoomEvents?
  private let log: Log
  private let pause: Duration
  private let state = Mutex(State())
  private let wake: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// A writer to `store`, at work during ``run()``. After an error that may pass it tries again every `pause`. The ends
  /// of orphaned meetings go to `events`.
  init(store: any RunningStore, log: Log, events: RoomEvents? = nil, pause: Duration = .milliseconds(500)) {
    self.store = store
    self.events = events
    self.log = log
    self.pause = pause
    (wake, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: Writing

  /// Queues a write behind all earlier ones, and returns its place.
  func add(_ write: RunningWrite) -> UInt64 {
    let place = state.withLock { state in
      if state.isEnded { return UInt64.max }
      if write.change == .end {
        state.running.remove(write.meeting)
        state.lost[write.meeting] = nil
      } else {
        state.running.insert(write.meeting)
      }
      return state.queue.append(write)
    }
    bell.yield()
    return place
  }

  /// The place up to which writes of a meeting were given up; 0 when none was. The meeting's room writes its present
  /// state again.
  func lost(of meeting: MeetingID) -> UInt64 { state.withLock { $0.lost[meeting] ?? 0 } }

  /// Whether the writes of a meeting up to this place are on the disk.
  func has(_ place: UInt64, of meeting: MeetingID) -> Bool {
    state.withLock { $0.queue.settled >= place && $0.lost[meeting].map { place > $0 } ?? true }
  }

  /// Waits until the writes of a meeting up to this place are on the disk; false when they can't be written just now.
  func isWritten(_ place: UInt64, of meeting: MeetingID) async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if let lost = state.lost[meeting], place <= lost { return false }
        if state.queue.settled >= place { return true }
        if state.isFinished || place == .max { return false }
        state.queue.wait(for: place, continuation)
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  /// Writes until ``end()``, and then the rest.
  func run() async {
    for await _ in wake { await write() }
    await write()
    state.withLock { $0.isFinished = true }
    settle(false)
  }

  /// Accepts no more writes.
  func end() {
    state.withLock { $0.isEnded = true }
    bell.finish()
  }

  private func write() async {
    var batch: [RunningWrite] = []
    var last = Self.lastTries
    while true {
      batch += state.withLock { $0.queue.beginGroup() }
      if batch.isEmpty { return }
      do throws(MeetingStoreError) {
        try await store.apply(batch, now: Date())
        batch = []
        settle(true)
      } catch {
        if state.withLock(\.isEnded) { last -= 1 }
        guard last > 0, Self.passes(error) else {
          let ends = giveUp(batch[...])
          state.withLock { $0.queue.requeue(ends) }
          settle(false)
          return log.error("running.lost", ["count": batch.count, "reason": error.description])
        }
        // Callers don't wait for a full disk.
        settle(false)
        log.error("running.late", ["count": batch.count, "reason": error.description])
        let excess = max(0, batch.count - Self.maximumWaiting)
        batch = giveUp(batch.prefix(excess)) + batch.dropFirst(excess)
        try? await Task.sleep(for: pause)
      }
    }
  }

  /// Records that writes are given up. Returns those that are tried again all the same: a meeting that has ended must
  /// not come back after a restart.
  private func giveUp(_ writes: ArraySlice<RunningWrite>) -> [RunningWrite] {
    state.withLock { state in
      for write in writes { state.lost[write.meeting] = state.queue.taken }
    }
    var ended: Set<MeetingID> = []
    return writes.filter { $0.change == .end && ended.insert($0.meeting).inserted }
  }

  /// Whether the error may be over in a moment.
  private static func passes(_ error: MeetingStoreError) -> Bool {
    switch error {
    case .busy, .diskFull: true
    default: false
    }
  }

  private func settle(_ isWritten: Bool) {
    let released = state.withLock { state in
      if isWritten {
        state.queue.endGroup()
        state.hasForgotten = true
      }
      return state.queue.releaseWaiters(through: state.queue.taken)
    }
    for waiter in released { waiter.resume(returning: isWritten) }
  }

  // MARK: Orphaned meetings

  /// Makes rooms wait until orphaned meetings are taken over.
  func expectTakeOver() { state.withLock { $0.isTakenOver = nil } }

  /// Whether orphaned meetings are known, so that nobody needs to wait.
  var isTakenOver: Bool { state.withLock { $0.isTakenOver ?? false } }

  /// Waits until orphaned meetings are known; false when that failed.
  func takenOver() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.isTakenOver == nil { state.waiters.append(continuation) }
        return state.isTakenOver
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  private func endTakeOver(_ isDone: Bool) {
    let waiters = state.withLock { state in
      state.isTakenOver = isDone
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(returning: isDone) }
  }

  /// Takes over the orphaned meetings, with the files of their chats.
  func takeOver(_ files: ChatFileStore) async throws(MeetingStoreError) {
    var isDone = false
    defer { endTakeOver(isDone) }
    let left = try await store.orphanedMeetings(now: Date())
    let keys = await files.sweep(keeping: left)
    state.withLock { state in
      for meeting in left { state.orphans.updateValue(keys[meeting.meeting], forKey: meeting.meeting) }
    }
    // Before anybody joins: the ends of old sessions are reported before new ones begin.
    try await reportEnds()
    try await endOver(files)
    isDone = true
    if !left.isEmpty { log.info("running.left", ["meetings": left.count]) }
  }

  /// Reports the ends that a killed server couldn't report: its participants come back under other ids.
  private func reportEnds() async throws(MeetingStoreError) {
    guard let events else { return }
    for (number, beginning) in try await store.orphanedEvents().enumerated() {
      guard let end = RoomEvent(endOf: beginning) else {
        log.error("events.unreadable", ["meeting": beginning.meeting, "subject": beginning.subject])
        continue
      }
      let place = events.add(end)
      // Waits in between, so that no event is dropped.
      if (number + 1) % (RoomEvents.maximumWaiting / 4) == 0 { _ = await events.isWritten(place) }
    }
  }

  /// Ends orphaned meetings to which nobody came back in time: deletes their state, and then reports their ends.
  private func endOver(_ files: ChatFileStore, except: [MeetingID] = []) async throws(MeetingStoreError) {
    let over = try await store.expireOrphans(now: Date(), except: except)
    guard !over.isEmpty else { return }
    let (keys, place) = state.withLock { state in
      state.hasForgotten = true
      for meeting in over where state.reported.insert(meeting.meeting).inserted {
        log.info("meeting.over", ["meeting": meeting.meeting])
        if let events { state.reportedPlace = events.add(RoomEvent(.meetingEnded(reason: "empty"), to: meeting)) }
      }
      return (over.compactMap { state.orphans.removeValue(forKey: $0.meeting) ?? nil }, state.reportedPlace)
    }
    for key in keys { await files.removeAll(of: key) }
    // If the report can't be written just now, the next minute tries again.
    if let events, !(await events.isWritten(place)) { return }
    try await store.forgetExpired(over.map(\.meeting))
    state.withLock { $0.reported.subtract(over.map(\.meeting)) }
  }

  /// Whether a meeting is orphaned, and nobody has come back to it yet.
  func isOrphaned(_ meeting: MeetingID) -> Bool { state.withLock { $0.orphans[meeting] != nil } }

  /// The state of an orphaned meeting, and the key of its files.
  func orphan(of meeting: MeetingID) async throws(MeetingStoreError) -> (RunningMeeting, files: MeetingID?)? {
    guard let files = state.withLock({ $0.orphans[meeting] }) else { return nil }
    return try await store.runningMeeting(meeting).map { ($0, files) }
  }

  /// Ends an orphaned meeting, with its files; false when it isn't orphaned, or somebody has come back.
  func endOrphan(_ meeting: MeetingID, of tenant: TenantID, _ files: ChatFileStore?) async -> Bool {
    guard let key = state.withLock({ $0.orphans.removeValue(forKey: meeting) }) else { return false }
    let place = add(RunningWrite(.end, of: meeting, tenant: tenant))
    if let key { await files?.removeAll(of: key) }
    _ = await isWritten(place, of: meeting)
    return true
  }

  /// Somebody has come back: the meeting isn't orphaned any more.
  func resumed(_ meeting: MeetingID) { state.withLock { _ = $0.orphans.removeValue(forKey: meeting) } }

  /// Each `minute`: records which meetings are running, ends orphaned meetings whose time is over, and overwrites
  /// deleted data. `rooms` are those that are open now.
  func keepUp(
    _ files: ChatFileStore, minute: Duration = .seconds(60), rooms: @Sendable () async -> [MeetingID]
  ) async {
    var minutes = 0
    while (try? await Task.sleep(for: minute)) != nil {
      minutes += 1
      let (runs, waits) = state.withLock { (!$0.running.isEmpty, !$0.orphans.isEmpty || !$0.reported.isEmpty) }
      do throws(MeetingStoreError) {
        if runs, minutes % Int(RunningMeeting.noted / 60) == 0 { try await store.touchRunning(now: Date()) }
        if waits { try await endOver(files, except: await rooms()) }
        try await overwriteForgotten()
      } catch {
        log.error("running.upkeep", ["reason": error.description])
      }
    }
  }

  private func overwriteForgotten() async throws(MeetingStoreError) {
    let isDue = state.withLock { state in
      defer { state.hasForgotten = false }
      return state.hasForgotten
    }
    if isDue, !(try await store.overwriteForgotten()) { state.withLock { $0.hasForgotten = true } }
  }
}
