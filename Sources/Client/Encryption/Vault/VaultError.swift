/// Why a vault can't be opened or written. The words for people are those of the caller.
package enum VaultError: Error, Hashable, Sendable {
  /// The server asks for a derivation cheaper or dearer than this client takes: the first would help it to guess.
  case parametersRefused
  /// The record is not sealed with this key: another passcode, or bytes that were changed.
  case doesNotOpen
  /// The record is older than one that this client has seen, or another one of the same version.
  case rolledBack(seen: UInt64, found: UInt64)
  /// It has no part for a recovery key.
  case noRecovery
  /// More bytes than a record takes.
  case tooLong
  /// It has another form, or a later version of it.
  case malformed
  /// Without memory for the derivation, or OpenSSL refused.
  case failed
}
