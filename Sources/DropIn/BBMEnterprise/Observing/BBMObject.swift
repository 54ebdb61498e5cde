import Foundation
import ParleyViews

/// The base of the SDK's objects: their properties can be observed by an ``ObservableMonitor``.
///
/// It stands where the SDK has `NSObject`. Everything belongs to the main actor, where the SDK asked for the main
/// thread.
@preconcurrency @MainActor open class BBMObject: Hashable {
  private var watchers: [String: Watchers] = [:]

  /// An object without observers.
  public init() {}

  /// Every object is equal to itself only.
  public nonisolated static func == (one: BBMObject, other: BBMObject) -> Bool { one === other }
  /// Every object is equal to itself only.
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// A getter is called: the monitor that runs now depends on the property.
  final func track(_ name: String) {
    guard ObservableTracker.isTracking(self, name), Watchers.reading != nil else { return }
    if let known = watchers[name] { return known.read() }
    let new = Watchers()
    watchers[name] = new
    new.read()
  }

  /// A property has changed: the monitors that depend on it run.
  final func changed(_ name: String) { watchers[name]?.changed() }

  /// Every property may have changed.
  final func allChanged() { Watchers.batch { for each in watchers.values { each.changed() } } }
}
