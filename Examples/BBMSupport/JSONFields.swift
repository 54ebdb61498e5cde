import Foundation

/// The fields of a JSON object by their types. Numbers come in several types.
public struct JSONFields {
  private let values: [String: Any]

  public init(_ values: [String: Any]) { self.values = values }

  public init(_ values: [AnyHashable: Any]?) {
    self.values = Dictionary((values ?? [:]).compactMap { key, value in (key.base as? String).map { ($0, value) } }) {
      first, _ in first
    }
  }

  public func text(_ name: String) -> String? { values[name] as? String }

  public func texts(_ name: String) -> [String] { values[name] as? [String] ?? [] }

  public func number(_ name: String) -> Double? {
    switch values[name] {
    case let number as NSNumber: number.doubleValue
    case let number as Int: Double(number)
    case let number as Double: number
    default: nil
    }
  }

  /// A number that counts from 0; nil for others.
  public func count(_ name: String) -> UInt64? { number(name).flatMap { UInt64(exactly: $0) } }

  public func flag(_ name: String) -> Bool {
    values[name] as? Bool ?? (values[name] as? NSNumber)?.boolValue ?? false
  }
}
