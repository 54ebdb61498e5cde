internal import COpenSSL

/// A key of MESSAGE-INTEGRITY (HMAC-SHA1, RFC 8489 section 14.5), set up once so that a check costs one
/// HMAC of about a microsecond and no allocation of ours.
///
/// It keeps an OpenSSL context, about 1 kB, and is used by one thread at a time. If OpenSSL cannot give a
/// context (out of memory), nothing verifies: it fails closed.
@safe public final class STUNIntegrityKey {
  /// Bytes of the HMAC on the wire.
  static let length = 20

  // Owned by this object alone and freed in `deinit`, so the pointer is valid as long as the object is.
  private let context: OpaquePointer?

  // The fetched algorithm lives as long as the process and OpenSSL counts references to it atomically.
  private nonisolated(unsafe) static let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil)

  /// A key of these bytes. For short-term credentials, ICE's, they are the password's UTF-8
  /// (RFC 8489 section 9.1.1).
  public init(_ key: [UInt8]) {
    guard let algorithm = unsafe Self.algorithm, let context = unsafe EVP_MAC_CTX_new(algorithm) else {
      unsafe self.context = nil
      return
    }
    var digest: [CChar] = [0x53, 0x48, 0x41, 0x31, 0]  // "SHA1"
    // OpenSSL reads the parameters and the key during the call only, while the closures hold both arrays.
    let ready = unsafe digest.withUnsafeMutableBufferPointer { name in
      unsafe key.withUnsafeBufferPointer { key in
        var parameters = unsafe [
          OSSL_PARAM_construct_utf8_string("digest", name.baseAddress, 0), OSSL_PARAM_construct_end(),
        ]
        return unsafe EVP_MAC_init(context, key.baseAddress, key.count, &parameters) == 1
      }
    }
    if ready {
      unsafe self.context = context
    } else {
      unsafe EVP_MAC_CTX_free(context)
      unsafe self.context = nil
    }
  }

  /// The key of a short-term password (RFC 8489 section 9.1.1). ICE passwords are ASCII, so no
  /// string preparation is needed.
  public convenience init(password: String) { self.init(Array(password.utf8)) }

  /// The key of long-term credentials, `MD5(username ":" realm ":" password)` (RFC 8489 section 9.2.2).
  /// All three must be prepared (RFC 8265) already.
  public convenience init(username: String, realm: String, password: String) {
    let text = Array("\(username):\(realm):\(password)".utf8)
    var digest = [UInt8](repeating: 0, count: 16)
    // Input and output are held by the call; MD5 writes exactly 16 bytes.
    let done = unsafe EVP_Digest(text, text.count, &digest, nil, EVP_md5(), nil)
    // Without MD5 (a FIPS provider) no message must verify, so the key becomes one that nobody has.
    self.init(done == 1 ? digest : (0..<32).map { _ in UInt8.random(in: 0...255) })
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// The HMAC of a message up to the MESSAGE-INTEGRITY attribute at `offset`, with the header's length as if
  /// that attribute were the last; nil when OpenSSL fails.
  func code(of message: Span<UInt8>, before offset: Int) -> InlineArray<20, UInt8>? {
    guard offset >= STUNMessage.headerLength, offset <= message.count, let context = unsafe context else {
      return nil
    }
    let length = UInt16(truncatingIfNeeded: offset - STUNMessage.headerLength + 4 + Self.length)
    let head: InlineArray<4, UInt8> = [
      message[0], message[1], UInt8(length >> 8), UInt8(truncatingIfNeeded: length),
    ]
    let body = message.extracting(4..<offset)
    var code = InlineArray<20, UInt8>(repeating: 0)
    var written = 0
    // OpenSSL reads and writes within the given counts and keeps no pointer.
    guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1 else { return nil }
    let headTaken = unsafe head.span.withUnsafeBufferPointer {
      unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)
    }
    let bodyTaken = unsafe body.withUnsafeBufferPointer {
      unsafe EVP_MAC_update(context, $0.baseAddress, $0.count)
    }
    var output = code.mutableSpan
    let finished = unsafe output.withUnsafeMutableBufferPointer {
      unsafe EVP_MAC_final(context, $0.baseAddress, &written, $0.count)
    }
    return headTaken == 1 && bodyTaken == 1 && finished == 1 && written == Self.length ? code : nil
  }

  /// Whether the MESSAGE-INTEGRITY attribute at `offset` of `message` is of this key. Takes the same time
  /// wherever the first difference is.
  func verifies(_ message: Span<UInt8>, attributeAt offset: Int) -> Bool {
    guard offset + 4 + Self.length <= message.count, let code = code(of: message, before: offset) else {
      return false
    }
    var difference: UInt8 = 0
    for index in 0..<Self.length { difference |= code[index] ^ message[offset + 4 + index] }
    return difference == 0
  }
}
