import Crypto
import Encryption
import Messaging

/// A message as the server stores it: header, sealed body, and the sender's signature over both.
struct SealedMessage: Sendable {
  private static let label = Array("Parley chat message 1\0".utf8)

  let bytes: [UInt8]
  let header: MessageHeader
  private let headerLength: Int

  /// Seals a body and signs the whole.
  init(_ body: [UInt8], _ header: MessageHeader, key: ChatKey, keys: IdentityKeys) throws(CryptoError) {
    let head = header.encoded
    let signed = try head + key.seal(body, .message, context: head)
    bytes = try signed + keys.signing.sign((Self.label + signed).span)
    self.header = header
    headerLength = head.count
  }

  /// Reads a message; the body stays sealed.
  init(_ bytes: [UInt8]) throws(KeyMessageError) {
    var reader = ByteReader(bytes)
    header = try MessageHeader(reading: &reader)
    headerLength = reader.offset
    guard reader.remaining >= Ed25519.signatureLength else { throw .malformed }
    self.bytes = bytes
  }

  private var signedLength: Int { bytes.count - Ed25519.signatureLength }

  /// Stands for the whole message, signature included.
  func digest() throws(CryptoError) -> [UInt8] { try Digest.sha256(bytes) }

  /// Whether the holder of these keys signed it.
  func isSigned(by keys: IdentityPublicKeys) -> Bool {
    let message = Self.label + bytes.prefix(signedLength)
    return keys.signing.verifies(bytes.span.extracting(signedLength..<bytes.count), of: message.span)
  }

  func open(_ key: ChatKey) throws(CryptoError) -> [UInt8] {
    try key.open(
      Array(bytes[headerLength..<signedLength]), .message, context: Array(bytes.prefix(headerLength)))
  }
}
