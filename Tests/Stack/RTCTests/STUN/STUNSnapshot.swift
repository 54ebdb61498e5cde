import Basics
import RTC

/// All that a message says, copied out, because a view into a datagram cannot be captured by an expectation.
struct STUNSnapshot {
  let messageClass: STUNClass
  let method: STUNMethod
  let transactionID: STUNTransactionID
  let username: String?
  let realm: String?
  let nonce: String?
  let software: String?
  let priority: UInt32?
  let nominates: Bool
  let role: STUNMessage.Role?
  let xorMappedAddress: TransportAddress?
  let errorCode: Int?
  let unknownRequiredCount: Int
  let unknownRequired: [STUNAttributeType]
  let listedUnknownAttributes: [STUNAttributeType]
  let fingerprint: STUNMessage.Fingerprint
  let hasIntegrity: Bool
  let isAuthentic: Bool

  init(_ bytes: [UInt8], key: STUNIntegrityKey = STUNIntegrityKey(password: RFC5769.password)) throws(STUNError) {
    let message = try STUNMessage(parsing: bytes.span)
    messageClass = message.messageClass
    method = message.method
    transactionID = message.transactionID
    username = Self.text(message.username)
    realm = Self.text(message.realm)
    nonce = Self.text(message.nonce)
    software = Self.text(message.software)
    priority = message.priority
    nominates = message.nominates
    role = message.role
    xorMappedAddress = message.xorMappedAddress
    errorCode = message.errorCode
    unknownRequiredCount = message.unknownRequiredCount
    unknownRequired = message.unknownRequired
    listedUnknownAttributes = message.listedUnknownAttributes
    fingerprint = message.fingerprint
    hasIntegrity = message.hasIntegrity
    isAuthentic = message.isAuthentic(key)
  }

  private static func text(_ span: Span<UInt8>?) -> String? {
    guard let span else { return nil }
    return String(decoding: span.indices.map { span[$0] }, as: UTF8.self)
  }
}
