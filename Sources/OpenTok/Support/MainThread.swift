import Dispatch

/// Runs `body` on the main actor, after whatever was asked for before: calls of one thread keep their order.
func onMain(_ body: @escaping @MainActor @Sendable () -> Void) {
  DispatchQueue.main.async { MainActor.assumeIsolated { body() } }
}
