import Basics
import Foundation
import Meetings
import Signaling
import TestSupport
import TestTenants
import Testing

@testable import MeetingServer

@Suite("The webhooks of meetings whose server was killed", .serialized)
struct RestartWebhookTests {
  private static let microphone = TrackDescription(mid: "0", source: .microphone)

  /// A webhook of the default tenant. Nobody is there, so its events wait.
  private func hook(_ store: any MeetingStore) async throws -> WebhookID {
    if let known = try await store.webhooks(tenant: nil).first { return known.id }
    let tenant = try await store.defaultTenant(now: Date())
    let webhook = Webhook(tenant: tenant.id, url: "http://127.0.0.1:1/", created: Date())
    _ = try await store.transaction { try $0.insert(webhook) }
    return webhook.id
  }

  private func addHook(_ server: TestServer) async throws {
    let store = try await server.store()
    _ = try await hook(store)
    await store.close()
  }

  /// The events of a meeting, the oldest first.
  private func told(_ server: TestServer, _ meeting: String) async throws -> [WebhookDelivery] {
    let store = try await server.store()
    let deliveries = try await store.deliveries(of: try await hook(store), state: nil, before: nil, limit: 100)
    await store.close()
    return deliveries.reversed().filter { $0.meeting == meeting }
  }

  private func data(_ delivery: WebhookDelivery?) throws -> [String: Any] {
    let body = try #require(delivery?.body)
    let fields = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
    return try #require(fields?["data"] as? [String: Any])
  }

  private func person(_ delivery: WebhookDelivery) throws -> String {
    try #require((try data(delivery)["participant"] as? [String: Any])?["id"] as? String)
  }

  private func lock(_ host: TestClient) async throws {
    try host.send(.lock(true, id: -1))
    _ = try await host.notice { if case .done(-1) = $0 { true } else { nil } }
  }

