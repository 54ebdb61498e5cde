internal import COpenSSL

/// The parts that all DTLS associations of a process share: certificate, ciphers, groups, SRTP profiles.
///
/// Make one at start; each ``DTLSTransport`` then costs only its own state. Safe to share between threads.
///
/// Safety: the two OpenSSL contexts are owned from `init` to `deinit` and never changed in between; OpenSSL guards
/// their reference counts itself, hence unchecked `Sendable`.
@safe
public final class DTLSContext: @unchecked Sendable {
  /// The certificate that associations of this context show.
  public let certificate: DTLSCertificate
  /// The SRTP profiles offered or accepted, the preferred one first.
  public let profiles: [SRTPProfile]

  let server: OpaquePointer
  let client: OpaquePointer

  /// The profiles in the order of their speed here.
  public static let defaultProfiles: [SRTPProfile] = [.aeadAES128GCM, .aeadAES256GCM, .aes128CMHMACSHA1_80]

  /// Forward-secret AEAD suites only. With certificates made by browsers, ECDSA ones are what gets chosen.
  private static let ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305:"
    + "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384"

  /// A context that shows `certificate`.
  ///
  /// As a server the order of `profiles` decides, as a client the peer's.
  public init(
    certificate: DTLSCertificate, profiles: [SRTPProfile] = DTLSContext.defaultProfiles
  ) throws(DTLSSetupError) {
    let names = profiles.compactMap(\.opensslName)
    guard !names.isEmpty, names.count == profiles.count else { throw .noUsableProfile }
    self.certificate = certificate
    self.profiles = profiles
    // DTLS_server_method and DTLS_client_method are static; the contexts are freed in deinit, or here when the second
    // one fails.
    let server = try unsafe Self.make(DTLS_server_method(), certificate, names.joined(separator: ":"))
    do throws(DTLSSetupError) {
      unsafe client = try Self.make(DTLS_client_method(), certificate, names.joined(separator: ":"))
    } catch {
      unsafe SSL_CTX_free(server)
      throw error
    }
    unsafe self.server = server
  }

  // The associations hold references of their own.
  deinit {
    unsafe SSL_CTX_free(server)
    unsafe SSL_CTX_free(client)
  }

  @unsafe private static func make(
    _ method: OpaquePointer?, _ certificate: DTLSCertificate, _ profiles: String
  ) throws(DTLSSetupError) -> OpaquePointer {
    OpenSSLErrors.clear()
    guard let context = unsafe SSL_CTX_new(method) else { throw .context(OpenSSLErrors.takeOldest()) }
    let key = certificate.privateKey.value
    unsafe parley_dtls_set_options(context)
    unsafe parley_ssl_set_max_cert_list(context, DTLSRecordFilter.maximumMessageLength)
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    // Replaces chain building: peers' certificates are self-signed, and signalling vouches for their fingerprint.
    unsafe SSL_CTX_set_cert_verify_callback(context, { store, _ in unsafe DTLSHandshake.verify(store) }, nil)
    // The arrays are read for their counts; the strings end with a zero. SSL_CTX_set_tlsext_use_srtp alone
    // returns 0 for success.
    guard unsafe parley_dtls_pin_version(context) == 1,
      unsafe SSL_CTX_set_cipher_list(context, ciphers) == 1,
      unsafe parley_ssl_set_groups(context, "X25519:P-256") == 1,
      unsafe SSL_CTX_use_certificate_ASN1(context, Int32(certificate.der.count), certificate.der) == 1,
      unsafe SSL_CTX_use_PrivateKey_ASN1(EVP_PKEY_EC, context, key, key.count) == 1,
      unsafe SSL_CTX_check_private_key(context) == 1,
      unsafe SSL_CTX_set_tlsext_use_srtp(context, profiles) == 0
    else {
      let reason = OpenSSLErrors.takeOldest()
      unsafe SSL_CTX_free(context)
      throw .context(reason)
    }
    return unsafe context
  }
}
