import Basics
import Meetings
import Options

/// The options about a domain of the messaging service.
extension CommandOptions {
  static let domainRules: [Option] = [
    Option(
      "auth", .choice(["disabled", "jwt", "oauth"]), "how users prove who they are; disabled: in the sandbox only"),
    Option(
      "environment", .choice(MessagingDomain.Environment.allCases.map(\.rawValue)),
      otherwise: "sandbox with --auth disabled, else production", "what the domain is for"),
    Option("jwks", .text("URL"), "jwt: the address of the provider's keys"),
    Option("issuer", .either(.text("TEXT"), "none"), "jwt: the only issuer whose tokens count"),
    Option("client-id", .text("ID"), repeats: true, "a client whose tokens count"),
    Option("scope", .either(.text("SCOPE"), "none"), repeats: true, "a scope that tokens need"),
    Option("user-claim", .text("NAME"), otherwise: "sub", "the claim with the user id; oid with Azure"),
    Option("client-claim", .text("NAME"), otherwise: "aud", "jwt: the claim with the client id"),
    Option("expiry-claim", .text("NAME"), otherwise: "exp", "jwt: the claim with the end"),
    Option("issuer-claim", .text("NAME"), otherwise: "iss", "jwt: the claim with the issuer"),
    Option("token-info", .text("URL"), "oauth: the address that knows a token's client"),
    Option("user-info", .text("URL"), "oauth: the address that knows a token's user"),
    Option(
      "client-secret-file", .either(.file, "none"),
      "oauth: a file with the secret of the first --client-id, where token information asks for it"),
    Option("key-management", .choice(["on", "off"]), otherwise: "on", "whether sealed keys are kept in vaults"),
    Option(
      "max-stored-mib", .either(.number(0...MessagingDomain.Settings.mostStoredBytes >> 20), "none"),
      otherwise: "65536, or 4096 in the sandbox", "the most MiB of its messages, files, chats and key records"),
    Option("push-url", .either(.text("URL"), "none"), "where pushes for endpoints without a connection are posted"),
  ]

  /// `old` with what the options say.
  func domain(over old: MessagingDomain.Settings?) throws -> MessagingDomain.Settings {
    guard let kind = self["auth"] ?? old?.authentication.kind else {
      throw Problem(description: "--auth disabled, jwt or oauth is expected.")
    }
    let authentication = try authentication(kind, over: old?.authentication)
    var settings =
      old
      ?? MessagingDomain.Settings(
        environment: authentication == .disabled ? .sandbox : .production, authentication: authentication)
    settings.authentication = authentication
    if let text = self["environment"] {
      settings.environment = MessagingDomain.Environment(rawValue: text) ?? settings.environment
    }
    if let word = self["key-management"], has("key-management") { settings.hasKeyManagement = word == "on" }
    if let url = self["push-url"] {
      settings.push = url == "none" ? nil : MessagingDomain.PushTarget(url: url, replacing: settings.push)
    }
    if let most = limit("max-stored-mib") { settings.maximumStoredBytes = most.map { $0 << 20 } }
    if let problem = settings.problem { throw Problem(description: problem) }
    return settings
  }

  private func authentication(
    _ kind: String, over old: DomainAuthentication?
  ) throws -> DomainAuthentication {
    let (clients, scopes) = (all("client-id"), all("scope").filter { $0 != "none" })
    switch kind {
    case "jwt":
      var rules = DomainAuthentication.SignedTokenRules(jwks: "", clientIDs: [])
      if case .jwt(let known) = old { rules = known }
      rules.jwks = self["jwks"] ?? rules.jwks
      if let issuer = self["issuer"] { rules.issuer = issuer == "none" ? nil : issuer }
      if has("client-id") { rules.clientIDs = clients }
      if has("scope") { rules.scopes = scopes }
      rules.userClaim = self["user-claim"] ?? rules.userClaim
      rules.clientClaim = self["client-claim"] ?? rules.clientClaim
      rules.expiryClaim = self["expiry-claim"] ?? rules.expiryClaim
      rules.issuerClaim = self["issuer-claim"] ?? rules.issuerClaim
      return .jwt(rules)
    case "oauth":
      var rules = DomainAuthentication.OpaqueTokenRules(tokenInfo: "", userInfo: "", clientIDs: [])
      if case .oauth(let known) = old { rules = known }
      let before = rules
      rules.tokenInfo = self["token-info"] ?? rules.tokenInfo
      rules.userInfo = self["user-info"] ?? rules.userInfo
      if has("client-id") { rules.clientIDs = clients }
      rules.dropSecret(ofOther: before)
      if let path = self["client-secret-file"] {
        rules.clientSecret = path == "none" ? nil : try Self.secret(path, of: "--client-secret-file")
      }
      if has("scope") { rules.scopes = scopes }
      rules.userClaim = self["user-claim"] ?? rules.userClaim
      return .oauth(rules)
    default: return .disabled
    }
  }
}

extension DomainAuthentication {
  /// The word of `--auth`.
  var kind: String {
    switch self {
    case .disabled: "disabled"
    case .jwt: "jwt"
    case .oauth: "oauth"
    }
  }
}
