internal import COpenSSL

/// AES-GCM encryption with one key by the functions of OpenSSL's provider: what EVP does, without looking up parameters
/// by name for each nonce.
///
/// A plain value, so that using it from an object counts no references: whoever makes it frees it once, as
/// ``SRTPCipher`` does.
///
/// Safety: `context` is valid from `init` to ``free()``; `functions` live as long as the process.
@safe
struct GCMSealer {
  // Written once, before anybody can see them, and never changed or freed.
  nonisolated(unsafe) private static let aes128 = unsafe parley_gcm_load("AES-128-GCM")
  nonisolated(unsafe) private static let aes256 = unsafe parley_gcm_load("AES-256-GCM")

  private let functions: UnsafePointer<parley_gcm>
  private let context: UnsafeMutableRawPointer

  /// A cipher for a key of 16 or 32 bytes; nil where OpenSSL does not offer its functions, so that EVP has to do.
  init?(key: [UInt8]) {
    guard key.count == 16 || key.count == 32,
      let functions = unsafe key.count == 16 ? Self.aes128 : Self.aes256,
      let context = unsafe parley_gcm_make(functions, key, key.count)
    else { return nil }
    unsafe self.functions = unsafe functions
    unsafe self.context = unsafe context
  }

  /// Wipes the key and gives the memory back; nothing may be sealed afterwards.
  @unsafe
  func free() { unsafe parley_gcm_free(functions, context) }

  /// Encrypts `length` bytes of `input` to `output` and writes the 16-byte tag behind them.
  ///
  /// `nonce` has 12 bytes, `aad` has `aadLength`; `trailer`, when given, is authenticated after it (big-endian).
  /// `output` has room for `length + 16` and is `input` itself or does not overlap it.
  @unsafe @inline(__always)
  func seal(
    nonce: UnsafePointer<UInt8>, aad: UnsafePointer<UInt8>, aadLength: Int, trailer: UInt32?,
    input: UnsafePointer<UInt8>, length: Int, output: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let trailer else {
      return unsafe parley_gcm_seal(functions, context, nonce, aad, aadLength, nil, input, length, output) == 1
    }
    var word = trailer.bigEndian
    return unsafe withUnsafeBytes(of: &word) { bytes in
      unsafe parley_gcm_seal(
        functions, context, nonce, aad, aadLength, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), input,
        length, output) == 1
    }
  }
}
