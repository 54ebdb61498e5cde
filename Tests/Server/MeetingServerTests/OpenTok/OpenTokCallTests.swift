import Foundation
import Meetings
import Signaling
import Testing
import Transport

@testable import MeetingServer

@Suite("The OpenTok REST API in a running session", .serialized)
struct OpenTokCallTests {
  private let microphone = TrackDescription(mid: "0", source: .microphone)
  private let camera = TrackDescription(mid: "1", source: .camera)
  private let screen = TrackDescription(mid: "2", source: .screen)
  private let sound = TrackDescription(mid: "3", source: .screenAudio)

  /// Every call of a project, with a body that is good.
  private func calls(_ session: String, _ connection: String, _ stream: String) -> [(String, String, String?)] {
    let base = "session/\(session)"
    return [
      ("GET", "\(base)/stream", nil), ("GET", "\(base)/stream/\(stream)", nil),
      ("PUT", "\(base)/stream", #"{"items":[]}"#), ("GET", "\(base)/connection", nil),
      ("DELETE", "\(base)/connection/\(connection)", nil), ("POST", "\(base)/signal", #"{"type":"a","data":"b"}"#),
      ("POST", "\(base)/connection/\(connection)/signal", #"{"type":"a","data":"b"}"#),
      ("POST", "\(base)/stream/\(stream)/mute", nil), ("POST", "\(base)/mute", #"{"active":false}"#),
    ]
  }

  @Test("threat 24: every call answers 403 to missing, forged, client and foreign keys")
  func credentials() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      for (method, path, body) in calls(session, "p_x", "p_x.camera") + [
        ("POST", "archive", "{}"), ("GET", "nothing", nil),
      ] {
        for credential in ["", "x.y.z", try api.token(session, role: "moderator")] {
          let answer = try await api.call(method, path, body, headers: ["X-OPENTOK-AUTH": credential])
          #expect(answer.status == 403 && answer.openTokCode == "badCredential", "\(method) \(path): \(answer.text)")
        }
        let foreign = try await api.call(method, path, body, key: "999")
        #expect(foreign.status == 403 && foreign.openTokCode == "wrongProject", "\(method) \(path): \(foreign.text)")
      }
    }
  }

  @Test("unknown and foreign sessions, connections and streams are 404; empty lists work")
  func unknown() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let foreign = OpenTokSession.make(apiKey: "999", now: Date()).text
      for other in ["daily", "2_", foreign, String(repeating: "a", count: 300), "%2e%2e"] {
        for (method, path, body) in calls(other, "p_x", "p_x.camera") {
          let answer = try await api.call(method, path, body)
          #expect([400, 404].contains(answer.status), "\(method) \(path): \(answer.text)")
        }
      }
      for list in ["stream", "connection"] {
        let answer = try await api.call("GET", "session/\(session)/\(list)")
        #expect(answer.status == 200 && answer["count"] as? Int == 0 && answer["sessionId"] as? String == session)
      }
      #expect(try await api.call("POST", "session/\(session)/signal", "{}").openTokCode == "nobodyConnected")
      let (ann, _) = try await server.join("", "Ann", token: try api.token(session))
      for (method, path, code) in [
        ("DELETE", "connection/p_x", "noSuchConnection"), ("POST", "connection/p_x/signal", "noSuchConnection"),
        ("GET", "stream/p_x.camera", "noSuchStream"), ("POST", "stream/p_x.camera/mute", "noSuchStream"),
        ("GET", "elsewhere", "notFound"), ("GET", "stream/a/b/c", "notFound"),
      ] {
        let answer = try await api.call(method, "session/\(session)/\(path)", method == "POST" ? "{}" : nil)
        #expect(answer.status == 404 && answer.openTokCode == code, "\(path): \(answer.text)")
      }
      await ann.close()
    }
  }

