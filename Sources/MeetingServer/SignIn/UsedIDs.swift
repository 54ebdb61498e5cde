import FoundationEssentials

/// What may be used once: the names of sign-ins and of apps' codes that were, until they would be over anyway.
///
/// Each is one that this server has sealed, and whoever never comes back from the provider costs no memory.
actor UsedIDs {
  private var used: [String: Date] = [:]
  private var nextSweep = 1_024
  /// More than this many people in ten minutes are told to wait.
  static let maximum = 100_000

  /// Marks `id` as used until `end`, unless it was already, or too many are.
  func use(_ id: String, until end: Date, now: Date) throws(SignInProblem) {
    if used.count >= nextSweep {
      used = used.filter { now < $0.value }
      nextSweep = max(1_024, used.count * 2)
    }
    guard used[id] == nil else { throw .expired }
    guard used.count < Self.maximum else { throw .busy }
    used[id] = end
  }
}
