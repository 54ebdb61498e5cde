import Foundation
import ParleyViews

/// A property that can be observed by its name, by itself or at the end of a path.
struct ObservableKey {
  typealias Owner = @MainActor () -> SfBObject?
  typealias Told = @MainActor ([NSKeyValueChangeKey: Any]) -> Void

  let name: String
  /// The class of what the property holds, where a path goes on; nil when that is a number, a text or an array.
  let target: SfBObject.Type?
  /// The present object of the property, from which a path continues.
  let object: @MainActor (SfBObject) -> SfBObject?
  /// Observes the property of whatever `owner` gives: where a path leads through what changes, that is another object
  /// later, or none.
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
          tell(NSKeyValueObservedChange.setting(from: before, to: after, options).entries)
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
          guard let before, let after else {
            return tell(NSKeyValueObservedChange.setting(from: before, to: after, options).entries)
          }
          for change in NSKeyValueObservedChange<[Element]>.differences(from: before, to: after, options) {
            tell(change.entries)
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
      tell(NSKeyValueObservedChange<Value?>(kind: .setting, newValue: value).entries)
    }
    return NSKeyValueObservation(watch)
  }

  private static func objectType(_ type: Any.Type) -> SfBObject.Type? {
    ((type as? any OptionalValue.Type)?.wrapped ?? type) as? SfBObject.Type
  }
}
