import Basics
import Crypto
import TestSeeds
import Testing

@testable import Encryption

@Suite("Keys of an encrypted meeting", .tellsSeeds)
struct KeyExchangeTests {
  @Test("two people open each other's frames, have one safety code and wait for nobody")
  func two() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(1))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(1))
    for _ in 0..<50 {
      try room.send(from: "ann")
      try room.send(from: "ben", source: .microphone)
      room.run(for: .milliseconds(20))
    }
    room.run(for: .seconds(1))
    #expect(ann.count(ben.id) == 50 && ben.count(ann.id) == 50)
    #expect(ann.keys.safetyCode == ben.keys.safetyCode && ann.keys.safetyCode?.count == 30)
    #expect(ann.keys.waitingFor.isEmpty && ann.drops.isEmpty)
    #expect(ann.keys.announcement(of: ben.id)?.name == "ben")
  }

  @Test("threat 48: announcements carry a hash of a meeting's name, up to 512 bytes of it")
  func longName() throws {
    let name = String(repeating: "会", count: 128)
    #expect(try Announcement.meetingField(for: name) == "#jg4EBuFc0qN88VvTutkyi8cg-ywSQBUg9laO_UxVwJE")
    #expect(try Announcement.meetingField(for: "daily") == "daily")
    for meeting in [name, String(repeating: "𠮷", count: 128), String(repeating: "2", count: 255)] {
      let room = try EncryptedRoom(seed: TestSeed.of(10), meeting: meeting)
      let ann = try room.join("ann")
      let ben = try room.join("ben")
      room.run(for: .seconds(1))
      let number = try room.send(from: "ann")
      room.run(for: .seconds(1))
      #expect(ben.hasOpened(number, of: ann.id))
      // With the longest name, and ids of 36 characters, it stays within what the server takes.
      #expect(ann.keys.ownBytes.count + KeyExchange.maximumNameBytes + 36 <= 1_024)
    }
  }

  @Test("threat 48: envelopes after their sender has left displace no early envelope")
  func lateEnvelopes() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(11))
    let ann = try room.join("ann")
    for index in 0..<200 {
      ann.keys.receive(envelope: [1, 2, 3], from: ParticipantID(rawValue: "gone\(index)"), now: room.now)
    }
    // Ben's announcement takes half a second longer than his key.
    room.server = { message, recipient in
      if case .announcement = message, recipient == ann.id { return [(message, .milliseconds(500))] }
      return [(message, .zero)]
    }
    let ben = try room.join("ben")
    room.run(for: .seconds(1))
    let number = try room.send(from: "ben")
    room.run(for: .milliseconds(100))
    #expect(ann.hasOpened(number, of: ben.id))
    #expect(!ann.events.contains { if case .refused = $0 { true } else { false } })
  }

  @Test("a newcomer opens what is sent from then on and nothing of before")
  func join() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(2))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    room.run(for: .seconds(2))
    // Held back until the participant who joins is there, which then has every frame.
    var held: [(EncryptedRoom.Message, ParticipantID)] = []
    let early = try (0..<20).map { _ in try room.send(from: "ann") }
    room.server = { message, recipient in
      if case .frame(_, _, _, let number) = message, number < 20 { held.append((message, recipient)) }
      return [(message, .zero)]
    }
    room.run(for: .seconds(1))
    let cem = try room.join("cem")
    var late: [Int] = []
    for _ in 0..<50 {
      room.run(for: .milliseconds(20))
      late.append(try room.send(from: "ann"))
    }
    room.run(for: .seconds(1))
    #expect(early.allSatisfy { !cem.hasOpened($0, of: ann.id) })
    // The key is there one round trip after the announcement.
    #expect(late.dropFirst(10).allSatisfy { cem.hasOpened($0, of: ann.id) })
    // The others lose nothing by the new epoch.
    #expect((early + late).allSatisfy { ben.hasOpened($0, of: ann.id) })
    #expect(ann.keys.epoch == 3)
  }

  @Test("joins close together share ratchet steps, and the first does not wait")
  func batchedJoins() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(3))
    let ann = try room.join("ann")
    room.run(for: .seconds(2))
    #expect(ann.keys.epoch == 1)
    try room.join("guest0", publishes: false)
    room.run(for: .milliseconds(room.latency.upperBound + 1))
    #expect(ann.keys.epoch == 2)
    for index in 1..<20 { try room.join("guest\(index)", publishes: false) }
    room.run(for: .seconds(1))
    let epoch = try #require(ann.keys.epoch)
    #expect((3...8).contains(epoch))
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(room.present.dropFirst().allSatisfy { $0.hasOpened(number, of: ann.id) })
  }

  @Test("bad input 10: a person opens nothing 2 s after removal or 3 s after leaving")
  func leave() throws {
    for isRemoved in [true, false] {
      let room = try EncryptedRoom(seed: TestSeed.of(4))
      let ann = try room.join("ann")
      let ben = try room.join("ben")
      let eve = try room.join("eve")
      room.run(for: .seconds(3))
      let leftAt = room.now
      try room.leave("eve", isRemoved: isRemoved)
      var numbers: [Int] = []
      for _ in 0..<300 {
        numbers.append(try room.send(from: "ann"))
        room.run(for: .milliseconds(20))
      }
      room.run(for: .seconds(1))
      let bound = leftAt + .milliseconds(room.latency.upperBound) + .seconds(isRemoved ? 2 : 3)
      let kept = eve.opened[ann.id]?.filter { room.sentAt[$0.number] >= bound } ?? []
      #expect(kept.isEmpty)
      #expect(numbers.allSatisfy { ben.hasOpened($0, of: ann.id) })
      #expect(ann.keys.safetyCode == ben.keys.safetyCode && ann.keys.safetyCode != eve.keys.safetyCode)
    }
  }

  @Test("a removal takes effect within 2 s without acknowledgements; keys are asked for")
  func silentOthers() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(5))
    let ann = try room.join("ann")
    let ben = try room.join("ben")
    let eve = try room.join("eve")
    room.run(for: .seconds(3))
    // Envelopes to Ben are lost for 4 s.
    var isLossy = true
    room.server = { message, recipient in
      if case .envelope = message, recipient == ben.id, isLossy { return [] }
      return [(message, .zero)]
    }
    let leftAt = room.now
    try room.leave("eve", isRemoved: true)
    var after: [Int] = []
    for index in 0..<400 {
      if index == 200 { isLossy = false }
      let number = try room.send(from: "ann")
      if index >= 200 { after.append(number) }
      room.run(for: .milliseconds(20))
    }
    room.run(for: .seconds(1))
    let told = leftAt + .milliseconds(room.latency.upperBound)
    let kept = eve.opened[ann.id]?.filter { room.sentAt[$0.number] >= told + .seconds(2) } ?? []
    #expect(kept.isEmpty)
    // At most 2 s to the next request, and its answer.
    #expect(after.dropFirst(115).allSatisfy { ben.hasOpened($0, of: ann.id) })
    #expect(ben.events.contains(.keyFrameNeeded(ann.id)))
    #expect(ben.events.contains(.waitingChanged) && ben.keys.waitingFor.isEmpty)
  }

  @Test("bad input 9: a key that comes 5 s late is used from then on, never a wrong one")
  func lateKey() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(6))
    let ann = try room.join("ann")
    room.run(for: .seconds(2))
    room.server = { message, recipient in
      if case .envelope = message, recipient.rawValue == "ben" { return [(message, .seconds(5))] }
      return [(message, .zero)]
    }
    let ben = try room.join("ben", publishes: false)
    for _ in 0..<300 {
      try room.send(from: "ann")
      room.run(for: .milliseconds(20))
    }
    let first = try #require(ben.opened[ann.id]?.first)
    #expect(first.at - .seconds(5) < .zero + .seconds(4))
    #expect(ben.keys.waitingFor.isEmpty)
    #expect(ben.count(ann.id) > 30)
  }

  @Test(
    "bad input 9: storms of 30 people who come and go end with all open to all",
    arguments: 1...4 as ClosedRange<UInt64>)
  func storms(seed: UInt64) throws {
    let room = try EncryptedRoom(seed: TestSeed.of(seed))
    var number = 0
    for _ in 0..<10 {
      number += 1
      try room.join("p\(number)", publishes: number % 3 != 0)
    }
    for _ in 0..<60 {
      let present = room.present
      switch room.random.below(3) {
      case 0 where present.count < 30:
        number += 1
        try room.join("p\(number)", publishes: number % 3 != 0)
      case 1 where present.count > 5:
        try room.leave(present[room.random.below(present.count)].id.rawValue, isRemoved: room.random.below(2) == 0)
      default: break
      }
      for client in present where client.keys.epoch != nil && client.isThere && room.random.below(3) == 0 {
        try room.send(from: client.id.rawValue)
      }
      room.run(for: .milliseconds(Int64(room.random.below(400))))
    }
    // Everything settles within the times of the design.
    room.run(for: .seconds(4))
    let present = room.present
    #expect(Set(present.map(\.keys.safetyCode)).count == 1)
    for sender in present where sender.keys.epoch != nil {
      let sent = try room.send(from: sender.id.rawValue)
      room.run(for: .milliseconds(100))
      for other in present where other.id != sender.id {
        #expect(other.hasOpened(sent, of: sender.id), "\(other.id) lacks \(sender.id)'s key")
      }
      for gone in room.clients.values where !gone.isThere { #expect(!gone.hasOpened(sent, of: sender.id)) }
    }
    #expect(present.allSatisfy { $0.keys.waitingFor.isEmpty })
    for client in present {
      #expect(!client.events.contains { if case .rosterMismatch = $0 { true } else { false } })
    }
  }

  @Test("ten people who leave in a second cost each publisher two rounds of envelopes")
  func boundedRotations() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(7))
    let ann = try room.join("ann")
    for index in 0..<20 { try room.join("guest\(index)", publishes: false) }
    room.run(for: .seconds(3))
    let before = (room.batches, room.envelopes, ann.keys.epoch ?? 0)
    for index in 0..<10 {
      try room.leave("guest\(index)")
      room.run(for: .milliseconds(100))
    }
    room.run(for: .seconds(4))
    #expect((ann.keys.epoch ?? 0) - before.2 <= 2)
    // Each round: one batch to those who are there, and an acknowledgement of each.
    #expect(room.envelopes - before.1 <= 2 * 2 * 20)
  }

  @Test("bad input 8: a worn key and one of an hour are replaced, and no frame is lost")
  func wear() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(8))
    let ann = try room.join("ann", limits: .init(frames: 1_000, blocks: 1 << 30))
    let ben = try room.join("ben", publishes: false)
    room.run(for: .seconds(2))
    let first = ann.keys.epoch ?? 0
    for _ in 0..<900 {
      try room.send(from: "ann")
      room.run(for: .milliseconds(20))
    }
    room.run(for: .seconds(1))
    #expect(ann.keys.epoch == first + 1)
    #expect(ben.count(ann.id) == 900)
    room.run(for: .seconds(3_601))
    #expect(ann.keys.epoch == first + 2)
    let number = try room.send(from: "ann")
    room.run(for: .seconds(1))
    #expect(ben.hasOpened(number, of: ann.id))
  }

  @Test("a silent participant has no key, and a returning track repeats no number")
  func tracks() throws {
    let room = try EncryptedRoom(seed: TestSeed.of(9))
    let ann = try room.join("ann", publishes: false)
    let ben = try room.join("ben", publishes: false)
    room.run(for: .seconds(1))
    #expect(ann.keys.epoch == nil)
    #expect(throws: FrameDrop.noKey) { try room.send(from: "ann") }
    var numbers: [Int] = []
    for tracks in [[1: .camera], [1: .camera, 2: .microphone], [2: .microphone], [1: .camera], [:], [1: .camera]]
      as [[UInt8: FrameSource]]
    {
      try room.publish(tracks, from: "ann")
      room.run(for: .seconds(1))
      if tracks[1] != nil { numbers.append(try room.send(from: "ann")) }
      room.run(for: .seconds(1))
    }
    #expect(numbers.count == 4 && ben.count(ann.id) == 4 && ben.drops.isEmpty)
    #expect(ann.keys.epoch == 2)
  }
}
