/// A 64-bit number that JSON carries as a string of decimal digits: JavaScript's numbers hold 53 bits.
public protocol WireNumber: Codable, Hashable, Comparable, Sendable, CustomStringConvertible {
  var value: UInt64 { get }
  /// The number as a value of its type.
  init(_ value: UInt64)
}

extension WireNumber {
  /// The number that a text of decimal digits names; nil for anything else, also for leading zeros and signs.
  public init?(text: some StringProtocol) {
    guard let value = UInt64(text), String(value) == text else { return nil }
    self.init(value)
  }

  /// Reads a string of decimal digits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let number = Self(text: try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "It isn't a 64-bit number as a string.")
    }
    self = number
  }

  /// Writes a string of decimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(String(value))
  }

  public var description: String { String(value) }

  public static func < (one: Self, other: Self) -> Bool { one.value < other.value }
}

/// An identity of a domain. Random, never reused, and below 2⁶³, so that signed numbers hold it.
public struct RegID: WireNumber {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// The number of a message in its chat: 1, 2, 3 … without gaps.
public struct MessageNumber: WireNumber {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// The number of an event in the mailbox of an identity: rising, the same at all of its endpoints. 0 is before the
/// first.
public struct EventNumber: WireNumber {
  public let value: UInt64
  public init(_ value: UInt64) { self.value = value }
}

/// A moment in milliseconds since 1970.
public struct MessageTime: Codable, Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z.
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }

  public init(from decoder: any Decoder) throws {
    milliseconds = try decoder.singleValueContainer().decode(Int64.self)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(milliseconds)
  }

  public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }
}
