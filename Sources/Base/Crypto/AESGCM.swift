internal import COpenSSL

/// AES-GCM with keys of 16 or 32 bytes, nonces of 12 and tags of 16 (NIST SP 800-38D).
///
/// The key of a ``Sealer`` or an ``Opener`` is expanded once; a message allocates nothing where its output has room.
public enum AESGCM {
  /// Bytes by which sealing lengthens a message.
  public static let tagLength = 16

  /// Encrypts. Used by one thread at a time.
  public final class Sealer {
    private let context: GCMContext

    /// A sealer for a key of 16 or 32 bytes.
    public init(key: SecretBytes) throws(CryptoError) { context = try GCMContext(key: key, encrypts: true) }

    /// Appends ciphertext and tag of `plaintext` to `output`. The tag covers `header` and then `metadata` as well.
    ///
    /// After an error `output` is as it was.
    public func seal(
      _ plaintext: Span<UInt8>, nonce: AEADNonce, authenticating header: Span<UInt8>, _ metadata: Span<UInt8> = Span(),
      appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
      try context.seal(plaintext, nonce: nonce, header, metadata, appendingTo: &output)
    }
  }

  /// Decrypts. Used by one thread at a time.
  public final class Opener {
    private let context: GCMContext

    /// An opener for a key of 16 or 32 bytes.
    public init(key: SecretBytes) throws(CryptoError) { context = try GCMContext(key: key, encrypts: false) }

    /// Appends the plaintext of `sealed`, ciphertext and tag, to `output`.
    ///
    /// After an error `output` is as it was; nothing of what was not authentic stays in memory.
    public func open(
      _ sealed: Span<UInt8>, nonce: AEADNonce, authenticating header: Span<UInt8>, _ metadata: Span<UInt8> = Span(),
      appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
      try context.open(sealed, nonce: nonce, header, metadata, appendingTo: &output)
    }
  }

  /// Ciphertext and tag of one message, for keys that are used once.
  public static func seal(
    _ plaintext: Span<UInt8>, key: SecretBytes, nonce: AEADNonce, authenticating header: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    try Sealer(key: key).seal(plaintext, nonce: nonce, authenticating: header, appendingTo: &output)
    return output
  }

  /// The plaintext of one message.
  public static func open(
    _ sealed: Span<UInt8>, key: SecretBytes, nonce: AEADNonce, authenticating header: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    try Opener(key: key).open(sealed, nonce: nonce, authenticating: header, appendingTo: &output)
    return output
  }
}

/// OpenSSL's state of one key and direction.
///
/// Safety: `context` is owned from `init` to `deinit`. OpenSSL gets pointers with the counts of what they point to, and
/// keeps none.
@safe
final class GCMContext {
  private let context: OpaquePointer

  init(key: SecretBytes, encrypts: Bool) throws(CryptoError) {
    guard key.count == 16 || key.count == 32 else { throw .wrongLength(expected: 16, actual: key.count) }
    let cipher = unsafe key.count == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm()
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .clearing(.failed) }
    let done = unsafe key.bytes.withUnsafeBufferPointer {
      unsafe EVP_CipherInit_ex(context, cipher, nil, $0.baseAddress, nil, encrypts ? 1 : 0) == 1
    }
    guard done else {
      unsafe EVP_CIPHER_CTX_free(context)
      throw .clearing(.failed)
    }
    unsafe self.context = unsafe context
  }

  // Wipes the key as well.
  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  /// Sets the nonce and takes in what is only authenticated.
  private func begin(_ nonce: AEADNonce, _ header: Span<UInt8>, _ metadata: Span<UInt8>) -> Bool {
    var words = (
      nonce.high.bigEndian, UInt32(truncatingIfNeeded: nonce.low >> 32).bigEndian,
      UInt32(truncatingIfNeeded: nonce.low).bigEndian
    )
    // The three words are the nonce's 12 bytes.
    let isSet = unsafe withUnsafeBytes(of: &words) {
      unsafe EVP_CipherInit_ex(context, nil, nil, nil, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), -1) == 1
    }
    return isSet && update(with: header) && update(with: metadata)
  }

  private func update(with authenticated: Span<UInt8>) -> Bool {
    guard authenticated.count > 0 else { return true }
    guard let length = Int32(exactly: authenticated.count) else { return false }
    var written: Int32 = 0
    return unsafe authenticated.withUnsafeBufferPointer {
      unsafe EVP_CipherUpdate(context, nil, &written, $0.baseAddress, length) == 1
    }
  }

  func seal(
    _ plaintext: Span<UInt8>, nonce: AEADNonce, _ header: Span<UInt8>, _ metadata: Span<UInt8>,
    appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    guard let length = Int32(exactly: plaintext.count) else { throw .tooLong }
    guard begin(nonce, header, metadata) else { throw .clearing(.failed) }
    let start = output.count
    output.append(contentsOf: repeatElement(0, count: plaintext.count + AESGCM.tagLength))
    let done = unsafe plaintext.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let base = output.baseAddress else { return false }
        var written: Int32 = 0
        let tag = unsafe base + start + input.count
        let isEncrypted =
          unsafe length == 0 || EVP_CipherUpdate(context, base + start, &written, input.baseAddress, length) == 1
        return unsafe isEncrypted && EVP_CipherFinal_ex(context, tag, &written) == 1
          && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(AESGCM.tagLength), tag) == 1
      }
    }
    guard done else {
      output.removeSubrange(start...)
      throw .clearing(.failed)
    }
  }

  func open(
    _ sealed: Span<UInt8>, nonce: AEADNonce, _ header: Span<UInt8>, _ metadata: Span<UInt8>,
    appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    let count = sealed.count - AESGCM.tagLength
    guard count >= 0 else { throw .authenticationFailed }
    guard let length = Int32(exactly: count) else { throw .tooLong }
    guard begin(nonce, header, metadata) else { throw .clearing(.failed) }
    let start = output.count
    // Some versions write a block at the end; the tag's room takes it.
    output.append(contentsOf: repeatElement(0, count: sealed.count))
    let done = unsafe sealed.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let from = input.baseAddress, let base = output.baseAddress else { return false }
        var written: Int32 = 0
        // The tag is only read.
        let tag = unsafe UnsafeMutablePointer(mutating: from + count)
        return unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(AESGCM.tagLength), tag) == 1
          && (length == 0 || EVP_CipherUpdate(context, base + start, &written, from, length) == 1)
          && EVP_CipherFinal_ex(context, base + start + count, &written) == 1
      }
    }
    if !done {
      for index in start..<output.count { output[index] = 0 }
      output.removeSubrange(start...)
      throw .clearing(.authenticationFailed)
    }
    output.removeSubrange((start + count)...)
  }
}
