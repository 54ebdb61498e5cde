import Basics
import Crypto
import Encryption
import Signaling
import Testing

@testable import Parley

/// The keys of a meeting in virtual time, without a server (threat 30).
@Suite struct MeetingKeysTests {
  /// Clients whose messages reach each other at once.
  private final class Room {
    let secret: LinkSecret
    var now = Instant.milliseconds(1_000)
    private(set) var clients: [(id: String, keys: MeetingKeys)] = []
    var announcements: [ParticipantAnnouncement] = []
    var outputs: [String: [KeyOutput]] = [:]

    init() throws { secret = try LinkSecret() }

    func join(_ id: String, secret other: LinkSecret? = nil, sees: Bool = true) throws -> (MeetingKeys, Bool) {
      let keys = try MeetingKeys(
        meeting: "daily", participant: ParticipantID(rawValue: id), name: "name of \(id)",
        identity: Ed25519.PrivateKey(), secret: other ?? secret, now: now)
      for client in clients { client.keys.join(ParticipantID(rawValue: id), now: now) }
      let isRight = keys.begin(
        sees ? announcements : [], roster: clients.map { ParticipantID(rawValue: $0.id) }, now: now)
      clients.append((id, keys))
      pass()
      return (keys, isRight)
    }

    func pass() {
      var isNews = true
      while isNews {
        isNews = false
        for (id, keys) in clients {
          for output in keys.takeOutputs() {
            isNews = true
            outputs[id, default: []].append(output)
            switch output {
            case .send(.announce(let text)):
              let announcement = ParticipantAnnouncement(participant: id, announcement: text)
              announcements.removeAll { $0.participant == id }
              announcements.append(announcement)
              for other in clients where other.id != id { other.keys.receive([announcement], now: now) }
            case .send(.keyEnvelopes(let envelopes)):
              for envelope in envelopes {
                clients.first { $0.id == envelope.to }?.keys.receive(
                  [ReceivedEnvelope(from: id, envelope: envelope.envelope)], now: now)
              }
            case .send, .changed, .keyframesWanted, .ownKeyframesWanted, .named, .problem, .wrongSecret: break
            }
          }
        }
      }
    }

    func problems(_ id: String) -> [KeyProblem] {
      outputs[id, default: []].compactMap { if case .problem(_, let problem) = $0 { problem } else { nil } }
    }
  }

