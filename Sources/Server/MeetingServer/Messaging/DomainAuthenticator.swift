import Basics
import FoundationEssentials
import Meetings
import Messaging

/// Finds out who an endpoint's user is, by the rules of its domain.
struct DomainAuthenticator: Sendable {
  let client: ProviderClient
  let log: Log
  var clock: @Sendable () -> Date = { Date() }

  /// The proven user. It has to be the one whom the app names.
  func user(
    of token: String, named userId: String, in domain: MessagingDomain
  ) async throws(MessagingFailure) -> ProvenUser {
    let user = try await self.user(of: token, in: domain)
    guard user.userId.isSameUser(as: userId) else {
      log.info("messaging.token", ["domain": domain.id, "reason": "another user's"])
      throw .init(.tokenRejected, "The token is another user's.")
    }
    return user
  }

  /// The proven user, whoever it is.
  func user(of token: String, in domain: MessagingDomain) async throws(MessagingFailure) -> ProvenUser {
    guard token.utf8.count <= MessagingLimits.tokenBytes else {
      throw .init(.limitReached, "A token has at most \(MessagingLimits.tokenBytes) bytes (tokenBytes).")
    }
    let user: ProvenUser
    do throws(IDTokenProblem) {
      switch domain.settings.authentication {
      case .disabled:
        // Kept to again, whatever is stored.
        guard domain.settings.environment == .sandbox else { throw IDTokenProblem.algorithm }
        user = try EndpointTokens.unsigned(Secret(token), now: clock())
      case .jwt(let rules): user = try await signed(Secret(token), rules)
      case .oauth(let rules): user = try await opaque(Secret(token), rules, domain.id)
      }
    } catch {
      log.info("messaging.token", ["domain": domain.id, "reason": error])
      if case .claim(let reason) = error, reason == Self.unreachable {
        throw .init(.providerUnavailable, "The identity provider does not answer. Try again in a moment.")
      }
      if case .claim(let reason) = error, reason == Self.busy {
        throw .init(
          .unavailable, "The domain's identity provider is being asked about other tokens. Try again.", retryAfter: 1)
      }
      throw .init(.tokenRejected, "The token is not accepted in this domain.")
    }
    return user
  }

  private static let unreachable = "the provider does not answer"
  private static let busy = "too many are being proved"

  private func signed(
    _ token: Secret<String>, _ rules: DomainAuthentication.SignedTokenRules
  ) async throws(IDTokenProblem) -> ProvenUser {
    let keys = try await keys(at: rules.jwks, unfit: false)
    do throws(IDTokenProblem) {
      return try EndpointTokens.signed(token, keys: keys, rules: rules, now: clock())
    } catch {
      // The provider may have changed its keys.
      guard error == .unknownKey || error == .signature else { throw error }
    }
    let fresh = try await self.keys(at: rules.jwks, unfit: true)
    return try EndpointTokens.signed(token, keys: fresh, rules: rules, now: clock())
  }

  private func keys(at address: String, unfit: Bool) async throws(IDTokenProblem) -> ProviderKeys {
    do throws(SignInProblem) {
      return try await client.keys(at: address, of: "jwks \(address)", unfit: unfit)
    } catch {
      throw problem(error)
    }
  }

  private func problem(_ problem: SignInProblem) -> IDTokenProblem {
    if problem == .busy { return .claim(Self.busy) }
    log.warning("messaging.provider", ["reason": problem.reason])
    return .claim(Self.unreachable)
  }

  private func opaque(
    _ token: Secret<String>, _ rules: DomainAuthentication.OpaqueTokenRules, _ domain: DomainID
  ) async throws(IDTokenProblem) -> ProvenUser {
    let text = token.value
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { throw .malformed }
    var info = ProviderClient.Call(method: "POST", url: rules.tokenInfo)
    info.headers["Content-Type"] = "application/x-www-form-urlencoded"
    if let secret = rules.clientSecret, let client = rules.clientIDs.first {
      let pair = QueryText.encode(client) + ":" + QueryText.encode(secret.value)
      info.headers["Authorization"] = "Basic " + Data(pair.utf8).base64EncodedString()
    } else {
      info.headers["Authorization"] = "Bearer \(text)"
    }
    // One word for RFC 7662, the other for providers from before it.
    info.body = Array(QueryText.of([("token", text), ("access_token", text)]).utf8)
    var about = ProviderClient.Call(url: rules.userInfo)
    about.headers["Authorization"] = "Bearer \(text)"
    let tokenInfo = try await ask(info, "token information", domain)
    let userInfo = try await ask(about, "user information", domain)
    return try EndpointTokens.opaque(tokenInfo: tokenInfo, userInfo: userInfo, rules: rules, now: clock())
  }

  private func ask(
    _ call: ProviderClient.Call, _ what: String, _ domain: DomainID
  ) async throws(IDTokenProblem) -> [UInt8] {
    do throws(SignInProblem) {
      let response = try await client.answer(to: call, what, for: domain.text)
      if response.status >= 500 { throw .unreachable("\(what) has status \(response.status)") }
      guard response.status == 200 else { throw .refused(what) }
      return response.body
    } catch {
      if case .refused = error { throw .claim("the provider does not know it") }
      throw problem(error)
    }
  }
}

extension String {
  /// Whether it is the same user id, byte for byte. `==` takes different spellings of Unicode for the same, which the
  /// store keeps apart.
  func isSameUser(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
