import Basics
import Crypto
import Signaling

extension Vault {
  private struct Claims: Decodable {
    var sub: String?
    var name: String?
  }

  /// User and name in a join token, of which a new passcode must not consist. Nothing is verified: that is the server's
  /// part.
  package static func names(in token: Secret<String>) -> [String] {
    let parts = token.value.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
      let claims = try? SignalingDecoder().decode(Claims.self, from: bytes)
    else { return [] }
    return [claims.sub, claims.name].compactMap { $0 }
  }
}
