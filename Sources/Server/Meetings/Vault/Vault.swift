import Crypto
public import FoundationEssentials

/// The key vaults of a server: for each identity one record that only its owner can open.
///
/// A passcode gives a token, which is checked here, and half of a key, which stays with the client. The other half is
/// the answer to a right token. It depends on the pepper, so a copy of the database is of no use to somebody who
/// guesses. Wrong tokens are counted on the disk before they are looked at.
///
/// ```swift
/// let opening = try await vault.open(caller, token: token, now: now)
/// ```
public struct Vault: Sendable {
  /// Passcodes that may be wrong until the vault is locked, and for how many seconds.
  public static let maximumTries = 10
  public static let lockTime: TimeInterval = 24 * 3_600
  /// Bytes of tokens, and of answers.
  public static let tokenLength = 32
  static let seedLength = 16

  /// The owner at work, for the audit log too.
  public struct Caller: Sendable {
    public var owner: VaultOwner
    /// The tenant's name, as the audit log has it.
    public var tenant: String
    /// The name that people know; may be empty.
    public var name: String

    public init(owner: VaultOwner, tenant: String, name: String = "") {
      self.owner = owner
      self.tenant = tenant
      self.name = name
    }
  }

  /// Shows that somebody may read or replace a record.
  public enum Proof: Sendable {
    /// The token of the passcode. It counts as a try.
    case passcode([UInt8])
    /// The token of the recovery key. With 128 bits it isn't counted, and also works while the vault is locked.
    case recovery([UInt8])
  }

  /// The other half of the next record's key.
  public struct Preparation: Sendable, Hashable {
    /// Names it in ``Vault/store(_:_:replacing:prepared:recovery:proof:now:)``.
    public var id: [UInt8]
    public var answer: [UInt8]
    /// The version of the record to come.
    public var version: Int
  }

  /// A record, and the other half of its key; nil where a recovery key was shown, which needs none.
  public struct Opening: Sendable, Hashable {
    public var record: VaultRecord
    public var answer: [UInt8]?
  }

  /// A credential that was prepared, as the one who stores a record names it.
  public struct Prepared: Sendable {
    public var id: [UInt8]
    public var token: [UInt8]

    public init(id: [UInt8], token: [UInt8]) {
      self.id = id
      self.token = token
    }
  }

  /// An event that is counted.
  public enum Event: String, Sendable, CaseIterable {
    case right, wrong, locked, stored, recovered, forgotten
  }

  let store: any VaultStore
  let pepper: VaultPepper
  let report: @Sendable (Event) -> Void
  let refusals = RefusalPacing()

  /// The vaults of a store. `report` counts events.
  public init(store: any VaultStore, pepper: VaultPepper, report: @escaping @Sendable (Event) -> Void = { _ in }) {
    self.store = store
    self.pepper = pepper
    self.report = report
  }

  // MARK: Reading

  /// The state of a vault, for its owner.
  ///
  /// - Parameter toleratesNoPepper: Whether a vault is only ``VaultState/Kind/unreadable`` while the pepper's file is
  ///   missing. Otherwise it is an error of the server, after which nobody forgets their vault.
  public func status(
    _ caller: Caller, now: Date, toleratesNoPepper: Bool = false
  ) async throws(VaultRefusal) -> VaultState {
    let (vault, key) = try await reaching { () throws(MeetingStoreError) in
      (try await store.vault(of: caller.owner), try pepper.load())
    }
    guard key != nil || vault?.current == nil || toleratesNoPepper else { throw .store(pepper.missing) }
    return VaultState(vault, pepper: key?.id, now: now)
  }

  /// The record for a right passcode or recovery key.
  public func open(_ caller: Caller, proof: Proof, now: Date) async throws(VaultRefusal) -> Opening {
    let key = try await key(of: caller, otherwise: .noVault)
    let current = try await authorise(caller, proof, "open", key, now)
    switch proof {
    case .passcode(let token):
      return Opening(record: current.record, answer: try answer(token, current.credential, caller, key))
    case .recovery:
      report(.recovered)
      return Opening(record: current.record)
    }
  }

  // MARK: Writing

