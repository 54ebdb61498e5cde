import Basics
import Foundation
import Meetings
import Options

/// The options about the provider at which a tenant's people sign in.
extension CommandOptions {
  static let providerRules: [Option] = [
    Option("oidc-issuer", .text("URL"), "the provider's issuer identifier, as its discovery document spells it"),
    Option("oidc-client-id", .text("ID"), "what the provider calls this server"),
    Option(
      "oidc-client-secret-file", .either(.file, "none"), "a file with the client's secret; none for a public client"),
    Option(
      "oidc-scope", .text("SCOPE"), otherwise: "profile, email", repeats: true, "what is asked for besides openid"),
    Option(
      "oidc-role-claim", .either(.text("NAME"), "none"),
      "the claim that says what somebody is: groups, realm_access.roles"),
    Option(
      "oidc-organizer", .either(.text("VALUE"), "none"), repeats: true,
      "a value of that claim that makes an organizer"),
    Option(
      "oidc-moderator", .either(.text("VALUE"), "none"), repeats: true, "a value of that claim that makes a moderator"),
    Option(
      "oidc-email-domain", .either(.text("DOMAIN"), "none"), repeats: true,
      "only verified email addresses of this domain may sign in"),
  ]

  /// `old` with what the options say; nil when there is none yet and no option names one.
  func provider(over old: IdentityProvider?) throws -> IdentityProvider? {
    guard Self.providerRules.contains(where: { has($0.name) }) else { return old }
    guard let issuer = self["oidc-issuer"] ?? old?.issuer, let client = self["oidc-client-id"] ?? old?.clientID else {
      throw Problem(description: "A provider needs --oidc-issuer and --oidc-client-id.")
    }
    guard IdentityProvider.isIssuer(issuer) else {
      throw Problem(
        description: "--oidc-issuer \(issuer): an address with https:// is expected, without a query; "
          + "http:// works for localhost only.")
    }
    guard (1...512).contains(client.utf8.count) else {
      throw Problem(description: "--oidc-client-id: 1 to 512 bytes are expected.")
    }
    var provider = old ?? IdentityProvider(issuer: issuer, clientID: client)
    if provider.issuer != issuer || provider.clientID != client {
      // A secret is for one provider, and must not be sent to another.
      provider.clientSecret = nil
    }
    (provider.issuer, provider.clientID) = (issuer, client)
    if let path = self["oidc-client-secret-file"] {
      provider.clientSecret = path == "none" ? nil : try Self.secret(path, of: "--oidc-client-secret-file")
    }
    if has("oidc-scope") { provider.scopes = ["openid"] + all("oidc-scope").filter { $0 != "openid" } }
    if let claim = self["oidc-role-claim"] { provider.roleClaim = claim == "none" ? nil : claim }
    if let values = list("oidc-organizer") { provider.organizers = values }
    if let values = list("oidc-moderator") { provider.moderators = values }
    if let values = list("oidc-email-domain") {
      guard values.allSatisfy({ !$0.isEmpty && !$0.contains("@") && !$0.contains(" ") }) else {
        throw Problem(
          description: "--oidc-email-domain: domains like example.com are expected, without the part before @.")
      }
      provider.emailDomains = values.map { $0.lowercased() }
    }
    guard provider.roleClaim != nil || provider.organizers.isEmpty && provider.moderators.isEmpty else {
      throw Problem(
        description: "--oidc-organizer and --oidc-moderator need --oidc-role-claim: the claim whose values they are.")
    }
    return provider
  }

  private func list(_ name: String) -> [String]? { has(name) ? all(name).filter { $0 != "none" } : nil }

  /// The secret in the file that an option names.
  static func secret(_ path: String, of option: String) throws -> Secret<String> {
    guard let data = FileManager.default.contents(atPath: path), data.count <= 4_096,
      let text = String(data: data, encoding: .utf8)
    else {
      throw Problem(description: "\(option) \(path): a file of at most 4 KiB of text is expected.")
    }
    let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !secret.isEmpty else { throw Problem(description: "\(option) \(path): the file is empty.") }
    return Secret(secret)
  }
}
