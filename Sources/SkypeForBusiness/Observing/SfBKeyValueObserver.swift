import Foundation
public import ParleyViews

#if !canImport(UIKit) || os(Linux)
  // A file that observes need not import the views for it.
  @_exported public import struct ParleyViews.NSKeyValueChangeKey
#endif

/// Whoever observes properties by name. On Apple's systems every `NSObject` is one, and `observeValue` is an override. Here that holds for every
/// `UIResponder`, such as a screen; another class says that it is one, and leaves `override` away.
@preconcurrency @MainActor public protocol SfBKeyValueObserver: AnyObject {
  /// A property has changed, or is told as it is.
  func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  )
}

// Screens, and whatever else is a responder, have `observeValue` to override, as on Apple's systems.
extension UIResponder: SfBKeyValueObserver {}

/// A property that can be observed by its name.
struct ObservableKey {
  typealias Told = @MainActor ([NSKeyValueChangeKey: Any]) -> Void

  let name: String
  let observe: @MainActor (SfBObject, NSKeyValueObservingOptions, @escaping Told) -> NSKeyValueObservation

  @MainActor static func value<Owner: SfBKeyValueObservable, Value: Equatable>(
    _ name: String, _ keyPath: KeyPath<Owner, Value>
  ) -> ObservableKey {
    ObservableKey(name: name) { object, options, tell in
      guard let owner = object as? Owner else { return NSKeyValueObservation(nil) }
      return owner.observe(keyPath, options: options) { _, change in tell(Self.dictionary(change)) }
    }
  }

  @MainActor static func array<Owner: SfBKeyValueObservable, Element: Equatable>(
    _ name: String, _ keyPath: KeyPath<Owner, [Element]>
  ) -> ObservableKey {
    ObservableKey(name: name) { object, options, tell in
      guard let owner = object as? Owner else { return NSKeyValueObservation(nil) }
      return owner.observe(keyPath, options: options) { _, change in tell(Self.dictionary(change)) }
    }
  }

  private static func dictionary<Value>(_ change: NSKeyValueObservedChange<Value>) -> [NSKeyValueChangeKey: Any] {
    var entries: [NSKeyValueChangeKey: Any] = [.kindKey: change.kind.rawValue]
    if let value = change.newValue { entries[.newKey] = plain(value) }
    if let value = change.oldValue { entries[.oldKey] = plain(value) }
    if let indexes = change.indexes { entries[.indexesKey] = indexes }
    return entries
  }

  /// Nil is told as `NSNull`, as key-value observing does.
  private static func plain<Value>(_ value: Value) -> Any {
    (value as? any OptionalValue)?.isNil == true ? NSNull() : value
  }
}

private protocol OptionalValue {
  var isNil: Bool { get }
}

extension Optional: OptionalValue {
  fileprivate var isNil: Bool { self == nil }
}
