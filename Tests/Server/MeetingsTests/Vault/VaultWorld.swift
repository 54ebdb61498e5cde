import Foundation
import Synchronization
import TestTenants

@testable import Meetings

/// A store with one tenant and the vaults over it. Clients' cryptography is left out: records are any bytes.
struct VaultWorld {
  static let now = Date(timeIntervalSince1970: 1_795_251_600)

  final class Counts: Sendable {
    private let counts = Mutex<[Vault.Event: Int]>([:])
    func add(_ event: Vault.Event) { counts.withLock { $0[event, default: 0] += 1 } }
    subscript(event: Vault.Event) -> Int { counts.withLock { $0[event] ?? 0 } }
  }

  let folder = TemporaryFolder()
  let counts = Counts()
  let store: SQLiteMeetingStore
  let tenant: Tenant
  let vault: Vault
  let caller: Vault.Caller

  init() async throws {
    store = try await SQLiteMeetingStore.open(folder: folder.path)
    tenant = try TestTenants.make(name: "acme", policy: TenantPolicy(signIn: .token), now: Self.now)
    try await store.insert(tenant, key: .make(tenant: tenant.id, now: Self.now))
    caller = Vault.Caller(owner: VaultOwner(tenant: tenant.id, identity: "ann"), tenant: "acme", name: "Ann")
    vault = Self.vault(store, folder.path, counts)
  }

  /// The vaults of a store, with the pepper in a folder.
  static func vault(_ store: SQLiteMeetingStore, _ folder: String, _ counts: Counts = Counts()) -> Vault {
    Vault(store: store, pepper: VaultPepper(path: folder + "/" + VaultPepper.fileName)) { counts.add($0) }
  }

  static func token(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: Vault.tokenLength) }

  static func record(_ version: Int, _ sealed: String = "sealed") throws(VaultRefusal) -> VaultRecord {
    let salt = [UInt8](repeating: UInt8(version % 256), count: VaultRecord.saltLength)
    guard
      let record = VaultRecord(version: version, salt: salt, memory: 65_536, passes: 3, sealed: Array(sealed.utf8))
    else { throw .malformed("no record") }
    return record
  }

  /// Prepares and stores a record under the passcode of `token`. Returns the answer that its key has.
  @discardableResult func store(
    _ token: UInt8, version: Int, proof: Vault.Proof? = nil, recovery: UInt8? = nil, at now: Date = VaultWorld.now
  ) async throws(VaultRefusal) -> [UInt8] {
    let prepared = try await vault.prepare(caller, token: Self.token(token), proof: proof, now: now)
    try await vault.store(
      caller, try Self.record(version), replacing: version - 1,
      prepared: Vault.Prepared(id: prepared.id, token: Self.token(token)), recovery: recovery.map(Self.token),
      proof: proof, now: now)
    return prepared.answer
  }

  func open(_ token: UInt8, at now: Date = VaultWorld.now) async throws(VaultRefusal) -> Vault.Opening {
    try await vault.open(caller, proof: .passcode(Self.token(token)), now: now)
  }

  /// The entries of the audit log about vaults, the oldest first.
  func entries() async throws -> [String] {
    try await store.auditLog(tenant: "acme", before: nil, limit: 100).reversed().map { "\($0.action) \($0.detail)" }
  }
}
