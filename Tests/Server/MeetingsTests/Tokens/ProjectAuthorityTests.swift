import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("The tenants of OpenTok REST requests")
struct ProjectAuthorityTests {
  private let now = TokenWorld.now
  private var time: Int { Int(now.timeIntervalSince1970) }

  /// The problem with a credential; nil when it is good.
  private func problem(
    _ credential: ProjectAuthority.Credential, in world: TokenWorld, at now: Date = TokenWorld.now
  ) async -> TokenProblem? {
    do throws(ProjectAuthority.Refusal) {
      let tenant = try await ProjectAuthority(store: world.store).tenant(of: credential, now: now)
      #expect(tenant.id == world.tenant.id)
      return nil
    } catch {
      guard case .credential(let problem) = error else { return .unknownForm }
      return problem
    }
  }

  private func jwt(_ claims: String, in world: TokenWorld) async throws -> TokenProblem? {
    await problem(.jwt(Secret(try world.token("{\"iss\":\"100200\",\(claims)}"))), in: world)
  }

  @Test("a JWT just signed by the secret is good, with or without ist, iat and jti")
  func good() async throws {
    let world = try await TokenWorld()
    #expect(try await jwt(#""ist":"project","iat":\#(time),"exp":\#(time + 180),"jti":"a""#, in: world) == nil)
    #expect(try await jwt(#""exp":\#(time + 300)"#, in: world) == nil)
    // Clocks differ by a little.
    #expect(try await jwt(#""iat":\#(time + 50),"exp":\#(time + 350)"#, in: world) == nil)
    #expect(try await jwt(#""iat":\#(time - 240),"exp":\#(time - 50)"#, in: world) == nil)
  }

  @Test("threat 24: a JWT without end, too long, over, not begun or of another key fails")
  func claims() async throws {
    let world = try await TokenWorld()
    #expect(try await jwt(#""iat":\#(time)"#, in: world) == .claims("exp is missing"))
    #expect(try await jwt(#""exp":\#(time + 3_600)"#, in: world) == .claims("exp is more than five minutes ahead"))
    #expect(try await jwt(#""exp":\#(time - 61)"#, in: world) == .expired)
    #expect(try await jwt(#""iat":\#(time + 120),"exp":\#(time + 180)"#, in: world) == .notYetValid)
    #expect(try await jwt(#""ist":"account","exp":\#(time + 180)"#, in: world) == .claims("ist is not project"))
    let other = try world.token(#"{"iss":"999","exp":\#(time + 180)}"#)
    #expect(await problem(.jwt(Secret(other)), in: world) == .unknownKey)
  }

  @Test(
    "threat 24: a join token is no credential under the same secret, nor the reverse"
  )
  func joinTokens() async throws {
    let world = try await TokenWorld()
    let end = "\"exp\":\(time + 180)"
    for mark in [
      #""session_id":"\#(TokenWorld.session)""#, #""scope":"session.connect""#, #""role":"moderator""#, #""room":"*""#,
      #""meeting":"m_1""#, #""permissions":["moderate"]"#, #""context":{}"#,
    ] {
      #expect(
        try await jwt("\(end),\(mark)", in: world) == .claims("it is a token for joining, not one for the REST API"),
        "\(mark)")
    }
    let credential = try world.token(#"{"iss":"100200","ist":"project",\#(end)}"#)
    #expect(await world.code(credential, room: TokenWorld.session) == "badToken")
    #expect(await world.code(try world.token(#"{"iss":"100200",\#(end)}"#), room: "daily") == "badToken")
  }

  @Test(
    "threat 24: other secrets, algorithms and retired ones fail; a second one works"
  )
  func signatures() async throws {
    let world = try await TokenWorld()
    let claims = #"{"iss":"100200","exp":\#(time + 180)}"#
    let good = try world.token(claims)
    #expect(
      await problem(.jwt(Secret(try world.token(claims, secret: String(repeating: "0", count: 40)))), in: world)
        == .signature)
    let key = try SigningKey.cached(world.tenant)
    #expect(await problem(.jwt(Secret(try key.sign(Array(claims.utf8)))), in: world) == .algorithm)
    let body = good.split(separator: ".")[1]
    for text in [
      "eyJhbGciOiJub25lIn0.\(body).", "", ".", "..", "a.b.c", String(good.dropLast(4)),
      String(repeating: "a", count: 9_000),
    ] {
      #expect(await problem(.jwt(Secret(text)), in: world) != nil, "\(text.prefix(40))")
    }
    let second = try await world.store.rotateKey(of: world.tenant.id, others: nil, now: now)
    let fresh = try world.token(claims, secret: second.secret.value)
    #expect(await problem(.jwt(Secret(fresh)), in: world) == nil)
    #expect(try await world.store.retireKey("k_1", of: world.tenant.id, now: now))
    #expect(await problem(.jwt(Secret(good)), in: world) == .signature)
    #expect(await problem(.jwt(Secret(fresh)), in: world) == nil)
  }

  @Test("the older pair of key and secret is good, and no other text")
  func pairs() async throws {
    let world = try await TokenWorld()
    #expect(await problem(.pair(Secret("100200:\(TokenWorld.secret)")), in: world) == nil)
    for text in [
      "", ":", "100200", "100200:", "100200:\(TokenWorld.secret) ", "100200:\(TokenWorld.secret.dropLast())",
      "999:\(TokenWorld.secret)", ":\(TokenWorld.secret)", "100200:\(TokenWorld.secret.uppercased())",
      String(repeating: "1", count: 70) + ":x", "100200:" + String(repeating: "x", count: 300),
    ] {
      #expect(await problem(.pair(Secret(text)), in: world) != nil, "\(text.prefix(60))")
    }
  }

  @Test("a session's id says how it was asked for, and isn't another room in any case")
  func sessions() throws {
    var options = OpenTokSession.Options()
    #expect(OpenTokSession.make(apiKey: "100200", now: now).options == options)
    options.location = "192.0.2.7"
    options.isArchived = true
    options.isEncrypted = true
    let made = OpenTokSession.make(apiKey: "123456789", options: options, now: now)
    let read = try #require(OpenTokSession(made.text))
    #expect(read.options == options && read.apiKey == "123456789" && read.belongs(to: "123456789"))
    #expect(made.text.utf8.count <= RoomName.maximumLength)
    for text in [made.text, made.text.lowercased(), TokenWorld.session, "1_MX4xMDAyMDB-"] {
      #expect(OpenTokSession.isSession(try RoomName(text)), "\(text)")
    }
    for text in ["daily", "2_daily", "mx4", "2-MX4x"] {
      #expect(!OpenTokSession.isSession(try RoomName(text)), "\(text)")
    }
  }
}
