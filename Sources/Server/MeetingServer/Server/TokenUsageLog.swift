import FoundationEssentials
import Meetings
import Synchronization

/// Records the tokens that people join with: one write to disk for all joins of a second.
final class TokenUsageLog: Sendable {
  /// The records to write; nil while there are none.
  private let waiting = Mutex<[TokenRecord]>([])
  private let store: any TokenStore
  private let log: Log

  /// The most that waits; joins beyond it in one second are not noted.
  private static let most = 2_000

  init(store: any TokenStore, log: Log) {
    self.store = store
    self.log = log
  }

  /// Queues the record of a token that somebody joined with.
  func record(_ admission: Admission, name: String, now: Date) {
    // Development mode has words instead of tokens.
    guard admission.grant.form != .development else { return }
    let isFirst = waiting.withLock { waiting in
      guard waiting.count < Self.most else { return false }
      waiting.append(TokenRecord(used: admission, name: name, at: now))
      return waiting.count == 1
    }
    guard isFirst else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .seconds(1))
      await self?.flush()
    }
  }

  /// Writes the queued records at once.
  func flush() async {
    let batch = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !batch.isEmpty else { return }
    do throws(MeetingStoreError) {
      try await store.record(batch)
    } catch {
      log.error("tokens.notKept", ["reason": error.description])
    }
  }
}
