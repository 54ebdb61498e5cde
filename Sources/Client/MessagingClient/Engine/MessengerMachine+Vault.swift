import Basics
import Crypto
import Encryption
import Messaging
import Signaling

extension MessengerMachine {
  // MARK: Opening

  /// Status, credentials, the record, its contents: each step is the answer to the one before.
  mutating func openVault(_ passcode: Passcode) {
    let entered = VaultPasscode(entered: passcode.value)
    requestVault(.status) { machine, result in
      guard case .success(.status(let status)) = result else { return machine.vaultFailed(result) }
      guard status.state != .none, let derivation = status.derivation else {
        machine.setup.vaultIs(.new)
        return machine.failSync(.failure)
      }
      guard let parameters = try? VaultParameters(derivation),
        (try? machine.identity.memory.check(parameters, version: status.version, owner: machine.vaultOwner)) != nil
      else { return machine.failSync(.tampered) }
      machine.derive(entered, parameters) { machine, result in
        guard case .success(let credentials) = result else { return machine.failSync(.failure) }
        machine.fetchRecord(credentials, owner: status.owner)
      }
    }
  }

  private mutating func fetchRecord(_ credentials: VaultCredentials, owner: String) {
    requestVault(.open(proof: VaultProof(token: credentials.text))) { machine, result in
      guard case .success(.opened(let opening)) = result else { return machine.vaultFailed(result) }
      do throws(VaultError) {
        try machine.adopt(opening, credentials, owner: owner)
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

  private mutating func adopt(
    _ opening: VaultOpening, _ credentials: VaultCredentials, owner: String
  ) throws(VaultError) {
    guard let answer = opening.answer.flatMap({ Base64URL.decode($0) }) else { throw .malformed }
    let record = try VaultRecord(opening.record)
    let opened = try record.open(VaultKey(credentials: credentials, answer: answer), owner: owner)
    // By the name that this endpoint gives the owner: the service's may change, and with it what was seen.
    try identity.memory.accept(record, owner: vaultOwner)
    let vault: IdentityVault
    do throws(KeyMessageError) { vault = try IdentityVault(opened.contents) } catch { throw .malformed }
    identity.vaultToken = credentials.token
    identity.pins.merge(vault.pins)
    savePins()
    adopt(vault.keys)
    setup.vaultOpened(now: now)
  }

  /// Asks whether another endpoint has made the vault again. A lost answer is asked for again.
  mutating func askForVault() {
    requestVault(.status) { machine, result in
      switch result {
      case .success(.status(let status)): machine.setup.vaultIs(status.state == .none ? .new : .existing)
      case .success, .failure(.refused): machine.setup.vaultIsReserved(now: machine.now)
      case .failure: break
      }
    }
  }

  // MARK: Making

  /// New keys in a new vault. One that is there is forgotten first, if the user wants that.
  mutating func makeVault(_ passcode: Passcode, replaces: Bool) {
    guard let strong = strong(passcode) else { return failSync(.weakPasscode) }
    requestVault(replaces ? .forget : .status) { machine, result in
      guard case .success(.status(let status)) = result else { return machine.vaultFailed(result) }
      guard status.state == .none else {
        // Another endpoint was faster.
        machine.setup.vaultIs(.existing)
        return machine.failSync(.failure)
      }
      guard let keys = try? IdentityKeys(generation: machine.publishedGeneration + 1) else {
        return machine.failSync(.failure)
      }
      machine.storeVault(keys, strong, owner: status.owner, proof: nil) { machine, error in
        if let error { return machine.failSync(error) }
        machine.adopt(keys)
        machine.setup.vaultOpened(now: machine.now)
      }
    }
  }

  private func strong(_ passcode: Passcode) -> VaultPasscode? {
    try? VaultPasscode(new: passcode.value, knowing: [setup.status.appUserId].compactMap { $0 })
  }

  /// Prepares and stores a record under a passcode; `then` gets what went wrong.
  private mutating func storeVault(
    _ keys: IdentityKeys, _ passcode: VaultPasscode, owner: String, proof: VaultProof?,
    then: @escaping @Sendable (inout MessengerMachine, SyncError?) -> Void
  ) {
    guard let parameters = try? VaultParameters() else { return then(&self, .failure) }
    derive(passcode, parameters) { machine, result in
      guard case .success(let credentials) = result else { return then(&machine, .failure) }
      let preparation = VaultPreparationRequest(token: credentials.text, proof: proof)
      machine.requestVault(.prepare(request: preparation)) { machine, result in
        guard case .success(.prepared(let prepared)) = result else {
          if Self.isTaken(result) { machine.askForVault() }
          return then(&machine, Self.syncError(result))
        }
        guard prepared.version > machine.setup.keys.vaultVersion else {
          machine.warn(.vaultRolledBack)
          return then(&machine, .tampered)
        }
        guard let record = try? machine.record(keys, credentials, prepared, parameters, owner: owner) else {
          return then(&machine, .failure)
        }
        let store = VaultStoreRequest(
          record: SealedVault(record), proof: proof, preparation: prepared.id, token: credentials.text)
        machine.requestVault(.store(request: store)) { machine, result in
          guard case .success(.stored) = result else {
            if Self.isTaken(result) { machine.askForVault() }
            return then(&machine, Self.syncError(result))
          }
          try? machine.identity.memory.accept(record, owner: machine.vaultOwner)
          machine.identity.vaultToken = credentials.token
          machine.saveIdentity()
          machine.setup.keys = machine.localKeys
          then(&machine, nil)
        }
      }
    }
  }

  private func record(
    _ keys: IdentityKeys, _ credentials: VaultCredentials, _ prepared: VaultPreparation, _ parameters: VaultParameters,
    owner: String
  ) throws(VaultError) -> VaultRecord {
    guard let answer = Base64URL.decode(prepared.answer) else { throw .malformed }
    return try VaultRecord(
      sealing: IdentityVault(keys: keys, pins: identity.pins).contents(),
      key: VaultKey(credentials: credentials, answer: answer), recovery: nil, owner: owner,
      version: UInt64(prepared.version), parameters: parameters)
  }

  // MARK: Changing

  /// Seals the present keys under another passcode. The vault's token stands for the old one.
  mutating func changePasscode(_ passcode: Passcode, _ id: CommandID) {
    guard isReady, let keys = identity.keys else { return reply(id, .failure(.notReady)) }
    guard setup.hasKeyManagement, let current = identity.vaultToken else {
      return reply(id, .failure(.notForThisDomain))
    }
    guard let strong = strong(passcode) else { return reply(id, .failure(.passcode(.weakPasscode))) }
    let proof = VaultProof(token: Base64URL.encode(current.bytes))
    requestVault(.status) { machine, result in
      guard case .success(.status(let status)) = result else {
        return machine.reply(id, .failure(.passcode(Self.syncError(result))))
      }
      machine.storeVault(keys, strong, owner: status.owner, proof: proof) { machine, error in
        machine.reply(id, error.map { .failure(.passcode($0)) } ?? .success(.done))
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

  private mutating func vaultFailed(_ result: Result<VaultAnswer, MessengerError>) {
    if case .failure(.refused(let failure)) = result, failure.code == .vaultReserved {
      setup.vaultIsReserved(now: now)
    }
    failSync(Self.syncError(result))
  }

  /// Whether another endpoint was faster.
  private static func isTaken(_ result: Result<VaultAnswer, MessengerError>) -> Bool {
    guard case .failure(.refused(let failure)) = result else { return false }
    return failure.code == .versionConflict || failure.code == .proofRequired || failure.code == .vaultReserved
  }

  private static func syncError(_ result: Result<VaultAnswer, MessengerError>) -> SyncError {
    guard case .failure(.refused(let failure)) = result else { return .failure }
    if failure.code == .wrongPasscode { return .incorrectPasscode }
    if failure.code == .vaultLocked { return .locked(seconds: VaultStatus.lockSeconds(failure.retryAfter)) }
    return .failure
  }
}

extension VaultCredentials {
  /// The token as it goes over the wire.
  fileprivate var text: String { Base64URL.encode(token.bytes) }
}

extension VaultParameters {
  fileprivate init(_ wire: VaultDerivation) throws(VaultError) {
    try self.init(saltText: wire.salt, memory: wire.memory, passes: wire.passes)
  }
}

extension VaultRecord {
  fileprivate init(_ wire: SealedVault) throws(VaultError) {
    try self.init(version: wire.version, parameters: VaultParameters(wire.derivation), sealedText: wire.sealed)
  }
}

extension SealedVault {
  fileprivate init(_ record: VaultRecord) {
    self.init(
      version: Int(clamping: record.version),
      derivation: VaultDerivation(
        salt: record.parameters.saltText, memory: record.parameters.memory, passes: record.parameters.passes),
      sealed: record.sealedText)
  }
}
