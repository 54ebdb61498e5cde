/// Why an agent took no notice of a datagram: no reply was made and nothing was remembered. Count it; a line of log
/// for each would let a flood fill the disk.
public enum IceIgnoredReason: Hashable, Sendable {
  /// Not a well-formed STUN message.
  case malformed(STUNError)
  /// STUN, but not a binding request (an indication, a response nobody waits for, another method).
  case notForUs
  /// USERNAME is absent or not `<our ufrag>:<peer's ufrag>` (RFC 8445 section 7.3).
  case wrongUsername
  /// FINGERPRINT does not match: damaged on the way.
  case wrongFingerprint
  /// The check has no MESSAGE-INTEGRITY (RFC 8489 section 14.5).
  case missingIntegrity
  /// MESSAGE-INTEGRITY is not of our password.
  case wrongIntegrity
  /// Consent was lost; these credentials are used up until an ICE restart (RFC 7675 section 5.1).
  case consentLost
}

/// Why an authenticated check was answered with an error (RFC 8445 section 7.3.1, RFC 8489 section 6.3.1).
public enum IceRefusal: Hashable, Sendable {
  /// 487: both sides believe to have the same role.
  case roleConflict
  /// 420: the check carries comprehension-required attributes that are not known.
  case unknownAttributes
}
