/// A person's key vault as their server shows it before it is opened.
public struct VaultStatus: Sendable, Hashable, Codable {
  public enum State: String, Sendable, Hashable, Codable, CaseIterable {
    case none
    /// It can be opened with its passcode.
    case ready
    /// Too many wrong passcodes came; ``VaultStatus/lockedFor`` says for how long.
    case locked
    /// The server has lost its pepper: only the recovery key opens it.
    case unreadable
  }

  public var state: State
  /// Names the owner at this server. Records are sealed for it.
  public var owner: String
  /// The version of the newest record, also after it was forgotten; 0 before the first.
  public var version: Int
  /// The cost of the passcode; nil when there is no vault.
  public var derivation: VaultDerivation?
  /// Wrong passcodes until it is locked.
  public var triesLeft: Int?
  /// Seconds until the next passcode may be tried.
  public var lockedFor: Int?
  /// Whether a recovery key opens it.
  public var hasRecoveryKey: Bool

  /// Seconds of a lock as a server names them. No lock is longer than a week, whatever a server says.
  package static func lockSeconds(_ named: Int?) -> Int { min(max(0, named ?? 1), 7 * 86_400) }

  public init(
    state: State, owner: String, version: Int = 0, derivation: VaultDerivation? = nil, triesLeft: Int? = nil,
    lockedFor: Int? = nil, hasRecoveryKey: Bool = false
  ) {
    self.state = state
    self.owner = owner
    self.version = version
    self.derivation = derivation
    self.triesLeft = triesLeft
    self.lockedFor = lockedFor
    self.hasRecoveryKey = hasRecoveryKey
  }
}

/// The cost of turning a vault's passcode into keys (Argon2id with one lane, RFC 9106).
public struct VaultDerivation: Sendable, Hashable, Codable {
  /// 16 bytes, in base64url.
  public var salt: String
  /// KiB that the derivation fills.
  public var memory: Int
  public var passes: Int

  public init(salt: String, memory: Int, passes: Int) {
    self.salt = salt
    self.memory = memory
    self.passes = passes
  }
}

/// A vault's record, which only its owner can open.
public struct SealedVault: Sendable, Hashable, Codable {
  public var version: Int
  public var derivation: VaultDerivation
  /// In base64url; at most ``maximumBytes`` decoded.
  public var sealed: String

  /// Bytes of ``sealed``, decoded.
  public static let maximumBytes = 49_664

  public init(version: Int, derivation: VaultDerivation, sealed: String) {
    self.version = version
    self.derivation = derivation
    self.sealed = sealed
  }
}
