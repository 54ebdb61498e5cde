import FoundationEssentials
import Meetings
import Messaging

/// A domain as the administration shows it.
struct DomainView: Encodable {
  var id: String
  var name: String
  var environment: String
  var authentication: String
  var jwks: String?
  var issuer: String?
  var tokenInfo: String?
  var userInfo: String?
  var clientIds: [String] = []
  /// With oauth: whether there is a secret for token information, which is never shown.
  var hasClientSecret: Bool?
  var scopes: [String] = []
  var userClaim: String?
  var clientClaim: String?
  var expiryClaim: String?
  var issuerClaim: String?
  var keyManagement: Bool
  var pushUrl: String?
  /// The key of push signatures, shown when it is made.
  var pushSecret: String?
  /// The domain's own bound of stored bytes.
  var maximumStoredBytes: Int?
  /// The bytes that it stores, only where one domain is asked for.
  var storedBytes: Int?
  /// True while the domain goes part by part; absent otherwise.
  var removing: Bool?
  var created: Date

  init(_ domain: MessagingDomain, showing: Bool = false, usage: StorageUsage? = nil) {
    let settings = domain.settings
    id = domain.id.text
    name = domain.name
    environment = settings.environment.rawValue
    authentication = Self.kind(settings.authentication)
    switch settings.authentication {
    case .disabled: break
    case .jwt(let rules):
      (jwks, issuer, clientIds, scopes) = (rules.jwks, rules.issuer, rules.clientIDs, rules.scopes)
      (userClaim, clientClaim) = (rules.userClaim, rules.clientClaim)
      (expiryClaim, issuerClaim) = (rules.expiryClaim, rules.issuerClaim)
    case .oauth(let rules):
      (tokenInfo, userInfo, clientIds, scopes) = (rules.tokenInfo, rules.userInfo, rules.clientIDs, rules.scopes)
      (userClaim, hasClientSecret) = (rules.userClaim, rules.clientSecret != nil)
    }
    keyManagement = settings.hasKeyManagement
    pushUrl = settings.push?.url
    pushSecret = showing ? settings.push?.secret : nil
    maximumStoredBytes = settings.maximumStoredBytes
    storedBytes = usage?.bytes
    removing = domain.isBeingRemoved ? true : nil
    created = domain.created
  }

  static func kind(_ authentication: DomainAuthentication) -> String {
    switch authentication {
    case .disabled: "disabled"
    case .jwt: "jwt"
    case .oauth: "oauth"
    }
  }
}

/// An identity as the administration shows it.
struct IdentityView: Encodable {
  struct Endpoint: Encodable {
    var id: String
    var description: String
    var nickname: String
    var persistent: Bool
    var connected: Bool
    var created: Date
    var lastSeen: Date
  }

  var user: String
  var regId: String
  var pin: String
  var hasKeys: Bool
  var endpoints: [Endpoint]?

  init(
    _ identity: MessagingIdentity, endpoints: [MessagingEndpoint]? = nil, connected: Set<EndpointID> = []
  ) {
    user = identity.userId
    regId = identity.regId.description
    pin = identity.pin
    hasKeys = identity.keys != nil
    self.endpoints = endpoints?.map {
      Endpoint(
        id: $0.id.text, description: $0.description, nickname: $0.nickname, persistent: $0.isPersistent,
        connected: connected.contains($0.id), created: $0.created, lastSeen: $0.lastSeen)
    }
  }
}
