import Basics
import FoundationEssentials

/// The claims of Parley's own JWT, signed with the tenant's key or with an API secret.
struct ParleyClaims: Codable {
  var iss: String
  var exp: NumericDate
  var nbf: NumericDate?
  @OptionalClaim var jti: ClaimID?
  var aud: Audience?
  @OptionalClaim var sub: ClaimID?
  var meeting: String?
  var room: String?
  var role: String?
  var permissions: [String]?
  @OptionalClaim var name: String?
  var guest: Bool?
  @OptionalClaim var data: String?
  /// The devices that a link with the token may open without a click.
  @OptionalClaim var devices: [String]?
  @OptionalClaim var ruu: String?
  var asi: String?
  @OptionalClaim var aeu: String?
  var ao: String?
  @OptionalClaim var confid: String?
  @OptionalClaim var ucwaext: String?
  /// The two of a token that the server prolongs; servers of tenants may use plainer names for their own.
  var parleyKey: String?
  var parleyLayout: [String]?

  /// The claims of a token of ours.
  init(_ token: JoinToken) {
    iss = token.tenant.rawValue
    exp = NumericDate(token.expires)
    nbf = NumericDate(token.notBefore)
    jti = ClaimID(token.id.rawValue)
    switch token.target {
    case .meeting(let id): meeting = id.rawValue
    case .room(let name): room = name.display
    case .anyRoom: room = "*"
    }
    role = token.role.rawValue
    permissions = token.permissions?.names
    name = token.name
    sub = token.user.map { ClaimID($0) }
    guest = token.isGuest ? true : nil
    data = token.connectionData
    devices = token.linkDevices.isEmpty ? nil : token.linkDevices.names
    if token.service != nil || !token.allowedOrigins.isEmpty {
      ao = token.allowedOrigins.map(\.description).joined(separator: ";")
    }
    ruu = token.service?.organizer
    asi = token.service?.applicationSession
    aeu = token.service?.endpoint
    confid = token.service?.conference
    ucwaext = token.service?.applications
    parleyKey = token.key
    parleyLayout = token.layoutClasses.isEmpty ? nil : token.layoutClasses
  }

  /// The payload of the token.
  func encoded() throws(SigningKeyError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
    guard let payload = try? encoder.encode(self) else { throw .failed("the claims cannot be written as JSON") }
    return [UInt8](payload)
  }

  /// The grant of the claims, once they are proved.
  func grant(_ proof: TokenProof, form: TokenForm) throws(TokenProblem) -> JoinGrant {
    guard aud.map({ proof.isMeant($0.names, or: ["parley"]) }) ?? true else {
      throw .claims("aud names another server")
    }
    let target: MeetingTarget
    switch (meeting, room) {
    case (let id?, nil): target = .meeting(MeetingID(rawValue: id))
    case (nil, let name?): target = try TokenProof.target(name)
    default: throw .claims("one of room and meeting is expected")
    }
    guard let role = Role(name: role.flatMap { $0.isEmpty ? nil : $0 } ?? Role.publisher.rawValue) else {
      throw .claims("role is unknown")
    }
    var granted: Permissions?
    if let permissions {
      guard let known = Permissions(names: permissions) else { throw .claims("permissions has an unknown name") }
      granted = known
    }
    var origins: [WebOrigin] = []
    if let ao, !ao.isEmpty {
      guard let list = WebOrigin.list(ao) else { throw .claims("ao is no list of origins") }
      origins = list
    }
    if let data, data.unicodeScalars.count > OpenTokClaims.maximumConnectionData {
      throw .claims("data has more than \(OpenTokClaims.maximumConnectionData) characters")
    }
    if let nbf, nbf.date >= exp.date { throw .claims("exp is not after nbf") }
    var grant = JoinGrant(
      form: form, tenant: proof.tenant.id, id: try proof.id(jti?.text), target: target, role: role,
      permissions: granted, name: name, user: try proof.user(sub?.text), allowedOrigins: origins, notBefore: nbf?.date,
      expires: exp.date, connectionData: data,
      // Tokens for strangers have a session; earlier versions made guests' tokens without saying so.
      isGuest: guest ?? (asi != nil))
    grant.linkDevices = LinkDevice.named(devices ?? [])
    // Only this server says so, of a token that it prolongs.
    if form == .signed {
      grant.key = parleyKey
      grant.layoutClasses = parleyLayout ?? []
    }
    return grant
  }
}
