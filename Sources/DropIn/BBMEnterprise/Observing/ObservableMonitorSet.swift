/// Several monitors by their names, which are activated and end together. The SDK's own type of this name is known by
/// its name alone.
@preconcurrency @MainActor open class ObservableMonitorSet {
  private var monitors: [ObservableMonitor] = []

  /// A set without monitors.
  public init() {}

  /// The number of monitors.
  public var count: Int { monitors.count }

  /// Takes a monitor, in place of one with the same name, which ends.
  open func add(_ monitor: ObservableMonitor) {
    remove(withName: monitor.name)
    monitors.append(monitor)
  }

  /// Ends a monitor, and lets it go.
  open func remove(withName name: String) {
    for monitor in monitors where monitor.name == name { monitor.deActivate() }
    monitors.removeAll { $0.name == name }
  }

  /// Activates all, in the order in which they came.
  open func activate() { for monitor in monitors { monitor.activate() } }

  /// Ends all; they stay in the set.
  open func deActivate() { for monitor in monitors { monitor.deActivate() } }

  /// Ends all, and lets them go.
  open func removeAll() {
    deActivate()
    monitors = []
  }
}
