import FoundationEssentials
import Meetings

/// A tenant in words, or as an object for scripts.
struct TenantReport {
  private let tenant: Tenant
  private let keys: [APIKey]
  private let now: Date
  private let shown: Set<String>

  /// Secrets are left out, but those whose ids are in `showing`.
  init(_ tenant: Tenant, _ keys: [APIKey], at now: Date, showing: [String] = []) {
    self.tenant = tenant
    self.keys = keys
    self.now = now
    shown = Set(showing)
  }

  /// Prints it as the options say.
  func print(_ options: CommandOptions) {
    if options.has("json") { line.print() } else { CommandLineText.say(text) }
  }

  var line: JSONLine {
    let policy = tenant.policy
    return [
      "tenant": .text(tenant.name), "apiKey": .text(tenant.apiKey), "default": .truth(tenant.isDefault),
      "signIn": .text(policy.signIn.rawValue),
      "allowedOrigins": .list(policy.allowedOrigins.map { .text($0.description) }),
      "accessLevel": .text(policy.accessLevel.rawValue), "capacity": number(policy.capacity),
      "maximumMeetings": number(policy.maximumMeetings), "maximumParticipants": number(policy.maximumParticipants),
      "maximumStoredMeetings": number(policy.maximumStoredMeetings), "maximumRequests": number(policy.maximumRequests),
      "waitForHost": .truth(policy.lobby.waitsForHost), "announce": .truth(policy.lobby.announces),
      "lobbyTimeout": JSONValue(policy.lobby.timeout?.seconds),
      "chat": .text(policy.chat.writers.rawValue), "chatHistory": .truth(policy.chat.history),
      "tokenExpiry": JSONValue(policy.tokenExpiry?.rawValue),
      "encryption": JSONValue(policy.encryption?.rawValue),
      "provider": provider, "created": .text(DataFolder.text(tenant.created)),
      "keys": .list(keys.map { .object(line(of: $0)) }),
    ]
  }

  private func line(of key: APIKey) -> JSONLine {
    var line: JSONLine = [
      "id": .text(key.id), "state": .text(state(of: key)), "created": .text(DataFolder.text(key.created)),
      "expires": JSONValue(key.expires.map(DataFolder.text)), "retired": JSONValue(key.retired.map(DataFolder.text)),
    ]
    if shown.contains(key.id) { line.add("secret", .text(key.secret.value)) }
    return line
  }

  private var provider: JSONValue {
    guard let provider = tenant.policy.identityProvider else { return .null }
    func list(_ texts: [String]) -> JSONValue { .list(texts.map { .text($0) }) }
    return .object([
      "issuer": .text(provider.issuer), "clientId": .text(provider.clientID),
      "hasSecret": .truth(provider.clientSecret != nil), "scopes": list(provider.scopes),
      "roleClaim": JSONValue(provider.roleClaim), "organizers": list(provider.organizers),
      "moderators": list(provider.moderators), "emailDomains": list(provider.emailDomains),
    ])
  }

  private var providerLines: [String] {
    guard let provider = tenant.policy.identityProvider else { return [] }
    var lines = [
      "Provider          \(provider.issuer), client \(provider.clientID)\(provider.clientSecret == nil ? ", no secret" : "")"
    ]
    if let claim = provider.roleClaim {
      lines.append(
        "Roles             by \(claim): organizers \(words(provider.organizers)); moderators \(words(provider.moderators))"
      )
    }
    if !provider.emailDomains.isEmpty { lines.append("Email domains     \(words(provider.emailDomains))") }
    return lines
  }

  private func words(_ list: [String]) -> String { list.isEmpty ? "none" : list.joined(separator: ", ") }

  private func number(_ value: Int?) -> JSONValue { value.map { .integer($0) } ?? .null }

  private func state(of key: APIKey) -> String {
    key.isLive(at: now) ? "live" : key.retired != nil ? "retired" : "expired"
  }

  private var text: String {
    let policy = tenant.policy
    let origins = policy.allowedOrigins.map(\.description).joined(separator: ", ")
    func limit(_ value: Int?) -> String { value.map(String.init) ?? "none" }
    var lines = [
      "Tenant            \(tenant.name)\(tenant.isDefault ? " (default)" : "")",
      "API key           \(tenant.apiKey)",
      "Sign-in           \(policy.signIn.rawValue)",
      "Allowed origins   \(origins.isEmpty ? "the server's own only" : origins)",
      "Access level      \(policy.accessLevel.rawValue)",
      "Capacity          \(limit(policy.capacity))",
      "Most meetings     \(limit(policy.maximumMeetings))",
      "Most participants \(limit(policy.maximumParticipants))",
      "Most kept         \(limit(policy.maximumStoredMeetings)) meetings".replacing("none meetings", with: "none"),
      "Most requests     \(limit(policy.maximumRequests)) a second".replacing("none a second", with: "none"),
      "Waits for a host  \(policy.lobby.waitsForHost ? "yes" : "no")",
      "Announces         \(policy.lobby.announces ? "who comes and who goes" : "nothing")",
      "Chat              \(policy.chat.writers.rawValue), \(policy.chat.history ? "later ones see what was written" : "no history")",
      "Token expiry      \(policy.tokenExpiry?.rawValue ?? "the server's")",
      "Encryption        \(policy.encryption?.rawValue ?? "the server's")",
      "Lobby timeout     \(policy.lobby.timeout.map { "\($0.milliseconds / 1_000) s" } ?? "the server's")",
    ]
    lines.insert(contentsOf: providerLines, at: 3)
    for key in keys {
      var line = "Secret \(key.id)  \(state(of: key)), made \(DataFolder.text(key.created))"
      if key.retired == nil, let end = key.expires { line += ", good until \(DataFolder.text(end))" }
      lines.append(line)
      if shown.contains(key.id) { lines.append("  \(key.secret.value)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
