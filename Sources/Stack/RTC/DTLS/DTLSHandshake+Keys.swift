internal import COpenSSL

/// The result of a finished handshake.
struct DTLSAgreement {
  /// The SRTP master keys (RFC 5764 section 4.2).
  let material: SRTPKeyingMaterial
  /// The association's records from here on.
  let records: DTLSRecordLayer
}

extension DTLSHandshake {
  /// The keys for SRTP and for further records, once the handshake is established. Fails unless the peer's fingerprint
  /// was checked in this very handshake.
  func finish() -> Result<DTLSAgreement, DTLSFailure> {
    guard peerIsVerified else { return .failure(.fingerprintMismatch) }
    // The profile is static inside OpenSSL; the exporter writes exactly the array's count.
    guard let chosen = unsafe SSL_get_selected_srtp_profile(ssl),
      let profile = SRTPProfile(dtlsIdentifier: UInt16(truncatingIfNeeded: unsafe chosen.pointee.id))
    else { return .failure(.noSharedProfile) }
    var exported = [UInt8](repeating: 0, count: SRTPKeyingMaterial.exportedLength(profile))
    let label = "EXTRACTOR-dtls_srtp"
    guard
      unsafe SSL_export_keying_material(
        ssl, &exported, exported.count, label, label.utf8.count, nil, 0, 0) == 1,
      let material = SRTPKeyingMaterial(profile: profile, exported: exported, isClient: isClient),
      let records = records()
    else { return .failure(.handshake(OpenSSLErrors.takeOldest())) }
    return .success(DTLSAgreement(material: material, records: records))
  }

  /// The record layer with the keys of RFC 5246 section 6.3: client's key, server's key, client's IV, server's IV.
  private func records() -> DTLSRecordLayer? {
    // The cipher and its hash are static inside OpenSSL, the session belongs to `ssl`; each function writes at most the
    // count it is given.
    guard let last = lastRecord, let cipher = unsafe SSL_get_current_cipher(ssl),
      let kind = unsafe DTLSRecordCipher.Kind(nid: SSL_CIPHER_get_cipher_nid(cipher)),
      let digest = unsafe SSL_CIPHER_get_handshake_digest(cipher), let session = unsafe SSL_get_session(ssl)
    else { return nil }
    var master = [UInt8](repeating: 0, count: 48)
    var seed = Array("key expansion".utf8)
    var random = [UInt8](repeating: 0, count: 32)
    guard unsafe SSL_SESSION_get_master_key(session, &master, master.count) == master.count,
      unsafe SSL_get_server_random(ssl, &random, random.count) == random.count
    else { return nil }
    seed += random
    guard unsafe SSL_get_client_random(ssl, &random, random.count) == random.count else { return nil }
    seed += random
    var block = [UInt8](repeating: 0, count: 2 * (kind.keyLength + kind.fixedLength))
    defer {
      unsafe OPENSSL_cleanse(&master, master.count)
      unsafe OPENSSL_cleanse(&block, block.count)
    }
    guard unsafe parley_tls12_prf(digest, master, master.count, seed, seed.count, &block, block.count) == 1 else {
      return nil
    }
    func piece(_ length: Int, at start: Int) -> [UInt8] { Array(block[start..<(start + length)]) }
    let vectors = 2 * kind.keyLength
    let client = DTLSRecordCipher(
      kind, key: piece(kind.keyLength, at: 0), fixed: piece(kind.fixedLength, at: vectors), encrypts: isClient)
    let server = DTLSRecordCipher(
      kind, key: piece(kind.keyLength, at: kind.keyLength),
      fixed: piece(kind.fixedLength, at: vectors + kind.fixedLength), encrypts: !isClient)
    return DTLSRecordLayer(
      sending: isClient ? client : server, receiving: isClient ? server : client, lastSequence: last.sequence,
      lastNonce: last.nonce)
  }
}
