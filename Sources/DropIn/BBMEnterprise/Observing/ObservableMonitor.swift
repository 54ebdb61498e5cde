import ParleyViews

/// Runs a block again whenever a property that it read in its last run has changed.
///
/// ```swift
/// monitor = ObservableMonitor(activatedWithName: "chats") { [weak self] () -> Void in
///   self?.show(BBMEnterpriseService.shared().model().chat.observableArray)
/// }
/// ```
///
/// The dependencies are those of the last run: a branch that was not taken is not watched. A block that gives true ends
/// its monitor. The owner has to hold the monitor, which stops when it is let go. Everything happens on the main
/// thread.
@preconcurrency @MainActor open class ObservableMonitor {
  public let name: String
  /// Whether runs are put together: at most one a turn of the main queue, and none at once.
  public var limitFrequency = false

  private let block: @MainActor () -> Bool
  private var watch: BlockWatch?
  private var isScheduled = false

  /// A monitor that runs its block from ``activate()`` on.
  public init!(name: String, block: @escaping @MainActor () -> Void) {
    self.name = name
    self.block = {
      block()
      return false
    }
  }

  /// A monitor that runs its block from ``activate()`` on, until the block gives true.
  public init!(name: String, selfTerminatingBlock: @escaping @MainActor () -> Bool) {
    self.name = name
    block = selfTerminatingBlock
  }

  /// A monitor whose block has run when this returns.
  public init!(activatedWithName name: String, block: @escaping @MainActor () -> Void) {
    self.name = name
    self.block = {
      block()
      return false
    }
    activate()
  }

  /// A monitor whose block has run when this returns, and runs again until it gives true.
  public init!(activatedWithName name: String, selfTerminatingBlock: @escaping @MainActor () -> Bool) {
    self.name = name
    block = selfTerminatingBlock
    activate()
  }

  /// Runs the block, at once, and from now on whenever what it reads has changed. An active monitor runs its block
  /// again.
  open func activate() {
    let watch = self.watch ?? BlockWatch { [weak self] _ in self?.dependenciesChanged() }
    self.watch = watch
    run(watch)
  }

  /// Runs the block no more, until ``activate()``.
  open func deActivate() {
    watch?.end()
    watch = nil
  }

  private func dependenciesChanged() {
    guard let watch else { return }
    guard limitFrequency else { return run(watch) }
    guard !isScheduled else { return }
    isScheduled = true
    Task { [weak self] in
      self?.isScheduled = false
      if let watch = self?.watch { self?.run(watch) }
    }
  }

  private func run(_ watch: BlockWatch) {
    // The block may end this monitor, or run it again.
    let isDone = watch.follow(block)
    if isDone, self.watch === watch { deActivate() }
  }
}
