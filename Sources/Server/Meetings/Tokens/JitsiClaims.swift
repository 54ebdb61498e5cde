/// The claims of a token as Jitsi Meet takes it: the app id is the API key and the app secret an API secret.
struct JitsiClaims: Decodable {
  struct Context: Codable {
    struct User: Codable {
      @OptionalClaim var name: String?
      @OptionalClaim var id: ClaimID?
      @OptionalClaim var moderator: ClaimFlag?
      /// The claim that Prosody's plugin for affiliations reads.
      @OptionalClaim var affiliation: String?
    }
    @OptionalClaim var user: User?
  }

  var exp: NumericDate
  var nbf: NumericDate?
  @OptionalClaim var jti: ClaimID?
  var aud: Audience?
  @OptionalClaim var sub: String?
  var room: String
  @OptionalClaim var context: Context?
  /// The place where some issuers say it for the whole token.
  @OptionalClaim var moderator: ClaimFlag?
  /// The devices that a link with the token may open without a click, as in a token of Parley's own form.
  @OptionalClaim var devices: [String]?

  /// Whether its holder looks after the others, by any of the ways in which issuers say so.
  private var isModerator: Bool {
    context?.user?.moderator?.isSet == true || moderator?.isSet == true
      || ["owner", "moderator"].contains(context?.user?.affiliation)
  }

  /// The grant of the claims, once they are proved. Everybody may take part; a moderator also looks after the others.
  func grant(_ proof: TokenProof) throws(TokenProblem) -> JoinGrant {
    guard aud.map({ proof.isMeant($0.names, or: ["jitsi", "*"]) }) ?? true else {
      throw .claims("aud names another server")
    }
    if let sub, !sub.isEmpty, !proof.isMeant([sub], or: ["*"]) {
      throw .claims("sub is neither *, the tenant, its API key nor the server's host name")
    }
    if let nbf, nbf.date >= exp.date { throw .claims("exp is not after nbf") }
    var grant = JoinGrant(
      form: .jitsi, tenant: proof.tenant.id, id: try proof.id(jti?.text), target: try TokenProof.target(room),
      role: isModerator ? .moderator : .publisher, name: context?.user?.name,
      user: try proof.user(context?.user?.id?.text), notBefore: nbf?.date, expires: exp.date)
    grant.linkDevices = LinkDevice.named(devices ?? [])
    return grant
  }
}
