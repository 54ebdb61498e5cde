import Foundation
import Messaging
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Domains in the administration")
struct DomainAdministrationTests {
  private func ask(_ server: TestServer, _ method: String, _ path: String, _ body: String? = nil) async throws
    -> TestAnswer
  {
    let headers: HTTPHeaders = body == nil ? [:] : ["Content-Type": "application/json"]
    let port = try #require(server.server.adminPort)
    return try await TestServer.request(
      method, "http://127.0.0.1:\(port)/api/v1/\(path)", headers, body.map { Array($0.utf8) })
  }

  private func items(_ answer: TestAnswer, _ list: String = "items") -> [[String: Any]] {
    let fields = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
    return fields?[list] as? [[String: Any]] ?? []
  }

  private func users(_ answer: TestAnswer) -> [String] { items(answer).compactMap { $0["user"] as? String } }

  @Test("identities are found by a prefix of the user id, by page, and by their number")
  func search() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let names = ["ann", "Ann", "anna", "an\u{F1}o", "bob"]
      var numbers: [String: RegID] = [:]
      for name in names {
        let (client, welcome) = try await server.endpoint(name, in: domain)
        numbers[name] = welcome.regId
        await client.close()
      }
      let base = "domains/\(domain)/identities"
      #expect(users(try await ask(server, "GET", base)) == ["Ann", "ann", "anna", "an\u{F1}o", "bob"])
      #expect(users(try await ask(server, "GET", base + "?user=ann")) == ["ann", "anna"])
      let first = try await ask(server, "GET", base + "?user=an&limit=2")
      #expect(users(first) == ["ann", "anna"] && first["next"] as? String == "anna")
      let second = try await ask(server, "GET", base + "?user=an&limit=2&after=anna")
      #expect(users(second) == ["an\u{F1}o"] && second["next"] == nil)
      #expect(users(try await ask(server, "GET", base + "?user=zoe")) == [])
      let ann = try #require(numbers["ann"])
      #expect(try await ask(server, "GET", base + "/\(ann)")["user"] as? String == "ann")
      #expect(try await ask(server, "GET", base + "/7").status == 404)
    }
  }

  @Test("an endpoint shows whether it is connected, and is out at once when deregistered")
  func deregistration() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (phone, welcome) = try await server.endpoint("ann", in: domain)
      let (tablet, other) = try await server.endpoint("ann", in: domain)
      let path = "domains/\(domain)/identities/\(welcome.regId)"
      func connected() async throws -> [String: Bool] {
        let found = items(try await ask(server, "GET", path), "endpoints")
        return Dictionary(
          uniqueKeysWithValues: found.compactMap { each in
            guard let id = each["id"] as? String, let isConnected = each["connected"] as? Bool,
              let seen = each["lastSeen"] as? String, let created = each["created"] as? String, seen >= created
            else { return nil }
            return (id, isConnected)
          })
      }
      #expect(try await connected() == [welcome.endpoint.text: true, other.endpoint.text: true])
      await tablet.close()
      try await eventually {
        try await connected()[other.endpoint.text] == false ? nil : "the tablet's socket is gone, and it is connected"
      }
      #expect(try await ask(server, "DELETE", "domains/\(domain)/endpoints/\(welcome.endpoint)").status == 204)
      #expect(try await phone.isDeregistered())
      #expect(try await connected() == [other.endpoint.text: false])
    }
  }

  @Test("the files of attachments go at once with their tenant")
  func attachments() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain("app")
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      guard case .ticket(let ticket) = try await ann.ask(.attachmentUpload(chatId: chat, bytes: 3)) else {
        throw UnexpectedMessage(nil)
      }
      let headers: HTTPHeaders = ["Authorization": "Bearer \(ticket.token)"]
      #expect(try await TestServer.request("PUT", server.url + ticket.path, headers, [1, 2, 3]).status == 204)
      let file = "\(server.folder)/data/attachments/\(ticket.attachment)"
      #expect(FileManager.default.fileExists(atPath: file))
      #expect(try await ask(server, "DELETE", "tenants/app").status == 204)
      #expect(!FileManager.default.fileExists(atPath: file))
      for client in [ann, bob] { #expect(try await client.isDeregistered()) }
    }
  }

  @Test("a client's secret goes with another address or client, and is never shown")
  func secret() async throws {
    try await TestServer.run { server in
      let body = #"""
        {"name":"app","authentication":"oauth","tokenInfo":"https://id.example/info","userInfo":"https://id.example/user",
        "clientIds":["one","two"],"clientSecret":"the secret"}
        """#
      let made = try await ask(server, "POST", "domains", body)
      #expect(made.status == 201 && made["hasClientSecret"] as? Bool == true && made["userClaim"] as? String == "sub")
      var has: [Bool] = []
      for change in [#"{"scopes":["chat"]}"#, #"{"clientIds":["one"]}"#, #"{"tokenInfo":"https://evil.example/"}"#] {
        let answer = try await ask(server, "PATCH", "domains/app", change)
        has.append(answer["hasClientSecret"] as? Bool == true)
        #expect(answer.status == 200 && !answer.text.contains("the secret"), "\(answer.text)")
      }
      #expect(has == [true, true, false])
      #expect(!(try await ask(server, "GET", "audit").text.contains("the secret")))
    }
  }

  @Test("the push signature key is shown once, when made; another receiver has another")
  func pushKey() async throws {
    try await TestServer.run { server in
      let made = try await ask(server, "POST", "domains", #"{"name":"app","authentication":"disabled"}"#)
      #expect(made.status == 201 && made["pushSecret"] == nil)
      var keys: [String?] = []
      for url in ["https://a.example/push", "https://a.example/other", "https://b.example/push"] {
        let answer = try await ask(server, "PATCH", "domains/app", #"{"pushUrl":"\#(url)"}"#)
        #expect(answer.status == 200 && answer["pushUrl"] as? String == url, "\(answer.text)")
        keys.append(answer["pushSecret"] as? String)
      }
      #expect(keys[0]?.count == 52 && keys[1] == nil && keys[2]?.count == 52 && keys[0] != keys[2])
      #expect(try await ask(server, "GET", "domains/app")["pushSecret"] == nil)
      #expect(try await ask(server, "PATCH", "domains/app", #"{"pushUrl":null}"#)["pushSecret"] == nil)
    }
  }

  @Test("fields of other authentication are refused; switching it off is audited")
  func kinds() async throws {
    try await TestServer.run { server in
      let body = #"{"name":"app","authentication":"jwt","jwks":"https://id.example/keys","clientIds":["one"]}"#
      #expect(try await ask(server, "POST", "domains", body).status == 201)
      let changes = [
        #"{"clientSecret":"x"}"#, #"{"tokenInfo":"https://id.example/info"}"#, #"{"clientSecret":null}"#,
        #"{"authentication":"disabled","environment":"sandbox","jwks":"https://id.example/keys"}"#,
        #"{"authentication":"oauth","tokenInfo":"https://a.example/","userInfo":"https://a.example/","issuer":"x"}"#,
      ]
      for change in changes {
        let answer = try await ask(server, "PATCH", "domains/app", change)
        #expect(answer.status == 422 && answer.text.contains("belongs to"), "\(answer.text)")
      }
      #expect(!(try await ask(server, "GET", "audit").text.contains("domain.change")))
      let off = #"{"authentication":"disabled","environment":"sandbox"}"#
      #expect(try await ask(server, "PATCH", "domains/app", off).status == 200)
      #expect(try await ask(server, "GET", "audit").text.contains("authentication disabled, environment sandbox"))
    }
  }

  @Test("metrics have domains, identities, queues, messages, refusals and key records")
  func metrics() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let open = try await server.makeDomain(
        "keys", .init(environment: .sandbox, authentication: .disabled, hasKeyManagement: false))
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      for cookie in ["1", "1", "2"] {
        try await ann.ask(.messageSend(chatId: chat, cookie: cookie, body: Sealed("SGVsbG8")))
      }
      // Ann's endpoint gets its own messages too.
      for client in [ann, bob] {
        for _ in 0..<2 { _ = try await client.message() }
      }
      #expect(try await ann.refusal(.chatGet(chatId: ChatID("nowhere"))) == .notFound)
      let stranger = try await server.messagingSocket()
      try stranger.send(.hello(TestServer.hello("ann", DomainID("5e5ba4d0-0000-4000-8000-000000000000"))))
      #expect(try await stranger.refused().code == .unknownDomain)
      let keys = server.url + "/messaging/v1/kms/\(open)/ann"
      let token: HTTPHeaders = ["Authorization": "Bearer " + TestServer.unsigned("ann")]
      let put = Array(#"{"keys":{"public":{"sign":{"key":"k"}}}}"#.utf8)
      #expect(try await TestServer.request("PUT", keys, token, put).status == 200)
      #expect(try await TestServer.request("GET", keys, token).status == 200)
      #expect(try await TestServer.request("GET", keys).status == 401)
      let text = try await server.metrics()
      for line in [
        "endpoints 2", "domains 2", "identities 2", "queued_requests 0", "messages_stored_total 2",
        "messages_delivered_total 4", #"refusals_total{code="notFound"} 1"#,
        #"refusals_total{code="unknownDomain"} 1"#, #"key_records_total{outcome="read"} 1"#,
        #"key_records_total{outcome="written"} 1"#, #"key_records_total{outcome="refused"} 1"#,
      ] {
        #expect(text.contains("\nparley_messaging_\(line)\n"), "\(line) is not in \(text)")
      }
      for client in [ann, bob, stranger] { await client.close() }
    }
  }
}

extension MessagingTestClient {
  /// Whether the endpoint hears that it is deregistered before its socket is closed.
  fileprivate func isDeregistered() async throws -> Bool {
    while let message = try await next() {
      if case .endpointDeregistered = message { return true }
    }
    return false
  }
}
