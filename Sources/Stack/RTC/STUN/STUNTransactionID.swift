/// The 96 bits that tie a STUN response to its request (RFC 8489 section 5).
public struct STUNTransactionID: Hashable, Sendable {
  /// The first four bytes, big-endian.
  public let high: UInt32
  /// The last eight bytes, big-endian.
  public let low: UInt64

  /// The id of these 96 bits.
  @inlinable public init(high: UInt32, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// A fresh id. Production passes `SystemRandomNumberGenerator`, because an id that can be guessed lets
  /// others forge unauthenticated responses (RFC 8489 section 6.1).
  public init(using random: inout some RandomNumberGenerator) {
    self.init(high: UInt32(truncatingIfNeeded: random.next()), low: random.next())
  }
}

/// The STUN method (RFC 8489 section 18.2).
public struct STUNMethod: RawRepresentable, Hashable, Sendable {
  /// The 12 bits of the method.
  public let rawValue: UInt16
  /// The method with these 12 bits, known or not.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue & 0x0FFF }
  /// Binding: "which address do you see", and ICE's connectivity check.
  public static let binding = STUNMethod(rawValue: 0x001)
  /// Allocate a relayed address (RFC 8656 section 7).
  public static let allocate = STUNMethod(rawValue: 0x003)
  /// Extend an allocation, or end it (RFC 8656 section 8).
  public static let refresh = STUNMethod(rawValue: 0x004)
  /// Indication from the client: relay these bytes to a peer (RFC 8656 section 11).
  public static let send = STUNMethod(rawValue: 0x006)
  /// Indication from the server: these bytes came from a peer (RFC 8656 section 11).
  public static let data = STUNMethod(rawValue: 0x007)
  /// Let a peer's address send to us (RFC 8656 section 10).
  public static let createPermission = STUNMethod(rawValue: 0x008)
  /// Give a peer a channel number (RFC 8656 section 12).
  public static let channelBind = STUNMethod(rawValue: 0x009)
}

/// The STUN message class (RFC 8489 section 5).
public enum STUNClass: UInt8, Hashable, Sendable {
  /// A message that wants a response (RFC 8489 section 5).
  case request = 0
  /// A message without a response (RFC 8489 section 5).
  case indication = 1
  /// The request was carried out.
  case successResponse = 2
  /// The request was refused; ERROR-CODE says why.
  case errorResponse = 3
}
