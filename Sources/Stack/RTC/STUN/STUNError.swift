/// Why bytes are not a STUN message that can be used (RFC 8489 sections 5, 6.3 and 14).
///
/// Count it and drop the datagram: unauthenticated bytes deserve no reply and no log line of their own.
public enum STUNError: Error, Hashable, Sendable {
  /// Fewer bytes than the 20 of the header.
  case tooShort(length: Int)
  /// More bytes than ``STUNMessage/maximumLength``; no check or TURN control message needs so many.
  case tooLong(length: Int)
  /// The first two bits are not zero or the magic cookie is absent: the datagram is of another protocol.
  case notSTUN
  /// The length in the header is not a multiple of four or does not match the bytes that arrived.
  case lengthMismatch(declared: Int, arrived: Int)
  /// An attribute reaches past the end of the message.
  case attributeOverrun(STUNAttributeType)
  /// A known attribute has a length or value that its definition does not allow.
  case malformedAttribute(STUNAttributeType)
  /// More attributes than ``STUNMessage/maximumAttributes``.
  case tooManyAttributes
  /// Something follows FINGERPRINT, which must be last (RFC 8489 section 14.7).
  case fingerprintNotLast
}

extension STUNError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tooShort(let length): "STUN message of \(length) bytes; at least 20 expected"
    case .tooLong(let length):
      "STUN message of \(length) bytes; at most \(STUNMessage.maximumLength) accepted"
    case .notSTUN: "not STUN: the leading bits or the magic cookie differ"
    case .lengthMismatch(let declared, let arrived):
      "STUN header declares \(declared) bytes of attributes, \(arrived) arrived"
    case .attributeOverrun(let type):
      "STUN attribute 0x\(String(type.rawValue, radix: 16)) reaches past the end of the message"
    case .malformedAttribute(let type):
      "STUN attribute 0x\(String(type.rawValue, radix: 16)) has a length or value that is not allowed"
    case .tooManyAttributes: "STUN message with more than \(STUNMessage.maximumAttributes) attributes"
    case .fingerprintNotLast: "STUN attributes follow FINGERPRINT, which must be the last one"
    }
  }
}
