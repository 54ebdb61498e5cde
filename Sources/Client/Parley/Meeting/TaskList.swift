/// Work of the main actor that ends with its owner. Finished tasks leave the list, also cancelled ones, so it doesn't
/// grow with time.
@MainActor final class TaskList {
  private var running: [Int: Task<Void, Never>] = [:]
  private var next = 0

  /// How many are under way, those included that were cancelled and have not ended yet.
  var count: Int { running.count }

  /// Begins `body`, which must not hold what owns the list.
  func run(_ body: @escaping @MainActor () async -> Void) {
    next += 1
    let id = next
    running[id] = Task { [weak self] in
      await body()
      self?.running[id] = nil
    }
  }

  /// Cancels every task that runs.
  func cancel() {
    for task in running.values { task.cancel() }
  }
}
