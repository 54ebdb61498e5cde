import Crypto
import Encryption

/// A lasting key of a person, by which others recognise them in encrypted meetings. A guest has another key in each
/// meeting.
///
/// ```swift
/// let vault = try Vault(server: "https://meet.example", token: token)
/// var options = JoinOptions(name: "Ann")
/// options.identity = try await vault.open(passcode: Secret("four words that nobody knows"))
/// ```
public struct MeetingIdentity: Sendable {
  /// The name of its entry in a vault.
  static let entry = "meeting identity"

  let key: Ed25519.PrivateKey
  private let seed: SecretBytes

  /// A new one, for somebody who has none.
  init() throws(CryptoError) { try self.init(seed: .random(Ed25519.keyLength)) }

  private init(seed: SecretBytes) throws(CryptoError) {
    self.seed = seed
    key = try Ed25519.PrivateKey(seed)
  }

  /// The identity in a vault; a new one where it has none.
  init(in entries: inout VaultEntries) throws(VaultProblem) {
    do throws(CryptoError) {
      if let seed = entries[Self.entry] {
        try self.init(seed: seed)
      } else {
        try self.init()
        entries[Self.entry] = seed
      }
    } catch {
      throw .damaged("the key in it cannot be used.")
    }
  }

  /// 30 digits that stand for this identity, the same on all devices of its owner.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let identity = try await vault.open(passcode: Secret("four words that nobody knows"))
  /// print("My code: \(identity.code)")
  /// ```
  public var code: String { (try? SafetyCode.digits(of: [key.publicKey])) ?? "" }
}

extension MeetingIdentity: Equatable {
  /// Whether two are the same key.
  ///
  /// ```swift
  /// let vault = try Vault(server: "https://meet.example", token: token)
  /// let before = try await vault.open(passcode: Secret("four words that nobody knows"))
  /// let after = try await vault.open(passcode: Secret("four words that nobody knows"))
  /// print(before == after ? "the same key" : "another one")
  /// ```
  public static func == (a: MeetingIdentity, b: MeetingIdentity) -> Bool { a.key.publicKey == b.key.publicKey }
}

extension MeetingIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }
  /// Always `<redacted>`.
  public var debugDescription: String { "<redacted>" }
  /// A mirror without children, so that `dump` shows nothing.
  public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
