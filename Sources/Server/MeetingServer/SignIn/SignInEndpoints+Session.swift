import Basics
import FoundationEssentials
import Meetings
import Transport

/// The use of a session, and its end.
extension SignInEndpoints {
  /// The URL of the sign-in for a room.
  static func address(_ room: RoomName, _ base: WebOrigin) -> String { "\(base)/signin?room=\(room.pathSegment)" }

  /// `GET /discover/<room>` in the mode in which people sign in; nil in other modes. The document has a token for the
  /// user. Without a session it throws the refusal that leads to the sign-in.
  func document(
    room text: some StringProtocol, _ request: HTTPRequest, base: WebOrigin, discovery: Discovery, now: Date
  ) async throws(Refusal) -> HTTPResponse? {
    let tenant = try await tenant(now: now)
    guard tenant.policy.signIn == .oidc else { return nil }
    let room: RoomName
    do throws(RoomNameError) { room = try RoomName(text) } catch { throw Refusal(error) }
    guard let session = try await session(of: request, tenant, base, now) else {
      var refusal = Refusal(JoinRefusal.signInRequired)
      refusal.signIn = Self.address(room, base)
      throw refusal
    }
    let (meeting, token, expires) = try await join(session, room, tenant, now)
    var response = discovery.document(
      meeting, MeetingAddresses(base: base, meeting: meeting, tenant: tenant), of: tenant, token: token.value,
      expires: expires, signedInAs: session.name)
    response.headers["Vary"] = "Cookie"
    return response
  }

  /// A token for somebody who has signed in.
  func join(
    _ session: SignInSession, _ room: RoomName, _ tenant: Tenant, _ now: Date
  ) async throws(Refusal) -> (MeetingRecord, Secret<String>, Date) {
    do {
      guard
        let (meeting, token, expires) = try await anonymousJoin.token(
          for: session, room: room, tenant: tenant, now: now)
      else { throw JoinRefusal.noSuchMeeting }
      counters.tokens.add(1)
      return (meeting, token, expires)
    } catch let error as JoinRefusal {
      throw Refusal(error)
    } catch let error as MeetingStoreError {
      throw Refusal(error)
    } catch {
      throw Refusal(500, "internal", "No token could be signed. The server's log says why.")
    }
  }

  /// The person of a request from a page of this server, and their tenant; nil when nobody has signed in.
  func person(
    of request: HTTPRequest, _ base: WebOrigin, _ now: Date
  ) async throws(Refusal) -> (SignInSession, Tenant)? {
    let tenant = try await tenant(now: now)
    return try await session(of: request, tenant, base, now).map { ($0, tenant) }
  }

  /// The session of a request from a page of this server, if it is valid.
  private func session(
    of request: HTTPRequest, _ tenant: Tenant, _ base: WebOrigin, _ now: Date
  ) async throws(Refusal) -> SignInSession? {
    guard Self.isOwnPage(request, base), let sealed = SignInCookies(base: base).session(request),
      let session = Self.sessions(tenant).open(sealed.value, as: SignInSession.self),
      session.isGood(for: tenant, now: now)
    else { return nil }
    let isEnded: Bool
    do throws(MeetingStoreError) {
      isEnded = try await store.isRevoked(session.id, tenant: tenant.id)
    } catch {
      throw Refusal(error)
    }
    return isEnded ? nil : session
  }

  /// Whether the request comes from a page of this origin, or from no page. The cookie alone proves nothing: browsers
  /// send it to other ports of the same host too.
  private static func isOwnPage(_ request: HTTPRequest, _ base: WebOrigin) -> Bool {
    if let origin = request.headers["origin"], WebOrigin(origin) != base { return false }
    return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
  }

  /// `POST /signout`: ends the session permanently, not in this browser alone.
  func end(_ request: HTTPRequest, _ base: WebOrigin, _ now: Date) async throws(Refusal) -> HTTPResponse {
    guard Self.isOwnPage(request, base) else {
      throw Refusal(403, "wrongOrigin", "Only this server's own pages can sign somebody out.")
    }
    let tenant = try await tenant(now: now)
    let cookies = SignInCookies(base: base)
    if let sealed = cookies.session(request),
      let session = Self.sessions(tenant).open(sealed.value, as: SignInSession.self), now < session.expires
    {
      let entry = Self.entry("person.signOut", session, tenant, now)
      do {
        try await store.transaction { transaction in
          // A second time nothing ends.
          if try transaction.isRevoked(session.id, tenant: tenant.id) { return }
          try transaction.revoke(session.id, tenant: tenant.id, expires: session.expires)
          try transaction.append(entry)
        }
      } catch let error as MeetingStoreError {
        throw Refusal(error)
      } catch {
        throw Refusal(500, "internal", "You could not be signed out. The server's log says why.")
      }
    }
    return HTTPResponse(status: 204, headers: ["Set-Cookie": cookies.clearSession, "Cache-Control": "no-store"])
  }
}
