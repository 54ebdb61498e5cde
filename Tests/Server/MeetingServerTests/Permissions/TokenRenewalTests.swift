import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("Join tokens that end in a meeting", .serialized)
struct TokenRenewalTests {
  /// A token that this server signs, which ends in `seconds`.
  private func signed(
    _ server: TestServer, _ room: String, seconds: Double = 3_600, role: Role = .publisher, name: String? = nil,
    user: String? = nil, isGuest: Bool = false, data: String? = nil, id: TokenID = .random()
  ) async throws -> String {
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    let token = try JoinAuthority(store: store).sign(
      JoinToken(
        id: id, tenant: tenant.id, target: .room(try RoomName(room)), role: role, name: name, user: user,
        isGuest: isGuest, connectionData: data, notBefore: Date() - 10, expires: Date() + seconds), tenant: tenant)
    await store.close()
    return token.value
  }

  private func token(_ client: TestClient) async throws -> TokenNotice {
    try await client.first { if case .token(let notice) = $0 { notice } else { nil } }
  }

  /// Tries `body` with a token that ends soon, and with longer ones where the machine is too slow for that.
  private func patiently(_ body: (_ seconds: Double, _ room: String) async throws -> Void) async throws {
    for seconds in [4.0, 15] {
      do { return try await body(seconds, "daily-\(Int(seconds))") } catch {}
    }
    try await body(60, "daily-60")
  }

  /// Waits until a token is good no more.
  private func ended(_ server: TestServer, _ room: String, _ token: String) async throws {
    try await eventually {
      let answer = try await server.get("/discover/\(room)?anonymousMeetingJoinContext=\(token)")
      return answer.text.contains("tokenExpired") ? nil : "the token is still good: \(answer.status)"
    }
  }

  /// The server's answer to a renewal: nil when it is done.
  private func renew(_ client: TestClient, _ token: String) async throws -> SignalingErrorCode? {
    let id = Int.random(in: 1_000...1_000_000)
    try client.send(.renewToken(token, id: id))
    return try await client.first { message -> SignalingErrorCode?? in
      switch message {
      case .room(.done(id)): .some(nil)
      case .error(let code, _, false, id): .some(code)
      default: nil
      }
    }
  }

  @Test(
    "threat 24: after its token ends a participant stays, with another to return by")
  func stays() async throws {
    try await TestServer.run { server in
      try await patiently { seconds, room in try await stays(server, seconds, room) }
    }
  }

  private func stays(_ server: TestServer, _ life: Double, _ room: String) async throws {
    let id = TokenID.random()
    let first = try await signed(
      server, room, seconds: life, role: .moderator, name: "Ada", user: "ada", data: "user=7", id: id)
    let (ann, welcome) = try await server.join(room, "Nobody", token: first)
    guard case .expiring(let seconds, leaves: false) = try await token(ann) else {
      throw Unexpected(text: "no notice that the token ends")
    }
    #expect((1...Int(life)).contains(seconds))
    guard case .refreshed(let fresh, let expires) = try await token(ann) else {
      throw Unexpected(text: "no token to come back with")
    }
    #expect(expires > Date() + 300 && expires < Date() + 601)
    // A client that lost the socket in between gets it again.
    await ann.close()
    let again = try await server.connect()
    try again.send(.resume(token: welcome.resumeToken))
    let retold = try await again.first { message -> String? in
      if case .token(.refreshed(let token, _)) = message { token } else { nil }
    }
    #expect(retold == fresh)
    try await ended(server, room, first)
    try again.send(.ping(time: 1))
    try await again.first { if case .pong = $0 { () } else { nil } }

    let (back, second) = try await server.join(room, "Nobody", token: fresh)
    let own = try #require(second.participants.first { $0.id == second.participant })
    #expect(own.name == "Ada" && own.role == "presenter" && own.data == "user=7")
    await back.close()
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    try await store.revoke(id, tenant: tenant.id, expires: Date() + 3_600)
    await store.close()
    #expect(try await server.refused(room, fresh) == .badToken)
    #expect(!server.logged.text.contains(fresh), "threat 24: no token is in the log")
  }

  @Test(
    "where staying needs a token, its end disconnects with the reason; renewing keeps")
  func leaves() async throws {
    try await TestServer.run({ $0.tokens.endsPlaces = true }) { server in
      try await patiently { seconds, room in try await leaves(server, seconds, room) }
    }
  }

  private func leaves(_ server: TestServer, _ life: Double, _ room: String) async throws {
    let short = try await signed(server, room, seconds: life, user: "ben")
    let (ann, _) = try await server.join(room, "Ann")
    let (eve, welcome) = try await server.join(room, "Eve", token: try await signed(server, room, seconds: life))
    let (ben, _) = try await server.join(room, "Ben", token: short)
    guard case .expiring(_, leaves: true) = try await token(ben) else {
      throw Unexpected(text: "no notice that the place ends")
    }
    if let code = try await renew(ben, try await signed(server, room, user: "ben")) {
      throw Unexpected(text: "not renewed: \(code)")
    }
    let reason = try await eve.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
    #expect(reason == .tokenExpired)
    _ = await eve.socket.closed()
    let left = try await ann.first { if case .participantLeft(let id, let why) = $0 { (id, why) } else { nil } }
    #expect(left.0 == welcome.participant && left.1 == .left)
    let late = try await server.connect()
    try late.send(.resume(token: welcome.resumeToken))
    let told = try await late.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
    #expect(told == .tokenExpired)
    try await ended(server, room, short)
    try ben.send(.ping(time: 1))
    try await ben.first { if case .pong = $0 { () } else { nil } }
  }

