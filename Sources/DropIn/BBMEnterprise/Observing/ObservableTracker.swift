import Foundation
import ParleyViews
import Synchronization

/// Notes which properties a monitor's block reads.
///
/// The SDK's own objects call it by themselves. A class of the app whose property a monitor shall depend on calls
/// ``getterCalled(for:propertyName:)`` in the getter, and, as there is no key-value observing on Linux,
/// ``setterCalled(for:propertyName:)`` when it has changed:
///
/// ```swift
/// var unread: Int {
///   get {
///     ObservableTracker.getterCalled(for: self, propertyName: "unread")
///     return count
///   }
///   set {
///     count = newValue
///     ObservableTracker.setterCalled(for: self, propertyName: "unread")
///   }
/// }
/// ```
public final class ObservableTracker {
  /// The message of a read on another thread without the lock.
  static let misuse = "ObservableTracker Misuse"

  /// Reports a misuse; tests replace it.
  static let misuseHandler = Mutex<@Sendable (String) -> Void>({ text in
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  })

  private static let isDisabled = Atomic<Bool>(false)
  @MainActor private static var objects: [ObjectIdentifier: Tracked] = [:]

  private struct Tracked {
    weak var object: AnyObject?
    var properties: [String: Watchers] = [:]
  }

  /// The getter of a property is called: the monitor whose block runs now depends on it.
  ///
  /// To be called on the main thread. Another thread has to hold the service's ``BBMEnterpriseService/readWriteLock``;
  /// its reads are not tracked. One that does not hold it is reported as "ObservableTracker Misuse" on standard error,
  /// where the SDK raised an exception.
  public static func getterCalled(for object: AnyObject, propertyName: String) {
    guard isTracking(object, propertyName) else { return }
    // Unsafe because: this is the main actor's queue, so the object goes nowhere.
    nonisolated(unsafe) let object = object
    MainActor.assumeIsolated { if Watchers.reading != nil { watchers(of: object, propertyName).read() } }
  }

  /// A property that monitors may depend on has changed: they run before this returns. On the main thread.
  public static func setterCalled(for object: AnyObject, propertyName: String) {
    guard isMain else { return report(object, propertyName) }
    // Unsafe because: this is the main actor's queue, so the object goes nowhere.
    nonisolated(unsafe) let object = object
    MainActor.assumeIsolated {
      guard let tracked = objects[ObjectIdentifier(object)], tracked.object === object else { return }
      tracked.properties[propertyName]?.changed()
    }
  }

  /// Suspends tracking: reads count for no monitor until it is enabled again.
  public static func setTrackingDisable(_ disabled: Bool) { isDisabled.store(disabled, ordering: .relaxed) }

  /// Whether a read counts, which a misuse does not.
  static func isTracking(_ object: AnyObject, _ name: String) -> Bool {
    if isDisabled.load(ordering: .relaxed) { return false }
    if isMain { return true }
    // A lock that can be had is held by nobody, so not by this thread either.
    if BBMConnection.sharedLock.try() {
      BBMConnection.sharedLock.unlock()
      report(object, name)
    }
    return false
  }

  private static var isMain: Bool { MainQueue.isCurrent || Thread.isMainThread }

  private static func report(_ object: AnyObject, _ name: String) {
    let text =
      "\(misuse): \(type(of: object)).\(name) is used on another thread than the main one, without the readWriteLock."
    misuseHandler.withLock { $0 }(text)
  }

  @MainActor private static func watchers(of object: AnyObject, _ name: String) -> Watchers {
    let id = ObjectIdentifier(object)
    if objects[id]?.object !== object {
      // Objects that are gone leave no entry behind.
      objects = objects.filter { $0.value.object != nil }
      objects[id] = Tracked(object: object)
    }
    if let known = objects[id]?.properties[name] { return known }
    let new = Watchers()
    objects[id]?.properties[name] = new
    return new
  }
}
