import Basics
import Crypto
import Foundation
import Meetings
import Messaging
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Messaging service")
struct MessagingServiceTests {
  private let body = Sealed("SGVsbG8")

  @Test("endpoints that were away get what they missed once, in order, after a reconnect")
  func missed() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, annWelcome) = try await server.endpoint("ann", in: domain)
      #expect(annWelcome.isNewIdentity && annWelcome.vault?.state == VaultStatus.State.none)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let (tablet, tabletWelcome) = try await server.endpoint("bob", in: domain, isPersistent: false)
      #expect(tabletWelcome.regId == bobWelcome.regId && !tabletWelcome.isNewIdentity)
      let chat = try await ann.chat(with: bobWelcome.regId)
      try await ann.ask(.messageSend(chatId: chat, cookie: "1", body: body))
      let (number, first) = try await bob.message()
      #expect(first.number.value == 1 && first.sender == annWelcome.regId && first.body == body)
      try bob.send(.acknowledge(number))
      #expect(try await tablet.message().1 == first)
      await bob.close()
      // More than one window and one read.
      for index in 2...60 { try await ann.ask(.messageSend(chatId: chat, cookie: "\(index)", body: body)) }
      let again = try await server.messagingSocket()
      try again.send(
        .resume(
          .init(domain: domain, endpoint: bobWelcome.endpoint, secret: bobWelcome.secret ?? "", acknowledged: number)))
      #expect(try await again.welcome().lastEvent > number)
      var numbers: [UInt64] = []
      while numbers.count < 59 { numbers.append(try await again.message().1.number.value) }
      #expect(numbers == Array(2...60))
      _ = try await again.passing { if case .caughtUp = $0 { true } else { nil } }
      // A new endpoint has the history, and the marks of others.
      try await again.ask(.messagesRead(chatId: chat, number: .init(60)))
      let (phone, _) = try await server.endpoint("ann", in: domain)
      guard case .chats(let chats, true) = try await phone.ask(.chatsGet()) else { throw UnexpectedMessage(nil) }
      #expect(chats.map(\.chatId) == [chat] && chats[0].lastMessage.value == 60)
      #expect(chats[0].participants.first { $0.regId == bobWelcome.regId }?.read.value == 60)
      guard
        case .messages(let history) = try await phone.ask(.history(chatId: chat, from: .init(1), through: .init(60)))
      else { throw UnexpectedMessage(nil) }
      #expect(history.map(\.number.value) == Array(1...60))
      // Typing goes to those who are there.
      try await again.ask(.typing(chatId: chat))
      #expect(
        try await phone.passing { if case .typing(chat, let from, nil) = $0 { from } else { nil } } == bobWelcome.regId)
      for client in [ann, again, tablet, phone] { await client.close() }
    }
  }

  @Test("an acknowledged message survives kill -9, and a repeated one isn't there twice")
  func killed() async throws {
    var kept: (domain: DomainID, welcome: ServiceMessage.Welcome, chat: ChatID)?
    try await TestServer.kill { server in
      let domain = try await server.makeDomain()
      let (ann, welcome) = try await server.endpoint("ann", in: domain)
      let (_, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      for index in 1...20 { try await ann.ask(.messageSend(chatId: chat, cookie: "\(index)", body: body)) }
      kept = (domain, welcome, chat)
    } then: { server in
      let (domain, welcome, chat) = try #require(kept)
      let ann = try await server.messagingSocket()
      try ann.send(
        .resume(
          .init(domain: domain, endpoint: welcome.endpoint, secret: welcome.secret ?? "", acknowledged: .init(0))))
      #expect(try await ann.welcome().regId == welcome.regId)
      guard case .sent(let number, _) = try await ann.ask(.messageSend(chatId: chat, cookie: "20", body: body)) else {
        throw UnexpectedMessage(nil)
      }
      #expect(number.value == 20)
      guard
        case .messages(let history) = try await ann.ask(.history(chatId: chat, from: .init(1), through: .init(99)))
      else { throw UnexpectedMessage(nil) }
      #expect(history.map(\.cookie) == (1...20).map(String.init))
      await ann.close()
    }
  }

  @Test("a fourth endpoint is told the limit, frees a place and gets in; the other is out")
  func full() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      var clients: [(MessagingTestClient, ServiceMessage.Welcome)] = []
      let (persistent, ephemeral) = (MessagingLimits.persistentEndpoints, MessagingLimits.ephemeralEndpoints)
      for _ in 0..<persistent { clients.append(try await server.endpoint("ann", in: domain)) }
      let fourth = try await server.messagingSocket()
      try fourth.send(.hello(TestServer.hello("ann", domain)))
      guard case .full(let endpoints, persistent, ephemeral) = try await fourth.next() else {
        throw UnexpectedMessage(nil)
      }
      #expect(endpoints.count == 3)
      #expect(try await fourth.refusal(.chatsGet()) == .full)
      try await fourth.ask(.endpointDeregister(endpointId: clients[0].1.endpoint))
      try await fourth.ask(.setupRetry)
      #expect(try await fourth.welcome().regId == clients[0].1.regId)
      let (first, welcome) = clients[0]
      while let message = try await first.next() {
        if message == .endpointDeregistered { break }
      }
      #expect(try await first.next() == nil)
      let back = try await server.messagingSocket()
      try back.send(
        .resume(
          .init(domain: domain, endpoint: welcome.endpoint, secret: welcome.secret ?? "", acknowledged: .init(0))))
      #expect(try await back.refused().code == .endpointDeregistered)
      for client in clients.dropFirst() { await client.0.close() }
      await fourth.close()
    }
  }

  @Test("threat 54: another's token, unknown domains, foreign secrets, early frames fail")
  func strangers() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let production = try await server.makeDomain(
        "live",
        .init(
          environment: .production,
          authentication: .jwt(.init(jwks: "https://localhost:1/keys", clientIDs: ["app"]))))
      let (ann, welcome) = try await server.endpoint("ann", in: domain)
      var wrong = TestServer.hello("eve", domain)
      wrong.userId = "ann"
      let first: [(EndpointMessage, MessagingFailure.Code)] = [
        (.hello(wrong), .tokenRejected), (.hello(TestServer.hello("ann", DomainID("nowhere"))), .unknownDomain),
        (
          .hello(
            .init(domain: domain, token: String(repeating: "a", count: MessagingLimits.tokenBytes + 1), userId: "ann")),
          .limitReached
        ),
        // An unsigned token where signed ones are needed; the provider is not even there.
        (.hello(TestServer.hello("ann", production)), .providerUnavailable),
        (
          .resume(.init(domain: domain, endpoint: welcome.endpoint, secret: "guess", acknowledged: .init(0))),
          .tokenRejected
        ),
        (
          .resume(
            .init(
              domain: production, endpoint: welcome.endpoint, secret: welcome.secret ?? "", acknowledged: .init(0))),
          .endpointDeregistered
        ),
        (.ping, .badRequest), (.request(id: 1, .chatsGet()), .badRequest),
      ]
      for (message, code) in first {
        let client = try await server.messagingSocket()
        try client.send(message)
        #expect(try await client.refused().code == code, "\(message)")
      }
      // An endpoint that is in may make mistakes; only too many frames end it.
      ann.socket.send(text: #"{"request":{"id":9,"unheardOf":{}}}"#)
      var code: MessagingFailure.Code?
      while code == nil, let message = try await ann.next() {
        if case .failed(9, let failure) = message { code = failure.code }
      }
      #expect(code == .badRequest)
      // Far more than are forgiven while this takes.
      for _ in 0..<MessagingLimits.frameBurst * 10 { try ann.send(.ping) }
      #expect(try await ann.refused().code == .tooFast)
      #expect(!server.logged.text.contains(welcome.secret ?? "?"))
    }
  }

  @Test("threat 55: unauthenticated addresses make identities as seldom as meetings")
  func identities() async throws {
    try await TestServer.run {
      $0.addressWriteRate = 1
    } _: { server in
      let domain = try await server.makeDomain()
      var refused: MessagingFailure?
      // Twenty at once, and one a second while this takes.
      for index in 0..<100 where refused == nil {
        let client = try await server.messagingSocket()
        try client.send(.hello(TestServer.hello("user \(index)", domain)))
        switch try await client.next() {
        case .welcome: break
        case .refused(let failure): refused = failure
        case let other: throw UnexpectedMessage(other)
        }
        await client.close()
      }
      let failure = try #require(refused)
      #expect(failure.code == .tooFast && failure.message.contains("(--address-write-rate)") && failure.retryAfter == 1)
      // A known user gets in.
      let (again, welcome) = try await server.endpoint("user 0", in: domain)
      #expect(!welcome.isNewIdentity)
      await again.close()
    }
  }

  @Test("an attachment goes to its chat once per ticket, and ends with its message")
  func attachments() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      let bytes = try SecureRandom.bytes(300_000)
      guard case .ticket(let ticket) = try await ann.ask(.attachmentUpload(chatId: chat, bytes: bytes.count)) else {
        throw UnexpectedMessage(nil)
      }
      let early = MessagingRequest.messageSend(
        chatId: chat, cookie: "1", body: body, attachments: [ticket.attachment])
      #expect(try await ann.refusal(early) == .notFound)
      func put(_ bytes: [UInt8]) async throws -> Int {
        try await TestServer.request(
          "PUT", server.url + ticket.path, ["Authorization": "Bearer \(ticket.token)"], bytes
        ).status
      }
      #expect(try await put(bytes) == 204)
      #expect(try await put(bytes) == 401)
      try await ann.ask(early)
      let (_, message) = try await bob.message()
      guard
        case .ticket(let out) = try await bob.ask(
          .attachmentDownload(chatId: chat, attachment: message.attachments[0]))
      else { throw UnexpectedMessage(nil) }
      let headers: HTTPHeaders = ["Authorization": "Bearer \(out.token)"]
      let got = try await server.get(out.path, headers: headers)
      #expect(got.status == 200 && got.body == bytes)
      #expect(try await server.get(out.path, headers: headers).status == 401)
      try await ann.ask(.messageRecall(chatId: chat, number: message.number))
      #expect(
        try await bob.refusal(.attachmentDownload(chatId: chat, attachment: message.attachments[0])) == .notFound)
      await ann.close()
      await bob.close()
    }
  }

  @Test("an upload that is refused or broken off leaves nothing of its owner's room")
  func failedUploads() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, welcome) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      // Sixteen of that size are more than an identity may have.
      for _ in 0..<17 {
        guard
          case .ticket(let ticket) = try await ann.ask(
            .attachmentUpload(chatId: chat, bytes: MessagingLimits.attachmentBytes))
        else { throw UnexpectedMessage(nil) }
        let answer = try await TestServer.request(
          "PUT", server.url + ticket.path, ["Authorization": "Bearer \(ticket.token)"], [1, 2, 3])
        #expect(answer.status == 400)
      }
      guard case .ticket(let ticket) = try await ann.ask(.attachmentUpload(chatId: chat, bytes: 100)) else {
        throw UnexpectedMessage(nil)
      }
      let head = Array(
        ("PUT \(ticket.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ticket.token)\r\n"
          + "Content-Length: 100\r\n\r\nabc").utf8)
      let connection = try RawHTTP.connection(to: server.server.port)
      #expect(head.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } == head.count)
      let half = "\(server.folder)/data/attachments/\(ticket.attachment).part"
      try await eventually { FileManager.default.fileExists(atPath: half) ? nil : "the upload has not begun" }
      close(connection)
      let store = try await server.store()
      try await eventually {
        let count = try await store.mailboxes { try $0.attachmentCount(of: welcome.regId) }
        return count == 0 ? nil : "\(count) attachments of a broken upload are stored"
      }
      await ann.close()
      await bob.close()
    }
  }

  @Test("a call rings at all endpoints, one answers, and both have a token for its media")
  func calls() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, annWelcome) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let (tablet, _) = try await server.endpoint("bob", in: domain)
      guard
        case .call(let call, let grant) = try await ann.ask(
          .callStart(to: bobWelcome.regId, medium: .video, sealed: body))
      else { throw UnexpectedMessage(nil) }
      for client in [bob, tablet] {
        let from = try await client.passing {
          if case .callOffer(call, let from, _, .video, _) = $0 { from } else { nil }
        }
        #expect(from == annWelcome.regId)
      }
      try await bob.ask(.callStep(callId: call, step: .ringing))
      guard case .call(call, let other) = try await bob.ask(.callStep(callId: call, step: .answer, sealed: body)) else {
        throw UnexpectedMessage(nil)
      }
      #expect(other.room == grant.room && other.token != grant.token)
      let end = try await tablet.passing { if case .callEnded(call, let end) = $0 { end } else { nil } }
      #expect(end == .answeredElsewhere)
      #expect(try await tablet.refusal(.callStep(callId: call, step: .answer)) == .notAllowed)
      let (inMeeting, _) = try await server.join(grant.room, "Ann", token: grant.token, e2ee: true)
      let (alsoThere, _) = try await server.join(other.room, "Bob", token: other.token, e2ee: true)
      try await ann.ask(.callStep(callId: call, step: .hangUp))
      #expect(try await bob.passing { if case .callEnded(call, let end) = $0 { end } else { nil } } == CallEnd.hungUp)
      #expect(try await bob.refusal(.callStep(callId: call, step: .hangUp)) == .notFound)
      await inMeeting.close()
      await alsoThere.close()
      for client in [ann, bob, tablet] { await client.close() }
    }
  }

  @Test("the 11th passcode guess meets a locked vault; forgetting ends other endpoints")
  func vault() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (tablet, _) = try await server.endpoint("ann", in: domain)
      func text(_ byte: UInt8, _ count: Int = 32) -> String {
        Base64URL.encode([UInt8](repeating: byte, count: count))
      }
      let token = text(1)
      guard
        case .vault(.prepared(let made)) = try await ann.ask(.vault(request: .prepare(request: .init(token: token))))
      else { throw UnexpectedMessage(nil) }
      let record = SealedVault(
        version: made.version, derivation: .init(salt: text(2, 16), memory: 65_536, passes: 3), sealed: text(3, 80))
      let store = VaultRequest.store(request: .init(record: record, preparation: made.id, token: token))
      #expect(try await ann.ask(.vault(request: store)) == .vault(answer: .stored(version: 1)))
      let open = VaultRequest.open(proof: .init(token: token))
      #expect(
        try await tablet.ask(.vault(request: open))
          == .vault(answer: .opened(opening: .init(record: record, answer: made.answer))))
      // Nobody replaces a vault without its passcode or recovery key.
      #expect(try await ann.refusal(.vault(request: store)) == .proofRequired)
      var codes: [MessagingFailure.Code?] = []
      for guess in 0..<11 {
        codes.append(
          try await tablet.refusal(.vault(request: .open(proof: .init(token: text(UInt8(guess + 100)))))))
      }
      #expect(codes == Array(repeating: .wrongPasscode, count: 9) + [.vaultLocked, .vaultLocked])
      #expect(try await tablet.refusal(.vault(request: open)) == .vaultLocked)
      guard case .vault(.status(let status)) = try await ann.ask(.vault(request: .forget)) else {
        throw UnexpectedMessage(nil)
      }
      #expect(status.state == .none && status.version == 1)
      while let message = try await tablet.next() {
        if message == .endpointDeregistered { break }
      }
      #expect(try await tablet.next() == nil)
      await ann.close()
    }
  }

  @Test("while a forgotten vault is made again, another endpoint waits for the new record")
  func forgotten() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (tablet, _) = try await server.endpoint("ann", in: domain)
      func text(_ byte: UInt8, _ count: Int = 32) -> String {
        Base64URL.encode([UInt8](repeating: byte, count: count))
      }
      func make(_ token: String, _ client: MessagingTestClient) async throws {
        let prepare = VaultRequest.prepare(request: .init(token: token))
        guard case .vault(.prepared(let made)) = try await client.ask(.vault(request: prepare)) else {
          throw UnexpectedMessage(nil)
        }
        let record = SealedVault(
          version: made.version, derivation: .init(salt: text(2, 16), memory: 65_536, passes: 3), sealed: text(3, 80))
        try await client.ask(
          .vault(request: .store(request: .init(record: record, preparation: made.id, token: token))))
      }
      try await make(text(1), ann)
      try await tablet.ask(.vault(request: .forget))
      while let message = try await ann.next() {
        if message == .endpointDeregistered { break }
      }
      let (again, welcome) = try await server.endpoint("ann", in: domain)
      #expect(welcome.vault == nil && (1...120).contains(welcome.vaultReservedFor ?? 0))
      for request: VaultRequest in [
        .status, .open(proof: .init(token: text(1))), .prepare(request: .init(token: text(1))), .forget,
      ] { #expect(try await again.refusal(.vault(request: request)) == .vaultReserved, "\(request)") }
      try await make(text(4), tablet)
      guard case .vault(.status(let status)) = try await again.ask(.vault(request: .status)) else {
        throw UnexpectedMessage(nil)
      }
      #expect(status.state == .ready && status.version == 2)
      #expect(try await again.refusal(.vault(request: .open(proof: .init(token: text(1))))) == .wrongPasscode)
      // An endpoint that forgets and goes leaves the vault free.
      try await again.ask(.vault(request: .forget))
      let (third, waiting) = try await server.endpoint("ann", in: domain)
      #expect(waiting.vaultReservedFor != nil)
      guard case .endpoints(let endpoints, _, _) = try await third.ask(.endpointsGet) else {
        throw UnexpectedMessage(nil)
      }
      let maker = try #require(endpoints.first { !$0.isCurrent })
      try await third.ask(.endpointDeregister(endpointId: maker.endpointId))
      try await make(text(5), third)
      await third.close()
    }
  }

  @Test("without key management an app stores its users' keys; others read public parts")
  func keyStorage() async throws {
    try await TestServer.run { server in
      let settings = MessagingDomain.Settings(
        environment: .sandbox, authentication: .disabled, hasKeyManagement: false)
      let domain = try await server.makeDomain("own", settings)
      func ask(_ method: String, _ user: String, by caller: String, _ body: String? = nil) async throws -> TestAnswer {
        try await TestServer.request(
          method, "\(server.url)\(KeyRecordEndpoints.prefix)\(domain)/\(user)",
          ["Authorization": "Bearer \(TestServer.unsigned(caller))"], body.map { Array($0.utf8) })
      }
      #expect(try await ask("GET", "ann", by: "ann").status == 404)
      let first = #"{"keys":{"public":{"sign":{"key":"K"}},"private":{"mailboxes":{"a":{"nonce":"N"}}}}}"#
      #expect(try await ask("PUT", "ann", by: "ann", first).status == 200)
      #expect(try await ask("PUT", "ann", by: "eve", first).status == 401)
      let more = #"{"keys":{"private":{"mailboxes":{"b":1}},"public":{"sign":null}}}"#
      #expect(try await ask("PUT", "ann", by: "ann", more).status == 200)
      let own = try await ask("GET", "ann", by: "ann")
      #expect(own.text.contains(#""a":{"nonce":"N"}"#) && own.text.contains(#""b":1"#) && !own.text.contains("sign"))
      #expect(try await ask("GET", "ann", by: "eve").text == #"{"public":{}}"#)
      for body in ["[]", "{}", #"{"keys":1}"#, #"{"keys":{},"other":1}"#, "nonsense"] {
        #expect(try await ask("PUT", "ann", by: "ann", body).status == 400, "\(body)")
      }
      #expect(
        try await ask("PUT", "ann", by: "ann", #"{"keys":{"public":{}},"replace":true}"#).text == #"{"public":{}}"#)
      // A user id that a path can't have, and one whose characters are the same only when they are composed.
      let odd = "a/../ann?é"
      let segment = "~" + Base64URL.encode(Array(odd.utf8))
      #expect(try await ask("PUT", segment, by: odd, first).status == 200)
      #expect(try await ask("GET", segment, by: odd).text.contains(#""a":{"nonce":"N"}"#))
      let decomposed = "~" + Base64URL.encode(Array("a/../ann?e\u{301}".utf8))
      #expect(try await ask("PUT", decomposed, by: odd, first).status == 401)
      #expect(try await ask("GET", "~!", by: odd).status == 400)
    }
  }

  @Test("threat 55: a request over budget keeps the socket, and its message is sent once")
  func senderBudget() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, _) = try await server.endpoint("ann", in: domain)
      let (bob, bobWelcome) = try await server.endpoint("bob", in: domain)
      let chat = try await ann.chat(with: bobWelcome.regId)
      let large = Sealed(String(repeating: "A", count: 99_000))
      func send(_ index: Int) async throws -> MessagingFailure? {
        do {
          try await ann.ask(.messageSend(chatId: chat, cookie: "\(index)", body: large))
          return nil
        } catch let failure as MessagingFailure {
          return failure
        }
      }
      var (index, failure): (Int, MessagingFailure?) = (0, nil)
      while failure == nil, index < 30 {
        index += 1
        failure = try await send(index)
      }
      #expect(failure?.code == .tooFast)
      // A client waits for `retryAfter`, so this test needs real time.
      try await Task.sleep(for: .seconds(try #require(failure?.retryAfter)))
      #expect(try await send(index) == nil)
      guard case .sent(let number, _) = try await ann.ask(.messageSend(chatId: chat, cookie: "\(index)", body: body))
      else { throw UnexpectedMessage(nil) }
      #expect(number.value == UInt64(index))
      for client in [ann, bob] { await client.close() }
    }
  }

  @Test("a reset installation ends its former endpoint and that one's hold of the vault")
  func reset() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (old, welcome) = try await server.endpoint("ann", in: domain)
      try await old.ask(.vault(request: .forget))
      let new = try await server.messagingSocket()
      var hello = TestServer.hello("ann", domain)
      hello.replaces = welcome.secret
      try new.send(.hello(hello))
      #expect(try await new.welcome().vaultReservedFor == nil)
      while let message = try await old.next() {
        if message == .endpointDeregistered { break }
      }
      #expect(try await old.next() == nil)
      await new.close()
    }
  }

  @Test("a registration token is proved by the domain's published keys")
  func registration() async throws {
    try await TestServer.run { server in
      let domain = try await server.makeDomain()
      let (ann, welcome) = try await server.endpoint("ann", in: domain)
      let keys = try await server.get("\(MessagingLimits.path)/keys/\(domain)")
      let set = try #require(ProviderKeys(json: keys.body))
      #expect(keys.status == 200 && set.count == 1)
      #expect(!keys.text.contains("\"d\""))
      let rules = DomainAuthentication.SignedTokenRules(jwks: "", clientIDs: [domain.text])
      let user = try EndpointTokens.signed(
        Secret(welcome.registrationToken), keys: set, rules: rules, now: Date())
      #expect(user.userId == "ann")
      #expect(try await server.get("\(MessagingLimits.path)/keys/nowhere").status == 404)
      await ann.close()
    }
  }
}
