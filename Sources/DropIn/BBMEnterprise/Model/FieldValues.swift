import Foundation

/// Values of BBMDS messages, as `JSONSerialization` gives them. Ids of 64 bits may be numbers or decimal texts.
enum FieldValue {
  static func integer(_ value: Any?) -> UInt64? {
    switch value {
    case let value as String: UInt64(value)
    case let value as Int: value < 0 ? nil : UInt64(value)
    case let value as UInt64: value
    case let value as NSNumber: value.int64Value < 0 ? UInt64(value.uint64Value) : UInt64(value.int64Value)
    default: nil
    }
  }

  static func number(_ value: Any?) -> NSNumber? {
    guard let value else { return nil }
    switch value {
    case let value as String:
      return UInt64(value).map { NSNumber(value: $0) } ?? Int64(value).map { NSNumber(value: $0) }
    case let value as NSNumber: return value
    // Numbers are Booleans as well, when they are 0 or 1.
    case let flag as Bool where type(of: value) == Bool.self: return NSNumber(value: flag)
    case let value as Int: return NSNumber(value: value)
    case let value as UInt64: return NSNumber(value: value)
    case let value as Double: return NSNumber(value: value)
    default: return nil
    }
  }

  static func bool(_ value: Any?) -> Bool? { value as? Bool ?? (value as? NSNumber)?.boolValue }

  static func dictionary(_ value: Any?) -> [AnyHashable: Any]? {
    if let value = value as? [String: Any] {
      return Dictionary(uniqueKeysWithValues: value.map { (AnyHashable($0), $1) })
    }
    return value as? [AnyHashable: Any]
  }

  /// A text of what may be a part of a key.
  static func key(_ value: Any?) -> String? {
    switch value {
    case let value as String: value
    case let value as BBMChatMessageKey: value.text
    default: number(value)?.stringValue
    }
  }

  /// Whether two values say the same.
  static func isSame(_ one: Any?, _ other: Any?) -> Bool {
    switch (one, other) {
    case (nil, nil): return true
    case (let one as String, let other as String): return one == other
    case (let one as [Any], let other as [Any]):
      return one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
    case (let one as [String: Any], let other as [String: Any]):
      return one.count == other.count && one.allSatisfy { name, value in isSame(value, other[name]) }
    case (is NSNull, is NSNull): return true
    default:
      guard let one = number(one), let other = number(other) else { return false }
      return one == other
    }
  }
}
