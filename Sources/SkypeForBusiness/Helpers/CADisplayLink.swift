/// Calls at every refresh of the display, here thirty times a second, on the main actor.
@preconcurrency @MainActor public final class CADisplayLink {
  /// Whether it does not call for now.
  public var isPaused = false {
    didSet { if isPaused != oldValue { arrange() } }
  }

  var onRefresh: @MainActor () -> Void = {}
  private var ticking: Task<Void, Never>?

  init() { arrange() }

  deinit { ticking?.cancel() }

  /// Calls no more, for good.
  public func invalidate() {
    onRefresh = {}
    isPaused = true
  }

  private func arrange() {
    ticking?.cancel()
    ticking = nil
    guard !isPaused else { return }
    ticking = Task { [weak self] in
      while !Task.isCancelled {
        self?.onRefresh()
        try? await Task.sleep(nanoseconds: 33_000_000)
      }
    }
  }
}
