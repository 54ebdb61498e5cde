import Crypto
import Encryption
import Messaging

/// The contents of an identity's vault: its keys, and the pinned keys of others, so that a new endpoint notices when
/// they differ.
///
/// Chat keys are not in it: the service has them for the identity, sealed with these keys.
struct IdentityVault {
  private static let version: UInt8 = 1
  /// The pins that a vault has room for.
  static let maximumPins = 500

  var keys: IdentityKeys
  var pins: PinnedKeys

  func contents() throws(VaultError) -> VaultContents {
    var writer = ByteWriter()
    writer.write(Self.version)
    writer.write(UInt32(truncatingIfNeeded: keys.generation))
    writer.write(keys.secret.bytes)
    pins.write(to: &writer, limit: Self.maximumPins)
    var bytes = writer.bytes
    return try VaultContents(SecretBytes(wiping: &bytes))
  }

  init(keys: IdentityKeys, pins: PinnedKeys) {
    self.keys = keys
    self.pins = pins
  }

  init(_ contents: VaultContents) throws(KeyMessageError) {
    var reader = ByteReader(contents.bytes.unprotectedCopy())
    guard try reader.read(UInt8.self) == Self.version else { throw .malformed }
    let generation = Int(try reader.read(UInt32.self))
    var secret = try reader.read(count: IdentityKeys.secretLength)
    do throws(CryptoError) {
      keys = try IdentityKeys(secret: SecretBytes(wiping: &secret), generation: generation)
    } catch {
      throw .failed
    }
    pins = try PinnedKeys(reading: &reader)
    try reader.finish()
  }
}
