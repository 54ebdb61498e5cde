import Basics
import FoundationEssentials
import Transport

/// The two halves of PKCE (RFC 7636): what is kept, and what is shown before. Whoever catches the code on its way back cannot use it without
/// the first.
struct ProofKey: Sendable {
  /// 43 random characters.
  let verifier: Secret<String>
  /// Its S256: 43 characters.
  let challenge: String

  /// A new pair; nil only when there is no memory left.
  init?() {
    var generator = SystemRandomNumberGenerator()
    self.init(verifier: Self.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
  }

  /// The pair of a verifier.
  init?(verifier: String) {
    guard let digest = Digest.sha256(Array(verifier.utf8)) else { return nil }
    self.verifier = Secret(verifier)
    challenge = Self.text(digest)
  }

  /// Base64 for addresses, without padding (RFC 4648 section 5).
  private static func text(_ bytes: [UInt8]) -> String {
    String(
      Data(bytes).base64EncodedString().compactMap { character in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      })
  }
}
