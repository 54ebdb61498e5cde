import FoundationEssentials

/// The claims of an OpenTok client token, in either of its two forms.
struct OpenTokClaims {
  /// The longest `connection_data`, in characters, as the server SDKs allow it.
  static let maximumConnectionData = 1_024
  /// The longest `initial_layout_class_list`, in characters, as the server SDKs allow it.
  static let maximumLayoutClasses = 1_000

  var session: String
  var role: String?
  var scope: String?
  var connectionData: String?
  var layoutClasses: String?
  var jti: String?
  var created: Date?
  var expires: Date

  /// The grant of the claims, once they are proved.
  func grant(_ proof: TokenProof, form: TokenForm) throws(TokenProblem) -> JoinGrant {
    guard let session = OpenTokSession(session), session.belongs(to: proof.tenant.apiKey) else {
      throw .claims("session_id is not a session of the API key")
    }
    guard let room = try? RoomName(session.text) else { throw .claims("session_id is no name of a room") }
    let names: [String: Role] = [
      "subscriber": .subscriber, "publisher": .publisher, "publisheronly": .publisherOnly, "moderator": .moderator,
    ]
    guard let role = names[role.flatMap { $0.isEmpty ? nil : $0 } ?? "publisher"] else {
      throw .claims("role is unknown")
    }
    // A scope names what a token is for; one that isn't for connecting isn't a join token.
    guard scope.map({ $0.isEmpty || $0.split(separator: " ").contains("session.connect") }) ?? true else {
      throw .claims("scope is not session.connect")
    }
    if let connectionData, connectionData.unicodeScalars.count > Self.maximumConnectionData {
      throw .claims("connection_data has more than \(Self.maximumConnectionData) characters")
    }
    if let layoutClasses, layoutClasses.unicodeScalars.count > Self.maximumLayoutClasses {
      throw .claims("initial_layout_class_list has more than \(Self.maximumLayoutClasses) characters")
    }
    if let created, created >= expires { throw .claims("it ends before it begins") }
    var grant = JoinGrant(
      form: form, tenant: proof.tenant.id, id: try proof.id(jti), target: .room(room), role: role,
      notBefore: created, expires: expires, connectionData: connectionData)
    grant.layoutClasses = (layoutClasses ?? "").split(separator: " ").map(String.init)
    return grant
  }
}

/// The claims of OpenTok's JWT.
struct OpenTokJWT: Decodable {
  var ist: String
  var exp: NumericDate
  var iat: NumericDate?
  @OptionalClaim var jti: ClaimID?
  var session_id: String
  var role: String?
  var scope: String?
  @OptionalClaim var connection_data: String?
  @OptionalClaim var initial_layout_class_list: String?

  /// What the claims say; only tokens of a project are known.
  func claims() throws(TokenProblem) -> OpenTokClaims {
    guard ist == "project" else { throw .claims("ist is not project") }
    return OpenTokClaims(
      session: session_id, role: role, scope: scope, connectionData: connection_data,
      layoutClasses: initial_layout_class_list, jti: jti?.text, created: iat?.date,
      expires: exp.date)
  }
}
