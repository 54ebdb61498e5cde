import Basics
import FoundationEssentials
import Meetings
import RTC
import SFU
import Signaling

@testable import MeetingServer

/// The media plane's reports, time and administration.
extension RoomSimulation {
  func reportMedia() {
    guard let client = random.element(clients.filter { $0.state == .inside }) else { return }
    note("media of \(client.id)")
    let id = ParticipantID(rawValue: client.id)
    switch random.below(5) {
    case 0: apply(.media(.lost(id)))
    case 1: apply(.media(.connected(id)))
    case 2: apply(.media(.speakers([.init(participant: id, level: 0.5)])))
    case 3: apply(.media(.quality(id, .good)))
    default:
      guard let track = machine.roster[client.id]?.publications.first(where: { $0.info.kind == .video }),
        let codec = TestMediaPlane.codec(random.chance(50) ? "VP8" : "H264")
      else { return }
      apply(.media(.codecChanged(PublicationID(rawValue: track.info.id), codec)))
    }
  }

  func advance() {
    if let deadline = machine.deadline, random.chance(70) {
      pass(min(deadline, .seconds(40)))
    } else {
      pass(.milliseconds(Int64(random.below(3_000))))
    }
    note("time \(now.instant.nanoseconds / 1_000_000)")
    apply(.timeout)
  }

  func pass(_ span: TimeSpan) {
    now.instant = now.instant + span
    now.date += Double(span.nanoseconds) / 1e9
  }

  func intervene() {
    switch random.below(10) {
    case 0:
      guard let client = random.element(clients) else { return }
      note("token of \(client.id) revoked")
      apply(.revokeToken(client.request.admission.grant.id, tenant.id))
    case 8 where random.chance(10):
      note("key retired")
      apply(.retireKey("key", tenant.id))
    case 9:
      guard let client = random.element(clients) else { return }
      note("data of \(client.id) refused")
      apply(.refuse(.init(.badMessage, "no"), participant: client.id))
    case 1 where random.chance(15):
      note("end")
      apply(.end(.removed, "over"))
    default:
      record = MeetingRecord(
        id: record.id, tenant: record.tenant, room: record.room, kind: record.kind,
        subject: "s\(random.below(3))", accessLevel: random.chance(50) ? .locked : .everyone, created: record.created,
        capacity: record.capacity, lobby: LobbySettings(waitsForHost: random.chance(20)), chat: record.chat,
        revision: record.revision + 1)
      note("meeting changed to \(record.accessLevel)")
      apply(.changeMeeting(record))
    }
  }
}
