import Basics
import Crypto
import Encryption
import Messaging

extension MessengerMachine {
  // MARK: Opening

  /// Status, credentials, the record, its contents: each step is the answer to the one before.
  mutating func openVault(_ passcode: Passcode) {
    let entered = VaultPasscode(entered: passcode.value)
    requestVault(.status) { machine, result in
      guard case .success(.status(let version, _, let parameters)) = result else { return machine.vaultFailed(result) }
      guard version != nil, let parameters else {
        machine.setup.vaultIs(.new)
        return machine.failSync(.failure)
      }
      guard let parameters = try? VaultParameters(parameters) else { return machine.failSync(.tampered) }
      machine.derive(entered, parameters) { machine, result in
        guard case .success(let credentials) = result else { return machine.failSync(.failure) }
        machine.fetchRecord(credentials)
      }
    }
  }

  private mutating func fetchRecord(_ credentials: VaultCredentials) {
    requestVault(.open(token: Sealed(bytes: credentials.token.unprotectedCopy()))) { machine, result in
      guard case .success(.opened(let share, let record)) = result else { return machine.vaultFailed(result) }
      do throws(VaultError) {
        try machine.take(record, share: share, credentials)
      } catch {
        switch error {
        case .rolledBack:
          machine.warn(.vaultRolledBack)
          machine.failSync(.tampered)
        case .doesNotOpen, .malformed, .parametersRefused, .tooLong, .noRecovery: machine.failSync(.tampered)
        case .failed: machine.failSync(.failure)
        }
      }
    }
  }

  private mutating func take(
    _ payload: VaultPayload, share: Sealed, _ credentials: VaultCredentials
  ) throws(VaultError) {
    guard let share = share.bytes, let sealed = payload.sealed.bytes else { throw .malformed }
    let key = try VaultKey(credentials: credentials, answer: share)
    let record = try VaultRecord(
      version: payload.version, parameters: VaultParameters(payload.parameters), sealed: sealed)
    let opened = try record.open(key, owner: vaultOwner)
    try identity.memory.accept(record, owner: vaultOwner)
    let vault: IdentityVault
    do throws(KeyMessageError) { vault = try IdentityVault(opened.contents) } catch { throw .malformed }
    identity.vaultToken = credentials.token
    identity.pins.merge(vault.pins)
    adopt(vault.keys)
    setup.vaultOpened(now: now)
  }

  // MARK: Making

  mutating func makeVault(_ passcode: Passcode, replaces: Bool) {
    let known = [setup.status.appUserId].compactMap { $0 }
    guard let strong = try? VaultPasscode(new: passcode.value, knowing: known) else { return failSync(.weakPasscode) }
    requestVault(replaces ? .forget : .status) { machine, result in
      switch result {
      case .success(.forgotten(let next)): machine.prepareVault(strong, next: next)
      case .success(.status(nil, let next, _)): machine.prepareVault(strong, next: next)
      case .success(.status):
        // Another endpoint was faster.
        machine.setup.vaultIs(.existing)
        machine.failSync(.failure)
      default: machine.vaultFailed(result)
      }
    }
  }

  private mutating func prepareVault(_ passcode: VaultPasscode, next: UInt64) {
    guard next > identity.memory.seen[vaultOwner]?.version ?? 0 else {
      warn(.vaultRolledBack)
      return failSync(.tampered)
    }
    guard let parameters = try? VaultParameters() else { return failSync(.failure) }
    derive(passcode, parameters) { machine, result in
      guard case .success(let credentials) = result else { return machine.failSync(.failure) }
      let token = Sealed(bytes: credentials.token.unprotectedCopy())
      machine.requestVault(.prepare(token: token)) { machine, result in
        guard case .success(.prepared(let share)) = result else { return machine.vaultFailed(result) }
        guard let keys = try? IdentityKeys(generation: machine.publishedGeneration + 1),
          let record = try? machine.record(keys, credentials, share: share, version: next, parameters)
        else { return machine.failSync(.failure) }
        let request = VaultRequest.store(token: token, record: VaultPayload(record))
        machine.requestVault(request) { machine, result in
          guard case .success(.stored) = result else { return machine.vaultFailed(result) }
          try? machine.identity.memory.accept(record, owner: machine.vaultOwner)
          machine.identity.vaultToken = credentials.token
          machine.adopt(keys)
          machine.setup.vaultOpened(now: machine.now)
        }
      }
    }
  }

