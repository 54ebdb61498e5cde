public import Basics
public import FoundationEssentials

/// A join token that this server signs: who may enter which meeting, as whom, from where, until when.
///
/// It travels as `psat=` and a JWT (RFC 7519) signed with RS256. The short claims are those of the Skype for Business
/// service; `iss`, `sub`, `jti`, `meeting`, `room`, `role`, `permissions`, `name`, `guest` and `data` are ours.
public struct JoinToken: Sendable, Hashable {
  /// Names the token, so that it can be revoked.
  public var id: TokenID
  /// The tenant of the meeting.
  public var tenant: TenantID
  /// The meeting or room it opens.
  public var target: MeetingTarget
  /// The role of its holder.
  public var role: Role
  /// The permissions of its holder; nil for those of the role.
  public var permissions: Permissions?
  /// The name its holder has to bear; nil when the holder chooses.
  public var name: String?
  /// Who its holder is to the tenant, the same in every token of theirs; nil when nobody knows.
  public var user: String?
  /// Whether its holder is none of the tenant's own people.
  public var isGuest: Bool
  /// The pages from which it may be used; the server's own page always may.
  public var allowedOrigins: [WebOrigin]
  /// The application's own text about its holder; nil when it has none.
  public var connectionData: String?
  /// Not before.
  public var notBefore: Date
  /// Not at or after.
  public var expires: Date
  /// The fields that the Skype for Business service adds.
  public var service: Service?
  /// The devices that a link with the token may open without a click.
  public var linkDevices: Set<LinkDevice> = []
  /// The API secret whose token this one prolongs: it ends with that one. Nil where it stands for itself.
  var key: String?
  /// The layout classes of its holder's streams.
  var layoutClasses: [String] = []

  /// The claims that only apps of the Skype for Business App SDK look at.
  public struct Service: Sendable, Hashable {
    /// Names the application's session that asked for it.
    public var applicationSession: String
    /// The organiser's SIP address.
    public var organizer: String
    /// The tenant endpoint's SIP address.
    public var endpoint: String
    /// The meeting's conference address.
    public var conference: String
    /// The address of the anonymous-join resource.
    public var applications: String

    /// The claims of a session, with the addresses of its meeting.
    public init(
      applicationSession: String, organizer: String, endpoint: String, conference: String, applications: String
    ) {
      self.applicationSession = applicationSession
      self.organizer = organizer
      self.endpoint = endpoint
      self.conference = conference
      self.applications = applications
    }
  }

  public init(
    id: TokenID = .random(), tenant: TenantID, target: MeetingTarget, role: Role, permissions: Permissions? = nil,
    name: String? = nil, user: String? = nil, isGuest: Bool = false, allowedOrigins: [WebOrigin] = [],
    connectionData: String? = nil, notBefore: Date, expires: Date, service: Service? = nil
  ) {
    self.id = id
    self.tenant = tenant
    self.target = target
    self.role = role
    self.permissions = permissions
    self.name = name
    self.user = user
    self.isGuest = isGuest
    self.allowedOrigins = allowedOrigins
    self.connectionData = connectionData
    self.notBefore = notBefore
    self.expires = expires
    self.service = service
  }

  /// How tokens begin when they travel.
  public static let prefix = "psat="
  /// The longest token looked at, in bytes without ``prefix``. A request's headers have room for it.
  public static let maximumLength = 8_192

  /// Signs the token and returns the text that travels, with its prefix.
  public func signed(with key: SigningKey) throws(SigningKeyError) -> Secret<String> {
    Secret(Self.prefix + (try key.sign(try ParleyClaims(self).encoded())))
  }
}
