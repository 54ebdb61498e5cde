public import Basics

/// A STUN message as it arrived (RFC 8489): a checked view into a datagram that must outlive it.
///
/// Parsing checks every length and reads each attribute once; nothing is copied or allocated. It proves nothing
/// about the sender: compare ``username`` first (cheap), then ``fingerprint``, then ask
/// ``isAuthentic(_:)`` before acting on anything. Attributes after MESSAGE-INTEGRITY are not covered by it and are
/// skipped, FINGERPRINT excepted; of an attribute that comes twice the first counts (RFC 8489 section 14).
public struct STUNMessage: ~Escapable {
  /// Bytes of the header.
  public static let headerLength = 20
  /// The longest message accepted. Checks take about 100 bytes; the limit bounds what a flood can make us hash.
  public static let maximumLength = 2_048
  /// The most attributes accepted in one message.
  public static let maximumAttributes = 32
  /// The constant at bytes 4 to 7 (RFC 8489 section 5).
  public static let magicCookie: UInt32 = 0x2112_A442

  /// The tie-breaker in ICE-CONTROLLING or ICE-CONTROLLED: the role the sender believes to have
  /// (RFC 8445 section 7.1.3).
  public enum Role: Hashable, Sendable {
    case controlling(tieBreaker: UInt64)
    /// The sender waits for nomination.
    case controlled(tieBreaker: UInt64)
  }

  /// The verdict of FINGERPRINT (RFC 8489 section 14.7).
  public enum Fingerprint: Hashable, Sendable {
    /// The message has none.
    case absent
    /// It matches the message.
    case valid
    /// It does not match: the datagram is damaged or of another protocol.
    case invalid
  }

  public let bytes: Span<UInt8>
  /// Request, indication, success or error.
  public let messageClass: STUNClass
  /// The method, for ICE always ``STUNMethod/binding``.
  public let method: STUNMethod
  /// Ties a response to its request.
  public let transactionID: STUNTransactionID
  /// PRIORITY: the priority a peer-reflexive candidate of this check has (RFC 8445 section 7.1.1).
  public private(set) var priority: UInt32?
  /// Whether USE-CANDIDATE is present: the controlling side nominates this pair (RFC 8445 section 7.1.2).
  public private(set) var nominates = false
  /// ICE-CONTROLLING or ICE-CONTROLLED, nil when neither is present.
  public private(set) var role: Role?
  /// XOR-MAPPED-ADDRESS: the address the responder saw (RFC 8489 section 14.2).
  public private(set) var xorMappedAddress: TransportAddress?
  /// The number in ERROR-CODE, 300 to 699 (RFC 8489 section 14.8).
  public private(set) var errorCode: Int?
  /// How many comprehension-required attributes were not known.
  public private(set) var unknownRequiredCount = 0

  private var unknown = InlineArray<8, UInt16>(repeating: 0)
  private var usernameRange: Range<Int>?
  private var realmRange: Range<Int>?
  private var nonceRange: Range<Int>?
  private var softwareRange: Range<Int>?
  private var unknownListRange: Range<Int>?
  private(set) var integrityOffset: Int?
  private var fingerprintOffset: Int?

  /// Reads one whole datagram, or one frame of a stream, as STUN.
  ///
  /// Cost: linear in the message, no allocation, no cryptography.
  @_lifetime(copy bytes)
  public init(parsing bytes: Span<UInt8>) throws(STUNError) {
    guard bytes.count >= Self.headerLength else { throw .tooShort(length: bytes.count) }
    guard bytes.count <= Self.maximumLength else { throw .tooLong(length: bytes.count) }
    guard Self.looksLikeSTUN(bytes) else { throw .notSTUN }
    let declared = Int(Self.word16(bytes, 2))
    guard declared == bytes.count - Self.headerLength, declared % 4 == 0 else {
      throw .lengthMismatch(declared: declared, arrived: bytes.count - Self.headerLength)
    }
    let type = Self.word16(bytes, 0)
    self.bytes = bytes
    messageClass = Self.messageClass(type)
    method = STUNMethod(rawValue: type & 0x000F | (type & 0x00E0) >> 1 | (type & 0x3E00) >> 2)
    transactionID = STUNTransactionID(high: Self.word32(bytes, 8), low: Self.word64(bytes, 12))

    var offset = Self.headerLength
    var count = 0
    while offset < bytes.count {
      // Everything is a multiple of four here, so a type and a length are always there.
      let type = STUNAttributeType(rawValue: Self.word16(bytes, offset))
      let length = Int(Self.word16(bytes, offset + 2))
      let end = offset + 4 + length
      let next = (end + 3) & ~3
      guard next <= bytes.count else { throw .attributeOverrun(type) }
      guard fingerprintOffset == nil else { throw .fingerprintNotLast }
      count += 1
      guard count <= Self.maximumAttributes else { throw .tooManyAttributes }
      if type == .fingerprint {
        guard length == 4 else { throw .malformedAttribute(type) }
        fingerprintOffset = offset
      } else if integrityOffset == nil {
        try read(type, at: offset, value: (offset + 4)..<end)
      }
      offset = next
    }
  }

