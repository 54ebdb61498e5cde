internal import COpenSSL

/// Keys from secrets (RFC 5869).
public enum HKDF {
  /// HKDF-Extract: a key of ``HashAlgorithm/length`` bytes from a secret that need not be uniform.
  public static func extract(
    salt: Span<UInt8>, secret: Span<UInt8>, using algorithm: HashAlgorithm
  ) throws(CryptoError) -> SecretBytes {
    // The secret has room for one code.
    try unsafe SecretBytes(count: algorithm.length) { unsafe HMAC.write(secret, key: salt, using: algorithm, to: $0) }
  }

  /// HKDF-Expand: `count` bytes, at most 255 digests, that belong to `info`.
  public static func expand(
    _ key: SecretBytes, info: Span<UInt8>, count: Int, using algorithm: HashAlgorithm
  ) throws(CryptoError) -> SecretBytes {
    let length = algorithm.length
    guard count >= 0, count <= 255 * length else { throw .tooLong }
    // Previous block, info, counter.
    var input = [UInt8](repeating: 0, count: length + info.count + 1)
    for index in info.indices { input[length + index] = info[index] }
    var block = [UInt8](repeating: 0, count: length)
    defer {
      // OpenSSL writes within the arrays' counts.
      unsafe OPENSSL_cleanse(&input, input.count)
      unsafe OPENSSL_cleanse(&block, block.count)
    }
    return try unsafe SecretBytes(count: count) { out in
      var written = 0
      while written < count {
        let number = written / length + 1
        input[input.count - 1] = UInt8(truncatingIfNeeded: number)
        guard unsafe write(input, from: number == 1 ? length : 0, key: key, using: algorithm, to: &block) else {
          return false
        }
        for index in 0..<length {
          input[index] = block[index]
          // `out` has `count` bytes.
          if written + index < count { unsafe out[written + index] = block[index] }
        }
        written += length
      }
      return true
    }
  }

  /// Writes the code of `input` from an offset on to `block`, which has its length.
  @unsafe
  private static func write(
    _ input: [UInt8], from offset: Int, key: SecretBytes, using algorithm: HashAlgorithm, to block: inout [UInt8]
  ) -> Bool {
    unsafe block.withUnsafeMutableBufferPointer { block in
      guard let base = block.baseAddress else { return false }
      let message = input.span.extracting(offset..<input.count)
      return unsafe HMAC.write(message, key: key.bytes, using: algorithm, to: base)
    }
  }

  /// Extract and expand with an empty salt, for a text as `info`.
  public static func derive(
    from secret: SecretBytes, label: String, count: Int, using algorithm: HashAlgorithm = .sha256
  ) throws(CryptoError) -> SecretBytes {
    let info = Array(label.utf8)
    return try expand(
      extract(salt: Span(), secret: secret.bytes, using: algorithm), info: info.span, count: count, using: algorithm)
  }
}
