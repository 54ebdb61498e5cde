public import Crypto

/// Encrypts the frames of one key (RFC 9605 section 4.4.3), numbered from zero.
///
/// A reference, so that no copy can use a number again. Used by one thread at a time; with GCM a frame allocates
/// nothing where its output has room.
///
/// ```swift
/// let sealer = try SFrameSealer(baseKey: key, keyID: 0x0110)
/// try sealer.seal(frame.span, metadata: Span(), appendingTo: &output)
/// ```
public final class SFrameSealer {
  /// The bounds that end a key before its cipher is worn out.
  public struct Limits: Hashable, Sendable {
    /// Frames that a key may encrypt.
    public var frames: UInt64
    /// Blocks of 16 bytes. With 2^36 an attacker's advantage against GCM is less than 2^-56.
    public var blocks: UInt64

    /// The hard end of a key; ``SFrameSealer/isWorn`` comes at half of it.
    public static let standard = Limits(frames: 1 << 25, blocks: 1 << 36)

    /// Limits of these numbers.
    public init(frames: UInt64, blocks: UInt64) {
      self.frames = frames
      self.blocks = blocks
    }
  }

  public let keyID: UInt64
  /// The number of the next frame, which is how many there were.
  public private(set) var counter: UInt64 = 0
  private var blocks: UInt64 = 0
  private let limits: Limits
  private let salt: AEADNonce
  private let cipher: Cipher

  private enum Cipher {
    case gcm(AESGCM.Sealer)
    case ctr(AESCTRHMAC)
  }

  /// A sealer for a key that this end alone sends with.
  ///
  /// - Throws: ``SFrameError/keyTooShort``, ``SFrameError/cipherFailed``.
  public convenience init(
    baseKey: SecretBytes, keyID: UInt64, suite: SFrameSuite = .aes128GCM, limits: Limits = .standard
  ) throws(SFrameError) {
    try self.init(baseKey: baseKey, keyID: keyID, suite: suite, limits: limits, firstCounter: 0)
  }

  /// A sealer whose first number is given, as published test vectors have it.
  init(
    baseKey: SecretBytes, keyID: UInt64, suite: SFrameSuite, limits: Limits = .standard, firstCounter: UInt64
  ) throws(SFrameError) {
    let keys = try SFrameKeys(baseKey: baseKey, keyID: keyID, suite: suite)
    do throws(CryptoError) {
      switch suite {
      case .aes128GCM, .aes256GCM: cipher = .gcm(try AESGCM.Sealer(key: keys.key))
      case .aes128CTRHMAC80, .aes128CTRHMAC64, .aes128CTRHMAC32:
        cipher = .ctr(try AESCTRHMAC(key: keys.key, tagLength: suite.tagLength, using: .sha256))
      }
    } catch {
      throw .cipherFailed
    }
    self.keyID = keyID
    self.limits = limits
    salt = keys.salt
    counter = firstCounter
  }

  /// Whether half of a limit is used up, so that it is time for the next key.
  public var isWorn: Bool { counter >= limits.frames / 2 || blocks >= limits.blocks / 2 }

  /// Appends header, ciphertext and tag of a frame to `output`; `metadata` is authenticated with it and not sent.
  ///
  /// - Throws: ``SFrameError/keyExhausted``, ``SFrameError/cipherFailed``.
  public func seal(
    _ frame: Span<UInt8>, metadata: Span<UInt8>, appendingTo output: inout [UInt8]
  ) throws(SFrameError) {
    let header = SFrameHeader(keyID: keyID, counter: counter)
    // One block more for the lengths that GCM takes in, one for the counter's first.
    let needed = UInt64((frame.count + metadata.count + header.length) / 16 + 4)
    guard counter < limits.frames, needed <= limits.blocks - min(blocks, limits.blocks) else { throw .keyExhausted }
    // Even a failure uses the number up.
    counter += 1
    blocks += needed
    let start = output.count
    let headerBytes = header.bytes
    let length = header.length
    for index in 0..<length { output.append(headerBytes[index]) }
    let authenticated = headerBytes.span.extracting(0..<length)
    let nonce = salt.numbered(header.counter)
    do throws(CryptoError) {
      switch cipher {
      case .gcm(let sealer):
        try sealer.seal(frame, nonce: nonce, authenticating: authenticated, metadata, appendingTo: &output)
      case .ctr(let cipher):
        try cipher.seal(frame, nonce: nonce, authenticating: authenticated, metadata, appendingTo: &output)
      }
    } catch {
      output.removeSubrange(start...)
      throw .cipherFailed
    }
  }
}
