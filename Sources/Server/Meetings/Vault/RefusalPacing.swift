import FoundationEssentials
import Synchronization

/// Limits the audit entries of refused requests that nothing else limits, to one a minute for each owner and action.
final class RefusalPacing: Sendable {
  private struct Subject: Hashable {
    var owner: VaultOwner
    var action: String
  }

  private static let pause: TimeInterval = 60
  /// Owners that are remembered. Beyond it, some get an entry earlier.
  private static let maximumSubjects = 4_096

  private let last = Mutex<[Subject: Date]>([:])

  /// Whether the next entry may be written; then the minute begins.
  func isDue(_ owner: VaultOwner, _ action: String, _ now: Date) -> Bool {
    let subject = Subject(owner: owner, action: action)
    return last.withLock { last in
      if let before = last[subject], abs(now.timeIntervalSince(before)) < Self.pause { return false }
      if last.count >= Self.maximumSubjects {
        last = last.filter { abs(now.timeIntervalSince($0.value)) < Self.pause }
        if last.count >= Self.maximumSubjects { last = [:] }
      }
      last[subject] = now
      return true
    }
  }
}
