internal import Basics

/// The part that both agents share for an incoming check under one set of credentials: verifying it, and writing the
/// reply.
struct IceCheckVerifier {
  let local: IceCredentials
  let key: STUNIntegrityKey
  private let expectedUsername: [UInt8]

  init(local: IceCredentials, remote: IceCredentials) {
    self.local = local
    key = STUNIntegrityKey(password: local.password.value)
    expectedUsername = Array("\(local.ufrag):\(remote.ufrag)".utf8)
  }

  /// Whether a check is meant for these credentials (RFC 8445 section 7.3). The name isn't secret.
  func isAddressed(by message: borrowing STUNMessage) -> Bool {
    guard let username = message.username, username.count == expectedUsername.count else { return false }
    for index in username.indices where username[index] != expectedUsername[index] { return false }
    return true
  }

  /// Nil when the check is authentic. The CRC comes before the HMAC because it costs a tenth.
  func objection(to message: borrowing STUNMessage) -> IceIgnoredReason? {
    guard message.hasIntegrity else { return .missingIntegrity }
    guard message.fingerprint != .invalid else { return .wrongFingerprint }
    return message.isAuthentic(key) ? nil : .wrongIntegrity
  }

  /// The reply to an authentic check (RFC 8445 section 7.3.1.2).
  func success(_ transactionID: STUNTransactionID, to remote: TransportAddress) -> [UInt8] {
    var reply = STUNMessageBuilder(.successResponse, transactionID: transactionID)
    reply.addXorMappedAddress(remote)
    return reply.finish(integrity: key)
  }

  /// The reply to an authentic check that lists unknown attributes (RFC 8489 section 6.3.1).
  func unknownAttributes(_ message: borrowing STUNMessage) -> [UInt8] {
    var reply = STUNMessageBuilder(.errorResponse, transactionID: message.transactionID)
    reply.addErrorCode(420, reason: "")
    reply.addUnknownAttributes(message.unknownRequired)
    return reply.finish(integrity: key)
  }

  /// The reply to an authentic check of a peer that claims our role (RFC 8445 section 7.3.1.1).
  func roleConflict(_ transactionID: STUNTransactionID) -> [UInt8] {
    var reply = STUNMessageBuilder(.errorResponse, transactionID: transactionID)
    reply.addErrorCode(487, reason: "")
    return reply.finish(integrity: key)
  }
}
