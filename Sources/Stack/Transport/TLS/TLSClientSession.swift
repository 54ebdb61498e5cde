internal import Basics
internal import COpenSSL

/// The TLS of one client connection, between plain bytes and those on the wire, without I/O of its own. Used by one
/// thread.
@safe final class TLSClientSession {
  /// The result of a step.
  enum State: Equatable {
    case handshaking, open, closed
    case failed(TransportError)
  }

  private(set) var state = State.handshaking

  // Owned by this object and freed in `deinit`; the BIOs belong to the `SSL`.
  private let ssl: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer
  private var plain = [UInt8](repeating: 0, count: 16_384)
  private var wire = [UInt8](repeating: 0, count: 17_408)

  /// A session that will speak to `host`, whose certificate must be for that name or address.
  init(_ context: TLSClientContext, host: String) throws(TransportError) {
    guard let ssl = unsafe SSL_new(context.context) else { throw .outOfMemory("a TLS session") }
    guard let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem()) else {
      unsafe SSL_free(ssl)
      throw .outOfMemory("a TLS session")
    }
    unsafe self.ssl = ssl
    unsafe self.incoming = incoming
    unsafe self.outgoing = outgoing
    unsafe SSL_set_bio(ssl, incoming, outgoing)
    unsafe SSL_set_connect_state(ssl)
    let isSet: Bool
    if IPAddress(host) != nil {
      // Addresses are never sent as a server's name (RFC 6066 section 3).
      isSet = unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
    } else {
      isSet = unsafe SSL_set1_host(ssl, host) == 1 && parley_tls_set_server_name(ssl, host) == 1
    }
    guard isSet else { throw .badURL(host) }
  }

  deinit { unsafe SSL_free(ssl) }

  /// Takes bytes off the wire (none at the start) and gives plain ones to `onPlain`, which says whether to go on.
  func receive(_ bytes: Span<UInt8>, onPlain: (Span<UInt8>) -> Bool) {
    if !bytes.isEmpty {
      // A memory BIO takes everything; the span's own pointer and count.
      let taken = unsafe bytes.withUnsafeBufferPointer { unsafe BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
      guard taken == Int32(bytes.count) else { return fail() }
    }
    if state == .handshaking {
      let result = unsafe SSL_do_handshake(ssl)
      if result == 1 {
        state = .open
      } else if !wantsMore(result) {
        return fail()
      }
    }
    while state == .open {
      // At most the buffer's count is written.
      let count = unsafe plain.withUnsafeMutableBytes { unsafe SSL_read(ssl, $0.baseAddress, Int32($0.count)) }
      if count > 0 {
        if !onPlain(plain.span.extracting(first: Int(count))) { return }
      } else if wantsMore(count) {
        return
      } else if unsafe SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN {
        state = .closed
      } else {
        return fail()
      }
    }
  }

  /// Encrypts a packet; false when the session is not open or broke. Take the result with ``takeWire(_:)``.
  func write(_ bytes: Span<UInt8>) -> Bool {
    guard state == .open, !bytes.isEmpty else { return false }
    var sent = 0
    while sent < bytes.count {
      // A memory BIO takes everything, so a write is never short for want of room.
      let count = unsafe bytes.extracting(sent..<bytes.count).withUnsafeBufferPointer {
        unsafe SSL_write(ssl, $0.baseAddress, Int32($0.count))
      }
      guard count > 0 else {
        fail()
        return false
      }
      sent += Int(count)
    }
    return true
  }

  /// Sends close_notify: nothing more will come.
  func close() { if state == .open { _ = unsafe SSL_shutdown(ssl) } }

  /// Gives what is to go on the wire to `body`, in pieces.
  func takeWire(_ body: (Span<UInt8>) -> Bool) {
    while true {
      // At most the buffer's count is written.
      let count = unsafe wire.withUnsafeMutableBytes { unsafe BIO_read(outgoing, $0.baseAddress, Int32($0.count)) }
      guard count > 0, body(wire.span.extracting(first: Int(count))) else { return }
    }
  }

  private func wantsMore(_ result: Int32) -> Bool {
    let code = unsafe SSL_get_error(ssl, result)
    if code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE {
      ERR_clear_error()
      return true
    }
    return false
  }

  private func fail() {
    let verdict = Int(unsafe SSL_get_verify_result(ssl))
    if state == .handshaking, verdict != Int(X509_V_OK) {
      // The text is a constant of the library.
      let text = unsafe String(cString: X509_verify_cert_error_string(verdict))
      state = .failed(.untrustedCertificate(text))
    } else {
      let reason = unsafe parley_error_reason(ERR_peek_error()).map { unsafe String(cString: $0) }
      state = .failed(.connectionFailed("TLS: \(reason ?? "the other end closed the connection")"))
    }
    ERR_clear_error()
  }
}
