public import Testing

/// Prints the seeds of a test with each of its failures; see ``TestSeed``.
public struct TellsSeeds: TestTrait, SuiteTrait, TestScoping {
  /// Each test of a suite, and each of its cases, has notes of its own.
  public var isRecursive: Bool { true }

  /// Runs a test whose failures name its seeds.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let notes = SeedNotes()
    let failures = IssueHandlingTrait.compactMapIssues { issue in
      guard let replay = notes.replay else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: replay))
      return issue
    }
    try await TestSeed.$notes.withValue(notes) {
      try await failures.provideScope(for: test, testCase: testCase) {
        do {
          try await function()
        } catch {
          // An error that a test throws is recorded further out, where nobody knows the notes.
          if let replay = notes.replay { print("\(test.name): \(replay)") }
          throw error
        }
      }
    }
  }
}

extension Trait where Self == TellsSeeds {
  /// Prints the seeds of a test with each of its failures.
  public static var tellsSeeds: Self { Self() }
}
