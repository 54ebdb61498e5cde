package import Crypto

/// Half of what opens a vault, from its passcode: a token that the server checks, and a key that it never sees.
package struct VaultCredentials: Sendable {
  /// Bytes of the token.
  package static let tokenLength = 32
  /// Bytes of the server's answer to a right token.
  package static let answerLength = 32

  package let token: SecretBytes
  let halfKey: SecretBytes

  /// Derives them, which takes at least 0.3 s of one core and the memory that the parameters name: not for a task of
  /// the cooperative pool.
  package init(passcode: VaultPasscode, parameters: VaultParameters) throws(VaultError) {
    do throws(CryptoError) {
      var text = Array(passcode.value.value.utf8)
      let password = SecretBytes(wiping: &text)
      let derived = try Argon2id.hash(
        password: password.bytes, salt: parameters.salt.span, memory: parameters.memory, passes: parameters.passes,
        lanes: 1, length: 2 * Self.tokenLength)
      token = derived.extracting(0..<Self.tokenLength)
      halfKey = derived.extracting(Self.tokenLength..<2 * Self.tokenLength)
    } catch {
      throw .failed
    }
  }
}

/// The key of a vault's record. It needs the passcode and the server's answer, so a stolen database alone gives no way
/// to try passcodes.
package struct VaultKey: Sendable {
  let bytes: SecretBytes

  /// - Throws: ``VaultError/malformed`` when the answer has another length.
  package init(credentials: VaultCredentials, answer: [UInt8]) throws(VaultError) {
    guard answer.count == VaultCredentials.answerLength else { throw .malformed }
    let salt = Array("Parley vault key 1".utf8)
    do throws(CryptoError) {
      var joined = credentials.halfKey.unprotectedCopy() + answer
      let secret = SecretBytes(wiping: &joined)
      let root = try HKDF.extract(salt: salt.span, secret: secret.bytes, using: .sha256)
      bytes = try HKDF.expand(root, info: Span(), count: 32, using: .sha256)
    } catch {
      throw .failed
    }
  }
}
