#if !canImport(UIKit) || os(Linux)
import Foundation

extension NSKeyValueObservedChange {
  /// The change as `observeValue(forKeyPath:of:change:context:)` gets it.
  package var entries: [NSKeyValueChangeKey: Any] {
    var entries: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: kind.rawValue)]
    if let newValue { entries[.newKey] = told(newValue) }
    if let oldValue { entries[.oldKey] = told(oldValue) }
    if let indexes { entries[.indexesKey] = indexes }
    return entries
  }
}

/// A value as key-value observing has it: nil is `NSNull`, and a Boolean, a number or a case of an enumeration is an
/// `NSNumber`.
private func told<Value>(_ value: Value) -> Any {
  switch value {
  case let value as any OptionalValue: value.told
  case let value as Bool: NSNumber(value: value)
  case let value as Int: NSNumber(value: value)
  case let value as UInt32: NSNumber(value: value)
  case let value as any RawRepresentable: (value.rawValue as? Int32).map { NSNumber(value: $0) } ?? value
  default: value
  }
}

/// A value that may be missing, of whatever type.
package protocol OptionalValue {
  /// The type that it has when it is there.
  static var wrapped: Any.Type { get }
  /// As key-value observing has it.
  var told: Any { get }
}

extension Optional: OptionalValue {
  package static var wrapped: Any.Type { Wrapped.self }
  package var told: Any { map { ParleyViews.told($0) } ?? NSNull() }
}
#endif
