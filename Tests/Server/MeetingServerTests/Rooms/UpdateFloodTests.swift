import Basics
import Meetings
import Signaling
import Testing

@testable import MeetingServer

@Suite("Participants who change without end")
struct UpdateFloodTests {
  /// Something that makes the room send everybody a `participantUpdated` about `changed`.
  struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var changed: String
    var milliseconds: Int64 = 250
    /// The most updates that may come: 2 KiB a second of one sender, four seconds' worth at once, and as much that may
    /// be owed, where each costs some 4 KiB.
    var most = 40
    var send: @Sendable (EncryptedRoom, EncryptedRoom.Client, _ step: Int) -> Void
  }

  static let kinds: [Kind] = [
    Kind(testDescription: "rename", changed: "ann") { room, ann, step in
      room.send(.rename(name: step.isMultiple(of: 2) ? "Ann" : "Anna"), from: ann, id: step)
    },
    // As often as hands may be raised.
    Kind(testDescription: "raiseHand", changed: "ann", milliseconds: 1_000) { room, ann, step in
      room.send(.room(.raiseHand(step.isMultiple(of: 2), participant: nil), id: step), from: ann, id: step)
    },
    // One raises it and the other lowers it, and each pays.
    Kind(testDescription: "raiseHand of another", changed: "ben", most: 80) { room, ann, step in
      guard step.isMultiple(of: 2) else {
        return room.send(.room(.raiseHand(false, participant: "ben"), id: step), from: ann, id: step)
      }
      room.clients["ben"].map { room.send(.room(.raiseHand(true, participant: nil), id: step), from: $0, id: step) }
    },
    Kind(testDescription: "setRole", changed: "ben") { room, ann, step in
      let role: Role = step.isMultiple(of: 2) ? .moderator : .publisher
      room.send(.room(.setRole("ben", role: role.rawValue), id: step), from: ann, id: step)
    },
    Kind(testDescription: "setPermissions", changed: "ben") { room, ann, step in
      let names = Permissions([.publish, .subscribe, step.isMultiple(of: 2) ? .chat : .data]).names
      room.send(.room(.setPermissions("ben", permissions: names), id: step), from: ann, id: step)
    },
    Kind(testDescription: "changePermissions", changed: "ben") { room, ann, step in
      let (adding, removing) = step.isMultiple(of: 2) ? ([], ["chat"]) : (["chat"], [])
      room.send(.room(.changePermissions("ben", adding: adding, removing: removing), id: step), from: ann, id: step)
    },
    Kind(testDescription: "renewToken", changed: "ann") { room, ann, step in
      guard let member = room.machine.roster["ann"] else { return }
      var admission = member.admission
      admission.grant.role = step.isMultiple(of: 2) ? .moderator : .organizer
      room.apply(.renewToken(admission, participant: "ann", id: step, ann.channel))
    },
  ]

  @Test("threat 41: changes of people with long names of tracks cost what others get", arguments: kinds)
  func updates(kind: Kind) throws {
    let room = try EncryptedRoom(isEncrypted: false)
    let ann = try room.join("ann", e2ee: false, role: .organizer)
    let cem = try { try ($0("ben"), $0("cem")).1 }({ try room.join($0, e2ee: false) })
    room.machine.budget = MessageBudget(.init(sender: 2 << 10, meeting: 256 << 10), now: room.now.instant)
    let member = try #require(room.machine.roster[kind.changed])
    let name = String(repeating: "x", count: 320)
    member.publications = (0..<8).map {
      .init(
        mid: "\($0)", info: PublicationInfo(id: "\($0)", kind: .audio, source: .microphone, muted: false, name: name))
    }
    _ = (ann.drain(), cem.drain())
    for step in 0..<Int(60_000 / kind.milliseconds) {
      kind.send(room, ann, step)
      room.pass(.milliseconds(kind.milliseconds))
    }
    let heard = cem.drain().count { message in
      if case .participantUpdated(let info) = message { info.id == kind.changed } else { false }
    }
    #expect((10...kind.most).contains(heard), "\(heard)")
    let limits = (ann.drain() + (room.clients["ben"]?.drain() ?? [])).compactMap { message -> Bool? in
      if case .error(.tooFast, let text, false, _) = message { text.contains("senderRate") } else { nil }
    }
    #expect(limits.contains(true))
  }
}