  @Test(
    "threat 27: wrong methods, types, encodings and bodies get errors, change nothing"
  )
  func badInput() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let (ann, _) = try await server.join(
        "", "Ann", offer: "send:0", tracks: [microphone], token: try api.token(session))
      for (method, path, body) in calls(session, "p_x", "p_x.camera") {
        for wrong in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] where wrong != method {
          if path.hasSuffix("/stream") && ["GET", "PUT"].contains(wrong) { continue }
          let answer = try await api.call(wrong, path, wrong == "GET" ? nil : body ?? "{}")
          #expect(answer.status == 405 && answer.headers["allow"] != nil, "\(wrong) \(path): \(answer.status)")
        }
      }
      let deep = String(repeating: "[", count: 40) + String(repeating: "]", count: 40)
      for (path, bodies) in [
        (
          "signal",
          [
            "", "{", "[]", "1", "null", #"{"type":1}"#, #"{"data":{}}"#, #"{"type":"a","type":"b"}"#,
            #"{"type":"a b"}"#,
          ]
        ),
        (
          "mute",
          ["{}", #"{"active":"yes"}"#, #"{"active":true,"excludedStreams":"x"}"#, #"{"active":true,"a":\#(deep)}"#]
        ),
      ] {
        for body in bodies {
          let answer = try await api.call("POST", "session/\(session)/\(path)", body)
          #expect([400, 413].contains(answer.status) && answer.openTokCode != nil, "\(path) \(body): \(answer.text)")
        }
      }
      let many = (0...500).map { _ in "\"x\"" }.joined(separator: ",")
      #expect(
        try await api.call("POST", "session/\(session)/mute", "{\"active\":true,\"excludedStreams\":[\(many)]}").status
          == 400)
      for body in [
        #"{"items":1}"#, #"{"items":[{"id":"x"}]}"#,
        #"{"items":[{"id":"x","layoutClassList":["\#(String(repeating: "x", count: 1_001))"]}]}"#,
      ] {
        #expect(
          try await api.call("PUT", "session/\(session)/stream", body).openTokCode == "badBody", "\(body.prefix(60))")
      }
      let large = #"{"data":"\#(String(repeating: "x", count: 8_193))"}"#
      #expect(try await api.call("POST", "session/\(session)/signal", large).status == 413)
      #expect(
        try await api.call("POST", "session/\(session)/signal", #"{"type":"\#(String(repeating: "x", count: 129))"}"#)
          .status == 413)
      #expect(
        try await api.call("POST", "session/\(session)/signal", String(repeating: " ", count: 70_000)).status == 413)
      for (headers, status) in [
        (["Content-Type": "text/plain"], 415), (["Content-Encoding": "gzip"], 415),
        (["Content-Type": "application/json; charset=utf-8"], 204),
      ] as [(HTTPHeaders, Int)] {
        #expect(
          try await api.call("POST", "session/\(session)/signal", #"{"type":"last"}"#, headers: headers).status
            == status)
      }
      let bytes = try await TestServer.request(
        "POST", "\(server.url)/v2/project/\(api.key)/session/\(session)/signal",
        ["X-OPENTOK-AUTH": try api.jwt(), "Content-Type": "application/json"], [0x7B, 0x22, 0xFF, 0x22, 0x7D])
      #expect(bytes.status == 400 && bytes.openTokCode == "badBody")
      let seen = try await ann.drain()
      #expect(
        seen.contains(.signal(Signal(type: "last"), from: nil))
          && seen.count { if case .signal = $0 { true } else { false } } == 1)
      await ann.close()
    }
  }

  @Test(
    "calls for archives, broadcasts, captions, SIP and others answer 501 with a code")
  func missing() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      for (method, path, code) in [
        ("POST", "archive", "archives"), ("GET", "archive?count=2", "archives"), ("DELETE", "archive/x", "archives"),
        ("PATCH", "archive/x/streams", "archives"), ("POST", "broadcast", "broadcasts"),
        ("PUT", "broadcast/x/layout", "broadcasts"),
        ("POST", "render", "renders"), ("GET", "render", "renders"), ("POST", "captions", "captions"),
        ("POST", "captions/x/stop", "captions"), ("POST", "dial", "sip"), ("POST", "connect", "audioConnector"),
        ("POST", "session/x/play-dtmf", "dtmf"), ("POST", "session/x/connection/y/play-dtmf", "dtmf"),
      ] {
        let answer = try await api.call(method, path, method == "GET" ? nil : "{}")
        #expect(answer.status == 501 && answer.openTokCode == "notImplemented.\(code)", "\(path): \(answer.text)")
      }
    }
  }

  @Test(
    "threat 45: an encrypted session refuses archives, broadcasts, SIP by name")
  func encrypted() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      var options = OpenTokSession.Options()
      options.isEncrypted = true
      let session = OpenTokSession.make(apiKey: api.key, options: options, now: Date()).text
      for path in ["archive", "broadcast", "render", "captions", "dial", "connect"] {
        let answer = try await api.call("POST", path, #"{"sessionId":"\#(session)"}"#)
        #expect(answer.status == 409 && answer.openTokCode == "encrypted", "\(path): \(answer.text)")
      }
      let tones = try await api.call("POST", "session/\(session)/play-dtmf", #"{"digits":"1"}"#)
      #expect(tones.status == 409 && tones.openTokCode == "encrypted")
      let plain = try await api.call("POST", "archive", #"{"sessionId":"\#(try await api.session())"}"#)
      #expect(plain.status == 501)
    }
  }

  @Test(
    "streams are a camera and a screen, with layout classes; connections have times"
  )
  func streams() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let token = try api.token(session, #","initial_layout_class_list":"focus small","connection_data":"user=7""#)
      let (ann, hello) = try await server.join(
        "", "Ann", offer: "send:0 send:1 send:2", tracks: [microphone, camera, screen], token: token)
      let (bob, welcome) = try await server.join("", "Bob", token: try api.token(session, role: "subscriber"))
      let seen = try #require(welcome.participants.first)
      #expect(seen.data == "user=7" && welcome.participants.last?.data == nil)
      #expect(abs(try #require(seen.created).timeIntervalSinceNow) < 60)
      let list = try await api.call("GET", "session/\(session)/stream")
      let items = try #require(list["items"] as? [[String: Any]])
      #expect(list.status == 200 && list.headers["content-type"] == "application/json" && list["count"] as? Int == 2)
      let own = hello.participant
      #expect(items.map { $0["id"] as? String } == ["\(own).camera", "\(own).screen"])
      #expect(items.map { $0["videoType"] as? String } == ["camera", "screen"])
      #expect(
        items.allSatisfy { $0["name"] as? String == "Ann" && $0["layoutClassList"] as? [String] == ["focus", "small"] })
      // A stream began with its first track, by the time that everybody gets.
      func milliseconds(_ sources: Set<TrackSource>) throws -> Double {
        let dates = seen.publications.filter { sources.contains($0.source) }.compactMap(\.created)
        return try #require(dates.min()).timeIntervalSince1970 * 1_000
      }
      let times = try [milliseconds([.microphone, .camera]), milliseconds([.screen])].map { $0.rounded() }
      #expect(items.map { $0["createdAt"] as? Double } == times)
      #expect(abs(times[0] / 1_000 - Date().timeIntervalSince1970) < 60)

      let classes = #"{"items":[{"id":"\#(own).camera","layoutClassList":["full"]}]}"#
      #expect(try await api.call("PUT", "session/\(session)/stream", classes).status == 200)
      let one = try await api.call("GET", "session/\(session)/stream/\(own).camera")
      #expect(one["layoutClassList"] as? [String] == ["full"] && one["name"] as? String == "Ann")
      // All or none.
      let half = #"{"items":[{"id":"\#(own).camera","layoutClassList":[]},{"id":"p_x.camera","layoutClassList":[]}]}"#
      #expect(try await api.call("PUT", "session/\(session)/stream", half).status == 404)
      #expect(
        try await api.call("GET", "session/\(session)/stream/\(own).camera")["layoutClassList"] as? [String] == ["full"]
      )

      let connections = try await api.call("GET", "session/\(session)/connection")
      let people = try #require(connections["items"] as? [[String: Any]])
      #expect(connections["count"] as? Int == 2 && connections["projectId"] as? String == api.key)
      #expect(people.map { $0["connectionId"] as? String } == [own, welcome.participant])
      #expect(people.allSatisfy { $0["connectionState"] as? String == "Connected" })
      let created = try #require(people[0]["createdAt"] as? Double)
      #expect(abs(created / 1_000 - Date().timeIntervalSince1970) < 60)
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a hidden participant is in no list, gets no signal and can't be disconnected")
  func hidden() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let (ann, _) = try await server.join("", "Ann", token: try api.token(session))
      let (eve, welcome) = try await server.join(
        "", "Eve", token: try await server.token(session, #","role":"hidden""#))
      #expect(try await api.call("GET", "session/\(session)/connection")["count"] as? Int == 1)
      #expect(try await api.call("DELETE", "session/\(session)/connection/\(welcome.participant)").status == 404)
      let path = "session/\(session)/connection/\(welcome.participant)/signal"
      #expect(try await api.call("POST", path, "{}").status == 404)
      for client in [ann, eve] { await client.close() }
    }
  }

  @Test("a signal from the server reaches everybody or one, without a sender")
  func signals() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let (ann, _) = try await server.join("", "Ann", token: try api.token(session))
      let (bob, welcome) = try await server.join("", "Bob", token: try api.token(session))
      let (cem, deaf) = try await server.join("", "Cem", token: try api.token(session, role: "publisheronly"))
      let all = try await api.call("POST", "session/\(session)/signal", #"{"type":"news","data":"hello ✓"}"#)
      #expect(all.status == 204 && all.body.isEmpty)
      let path = "session/\(session)/connection/"
      #expect(try await api.call("POST", path + "\(welcome.participant)/signal", #"{"data":"only you"}"#).status == 204)
      #expect(try await api.call("POST", path + "\(deaf.participant)/signal", "{}").status == 404)
      func signals(_ client: TestClient) async throws -> [ServerMessage] {
        try await client.drain().filter { if case .signal = $0 { true } else { false } }
      }
      let news = ServerMessage.signal(Signal(type: "news", data: "hello ✓"), from: nil)
      #expect(try await signals(ann) == [news])
      #expect(try await signals(bob) == [news, .signal(Signal(data: "only you"), from: nil)])
      #expect(try await signals(cem).isEmpty)
      for client in [ann, bob, cem] { await client.close() }
    }
  }

  @Test(
    "a disconnect is permanent: the client is told, others see it, no place returns")
  func disconnect() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let (ann, _) = try await server.join("", "Ann", token: try api.token(session))
      let (bob, welcome) = try await server.join("", "Bob", token: try api.token(session))
      let answer = try await api.call("DELETE", "session/\(session)/connection/\(welcome.participant)")
      #expect(answer.status == 204 && answer.body.isEmpty)
      #expect(
        try await bob.first { if case .ended(let reason, _) = $0 { reason } else { nil } }
          == Signaling.EndReason.removed)
      let gone = try await ann.first { if case .participantLeft(let id, let reason) = $0 { (id, reason) } else { nil } }
      #expect(gone.0 == welcome.participant && gone.1 == LeaveReason.removed)
      #expect(try await api.call("DELETE", "session/\(session)/connection/\(welcome.participant)").status == 404)
      #expect(try await api.call("GET", "session/\(session)/connection")["count"] as? Int == 1)
      // Not banned: the token is still good, as with OpenTok.
      let (again, _) = try await server.join("", "Bob", token: try api.token(session))
      for client in [ann, bob, again] { await client.close() }
    }
  }

  @Test(
    "a mute stops one stream's audio, or all but some, later ones too; video goes on"
  )
  func muting() async throws {
    try await TestServer.run { server in
      let api = try await OpenTokServer(server)
      let session = try await api.session()
      let tracks = [microphone, camera]
      let (ann, first) = try await server.join(
        "", "Ann", offer: "send:0 send:1", tracks: tracks, token: try api.token(session))
      let (bob, second) = try await server.join(
        "", "Bob", offer: "send:0 send:1", tracks: tracks, token: try api.token(session))
      func muted() async throws -> [String] {
        let (eve, welcome) = try await server.join("", "Eve", token: try api.token(session, role: "subscriber"))
        try eve.send(.leave)
        while try await eve.next() != nil {}
        return welcome.participants.flatMap { each in
          each.publications.filter(\.muted).map { "\(each.name) \($0.source.rawValue)" }
        }
      }
      #expect(try await api.call("POST", "session/\(session)/stream/\(first.participant).camera/mute").status == 200)
      let told = try await ann.first {
        if case .publicationUpdated(first.participant, let what) = $0 { what } else { nil }
      }
      #expect(told.muted && told.mutedByHost == true && told.source == .microphone)
      #expect(try await muted() == ["Ann microphone"])
      try ann.send(.mute(mid: "0", muted: false))
      _ = try await ann.drain()
      #expect(try await muted().isEmpty, "as with OpenTok, one may unmute oneself")

      let excluded = #"{"active":true,"excludedStreams":["\#(second.participant).camera","p_gone.camera"]}"#
      #expect(try await api.call("POST", "session/\(session)/mute", excluded).status == 200)
      #expect(try await muted() == ["Ann microphone"])
      let (cem, third) = try await server.join(
        "", "Cem", offer: "send:0 send:1", tracks: tracks, token: try api.token(session))
      #expect(third.state?.muteAll != nil)
      #expect(try await muted() == ["Ann microphone", "Cem microphone"])
      #expect(try await api.call("POST", "session/\(session)/mute", #"{"active":false}"#).status == 200)
      let (dan, _) = try await server.join(
        "", "Dan", offer: "send:0", tracks: [microphone], token: try api.token(session))
      #expect(try await muted() == ["Ann microphone", "Cem microphone"])
      // The other name of the list, as further SDKs spell it.
      #expect(
        try await api.call(
          "POST", "session/\(session)/mute", #"{"active":true,"excludedStreamIds":["\#(second.participant).camera"]}"#
        ).status == 200)
      #expect(try await muted() == ["Ann microphone", "Cem microphone", "Dan microphone"])
      // A stream is spared alone, and not what else its owner sends.
      let (fay, fifth) = try await server.join(
        "", "Fay", offer: "send:0 send:2 send:3", tracks: [microphone, screen, sound], token: try api.token(session))
      try fay.send(.mute(mid: "0", muted: false))
      try fay.send(.mute(mid: "3", muted: false))
      _ = try await fay.drain()
      let spared = #"{"active":true,"excludedStreams":["\#(fifth.participant).screen"]}"#
      #expect(try await api.call("POST", "session/\(session)/mute", spared).status == 200)
      #expect(
        try await muted()
          == ["Ann microphone", "Bob microphone", "Cem microphone", "Dan microphone", "Fay microphone"])
      for client in [ann, bob, cem, dan, fay] { await client.close() }
    }
  }
}
