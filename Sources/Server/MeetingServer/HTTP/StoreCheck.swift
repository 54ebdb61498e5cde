import Basics
import Meetings
import Synchronization

/// Whether the store can be written to. It is checked at most once a second: anybody can ask, and the check waits for
/// the disk on the thread that joins wait for too.
final class StoreCheck: Sendable {
  private struct Last {
    var at: Instant
    var result: Task<MeetingStoreError?, Never>
  }

  private let check: @Sendable () async throws(MeetingStoreError) -> Void
  private let last = Mutex<Last?>(nil)

  init(_ check: @escaping @Sendable () async throws(MeetingStoreError) -> Void) { self.check = check }

  /// Throws the error that this second's check has found.
  func run(now: Instant) async throws(MeetingStoreError) {
    let result = last.withLock { last in
      if let last, now - last.at < .seconds(1) { return last.result }
      let check = check
      let result = Task { () -> MeetingStoreError? in
        do throws(MeetingStoreError) {
          try await check()
          return nil
        } catch {
          return error
        }
      }
      last = Last(at: now, result: result)
      return result
    }
    if let problem = await result.value { throw problem }
  }
}
