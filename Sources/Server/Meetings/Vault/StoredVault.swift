public import Basics
import FoundationEssentials

/// The owner of a vault: an identity of a tenant, by whatever names it there.
public struct VaultOwner: Sendable, Hashable {
  public var tenant: TenantID
  public var identity: String

  /// Characters of the longest identity that can have a vault.
  public static let maximumIdentity = 256
  /// The beginning of the names of messaging identities, in vaults and in the join tokens of calls. No person of the
  /// tenant has such a name.
  public static let messagingPrefix = "messaging "

  public init(tenant: TenantID, identity: String) {
    self.tenant = tenant
    self.identity = identity
  }

  /// The name for which clients seal records.
  public var text: String { "\(tenant)/\(identity)" }
}

/// A vault's record as a client has sealed it.
public struct VaultRecord: Sendable, Hashable {
  public var version: Int
  /// Of the passcode's derivation (Argon2id with one lane).
  public var salt: [UInt8]
  /// KiB that the derivation fills.
  public var memory: Int
  public var passes: Int
  public var sealed: [UInt8]

  public static let saltLength = 16
  public static let maximumSealed = 49_664

  /// - Returns: Nil outside the bounds. Clients, which decide about their own cost, take no cheaper one than they make.
  public init?(version: Int, salt: [UInt8], memory: Int, passes: Int, sealed: [UInt8]) {
    guard (1..<1 << 53).contains(version), salt.count == Self.saltLength, (46 << 10...1 << 20).contains(memory),
      (1...10).contains(passes), (1...Self.maximumSealed).contains(sealed.count)
    else { return nil }
    self.version = version
    self.salt = salt
    self.memory = memory
    self.passes = passes
    self.sealed = sealed
  }
}

/// All that a store keeps of one owner's vault.
public struct StoredVault: Sendable, Hashable {
  /// A passcode's token as it is kept, and the seed of its answer.
  struct Credential: Sendable, Hashable {
    /// Random, so that an answer for one credential opens nothing of another.
    var seed: [UInt8]
    /// The token under the pepper.
    var verifier: [UInt8]
    /// Names the pepper of both.
    var pepper: String
  }

  /// The record with what opens it.
  struct Current: Sendable, Hashable {
    var record: VaultRecord
    var credential: Credential
    /// SHA-256 of the recovery key's token.
    var recovery: [UInt8]?
  }

  let owner: VaultOwner
  /// Of the newest record. It stays when the record is forgotten, so that versions only rise.
  var version = 0
  /// Nil when it was forgotten, or is only being prepared.
  var current: Current?
  /// The credential of the next record.
  var pending: Credential?
  /// Passcodes that were tried since the last right one.
  var tries = 0
  var lockedUntil: Date?
  var changed: Date

  init(owner: VaultOwner, changed: Date) {
    self.owner = owner
    self.changed = changed
  }
}

/// The vaults of a store. Changes are in ``StoreTransaction``.
public protocol VaultStore: TransactionalStore {
  func vault(of owner: VaultOwner) async throws(MeetingStoreError) -> StoredVault?
  /// How many owners have a record.
  func vaultCount() async throws(MeetingStoreError) -> Int
}
