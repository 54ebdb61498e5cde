internal import COpenSSL

/// Why a certificate or a ``DTLSContext`` could not be made. The text is OpenSSL's reason.
public enum DTLSSetupError: Error, Hashable, Sendable {
  /// Generating or encoding the certificate failed.
  case certificate(String)
  /// OpenSSL refused the configuration or has no memory.
  case context(String)
  /// The list of SRTP profiles is empty or names the null profile; give at least one real profile.
  case noUsableProfile
}

/// Why a DTLS association ended without a clean close.
public enum DTLSFailure: Error, Hashable, Sendable {
  /// The peer's certificate has none of the fingerprints that signalling announced: somebody else answered. No keys
  /// were exported.
  case fingerprintMismatch
  /// Both ends speak DTLS 1.2 but share no cipher suite.
  case noSharedCipher
  /// The peer does not offer `use_srtp` with a profile of ours.
  case noSharedProfile
  /// The peer showed no certificate.
  case noPeerCertificate
  /// No complete handshake within ``DTLSTiming/handshakeLimit``: the peer is gone or a firewall eats the datagrams.
  case timeout
  /// The peer sent a fatal alert of this number (RFC 5246 section 7.2).
  case peerAlert(UInt8)
  /// The peer broke the protocol, or OpenSSL failed; its reason.
  case handshake(String)
}

/// OpenSSL's queue of errors of the present thread.
enum OpenSSLErrors {
  /// Empties the queue. Called before each operation whose error is looked at afterwards.
  static func clear() { ERR_clear_error() }

  /// The reason of the oldest error, and an empty queue.
  static func takeOldest() -> String {
    let code = ERR_peek_error()
    ERR_clear_error()
    // The text is static inside OpenSSL and ends with a zero.
    guard code != 0, let text = unsafe parley_error_reason(code) else { return "no reason given" }
    return unsafe String(cString: text)
  }

  /// The reason number of the newest error of the TLS library, or 0.
  static func newestReason() -> Int32 { Int32(truncatingIfNeeded: ERR_peek_last_error() & 0x7F_FFFF) }
}
