import Crypto
package import Encryption
package import Signaling

/// The steps of creating, opening and changing a vault over any ``VaultService``. Contents are the caller's.
package actor VaultClient {
  /// The vault that is open, for its next record.
  private struct Session {
    var record: VaultRecord
    var key: VaultKey
    var token: String
    var recovery: X25519.PublicKey?
    var owner: String
  }

  private let service: any VaultService
  /// Stands before an owner's name in the memory: two servers may have an owner of one name.
  private let scope: String
  /// The newest records that were seen. The caller keeps it with the device's other data.
  package private(set) var memory: VaultMemory
  private var session: Session?
  private let bounds: VaultParameters.Bounds
  /// The record that was refused last because a newer one was seen, and the one that is taken all the same.
  private var refused: VaultMemory.Seen?
  private var accepted: VaultMemory.Seen?
  /// Requests for one record, whose replies may be lost.
  private static let storeAttempts = 3

  /// - Parameter bounds: The cost of passcodes; another one is for tests.
  package init(
    _ service: any VaultService, scope: String, memory: VaultMemory, bounds: VaultParameters.Bounds = .standard
  ) {
    self.service = service
    self.bounds = bounds
    self.scope = scope
    self.memory = memory
  }

  package func status() async throws(VaultProblem) -> VaultStatus { try await service.status() }

  // MARK: Reading

  package func open(_ passcode: VaultPasscode) async throws(VaultProblem) -> VaultContents {
    let status = try await existing()
    guard let derivation = status.derivation else { throw .noVault }
    let parameters = try parameters(derivation)
    try attempt { () throws(VaultError) in
      try memory.check(parameters, version: status.version, owner: scope + status.owner)
    }
    let credentials = try await Self.derive(passcode, parameters)
    let token = Base64URL.encode(credentials.token.bytes)
    let opening = try await service.open(VaultProof(token: token))
    guard let answer = opening.answer.flatMap({ Base64URL.decode($0) }) else {
      throw .damaged("the server's answer has another form.")
    }
    let record = try record(opening.record)
    return try attempt { () throws(VaultError) in
      let key = try VaultKey(credentials: credentials, answer: answer)
      let opened = try record.open(key, owner: status.owner)
      try accept(record, status.owner)
      session = Session(
        record: record, key: key, token: token, recovery: opened.recovery, owner: status.owner)
      return opened.contents
    }
  }

  /// Opens the vault with the recovery key, and gives it a new passcode at once.
  package func recover(_ recovery: RecoveryKey, passcode: VaultPasscode) async throws(VaultProblem) -> VaultContents {
    let status = try await service.status()
    guard status.state != .none else { throw .noVault }
    let token = try attempt { () throws(VaultError) in try recovery.token() }
    let proof = VaultProof(recovery: Base64URL.encode(token.bytes))
    let record = try record(try await service.open(proof).record)
    let opened = try attempt { () throws(VaultError) in
      let opened = try record.open(recovery, owner: status.owner)
      try accept(record, status.owner)
      return opened
    }
    try await seal(opened.contents, passcode, opened.recovery, newRecovery: nil, proof: proof, owner: status.owner)
    return opened.contents
  }

  /// Lets the record that was refused last be opened, once its owner has decided so. No other one is taken, and the
  /// memory stays as it is until that one opens.
  package func acceptOlder() { accepted = refused }

  private func accept(_ record: VaultRecord, _ owner: String) throws(VaultError) {
    do throws(VaultError) {
      try memory.accept(record, owner: scope + owner, older: accepted)
      (refused, accepted) = (nil, nil)
    } catch {
      refused = try VaultMemory.Seen(record)
      throw error
    }
  }

  // MARK: Writing

  package func create(
    _ contents: VaultContents, passcode: VaultPasscode, recovery: RecoveryKey?
  ) async throws(VaultProblem) {
    let status = try await service.status()
    guard status.state == .none else { throw .exists }
    let key = try attempt { () throws(VaultError) in try recovery?.publicKey() }
    try await seal(contents, passcode, key, newRecovery: recovery, proof: nil, owner: status.owner)
  }

  /// Replaces the contents of the vault that is open, and its recovery key where one is given.
  package func update(_ contents: VaultContents, recovery: RecoveryKey? = nil) async throws(VaultProblem) {
    guard let session else { throw .noVault }
    let (record, publicKey, recoveryToken) = try attempt { () throws(VaultError) in
      let publicKey = try recovery?.publicKey() ?? session.recovery
      let record = try VaultRecord(
        sealing: contents, key: session.key, recovery: publicKey, owner: session.owner,
        version: session.record.version + 1, parameters: session.record.parameters)
      return (record, publicKey, try Self.token(of: recovery))
    }
    try await store(
      VaultStoreRequest(
        record: SealedVault(record), proof: VaultProof(token: session.token), recovery: recoveryToken),
      token: session.token)
    try stored(record, session.key, session.token, publicKey, session.owner)
  }

  /// Gives the vault another passcode, and another recovery key where one is given.
  package func change(
    _ passcode: VaultPasscode, to next: VaultPasscode, recovery: RecoveryKey?
  ) async throws(VaultProblem) {
    let contents = try await open(passcode)
    guard let session else { throw .noVault }
    let key = try attempt { () throws(VaultError) in try recovery?.publicKey() } ?? session.recovery
    try await seal(
      contents, next, key, newRecovery: recovery, proof: VaultProof(token: session.token), owner: session.owner)
  }

  /// Forgets the vault on the server. Devices that have its keys go on with them.
  package func forget() async throws(VaultProblem) {
    try await service.forget()
    session = nil
  }

  /// Seals contents under a new passcode, and stores them.
  private func seal(
    _ contents: VaultContents, _ passcode: VaultPasscode, _ recovery: X25519.PublicKey?, newRecovery: RecoveryKey?,
    proof: VaultProof?, owner: String
  ) async throws(VaultProblem) {
    let parameters = try attempt { () throws(VaultError) in try VaultParameters(leastOf: bounds) }
    let credentials = try await Self.derive(passcode, parameters)
    let token = Base64URL.encode(credentials.token.bytes)
    let prepared = try await service.prepare(VaultPreparationRequest(token: token, proof: proof))
    guard let answer = Base64URL.decode(prepared.answer), let version = UInt64(exactly: prepared.version) else {
      throw .damaged("the server's answer has another form.")
    }
    // A server that counts from the beginning again would bring old records back later.
    if let seen = memory.seen[scope + owner], version <= seen.version {
      throw .rolledBack(seen: seen.version, found: version)
    }
    let key = try attempt { () throws(VaultError) in try VaultKey(credentials: credentials, answer: answer) }
    let record = try attempt { () throws(VaultError) in
      try VaultRecord(
        sealing: contents, key: key, recovery: recovery, owner: owner, version: version, parameters: parameters)
    }
    let recoveryToken = try attempt { () throws(VaultError) in try Self.token(of: newRecovery) }
    try await store(
      VaultStoreRequest(
        record: SealedVault(record), proof: proof, preparation: prepared.id, token: token, recovery: recoveryToken),
      token: token)
    try stored(record, key, token, recovery, owner)
  }

  private static func token(of recovery: RecoveryKey?) throws(VaultError) -> String? {
    guard let recovery else { return nil }
    let token = try recovery.token()
    return Base64URL.encode(token.bytes)
  }

  /// Stores a record, again where no reply came: the server may have it, and nobody has seen its recovery key yet.
  ///
  /// - Parameter token: The one that opens the record.
  private func store(_ request: VaultStoreRequest, token: String) async throws(VaultProblem) {
    var attempts = 0
    while true {
      do throws(VaultProblem) {
        guard attempts > 0, try await service.status().version >= request.record.version else {
          return try await service.store(request)
        }
        guard try await service.open(VaultProof(token: token)).record == request.record else {
          throw .changedElsewhere
        }
        return
      } catch {
        attempts += 1
        guard case .unreachable = error, attempts < Self.storeAttempts else { throw error }
      }
    }
  }

  private func stored(
    _ record: VaultRecord, _ key: VaultKey, _ token: String, _ recovery: X25519.PublicKey?, _ owner: String
  ) throws(VaultProblem) {
    try attempt { () throws(VaultError) in try memory.accept(record, owner: scope + owner) }
    session = Session(record: record, key: key, token: token, recovery: recovery, owner: owner)
  }

  // MARK: Steps

  private func existing() async throws(VaultProblem) -> VaultStatus {
    let status = try await service.status()
    switch status.state {
    case .none: throw .noVault
    case .locked: throw .locked(seconds: VaultStatus.lockSeconds(status.lockedFor))
    case .unreadable: throw .unreadable
    case .ready: return status
    }
  }

  private func attempt<Answer>(_ body: () throws(VaultError) -> Answer) throws(VaultProblem) -> Answer {
    do throws(VaultError) { return try body() } catch { throw VaultProblem(error) }
  }

  private func parameters(_ derivation: VaultDerivation) throws(VaultProblem) -> VaultParameters {
    try attempt { () throws(VaultError) in
      try VaultParameters(
        saltText: derivation.salt, memory: derivation.memory, passes: derivation.passes, within: bounds)
    }
  }

  private func record(_ sealed: SealedVault) throws(VaultProblem) -> VaultRecord {
    let parameters = try parameters(sealed.derivation)
    return try attempt { () throws(VaultError) in
      try VaultRecord(version: sealed.version, parameters: parameters, sealedText: sealed.sealed)
    }
  }

  /// Derives on a thread of its own: a second of work would hold up the cooperative pool.
  private static func derive(
    _ passcode: VaultPasscode, _ parameters: VaultParameters
  ) async throws(VaultProblem) -> VaultCredentials {
    let result = await OwnThread.run { () -> Result<VaultCredentials, VaultError> in
      Result { () throws(VaultError) in try VaultCredentials(passcode: passcode, parameters: parameters) }
    }
    switch result {
    case .success(let credentials): return credentials
    case .failure(let error): throw VaultProblem(error)
    case nil: throw VaultProblem(.failed)
    }
  }
}

extension SealedVault {
  /// The wire form of a record.
  package init(_ record: VaultRecord) {
    self.init(
      version: Int(clamping: record.version),
      derivation: VaultDerivation(
        salt: record.parameters.saltText, memory: record.parameters.memory, passes: record.parameters.passes),
      sealed: record.sealedText)
  }
}