  private func record(
    _ keys: IdentityKeys, _ credentials: VaultCredentials, share: Sealed, version: UInt64, _ parameters: VaultParameters
  ) throws(VaultError) -> VaultRecord {
    guard let share = share.bytes else { throw .malformed }
    return try VaultRecord(
      sealing: IdentityVault(keys: keys, pins: identity.pins).contents(),
      key: VaultKey(credentials: credentials, answer: share), recovery: nil, owner: vaultOwner, version: version,
      parameters: parameters)
  }

  // MARK: Changing

  /// Seals the present keys under another passcode.
  mutating func changePasscode(_ passcode: Passcode, _ id: CommandID) {
    guard isReady, let keys = identity.keys else { return reply(id, .failure(.notReady)) }
    guard setup.hasKeyManagement, let current = identity.vaultToken else {
      return reply(id, .failure(.notForThisDomain))
    }
    let known = [setup.status.appUserId].compactMap { $0 }
    guard let strong = try? VaultPasscode(new: passcode.value, knowing: known),
      let parameters = try? VaultParameters()
    else { return reply(id, .failure(.passcode(.weakPasscode))) }
    let old = Sealed(bytes: current.unprotectedCopy())
    requestVault(.status) { machine, result in
      guard case .success(.status(let version?, let next, _)) = result else {
        return machine.reply(id, .failure(.passcode(Self.syncError(result))))
      }
      machine.derive(strong, parameters) { machine, result in
        guard case .success(let credentials) = result else { return machine.reply(id, .failure(.failed)) }
        let token = Sealed(bytes: credentials.token.unprotectedCopy())
        machine.requestVault(.prepare(token: token, current: old)) { machine, result in
          guard case .success(.prepared(let share)) = result,
            let record = try? machine.record(keys, credentials, share: share, version: next, parameters)
          else { return machine.reply(id, .failure(.passcode(Self.syncError(result)))) }
          let request = VaultRequest.change(
            current: old, token: token, record: VaultPayload(record), replacing: version)
          machine.requestVault(request) { machine, result in
            guard case .success(.stored) = result else {
              return machine.reply(id, .failure(.passcode(Self.syncError(result))))
            }
            try? machine.identity.memory.accept(record, owner: machine.vaultOwner)
            machine.identity.vaultToken = credentials.token
            machine.saveIdentity()
            machine.reply(id, .success(.done))
          }
        }
      }
    }
  }

  // MARK: Requests

  private mutating func requestVault(
    _ request: VaultRequest,
    then: @escaping @Sendable (inout MessengerMachine, Result<VaultAnswer, MessengerError>) -> Void
  ) {
    self.request(.vault(request: request)) { machine, answer in
      switch answer {
      case .success(.vault(let answer)): then(&machine, .success(answer))
      case .success: then(&machine, .failure(.failed))
      case .failure(let error): then(&machine, .failure(error))
      }
      machine.pumpSetup()
    }
  }

  private mutating func failSync(_ error: SyncError) {
    setup.vaultFailed(error, now: now)
    pumpSetup()
  }

  private mutating func vaultFailed(_ result: Result<VaultAnswer, MessengerError>) { failSync(Self.syncError(result)) }

  private static func syncError(_ result: Result<VaultAnswer, MessengerError>) -> SyncError {
    guard case .failure(.refused(let failure)) = result else { return .failure }
    return switch failure.code {
    case .wrongPasscode: .incorrectPasscode
    case .vaultLocked: .locked(seconds: failure.retryAfter ?? 0)
    default: .failure
    }
  }
}

extension VaultParameters {
  init(_ wire: VaultPayload.Parameters) throws(VaultError) {
    guard let salt = wire.salt.bytes else { throw .malformed }
    try self.init(salt: salt, memory: wire.memory, passes: wire.passes)
  }
}

extension VaultPayload {
  init(_ record: VaultRecord) {
    self.init(
      version: record.version,
      parameters: Parameters(
        salt: Sealed(bytes: record.parameters.salt), memory: record.parameters.memory, passes: record.parameters.passes),
      sealed: Sealed(bytes: record.sealed))
  }
}
