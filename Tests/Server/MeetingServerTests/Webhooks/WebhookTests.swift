import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import Testing
import Transport

@testable import MeetingServer

@Suite("Webhooks of a running server", .serialized)
struct WebhookTests {
  private func configure(_ configuration: inout ServerConfiguration) {
    configuration.webhooks.firstPause = .milliseconds(20)
    configuration.webhooks.lookInterval = .milliseconds(200)
    configuration.webhooks.timeout = .seconds(5)
  }

  private func hook(_ server: TestServer, _ url: String) async throws -> Webhook {
    let store = try await server.store()
    let tenant = try await store.defaultTenant(now: Date())
    let webhook = Webhook(tenant: tenant.id, url: url, created: Date())
    _ = try await store.transaction { try $0.insert(webhook) }
    await store.close()
    return webhook
  }

  /// A meeting of two: one comes with a track, drops it, both go.
  private func meet(_ server: TestServer, _ room: String) async throws {
    let track = TrackDescription(mid: "0", source: .microphone)
    let (ann, _) = try await server.join(room, "Ann", offer: "send:0", tracks: [track])
    let (ben, _) = try await server.join(room, "Ben")
    try ann.send(.offer(.init(id: 1, offer: "", tracks: [])))
    _ = try await ann.first { if case .answer = $0 { true } else { nil } }
    try ann.send(.leave)
    _ = await ann.socket.closed()
    try ben.send(.leave)
    _ = await ben.socket.closed()
  }

  private static let story = [
    "meeting.started", "participant.joined", "publication.added", "participant.joined", "publication.removed",
    "participant.left", "participant.left", "meeting.ended",
  ]

