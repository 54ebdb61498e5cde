/// Shows that somebody may read or replace a vault: the token of its passcode, or that of its recovery key. Both are 32
/// bytes in base64url.
public struct VaultProof: Sendable, Hashable, Codable {
  /// Derived from the passcode. Each one counts as a try, and a right one starts the count again.
  public var token: String?
  /// Derived from the recovery key. Looked at when there is no ``token``.
  public var recovery: String?

  public init(token: String? = nil, recovery: String? = nil) {
    self.token = token
    self.recovery = recovery
  }
}

/// Asks for the answer that goes into the key of the next record.
public struct VaultPreparationRequest: Sendable, Hashable, Codable {
  /// The token of the next record's passcode: 32 bytes in base64url.
  public var token: String
  /// Needed while there is a record.
  public var proof: VaultProof?

  public init(token: String, proof: VaultProof? = nil) {
    self.token = token
    self.proof = proof
  }
}

/// The server's part in the key of the next record. The next preparation takes its place.
public struct VaultPreparation: Sendable, Hashable, Codable {
  /// Names the preparation in ``VaultStoreRequest``.
  public var id: String
  /// 32 bytes in base64url.
  public var answer: String
  /// The version of the record to come.
  public var version: Int

  public init(id: String, answer: String, version: Int) {
    self.id = id
    self.answer = answer
    self.version = version
  }
}

/// The record of somebody who has shown that they may read it.
public struct VaultOpening: Sendable, Hashable, Codable {
  public var record: SealedVault
  /// The server's half of the key, 32 bytes in base64url; nil for a recovery key, which needs none.
  public var answer: String?

  public init(record: SealedVault, answer: String? = nil) {
    self.record = record
    self.answer = answer
  }
}

/// Stores a record: the first one, one with other contents, or one under another passcode.
public struct VaultStoreRequest: Sendable, Hashable, Codable {
  public var record: SealedVault
  /// Needed while there is a record.
  public var proof: VaultProof?
  /// ``VaultPreparation/id``, where the passcode is a new one; nil keeps passcode and answer.
  public var preparation: String?
  /// The token that was prepared.
  public var token: String?
  /// The token of a new recovery key; nil keeps the one that there is.
  public var recovery: String?

  public init(
    record: SealedVault, proof: VaultProof? = nil, preparation: String? = nil, token: String? = nil,
    recovery: String? = nil
  ) {
    self.record = record
    self.proof = proof
    self.preparation = preparation
    self.token = token
    self.recovery = recovery
  }
}