  private mutating func read(_ type: STUNAttributeType, at offset: Int, value: Range<Int>) throws(STUNError) {
    switch type {
    case .username:
      // RFC 8489 section 14.3 allows less than 509 bytes; ICE's two fragments of 256 and a colon make 513.
      guard value.count <= 513 else { throw .malformedAttribute(type) }
      usernameRange = usernameRange ?? value
    case .messageIntegrity:
      guard value.count == STUNIntegrityKey.length else { throw .malformedAttribute(type) }
      integrityOffset = offset
    case .errorCode:
      guard value.count >= 4 else { throw .malformedAttribute(type) }
      let hundreds = Int(bytes[value.lowerBound + 2] & 7)
      let rest = Int(bytes[value.lowerBound + 3])
      guard (3...6).contains(hundreds), rest < 100 else { throw .malformedAttribute(type) }
      errorCode = errorCode ?? hundreds * 100 + rest
    case .xorMappedAddress:
      guard let address = readAddress(value, isXored: true) else { throw .malformedAttribute(type) }
      xorMappedAddress = xorMappedAddress ?? address
    case .priority:
      guard value.count == 4 else { throw .malformedAttribute(type) }
      priority = priority ?? Self.word32(bytes, value.lowerBound)
    case .useCandidate:
      guard value.isEmpty else { throw .malformedAttribute(type) }
      nominates = true
    case .iceControlling:
      guard value.count == 8 else { throw .malformedAttribute(type) }
      role = role ?? .controlling(tieBreaker: Self.word64(bytes, value.lowerBound))
    case .iceControlled:
      guard value.count == 8 else { throw .malformedAttribute(type) }
      role = role ?? .controlled(tieBreaker: Self.word64(bytes, value.lowerBound))
    case .unknownAttributes:
      guard value.count % 2 == 0 else { throw .malformedAttribute(type) }
      unknownListRange = unknownListRange ?? value
    case .realm: realmRange = realmRange ?? value
    case .nonce: nonceRange = nonceRange ?? value
    case .software: softwareRange = softwareRange ?? value
    case .mappedAddress: break
    default:
      guard type.isComprehensionRequired, !type.isOfTURN else { return }
      if unknownRequiredCount < unknown.count { unknown[unknownRequiredCount] = type.rawValue }
      unknownRequiredCount += 1
    }
  }

  /// Reads an address attribute's value (RFC 8489 section 14.1, 14.2); nil when its length or family is not allowed.
  func readAddress(_ value: Range<Int>, isXored: Bool) -> TransportAddress? {
    guard value.count >= 8 else { return nil }
    let start = value.lowerBound
    let cookie = isXored ? Self.magicCookie : 0
    let port = Self.word16(bytes, start + 2) ^ UInt16(cookie >> 16)
    switch (bytes[start + 1], value.count) {
    case (1, 8):
      return TransportAddress(ip: IPAddress(v4: Self.word32(bytes, start + 4) ^ cookie), port: port)
    case (2, 20):
      let maskHigh = isXored ? UInt64(cookie) << 32 | UInt64(transactionID.high) : 0
      let high = Self.word64(bytes, start + 4) ^ maskHigh
      let low = Self.word64(bytes, start + 12) ^ (isXored ? transactionID.low : 0)
      return TransportAddress(ip: IPAddress(high: high, low: low), port: port)
    default: return nil
    }
  }
}

extension STUNMessage {
  /// The bytes of USERNAME, in ICE `<receiver's ufrag>:<sender's ufrag>` (RFC 8445 section 7.2.2).
  public var username: Span<UInt8>? {
    @_lifetime(copy self) get { value(usernameRange) }
  }

  /// The bytes of REALM.
  public var realm: Span<UInt8>? {
    @_lifetime(copy self) get { value(realmRange) }
  }

  /// The bytes of NONCE.
  public var nonce: Span<UInt8>? {
    @_lifetime(copy self) get { value(nonceRange) }
  }

  /// The bytes of SOFTWARE; text of the peer's choosing, meant for people.
  public var software: Span<UInt8>? {
    @_lifetime(copy self) get { value(softwareRange) }
  }

