import FoundationEssentials
import Meetings

/// A provider's metadata (OpenID Connect Discovery 1.0 section 3), as far as they are used.
struct ProviderDocument: Sendable, Decodable {
  var issuer: String
  var authorization_endpoint: String
  var token_endpoint: String
  var jwks_uri: String
  var userinfo_endpoint: String?
  var token_endpoint_auth_methods_supported: [String]?

  /// The URL of an issuer's document.
  static func address(of issuer: String) -> String {
    (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
  }

  /// Reads and checks the document of `issuer`.
  init(_ json: [UInt8], of issuer: String) throws(SignInProblem) {
    guard let document = try? JSONDecoder().decode(ProviderDocument.self, from: Data(json)) else {
      throw .unreachable("the provider's discovery document cannot be read, or lacks an address that is needed")
    }
    self = document
    // Otherwise one provider could speak in the name of another (section 4.3).
    guard document.issuer == issuer else {
      throw .misconfigured("the provider calls itself by another issuer than the one that is set")
    }
    let addresses = [authorization_endpoint, token_endpoint, jwks_uri] + (userinfo_endpoint.map { [$0] } ?? [])
    guard addresses.allSatisfy({ IdentityProvider.isProtected($0) && !$0.contains("#") }) else {
      throw .misconfigured("an address in the provider's discovery document is not https")
    }
  }

  /// Whether the client's password goes into the body instead of a header (RFC 6749 section 2.3.1).
  var wantsSecretInBody: Bool {
    guard let methods = token_endpoint_auth_methods_supported else { return false }
    return !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
  }
}
