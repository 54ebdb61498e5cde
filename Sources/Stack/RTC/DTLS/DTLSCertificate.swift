public import Basics
internal import COpenSSL

/// A self-signed ECDSA P-256 certificate and its key: a WebRTC end's identity, named by its ``fingerprint`` in the
/// session description (RFC 8827 section 6.5).
///
/// One for each server process is enough; generating takes some 0.2 ms.
public struct DTLSCertificate: Sendable {
  /// The certificate in DER form.
  public let der: [UInt8]
  /// The private key in DER form (SEC 1).
  let privateKey: Secret<[UInt8]>
  /// The certificate's SHA-256 fingerprint.
  public let fingerprint: Fingerprint

  /// Generates a key and a certificate with a random serial number.
  ///
  /// - Parameters:
  ///   - unixTime: the present time in seconds since 1970; the validity starts a day before, for peers whose clock
  ///     is behind.
  ///   - validity: how long after `unixTime` it ends.
  /// - Throws: ``DTLSSetupError/certificate(_:)`` when OpenSSL has no randomness or memory.
  public static func selfSigned(
    unixTime: Int64, validity: TimeSpan = .seconds(365 * 86_400)
  ) throws(DTLSSetupError) -> DTLSCertificate {
    // Both objects are made here, checked for nil, and freed on every way out.
    guard let key = unsafe parley_generate_p256() else { throw .certificate(OpenSSLErrors.takeOldest()) }
    defer { unsafe EVP_PKEY_free(key) }
    guard let certificate = unsafe X509_new() else { throw .certificate(OpenSSLErrors.takeOldest()) }
    defer { unsafe X509_free(certificate) }

    var serial = [UInt8](repeating: 0, count: 8)
    var name = Array("Parley".utf8)
    let ends = unixTime &+ validity.nanoseconds / 1_000_000_000
    // Every pointer that OpenSSL gets is one of the two objects above, a part of them, or an array with its count.
    guard unsafe RAND_bytes(&serial, 8) == 1,
      unsafe X509_set_version(certificate, 2) == 1,
      unsafe ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), Self.serialNumber(serial)) == 1,
      unsafe ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(unixTime &- 86_400)) != nil,
      unsafe ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(ends)) != nil,
      let subject = unsafe X509_get_subject_name(certificate),
      unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, &name, Int32(name.count), -1, 0) == 1,
      unsafe X509_set_issuer_name(certificate, subject) == 1,
      unsafe X509_set_pubkey(certificate, key) == 1,
      unsafe X509_sign(certificate, key, EVP_sha256()) > 0
    else { throw .certificate(OpenSSLErrors.takeOldest()) }

    let der = unsafe takeDER { unsafe parley_certificate_der(certificate, $0) }
    let privateKey = unsafe takeDER { unsafe parley_private_key_der(key, $0) }
    guard !der.isEmpty, !privateKey.isEmpty, let fingerprint = Fingerprint(algorithm: .sha256, certificate: der)
    else { throw .certificate(OpenSSLErrors.takeOldest()) }
    return DTLSCertificate(der: der, privateKey: Secret(privateKey), fingerprint: fingerprint)
  }

  /// A positive number that is never zero (RFC 5280 section 4.1.2.2).
  private static func serialNumber(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) } >> 1 | 1
  }

  /// Copies what an OpenSSL encoder allocated, then wipes and frees it. Empty when it failed.
  @unsafe private static func takeDER(
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32
  ) -> [UInt8] {
    var memory: UnsafeMutablePointer<UInt8>?
    // The encoder returns how many bytes it allocated at `memory`.
    let length = unsafe Int(encode(&memory))
    guard length > 0, let start = unsafe memory else { return [] }
    defer { unsafe parley_clear_free(start, length) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: length))
  }
}