  @Test("a tenant has its own rule for whose token ends, whatever the server's is")
  func tenantsRule() async throws {
    for (isServers, rule, leaves) in [(false, TokenExpiry.leave, true), (true, .stay, false)] {
      try await TestServer.run({ $0.tokens.endsPlaces = isServers }) { server in
        try await server.setPolicy { $0.tokenExpiry = rule }
        try await patiently { seconds, room in
          let (ann, _) = try await server.join(
            room, "Ann", token: try await signed(server, room, seconds: seconds, role: .moderator))
          guard case .expiring(_, leaves: leaves) = try await token(ann) else {
            throw Unexpected(text: "not told what becomes of the place")
          }
          let isOut = try await ann.first { message -> Bool? in
            switch message {
            case .ended(.tokenExpired, _): true
            case .token(.refreshed): false
            default: nil
            }
          }
          #expect(isOut == leaves)
          await ann.close()
        }
      }
    }
  }

  @Test(
    "threats 24 and 29: renewal needs a good token of the same meeting and holder")
  func identity() async throws {
    try await TestServer.run { server in
      let (ann, welcome) = try await server.join(
        "daily", "Ann", token: try await signed(server, "daily", name: "Ada", user: "ada", data: "user=7"))
      let store = try await server.store()
      let other = try TestTenants.make(name: "acme", policy: TenantPolicy(signIn: .token), now: Date())
      try await store.transaction { try $0.insert(other, key: .make(tenant: other.id, now: Date())) }
      let foreign = try JoinAuthority(store: store).sign(
        JoinToken(
          tenant: other.id, target: .room(try RoomName("daily")), role: .moderator, name: "Ada", user: "ada",
          connectionData: "user=7", notBefore: Date(), expires: Date() + 600), tenant: other)
      await store.close()
      let ended = try await signed(server, "daily", seconds: -5, name: "Ada", user: "ada", data: "user=7")
      let cases: [(String, String, SignalingErrorCode)] = [
        ("another room", try await signed(server, "other", name: "Ada", user: "ada", data: "user=7"), .wrongMeeting),
        ("another tenant", foreign.value, .wrongMeeting), ("forged", String(ended.dropLast(6)), .badToken),
        ("ended", ended, .tokenExpired),
        ("another user", try await signed(server, "daily", name: "Ada", user: "eve", data: "user=7"), .notAllowed),
        ("no user", try await signed(server, "daily", name: "Ada", data: "user=7"), .notAllowed),
        ("another name", try await signed(server, "daily", name: "Eve", user: "ada", data: "user=7"), .notAllowed),
        ("other data", try await signed(server, "daily", name: "Ada", user: "ada", data: "user=8"), .notAllowed),
        (
          "a guest", try await signed(server, "daily", name: "Ada", user: "ada", isGuest: true, data: "user=7"),
          .notAllowed
        ),
        (
          "hidden", try await signed(server, "daily", role: .hidden, name: "Ada", user: "ada", data: "user=7"),
          .notAllowed
        ),
      ]
      for (what, token, code) in cases { #expect(try await renew(ann, token) == code, "\(what)") }
      let own = try #require(try await server.look("daily").participants.first { $0.id == welcome.participant })
      #expect(own.name == "Ada" && own.role == "guest" && own.data == "user=7")
    }
  }

  @Test(
    "threat 33: a new token's grants hold at once, and what a host took stays taken")
  func rights() async throws {
    try await TestServer.run { server in
      let (host, _) = try await server.host("daily", "Ann")
      let (ben, welcome) = try await server.join(
        "daily", "Ben", offer: "send:0", tracks: [TrackDescription(mid: "0", source: .microphone)],
        token: try await signed(server, "daily", user: "ben"))
      let publication = try #require(welcome.participants.last?.publications.first)
      let id = welcome.participant
      let rest = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "data"]
      try await host.ask(.setPermissions(id, permissions: rest))
      #expect(try await permissions(ben) == ["guest"] + rest)
      #expect(try await renew(ben, try await signed(server, "daily", user: "ben")) == nil)
      try ben.send(.chat(text: "again", to: nil, id: 5))
      #expect(try await ben.refusal().code == .notAllowed)

      let less = try await signed(server, "daily", role: .subscriber, user: "ben")
      #expect(try await renew(ben, less, told: ["subscriber", "subscribe"]) == nil)
      let gone = try await host.first { if case .unpublished(id, let track, .notAllowed) = $0 { track } else { nil } }
      #expect(gone == publication.id)
      #expect(
        try await renew(
          ben, try await signed(server, "daily", role: .moderator, user: "ben"),
          told: ["presenter", "publishAudio", "publishVideo", "publishScreen", "subscribe", "data", "moderate"]) == nil)
      try await ben.ask(.lowerHands)
      try ben.send(.chat(text: "still not", to: nil, id: 6))
      #expect(try await ben.refusal().code == .notAllowed)
      // Only a host gives back what a host has taken.
      try await host.ask(.setPermissions(id, permissions: rest + ["chat"]))
      #expect(
        try await permissions(ben) == [
          "presenter", "publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data",
        ])
      #expect(try await renew(ben, less, told: ["subscriber", "subscribe"]) == nil)
      let told = ["guest", "publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data"]
      #expect(try await renew(ben, try await signed(server, "daily", user: "ben"), told: told) == nil)
    }
  }

  @Test("threat 33: the meeting's rules hold for a new token's grants as for any join")
  func rules() async throws {
    try await TestServer.run { server in
      try await server.setPolicy { $0.chat = ChatPolicy(writers: .hosts) }
      let (host, _) = try await server.host("daily", "Ann")
      let (ben, welcome) = try await server.join("daily", "Ben", token: try await signed(server, "daily", user: "ben"))
      let usual = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "data"]
      #expect(welcome.permissions == usual)
      let less = try await signed(server, "daily", role: .subscriber, user: "ben")
      let more = try await signed(server, "daily", user: "ben")
      #expect(try await renew(ben, less, told: ["subscriber", "subscribe"]) == nil)
      #expect(try await renew(ben, more, told: ["guest"] + usual) == nil)
      // Nor does a host's role bring what the meeting keeps for hosts; what is given by name stays.
      try await host.ask(.setRole(welcome.participant, role: "subscriber"))
      #expect(try await permissions(ben) == ["subscriber", "subscribe"])
      #expect(try await renew(ben, more) == nil)
      try await host.ask(.setRole(welcome.participant, role: "guest"))
      #expect(try await permissions(ben) == ["guest"] + usual)
      let given = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data"]
      try await host.ask(.setPermissions(welcome.participant, permissions: given))
      #expect(try await permissions(ben) == ["guest"] + given)
      #expect(try await renew(ben, more) == nil)
      try ben.send(.chat(text: "thank you", to: nil))
      _ = try await host.first { if case .chat(let entry) = $0 { entry } else { nil } }
    }
  }

  /// The next role and permissions that somebody gets.
  private func permissions(_ client: TestClient) async throws -> [String] {
    try await client.notice { if case .permissions(let role, let names) = $0 { [role] + names } else { nil } }
  }

  /// As ``renew(_:_:)``, for a token that changes what its holder may do.
  private func renew(_ client: TestClient, _ token: String, told: [String]) async throws -> SignalingErrorCode? {
    try client.send(.renewToken(token, id: 77))
    #expect(try await permissions(client) == told)
    return try await client.first { message -> SignalingErrorCode?? in
      switch message {
      case .room(.done(77)): .some(nil)
      case .error(let code, _, false, 77): .some(code)
      default: nil
      }
    }
  }

  @Test(
    "threat 25: the lobby renews nothing, and an ended token isn't let in if required")
  func waiting() async throws {
    try await TestServer.run({ $0.tokens.endsPlaces = true }) { server in
      try await patiently { seconds, room in try await waiting(server, seconds, room) }
    }
  }

  private func waiting(_ server: TestServer, _ life: Double, _ room: String) async throws {
    try await server.makeMeeting(room, .locked)
    let (host, _) = try await server.lobbyHost(room)
    let short = try await signed(server, room, seconds: life, user: "ben")
    let (ben, _) = try await server.knock(room, "Ben", token: short)
    try await host.lobby(of: ["Ben"])
    #expect(try await renew(ben, try await signed(server, room, user: "ben")) == .notAllowed)
    try await ended(server, room, short)
    try host.send(.admit(.all))
    let error = try await ben.first { if case .error(let code, _, true, _) = $0 { code } else { nil } }
    #expect(error == .tokenExpired)
    for client in [host, ben] { await client.close() }
  }

  @Test("threat 27: renewals are bounded in number and size; a refused one ends nothing")
  func bounds() async throws {
    try await TestServer.run { server in
      let (ann, _) = try await server.join("daily", "Ann")
      try ann.send(.renewToken(String(repeating: "x", count: 8_193), id: 1))
      #expect(try await ann.refusal().code == .badMessage)
      let good = try await server.discover("daily").token ?? ""
      var codes: [SignalingErrorCode?] = []
      for _ in 0..<14 { codes.append(try await renew(ann, good)) }
      #expect(codes.prefix(9).allSatisfy { $0 == nil } && codes.contains(.tooFast), "\(codes)")
      try ann.send(.ping(time: 1))
      try await ann.first { if case .pong = $0 { () } else { nil } }
    }
  }
}
