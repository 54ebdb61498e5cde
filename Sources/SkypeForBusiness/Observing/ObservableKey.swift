import Foundation
import ParleyViews

/// A property that can be observed by its name, by itself or at the end of a path.
struct ObservableKey {
  typealias Owner = @MainActor () -> SfBObject?
  typealias Told = @MainActor ([NSKeyValueChangeKey: Any]) -> Void

  let name: String
  /// The class of what the property holds, where a path goes on; nil when that is a number, a text or an array.
  let target: SfBObject.Type?
  /// What the property of an object holds now, where a path goes on.
  let object: @MainActor (SfBObject) -> SfBObject?
  /// Observes the property of whatever `owner` gives: where a path leads through what changes, that is another object later, or none.
  let observe:
    @MainActor (_ owner: @escaping Owner, NSKeyValueObservingOptions, @escaping Told) -> NSKeyValueObservation

  @MainActor static func value<Holder: SfBObject, Value: Equatable>(
    _ name: String, _ keyPath: KeyPath<Holder, Value>
  ) -> ObservableKey {
    ObservableKey(
      name: name, target: objectType(Value.self),
      object: { owner in (owner as? Holder).flatMap { $0[keyPath: keyPath] as? SfBObject } },
      observe: { owner, options, tell in
        begin({ (owner() as? Holder)?[keyPath: keyPath] }, options, tell) { before, after in
          tell(dictionary(.setting(from: before, to: after, options)))
        }
      })
  }

  @MainActor static func array<Holder: SfBObject, Element: Equatable>(
    _ name: String, _ keyPath: KeyPath<Holder, [Element]>
  ) -> ObservableKey {
    ObservableKey(
      name: name, target: nil, object: { _ in nil },
      observe: { owner, options, tell in
        begin({ (owner() as? Holder)?[keyPath: keyPath] }, options, tell) { before, after in
          guard let before, let after else { return tell(dictionary(.setting(from: before, to: after, options))) }
          for change in NSKeyValueObservedChange<[Element]>.differences(from: before, to: after, options) {
            tell(dictionary(change))
          }
        }
      })
  }

  @MainActor private static func begin<Value: Equatable>(
    _ read: @escaping @MainActor () -> Value?, _ options: NSKeyValueObservingOptions, _ tell: @escaping Told,
    _ changed: @escaping @MainActor (Value?, Value?) -> Void
  ) -> NSKeyValueObservation {
    let watch = ValueWatch<Value?>({ .some(read()) }, tell: changed)
    if options.contains(.initial), let watch {
      let value: Value?? = options.contains(.new) ? .some(watch.value) : nil
      tell(dictionary(NSKeyValueObservedChange<Value?>(kind: .setting, newValue: value)))
    }
    return NSKeyValueObservation(watch)
  }

  private static func objectType(_ type: Any.Type) -> SfBObject.Type? {
    ((type as? any OptionalValue.Type)?.wrapped ?? type) as? SfBObject.Type
  }

  private static func dictionary<Value>(_ change: NSKeyValueObservedChange<Value>) -> [NSKeyValueChangeKey: Any] {
    var entries: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: change.kind.rawValue)]
    if let value = change.newValue { entries[.newKey] = told(value) }
    if let value = change.oldValue { entries[.oldKey] = told(value) }
    if let indexes = change.indexes { entries[.indexesKey] = indexes }
    return entries
  }

  /// A value as key-value observing has it: nil is `NSNull`, and a Boolean, a number or a case of an enumeration is an `NSNumber`.
  fileprivate static func told<Value>(_ value: Value) -> Any {
    switch value {
    case let value as any OptionalValue: value.told
    case let value as Bool: NSNumber(value: value)
    case let value as Int: NSNumber(value: value)
    case let value as UInt32: NSNumber(value: value)
    case let value as any RawRepresentable: (value.rawValue as? Int32).map { NSNumber(value: $0) } ?? value
    default: value
    }
  }
}

private protocol OptionalValue {
  static var wrapped: Any.Type { get }
  var told: Any { get }
}

extension Optional: OptionalValue {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var told: Any { map { ObservableKey.told($0) } ?? NSNull() }
}
