import Basics
import Meetings

/// The fields of a domain in a body.
struct DomainFields: Sendable {
  static let kinds = ["disabled", "jwt", "oauth"]

  private var environment: String?
  private var authentication: String?
  private var texts: [String: String] = [:]
  private var issuer: String??
  private var clientSecret: String??
  private var clientIDs: [String]?
  private var scopes: [String]?
  private var keyManagement: Bool?
  private var pushURL: String??
  private var maximumStoredBytes: Int??
  /// The rules' fields that the body has.
  private var given: Set<String> = []

  /// The kinds of authentication whose rules have a field.
  private static let owners: [String: Set<String>] = [
    "jwks": ["jwt"], "issuer": ["jwt"], "clientClaim": ["jwt"], "expiryClaim": ["jwt"], "issuerClaim": ["jwt"],
    "tokenInfo": ["oauth"], "userInfo": ["oauth"], "clientSecret": ["oauth"], "clientIds": ["jwt", "oauth"],
    "scopes": ["jwt", "oauth"], "userClaim": ["jwt", "oauth"],
  ]

  init(_ fields: inout AdminFields) throws(Refusal) {
    given = Set(Self.owners.keys.filter { fields.has($0) })
    environment = try fields.word("environment", MessagingDomain.Environment.allCases.map(\.rawValue))
    authentication = try fields.word("authentication", Self.kinds)
    for name in ["jwks", "tokenInfo", "userInfo"] { texts[name] = try fields.text(name, 1...2_048) }
    for name in ["userClaim", "clientClaim", "expiryClaim", "issuerClaim"] {
      texts[name] = try fields.text(name, 1...128)
    }
    issuer = try fields.removable("issuer", 1...2_048)
    clientSecret = try fields.removable("clientSecret", 1...4_096)
    clientIDs = try fields.texts("clientIds", most: 32, 1...512)
    scopes = try fields.texts("scopes", most: 32, 1...256)
    keyManagement = try fields.truth("keyManagement")
    pushURL = try fields.removable("pushUrl", 1...2_048)
    maximumStoredBytes = try fields.limit("maximumStoredBytes", 0...MessagingDomain.Settings.mostStoredBytes)
  }

  func applied(to old: MessagingDomain.Settings?) throws(Refusal) -> MessagingDomain.Settings {
    guard let kind = authentication ?? old.map({ DomainView.kind($0.authentication) }) else {
      throw Refusal(400, "badField", "The field authentication is needed: disabled, jwt or oauth.")
    }
    try requireOwn(of: kind)
    let rules = rules(kind, over: old?.authentication)
    var settings =
      old
      ?? MessagingDomain.Settings(
        environment: rules == .disabled ? .sandbox : .production, authentication: rules)
    settings.authentication = rules
    settings.environment = environment.flatMap(MessagingDomain.Environment.init) ?? settings.environment
    settings.hasKeyManagement = keyManagement ?? settings.hasKeyManagement
    if let pushURL {
      let known = settings.push
      settings.push = pushURL.map { MessagingDomain.PushTarget(url: $0, replacing: known) }
    }
    if let maximumStoredBytes { settings.maximumStoredBytes = maximumStoredBytes }
    if let problem = settings.problem { throw Refusal(422, "badDomain", problem) }
    return settings
  }

  /// Refuses fields of another kind of authentication, which would be without effect.
  private func requireOwn(of kind: String) throws(Refusal) {
    for name in given.sorted() {
      guard let owners = Self.owners[name], !owners.contains(kind) else { continue }
      throw Refusal(
        422, "badDomain",
        "The field \(name) belongs to the authentication \(owners.sorted().joined(separator: " or ")), and the domain's is "
          + "\(kind).")
    }
  }

  private func rules(_ kind: String, over old: DomainAuthentication?) -> DomainAuthentication {
    switch kind {
    case "jwt":
      var rules = DomainAuthentication.SignedTokenRules(jwks: "", clientIDs: [])
      if case .jwt(let known) = old { rules = known }
      rules.jwks = texts["jwks"] ?? rules.jwks
      if let issuer { rules.issuer = issuer }
      rules.clientIDs = clientIDs ?? rules.clientIDs
      rules.scopes = scopes ?? rules.scopes
      rules.userClaim = texts["userClaim"] ?? rules.userClaim
      rules.clientClaim = texts["clientClaim"] ?? rules.clientClaim
      rules.expiryClaim = texts["expiryClaim"] ?? rules.expiryClaim
      rules.issuerClaim = texts["issuerClaim"] ?? rules.issuerClaim
      return .jwt(rules)
    case "oauth":
      var rules = DomainAuthentication.OpaqueTokenRules(tokenInfo: "", userInfo: "", clientIDs: [])
      if case .oauth(let known) = old { rules = known }
      let before = rules
      rules.tokenInfo = texts["tokenInfo"] ?? rules.tokenInfo
      rules.userInfo = texts["userInfo"] ?? rules.userInfo
      rules.clientIDs = clientIDs ?? rules.clientIDs
      rules.dropSecret(ofOther: before)
      if let clientSecret { rules.clientSecret = clientSecret.map { Secret($0) } }
      rules.scopes = scopes ?? rules.scopes
      rules.userClaim = texts["userClaim"] ?? rules.userClaim
      return .oauth(rules)
    default: return .disabled
    }
  }
}