  /// The comprehension-required types that were not known, at most the first eight: what a 420 response lists.
  public var unknownRequired: [STUNAttributeType] {
    (0..<min(unknownRequiredCount, unknown.count)).map { STUNAttributeType(rawValue: unknown[$0]) }
  }

  /// The types listed in UNKNOWN-ATTRIBUTES of a 420 response (RFC 8489 section 14.13).
  public var listedUnknownAttributes: [STUNAttributeType] {
    guard let range = unknownListRange else { return [] }
    return stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
      STUNAttributeType(rawValue: Self.word16(bytes, $0))
    }
  }

  /// Whether MESSAGE-INTEGRITY is present (not whether it is right).
  public var hasIntegrity: Bool { integrityOffset != nil }

  /// Whether MESSAGE-INTEGRITY is present and made with `key`. One HMAC-SHA1 over the message, compared in
  /// constant time.
  public func isAuthentic(_ key: STUNIntegrityKey) -> Bool {
    guard let integrityOffset else { return false }
    return key.verifies(bytes, attributeAt: integrityOffset)
  }

  /// Whether FINGERPRINT matches the message. One CRC-32 over it.
  public var fingerprint: Fingerprint {
    guard let offset = fingerprintOffset else { return .absent }
    // FINGERPRINT is the last attribute, so the header's length is already the one it was computed with.
    let crc = CRC32.checksum(bytes.extracting(0..<offset)) ^ Self.fingerprintMask
    return crc == Self.word32(bytes, offset + 4) ? .valid : .invalid
  }

  /// The constant that keeps FINGERPRINT apart from a CRC another protocol may carry.
  static let fingerprintMask: UInt32 = 0x5354_554E

  @_lifetime(copy self)
  private func value(_ range: Range<Int>?) -> Span<UInt8>? {
    guard let range else { return nil }
    return bytes.extracting(range)
  }
}

extension STUNMessage {
  /// Whether a datagram is STUN by its first bits and the magic cookie (RFC 8489 section 5, RFC 7983 section 7).
  /// Two comparisons; says nothing about the rest.
  public static func looksLikeSTUN(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= headerLength && bytes[0] & 0xC0 == 0 && word32(bytes, 4) == magicCookie
  }

  /// The receiver's ufrag in the USERNAME of a binding request, by which a worker finds the agent that a check from
  /// an unknown address is for; nil for any other datagram and for a ufrag that ICE does not allow.
  ///
  /// Call it before anything else on a datagram from an unknown address: it walks attribute headers only, and a ufrag
  /// of up to 15 bytes, as ``IceCredentials/random(using:)`` makes them, costs no allocation. The value is
  /// a claim; the agent verifies it.
  public static func peekUsername(in bytes: Span<UInt8>) -> String? {
    guard bytes.count <= maximumLength, looksLikeSTUN(bytes), word16(bytes, 0) == 0x0001 else { return nil }
    var offset = headerLength
    var count = 0
    while offset + 4 <= bytes.count, count < maximumAttributes {
      let length = Int(word16(bytes, offset + 2))
      let start = offset + 4
      guard start + length <= bytes.count else { return nil }
      if word16(bytes, offset) == STUNAttributeType.username.rawValue {
        var end = start
        while end < start + length, bytes[end] != UInt8(ascii: ":") {
          guard IceCredentials.isIceCharacter(bytes[end]) else { return nil }
          end += 1
        }
        guard end < start + length, IceCredentials.ufragLengths.contains(end - start) else { return nil }
        guard let text = try? UTF8Span(validating: bytes.extracting(start..<end)) else { return nil }
        return String(copying: text)
      }
      offset = (start + length + 3) & ~3
      count += 1
    }
    return nil
  }

  private static func messageClass(_ type: UInt16) -> STUNClass {
    switch type & 0x0110 {
    case 0x0000: .request
    case 0x0010: .indication
    case 0x0100: .successResponse
    default: .errorResponse
    }
  }

  // Callers have checked that the bytes are there; `Span` checks again.
  static func word16(_ bytes: Span<UInt8>, _ at: Int) -> UInt16 {
    UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1])
  }

  static func word32(_ bytes: Span<UInt8>, _ at: Int) -> UInt32 {
    UInt32(word16(bytes, at)) << 16 | UInt32(word16(bytes, at + 2))
  }

  static func word64(_ bytes: Span<UInt8>, _ at: Int) -> UInt64 {
    UInt64(word32(bytes, at)) << 32 | UInt64(word32(bytes, at + 4))
  }
}
