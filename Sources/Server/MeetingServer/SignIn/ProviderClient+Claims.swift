import Basics
import FoundationEssentials
import Meetings
import Transport

/// Signing in: a code becomes tokens, and those the claims about a person.
extension ProviderClient {
  /// The provider's claims about somebody who came back with `code`.
  func claims(
    for code: Secret<String>, of provider: IdentityProvider, redirect: String, verifier: Secret<String>, nonce: String
  ) async throws(SignInProblem) -> IdentityClaims {
    guard exchanges < Self.maximumExchanges else { throw .busy }
    exchanges += 1
    defer { exchanges -= 1 }
    let document = try await document(of: provider.issuer)
    let tokens = try await redeem(code, provider, document, redirect: redirect, verifier: verifier)
    guard let idToken = tokens.id_token else { throw .refused("the provider's answer has no ID token") }
    var claims = try await verified(Secret(idToken), provider, document, nonce: nonce)
    if provider.misses(claims), let address = document.userinfo_endpoint, let access = tokens.access_token {
      try await addUserInfo(to: &claims, from: address, Secret(access))
    }
    return claims
  }

  private struct Tokens: Decodable {
    var id_token: String?
    var access_token: String?
  }

  /// Why a provider gives no tokens (RFC 6749 section 5.2).
  private struct TokenRefusal: Decodable { var error: String }

  private func redeem(
    _ code: Secret<String>, _ provider: IdentityProvider, _ document: ProviderDocument, redirect: String,
    verifier: Secret<String>
  ) async throws(SignInProblem) -> Tokens {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code.value), ("redirect_uri", redirect),
      ("code_verifier", verifier.value),
    ]
    var call = Call(method: "POST", url: document.token_endpoint)
    call.headers["Content-Type"] = "application/x-www-form-urlencoded"
    if let secret = provider.clientSecret, !document.wantsSecretInBody {
      let pair = QueryText.encode(provider.clientID) + ":" + QueryText.encode(secret.value)
      call.headers["Authorization"] = "Basic " + Data(pair.utf8).base64EncodedString()
    } else {
      fields.append(("client_id", provider.clientID))
      if let secret = provider.clientSecret { fields.append(("client_secret", secret.value)) }
    }
    call.body = Array(QueryText.of(fields).utf8)
    let response = try await Self.answer(call, "answer to a code", fetch)
    guard response.status == 200 else {
      let refusal = try? JSONDecoder().decode(TokenRefusal.self, from: Data(response.body))
      throw .refused(
        "the provider refuses the code with status \(response.status)\(refusal.map { " (\(Self.word($0.error)))" } ?? "")"
      )
    }
    guard let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(response.body)) else {
      throw .refused("the provider's answer to a code cannot be read")
    }
    return tokens
  }

  private func verified(
    _ token: Secret<String>, _ provider: IdentityProvider, _ document: ProviderDocument, nonce: String
  ) async throws(SignInProblem) -> IdentityClaims {
    let rules = IDTokenRules(issuer: provider.issuer, clientID: provider.clientID, nonce: nonce)
    let keys = try await keys(of: document, unfit: false)
    do throws(IDTokenProblem) {
      return try rules.claims(of: token, keys: keys, now: clock())
    } catch {
      // The provider may have changed its keys, under new names or under the old ones.
      guard error == .unknownKey || error == .signature else { throw .refused("ID token: \(error)") }
    }
    let fresh = try await self.keys(of: document, unfit: true)
    do throws(IDTokenProblem) {
      return try rules.claims(of: token, keys: fresh, now: clock())
    } catch {
      throw .refused("ID token: \(error)")
    }
  }

  private func addUserInfo(
    to claims: inout IdentityClaims, from address: String, _ access: Secret<String>
  ) async throws(SignInProblem) {
    var call = Call(url: address)
    call.headers["Authorization"] = "Bearer \(access.value)"
    let response = try await Self.answer(call, "UserInfo", fetch)
    // Without a readable answer the rules decide by the ID token alone.
    guard response.status == 200,
      let more = try? JSONDecoder().decode([String: ClaimValue].self, from: Data(response.body))
    else { return }
    // Otherwise it could be about somebody else (OpenID Connect Core 1.0 section 5.3.2).
    guard more["sub"]?.text == claims.subject else { throw .refused("the UserInfo answer is about somebody else") }
    claims.add(more)
  }

  /// A provider's word made fit for the log.
  static func word(_ text: String) -> String {
    String(text.unicodeScalars.prefix(64).map { $0.isASCII && $0.value > 32 && $0.value < 127 ? Character($0) : "?" })
  }
}
