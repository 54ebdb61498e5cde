import Basics
import FoundationEssentials
import Meetings

/// A change of the identity provider of a tenant. Fields that are left out stay as they are.
struct ProviderFields: Sendable {
  private let issuer: String?
  private let clientID: String?
  private let clientSecret: String??
  private let scopes: [String]?
  private let roleClaim: String??
  private let organizers: [String]?
  private let moderators: [String]?
  private let emailDomains: [String]?

  /// The most values of one list.
  private static let most = 64

  /// Takes the field `provider`; nil when it is absent.
  init?(_ fields: inout AdminFields) throws(Refusal) {
    guard var own = try fields.object("provider") else { return nil }
    issuer = try own.text("issuer", 1...2_048)
    clientID = try own.text("clientId", 1...512)
    clientSecret = try own.removable("clientSecret", 1...4_096)
    scopes = try own.texts("scopes", most: 16, 1...100)
    roleClaim = try own.removable("roleClaim", 1...200)
    organizers = try own.texts("organizers", most: Self.most, 1...200)
    moderators = try own.texts("moderators", most: Self.most, 1...200)
    emailDomains = try own.texts("emailDomains", most: Self.most, 1...253)
    try own.finish()
  }

  /// The provider with these changes.
  func applied(to old: IdentityProvider?) throws(Refusal) -> IdentityProvider {
    guard let issuer = issuer ?? old?.issuer, let client = clientID ?? old?.clientID else {
      throw Refusal(422, "providerNeeded", "A provider needs issuer and clientId.")
    }
    guard IdentityProvider.isIssuer(issuer) else {
      throw Refusal(
        422, "badIssuer", "issuer must be an address with https://, without a query; http:// works for localhost only.")
    }
    var provider = old ?? IdentityProvider(issuer: issuer, clientID: client)
    // A secret is for one provider, and must not be sent to another.
    if provider.issuer != issuer || provider.clientID != client { provider.clientSecret = nil }
    (provider.issuer, provider.clientID) = (issuer, client)
    if let clientSecret { provider.clientSecret = clientSecret.map { Secret($0) } }
    if let scopes { provider.scopes = ["openid"] + scopes.filter { $0 != "openid" } }
    if let roleClaim { provider.roleClaim = roleClaim }
    provider.organizers = organizers ?? provider.organizers
    provider.moderators = moderators ?? provider.moderators
    if let emailDomains {
      guard emailDomains.allSatisfy({ !$0.contains("@") && !$0.contains(" ") }) else {
        throw Refusal(422, "badDomain", "emailDomains are domains like example.com, without the part before @.")
      }
      provider.emailDomains = emailDomains.map { $0.lowercased() }
    }
    guard provider.roleClaim != nil || provider.organizers.isEmpty && provider.moderators.isEmpty else {
      throw Refusal(
        422, "roleClaimNeeded", "organizers and moderators need roleClaim: the claim whose values they are.")
    }
    return provider
  }
}

/// The provider at which a tenant's people sign in, without its secret.
struct ProviderView: Encodable {
  var issuer: String
  var clientId: String
  var hasSecret: Bool
  var scopes: [String]
  var roleClaim: String?
  var organizers: [String]
  var moderators: [String]
  var emailDomains: [String]

  init(_ provider: IdentityProvider) {
    issuer = provider.issuer
    clientId = provider.clientID
    hasSecret = provider.clientSecret != nil
    scopes = provider.scopes
    roleClaim = provider.roleClaim
    organizers = provider.organizers
    moderators = provider.moderators
    emailDomains = provider.emailDomains
  }
}
