public import Crypto

/// The sealed form of a file: chunks of 64 KiB under AES-256-GCM, one after the other.
///
/// The nonce of a chunk is its number and whether it is the last one, and each tag covers the file's size. So a chunk
/// that is left out, moved, repeated or comes from another file does not open, and neither does a file that was cut.
public enum FileSealing {
  /// Bytes of a chunk before it is sealed; the last one may have fewer.
  public static let chunkLength = 65_536
  /// Bytes of a chunk once it is sealed.
  public static let sealedChunkLength = chunkLength + AESGCM.tagLength

  /// Why a file does not open.
  public enum Problem: Error, Hashable, Sendable {
    /// It was changed, cut or mixed up, or its key is another one.
    case damaged
    /// OpenSSL refused; out of memory in practice.
    case failed
  }

  /// The length of the sealed form of so many bytes.
  public static func sealedLength(of size: Int) -> Int {
    size + (size + chunkLength - 1) / chunkLength * AESGCM.tagLength
  }

  fileprivate static func header(_ size: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(Array("Parley file 1\0".utf8))
    writer.write(UInt64(size))
    return writer.bytes
  }

  fileprivate static func nonce(_ number: UInt64, isLast: Bool) throws(CryptoError) -> AEADNonce {
    var writer = ByteWriter()
    writer.write(UInt32(isLast ? 1 : 0))
    writer.write(number)
    return try AEADNonce(writer.bytes.span)
  }
}

/// Seals a file of a known size, from its first byte to its last.
public struct FileSealer {
  private let sealer: AESGCM.Sealer
  private let header: [UInt8]
  private var remaining: Int
  private var number: UInt64 = 0

  /// A sealer for a file of `size` bytes, at least one.
  public init(_ key: FileKey, size: Int) throws(CryptoError) {
    guard size > 0 else { throw .tooLong }
    sealer = try AESGCM.Sealer(key: key.bytes)
    header = FileSealing.header(size)
    remaining = size
  }

  /// Bytes that the next chunk has; 0 at the end.
  public var nextLength: Int { min(remaining, FileSealing.chunkLength) }

  /// Appends the sealed form of the next chunk, which has ``nextLength`` bytes.
  public mutating func seal(_ chunk: Span<UInt8>, appendingTo output: inout [UInt8]) throws(CryptoError) {
    guard chunk.count == nextLength, chunk.count > 0 else {
      throw .wrongLength(expected: nextLength, actual: chunk.count)
    }
    let isLast = chunk.count == remaining
    try sealer.seal(
      chunk, nonce: FileSealing.nonce(number, isLast: isLast), authenticating: header.span, appendingTo: &output)
    remaining -= chunk.count
    number += 1
  }

  /// The sealed form of a whole file.
  public static func seal(_ content: [UInt8], key: FileKey) throws(CryptoError) -> [UInt8] {
    var sealer = try FileSealer(key, size: content.count)
    var output: [UInt8] = []
    output.reserveCapacity(FileSealing.sealedLength(of: content.count))
    var start = 0
    while sealer.nextLength > 0 {
      let end = start + sealer.nextLength
      try sealer.seal(content.span.extracting(start..<end), appendingTo: &output)
      start = end
    }
    return output
  }
}

/// Opens a file as it comes, chunk by chunk. Nothing that was not authentic is given out.
public struct FileOpener {
  private let opener: AESGCM.Opener
  private let header: [UInt8]
  private var remaining: Int
  private var number: UInt64 = 0
  private var pending: [UInt8] = []

  /// An opener for a file of `size` bytes, by the sealed message about it.
  public init(_ key: FileKey, size: Int) throws(FileSealing.Problem) {
    guard size > 0 else { throw .damaged }
    do throws(CryptoError) { opener = try AESGCM.Opener(key: key.bytes) } catch { throw .failed }
    header = FileSealing.header(size)
    remaining = size
  }

  /// Takes the next bytes of the sealed form, however they are cut, and returns the content of the chunks that are
  /// whole.
  public mutating func open(_ bytes: [UInt8]) throws(FileSealing.Problem) -> [UInt8] {
    pending += bytes
    var output: [UInt8] = []
    var start = 0
    while remaining > 0 {
      let length = min(remaining, FileSealing.chunkLength)
      let end = start + length + AESGCM.tagLength
      guard end <= pending.count else { break }
      do throws(CryptoError) {
        try opener.open(
          pending.span.extracting(start..<end), nonce: FileSealing.nonce(number, isLast: length == remaining),
          authenticating: header.span, appendingTo: &output)
      } catch { throw .damaged }
      remaining -= length
      number += 1
      start = end
    }
    pending.removeFirst(start)
    if remaining == 0, !pending.isEmpty { throw .damaged }
    return output
  }

  /// The end of the sealed form has come.
  ///
  /// - Throws: ``FileSealing/Problem/damaged`` where something is lacking.
  public func finish() throws(FileSealing.Problem) { if remaining > 0 { throw .damaged } }

  /// The content of a whole file.
  public static func open(_ sealed: [UInt8], key: FileKey, size: Int) throws(FileSealing.Problem) -> [UInt8] {
    var opener = try FileOpener(key, size: size)
    let content = try opener.open(sealed)
    try opener.finish()
    return content
  }
}
