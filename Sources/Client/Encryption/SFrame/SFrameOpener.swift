public import Crypto

/// Decrypts the frames of one key (RFC 9605 section 4.4.4), each once.
///
/// Used by one thread at a time; with GCM a frame allocates nothing where its output has room. However many frames do
/// not fit, the key stays in use.
public final class SFrameOpener {
  public let keyID: UInt64
  private var window = ReplayWindow()
  private let salt: AEADNonce
  private let tagLength: Int
  private let cipher: Cipher

  private enum Cipher {
    case gcm(AESGCM.Opener)
    case ctr(AESCTRHMAC)
  }

  /// An opener for a key that somebody else sends with.
  ///
  /// - Throws: ``SFrameError/keyTooShort``, ``SFrameError/cipherFailed``.
  public init(baseKey: SecretBytes, keyID: UInt64, suite: SFrameSuite = .aes128GCM) throws(SFrameError) {
    let keys = try SFrameKeys(baseKey: baseKey, keyID: keyID, suite: suite)
    do throws(CryptoError) {
      switch suite {
      case .aes128GCM, .aes256GCM: cipher = .gcm(try AESGCM.Opener(key: keys.key))
      case .aes128CTRHMAC80, .aes128CTRHMAC64, .aes128CTRHMAC32:
        cipher = .ctr(try AESCTRHMAC(key: keys.key, tagLength: suite.tagLength, using: .sha256))
      }
    } catch {
      throw .cipherFailed
    }
    self.keyID = keyID
    salt = keys.salt
    tagLength = suite.tagLength
  }

  /// Appends the frame that `ciphertext` holds to `output`; `metadata` is what the sender authenticated with it.
  ///
  /// - Throws: ``SFrameError/malformedHeader``, ``SFrameError/unknownKey``, ``SFrameError/replayed``,
  /// ``SFrameError/tooOld``,
  ///   ``SFrameError/authenticationFailed``.
  public func open(
    _ ciphertext: Span<UInt8>, metadata: Span<UInt8>, appendingTo output: inout [UInt8]
  ) throws(SFrameError) {
    let header = try SFrameHeader(reading: ciphertext)
    let length = header.length
    guard header.keyID == keyID else { throw .unknownKey }
    guard ciphertext.count - length >= tagLength else { throw .authenticationFailed }
    switch window.check(header.counter) {
    case .fresh: break
    case .replayed: throw .replayed
    case .tooOld: throw .tooOld
    }
    let sealed = ciphertext.extracting(length..<ciphertext.count)
    let authenticated = ciphertext.extracting(0..<length)
    let nonce = salt.numbered(header.counter)
    do throws(CryptoError) {
      switch cipher {
      case .gcm(let opener):
        try opener.open(sealed, nonce: nonce, authenticating: authenticated, metadata, appendingTo: &output)
      case .ctr(let cipher):
        try cipher.open(sealed, nonce: nonce, authenticating: authenticated, metadata, appendingTo: &output)
      }
    } catch {
      throw .authenticationFailed
    }
    window.accept(header.counter)
  }
}
