internal import COpenSSL

/// One DTLS handshake by OpenSSL, without time: records go in, datagrams come out. ``DTLSTransport`` adds the time.
///
/// **It ends with the handshake.** OpenSSL's object for a DTLS connection takes some 38 KiB for as long as it lives. 21
/// of them are the buffer of handshake messages, which is never used again. After the handshake there is little to do,
/// a record in a datagram. So ``finish()`` derives the keys of the records from OpenSSL's secrets, ``DTLSRecordLayer``
/// does the rest, and this object goes.
///
/// **Retransmission without OpenSSL's clock.** OpenSSL times its retransmissions with `gettimeofday` and has no way to
/// set the time. `DTLSv1_handle_timeout` does nothing unless its own clock agrees, and every read of a record
/// retransmits when it does. So neither real durations (tests in virtual time would never retransmit) nor tiny ones
/// (every read would) can work.
///
/// Instead this type lets OpenSSL retransmit in advance. When a flight has been written, the timer callback reports a
/// one-microsecond timer a fixed number of times. OpenSSL, about to wait for the answer, at once writes that many
/// further copies of the flight, each with fresh record sequence numbers (a peer drops repeated ones as replays). Then
/// the callback reports a timer of more than an hour, and OpenSSL's clock plays no part any more. The copies are kept
/// and sent, one by one, when *our* deadlines pass; the answer discards the rest. Signatures are not made again; a copy
/// costs some microseconds and as many bytes as the flight. This relies only on documented behaviour: the callback's
/// result is the time to wait.
///
/// Safety: `ssl` is owned from `init` to `deinit`; OpenSSL's callbacks run only inside calls made here, while `self` is
/// alive; `ssl`'s BIO and ex-data point at `self` without a reference, and `deinit` frees `ssl` first.
@safe
final class DTLSHandshake {
  /// The result of letting OpenSSL work.
  enum Progress {
    case wantsMore, established, closed
    case failed(DTLSFailure)
  }

  /// Copies of each flight made in advance. With 50 ms doubling they last 3 s; then the last one is repeated.
  static let copiesPerFlight = 6

  let mtu: Int
  let isClient: Bool
  let ssl: OpaquePointer
  private let remoteFingerprints: [Fingerprint]
  private(set) var peerIsVerified = false
  private var verifyFailure: DTLSFailure?

  private var inbound: [UInt8]?
  /// Datagrams to send now, in order.
  private(set) var outbound: [[UInt8]] = []
  /// Copies of the present flight for later; each is some datagrams.
  private(set) var copies: [[[UInt8]]] = []
  /// Counts flights that want an answer; the transport restarts its timer when it changes.
  private(set) var flight = 0
  private var isCopying = false
  /// Number and explicit nonce of the last encrypted record that OpenSSL wrote.
  private(set) var lastRecord: (sequence: UInt64, nonce: UInt64)?

  /// An association whose peer must show a certificate with one of `remoteFingerprints`.
  init(
    context: DTLSContext, isClient: Bool, remoteFingerprints: [Fingerprint], mtu: Int
  ) throws(DTLSSetupError) {
    OpenSSLErrors.clear()
    self.isClient = isClient
    self.remoteFingerprints = remoteFingerprints
    // OpenSSL refuses less than 256; 16,384 is a record's most.
    self.mtu = min(max(mtu, 256), 16_384)
    // SSL_new takes its own reference to the context. `deinit` frees `ssl`, and with it the BIO.
    guard let ssl = unsafe SSL_new(isClient ? context.client : context.server) else {
      throw .context(OpenSSLErrors.takeOldest())
    }
    unsafe self.ssl = ssl
    guard let bio = unsafe DTLSDatagramBIO.make(for: self),
      unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
    else { throw .context(OpenSSLErrors.takeOldest()) }
    unsafe SSL_set_bio(ssl, bio, bio)
    _ = unsafe parley_dtls_set_mtu(ssl, self.mtu)
    unsafe DTLS_set_timer_cb(ssl) { ssl, _ in unsafe DTLSHandshake.of(ssl)?.nextTimer() ?? UInt32.max }
    if isClient { unsafe SSL_set_connect_state(ssl) } else { unsafe SSL_set_accept_state(ssl) }
  }

  // The only owner of `ssl`; nothing calls back after this.
  deinit { unsafe SSL_free(ssl) }

  @unsafe private static func of(_ ssl: OpaquePointer?) -> DTLSHandshake? {
    guard let data = unsafe SSL_get_ex_data(ssl, 0) else { return nil }
    return unsafe Unmanaged<DTLSHandshake>.fromOpaque(data).takeUnretainedValue()
  }

  // MARK: Called by OpenSSL through the BIO and the callbacks

  /// OpenSSL wrote a datagram.
  func wrote(_ datagram: [UInt8]) {
    noteRecords(of: datagram)
    guard isCopying, let last = copies.indices.last else {
      outbound.append(datagram)
      return
    }
    // OpenSSL flushes after each message of a copy; join what fits into one datagram again.
    if let tail = copies[last].indices.last, copies[last][tail].count + datagram.count <= mtu {
      copies[last][tail] += datagram
    } else {
      copies[last].append(datagram)
    }
  }