  @Test(
    "after kill -9 webhooks hear of a meeting's end, whether empty, ended or resumed"
  )
  func ends() async throws {
    func told(_ server: TestServer, _ meeting: String) async throws -> [String] {
      try await self.told(server, meeting).map(\.type).filter { $0.hasPrefix("meeting") }
    }
    var ids: [String: String] = [:]
    try await TestServer.kill { server in
      try await addHook(server)
      for room in ["ended", "resumed"] {
        let (host, welcome) = try await server.host(room, "Ann", claims: #","sub":"ann""#)
        ids[room] = welcome.meeting.id
        try await lock(host)
      }
    } then: { server in
      let (ended, resumed) = (ids["ended"] ?? "", ids["resumed"] ?? "")
      let admin = "http://127.0.0.1:\(server.server.adminPort ?? 0)/api/v1/meetings/\(ended)/end"
      #expect(try await TestServer.request("POST", admin, ["Content-Type": "application/json"], []).status == 204)
      #expect(try await told(server, ended) == ["meeting.started", "meeting.ended"])
      let (host, _) = try await server.host("resumed", "Ann", claims: #","sub":"ann""#)
      try await host.ask(.endMeeting)
      #expect(try await told(server, resumed) == ["meeting.started", "meeting.ended"])
    }
  }

  @Test(
    "after kill -9 webhooks hear once that all have left, the lobby too, then the new"
  )
  func leaving() async throws {
    let story = [
      "meeting.started", "participant.joined", "publication.added", "participant.joined", "participant.left",
      "lobby.knocked",
    ]
    let ends = ["lobby.left", "publication.removed", "participant.left"]
    var (meeting, ann) = ("", "")
    try await TestServer.kill { server in
      try await addHook(server)
      try await server.makeMeeting("board", .locked)
      let (host, welcome) = try await server.host(
        "board", "Ann", claims: #","sub":"ann""#, offer: "send:0", tracks: [Self.microphone])
      (meeting, ann) = (welcome.meeting.id, welcome.participant)
      // A participant who has left before isn't reported again.
      let (other, _) = try await server.host("board", "Cem")
      try other.send(.leave)
      while try await other.next() != nil {}
      _ = try await server.knock("board", "Bob")
      try await host.lobby(of: ["Bob"])
      // Earlier writes are on the disk with it.
      try await lock(host)
      #expect(try await told(server, meeting).map(\.type) == story)
    } then: { server in
      try await eventually {
        let types = try await told(server, meeting).map(\.type)
        return types == story + ends ? nil : "webhooks are told \(types)"
      }
      let left = try await told(server, meeting).suffix(3)
      let details = try left.map { try data($0) }
      #expect(details.map { $0["reason"] as? String } == [nil, nil, "interrupted"])
      #expect(try left.suffix(2).map { try person($0) } == [ann, ann])
      for detail in details {
        let seen = try #require(detail["lastSeen"] as? String)
        #expect(seen <= WebhookBody.text(Date()) && seen > WebhookBody.text(Date() - 60))
      }
      // It goes on, with people who have other ids.
      let (host, welcome) = try await server.host("board", "Ann", claims: #","sub":"ann""#)
      #expect(welcome.participant != ann)
      try await host.ask(.endMeeting)
      let all = try await told(server, meeting)
      #expect(all.map(\.type) == story + ends + ["participant.joined", "participant.left", "meeting.ended"])
      let (came, gone) = ("participant.joined", "participant.left")
      #expect(
        Set(try all.filter { $0.type == came }.map(person)) == Set(try all.filter { $0.type == gone }.map(person)))
    }
  }

  @Test(
    "a server started hours after a kill reports leavers and the end, before any join"
  )
  func late() async throws {
    let folder = NSTemporaryDirectory() + "parley-late-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await TestTenants.makeDefault(in: folder)
    let store = try await MeetingStores.open(folder: folder)
    let tenant = try await store.defaultTenant(now: Date())
    let id = try await hook(store)
    // Nobody knows the meeting any more.
    let gone = ExpiredMeeting(meeting: MeetingID(rawValue: "m_gone"), tenant: tenant.id, room: "Daily")
    let begun = Date() - 9_000
    let joined = RoomEvent(
      .participantJoined(.init(id: "p_1", name: "Ann", role: "publisher")), to: gone, at: begun)
    try await store.transaction { try $0.apply([try #require(joined.change)]) }
    let seen = Date(timeIntervalSince1970: (begun.timeIntervalSince1970 + 1_800).rounded(.down))
    try await store.apply(
      [RunningWrite(.value("Daily", of: RunningMeeting.roomName), of: gone.meeting, tenant: tenant.id)], now: seen)
    await store.close()
    try await TestServer.run {
      $0.dataFolder = folder
    } _: { _ in
      let store = try await MeetingStores.open(folder: folder)
      let deliveries = try await store.deliveries(of: id, state: nil, before: nil, limit: 10)
      #expect(deliveries.map(\.type) == ["meeting.ended", "participant.left"])
      #expect(deliveries.allSatisfy { $0.meeting == "m_gone" && $0.body.contains(#""room":"Daily""#) })
      #expect(try data(deliveries.last)["lastSeen"] as? String == WebhookBody.text(seen))
      // Once and for all.
      #expect(try await store.orphanedMeetings(now: Date()).isEmpty)
      #expect(try await store.expireOrphans(now: Date(), except: []).isEmpty)
      await store.close()
    }
    let next = try await MeetingStores.open(folder: folder)
    #expect(try await next.orphanedEvents().isEmpty)
    await next.close()
  }

  @Test("a beginning is kept only for a webhook that is to get the end")
  func unheard() async throws {
    for types: [WebhookEventType]? in [nil, [.participantJoined, .chatFile], [.participantLeft]] {
      let folder = NSTemporaryDirectory() + "parley-unheard-" + UUID().uuidString
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let store = try await MeetingStores.open(folder: folder)
      let tenant = try await store.defaultTenant(now: Date())
      if let types {
        _ = try await store.transaction {
          try $0.insert(
            Webhook(tenant: tenant.id, url: "http://127.0.0.1:1/", events: types, created: Date()))
        }
      }
      let events = RoomEvents()
      let journal = EventJournal(
        events: events, store: store, quality: QualityHistory(), counters: OperationCounters(),
        log: Log(level: .error) { _ in }, wake: {})
      let meeting = ExpiredMeeting(meeting: MeetingID(rawValue: "m_1"), tenant: tenant.id, room: "Daily")
      events.add(RoomEvent(.participantJoined(.init(id: "p_1", name: "Ann", role: "publisher")), to: meeting))
      events.end()
      await journal.run()
      await store.close()
      let next = try await MeetingStores.open(folder: folder)
      #expect(try await next.orphanedEvents().map(\.subject) == (types == [.participantLeft] ? ["p_1"] : []))
      await next.close()
    }
  }
}
