internal import COpenSSL

/// HMAC-SHA1 (RFC 2104) with the key absorbed once: each message starts from copies of the two prepared SHA-1 states.
///
/// Not EVP_MAC: in OpenSSL 3.0 every message through it costs two allocations and a table look-up or three.
/// The states are plain values on the stack here.
struct HMACSHA1 {
  private let inner: SHA_CTX
  private let outer: SHA_CTX

  /// A code keyed with `key`, at most 64 bytes.
  init(key: [UInt8]) {
    var pad = [UInt8](repeating: 0x36, count: 64)
    for (index, byte) in key.prefix(64).enumerated() { pad[index] ^= byte }
    inner = Self.state(absorbing: pad)
    for index in pad.indices { pad[index] ^= 0x36 ^ 0x5C }
    outer = Self.state(absorbing: pad)
  }

  private static func state(absorbing block: [UInt8]) -> SHA_CTX {
    var state = SHA_CTX()
    // The state is a live local; `block` is read for exactly its count.
    _ = unsafe SHA1_Init(&state)
    _ = unsafe SHA1_Update(&state, block, block.count)
    return state
  }

  /// Writes the first 10 bytes of the code of `message` followed by `suffix` to `tag`.
  @unsafe func tag80(
    _ message: UnsafePointer<UInt8>, _ length: Int, suffix: UInt32?, into tag: UnsafeMutablePointer<UInt8>
  ) {
    var state = inner
    // SHA-1 digests are 20 bytes; three 64-bit words hold one.
    var digest: (UInt64, UInt64, UInt64) = (0, 0, 0)
    unsafe withUnsafeMutableBytes(of: &digest) { bytes in
      guard let out = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      _ = unsafe SHA1_Update(&state, message, length)
      if let suffix {
        var word = suffix.bigEndian
        _ = unsafe SHA1_Update(&state, &word, 4)
      }
      _ = unsafe SHA1_Final(out, &state)
      state = outer
      _ = unsafe SHA1_Update(&state, out, 20)
      _ = unsafe SHA1_Final(out, &state)
      unsafe tag.update(from: out, count: 10)
    }
  }
}
