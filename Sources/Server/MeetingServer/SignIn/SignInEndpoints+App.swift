import Basics
import Crypto
import FoundationEssentials
import Meetings
import Transport

/// Apps on the person's own computer: they are given a code on a loopback address, and exchange it for a join token.
extension SignInEndpoints {
  /// The answer to an app's code.
  private struct TokenAnswer: Encodable {
    var token: String
    var expires: Date
    var name: String
  }

  /// Asks whether the app may have the token: any page could have sent the browser here, and the provider may not have
  /// asked anything.
  func consent(
    _ session: SignInSession, _ attempt: SignInAttempt, _ app: SignInApp, _ tenant: Tenant, _ now: Date
  ) throws(SignInProblem) -> HTTPResponse {
    let grant = AppGrant(
      id: Base64URL.random(), session: session, room: attempt.room, challenge: app.challenge,
      expires: now + AppGrant.lifetime)
    guard let code = Self.grants(tenant).seal(grant) else { throw .refused("the code cannot be sealed") }
    let room = FormBody.decode(attempt.room, plusIsBlank: false)
    return .notice(
      title: "Let the app join?",
      text: "You are signed in as \(session.name). An app on this computer wants to join the meeting \(room) "
        + "in your name. Go on only if you have just started it yourself.",
      actions: [
        ("Let it join", app.address("code", code)), ("Cancel", app.address("error", SignInProblem.denied.code)),
      ])
  }

  /// `POST /signin/token` with `code` and `code_verifier`: a join token for the room that was asked for.
  func token(_ request: HTTPRequest, _ base: WebOrigin, _ now: Date) async throws(Refusal) -> HTTPResponse {
    let form = try FormBody(of: request)
    let (tenant, _) = try await provider(now: now)
    guard let code = form["code"], let verifier = form["code_verifier"], (43...128).contains(verifier.utf8.count),
      let grant = Self.grants(tenant).open(code, as: AppGrant.self), now < grant.expires,
      grant.session.isGood(for: tenant, now: now), grant.challenge == Base64URL.challenge(verifier),
      let room = try? RoomName(FormBody.decode(grant.room, plusIsBlank: false)),
      (try? await usedCodes.use(grant.id, until: grant.expires, now: now)) != nil
    else {
      log.info("signin.refused", ["reason": "an app's code is over, unknown, used or not its own"])
      throw Refusal(400, "signInExpired", SignInProblem.expired.message)
    }
    let (_, token, expires) = try await join(grant.session, room, tenant, now)
    return .json(TokenAnswer(token: token.value, expires: expires, name: grant.session.name))
  }
}
