import Basics
import Foundation
import Testing

@testable import Meetings

@Suite("Optional claims, RFC 7519 section 4")
struct OptionalClaimTests {
  private func admit(_ claims: String) async throws -> Admission {
    let world = try await TokenWorld()
    return try await world.admit(try world.token("{\(world.head),\"room\":\"daily\"\(claims)}"))
  }

  @Test(
    "a Jitsi token is known without a context, or with an odd one",
    arguments: [
      #","aud":"jitsi""#, #","aud":["jitsi"],"context":null"#, #","context":{}"#, #","context":"x""#, #","context":[]"#,
      #","context":{"user":7}"#, #","context":{"user":null,"group":1}"#, #","sub":"*""#, #","moderator":1"#,
      #","sub":"https://meet.example""#, #","sub":"https://meet.example/""#, #","sub":"https://meet.example:8443""#,
      #","sub":"MEET.example""#, #","sub":"meet.example.","aud":"jitsi""#, #","sub":"meet.example:443","aud":"jitsi""#,
      #","sub":"","aud":"jitsi""#, #","sub":5,"context":{}"#, #","jti":7,"context":{}"#, #","jti":"","context":{}"#,
      #","context":{"user":{"name":5,"id":[],"moderator":{},"affiliation":1}}"#,
    ])
  func jitsi(claims: String) async throws {
    let grant = try await admit(claims).grant
    #expect(grant.form == .jitsi && grant.role == .publisher && grant.name == nil && grant.user == nil)
  }

  @Test(
    "an empty role is as none, and a time before 1970 is a time",
    arguments: [#","role":"""#, #","role":null"#, #","nbf":-5"#, #","role":"","nbf":0"#])
  func emptyRole(claims: String) async throws {
    #expect(try await admit(claims).grant.role == .publisher)
  }

  @Test("a moderator is one by a truth or its text, and by nothing else")
  func moderator() async throws {
    for (value, role) in [
      ("true", Role.moderator), ("\"true\"", .moderator), ("1", .publisher), ("\"yes\"", .publisher),
    ] {
      #expect(try await admit(#","context":{"user":{"moderator":\#(value)}}"#).grant.role == role)
      #expect(try await admit(#","moderator":\#(value),"context":{}"#).grant.role == role)
    }
  }

  @Test(
    "a name that is empty, odd or draws nothing leaves the choice to its holder",
    arguments: ["\"\"", "\" \"", "7", "null", "[]", "\"\\u3164\"", "\"\\u2800\""])
  func names(name: String) async throws {
    #expect(try await admit(",\"name\":\(name)").grant.name == nil)
    #expect(try await admit(#","context":{"user":{"name":\#(name)}}"#).grant.name == nil)
  }

  @Test("Parley's and OpenTok's optional claims of an odd form are as absent too")
  func others() async throws {
    let grant = try await admit(#","sub":42,"jti":42,"data":{},"ruu":1,"confid":[]"#).grant
    #expect(grant.form == .parley && grant.user == "42" && grant.id.rawValue == "42" && grant.connectionData == nil)
    let world = try await TokenWorld()
    let text = try world.token(
      "{\(world.head),\"ist\":\"project\",\"session_id\":\"\(TokenWorld.session)\",\"role\":\"\",\"scope\":\"\",\"jti\":1,"
        + "\"connection_data\":1,\"initial_layout_class_list\":[]}")
    let openTok = try await world.admit(text).grant
    #expect(openTok.role == .publisher && openTok.connectionData == nil && openTok.layoutClasses.isEmpty)
  }

  @Test(
    "threat 40: only a signed token lets a link open devices, and only by a list",
    arguments: [
      (#"["camera","microphone"]"#, ["microphone", "camera"]), (#"["camera"]"#, ["camera"]), ("[]", []),
      (#"["screen","Camera",""]"#, []), ("true", []), (#""camera""#, []), ("{}", []), (#"["camera",7]"#, []),
    ])
  func devices(claim: String, expected: [String]) async throws {
    #expect(try await admit("").grant.linkDevices.isEmpty)
    #expect(try await admit(",\"devices\":\(claim)").grant.linkDevices.names == expected)
    #expect(try await admit(",\"context\":{},\"devices\":\(claim)").grant.linkDevices.names == expected)
  }

  @Test(
    "claims that decide about security stay strict",
    arguments: [
      #","nbf":"soon""#, #","aud":7"#, #","aud":"other""#, #","aud":"other","context":{}"#, #","role":7"#,
      #","permissions":"all""#, #","guest":"yes""#, #","ao":7"#, #","sub":"https://other.example","context":{}"#,
      #","nbf":"x","context":{}"#, #","sub":"meet.example.evil","context":{}"#, #","role":"publisher","context":{}"#,
    ])
  func strict(claims: String) async throws {
    let world = try await TokenWorld()
    #expect(await world.code(try world.token("{\(world.head),\"room\":\"daily\"\(claims)}")) == "badToken")
  }
}