  /// Remembers how far OpenSSL has numbered encrypted records, copies included: the records after the handshake go on
  /// from there.
  private func noteRecords(of datagram: [UInt8]) {
    var at = 0
    while at &+ 21 <= datagram.count {
      if datagram[at &+ 3] == 0, datagram[at &+ 4] == 1 {
        let record = datagram.span
        lastRecord = (
          record.networkUInt64(at: at &+ 3) & DTLSRecordLayer.lastSequence, record.networkUInt64(at: at &+ 13)
        )
      }
      at = at &+ 13 &+ Int(datagram.span.networkUInt16(at: at &+ 11))
    }
  }

  /// OpenSSL asks for a record.
  func takeInbound() -> [UInt8]? {
    isCopying = false
    defer { inbound = nil }
    return inbound
  }

  /// OpenSSL stopped its timer: a whole message of the peer's next flight arrived, so it has all of ours.
  func flightAnswered() {
    isCopying = false
    copies.removeAll()
  }

  /// OpenSSL starts its timer, or found it expired: how many microseconds to wait.
  private func nextTimer() -> UInt32 {
    if !isCopying, copies.isEmpty {
      // The first message of a new flight is about to be written; the writes up to the next call are the original.
      flight &+= 1
      isCopying = true
      return 1
    }
    guard isCopying, copies.count < Self.copiesPerFlight else { return UInt32.max }
    copies.append([])
    return copies.count < Self.copiesPerFlight ? 1 : UInt32.max
  }

  /// Called by OpenSSL with the peer's certificate in place of verifying a chain. 1 accepts it.
  @unsafe static func verify(_ store: OpaquePointer?) -> Int32 {
    // Both pointers belong to OpenSSL for the length of the callback.
    let index = SSL_get_ex_data_X509_STORE_CTX_idx()
    guard let ssl = unsafe X509_STORE_CTX_get_ex_data(store, index),
      let association = unsafe of(OpaquePointer(ssl)),
      let certificate = unsafe X509_STORE_CTX_get0_cert(store)
    else { return 0 }
    var memory: UnsafeMutablePointer<UInt8>?
    let length = unsafe Int(parley_certificate_der(certificate, &memory))
    guard length > 0, let start = unsafe memory else { return 0 }
    defer { unsafe parley_free(start) }
    if association.accepts(certificate: unsafe Array(UnsafeBufferPointer(start: start, count: length))) { return 1 }
    unsafe X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
    return 0
  }

  private func accepts(certificate der: [UInt8]) -> Bool {
    for expected in remoteFingerprints
    where Fingerprint(algorithm: expected.algorithm, certificate: der) == expected {
      peerIsVerified = true
      return true
    }
    verifyFailure = .fingerprintMismatch
    return false
  }

  // MARK: Called by the transport

  /// Hands over the datagrams to send now.
  func takeOutbound() -> [[UInt8]] {
    defer { outbound.removeAll() }
    return outbound
  }

  /// The next copy of the present flight; the last one stays, to be sent again. Empty when nothing waits for an answer.
  func takeCopy() -> [[UInt8]] {
    copies.count > 1 ? copies.removeFirst() : copies.first ?? []
  }

  /// The association's state for the record filter.
  var filterState: DTLSRecordFilter.State {
    // The cipher objects are static inside OpenSSL.
    let cipher = unsafe SSL_is_init_finished(ssl) == 1 ? SSL_get_current_cipher(ssl) : SSL_get_pending_cipher(ssl)
    let kind = unsafe cipher.flatMap { DTLSRecordCipher.Kind(nid: unsafe SSL_CIPHER_get_cipher_nid($0)) }
    return DTLSRecordFilter.State(cipherOverhead: kind?.overhead, isEstablished: false)
  }

  /// Lets the handshake go on, with `record` when there is one.
  func handshake(_ record: [UInt8]?) -> Progress {
    inbound = record
    OpenSSLErrors.clear()
    let result = unsafe SSL_do_handshake(ssl)
    inbound = nil
    isCopying = false
    if result == 1 {
      copies.removeAll()
      return .established
    }
    return progress(after: result)
  }

  /// Writes a close_notify alert, if the handshake got that far.
  func close() {
    _ = unsafe SSL_shutdown(ssl)
    OpenSSLErrors.clear()
  }

  private func progress(after result: Int32) -> Progress {
    let error = unsafe SSL_get_error(ssl, result)
    switch error {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsMore
    case SSL_ERROR_ZERO_RETURN: return .closed
    default: break
    }
    defer { OpenSSLErrors.clear() }
    if let verifyFailure { return .failed(verifyFailure) }
    let reason = OpenSSLErrors.newestReason()
    switch reason {
    case SSL_R_NO_SHARED_CIPHER: return .failed(.noSharedCipher)
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .failed(.noPeerCertificate)
    case 1_001...1_255: return .failed(.peerAlert(UInt8(truncatingIfNeeded: reason - 1_000)))
    default: return .failed(.handshake(OpenSSLErrors.takeOldest()))
    }
  }
}
