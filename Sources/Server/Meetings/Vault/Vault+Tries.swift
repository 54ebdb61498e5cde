import Basics
import Crypto
import FoundationEssentials

/// Checking of passcodes and recovery keys, and the one way to a vault's row.
extension Vault {
  /// Requires a proof while there is a record.
  func requireProof(
    _ caller: Caller, _ proof: Proof?, _ purpose: String, _ key: VaultPepper.Key, _ now: Date
  ) async throws(VaultRefusal) {
    if let proof {
      _ = try await authorise(caller, proof, purpose, key, now)
      return
    }
    let vault = try await reaching { () throws(MeetingStoreError) in try await store.vault(of: caller.owner) }
    guard vault?.current == nil else { throw .proofRequired }
  }

  /// The record of somebody who has shown that they may read it, with an audit entry for each try.
  func authorise(
    _ caller: Caller, _ proof: Proof, _ purpose: String, _ key: VaultPepper.Key, _ now: Date
  ) async throws(VaultRefusal) -> StoredVault.Current {
    switch proof {
    case .passcode(let token): try await authorise(caller, passcode: token, purpose, key, now)
    case .recovery(let token): try await authorise(caller, recovery: token, purpose, now)
    }
  }

  /// Counts the try, with its audit entry, in a transaction of its own before it is answered, so that neither a crash
  /// nor any number of requests at once gives tries for nothing. The one that reaches the limit locks at once; a right
  /// one unlocks again.
  private func authorise(
    _ caller: Caller, passcode token: [UInt8], _ purpose: String, _ key: VaultPepper.Key, _ now: Date
  ) async throws(VaultRefusal) -> StoredVault.Current {
    try Self.check(token)
    let (counted, isRight): (StoredVault, Bool)
    do throws(VaultRefusal) {
      (counted, isRight) = try await change(caller, now) { vault, append throws(VaultRefusal) in
        guard let current = vault.current else { throw .noVault }
        guard current.credential.pepper == key.id else { throw .unreadable }
        if let until = vault.lockedUntil {
          guard until <= now else { throw .locked(seconds: Self.seconds(until: until, now)) }
          (vault.tries, vault.lockedUntil) = (0, nil)
        }
        vault.tries += 1
        if vault.tries >= Self.maximumTries { vault.lockedUntil = now + Self.lockTime }
        let expected: [UInt8]
        do throws(CryptoError) {
          expected = try key.code(.verifier, of: token, seed: current.credential.seed, owner: caller.owner)
        } catch {
          throw .store(.failed(path: pepper.path, reason: "\(error)"))
        }
        let isRight = ConstantTime.areEqual(expected.span, current.credential.verifier.span)
        if !isRight {
          let left = max(0, Self.maximumTries - vault.tries)
          let outcome = left == 0 ? "wrong, locked for \(Int(Self.lockTime / 3_600)) hours" : "wrong, \(left) left"
          try append("vault.try", "\(purpose): \(outcome)")
        }
        return (vault, isRight)
      }
    } catch {
      if case .locked = error {
        report(.locked)
        try await appendRefusal(caller, "vault.try", "\(purpose): locked", now)
      }
      throw error
    }
    guard let current = counted.current else { throw .noVault }
    guard isRight else {
      report(.wrong)
      let left = max(0, Self.maximumTries - counted.tries)
      throw left == 0 ? .locked(seconds: Int(Self.lockTime)) : .wrongPasscode(triesLeft: left)
    }
    let right = try await change(caller, now) { vault, append throws(VaultRefusal) in
      // Another device may have set another passcode between.
      guard let found = vault.current, found.credential == current.credential else {
        throw .changed(version: vault.version)
      }
      (vault.tries, vault.lockedUntil) = (0, nil)
      try append("vault.try", "\(purpose): right")
      return found
    }
    report(.right)
    return right
  }

  private func authorise(
    _ caller: Caller, recovery token: [UInt8], _ purpose: String, _ now: Date
  ) async throws(VaultRefusal) -> StoredVault.Current {
    try Self.check(token)
    let vault = try await reaching { () throws(MeetingStoreError) in try await store.vault(of: caller.owner) }
    guard let current = vault?.current else { throw .noVault }
    guard let hash = try? Digest.sha256(token), let known = current.recovery,
      ConstantTime.areEqual(hash.span, known.span)
    else {
      report(.wrong)
      try await appendRefusal(caller, "vault.recover", "\(purpose): wrong", now)
      throw .wrongRecoveryKey
    }
    try await append(Self.entry(caller, "vault.recover", purpose, now))
    return current
  }

