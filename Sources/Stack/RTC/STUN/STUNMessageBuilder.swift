public import Basics

/// Writes a STUN message (RFC 8489 section 5). Add attributes, then ``finish(integrity:fingerprint:)``.
///
/// Values longer than the 763 bytes that any STUN attribute may have are cut. One allocation for
/// messages of up to 160 bytes, which every check and its response is.
public struct STUNMessageBuilder {
  private static let maximumValue = 763

  private var bytes: [UInt8] = []
  private let transactionID: STUNTransactionID

  public init(_ messageClass: STUNClass, method: STUNMethod = .binding, transactionID: STUNTransactionID) {
    self.transactionID = transactionID
    bytes.reserveCapacity(160)
    let m = method.rawValue
    let c = UInt16(messageClass.rawValue)
    let methodBits = m & 0x000F | (m & 0x0070) << 1 | (m & 0x0F80) << 2
    append16(methodBits | (c & 1) << 4 | (c & 2) << 7)
    append16(0)
    append32(STUNMessage.magicCookie)
    append32(transactionID.high)
    append64(transactionID.low)
  }

  /// Adds an attribute with these bytes, padded to four.
  public mutating func add(_ type: STUNAttributeType, _ value: some Collection<UInt8>) {
    let length = min(value.count, Self.maximumValue)
    append16(type.rawValue)
    append16(UInt16(length))
    bytes.append(contentsOf: value.prefix(length))
    while bytes.count % 4 != 0 { bytes.append(0) }
  }

  /// Adds USERNAME (RFC 8489 section 14.3).
  public mutating func addUsername(_ username: String) { add(.username, username.utf8) }

  /// Adds PRIORITY (RFC 8445 section 7.1.1).
  public mutating func addPriority(_ priority: UInt32) {
    append16(STUNAttributeType.priority.rawValue)
    append16(4)
    append32(priority)
  }

  /// Adds USE-CANDIDATE, the nomination (RFC 8445 section 7.1.2).
  public mutating func addUseCandidate() { add(.useCandidate, EmptyCollection()) }

  /// Adds ICE-CONTROLLING or ICE-CONTROLLED (RFC 8445 section 7.1.3).
  public mutating func addRole(_ role: STUNMessage.Role) {
    switch role {
    case .controlling(let tieBreaker):
      append16(STUNAttributeType.iceControlling.rawValue)
      append16(8)
      append64(tieBreaker)
    case .controlled(let tieBreaker):
      append16(STUNAttributeType.iceControlled.rawValue)
      append16(8)
      append64(tieBreaker)
    }
  }

  /// Adds XOR-MAPPED-ADDRESS (RFC 8489 section 14.2).
  public mutating func addXorMappedAddress(_ address: TransportAddress) {
    addXor(.xorMappedAddress, address)
  }

  /// Adds XOR-PEER-ADDRESS (RFC 8656 section 18.3).
  public mutating func addXorPeerAddress(_ address: TransportAddress) { addXor(.xorPeerAddress, address) }

  /// Adds XOR-RELAYED-ADDRESS (RFC 8656 section 18.5).
  public mutating func addXorRelayedAddress(_ address: TransportAddress) { addXor(.xorRelayedAddress, address) }

  /// Adds LIFETIME in whole seconds (RFC 8656 section 18.2).
  public mutating func addLifetime(seconds: UInt32) {
    append16(STUNAttributeType.lifetime.rawValue)
    append16(4)
    append32(seconds)
  }

  /// Adds DATA, up to what a message can hold (RFC 8656 section 18.4); other attributes are cut much earlier.
  public mutating func addData(_ value: Span<UInt8>) {
    let length = min(value.count, STUNMessage.maximumLength - bytes.count - 4)
    guard length >= 0 else { return }
    append16(STUNAttributeType.data.rawValue)
    append16(UInt16(length))
    for index in 0..<length { bytes.append(value[index]) }
    while bytes.count % 4 != 0 { bytes.append(0) }
  }

  private mutating func addXor(_ type: STUNAttributeType, _ address: TransportAddress) {
    append16(type.rawValue)
    append16(address.ip.isIPv4 ? 8 : 20)
    append16(address.ip.isIPv4 ? 1 : 2)
    append16(address.port ^ UInt16(STUNMessage.magicCookie >> 16))
    if address.ip.isIPv4 {
      append32(address.ip.v4Bits ^ STUNMessage.magicCookie)
    } else {
      append64(address.ip.high ^ (UInt64(STUNMessage.magicCookie) << 32 | UInt64(transactionID.high)))
      append64(address.ip.low ^ transactionID.low)
    }
  }

  /// Adds ERROR-CODE (RFC 8489 section 14.8). `code` is brought into 300 to 699.
  public mutating func addErrorCode(_ code: Int, reason: String) {
    let code = min(max(code, 300), 699)
    add(.errorCode, [0, 0, UInt8(code / 100), UInt8(code % 100)] + Array(reason.utf8))
  }

  /// Adds UNKNOWN-ATTRIBUTES, the list that belongs to a 420 (RFC 8489 section 14.13).
  public mutating func addUnknownAttributes(_ types: [STUNAttributeType]) {
    add(
      .unknownAttributes,
      types.flatMap { [UInt8($0.rawValue >> 8), UInt8(truncatingIfNeeded: $0.rawValue)] })
  }

  /// The whole message, with MESSAGE-INTEGRITY when a key is given and FINGERPRINT unless it is not wanted.
  public consuming func finish(integrity key: STUNIntegrityKey?, fingerprint: Bool = true) -> [UInt8] {
    if let key {
      let offset = bytes.count
      // Without a working HMAC the attribute stays zero, which no receiver accepts.
      let code = key.code(of: bytes.span, before: offset) ?? InlineArray(repeating: 0)
      append16(STUNAttributeType.messageIntegrity.rawValue)
      append16(UInt16(STUNIntegrityKey.length))
      for index in code.indices { bytes.append(code[index]) }
    }
    setLength(bytes.count - STUNMessage.headerLength + (fingerprint ? 8 : 0))
    if fingerprint {
      let crc = CRC32.checksum(bytes.span) ^ STUNMessage.fingerprintMask
      append16(STUNAttributeType.fingerprint.rawValue)
      append16(4)
      append32(crc)
    }
    return bytes
  }

  private mutating func setLength(_ length: Int) {
    bytes[2] = UInt8(truncatingIfNeeded: length >> 8)
    bytes[3] = UInt8(truncatingIfNeeded: length)
  }

  private mutating func append16(_ value: UInt16) {
    bytes.append(UInt8(value >> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }

  private mutating func append32(_ value: UInt32) {
    append16(UInt16(value >> 16))
    append16(UInt16(truncatingIfNeeded: value))
  }

  private mutating func append64(_ value: UInt64) {
    append32(UInt32(value >> 32))
    append32(UInt32(truncatingIfNeeded: value))
  }
}
