package import Crypto

/// The encryption of attached files: chunks of 64 KiB, each sealed under its number and whether it is the last, so that
/// none can be exchanged, repeated or left out at the end.
package enum AttachmentCipher {
  package static let chunkLength = 64 << 10
  package static let keyLength = 32
  static let sealedLength = chunkLength + AESGCM.tagLength

  /// Bytes of the sealed form of a file of `size` bytes.
  package static func sealedSize(of size: Int) -> Int {
    let chunks = max((size + chunkLength - 1) / chunkLength, 1)
    return size + chunks * AESGCM.tagLength
  }

  /// Seals one chunk after the other. A key is for one file.
  package struct Sealer {
    private let sealer: AESGCM.Sealer
    private var number: UInt64 = 0

    package init(key: SecretBytes) throws(CryptoError) { sealer = try AESGCM.Sealer(key: key) }

    /// Appends the sealed form of the next chunk, of ``chunkLength`` bytes unless it is the last.
    package mutating func seal(
      _ chunk: Span<UInt8>, isLast: Bool, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
      guard chunk.count <= chunkLength, isLast || chunk.count == chunkLength else { throw .tooLong }
      let header: [UInt8] = [isLast ? 1 : 0]
      try sealer.seal(chunk, nonce: nonce(number), authenticating: header.span, appendingTo: &output)
      number += 1
    }
  }

  /// Opens one chunk after the other.
  package struct Opener {
    private let opener: AESGCM.Opener
    private var number: UInt64 = 0
    /// Whether the last chunk has come: without it the file is cut.
    package private(set) var isComplete = false

    package init(key: SecretBytes) throws(CryptoError) { opener = try AESGCM.Opener(key: key) }

    package mutating func open(
      _ chunk: Span<UInt8>, isLast: Bool, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
      guard !isComplete else { throw .authenticationFailed }
      let header: [UInt8] = [isLast ? 1 : 0]
      try opener.open(chunk, nonce: nonce(number), authenticating: header.span, appendingTo: &output)
      number += 1
      isComplete = isLast
    }
  }

  /// Seals a whole file.
  package static func seal(_ file: [UInt8], key: SecretBytes) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(sealedSize(of: file.count))
    var sealer = try Sealer(key: key)
    var offset = 0
    repeat {
      let end = min(offset + chunkLength, file.count)
      try sealer.seal(file.span.extracting(offset..<end), isLast: end == file.count, appendingTo: &output)
      offset = end
    } while offset < file.count
    return output
  }

  /// Opens a whole file.
  package static func open(_ sealed: [UInt8], key: SecretBytes) throws(CryptoError) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(sealed.count)
    var opener = try Opener(key: key)
    var offset = 0
    repeat {
      let end = min(offset + sealedLength, sealed.count)
      try opener.open(sealed.span.extracting(offset..<end), isLast: end == sealed.count, appendingTo: &output)
      offset = end
    } while offset < sealed.count
    return output
  }

  private static func nonce(_ number: UInt64) throws(CryptoError) -> AEADNonce {
    let zero = [UInt8](repeating: 0, count: AEADNonce.length)
    return try AEADNonce(zero.span).numbered(number)
  }
}
