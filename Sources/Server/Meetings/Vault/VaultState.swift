public import FoundationEssentials

/// A vault as its owner may know it before opening it.
public struct VaultState: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case none, ready
    /// Until the moment nothing is checked but recovery keys.
    case locked(until: Date)
    /// The pepper is another one.
    case unreadable
  }

  public var kind: Kind
  /// Of the newest record; 0 before the first.
  public var version: Int
  /// The record, for the cost and salt of its passcode.
  public var record: VaultRecord?
  public var triesLeft: Int
  public var hasRecoveryKey: Bool

  init(_ vault: StoredVault?, pepper: String?, now: Date) {
    version = vault?.version ?? 0
    record = vault?.current?.record
    hasRecoveryKey = vault?.current?.recovery != nil
    triesLeft = Vault.maximumTries
    guard let vault, let current = vault.current else {
      kind = .none
      return
    }
    if current.credential.pepper != pepper {
      kind = .unreadable
    } else if let until = vault.lockedUntil, until > now {
      kind = .locked(until: until)
      triesLeft = 0
    } else {
      kind = .ready
      if vault.lockedUntil == nil { triesLeft = max(0, Vault.maximumTries - vault.tries) }
    }
  }
}
