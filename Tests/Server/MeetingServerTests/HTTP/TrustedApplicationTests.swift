import Foundation
import Meetings
import Testing
import Transport

@testable import MeetingServer

@Suite("The trusted application's endpoints", .serialized)
struct TrustedApplicationTests {
  private func object(_ response: TestAnswer) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any] ?? [:]
  }

  /// An answer as the old apps read it: every value is cast to a string.
  private func strings(_ response: TestAnswer) throws -> [String: String] {
    let any = try JSONSerialization.jsonObject(with: Data(response.body))
    guard let strings = any as? [String: String] else {
      throw Unexpected(text: "not all values are strings: \(response.text)")
    }
    return strings
  }

  private func meeting(_ server: TestServer) async throws -> [String: String] {
    try strings(
      try await server.post("/GetAdhocMeetingJob", "Subject=adhocMeeting&Description=adhocMeeting&AccessLevel="))
  }

  @Test("an ad-hoc meeting has five string keys, a plain address, and lasts eight hours")
  func adHoc() async throws {
    try await TestServer.run { server in
      // As URLSession does without a content type, and as other clients send it.
      for headers in [[:], ["Content-Type": "application/x-www-form-urlencoded"]] as [HTTPHeaders] {
        let answer = try await server.post(
          "/GetAdhocMeetingJob", "Subject=adhocMeeting&Description=adhocMeeting&AccessLevel=", headers: headers)
        #expect(answer.status == 200)
        #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
        let values = try strings(answer)
        #expect(Set(values.keys) == ["JoinUrl", "OnlineMeetingUri", "OrganizerUri", "DiscoverUri", "ExpireTime"])
        let join = try #require(values["JoinUrl"])
        #expect(join.hasPrefix(server.url + "/"))
        #expect(!join.contains { "&+%?#".contains($0) })
        #expect(values["OnlineMeetingUri"]?.hasPrefix("sip:") == true)
        let expires = try Date(try #require(values["ExpireTime"]), strategy: .iso8601)
        #expect(abs(expires.timeIntervalSinceNow - 8 * 3_600) < 60)
        #expect(try await server.get(String(join.dropFirst(server.url.count))).status == 200)
      }
    }
  }

  @Test(
    "a token has four string keys, for raw and percent-encoded bodies in any case",
    arguments: [true, false])
  func token(encoded: Bool) async throws {
    try await TestServer.run { server in
      let join = try #require(try await meeting(server)["JoinUrl"])
      let url =
        encoded ? join.replacingOccurrences(of: ":", with: "%3a").replacingOccurrences(of: "/", with: "%2F") : join
      let answer = try await server.post(
        "/GetAnonTokenJob",
        "ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f&MeetingUrl=\(url)")
      #expect(answer.status == 200, "\(answer.text)")
      let values = try strings(answer)
      #expect(Set(values.keys) == ["DiscoverUri", "Token", "ExpireTime", "TenantEndpointId"])
      #expect(values["Token"]?.hasPrefix("psat=ey") == true)
      #expect(values["TenantEndpointId"]?.hasPrefix("sip:") == true)
      let discover = try #require(values["DiscoverUri"])
      #expect(discover.hasPrefix(server.url + "/discover?anonymousMeetingJoinContext=psat%3dey"))

      // The address answers to the allowed origin, and to the double encoding of the original service.
      let path = String(discover.dropFirst(server.url.count))
      for address in [path, path.replacingOccurrences(of: "psat%3d", with: "psat%253d")] {
        let document = try await server.get(address, headers: ["Origin": "http://localhost"])
        #expect(document.status == 200, "\(document.text)")
        #expect(document.headers["access-control-allow-origin"] == "*")
        let content = try object(document)
        #expect(content["signaling"] as? String == server.signal)
        #expect(content["token"] == nil)
        #expect((content["_links"] as? [String: Any])?["anonApplications"] != nil)
      }
      #expect(try await server.get(path, headers: ["Origin": "https://evil.example"]).status == 403)
      #expect(try await server.get(path + "A").status == 401)
    }
  }

  @Test("threat 28: foreign origins get no meeting or token; own and allowed ones do")
  func origins() async throws {
    try await TestServer.run { server in
      let form = "ApplicationSessionId=a&AllowedOrigins=https%3a%2f%2fevil.example&MeetingUrl="
      let join = try #require(try await meeting(server)["JoinUrl"])
      func statuses(_ origin: String?) async throws -> [Int] {
        var headers: HTTPHeaders = ["Content-Type": "application/x-www-form-urlencoded"]
        if let origin { headers["Origin"] = origin }
        let made = try await server.post("/GetAdhocMeetingJob", "Subject=a", headers: headers)
        let token = try await server.post("/GetAnonTokenJob", form + join, headers: headers)
        for answer in [made, token] where answer.status != 200 {
          #expect(try object(answer)["code"] as? String == "wrongOrigin", "\(answer.text)")
        }
        return [made.status, token.status]
      }
      for origin in ["https://evil.example", "null", "not an origin", "http://localhost:1"] {
        #expect(try await statuses(origin) == [403, 403], "\(origin)")
      }
      #expect(try await statuses(nil) == [200, 200])
      #expect(try await statuses(server.url) == [200, 200])
      try await server.setPolicy { $0.allowedOrigins = WebOrigin.list("https://app.example") ?? [] }
      #expect(try await statuses("https://app.example") == [200, 200])
      #expect(try await statuses("https://evil.example") == [403, 403])
    }
    try await TestServer.run({ $0.isDevelopment = true }) { server in
      for (origin, status) in [("null", 200), ("https://evil.example", 403)] {
        let answer = try await server.post("/GetAdhocMeetingJob", "Subject=a", headers: ["Origin": origin])
        #expect(answer.status == status, "\(origin)")
      }
    }
  }

  @Test("a token from the token endpoint joins its meeting")
  func joins() async throws {
    try await TestServer.run { server in
      let join = try #require(try await meeting(server)["JoinUrl"])
      let values = try strings(
        try await server.post(
          "/GetAnonTokenJob", "ApplicationSessionId=a&AllowedOrigins=https://app.example&MeetingUrl=\(join)"))
      let (client, welcome) = try await server.join("", "Ann", token: values["Token"], origin: "https://app.example")
      #expect(welcome.meeting.url == join)
      #expect(welcome.meeting.expires != nil)
      await client.close()
    }
  }

  @Test("missing fields, wrong origins or hosts, unknown meetings are 400 with a code")
  func refusals() async throws {
    try await TestServer.run { server in
      let join = try #require(try await meeting(server)["JoinUrl"])
      let room = join.split(separator: "/").last.map(String.init) ?? ""
      func expect(_ code: String, _ body: String, path: String = "/GetAnonTokenJob") async throws {
        let answer = try await server.post(path, body)
        let content = try object(answer)
        #expect(answer.status == 400, "\(body)")
        #expect(content["code"] as? String == code, "\(body): \(answer.text)")
        #expect((content["Error"] as? String)?.isEmpty == false)
        // An app that does not look at the status must not take it for an answer.
        #expect(content["JoinUrl"] == nil && content["Token"] == nil)
      }
      let origins = "AllowedOrigins=http://localhost"
      try await expect("missingField", "", path: "/GetAdhocMeetingJob")
      try await expect("missingField", "Description=x", path: "/GetAdhocMeetingJob")
      try await expect("badField", "Subject=x&AccessLevel=Nobody", path: "/GetAdhocMeetingJob")
      try await expect("missingField", "")
      try await expect("missingField", "ApplicationSessionId=&\(origins)&MeetingUrl=\(join)")
      try await expect("missingField", "ApplicationSessionId=a&MeetingUrl=\(join)")
      try await expect("missingField", "ApplicationSessionId=a&\(origins)")
      try await expect("badOrigins", "ApplicationSessionId=a&AllowedOrigins=nonsense&MeetingUrl=\(join)")
      try await expect("badOrigins", "ApplicationSessionId=a&AllowedOrigins=http://a;ftp://b&MeetingUrl=\(join)")
      try await expect("wrongHost", "ApplicationSessionId=a&\(origins)&MeetingUrl=https://meet.example.com/\(room)")
      try await expect("noSuchMeeting", "ApplicationSessionId=a&\(origins)&MeetingUrl=\(server.url)/nobody-was-here")
      try await expect("badMeetingUrl", "ApplicationSessionId=a&\(origins)&MeetingUrl=sip:a@b")
      try await expect("badMeetingUrl", "ApplicationSessionId=a&\(origins)&MeetingUrl=\(server.url)/signal")
      try await expect("badMeetingUrl", "ApplicationSessionId=a&\(origins)&MeetingUrl=\(server.url)/a/b")
      // Not UTF-8.
      let binary = try await TestServer.request(
        "POST", server.url + "/GetAnonTokenJob", [:], [0xFF, 0xFE, 0x3D])
      #expect(binary.status == 400)
    }
  }

  @Test("a meeting that is over gives no token")
  func expired() async throws {
    try await TestServer.run({ $0.meetingLifetime = .milliseconds(1) }) { server in
      let join = try #require(try await meeting(server)["JoinUrl"])
      let answer = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=a&AllowedOrigins=http://localhost&MeetingUrl=\(join)")
      #expect(answer.status == 400)
      #expect(try object(answer)["code"] as? String == "meetingExpired")
      #expect(try await server.get("/discover/" + (join.split(separator: "/").last ?? "")).status == 410)
    }
  }

  @Test("reading the endpoints is 405, a preflight is answered for any origin and header")
  func methods() async throws {
    try await TestServer.run { server in
      for path in ["/GetAdhocMeetingJob", "/GetAnonTokenJob"] {
        #expect(try await server.get(path).status == 405)
        let preflight = try await TestServer.request(
          "OPTIONS", server.url + path,
          [
            "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "x-anything",
          ])
        #expect(preflight.status == 204)
        #expect(preflight.headers["access-control-allow-origin"] == "*")
        let answer = try await server.post(path, "", headers: ["Origin": "https://app.example"])
        #expect(answer.headers["access-control-allow-origin"] == "*")
      }
    }
  }

  @Test("with --public-url every address is below it, whatever the Host header says")
  func publicURL() async throws {
    try await TestServer.run({ $0.publicURL = "https://meet.example.com" }) { server in
      let values = try await meeting(server)
      let join = try #require(values["JoinUrl"])
      #expect(join.hasPrefix("https://meet.example.com/"))
      let answer = try await server.post(
        "/GetAnonTokenJob", "ApplicationSessionId=a&AllowedOrigins=http://localhost&MeetingUrl=\(join)")
      #expect(answer.status == 200)
      #expect(try await server.discover("daily").signaling == "wss://meet.example.com/signal")
    }
  }

  @Test("the access levels and booleans of the original are accepted, also as numbers")
  func levels() async throws {
    try await TestServer.run { server in
      for level in ["", "Everyone", "everyone", "4", "Locked", "SameEnterprise", "Invited", "None"] {
        let answer = try await server.post(
          "/GetAdhocMeetingJob", "Subject=&AccessLevel=\(level)&EntryExitAnnouncement=true&PhoneUserAdmission=False")
        #expect(answer.status == 200, "\(level)")
      }
    }
  }
}