  @Test("a client that announces is encrypted; each new one changes everybody's code")
  func sameCode() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    let alone = ann.status
    #expect(alone.state == .encrypted && alone.safetyCode?.count == 30)
    let (ben, isRight) = try room.join("ben")
    #expect(isRight && ben.status == ann.status && ann.status.state == .encrypted)
    #expect(ann.status.safetyCode != alone.safetyCode)
    #expect(
      room.outputs["ann"]?.contains {
        if case .named(ParticipantID(rawValue: "ben"), "name of ben", _) = $0 { true } else { false }
      } == true)
    ann.leave(ParticipantID(rawValue: "ben"), isRemoved: false, now: room.now)
    #expect(ann.status.safetyCode == alone.safetyCode)
  }

  @Test("a client without keys is awaited for 5 s, and no more once it announces")
  func withoutKeys() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    ann.join(ParticipantID(rawValue: "ben"), now: room.now)
    #expect(ann.status.state == .encrypted)
    #expect(ann.deadline == room.now + MeetingKeys.announcementPatience)
    room.now = ann.deadline
    ann.handleTimeout(now: room.now)
    #expect(ann.status.state == .waiting && ann.status.waitingFor == ["ben"])
    _ = try room.join("ben")
    #expect(ann.status.state == .encrypted && ann.status.waitingFor.isEmpty)
    room.now = room.now + .seconds(1)
    ann.join(ParticipantID(rawValue: "cem"), now: room.now)
    ann.leave(ParticipantID(rawValue: "cem"), isRemoved: false, now: room.now)
    room.now = room.now + .seconds(10)
    ann.handleTimeout(now: room.now)
    #expect(ann.status.state == .encrypted, "somebody who has gone is waited for")
  }

  @Test("a client with another secret is refused, discloses nothing, and the others stay")
  func otherSecret() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    let (ben, isRight) = try room.join("ben", secret: try LinkSecret())
    #expect(!isRight && ben.status.state == .waiting)
    #expect(room.announcements.map(\.participant) == ["ann"])
    #expect(ann.status.state == .encrypted)
    // One that announces all the same, since it heard of nobody.
    let (_, sawNobody) = try room.join("cem", secret: try LinkSecret(), sees: false)
    #expect(sawNobody)
    #expect(room.problems("ann") == [.refused(.wrongSecret)])
    #expect(ann.exchange.members.isEmpty)
  }

  @Test("those who came before decide whose secret is right, also when they announce late")
  func lateOtherSecret() throws {
    for isShared in [false, true] {
      let room = try Room()
      _ = try room.join("ann")
      _ = try room.join("ben", secret: isShared ? nil : try LinkSecret(), sees: false)
      // Cem hears of nobody's announcement at first.
      let (cem, sawNobody) = try room.join("cem", secret: isShared ? nil : try LinkSecret(), sees: false)
      #expect(sawNobody)
      let late = room.announcements.filter { $0.participant != "cem" }
      cem.receive(Array(late.prefix(1)), now: room.now)
      room.pass()
      #expect(room.outputs["cem"]?.contains(.wrongSecret) == false, "one may still have it")
      cem.receive(Array(late.dropFirst()), now: room.now)
      room.pass()
      #expect(room.outputs["cem"]?.contains(.wrongSecret) == !isShared)
      #expect(room.outputs["ann"]?.contains(.wrongSecret) == false)
    }
  }

  @Test("somebody with keys whom nobody shows is reported, and stands in the code")
  func unseen() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    let code = ann.status.safetyCode
    let ghost = try MeetingKeys(
      meeting: "daily", participant: ParticipantID(rawValue: "ghost"), name: "Ghost", identity: Ed25519.PrivateKey(),
      secret: room.secret, now: room.now)
    _ = ghost.begin([], roster: [], now: room.now)
    for case .send(.announce(let text)) in ghost.takeOutputs() {
      ann.receive([ParticipantAnnouncement(participant: "ghost", announcement: text)], now: room.now)
    }
    room.pass()
    #expect(room.problems("ann") == [.unseen])
    #expect(ann.status.safetyCode != code)
  }

  @Test("after a lost socket this client announces itself again and forgets who has gone")
  func resume() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    _ = try room.join("ben")
    let alone = room.announcements.filter { $0.participant == "ann" }
    ann.resume([], roster: [ParticipantID(rawValue: "ann")], now: room.now)
    #expect(ann.takeOutputs().contains(.send(.announce(try #require(alone.first).announcement))))
    #expect(ann.exchange.members.isEmpty)
    ann.resume(alone, roster: [ParticipantID(rawValue: "ann")], now: room.now)
    #expect(!ann.takeOutputs().contains { if case .send = $0 { true } else { false } })
  }

  @Test("garbage as announcements and envelopes changes nothing, and is reported once")
  func garbage() throws {
    let room = try Room()
    let (ann, _) = try room.join("ann")
    let before = ann.status
    for text in ["", "!", "AAAA", String(repeating: "A", count: 1_364), "AAAA"] {
      ann.receive([ParticipantAnnouncement(participant: "eve", announcement: text)], now: room.now)
      ann.receive([ReceivedEnvelope(from: "eve", envelope: text)], now: room.now)
    }
    room.pass()
    #expect(ann.status == before)
    #expect(room.problems("ann").filter { $0 == .refused(.malformed) }.count == 1)
  }

  @Test("a name that is too long for an announcement is cut between characters")
  func longName() {
    let name = String(repeating: "👩‍👩‍👧‍👦", count: 80)
    let short = MeetingKeys.short(name)
    #expect(short.utf8.count <= KeyExchange.maximumNameBytes && name.hasPrefix(short) && !short.isEmpty)
    #expect(MeetingKeys.short("Ann") == "Ann")
  }
}
