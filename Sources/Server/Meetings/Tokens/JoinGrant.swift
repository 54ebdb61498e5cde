public import Basics
public import FoundationEssentials

/// The rooms that a token opens.
public enum MeetingTarget: Sendable, Hashable {
  case meeting(MeetingID)
  /// The tenant's meeting of that name, which is made when there is none.
  case room(RoomName)
  /// Every room of the tenant; whoever joins says which.
  case anyRoom
}

/// The grant of a proved token, whatever its form: holder, meeting, identity, origin and end.
public struct JoinGrant: Sendable, Hashable {
  /// How the token is made.
  public var form: TokenForm
  /// The tenant whose meetings it opens.
  public var tenant: TenantID
  /// Names the token, so that it can be revoked: its `jti`, or a digest of what was signed where it has none.
  public var id: TokenID
  public var target: MeetingTarget
  /// The role of its holder.
  public var role: Role
  /// The permissions of its holder.
  public var permissions: Permissions
  /// The name its holder has to bear; nil when the holder chooses.
  public var name: String?
  /// Who its holder is to the tenant, the same in every token of theirs (the claim `sub`); nil when the token does not
  /// say.
  public var user: String?
  /// The pages from which it may be used, besides the server's own and those of the tenant.
  public var allowedOrigins: [WebOrigin]
  /// Not before; nil when it does not say.
  public var notBefore: Date?
  /// Not at or after.
  public var expires: Date
  /// What an OpenTok token calls `connection_data`: the application's own text about its holder.
  public var connectionData: String?
  /// Whether its holder is none of the tenant's own people: whoever asked for a token at an open door, or whom the
  /// tenant calls a guest.
  public var isGuest: Bool

  /// Whether its holder lets others in, and need not wait. That goes by the permission: a token can give the role
  /// without it.
  public var isHost: Bool { permissions.contains(.moderate) }

  /// Which of the tenant's API secrets proved the token, or the one before it that this one came from; nil where it was
  /// another key.
  public var key: String?

  /// What an OpenTok token calls `initial_layout_class_list`: how its holder's streams are named in layouts.
  public var layoutClasses: [String] = []

  /// The devices that a link with the token may open without a click.
  public var linkDevices: Set<LinkDevice> = []

  /// A grant. Permissions beyond the role's bound are left out.
  public init(
    form: TokenForm, tenant: TenantID, id: TokenID, target: MeetingTarget, role: Role, permissions: Permissions? = nil,
    name: String? = nil, user: String? = nil, allowedOrigins: [WebOrigin] = [], notBefore: Date? = nil, expires: Date,
    connectionData: String? = nil, isGuest: Bool = false
  ) {
    self.form = form
    self.tenant = tenant
    self.id = id
    self.target = target
    self.role = role
    self.permissions = (permissions ?? role.permissions).intersection(role.bound)
    // A name that draws nothing is as absent: the name that its holder typed counts.
    self.name = name.flatMap { DisplayName.clean($0) == nil ? nil : $0 }
    self.user = user
    self.allowedOrigins = allowedOrigins
    self.notBefore = notBefore
    self.expires = expires
    self.connectionData = connectionData
    self.isGuest = isGuest
  }

  /// How far ahead a token may end: 30 days.
  public static let longest: TimeInterval = 30 * 24 * 3_600
  /// How far the clock of another issuer may differ.
  static let leeway: TimeInterval = 60

  /// Whether its time is now.
  func check(at now: Date) throws(TokenProblem) {
    if let notBefore, notBefore > now.addingTimeInterval(Self.leeway) { throw .notYetValid }
    guard now < expires.addingTimeInterval(form.isSignedHere ? 0 : Self.leeway) else { throw .expired }
    guard expires <= now.addingTimeInterval(Self.longest + Self.leeway) else { throw .tooLong }
  }
}

/// The forms of join tokens. Each is known by its looks alone, and each has one algorithm.
public enum TokenForm: String, Sendable, Hashable, CaseIterable {
  /// A JWT signed with the tenant's own key (RS256), also as `psat=`: what the server and `parley token create` make.
  case signed
  /// A JWT signed with an API secret (HS256).
  case parley
  /// OpenTok's `T1==`, signed with an API secret (HMAC-SHA1).
  case openTokT1
  /// OpenTok's JWT, signed with an API secret (HS256).
  case openTokJWT
  /// A JWT as Jitsi Meet takes it, signed with an API secret (HS256).
  case jitsi
  /// A word that stands for a token while the server is in development mode.
  case development

  /// Whether the clock that set its times is the one that judges them.
  var isSignedHere: Bool { self == .signed || self == .development }
}

/// Why a token is not believed. For logs and for the operator; clients learn no more than ``JoinRefusal`` says.
public enum TokenProblem: Error, Sendable, Hashable {
  /// It is none of the forms.
  case unknownForm
  /// It has more bytes than any token may.
  case tooLarge
  /// It names no key or tenant of this server.
  case unknownKey
  /// It is not signed by the algorithm that its form has.
  case algorithm
  /// The signature is not that of the key.
  case signature
  /// A claim is missing or wrong: which.
  case claims(String)
  /// Its time has not come.
  case notYetValid
  /// Its time is over.
  case expired
  /// It ends too far ahead.
  case tooLong
  case revoked
}

extension TokenProblem: CustomStringConvertible {
  /// The error, as the end of a sentence.
  public var description: String {
    switch self {
    case .unknownForm: "it is no token of a form that is known"
    case .tooLarge: "it has more than \(JoinToken.maximumLength) bytes"
    case .unknownKey: "no tenant of this server has the key that it names"
    case .algorithm: "its algorithm is not the one of its form"
    case .signature: "its signature was not made with a secret that is good now"
    case .claims(let which): which
    case .notYetValid: "its time has not come yet; the clocks may differ"
    case .expired: "its time is over"
    case .tooLong: "it ends more than 30 days from now"
    case .revoked: "it was revoked"
    }
  }
}
