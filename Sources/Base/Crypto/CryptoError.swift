internal import COpenSSL

/// Why an operation of this module failed.
public enum CryptoError: Error, Hashable, Sendable {
  /// A key, nonce or signature has another length than its algorithm wants, in bytes.
  case wrongLength(expected: Int, actual: Int)
  /// More bytes than the algorithm takes or gives in one operation.
  case tooLong
  /// The bytes are not a key, or the peer's key gives a shared secret that is known to everybody (RFC 7748 section
  /// 6.1).
  case invalidKey
  /// A tag does not fit: the bytes are damaged or forged, or the keys differ.
  case authenticationFailed
  /// A sequence number was used before, or all are used up.
  case sequenceExhausted
  /// OpenSSL refused; out of memory in practice.
  case failed

  /// The error, after OpenSSL's queue of this thread is emptied.
  ///
  /// TLS tells a closed connection apart from a broken one by the same queue, so nothing may stay in it.
  static func clearing(_ error: CryptoError) -> CryptoError {
    ERR_clear_error()
    return error
  }
}