  /// The answer for the credential of a record to come. While there is a record, only for who may replace it.
  public func prepare(
    _ caller: Caller, token: [UInt8], proof: Proof?, now: Date
  ) async throws(VaultRefusal) -> Preparation {
    try Self.check(token)
    let key = try await makeKey()
    try await requireProof(caller, proof, "prepare", key, now)
    let seed: [UInt8]
    let credential: StoredVault.Credential
    do throws(CryptoError) {
      seed = try SecureRandom.bytes(Self.seedLength)
      credential = StoredVault.Credential(
        seed: seed, verifier: try key.code(.verifier, of: token, seed: seed, owner: caller.owner), pepper: key.id)
    } catch {
      throw .store(.failed(path: pepper.path, reason: "\(error)"))
    }
    let answer = try answer(token, credential, caller, key)
    let mayReplace = proof != nil
    let version = try await change(caller, now) { vault, _ throws(VaultRefusal) in
      // Somebody else's first record may have come between.
      guard vault.current == nil || mayReplace else { throw .proofRequired }
      vault.pending = credential
      return vault.version + 1
    }
    return Preparation(id: seed, answer: answer, version: version)
  }

  /// Stores a record in the place of version `replacing`; its own is the next one. Without `prepared` the passcode and
  /// its answer stay, and without `recovery` the recovery key does.
  public func store(
    _ caller: Caller, _ record: VaultRecord, replacing: Int, prepared: Prepared?, recovery: [UInt8]?, proof: Proof?,
    now: Date
  ) async throws(VaultRefusal) {
    if let recovery { try Self.check(recovery) }
    let key = try await key(of: caller, otherwise: .notPrepared)
    try await requireProof(caller, proof, "store", key, now)
    var recoveryHash: [UInt8]?
    var verifier: [UInt8]?
    do throws(CryptoError) {
      recoveryHash = try recovery.map { token throws(CryptoError) in try Digest.sha256(token) }
      verifier = try prepared.map { prepared throws(CryptoError) in
        try key.code(.verifier, of: prepared.token, seed: prepared.id, owner: caller.owner)
      }
    } catch {
      throw .store(.failed(path: pepper.path, reason: "\(error)"))
    }
    let (hash, expected) = (recoveryHash, verifier)
    _ = try await change(caller, now) { vault, append throws(VaultRefusal) in
      guard vault.version == replacing, record.version == replacing + 1 else { throw .changed(version: vault.version) }
      let isFirst = vault.current == nil
      if let prepared, let expected {
        guard let pending = vault.pending, pending.seed == prepared.id, pending.pepper == key.id,
          ConstantTime.areEqual(pending.verifier.span, expected.span)
        else { throw .notPrepared }
        vault.current = StoredVault.Current(
          record: record, credential: pending, recovery: hash ?? vault.current?.recovery)
        vault.pending = nil
        (vault.tries, vault.lockedUntil) = (0, nil)
      } else {
        // The old answer stays, so the old passcode must have been shown.
        guard case .passcode? = proof, vault.current != nil else { throw .notPrepared }
        vault.current?.record = record
        if let hash { vault.current?.recovery = hash }
      }
      vault.version = record.version
      let action = isFirst ? "vault.create" : prepared == nil ? "vault.store" : "vault.change"
      try append(action, "version \(record.version)")
      return 0
    }
    report(.stored)
  }

  /// Forgets the record, for somebody who can't open it. Its version stays, so that devices notice an old one.
  public func forget(_ caller: Caller, now: Date) async throws(VaultRefusal) {
    _ = try await change(caller, now) { vault, append throws(VaultRefusal) in
      guard vault.current != nil else { throw .noVault }
      vault.current = nil
      vault.pending = nil
      (vault.tries, vault.lockedUntil) = (0, nil)
      try append("vault.forget", "version \(vault.version)")
      return 0
    }
    report(.forgotten)
  }

  /// Removes all that is known of an identity's vault, its version too: for an identity that ends.
  public func delete(_ caller: Caller, now: Date) async throws(VaultRefusal) {
    let entry = Self.entry(caller, "vault.delete", "", now)
    try await transact { transaction throws(VaultRefusal) in
      do throws(MeetingStoreError) {
        if try transaction.removeVault(of: caller.owner) { try transaction.append(entry) }
      } catch {
        throw .store(error)
      }
    }
  }
}
