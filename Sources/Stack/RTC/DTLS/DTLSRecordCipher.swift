internal import Basics
internal import COpenSSL

/// The encryption of one direction of an association after its handshake: AES-GCM (RFC 5288) or ChaCha20-Poly1305 (RFC
/// 7905).
///
/// The OpenSSL context is made with the first record: a connection without data channels doesn't need it.
///
/// Safety: `context` is owned from its making to `deinit`. OpenSSL gets the key, a nonce of 12 bytes and buffers with
/// their counts; its output buffers are made in full size before.
@safe
final class DTLSRecordCipher {
  /// A cipher that can be negotiated.
  enum Kind {
    case aes128GCM, aes256GCM, chaCha20Poly1305

    /// OpenSSL's number of the cipher; nil for one that ``DTLSContext`` does not offer.
    init?(nid: Int32) {
      switch nid {
      case NID_aes_128_gcm: self = .aes128GCM
      case NID_aes_256_gcm: self = .aes256GCM
      case NID_chacha20_poly1305: self = .chaCha20Poly1305
      default: return nil
      }
    }

    var keyLength: Int { self == .aes128GCM ? 16 : 32 }
    /// Bytes of the nonce that are secret and the same for all records.
    var fixedLength: Int { self == .chaCha20Poly1305 ? 12 : 4 }
    /// Bytes of the nonce that each record carries.
    var explicitLength: Int { self == .chaCha20Poly1305 ? 0 : 8 }
    /// The bytes of a record besides its content and header.
    var overhead: Int { explicitLength + DTLSRecordCipher.tagLength }
  }

  static let tagLength = 16

  let kind: Kind
  private let key: Secret<[UInt8]>
  private let fixed: Secret<[UInt8]>
  private let encrypts: Bool
  private var context: OpaquePointer?

  /// A cipher with a key of ``Kind/keyLength`` and the fixed part of its nonces, of ``Kind/fixedLength``.
  init(_ kind: Kind, key: [UInt8], fixed: [UInt8], encrypts: Bool) {
    precondition(key.count == kind.keyLength && fixed.count == kind.fixedLength)
    self.kind = kind
    self.key = Secret(key)
    self.fixed = Secret(fixed)
    self.encrypts = encrypts
    unsafe context = nil
  }

  // The only owner of `context`.
  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// The nonce of a record: the number behind the fixed part (RFC 5288 section 3), or XORed into its end (RFC 7905
  /// section 2).
  private func nonce(_ number: UInt64) -> [UInt8] {
    var nonce = fixed.value
    nonce.reserveCapacity(12)
    for index in 0..<8 {
      let byte = UInt8(truncatingIfNeeded: number >> UInt64(56 &- 8 &* index))
      if kind == .chaCha20Poly1305 { nonce[4 &+ index] ^= byte } else { nonce.append(byte) }
    }
    return nonce
  }

  /// The context, set up for the record of `number` and its additional data; nil when OpenSSL fails.
  @unsafe
  private func begin(_ number: UInt64, _ additional: [UInt8]) -> OpaquePointer? {
    if unsafe context == nil {
      guard let made = unsafe EVP_CIPHER_CTX_new() else { return nil }
      let cipher =
        switch kind {
        case .aes128GCM: unsafe EVP_aes_128_gcm()
        case .aes256GCM: unsafe EVP_aes_256_gcm()
        case .chaCha20Poly1305: unsafe EVP_chacha20_poly1305()
        }
      guard unsafe EVP_CipherInit_ex(made, cipher, nil, key.value, nil, encrypts ? 1 : 0) == 1 else {
        unsafe EVP_CIPHER_CTX_free(made)
        return nil
      }
      unsafe context = unsafe made
    }
    var written: Int32 = 0
    guard unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce(number), -1) == 1,
      unsafe EVP_CipherUpdate(context, nil, &written, additional, Int32(truncatingIfNeeded: additional.count)) == 1
    else { return nil }
    return unsafe context
  }

  /// Appends `content`, encrypted under the nonce `number`, and its tag to `output`; false when OpenSSL fails.
  func seal(
    _ content: Span<UInt8>, number: UInt64, additional: [UInt8], appendingTo output: inout [UInt8]
  ) -> Bool {
    guard let context = unsafe begin(number, additional) else { return false }
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: content.count + Self.tagLength))
    return unsafe content.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let base = output.baseAddress else { return false }
        let out = unsafe base + start
        let tag = unsafe out + input.count
        var written: Int32 = 0
        guard
          unsafe input.isEmpty
            || EVP_CipherUpdate(context, out, &written, input.baseAddress, Int32(truncatingIfNeeded: input.count)) == 1
        else { return false }
        return unsafe EVP_CipherFinal_ex(context, tag, &written) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
      }
    }
  }

  /// Decrypts the bytes of `record` from `start` on, whose tag stands at the end; nil when it does not fit.
  func open(_ record: [UInt8], from start: Int, number: UInt64, additional: [UInt8]) -> [UInt8]? {
    let length = record.count &- start &- Self.tagLength
    guard length >= 0, let context = unsafe begin(number, additional) else { return nil }
    var tag = Array(record[(start &+ length)...])
    var content = [UInt8](repeating: 0, count: length)
    var rest = [UInt8](repeating: 0, count: Self.tagLength)
    var written: Int32 = 0
    let isRight = unsafe record.withUnsafeBufferPointer { record in
      guard let input = record.baseAddress else { return false }
      return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), &tag) == 1
        && (length == 0
          || EVP_CipherUpdate(context, &content, &written, input + start, Int32(truncatingIfNeeded: length)) == 1)
        && EVP_CipherFinal_ex(context, &rest, &written) == 1
    }
    return isRight ? content : nil
  }
}
