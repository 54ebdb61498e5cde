public import Basics

/// The attributes that only TURN has (RFC 8656 section 18). They are looked up when asked for, so that ICE checks do
/// not pay for them: each costs a walk over the attribute headers.
extension STUNMessage {
  /// XOR-RELAYED-ADDRESS: the address that was allocated; nil when absent or malformed.
  public var xorRelayedAddress: TransportAddress? {
    firstValue(of: .xorRelayedAddress).flatMap { readAddress($0, isXored: true) }
  }

  /// XOR-PEER-ADDRESS: whom DATA came from; nil when absent or malformed.
  public var xorPeerAddress: TransportAddress? {
    firstValue(of: .xorPeerAddress).flatMap { readAddress($0, isXored: true) }
  }

  /// ALTERNATE-SERVER: whom to ask instead (RFC 8489 section 14.15); nil when absent or malformed.
  public var alternateServer: TransportAddress? {
    firstValue(of: .alternateServer).flatMap { readAddress($0, isXored: false) }
  }

  /// LIFETIME in seconds; nil when absent or malformed.
  public var lifetimeSeconds: UInt32? {
    guard let value = firstValue(of: .lifetime), value.count == 4 else { return nil }
    return Self.word32(bytes, value.lowerBound)
  }

  /// CHANNEL-NUMBER; nil when absent or malformed.
  public var channelNumber: UInt16? {
    guard let value = firstValue(of: .channelNumber), value.count == 4 else { return nil }
    return Self.word16(bytes, value.lowerBound)
  }

  /// The place of the content of DATA in the message; nil when absent.
  public var dataRange: Range<Int>? { firstValue(of: .data) }

  /// The reason phrase of ERROR-CODE, at most 128 bytes, printable ASCII only: it comes from a stranger and is meant
  /// for people.
  public var errorReason: String {
    guard let value = firstValue(of: .errorCode), value.count > 4 else { return "" }
    var text = ""
    for index in (value.lowerBound + 4)..<min(value.upperBound, value.lowerBound + 132) {
      let byte = bytes[index]
      text.unicodeScalars.append(Unicode.Scalar((32...126).contains(byte) ? byte : UInt8(ascii: "?")))
    }
    return text
  }

  /// The first attribute of a type among those that MESSAGE-INTEGRITY covers. Parsing has checked every length.
  private func firstValue(of type: STUNAttributeType) -> Range<Int>? {
    let limit = integrityOffset ?? bytes.count
    var offset = Self.headerLength
    while offset + 4 <= limit {
      let end = offset + 4 + Int(Self.word16(bytes, offset + 2))
      guard end <= bytes.count else { return nil }
      if Self.word16(bytes, offset) == type.rawValue { return (offset + 4)..<end }
      offset = (end + 3) & ~3
    }
    return nil
  }
}
