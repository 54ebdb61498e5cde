import SFU
import Signaling

/// Fills each participant's receive slots with publications.
extension RoomMachine {
  /// All candidates by rank: the spotlight first, then screens, then the last speakers, then the order of joining.
  func ranked() -> [SlotTable.Candidate] {
    let ordered = roster.members.sorted { a, b in
      a.lastSpoke != b.lastSpoke ? a.lastSpoke > b.lastSpoke : a.order < b.order
    }
    func candidates(_ isScreen: Bool) -> [SlotTable.Candidate] {
      ordered.flatMap { member in
        member.publications
          .filter { ($0.info.source == .screen || $0.info.source == .screenAudio) == isScreen }
          .map { candidate($0, of: member) }
      }
    }
    let all = candidates(true) + candidates(false)
    guard let spotlight = moderation.spotlight else { return all }
    return all.filter { $0.participant == spotlight } + all.filter { $0.participant != spotlight }
  }

  func refill(except: String? = nil) {
    let all = ranked()
    for member in roster.members where member.id != except { refill(member, all) }
  }

  /// Fills slots again after somebody spoke, for receivers that can't receive everything.
  func refillCrowded() {
    let all = ranked()
    for member in roster.members {
      let others = receivable(all, by: member).filter { member.slots.undecodable[$0.publication] == nil }
      let audio = others.count { $0.kind == .audio }
      if audio > member.slots.count(of: .audio) || others.count - audio > member.slots.count(of: .video) {
        refill(member, all)
      }
    }
  }

  func refill(_ member: RoomMember, _ all: [SlotTable.Candidate]) {
    let changes = member.slots.fill(with: receivable(all, by: member))
    if !changes.isEmpty {
      member.channel?.send(.slots(member.slots.info))
      assign(changes, to: member)
    }
    requestSlots(member)
  }

  func assign(_ changes: [SlotChange], to member: RoomMember) {
    if !changes.isEmpty { media(.assign(changes, receiver: member.id)) }
  }

  /// Empties slots that can't carry their publication, for instance because the receiver has no decoder for it.
  func refuseSlots(_ mids: [String], of id: String) {
    guard let member = roster[id] else { return }
    for mid in mids {
      guard let publication = member.slots.info.first(where: { $0.mid == mid })?.publication else { continue }
      member.slots.refuse(mid: mid)
      codecs.publications.insert(publication)
    }
    codecs.receivers.insert(id)
    notifyCodecs()
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.channel?.send(.slots(member.slots.info))
    assign(changes, to: member)
  }

  func requestSlots(_ member: RoomMember) {
    guard member.permissions.contains(.subscribe) else { return }
    var wanted = RoomMember.SlotCounts()
    for other in roster.members where other.id != member.id {
      for publication in other.publications where member.slots.undecodable[publication.info.id] == nil {
        switch publication.info.kind {
        case .audio: wanted.audio += 1
        case .video: wanted.video += 1
        }
      }
    }
    wanted.audio = min(wanted.audio, setup.limits.maximumSlots.audio)
    wanted.video = min(wanted.video, setup.limits.maximumSlots.video)
    guard wanted.audio > member.slots.count(of: .audio) || wanted.video > member.slots.count(of: .video),
      member.requestedSlots != wanted
    else { return }
    member.requestedSlots = wanted
    member.channel?.send(.needSlots(audio: wanted.audio, video: wanted.video))
  }
}
