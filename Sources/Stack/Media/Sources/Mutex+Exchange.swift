import Synchronization

extension Mutex {
  /// Puts something in the place of another and gives that one back, so that it can be ended without holding the lock.
  borrowing func exchange<Wrapped: Sendable>(_ new: Wrapped?) -> Wrapped? where Value == Wrapped? {
    withLock { current in
      let before = current
      current = new
      return before
    }
  }
}
