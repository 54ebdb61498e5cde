/// Hears the signals of the process once, for whatever runs just then.
@MainActor final class SignalWatch {
  private var isSignalled = false
  private var action: (() -> Void)?

  init(_ signals: AsyncStream<Int32>) {
    Task { [weak self] in
      for await _ in signals { break }
      self?.isSignalled = true
      self?.action?()
    }
  }

  /// Has `action` done when a signal comes, instead of what was to be done before; at once when one has come.
  func onSignal(_ action: @escaping () -> Void) {
    self.action = action
    if isSignalled { action() }
  }
}
