/// The type of a STUN attribute (RFC 8489 section 18.3; the ICE ones are of RFC 8445 section 16.1).
public struct STUNAttributeType: RawRepresentable, Hashable, Sendable {
  /// The 16 bits on the wire.
  public let rawValue: UInt16
  /// The type with these 16 bits, known or not.
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Whether a receiver that does not know this type must refuse the message (RFC 8489 section 14).
  @inlinable public var isComprehensionRequired: Bool { rawValue < 0x8000 }

  /// MAPPED-ADDRESS, the address in the clear; understood, never used (RFC 8489 section 14.1).
  public static let mappedAddress = STUNAttributeType(rawValue: 0x0001)
  /// USERNAME (RFC 8489 section 14.3).
  public static let username = STUNAttributeType(rawValue: 0x0006)
  /// MESSAGE-INTEGRITY, HMAC-SHA1 (RFC 8489 section 14.5).
  public static let messageIntegrity = STUNAttributeType(rawValue: 0x0008)
  /// ERROR-CODE (RFC 8489 section 14.8).
  public static let errorCode = STUNAttributeType(rawValue: 0x0009)
  /// UNKNOWN-ATTRIBUTES, the list in a 420 response (RFC 8489 section 14.13).
  public static let unknownAttributes = STUNAttributeType(rawValue: 0x000A)
  /// REALM of long-term credentials (RFC 8489 section 14.9).
  public static let realm = STUNAttributeType(rawValue: 0x0014)
  /// NONCE of long-term credentials (RFC 8489 section 14.10).
  public static let nonce = STUNAttributeType(rawValue: 0x0015)
  /// XOR-MAPPED-ADDRESS (RFC 8489 section 14.2).
  public static let xorMappedAddress = STUNAttributeType(rawValue: 0x0020)
  /// PRIORITY of the sender's candidate (RFC 8445 section 7.1.1).
  public static let priority = STUNAttributeType(rawValue: 0x0024)
  /// CHANNEL-NUMBER (RFC 8656 section 18.1).
  public static let channelNumber = STUNAttributeType(rawValue: 0x000C)
  /// LIFETIME in seconds (RFC 8656 section 18.2).
  public static let lifetime = STUNAttributeType(rawValue: 0x000D)
  /// XOR-PEER-ADDRESS (RFC 8656 section 18.3).
  public static let xorPeerAddress = STUNAttributeType(rawValue: 0x0012)
  /// DATA of a Send or Data indication (RFC 8656 section 18.4).
  public static let data = STUNAttributeType(rawValue: 0x0013)
  /// XOR-RELAYED-ADDRESS (RFC 8656 section 18.5).
  public static let xorRelayedAddress = STUNAttributeType(rawValue: 0x0016)
  /// REQUESTED-ADDRESS-FAMILY (RFC 8656 section 18.6).
  public static let requestedAddressFamily = STUNAttributeType(rawValue: 0x0017)
  /// REQUESTED-TRANSPORT (RFC 8656 section 18.8).
  public static let requestedTransport = STUNAttributeType(rawValue: 0x0019)
  /// ALTERNATE-SERVER of a 300 response (RFC 8489 section 14.15).
  public static let alternateServer = STUNAttributeType(rawValue: 0x8023)
  /// USE-CANDIDATE, the nomination (RFC 8445 section 7.1.2).
  public static let useCandidate = STUNAttributeType(rawValue: 0x0025)
  /// SOFTWARE (RFC 8489 section 14.14).
  public static let software = STUNAttributeType(rawValue: 0x8022)
  /// FINGERPRINT, a CRC-32 that separates STUN from other protocols (RFC 8489 section 14.7).
  public static let fingerprint = STUNAttributeType(rawValue: 0x8028)
  /// ICE-CONTROLLED with the sender's tie-breaker (RFC 8445 section 7.1.3).
  public static let iceControlled = STUNAttributeType(rawValue: 0x8029)
  /// ICE-CONTROLLING with the sender's tie-breaker (RFC 8445 section 7.1.3).
  public static let iceControlling = STUNAttributeType(rawValue: 0x802A)

  /// Whether it is one of TURN's that our TURN client reads in answers (RFC 8656 section 18).
  var isOfTURN: Bool {
    switch self {
    case .channelNumber, .lifetime, .xorPeerAddress, .data, .xorRelayedAddress, .requestedAddressFamily,
      .requestedTransport:
      true
    default: false
    }
  }
}
