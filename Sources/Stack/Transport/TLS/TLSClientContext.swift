internal import COpenSSL

/// The trust and the settings of a TLS client, shared by any number of connections. TLS 1.2 and later; the server's
/// certificate is always verified, against its name too.
@safe public final class TLSClientContext: @unchecked Sendable {
  // Unchecked because: the context is complete when the initialiser returns and is only read afterwards, which OpenSSL
  // allows from several threads; making an `SSL` of it counts a reference atomically.

  public enum Trust: Hashable, Sendable {
    /// The certificate authorities that the system trusts.
    case system
    /// Those in a PEM file alone, for servers with a private authority or a self-made certificate.
    case file(String)
  }

  let context: OpaquePointer

  /// A context.
  /// - Throws: ``TransportError/badCertificate(_:)`` when the trusted certificates cannot be read.
  public init(trust: Trust = .system) throws(TransportError) {
    // Owned by this object and freed in `deinit`.
    guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw .outOfMemory("a TLS context") }
    unsafe self.context = context
    guard unsafe parley_tls_client_settings(context) == 1 else { throw .outOfMemory("a TLS context") }
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
    switch trust {
    case .system:
      guard unsafe SSL_CTX_set_default_verify_paths(context) == 1 else {
        throw .badCertificate("the system's list of certificate authorities cannot be read.")
      }
    case .file(let path):
      guard unsafe SSL_CTX_load_verify_locations(context, path, nil) == 1 else {
        throw .badCertificate("\(path) holds no PEM certificate.")
      }
    }
  }

  deinit { unsafe SSL_CTX_free(context) }
}
