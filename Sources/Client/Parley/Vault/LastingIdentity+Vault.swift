import Crypto
import Encryption

extension LastingIdentity {
  /// The name of its entry in a vault.
  static let entry = "meeting identity"

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
  public var code: String { (try? SafetyCode.digits(of: [publicKey])) ?? "" }
}
