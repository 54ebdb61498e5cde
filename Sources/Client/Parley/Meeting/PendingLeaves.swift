import Synchronization

/// The meetings that this process is leaving. A program that ends waits for them: others would see a participant
/// without a goodbye for half a minute.
package enum PendingLeaves {
  private struct State {
    var next = 0
    var tasks: [Int: Task<Void, Never>] = [:]
  }

  private static let state = Mutex(State())

  static func add(_ goodbye: Task<Void, Never>) {
    let number = state.withLock { state in
      state.next += 1
      state.tasks[state.next] = goodbye
      return state.next
    }
    Task {
      await goodbye.value
      state.withLock { $0.tasks[number] = nil }
    }
  }

  /// Returns once those that have begun are said: each takes a second at most.
  package static func finished() async {
    for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
  }
}
