#if !canImport(UIKit) || os(Linux)
public import Foundation
import Synchronization

// APIs with a selector on Apple systems take the method by its name here, as controls do:
//
//   NotificationCenter.default.addObserver(
//     self, selector: Screen.pause, name: UIApplication.willResignActiveNotification, object: nil)
//   timer = Timer.scheduledTimer(timeInterval: 1, target: self, selector: Screen.tick, userInfo: nil, repeats: true)

/// The subscriptions of observers by method.
private final class Observations: Sendable {
  private struct Entry: @unchecked Sendable {
    // Unchecked because: the observer is only compared, and tokens are only handed back to the centre, which is made
    // for all threads.
    weak var observer: AnyObject?
    weak var center: NotificationCenter?
    let name: Notification.Name?
    let object: ObjectIdentifier?
    let token: any NSObjectProtocol
  }

  static let all = Observations()
  private let entries = Mutex<[Entry]>([])

  func add(
    _ observer: AnyObject, _ center: NotificationCenter, _ name: Notification.Name?, _ object: AnyObject?,
    _ token: any NSObjectProtocol
  ) {
    let entry = Entry(
      observer: observer, center: center, name: name, object: object.map { ObjectIdentifier($0) }, token: token)
    let gone = entries.withLock { entries in
      let gone = entries.filter { $0.observer == nil }
      entries.removeAll { $0.observer == nil }
      entries.append(entry)
      return gone
    }
    for each in gone { each.center?.removeObserver(each.token) }
  }

  func remove(_ observer: AnyObject, _ center: NotificationCenter, _ name: Notification.Name?, _ object: AnyObject?) {
    func isMeant(_ entry: Entry) -> Bool {
      entry.observer === observer && entry.center === center && (name == nil || entry.name == name)
        && (object == nil || entry.object == object.map { ObjectIdentifier($0) })
    }
    let gone = entries.withLock { entries in
      let gone = entries.filter(isMeant)
      entries.removeAll(where: isMeant)
      return gone
    }
    for each in gone { center.removeObserver(each.token) }
  }
}

extension NotificationCenter {
  /// Calls a method of `observer` with each notification of that name, on the main actor: at once when it is posted
  /// there, else when the main actor comes to it. The observer is held weakly.
  @preconcurrency @MainActor
  public func addObserver<T: AnyObject>(
    _ observer: T, selector: @escaping @MainActor (T) -> @MainActor (Notification) -> Void, name: Notification.Name?,
    object: AnyObject?
  ) {
    observe(observer, name, object) { selector($0)($1) }
  }

  /// Calls a method of `observer` with each notification of that name, for methods that take the class.
  @preconcurrency @MainActor
  public func addObserver<T: AnyObject>(
    _ observer: T, selector: @escaping @MainActor (T) -> @MainActor (NSNotification) -> Void,
    name: Notification.Name?, object: AnyObject?
  ) {
    observe(observer, name, object) {
      selector($0)(NSNotification(name: $1.name, object: $1.object, userInfo: $1.userInfo))
    }
  }

  /// Calls a method of `observer` at each notification of that name, as
  /// ``addObserver(_:selector:name:object:)-(_,(T)->(Notification)->Void,_,_)``.
  @preconcurrency @MainActor
  public func addObserver<T: AnyObject>(
    _ observer: T, selector: @escaping @MainActor (T) -> @MainActor () -> Void, name: Notification.Name?,
    object: AnyObject?
  ) {
    observe(observer, name, object) { observer, _ in selector(observer)() }
  }

  @MainActor
  private func observe<T: AnyObject>(
    _ observer: T, _ name: Notification.Name?, _ object: AnyObject?,
    _ call: @escaping @MainActor (T, Notification) -> Void
  ) {
    let told = Told<T>(observer, call)
    let token = addObserver(forName: name, object: object, queue: nil) { told.tell(Posted(notification: $0)) }
    Observations.all.add(observer, self, name, object, token)
  }

  /// Calls methods of this observer no more.
  public func removeObserver<T: AnyObject>(_ observer: T) {
    Observations.all.remove(observer, self, nil, nil)
    removeObserver(observer as Any)
  }

  /// Calls methods of this observer no more for that name; nil is every name.
  public func removeObserver<T: AnyObject>(_ observer: T, name: Notification.Name?, object: AnyObject?) {
    Observations.all.remove(observer, self, name, object)
    removeObserver(observer as Any, name: name, object: object)
  }
}

/// Whether code runs on the main queue. It is not always the main thread's: programs whose `main` is asynchronous leave
/// that.
package enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  package static var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
}

/// A notification on its way to the main actor.
private struct Posted: @unchecked Sendable {
  // Unchecked because: a notification is not changed after it was posted, and handed on once.
  let notification: Notification
}

/// An observer of notifications, and its method.
private final class Told<T: AnyObject>: @unchecked Sendable {
  // Unchecked because: the observer is only used on the main actor; the reference itself may be read on any thread.
  private weak var observer: T?
  private let call: @MainActor (T, Notification) -> Void

  init(_ observer: T, _ call: @escaping @MainActor (T, Notification) -> Void) {
    self.observer = observer
    self.call = call
  }

  func tell(_ posted: Posted) {
    guard MainQueue.isCurrent else {
      return DispatchQueue.main.async { MainActor.assumeIsolated { self.tellNow(posted) } }
    }
    MainActor.assumeIsolated { tellNow(posted) }
  }

  @MainActor private func tellNow(_ posted: Posted) {
    if let observer { call(observer, posted.notification) }
  }
}

extension Timer {
  /// A timer of the main run loop that calls a method of `target` with itself. It keeps the target until
  /// `invalidate()`, as on a phone.
  @preconcurrency @MainActor @discardableResult
  public static func scheduledTimer<T: AnyObject>(
    timeInterval: TimeInterval, target: T, selector: @escaping @MainActor (T) -> @MainActor (Timer) -> Void,
    userInfo: Any?, repeats: Bool
  ) -> Timer {
    scheduled(timeInterval, repeats) { selector(target)($0) }
  }

  /// A timer of the main run loop that calls a method of `target`. It keeps the target until `invalidate()`.
  @preconcurrency @MainActor @discardableResult
  public static func scheduledTimer<T: AnyObject>(
    timeInterval: TimeInterval, target: T, selector: @escaping @MainActor (T) -> @MainActor () -> Void, userInfo: Any?,
    repeats: Bool
  ) -> Timer {
    scheduled(timeInterval, repeats) { _ in selector(target)() }
  }

  @MainActor
  private static func scheduled(
    _ interval: TimeInterval, _ repeats: Bool, _ call: @escaping @MainActor (Timer) -> Void
  ) -> Timer {
    let timer = Timer(timeInterval: interval, repeats: repeats) { timer in
      // Unsafe because: the timer is one of the main run loop, which calls on the main thread.
      nonisolated(unsafe) let timer = timer
      MainActor.assumeIsolated { call(timer) }
    }
    RunLoop.main.add(timer, forMode: .common)
    return timer
  }
}
#endif
