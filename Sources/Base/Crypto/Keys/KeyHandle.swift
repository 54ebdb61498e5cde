internal import COpenSSL

/// An OpenSSL key. OpenSSL wipes it with its last reference.
///
/// Safety: `pointer` is owned from `init` to `deinit`; a key never changes after it was made, and OpenSSL lets several
/// threads use one.
@safe
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over a key that OpenSSL has made; nil stands for one that it refused.
  @unsafe
  init(_ pointer: OpaquePointer?) throws(CryptoError) {
    guard let pointer = unsafe pointer else { throw .clearing(.invalidKey) }
    unsafe self.pointer = unsafe pointer
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The secret that both ends of an exchange compute, `count` bytes.
  func sharedSecret(with peer: KeyHandle, count: Int) throws(CryptoError) -> SecretBytes {
    guard let context = unsafe EVP_PKEY_CTX_new(pointer, nil) else { throw .clearing(.failed) }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, peer.pointer) == 1 else {
      throw .clearing(.invalidKey)
    }
    var isWhole = false
    do throws(CryptoError) {
      // OpenSSL gets the room in `length` and returns there how much it used.
      return try unsafe SecretBytes(count: count) { out in
        var length = count
        isWhole = unsafe EVP_PKEY_derive(context, out, &length) == 1 && length == count
        return isWhole
      }
    } catch {
      // It refuses a secret of zeros, which every peer's key of small order gives.
      throw .invalidKey
    }
  }

  /// A signature over `message` of at most `count` bytes; `digest` is nil where the algorithm has its own.
  @unsafe
  func sign(_ message: Span<UInt8>, digest: OpaquePointer?, count: Int) throws(CryptoError) -> [UInt8] {
    guard let context = unsafe EVP_MD_CTX_new() else { throw .clearing(.failed) }
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: count)
    var length = count
    // OpenSSL reads the span's count, gets the room in `length`, and returns there how much it used.
    let done = unsafe message.withUnsafeBufferPointer {
      unsafe EVP_DigestSignInit(context, nil, digest, nil, pointer) == 1
        && EVP_DigestSign(context, &signature, &length, $0.baseAddress ?? Self.nothing, $0.count) == 1
    }
    guard done, length <= count else { throw .clearing(.failed) }
    return Array(signature.prefix(length))
  }

  /// Whether `signature` is one of this key over `message`.
  @unsafe
  func verifies(_ signature: Span<UInt8>, of message: Span<UInt8>, digest: OpaquePointer?) -> Bool {
    guard let context = unsafe EVP_MD_CTX_new() else { return false }
    defer {
      unsafe EVP_MD_CTX_free(context)
      ERR_clear_error()
    }
    // OpenSSL reads both spans within their counts.
    return unsafe signature.withUnsafeBufferPointer { signature in
      unsafe message.withUnsafeBufferPointer { message in
        unsafe EVP_DigestVerifyInit(context, nil, digest, nil, pointer) == 1
          && EVP_DigestVerify(
            context, signature.baseAddress, signature.count, message.baseAddress ?? Self.nothing, message.count) == 1
      }
    }
  }

  // An empty message has an address too: without one, OpenSSL would take the call for a question.
  private nonisolated(unsafe) static let nothing: UnsafePointer<UInt8> = {
    let byte = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
    unsafe byte.initialize(to: 0)
    return unsafe UnsafePointer(byte)
  }()
}