  // MARK: Steps

  /// Writes the entry of an action into the transaction under way.
  typealias Append = (_ action: String, _ detail: String) throws(VaultRefusal) -> Void

  /// Changes the row of an owner, who gets one if they have none. Nothing is written when `body` throws.
  func change<Answer: Sendable>(
    _ caller: Caller, _ now: Date,
    _ body: @Sendable (inout StoredVault, Append) throws(VaultRefusal) -> Answer
  ) async throws(VaultRefusal) -> Answer {
    try await transact { transaction throws(VaultRefusal) in
      var vault = StoredVault(owner: caller.owner, changed: now)
      do throws(MeetingStoreError) {
        if let found = try transaction.vault(of: caller.owner) { vault = found }
      } catch {
        throw .store(error)
      }
      let answer = try body(&vault) { action, detail throws(VaultRefusal) in
        do throws(MeetingStoreError) {
          try transaction.append(Self.entry(caller, action, detail, now))
        } catch {
          throw .store(error)
        }
      }
      vault.changed = now
      do throws(MeetingStoreError) { try transaction.set(vault) } catch { throw .store(error) }
      return answer
    }
  }

  func transact<Answer: Sendable>(
    _ body: @Sendable (any StoreTransaction) throws(VaultRefusal) -> Answer
  ) async throws(VaultRefusal) -> Answer {
    do {
      return try await store.transaction { try body($0) }
    } catch let error as VaultRefusal {
      throw error
    } catch let error as MeetingStoreError {
      throw .store(error)
    } catch {
      throw .store(.failed(path: pepper.path, reason: "\(error)"))
    }
  }

  func reaching<Answer>(
    _ body: () async throws(MeetingStoreError) -> Answer
  ) async throws(VaultRefusal) -> Answer {
    do throws(MeetingStoreError) { return try await body() } catch { throw .store(error) }
  }

  /// Writes the entry of a request that wasn't counted, at most one a minute for each owner and action.
  private func appendRefusal(
    _ caller: Caller, _ action: String, _ detail: String, _ now: Date
  ) async throws(VaultRefusal) {
    guard refusals.isDue(caller.owner, action, now) else { return }
    try await append(Self.entry(caller, action, detail, now))
  }

  private func append(_ entry: AuditEntry) async throws(VaultRefusal) {
    try await transact { transaction throws(VaultRefusal) in
      do throws(MeetingStoreError) { try transaction.append(entry) } catch { throw .store(error) }
    }
  }

  /// The pepper. Without its file the owner's record can't be reached; with no record, `refusal` is the answer.
  func key(of caller: Caller, otherwise refusal: VaultRefusal) async throws(VaultRefusal) -> VaultPepper.Key {
    if let key = try await reaching({ () throws(MeetingStoreError) in try pepper.load() }) { return key }
    let vault = try await reaching { () throws(MeetingStoreError) in try await store.vault(of: caller.owner) }
    throw vault?.current == nil ? refusal : .store(pepper.missing)
  }

  /// The pepper, which is made while no record depends on another one.
  func makeKey() async throws(VaultRefusal) -> VaultPepper.Key {
    try await reaching { () throws(MeetingStoreError) in
      if let key = try pepper.load() { return key }
      guard try await store.vaultCount() == 0 else { throw pepper.missing }
      return try pepper.make()
    }
  }

  func answer(
    _ token: [UInt8], _ credential: StoredVault.Credential, _ caller: Caller, _ key: VaultPepper.Key
  ) throws(VaultRefusal) -> [UInt8] {
    do throws(CryptoError) {
      return try key.code(.answer, of: token, seed: credential.seed, owner: caller.owner)
    } catch {
      throw .store(.failed(path: pepper.path, reason: "\(error)"))
    }
  }

  static func check(_ token: [UInt8]) throws(VaultRefusal) {
    guard token.count == tokenLength else { throw .malformed("A token has \(tokenLength) bytes.") }
  }

  /// Whole seconds, at least one.
  static func seconds(until end: Date, _ now: Date) -> Int {
    max(1, Int(end.timeIntervalSince(now).rounded(.up)))
  }

  static func entry(_ caller: Caller, _ action: String, _ detail: String, _ now: Date) -> AuditEntry {
    let name = caller.name.isEmpty ? "" : " \(caller.name)"
    return AuditEntry(
      time: now, actor: "person \(caller.owner.identity)\(name)", tenant: caller.tenant, action: action,
      target: caller.owner.identity, detail: detail)
  }
}
