/// The claims of a token as Jitsi Meet takes it: the app id is the API key and the app secret an API secret.
struct JitsiClaims: Decodable {
  struct Context: Decodable {
    struct User: Decodable {
      var name: String?
      var id: Name?
      var moderator: Flag?
      /// What the plugin of Prosody that gives affiliations reads.
      var affiliation: String?
    }
    var user: User?
  }

  /// An id, which some servers write as a number.
  struct Name: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let number = try? container.decode(Int64.self) {
        text = String(number)
      } else {
        text = try container.decode(String.self)
      }
    }
  }

  /// A truth that some servers write as text.
  struct Flag: Decodable {
    let isSet: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let truth = try? container.decode(Bool.self) {
        isSet = truth
      } else {
        isSet = try container.decode(String.self) == "true"
      }
    }
  }

  var exp: NumericDate
  var nbf: NumericDate?
  var jti: String?
  var aud: Audience?
  var sub: String?
  var room: String
  var context: Context
  /// Where some issuers say it for the whole token.
  var moderator: Flag?

  /// Whether its holder looks after the others, by any of the ways in which issuers say so.
  private var isModerator: Bool {
    context.user?.moderator?.isSet == true || moderator?.isSet == true
      || ["owner", "moderator"].contains(context.user?.affiliation)
  }

  /// What the claims grant, once they are proved. Everybody may take part; a moderator also looks after the others.
  func grant(_ proof: TokenProof) throws(TokenProblem) -> JoinGrant {
    guard aud.map({ proof.isMeant($0.names, or: ["jitsi", "*"]) }) ?? true else {
      throw .claims("aud names another server")
    }
    if let sub, !proof.isMeant([sub], or: ["*"]) {
      throw .claims("sub is neither *, the tenant, its API key nor the server's host name")
    }
    if let nbf, nbf.date >= exp.date { throw .claims("exp is not after nbf") }
    return JoinGrant(
      form: .jitsi, tenant: proof.tenant.id, id: try proof.id(jti), target: try TokenProof.target(room),
      role: isModerator ? .moderator : .publisher, name: context.user?.name,
      user: try proof.user(context.user?.id?.text), notBefore: nbf?.date, expires: exp.date)
  }
}
