import Basics
import Crypto

/// The two halves of PKCE (RFC 7636): what is kept, and what is shown before. An attacker who catches the code on its
/// way back can't use it without the first.
struct ProofKey: Sendable {
  /// 43 random characters.
  let verifier: Secret<String>
  /// Its S256: 43 characters.
  let challenge: String

  /// A new pair; nil only when there is no memory left.
  init?() {
    var generator = SystemRandomNumberGenerator()
    self.init(verifier: Base64URL.encode((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
  }

  /// The pair of a verifier.
  init?(verifier: String) {
    guard let digest = try? Digest.sha256(Array(verifier.utf8)) else { return nil }
    self.verifier = Secret(verifier)
    challenge = Base64URL.encode(digest)
  }
}
