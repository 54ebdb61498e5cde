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
    /// Changes `member` to something that it isn't now.
    var change: @Sendable (EncryptedRoom, EncryptedRoom.Client, _ member: RoomMember, _ id: Int) -> Void
  }

  static let kinds: [Kind] = [
    Kind(testDescription: "rename", changed: "ann") { room, ann, member, id in
      room.send(.rename(name: member.name == "Ann" ? "Anna" : "Ann"), from: ann, id: id)
    },
    // As often as hands may be raised.
    Kind(testDescription: "raiseHand", changed: "ann", milliseconds: 1_000) { room, ann, member, id in
      room.send(.room(.raiseHand(member.hand == nil, participant: nil), id: id), from: ann, id: id)
    },
    // One raises it and the other lowers it, and each pays.
    Kind(testDescription: "raiseHand of another", changed: "ben", most: 80) { room, ann, member, id in
      if member.hand != nil {
        room.send(.room(.raiseHand(false, participant: "ben"), id: id), from: ann, id: id)
      } else if let ben = room.clients["ben"] {
        room.send(.room(.raiseHand(true, participant: nil), id: id), from: ben, id: id)
      }
    },
    Kind(testDescription: "setRole", changed: "ben") { room, ann, member, id in
      let role: Role = member.role == .publisher ? .moderator : .publisher
      room.send(.room(.setRole("ben", role: role.rawValue), id: id), from: ann, id: id)
    },
    Kind(testDescription: "setPermissions", changed: "ben") { room, ann, member, id in
      let names = Permissions([.publish, .subscribe, member.permissions.contains(.chat) ? .data : .chat]).names
      room.send(.room(.setPermissions("ben", permissions: names), id: id), from: ann, id: id)
    },
    Kind(testDescription: "changePermissions", changed: "ben") { room, ann, member, id in
      let (adding, removing) = member.permissions.contains(.chat) ? ([], ["chat"]) : (["chat"], [])
      room.send(.room(.changePermissions("ben", adding: adding, removing: removing), id: id), from: ann, id: id)
    },
    Kind(testDescription: "renewToken", changed: "ann") { room, ann, member, id in
      var admission = member.admission
      admission.grant.role = member.role == .moderator ? .organizer : .moderator
      room.apply(.renewToken(admission, participant: "ann", id: id, ann.channel))
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
      kind.change(room, ann, member, step)
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
