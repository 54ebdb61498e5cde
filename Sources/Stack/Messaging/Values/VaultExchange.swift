/// A request about the vault of the asking identity: the record with its keys, sealed by a passcode that the server never gets.
public enum VaultRequest: Codable, Hashable, Sendable {
  /// Whether there is a record, and how it was made.
  case status
  /// The server's share for a record to come. `current` is the token of the present record, where there is one.
  case prepare(token: Sealed, current: Sealed? = nil)
  /// The server's share and the record. Each try counts.
  case open(token: Sealed)
  /// Puts a record in place of version `replacing`; nil when there is none.
  case store(token: Sealed, record: VaultPayload, replacing: UInt64? = nil)
  /// The same under another passcode.
  case change(current: Sealed, token: Sealed, record: VaultPayload, replacing: UInt64)
  /// Removes the record, and deregisters all other endpoints of the identity.
  case forget
}

/// What the server says about a vault.
public enum VaultAnswer: Codable, Hashable, Sendable {
  /// `version` is nil when there is no record. `next` is above every version that there was.
  case status(version: UInt64? = nil, next: UInt64, parameters: VaultPayload.Parameters? = nil)
  /// The server's share for a record to come.
  case prepared(share: Sealed)
  /// The server's share and the record.
  case opened(share: Sealed, record: VaultPayload)
  /// The record is on the disk.
  case stored(version: UInt64)
  /// There is no record any more.
  case forgotten(next: UInt64)
}

/// A sealed vault record with what its owner needs to open it.
public struct VaultPayload: Codable, Hashable, Sendable {
  /// How the passcode becomes a key.
  public struct Parameters: Codable, Hashable, Sendable {
    public var salt: Sealed
    /// KiB.
    public var memory: Int
    public var passes: Int

    /// Parameters.
    public init(salt: Sealed, memory: Int, passes: Int) {
      self.salt = salt
      self.memory = memory
      self.passes = passes
    }
  }

  public var version: UInt64
  public var parameters: Parameters
  public var sealed: Sealed

  /// A record.
  public init(version: UInt64, parameters: Parameters, sealed: Sealed) {
    self.version = version
    self.parameters = parameters
    self.sealed = sealed
  }
}
