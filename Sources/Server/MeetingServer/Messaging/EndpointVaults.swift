import Basics
import Crypto
import FoundationEssentials
import Meetings
import Messaging
import Signaling

/// The vaults of identities, as their endpoints ask for them. The record and the tokens stay sealed: this only carries
/// them.
struct EndpointVaults: Sendable {
  let vault: Vault
  let log: Log

  private func caller(_ regId: RegID, _ userId: String, _ domain: MessagingDomain) -> Vault.Caller {
    Vault.Caller(
      owner: VaultOwner(tenant: domain.tenant, identity: "messaging \(regId)"), tenant: domain.name, name: userId)
  }

  /// The state for a welcome. Without its pepper a vault only can't be opened: endpoints with the keys go on.
  func status(
    of regId: RegID, _ userId: String, in domain: MessagingDomain, now: Date
  ) async throws(MessagingFailure) -> VaultStatus {
    let caller = caller(regId, userId, domain)
    do throws(VaultRefusal) {
      let state = try await vault.status(caller, now: now, toleratesNoPepper: true)
      return Self.status(state, caller.owner, now)
    } catch {
      throw failure(error)
    }
  }

  func answer(
    _ request: VaultRequest, of regId: RegID, _ userId: String, in domain: MessagingDomain, now: Date
  ) async throws(MessagingFailure) -> VaultAnswer {
    let caller = caller(regId, userId, domain)
    do throws(VaultRefusal) {
      switch request {
      case .status: return .status(status: Self.status(try await vault.status(caller, now: now), caller.owner, now))
      case .prepare(let request):
        let made = try await vault.prepare(
          caller, token: try Self.bytes(request.token), proof: try Self.proof(request.proof), now: now)
        return .prepared(
          preparation: VaultPreparation(
            id: Base64URL.encode(made.id), answer: Base64URL.encode(made.answer), version: made.version))
      case .open(let proof):
        guard let proof = try Self.proof(proof) else { throw .proofRequired }
        let opening = try await vault.open(caller, proof: proof, now: now)
        return .opened(
          opening: VaultOpening(
            record: Self.sealed(opening.record), answer: opening.answer.map { Base64URL.encode($0) }))
      case .store(let request):
        let record = try Self.record(request.record)
        var prepared: Vault.Prepared?
        if let id = request.preparation, let token = request.token {
          prepared = Vault.Prepared(id: try Self.bytes(id), token: try Self.bytes(token))
        }
        var recovery: [UInt8]?
        if let text = request.recovery { recovery = try Self.bytes(text) }
        try await vault.store(
          caller, record, replacing: record.version - 1, prepared: prepared, recovery: recovery,
          proof: try Self.proof(request.proof), now: now)
        return .stored(version: record.version)
      case .forget:
        do throws(VaultRefusal) {
          try await vault.forget(caller, now: now)
        } catch {
          guard error == .noVault else { throw error }
        }
        return .status(status: Self.status(try await vault.status(caller, now: now), caller.owner, now))
      }
    } catch {
      throw failure(error)
    }
  }

  // MARK: Wire values

  private static func status(_ state: VaultState, _ owner: VaultOwner, _ now: Date) -> VaultStatus {
    var status = VaultStatus(
      state: .none, owner: owner.text, version: state.version, derivation: state.record.map(derivation),
      triesLeft: state.triesLeft, hasRecoveryKey: state.hasRecoveryKey)
    switch state.kind {
    case .none: status.triesLeft = nil
    case .ready: status.state = .ready
    case .locked(let until):
      status.state = .locked
      status.lockedFor = max(1, Int(until.timeIntervalSince(now).rounded(.up)))
    case .unreadable: status.state = .unreadable
    }
    return status
  }

  private static func derivation(_ record: VaultRecord) -> VaultDerivation {
    VaultDerivation(salt: Base64URL.encode(record.salt), memory: record.memory, passes: record.passes)
  }

  private static func sealed(_ record: VaultRecord) -> SealedVault {
    SealedVault(version: record.version, derivation: derivation(record), sealed: Base64URL.encode(record.sealed))
  }

  private static func record(_ wire: SealedVault) throws(VaultRefusal) -> VaultRecord {
    guard
      let record = VaultRecord(
        version: wire.version, salt: try bytes(wire.derivation.salt), memory: wire.derivation.memory,
        passes: wire.derivation.passes, sealed: try bytes(wire.sealed))
    else { throw .malformed("The record is outside the bounds.") }
    return record
  }

  private static func proof(_ wire: VaultProof?) throws(VaultRefusal) -> Vault.Proof? {
    if let token = wire?.token { return .passcode(try bytes(token)) }
    if let token = wire?.recovery { return .recovery(try bytes(token)) }
    return nil
  }

  private static func bytes(_ text: String) throws(VaultRefusal) -> [UInt8] {
    guard let bytes = Base64URL.decode(text) else { throw .malformed("A value isn't base64url.") }
    return bytes
  }

  private func failure(_ refusal: VaultRefusal) -> MessagingFailure {
    if case .store(let problem) = refusal { log.error("vault.failed", ["reason": problem.description]) }
    let text = refusal.description
    return switch refusal {
    case .noVault: MessagingFailure(.noVault, text)
    case .wrongPasscode(let left): MessagingFailure(.wrongPasscode, text, triesLeft: left)
    case .wrongRecoveryKey: MessagingFailure(.wrongPasscode, text)
    case .locked(let seconds): MessagingFailure(.vaultLocked, text, retryAfter: seconds, triesLeft: 0)
    case .changed, .notPrepared: MessagingFailure(.versionConflict, text)
    case .proofRequired: MessagingFailure(.proofRequired, text)
    case .unreadable: MessagingFailure(.vaultUnreadable, text)
    case .malformed: MessagingFailure(.badRequest, text)
    case .store: MessagingFailure(.serverError, "The server cannot reach vaults just now. Try again.")
    }
  }
}
