import Encryption

/// Why a vault could not be opened or changed. Its description is a sentence for people.
///
/// ```swift
/// let vault = try Vault(server: "https://meet.example", token: token)
/// do {
///   _ = try await vault.open(passcode: Secret("four words that nobody knows"))
/// } catch VaultProblem.wrongPasscode(let triesLeft) {
///   print("Wrong; \(triesLeft) tries are left.")
/// } catch {
///   print(error)
/// }
/// ```
public enum VaultProblem: Error, Hashable, Sendable {
  /// A new passcode is too easy to guess; the text says why.
  case weakPasscode(String)
  /// Another passcode; so many tries are left until the vault is locked.
  case wrongPasscode(triesLeft: Int)
  /// Too many wrong passcodes came. The next one may be tried after so many seconds.
  case locked(seconds: Int)
  /// The person has no vault yet.
  case noVault
  /// The person has a vault already.
  case exists
  /// Another device has changed the vault: open it again.
  case changedElsewhere
  /// The server gave an older record than this device has seen, or another one of the same version.
  case rolledBack(seen: UInt64, found: UInt64)
  /// The recovery key is mistyped, belongs to another vault, or the vault has none.
  case wrongRecoveryKey
  /// The server has lost its part of the key: only the recovery key opens the vault.
  case unreadable
  /// The server's answer doesn't fit: it is damaged, forged, or of a later version.
  case damaged(String)
  /// The server refuses, with its code.
  case refused(code: String, message: String)
  /// The server can't be reached.
  case unreachable(String)
}

extension VaultProblem: CustomStringConvertible {
  /// Sentences for people.
  ///
  /// ```swift
  /// print(VaultProblem.noVault.description)
  /// ```
  public var description: String {
    switch self {
    case .weakPasscode(let reason): reason
    case .wrongPasscode(1): "This is not the passcode of your vault. One try is left; then it is locked for a day."
    case .wrongPasscode(let left): "This is not the passcode of your vault. \(left) tries are left."
    case .locked(let seconds): "Your vault is locked for \(Self.span(seconds)). Your recovery key opens it now."
    case .noVault: "You have no vault at this server yet."
    case .exists: "You have a vault at this server already. Open it, or forget it first."
    case .changedElsewhere: "Another of your devices has changed the vault. Open it again."
    case .rolledBack(let seen, let found):
      found == seen
        ? "The server gave another vault than before under the same number. Ask its operator what happened."
        : "The server gave an older vault (number \(found)) than this device has seen (\(seen)). Its operator may have "
          + "restored a backup; if not, somebody may be trying to bring old keys back."
    case .wrongRecoveryKey: "This recovery key does not open the vault. Compare it with your note, letter by letter."
    case .unreadable: "The server has lost its part of your vault's key. Your recovery key opens it."
    case .damaged(let reason): "The vault cannot be read: \(reason)"
    case .refused(_, let message): message
    case .unreachable(let reason): reason
    }
  }

  private static func span(_ seconds: Int) -> String {
    let minutes = seconds / 60 + (seconds % 60 > 0 ? 1 : 0)
    return minutes < 120 ? "\(minutes) minutes" : "\((minutes + 59) / 60) hours"
  }

  /// A problem of the client's own cryptography.
  init(_ error: VaultError) {
    switch error {
    case .parametersRefused:
      self = .damaged("the server asks for a derivation that this program doesn't take.")
    case .doesNotOpen: self = .damaged("the record was not sealed with this passcode, or was changed on the server.")
    case .rolledBack(let seen, let found): self = .rolledBack(seen: seen, found: found)
    case .noRecovery: self = .wrongRecoveryKey
    case .tooLong: self = .damaged("it has more in it than a vault takes.")
    case .malformed: self = .damaged("it is damaged, or of a later version of this program.")
    case .failed: self = .damaged("this device has not enough memory for it.")
    }
  }
}
