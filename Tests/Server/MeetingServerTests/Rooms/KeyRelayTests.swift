import Basics
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Envelopes of encrypted rooms")
struct KeyRelayTests {
  private func envelope(_ to: String, _ text: String) -> AddressedEnvelope { .init(to: to, envelope: text) }

  /// An envelope of `count` characters.
  private func text(_ count: Int) -> String { String(repeating: "A", count: count) }

  @Test("envelopes go to participants with their sender's id; others are dropped, counted")
  func delivery() throws {
    let room = try EncryptedRoom(accessLevel: .sameEnterprise)
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    let (cem, eve) = (try room.join("cem"), try room.join("eve", role: .hidden))
    let waiter = try room.join("dan", isGuest: true)
    #expect(room.machine.lobby.waiters.map(\.id) == ["dan"])
    room.detach(cem)
    _ = [ann, ben, cem, eve, waiter].map { $0.drain() }
    room.send(
      .keyEnvelopes([
        envelope("ben", "AQ"), envelope("dan", "Ag"), envelope("nobody", "Aw"), envelope("ann", "BA"),
        envelope("eve", "BQ"), envelope("cem", "Bg"), envelope("ben", "Bw"),
      ]), from: ann)
    room.pass(.seconds(1))
    #expect(ben.drainEnvelopes() == [[.init(from: "ann", envelope: "AQ"), .init(from: "ann", envelope: "Bw")]])
    for client in [ann, cem, eve, waiter] { #expect(client.drainEnvelopes().isEmpty, "\(client.name)") }
    #expect(room.counts[.keyEnvelopes(0)] == 2 && room.counts[.droppedKeyEnvelopes(0)] == 5)
    // Nothing waits for somebody who has left.
    room.send(.leave, from: ben)
    room.send(.keyEnvelopes([envelope("ben", "CA")]), from: ann)
    room.pass(.seconds(1))
    #expect(ben.drainEnvelopes().isEmpty && room.machine.keyRelay.deadline == nil)
  }

  @Test("the first envelope leaves at once, others within 20 ms in order, at most 256")
  func together() throws {
    let room = try EncryptedRoom()
    let ben = try room.join("ben")
    let senders = try (0..<40).map { try room.join("p\($0)") }
    _ = ben.drain()
    room.send(.keyEnvelopes([envelope("ben", "AQ")]), from: senders[0])
    #expect(ben.drainEnvelopes() == [[.init(from: "p0", envelope: "AQ")]])
    for sender in senders {
      room.send(.keyEnvelopes((0..<10).map { _ in envelope("ben", "Ag") }), from: sender)
    }
    #expect(ben.drainEnvelopes().isEmpty)
    room.pass(KeyRelay.pause)
    let messages = ben.drainEnvelopes()
    #expect(messages.map(\.count) == [256, 144])
    #expect(messages.joined().map(\.from) == senders.flatMap { sender in (0..<10).map { _ in sender.name } })
    room.pass(KeyRelay.pause)
    room.send(.keyEnvelopes([envelope("ben", "Aw")]), from: senders[3])
    #expect(ben.drainEnvelopes().count == 1)
  }

  @Test("messages that wait for a lost socket don't come over the next one")
  func lost() throws {
    let room = try EncryptedRoom()
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    for _ in 0..<2 { room.send(.keyEnvelopes([envelope("ben", "AQ")]), from: ann) }
    room.detach(ben)
    try room.resume(ben)
    _ = ben.drain()
    room.pass(.seconds(1))
    #expect(ben.drainEnvelopes().isEmpty)
    room.send(.keyEnvelopes([envelope("ben", "AQ")]), from: ann)
    #expect(ben.drainEnvelopes().count == 1)
  }

  @Test("bad input 17: 100 publishers, 10 leave each second: no envelope is refused")
  func storm() throws {
    let room = try EncryptedRoom()
    var clients = try (0..<100).map { try room.join("p\($0)") }
    // A key and its acknowledgement, with the encapsulated key of a first one.
    let (key, acknowledgement) = (text(440), text(180))
    for client in clients { room.send(.announce(text(700)), from: client) }
    for second in 0..<8 {
      for _ in 0..<10 { room.send(.leave, from: clients.removeFirst()) }
      for _ in 0..<10 { clients.append(try room.join("q\(second)-\(clients.count)")) }
      for text in [key, acknowledgement] {
        for client in clients {
          room.send(.keyEnvelopes(clients.filter { $0 !== client }.map { envelope($0.name, text) }), from: client)
        }
        room.pass(.milliseconds(500))
      }
      for client in clients {
        let messages = client.drain()
        let refused = messages.contains { if case .error = $0 { true } else { false } }
        #expect(!refused && client.failure == nil, "\(client.name) in second \(second)")
        let came = messages.reduce(0) { if case .keyEnvelopes(let envelopes) = $1 { $0 + envelopes.count } else { $0 } }
        #expect(came == 2 * 99, "\(client.name) in second \(second)")
      }
    }
    #expect(room.counts[.droppedKeyEnvelopes(0)] == nil)
  }

  @Test("threat 44: a flood of keys is refused by name, and keeps nobody from chatting")
  func flood() throws {
    let room = try EncryptedRoom()
    let (eve, ben) = (try room.join("eve"), try room.join("ben"))
    let envelopes = (0..<128).map { _ in envelope("ben", text(1_366)) }
    var refusals: [String] = []
    for _ in 0..<20 {
      room.send(.keyEnvelopes(envelopes), from: eve)
      for case .error(.tooFast, let sentence, let isFatal, _) in eve.drain() {
        #expect(!isFatal)
        refusals.append(sentence)
      }
    }
    #expect(refusals.count >= 14 && refusals.allSatisfy { $0.contains("keyRate") })
    #expect(room.counts[.limit(.keyRate)] == refusals.count && LimitReached.Limit.keyRate.rawValue == "keyRate")
    _ = ben.drain()
    room.send(.chat(text: "AAAA", to: nil, id: 1), from: eve, id: 1)
    room.apply(.journalWritten(through: room.machine.journal.writes, true))
    #expect(ben.drain().contains { if case .chat = $0 { true } else { false } })
    room.pass(.seconds(2))
    _ = eve.drain()
    room.send(.keyEnvelopes([envelope("ben", "AQ")]), from: eve)
    #expect(eve.drain().isEmpty)
  }

  @Test("threat 44: several who fill one receiver's socket lose envelopes, others don't")
  func receiver() throws {
    let room = try EncryptedRoom()
    let (ann, ben) = (try room.join("ann"), try room.join("ben"))
    let floods = try (0..<10).map { try room.join("eve\($0)") }
    _ = ben.drain()
    var bytes = 0
    for _ in 0..<5 {
      for eve in floods {
        room.send(.keyEnvelopes((0..<64).map { _ in envelope("ben", text(1_366)) }), from: eve)
      }
      room.send(.keyEnvelopes([envelope("ben", "AQ")]), from: ann)
      room.pass(.milliseconds(200))
      let envelopes = ben.drainEnvelopes().flatMap(\.self)
      #expect(envelopes.contains { $0.from == "ann" })
      bytes += envelopes.reduce(0) { $0 + $1.envelope.utf8.count }
    }
    #expect(bytes < KeyRelay.Rate.receiver.burst + KeyRelay.Rate.receiver.perSecond)
    #expect(room.counts[.droppedKeyEnvelopes(0), default: 0] > 1_000)
    let counted = room.counts[.limit(.keyReceiverRate), default: 0]
    #expect(counted > 1_000 && LimitReached.Limit.keyReceiverRate.rawValue == "keyReceiverRate")
  }

  @Test("announcements of one participant are bounded, as they go to everybody")
  func announcements() throws {
    let room = try EncryptedRoom()
    let (eve, ben) = (try room.join("eve"), try room.join("ben"))
    _ = (eve.drain(), ben.drain())
    for _ in 0..<2_000 { room.send(.announce(text(1_366)), from: eve) }
    #expect(ben.drain().count < 600)
    #expect(eve.drain().count { if case .error(.tooFast, _, false, _) = $0 { true } else { false } } > 1_400)
    room.send(.announce("AAAA"), from: ben)
    #expect(eve.drain() == [.announcement(.init(participant: "ben", announcement: "AAAA"))])
  }
}
