import Foundation

/// State behind a lock. The objects of OpenTok may be used on any thread.
///
/// One property is read and set by its name: `state.delegate = newValue`. Use ``read(_:)`` and ``update(_:)`` for
/// properties that belong together, or that change by their own value.
// unchecked: `state` is touched under the lock only.
@dynamicMemberLookup final class Guarded<State>: @unchecked Sendable {
  private let lock = NSLock()
  private var state: State

  init(_ state: State) { self.state = state }

  func read<Result>(_ body: (State) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(state)
  }

  @discardableResult func update<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&state)
  }
}

extension Guarded {
  subscript<Value>(dynamicMember path: WritableKeyPath<State, Value>) -> Value {
    get { read { $0[keyPath: path] } }
    set { update { $0[keyPath: path] = newValue } }
  }

  /// Sets an object of the app's own. The last one is released after the lock, since that may run code of the app.
  func exchange<Value>(_ path: WritableKeyPath<State, Value>, with value: Value) {
    let last = update { state in
      let last = state[keyPath: path]
      state[keyPath: path] = value
      return last
    }
    withExtendedLifetime(last) {}
  }
}

/// Carries what the compiler cannot see to be safe onto a queue.
// unchecked: used for delegates and blocks of the app, which OpenTok calls on the queue that the app has chosen.
struct Carried<Value>: @unchecked Sendable {
  let value: Value
}
