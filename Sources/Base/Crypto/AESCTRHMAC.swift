internal import COpenSSL

/// The AEAD that SFrame builds of AES in counter mode and a cut HMAC (RFC 9605 section 4.5.1), for peers that insist on
/// short tags.
///
/// Each message allocates: nothing that sends many of them uses it.
public struct AESCTRHMAC: Sendable {
  /// Bytes by which sealing lengthens a message.
  public let tagLength: Int
  private let encryptionKey: SecretBytes
  private let authenticationKey: SecretBytes
  private let hash: HashAlgorithm

  /// A cipher for a key of an AES key (16 or 32 bytes) and an HMAC key of the hash's length.
  public init(key: SecretBytes, tagLength: Int, using hash: HashAlgorithm) throws(CryptoError) {
    let encryption = key.count - hash.length
    guard encryption == 16 || encryption == 32 else {
      throw .wrongLength(expected: 16 + hash.length, actual: key.count)
    }
    guard tagLength >= 4, tagLength <= hash.length else {
      throw .wrongLength(expected: hash.length, actual: tagLength)
    }
    self.tagLength = tagLength
    self.hash = hash
    encryptionKey = key.extracting(0..<encryption)
    authenticationKey = key.extracting(encryption..<key.count)
  }

  /// Appends ciphertext and tag of `plaintext` to `output`. The tag covers `header` and then `metadata` as well.
  public func seal(
    _ plaintext: Span<UInt8>, nonce: AEADNonce, authenticating header: Span<UInt8>, _ metadata: Span<UInt8> = Span(),
    appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    let ciphertext = try applyKeystream(to: plaintext, nonce: nonce)
    let code = try tag(of: ciphertext.span, nonce: nonce, header, metadata)
    output += ciphertext
    output += code.prefix(tagLength)
  }

  /// Appends the plaintext of `sealed`, ciphertext and tag, to `output`.
  public func open(
    _ sealed: Span<UInt8>, nonce: AEADNonce, authenticating header: Span<UInt8>, _ metadata: Span<UInt8> = Span(),
    appendingTo output: inout [UInt8]
  ) throws(CryptoError) {
    let count = sealed.count - tagLength
    guard count >= 0 else { throw .authenticationFailed }
    let ciphertext = sealed.extracting(0..<count)
    let code = try tag(of: ciphertext, nonce: nonce, header, metadata)
    guard ConstantTime.areEqual(code.span.extracting(0..<tagLength), sealed.extracting(count..<sealed.count)) else {
      throw .authenticationFailed
    }
    output += try applyKeystream(to: ciphertext, nonce: nonce)
  }

  private func tag(
    of ciphertext: Span<UInt8>, nonce: AEADNonce, _ header: Span<UInt8>, _ metadata: Span<UInt8>
  ) throws(CryptoError) -> [UInt8] {
    var message: [UInt8] = []
    message.reserveCapacity(36 + header.count + metadata.count + ciphertext.count)
    for length in [header.count + metadata.count, ciphertext.count, tagLength] {
      for shift in stride(from: 56, through: 0, by: -8) { message.append(UInt8(truncatingIfNeeded: length >> shift)) }
    }
    let bytes = nonce.bytes
    for index in bytes.indices { message.append(bytes[index]) }
    for index in header.indices { message.append(header[index]) }
    for index in metadata.indices { message.append(metadata[index]) }
    for index in ciphertext.indices { message.append(ciphertext[index]) }
    return try HMAC.code(of: message.span, key: authenticationKey.bytes, using: hash)
  }

  private func applyKeystream(to input: Span<UInt8>, nonce: AEADNonce) throws(CryptoError) -> [UInt8] {
    guard let length = Int32(exactly: input.count) else { throw .tooLong }
    guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .clearing(.failed) }
    defer { unsafe EVP_CIPHER_CTX_free(context) }
    var counter = [UInt8](repeating: 0, count: 16)
    let bytes = nonce.bytes
    for index in bytes.indices { counter[index] = bytes[index] }
    let cipher = unsafe encryptionKey.count == 16 ? EVP_aes_128_ctr() : EVP_aes_256_ctr()
    var output = [UInt8](repeating: 0, count: input.count)
    var written: Int32 = 0
    // The key's length is the cipher's, the counter has 16 bytes, and as many bytes are written as read.
    let done = unsafe encryptionKey.bytes.withUnsafeBufferPointer { key in
      unsafe input.withUnsafeBufferPointer { input in
        unsafe EVP_EncryptInit_ex(context, cipher, nil, key.baseAddress, counter) == 1
          && (length == 0 || EVP_EncryptUpdate(context, &output, &written, input.baseAddress, length) == 1)
      }
    }
    guard done else { throw .clearing(.failed) }
    return output
  }
}
