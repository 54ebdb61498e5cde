public import Basics
public import FoundationEssentials

/// What a join token says: who may enter which meeting, as whom, from where, until when.
///
/// It travels as `psat=` and a JWT (RFC 7519) signed with RS256. The short claims are those of the Skype for Business
/// service; `iss`, `jti`, `meeting`, `role` and `name` are ours.
public struct JoinToken: Sendable, Hashable {
  /// Names the token, so that it can be revoked.
  public var id: TokenID
  /// Whose meeting it is.
  public var tenant: TenantID
  /// The one meeting it opens.
  public var meeting: MeetingID
  /// What its holder may do.
  public var role: Role
  /// The name its holder has to bear; nil when the holder chooses.
  public var name: String?
  /// Names the application's session that asked for it.
  public var applicationSession: String
  /// The pages from which it may be used; the server's own page always may.
  public var allowedOrigins: [WebOrigin]
  /// Not before.
  public var notBefore: Date
  /// Not at or after.
  public var expires: Date
  /// The organiser's SIP address.
  public var organizer: String
  /// The tenant endpoint's SIP address.
  public var endpoint: String
  /// The meeting's conference address.
  public var conference: String
  /// The address of the anonymous-join resource.
  public var applications: String

  /// A token's content.
  public init(
    id: TokenID = .random(), tenant: TenantID, meeting: MeetingID, role: Role, name: String? = nil,
    applicationSession: String, allowedOrigins: [WebOrigin], notBefore: Date, expires: Date, organizer: String,
    endpoint: String, conference: String, applications: String
  ) {
    self.id = id
    self.tenant = tenant
    self.meeting = meeting
    self.role = role
    self.name = name
    self.applicationSession = applicationSession
    self.allowedOrigins = allowedOrigins
    self.notBefore = notBefore
    self.expires = expires
    self.organizer = organizer
    self.endpoint = endpoint
    self.conference = conference
    self.applications = applications
  }

  /// How tokens begin when they travel.
  public static let prefix = "psat="
  /// The longest token looked at, in bytes.
  static let maximumLength = 8_192
  /// How far clocks of issuer and server may differ.
  static let leeway: TimeInterval = 60

  /// Signs the token and returns the text that travels, with its prefix.
  public func signed(with key: SigningKey) throws(SigningKeyError) -> Secret<String> {
    let claims = Claims(
      nbf: Int64(notBefore.timeIntervalSince1970), exp: Int64(expires.timeIntervalSince1970), ruu: organizer,
      asi: applicationSession, aeu: endpoint, ao: allowedOrigins.map(\.description).joined(separator: ";"),
      confid: conference, ucwaext: applications, iss: tenant.rawValue, jti: id.rawValue, meeting: meeting.rawValue,
      role: role.rawValue, name: name)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    guard let payload = try? encoder.encode(claims) else { throw .failed("the claims cannot be written as JSON") }
    return Secret(Self.prefix + (try key.sign([UInt8](payload))))
  }

  /// Proves a token with `key` and reads it. Does not look at the clock; ``JoinAuthority`` does.
  init(proving compact: String, with key: SigningKey) throws(JoinRefusal) {
    let payload: [UInt8]
    do {
      payload = try key.verify(compact)
    } catch {
      throw .badToken
    }
    // Without `exp` or any other claim of ours the decoding fails: a token that never ends does not exist.
    guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(payload)),
      let role = Role(rawValue: claims.role), claims.exp > claims.nbf, claims.nbf >= 0
    else { throw .badToken }
    self.init(
      id: TokenID(rawValue: claims.jti), tenant: TenantID(rawValue: claims.iss),
      meeting: MeetingID(rawValue: claims.meeting), role: role, name: claims.name, applicationSession: claims.asi,
      allowedOrigins: WebOrigin.list(claims.ao) ?? [],
      notBefore: Date(timeIntervalSince1970: Double(claims.nbf)),
      expires: Date(timeIntervalSince1970: Double(claims.exp)), organizer: claims.ruu, endpoint: claims.aeu,
      conference: claims.confid, applications: claims.ucwaext)
  }

  private struct Claims: Codable {
    var nbf: Int64
    var exp: Int64
    var ruu: String
    var asi: String
    var aeu: String
    var ao: String
    var confid: String
    var ucwaext: String
    var iss: String
    var jti: String
    var meeting: String
    var role: String
    var name: String?
  }
}
