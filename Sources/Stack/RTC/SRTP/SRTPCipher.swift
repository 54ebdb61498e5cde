internal import COpenSSL

/// Encrypts and authenticates the packets of one direction and kind (RTP or RTCP) with one set of session keys.
///
/// All streams of a direction share the keys, so the OpenSSL context is keyed once and only re-initialised with each
/// packet's nonce; nothing is allocated per packet. Packets that are sent with GCM, most of all, go through
/// ``GCMSealer``.
///
/// Safety: `context` is owned by this object from `init` to `deinit`. The methods take raw pointers, are marked
/// `@unsafe`, and state their callers' duties.
@safe
final class SRTPCipher {
  /// AES-GCM, or AES-CM with HMAC-SHA1.
  let kind: SRTPProfile.Kind
  /// Nil where ``sealer`` does the work.
  private let context: OpaquePointer?
  private let sealer: GCMSealer?
  private let authenticator: HMACSHA1
  private let saltHigh: UInt64
  private let saltLow: UInt64

  /// A cipher for packets to send (`encrypts`) or received.
  init(profile: SRTPProfile, keys: SRTPSessionKeys, encrypts: Bool) throws(SRTPError) {
    kind = profile.kind
    authenticator = HMACSHA1(key: keys.authentication)
    var words: (UInt64, UInt64) = (0, 0)
    for index in 0..<16 {
      let byte = UInt64(index < keys.salt.count ? keys.salt[index] : 0)
      if index < 8 { words.0 = words.0 << 8 | byte } else { words.1 = words.1 << 8 | byte }
    }
    (saltHigh, saltLow) = words
    if kind == .insecureNull {
      unsafe context = nil
      sealer = nil
      return
    }
    guard keys.encryption.count == profile.masterKeyLength, keys.salt.count == profile.masterSaltLength,
      kind != .aes128CMHMACSHA1_80 || keys.authentication.count == 20
    else {
      throw .wrongKeyLength(expectedKey: profile.masterKeyLength, expectedSalt: profile.masterSaltLength)
    }
    if encrypts, kind != .aes128CMHMACSHA1_80, let sealer = GCMSealer(key: keys.encryption) {
      self.sealer = sealer
      unsafe context = nil
      return
    }
    sealer = nil
    // Freed in deinit.
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .cipherFailed }
    unsafe self.context = unsafe context
    // The key's length, checked above, is the cipher's. Counter mode encrypts in both directions.
    let ok =
      switch kind {
      case .aeadAES128GCM:
        unsafe EVP_CipherInit_ex(context, EVP_aes_128_gcm(), nil, keys.encryption, nil, encrypts ? 1 : 0)
      case .aeadAES256GCM:
        unsafe EVP_CipherInit_ex(context, EVP_aes_256_gcm(), nil, keys.encryption, nil, encrypts ? 1 : 0)
      case .aes128CMHMACSHA1_80, .insecureNull:
        unsafe EVP_CipherInit_ex(context, EVP_aes_128_ctr(), nil, keys.encryption, nil, 1)
      }
    guard ok == 1 else { throw .cipherFailed }
  }

  // The only owner of `context` and `sealer` goes away here.
  deinit {
    unsafe EVP_CIPHER_CTX_free(context)
    if let sealer { unsafe sealer.free() }
  }

  /// A secret number for the stream table's hash.
  var tableSeed: UInt64 { saltHigh &* 31 ^ saltLow }

  /// The nonce of a packet.
  ///
  /// GCM (RFC 7714 sections 8.1 and 9.1): 16 zero bits, SSRC, 48-bit index, all XOR salt. Counter mode (RFC 3711
  /// section 4.1.1): salt XOR SSRC at bit 64 XOR index at bit 16. The 31-bit RTCP index fits both.
  @inline(__always)
  private func nonce(ssrc: UInt32, index: UInt64) -> (UInt64, UInt64) {
    if kind == .aes128CMHMACSHA1_80 {
      return ((saltHigh ^ UInt64(ssrc)).bigEndian, (saltLow ^ (index << 16)).bigEndian)
    }
    return ((saltHigh ^ (UInt64(ssrc) << 16 | index >> 32)).bigEndian, (saltLow ^ (index << 32)).bigEndian)
  }

  /// Sets the nonce of a packet; key and direction stay.
  @inline(__always)
  private func setNonce(ssrc: UInt32, index: UInt64) -> Bool {
    var nonce = nonce(ssrc: ssrc, index: index)
    // OpenSSL copies 12 or 16 bytes during the call; the tuple has 16.
    return unsafe withUnsafeBytes(of: &nonce) { bytes in
      unsafe EVP_CipherInit_ex(
        context, nil, nil, nil, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), -1) == 1
    }
  }

  /// GCM: encrypts `length` bytes of `input` to `output` and writes the 16-byte tag after them.
  ///
  /// `aad` has `aadLength` bytes; `trailer`, when given, is authenticated after it (big-endian). `output` has room for
  /// `length + 16` and is `input` itself or does not overlap it.
  @unsafe @inline(__always)
  func sealGCM(
    ssrc: UInt32, index: UInt64, aad: UnsafePointer<UInt8>, aadLength: Int, trailer: UInt32?,
    input: UnsafePointer<UInt8>, length: Int, output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    if let sealer {
      var nonce = nonce(ssrc: ssrc, index: index)
      // The first 12 of the tuple's 16 bytes are read during the call.
      return unsafe withUnsafeBytes(of: &nonce) { bytes in
        guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
        return unsafe sealer.seal(
          nonce: start, aad: aad, aadLength: aadLength, trailer: trailer, input: input, length: length, output: output)
      }
    }
    var written: Int32 = 0
    guard setNonce(ssrc: ssrc, index: index),
      unsafe authenticate(aad, aadLength, trailer),
      unsafe length == 0
        || EVP_EncryptUpdate(context, output, &written, input, Int32(truncatingIfNeeded: length)) == 1,
      unsafe EVP_EncryptFinal_ex(context, output + length, &written) == 1
    else { return false }
    return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, output + length) == 1
  }

  /// GCM: checks the tag that follows `length` bytes at `data` and decrypts them in place. False when it does not fit;
  /// the bytes are then overwritten with zeros, so that unauthenticated plaintext cannot be used by mistake.
  @unsafe @inline(__always)
  func openGCM(
    ssrc: UInt32, index: UInt64, aad: UnsafePointer<UInt8>, aadLength: Int, trailer: UInt32?,
    data: UnsafeMutablePointer<UInt8>, length: Int
  ) -> Bool {
    var written: Int32 = 0
    guard setNonce(ssrc: ssrc, index: index),
      unsafe authenticate(aad, aadLength, trailer),
      unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, data + length) == 1,
      unsafe length == 0
        || EVP_DecryptUpdate(context, data, &written, data, Int32(truncatingIfNeeded: length)) == 1
    else { return false }
    if unsafe EVP_DecryptFinal_ex(context, data + length, &written) == 1 { return true }
    unsafe data.update(repeating: 0, count: length)
    return false
  }

  @unsafe @inline(__always)
  private func authenticate(_ aad: UnsafePointer<UInt8>, _ length: Int, _ trailer: UInt32?) -> Bool {
    var written: Int32 = 0
    guard unsafe EVP_CipherUpdate(context, nil, &written, aad, Int32(truncatingIfNeeded: length)) == 1 else {
      return false
    }
    guard let trailer else { return true }
    var word = trailer.bigEndian
    return unsafe withUnsafeBytes(of: &word) { bytes in
      unsafe EVP_CipherUpdate(
        context, nil, &written, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), 4) == 1
    }
  }

  /// Counter mode: encrypts or decrypts `length` bytes of `input` to `output`, which may be the same.
  @unsafe @inline(__always)
  func applyKeystream(
    ssrc: UInt32, index: UInt64, input: UnsafePointer<UInt8>, length: Int, output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard length > 0 else { return true }
    var written: Int32 = 0
    guard setNonce(ssrc: ssrc, index: index) else { return false }
    return unsafe EVP_EncryptUpdate(context, output, &written, input, Int32(truncatingIfNeeded: length)) == 1
  }

  /// Writes the 10-byte HMAC of `length` bytes at `message`, then of `suffix`, to `tag`, which may follow the message.
  @unsafe @inline(__always)
  func writeTag(
    _ message: UnsafePointer<UInt8>, length: Int, suffix: UInt32?, to tag: UnsafeMutablePointer<UInt8>
  ) {
    unsafe authenticator.tag80(message, length, suffix: suffix, into: tag)
  }

  /// Whether the 10 bytes at `tag` are the HMAC of the message; takes the same time wherever they differ.
  @unsafe @inline(__always)
  func tagMatches(
    _ message: UnsafePointer<UInt8>, length: Int, suffix: UInt32?, tag: UnsafePointer<UInt8>
  ) -> Bool {
    var computed: (UInt64, UInt64) = (0, 0)
    return unsafe withUnsafeMutableBytes(of: &computed) { bytes in
      guard let own = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return false }
      unsafe authenticator.tag80(message, length, suffix: suffix, into: own)
      return unsafe CRYPTO_memcmp(own, tag, 10) == 0
    }
  }
}
