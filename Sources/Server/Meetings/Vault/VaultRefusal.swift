/// Why a vault's request is not answered.
public enum VaultRefusal: Error, Sendable, Equatable {
  /// There is no record.
  case noVault
  /// Another passcode; so many tries are left.
  case wrongPasscode(triesLeft: Int)
  /// Too many wrong passcodes came. Nothing is checked for so many seconds.
  case locked(seconds: Int)
  /// Another device has stored a record since this one opened it.
  case changed(version: Int)
  /// There is a record, and nothing shows that the caller may replace it.
  case proofRequired
  /// The preparation is another one, or was made for another token.
  case notPrepared
  /// Another recovery key, or the vault has none.
  case wrongRecoveryKey
  /// The pepper is another one than the record was made with.
  case unreadable
  /// The record or a token is outside the bounds.
  case malformed(String)
  /// The store or the pepper's file failed.
  case store(MeetingStoreError)

  public var code: String {
    switch self {
    case .noVault: "noVault"
    case .wrongPasscode: "wrongPasscode"
    case .locked: "vaultLocked"
    case .changed: "vaultChanged"
    case .proofRequired: "vaultExists"
    case .notPrepared: "vaultNotPrepared"
    case .wrongRecoveryKey: "wrongRecoveryKey"
    case .unreadable: "vaultUnreadable"
    case .malformed: "badVault"
    case .store(let error): error.code
    }
  }
}

extension VaultRefusal: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noVault: "There is no vault. Create one first."
    case .wrongPasscode(let left):
      "This is not the vault's passcode. \(left == 1 ? "One try is" : "\(left) tries are") left."
    case .locked(let seconds):
      "Too many wrong passcodes came, so the vault is locked for \(Self.text(seconds)). A recovery key opens it now."
    case .changed(let version): "Another device has changed the vault (version \(version)). Open it again first."
    case .proofRequired: "There is a vault already. Its passcode or its recovery key is needed to replace it."
    case .notPrepared: "The vault was prepared by another device at the same time. Try again."
    case .wrongRecoveryKey: "This recovery key does not belong to the vault."
    case .unreadable:
      "The server has lost what it needs to open vaults. The recovery key opens yours; without it, forget the vault "
        + "and create a new one from a device that has the keys."
    case .malformed(let reason): reason
    case .store(let error): error.description
    }
  }

  private static func text(_ seconds: Int) -> String {
    let minutes = (seconds + 59) / 60
    return minutes < 120 ? "\(minutes) minutes" : "\((minutes + 59) / 60) hours"
  }
}