  @Test(
    "a look at events of dead receivers is followed by twenty times as long a rest"
  )
  func looks() async throws {
    let folder = NSTemporaryDirectory() + "parley-looks-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try await MeetingStores.open(folder: folder)
    let later = Date() + 3_600
    let tenant = try await store.defaultTenant(now: Date())
    for _ in 0..<3 {
      let webhook = Webhook(tenant: tenant.id, url: "https://dead.example/", created: Date())
      _ = try await store.transaction { try $0.insert(webhook) }
      try await store.transaction {
        try $0.enqueue(
          (0..<WebhookDelivery.maximumPending).map { index in
            WebhookDelivery(
              webhook: webhook.id, meeting: "m_\(index / 3)", event: "e_\(index)", type: "meeting.started", body: "{}",
              created: later)
          })
      }
    }
    // Rests end when the test says so: how fast the machine is says nothing here.
    let (rests, begun) = AsyncStream.makeStream(of: TimeSpan.self)
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let dispatcher = WebhookDispatcher(
      store: store, settings: WebhookSettings(), counters: OperationCounters(), log: Log(level: .error) { _ in },
      rest: { time in
        begun.yield(time)
        for await _ in ends { break }
      })
    await dispatcher.start()
    for round in 1...3 {
      let rest = try await bounded { await rests.first { _ in true } }
      #expect(
        try #require(rest) >= .milliseconds(20),
        "a look over \(3 * WebhookDelivery.maximumPending) rows is none that costs nothing")
      for _ in 0..<1_000 { await dispatcher.wake() }
      #expect(await dispatcher.looks == round, "something rang, and the database was not left alone")
      end.yield()
    }
    end.finish()
    await dispatcher.stop()
    await store.close()
  }

  @Test(
    "after a look the database rests twenty times as long, and a second at most",
    arguments: [
      (look: 0, rest: 0), (look: 999, rest: 0), (look: 1_000, rest: 20_000), (look: 40_000, rest: 800_000),
      (look: 50_000, rest: 1_000_000), (look: 300_000, rest: 1_000_000), (look: 60_000_000, rest: 1_000_000),
    ])
  func rest(_ each: (look: Int64, rest: Int64)) {
    #expect(
      WebhookSettings.rest(after: TimeSpan(nanoseconds: each.look * 1_000)) == TimeSpan(nanoseconds: each.rest * 1_000))
  }

  @Test(
    "a replay sends what its meeting waits for at once, in order, in spite of a pause")
  func replay() async throws {
    try await TestServer.run({
      configure(&$0)
      $0.webhooks.firstPause = .seconds(3_600)
    }) { server in
      let receiver = try WebhookReceiver()
      receiver.answers { count in HTTPResponse(status: count == 2 ? 500 : 200) }
      let webhook = try await hook(server, receiver.url)
      try await meet(server, "daily")
      let base = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/webhooks/\(webhook.id)/deliveries"
      func deliveries(_ state: String) async throws -> [[String: Any]] {
        let answer = try await TestServer.request("GET", "\(base)?state=\(state)")
        return try #require(
          (JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])?["items"] as? [[String: Any]])
      }
      try await eventually {
        let waiting = try await deliveries("pending")
        return waiting.count == 7 && waiting.last?["attempts"] as? Int == 1
          ? nil : "\(waiting.count) wait after \(receiver.posts.map(\.type))"
      }
      let first = try #require(try await deliveries("delivered").first?["id"] as? String)
      let answer = try await TestServer.request("POST", "\(base)/\(first)/replay")
      #expect(answer.status == 202 && answer.text.contains("\"waitsBehind\":7"), "\(answer.text)")
      try await receiver.waits("everything, and the replay after it") { $0.count == 10 }
      #expect(receiver.posts.map(\.type) == [Self.story[0], Self.story[1]] + Self.story[1...] + [Self.story[0]])
      await receiver.stop()
    }
  }

  @Test("a meeting's events are sent in order and signed, also when half of them fail")
  func order() async throws {
    try await TestServer.run(configure) { server in
      let receiver = try WebhookReceiver()
      receiver.answers { count in HTTPResponse(status: count % 2 == 1 ? 500 : 200) }
      let webhook = try await hook(server, receiver.url)
      try await meet(server, "daily")
      try await receiver.waits("the end of the meeting, twice") { posts in
        posts.count { $0.type == "meeting.ended" } == 2
      }
      let posts = receiver.posts
      // Every event comes twice, the failed attempt and the good one, and none before the one before it was taken.
      #expect(posts.map(\.type) == Self.story.flatMap { [$0, $0] })
      #expect(Set(posts.map(\.event)).count == Self.story.count)
      #expect(Set(posts.map(\.meeting)).count == 1)
      for post in posts {
        let seconds = try #require(post.signature.split(separator: ",").first?.dropFirst(2))
        let expected = WebhookSignature.value(
          body: post.body, seconds: try #require(Int(seconds)), secret: webhook.secret)
        #expect(post.signature == expected)
        #expect(post.fields["tenant"] as? String == "parley")
        #expect(post.headers["content-type"]?.hasPrefix("application/json") == true)
      }
      let left = posts.filter { $0.type == "participant.left" }.compactMap { $0.fields["data"] as? [String: Any] }
      #expect(left.compactMap { $0["reason"] as? String } == ["left", "left", "left", "left"])
      await receiver.stop()
    }
  }

  @Test(
    "lobby.left tells of all who stop waiting without a host's decision, however"
  )
  func lobbyLeft() async throws {
    try await TestServer.run({
      configure(&$0)
      $0.lobbyPatience = .milliseconds(300)
    }) { server in
      let receiver = try WebhookReceiver()
      _ = try await hook(server, receiver.url)
      try await server.makeMeeting("board", .locked, lobby: LobbySettings(timeout: .seconds(600)))
      try await server.makeMeeting("quick", .locked)
      func left(_ name: String) async throws {
        try await receiver.waits("that \(name) has left the lobby") { posts in
          posts.contains { post in
            let data = post.fields["data"] as? [String: Any]
            let participant = data?["participant"] as? [String: Any] ?? data
            return post.type == "lobby.left" && participant?["name"] as? String == name
          }
        }
      }
      let (host, _) = try await server.lobbyHost("board")
      let (bob, _) = try await server.knock("board", "Bob")
      await bob.close()
      try await left("Bob")
      let (cem, _) = try await server.knock("board", "Cem")
      try cem.send(.leave)
      try await left("Cem")
      // The token is revoked, or the meeting ends.
      try await server.makeMeeting("short", .locked)
      let (other, _) = try await server.lobbyHost("short")
      let token = try await server.token("short", #","jti":"t-fay","role":"publisher""#)
      let (fay, _) = try await server.knock("short", "Fay", token: token)
      let revoke = "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/tokens/t-fay?tenant=parley"
      #expect(try await TestServer.request("DELETE", revoke).status == 204)
      try await left("Fay")
      let (gus, _) = try await server.knock("short", "Gus")
      try await other.ask(.endMeeting)
      try await left("Gus")
      for client in [fay, gus, other] { await client.close() }
      // The waiting time ends.
      _ = try await server.knock("quick", "Dora")
      try await left("Dora")
      // The meeting is opened to everybody, and so nobody has let Eve in.
      let (eve, _) = try await server.knock("board", "Eve")
      let store = try await server.store()
      let tenant = try await store.defaultTenant(now: Date())
      let board = try #require(try await store.meeting(room: try RoomName("board"), tenant: tenant.id))
      await store.close()
      let answer = try await TestServer.request(
        "PATCH", "http://127.0.0.1:\(try #require(server.server.adminPort))/api/v1/meetings/\(board.id)",
        ["Content-Type": "application/json"], Array(#"{"accessLevel":"Everyone"}"#.utf8))
      #expect(answer.status == 200)
      _ = try await eve.welcome()
      try await left("Eve")
      try await receiver.waits("all of it") { posts in posts.count { $0.type == "lobby.left" } == 6 }
      #expect(receiver.posts.count { $0.type == "lobby.knocked" } == 6)
      #expect(!receiver.posts.contains { ["lobby.admitted", "lobby.denied"].contains($0.type) })
      for client in [eve, host] { await client.close() }
      await receiver.stop()
    }
  }

  @Test("a signature is HMAC-SHA256 over the time, a dot and the body")
  func signature() {
    // Reckoned with another program: printf '5.{}' | openssl dgst -sha256 -hmac key
    #expect(
      WebhookSignature.value(body: Array("{}".utf8), seconds: 5, secret: Secret("key"))
        == "t=5,v1=9be615aec64f0d044b5ad6854ab1d893ec88617fb728d2149dcd3a3428e8c45d")
  }

  @Test("undelivered events of a stopped server go out after the start, before new ones")
  func restart() async throws {
    let folder = NSTemporaryDirectory() + "parley-webhooks-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var receiver = try WebhookReceiver()
    let port = receiver.port
    await receiver.stop()
    func set(_ configuration: inout ServerConfiguration) {
      configure(&configuration)
      configuration.dataFolder = folder
    }
    let url = "http://localhost:\(port)/"
    try await TestServer.run(set) { server in
      let store = try await MeetingStores.open(folder: folder)
      let tenant = try await store.defaultTenant(now: Date())
      _ = try await store.transaction { try $0.insert(Webhook(tenant: tenant.id, url: url, created: Date())) }
      try await meet(server, "daily")
      try await eventually {
        let count = (try? await store.pendingDeliveries()) ?? 0
        return count == Self.story.count ? nil : "\(count) of \(Self.story.count) events are kept"
      }
      await store.close()
    }
    receiver = try WebhookReceiver(port: port)
    try await TestServer.run(set) { server in
      try await meet(server, "daily")
      try await receiver.waits("both meetings' ends") { $0.count { $0.type == "meeting.ended" } == 2 }
      #expect(receiver.posts.map(\.type) == Self.story + Self.story)
    }
    await receiver.stop()
  }

  @Test("a receiver that hangs delays neither its other meetings nor other receivers")
  func hanging() async throws {
    try await TestServer.run(configure) { server in
      let slow = try WebhookReceiver()
      let quick = try WebhookReceiver()
      slow.answers { _ in HTTPResponse(status: 500) }
      _ = try await hook(server, slow.url)
      _ = try await hook(server, quick.url)
      try await meet(server, "one")
      try await meet(server, "two")
      try await quick.waits("both meetings' ends") { $0.count { $0.type == "meeting.ended" } == 2 }
      try await slow.waits("the first event of both meetings") { posts in
        Set(posts.map(\.meeting)).count == 2
      }
      #expect(slow.posts.allSatisfy { $0.type == "meeting.started" })
      await slow.stop()
      await quick.stop()
    }
  }

  /// A redirect, then an answer that is too long, then good ones.
  private static func badAnswers(redirectingTo target: String) -> @Sendable (Int) -> HTTPResponse {
    { count in
      if count == 1 { return HTTPResponse(status: 307, headers: ["Location": target]) }
      if count == 2 { return HTTPResponse(status: 200, body: [UInt8](repeating: 65, count: 200_000)) }
      return HTTPResponse(status: 200)
    }
  }

  @Test("a redirect is not followed, and an endless answer is cut off")
  func answers() async throws {
    try await TestServer.run(configure) { server in
      let receiver = try WebhookReceiver()
      let other = try WebhookReceiver()
      receiver.answers(Self.badAnswers(redirectingTo: other.url))
      let webhook = try await hook(server, receiver.url)
      let (client, _) = try await server.join("daily", "Ann")
      try await receiver.waits("the second event") { $0.contains { $0.type == "participant.joined" } }
      #expect(other.posts.isEmpty)
      let store = try await server.store()
      let first = try await store.deliveries(of: webhook.id, state: nil, before: nil, limit: 10).last
      #expect(first?.attempts == 3 && first?.state == .delivered)
      await store.close()
      await client.close()
      await receiver.stop()
      await other.stop()
    }
  }

  @Test(
    "threat 28: no webhook has an address inside the network, or a name leading there",
    arguments: [
      ("https://app.example.com/x", nil), ("http://app.example.com/", false), ("http://localhost:1/", nil),
      ("https://[::1]/", nil), ("http://127.9.9.9/", nil), ("https://10.0.0.1/", false),
      ("https://169.254.169.254/", false),
      ("https://192.168.1.1/", false), ("https://[fd00::1]/", false), ("https://[::ffff:10.0.0.1]/", false),
      ("https://[64:ff9b::a00:1]/", false), ("https://100.64.0.1/", false), ("https://224.0.0.1/", false),
      ("https://0.0.0.0/", false), ("https://8.8.8.8/", nil), ("https://[2606:4700::1]/", nil),
      ("https://user:secret@app.example.com/", true), ("ftp://app.example.com/", true),
      ("https://app.example.com/#x", true),
      ("https://", true), ("https://a b/", true), ("https://app.example.com\\@10.0.0.1/", true),
      ("file:///etc/passwd", true),
    ] as [(String, Bool?)])
  func targets(url: String, malformed: Bool?) throws {
    do throws(WebhookTarget.Problem) {
      _ = try WebhookTarget(url, allowed: [])
      #expect(malformed == nil, "\(url)")
    } catch {
      #expect(malformed == (error.host == nil), "\(url): \(error)")
    }
  }

  @Test("threat 28: a public name that leads inside isn't reached, unless it is allowed")
  func pointedInside() throws {
    let inside = ["127.0.0.1", "10.1.2.3", "::1", "fe80::1", "fd12::1", "169.254.169.254", "::ffff:192.168.0.1"]
    let target = try WebhookTarget("https://app.example.com/", allowed: [])
    let allowed = try WebhookTarget("http://hooks.lan/", allowed: ["hooks.lan"])
    let local = try WebhookTarget("http://localhost/", allowed: [])
    for text in inside {
      let address = try #require(IPAddress(text))
      #expect(!target.accepts(address), "\(text)")
      #expect(allowed.accepts(address), "\(text)")
      #expect(local.accepts(address) == address.isLoopback, "\(text)")
    }
    #expect(target.accepts(try #require(IPAddress("93.184.216.34"))))
  }

  @Test("the pauses between attempts double, up to an hour")
  func pauses() {
    let settings = WebhookSettings()
    #expect((1...5).map { settings.pause(after: $0, chance: 1) } == [1, 2, 4, 8, 16])
    #expect(settings.pause(after: 1_000_000, chance: 1) == 3_600)
  }

  @Test("an attempt waits no longer than any pause when the clock is set back")
  func clockSetBack() {
    let settings = WebhookSettings()
    let now = Date(timeIntervalSince1970: 1_800_000_000)
    for (seconds, isDue) in [(-1.0, true), (0, true), (1, false), (3_600, false), (3_960, false), (3_961, true)] {
      #expect(settings.isDue(now + seconds, now: now) == isDue, "\(seconds)")
    }
    #expect(settings.isDue(now + 86_400, now: now))
    #expect(settings.pause(after: 100) <= 3_960)
  }
}
