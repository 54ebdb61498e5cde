import Crypto
import Encryption
import Messaging

/// An endpoint's registration and its identity, as the local store keeps them.
struct LocalIdentity: Sendable {
  private struct Fields: Codable {
    var endpoint: EndpointID?
    var secret: String?
    var regId: RegID?
    var instance: UInt64
    var acknowledged: EventNumber
    var memory: VaultMemory
    var hasSynced: Bool
    var generation: Int?
    var helloSecret: String?
    var replacedSecret: String?
  }

  var credentials: EndpointCredentials?
  /// Of this endpoint from before it is registered: a repeated `hello` makes no second one.
  var helloSecret: String?
  /// Of the endpoint from before a reset, which the service may still have.
  var replacedSecret: String?
  var regId: RegID?
  /// Names this local store in message headers: counters never go back under one instance.
  var instance: UInt64
  var acknowledged = EventNumber(0)
  /// Whether the chats of the identity have been fetched once.
  var hasSynced = false
  var keys: IdentityKeys?
  /// Shows the service that the vault may be replaced.
  var vaultToken: SecretBytes?
  var memory = VaultMemory()
  var pins = PinnedKeys()

  init(instance: UInt64) { self.instance = instance }

  func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(UInt8(1))
    let fields = LocalJSON.encode(
      Fields(
        endpoint: credentials?.endpoint, secret: credentials?.secret, regId: regId, instance: instance,
        acknowledged: acknowledged, memory: memory, hasSynced: hasSynced, generation: keys?.generation,
        helloSecret: helloSecret, replacedSecret: replacedSecret))
    writer.write(UInt32(truncatingIfNeeded: fields.count))
    writer.write(fields)
    if let keys { writer.write(keys.secret.bytes) }
    writer.write(UInt8(vaultToken == nil ? 0 : 1))
    if let vaultToken { writer.write(vaultToken.bytes) }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(KeyMessageError) {
    var reader = ByteReader(bytes)
    guard try reader.read(UInt8.self) == 1 else { throw .malformed }
    let json = try reader.read(count: Int(try reader.read(UInt32.self)))
    guard let fields = LocalJSON.decode(Fields.self, from: json) else { throw .malformed }
    instance = fields.instance
    regId = fields.regId
    acknowledged = fields.acknowledged
    memory = fields.memory
    hasSynced = fields.hasSynced
    helloSecret = fields.helloSecret
    replacedSecret = fields.replacedSecret
    if let endpoint = fields.endpoint, let secret = fields.secret {
      credentials = EndpointCredentials(endpoint: endpoint, secret: secret)
    }
    if let generation = fields.generation {
      var secret = try reader.read(count: IdentityKeys.secretLength)
      do throws(CryptoError) {
        keys = try IdentityKeys(secret: SecretBytes(wiping: &secret), generation: generation)
      } catch {
        throw .failed
      }
    }
    if try reader.read(UInt8.self) != 0 {
      var token = try reader.read(count: VaultCredentials.tokenLength)
      vaultToken = SecretBytes(wiping: &token)
    }
  }
}
