import Basics

/// Tasks of the main actor that wait until something they need happens, or for as long as they want to.
@MainActor final class WaiterList {
  private var waiting: [Int: CheckedContinuation<Bool, Never>] = [:]
  private var next = 0

  /// Waits for ``wake(_:)``; what it says, or false when the time is over or the task is cancelled.
  func wait(within limit: TimeSpan) async -> Bool {
    next += 1
    let id = next
    let timer = Task { [weak self] in
      try? await Task.sleep(nanoseconds: UInt64(limit.bounded.nanoseconds))
      self?.end(id)
    }
    defer { timer.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[id] = $0 }
    } onCancel: {
      Task { @MainActor in self.end(id) }
    }
  }

  /// Lets everybody go on.
  func wake(_ answer: Bool = true) {
    let all = waiting
    waiting = [:]
    for waiter in all.values { waiter.resume(returning: answer) }
  }

  private func end(_ id: Int) { waiting.removeValue(forKey: id)?.resume(returning: false) }
}
