internal import COpenSSL
internal import Synchronization

/// The certificate of a TLS server, asked for at each handshake: it can be replaced while the server runs.
@safe final class TLSServerContext: Sendable {
  private struct State {
    var certificate: TLSCertificate
    var isAttached = false
  }

  private let state: Mutex<State>

  init(_ certificate: TLSCertificate) { state = Mutex(State(certificate: certificate)) }

  /// The certificate of the next handshake.
  var certificate: TLSCertificate { state.withLock { $0.certificate } }
  /// Whether the library has given its context.
  var isAttached: Bool { state.withLock { $0.isAttached } }

  func replace(_ certificate: TLSCertificate) { state.withLock { $0.certificate = certificate } }

  /// Takes over the choice of the certificate in `context`. This object has to outlive it.
  func attach(to context: OpaquePointer) {
    unsafe parley_tls_server_settings(context)
    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    // The pointers stay valid: who attaches keeps this object for as long as the context.
    unsafe SSL_CTX_set_cert_cb(
      context,
      { session, raw in
        guard let session = unsafe session, let raw = unsafe raw else { return 0 }
        return unsafe Unmanaged<TLSServerContext>.fromOpaque(raw).takeUnretainedValue().choose(session) ? 1 : 0
      }, me)
    unsafe SSL_CTX_set_client_hello_cb(
      context,
      { session, _, raw in
        guard let session = unsafe session, let raw = unsafe raw else { return 0 }
        return unsafe Unmanaged<TLSServerContext>.fromOpaque(raw).takeUnretainedValue().begin(session) ? 1 : 0
      }, me)
    state.withLock { $0.isAttached = true }
  }

  private func choose(_ session: OpaquePointer) -> Bool { unsafe certificate.use(in: session) }

  /// Ties what is resumed to the certificate: a session that began under another one is not, so that its client sees
  /// this one.
  private func begin(_ session: OpaquePointer) -> Bool {
    let name = certificate.fingerprint
    return unsafe SSL_set_session_id_context(session, name, UInt32(name.count)) == 1
  }
}
