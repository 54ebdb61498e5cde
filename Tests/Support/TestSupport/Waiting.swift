import Testing

/// An awaited thing that never came, in words.
public struct StillMissing: Error, CustomStringConvertible {
  public let description: String

  /// Something is missing, in words.
  public init(_ description: String) { self.description = description }
}

/// How long a test waits for what never comes.
///
/// No test is decided by it. It only ends the run of one that has failed, so it is far from what a machine takes that
/// is half as fast and busy with other programs.
public let waitingLimit = Duration.seconds(300)

/// Waits until `missing` returns nil; until then it says what is missing.
///
/// - Throws: ``StillMissing`` after ``waitingLimit``, or whatever `missing` throws.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ missing: () async throws -> String?
) async throws {
  let end = ContinuousClock.now + waitingLimit
  while let text = try await missing() {
    guard ContinuousClock.now < end else { throw StillMissing("still missing after \(waitingLimit): \(text)") }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Waits until `condition` holds; `what` says what is waited for.
///
/// - Throws: ``StillMissing`` after ``waitingLimit``, or whatever `condition` throws.
public func wait(
  isolation: isolated (any Actor)? = #isolation, for what: @autoclosure () -> String,
  until condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + waitingLimit
  while try await !condition() {
    guard ContinuousClock.now < end else { throw StillMissing("still missing after \(waitingLimit): \(what())") }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// The outcome of `body`, which is cancelled when it takes longer than ``waitingLimit``.
public func bounded<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: waitingLimit)
      throw StillMissing("nothing came for \(waitingLimit)")
    }
    defer { group.cancelAll() }
    guard let value = try await group.next() else { throw StillMissing("nothing") }
    return value
  }
}
