public import Basics
import Crypto
public import FoundationEssentials

/// Decides which tenant a request of a server belongs to, as the OpenTok REST API proves it: by a JWT that an API
/// secret has signed, or by the older pair of API key and secret.
///
/// A token that lets somebody join proves nothing here, although the same secret signs it: every participant holds one.
public struct ProjectAuthority: Sendable {
  /// The credential of a request.
  public enum Credential: Sendable {
    /// The value of `X-OPENTOK-AUTH`.
    case jwt(Secret<String>)
    /// The value of `X-TB-PARTNER-AUTH`: the API key, a colon, and a secret.
    case pair(Secret<String>)
  }

  /// Why a request is not taken.
  public enum Refusal: Error, Sendable, Equatable {
    /// The credential is not good: why, for the log and for whoever holds the key.
    case credential(TokenProblem)
    /// The tenant asks too often.
    case limit(LimitReached)
    /// The store failed; the text is for the log.
    case unavailable(String)
  }

  /// How far ahead a JWT may end: it stands for one request.
  public static let longest: TimeInterval = 5 * 60

  private let store: any TenantStore
  private let gate: RequestGate

  /// An authority over the keys of `store`.
  public init(store: any TenantStore, gate: RequestGate = RequestGate()) {
    self.store = store
    self.gate = gate
  }

  /// The tenant of a request.
  public func tenant(of credential: Credential, now: Date) async throws(Refusal) -> Tenant {
    let tenant =
      switch credential {
      case .jwt(let text): try await tenant(jwt: text, now: now)
      case .pair(let text): try await tenant(pair: text, now: now)
      }
    if let reached = gate.tenant(tenant) { throw .limit(reached) }
    return tenant
  }

  private func tenant(jwt text: Secret<String>, now: Date) async throws(Refusal) -> Tenant {
    guard text.value.utf8.count <= JoinToken.maximumLength, let signature = CompactJWS(text.value) else {
      throw .credential(.unknownForm)
    }
    guard signature.algorithm == .hs256 else { throw .credential(.algorithm) }
    struct Issuer: Decodable { var iss: String }
    guard let claimed = signature.claimed,
      let issuer = try? JSONDecoder().decode(Issuer.self, from: Data(claimed)), issuer.iss.utf8.count <= 64
    else { throw .credential(.unknownKey) }
    let (tenant, keys) = try await secrets(of: issuer.iss, now: now)
    for key in keys {
      guard let payload = try? SharedKey(key.secret).verify(signature) else { continue }
      do throws(TokenProblem) {
        try Self.check(TokenProof(tenant: tenant, payload: payload, host: nil).claims(ProjectClaims.self), now: now)
      } catch {
        throw .credential(error)
      }
      return tenant
    }
    throw .credential(.signature)
  }

  private func tenant(pair text: Secret<String>, now: Date) async throws(Refusal) -> Tenant {
    let parts = text.value.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, (1...64).contains(parts[0].utf8.count), parts[1].utf8.count <= 256 else {
      throw .credential(.unknownForm)
    }
    let (tenant, keys) = try await secrets(of: String(parts[0]), now: now)
    // Every secret is compared, each in the same time wherever it differs.
    let good = keys.map { ConstantTime.areEqual($0.secret.value, parts[1]) }
    guard good.contains(true) else { throw .credential(.signature) }
    return tenant
  }

  private static func check(_ claims: ProjectClaims, now: Date) throws(TokenProblem) {
    guard !claims.isJoinToken else { throw .claims("it is a token for joining, not one for the REST API") }
    // One SDK writes `ist` into the header, so its absence means nothing.
    guard claims.ist.map({ $0.isEmpty || $0 == "project" }) ?? true else { throw .claims("ist is not project") }
    if let issued = claims.iat?.date ?? claims.nbf?.date, issued > now.addingTimeInterval(JoinGrant.leeway) {
      throw .notYetValid
    }
    guard now < claims.exp.date.addingTimeInterval(JoinGrant.leeway) else { throw .expired }
    guard claims.exp.date <= now.addingTimeInterval(longest + JoinGrant.leeway) else {
      throw .claims("exp is more than five minutes ahead")
    }
  }

  private func secrets(of apiKey: String, now: Date) async throws(Refusal) -> (Tenant, [APIKey]) {
    let found: (Tenant, [APIKey])?
    do throws(MeetingStoreError) {
      if let tenant = try await store.tenant(apiKey: apiKey) {
        found = (tenant, try await store.apiKeys(of: tenant.id).filter { $0.isLive(at: now) })
      } else {
        found = nil
      }
    } catch {
      throw .unavailable("\(error)")
    }
    guard let found else { throw .credential(.unknownKey) }
    return found
  }
}

/// The claims of a JWT for the REST API, and what would make it one of another kind.
struct ProjectClaims: Decodable {
  struct ClaimPresence: Decodable { init(from decoder: any Decoder) throws {} }

  var exp: NumericDate
  var iat: NumericDate?
  var nbf: NumericDate?
  var ist: String?
  private var session_id: ClaimPresence?
  private var scope: ClaimPresence?
  private var role: ClaimPresence?
  private var room: ClaimPresence?
  private var meeting: ClaimPresence?
  private var permissions: ClaimPresence?
  private var context: ClaimPresence?

  /// Whether it has a mark of a token for joining.
  var isJoinToken: Bool {
    session_id != nil || scope != nil || role != nil || room != nil || meeting != nil || permissions != nil
      || context != nil
  }
}
