/// Why a message about keys was refused.
public enum KeyMessageError: Error, Hashable, Sendable {
  /// It has another form, or a later version of it.
  case malformed
  /// It belongs to another meeting or names another participant than the one who is said to have sent it.
  case misdirected
  /// Its sender has another link secret, or none.
  case wrongSecret
  /// Its signature is not of the identity that it names.
  case wrongSignature
  /// The participant has announced other keys before: somebody stands between, or the server says two people are one.
  case identityChanged
  /// It was there before, or a later one was.
  case replayed
  /// Somebody else has the sender index that it claims.
  case indexTaken
  /// Its sender has not announced keys.
  case unknownSender
  /// It was not sealed for this end, or was touched.
  case authenticationFailed
  /// More participants, or messages ahead of their announcement, than there may be.
  case tooMany
  /// OpenSSL refused; out of memory in practice.
  case failed
}
