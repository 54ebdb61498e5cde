internal import COpenSSL

/// The keys that packets of one direction and kind (RTP or RTCP) are protected with (RFC 3711 section 4.3).
struct SRTPSessionKeys: Equatable {
  var encryption: [UInt8]
  /// Empty with AEAD profiles.
  var authentication: [UInt8]
  /// 12 bytes with GCM, 14 with counter mode.
  var salt: [UInt8]
}

/// The AES-CM key derivation of RFC 3711 section 4.3 with a key derivation rate of 0, as DTLS-SRTP has it;
/// for GCM by RFC 7714 section 11, for 256-bit keys by RFC 6188 section 3.
enum SRTPKeyDerivation {
  /// The purpose of a derived key; the raw value is the label of RTP, RTCP's is 3 higher.
  enum Label: UInt8 {
    case encryption = 0
    case authentication = 1
    case salt = 2
  }

  /// The session keys of RTP or RTCP.
  static func sessionKeys(
    profile: SRTPProfile, master: SRTPMasterKey, isRTCP: Bool
  ) throws(SRTPError) -> SRTPSessionKeys {
    let key = master.key.value
    let salt = master.salt.value
    guard key.count == profile.masterKeyLength, salt.count == profile.masterSaltLength else {
      throw .wrongKeyLength(expectedKey: profile.masterKeyLength, expectedSalt: profile.masterSaltLength)
    }
    if profile.kind == .insecureNull { return SRTPSessionKeys(encryption: [], authentication: [], salt: []) }
    let base: UInt8 = isRTCP ? 3 : 0
    func derive(_ label: Label, _ length: Int) throws(SRTPError) -> [UInt8] {
      try Self.derive(key: key, salt: salt, label: label.rawValue + base, length: length)
    }
    return SRTPSessionKeys(
      encryption: try derive(.encryption, key.count),
      authentication: profile.kind == .aes128CMHMACSHA1_80 ? try derive(.authentication, 20) : [],
      salt: try derive(.salt, salt.count))
  }

  /// `length` bytes of the pseudo-random function for `label`.
  static func derive(key: [UInt8], salt: [UInt8], label: UInt8, length: Int) throws(SRTPError) -> [UInt8] {
    // A 96-bit salt takes the left of the 112 bits (RFC 7714 section 11).
    var block = salt + [UInt8](repeating: 0, count: max(0, 16 - salt.count))
    block[7] ^= label
    return try keystream(key: key, counter: block, length: length)
  }

  /// `length` bytes of AES counter mode keystream that starts at `counter` (16 bytes).
  static func keystream(key: [UInt8], counter: [UInt8], length: Int) throws(SRTPError) -> [UInt8] {
    var out = [UInt8](repeating: 0, count: length)
    let zeros = out
    // OpenSSL reads a key of the cipher's length, 16 counter bytes and `length` input bytes, and writes `length`
    // bytes: the arrays' sizes, checked here. The context is freed on every way out.
    guard key.count == 16 || key.count == 32, counter.count == 16, length > 0,
      let context = unsafe EVP_CIPHER_CTX_new()
    else { throw .cipherFailed }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var written: Int32 = 0
    let cipher = unsafe key.count == 16 ? EVP_aes_128_ctr() : EVP_aes_256_ctr()
    guard unsafe EVP_EncryptInit_ex(context, cipher, nil, key, counter) == 1,
      unsafe EVP_EncryptUpdate(context, &out, &written, zeros, Int32(length)) == 1, written == Int32(length)
    else { throw .cipherFailed }
    return out
  }
}
