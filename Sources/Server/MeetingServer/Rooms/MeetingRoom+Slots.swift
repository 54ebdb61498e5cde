import Basics
import SFU
import Signaling

/// Which publication each receive slot of each participant carries.
extension MeetingRoom {
  /// Everything that can be received, what matters most first: who is in the spotlight, then screens, then who spoke last, then who came first.
  func ranked() -> [SlotTable.Candidate] {
    let ordered = members.values.sorted { a, b in
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
    guard let spotlight else { return all }
    return all.filter { $0.participant == spotlight } + all.filter { $0.participant != spotlight }
  }

  func refill(except: String? = nil) {
    let all = ranked()
    for member in members.values where member.id != except { refill(member, all) }
  }

  /// After someone spoke: only those who cannot receive everything anyway may have to see somebody else.
  func refillCrowded() {
    let all = ranked()
    for member in members.values {
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
    askForSlots(member)
  }

  func assign(_ changes: [SlotChange], to member: RoomMember) {
    guard !changes.isEmpty else { return }
    let id = member.id
    post { [weak self] media in
      let refused = await media.assign(changes, of: ParticipantID(rawValue: id)).map(\.rawValue)
      if !refused.isEmpty { await self?.refused(refused, by: id) }
    }
  }

  func refused(_ mids: [String], by id: String) {
    guard let member = members[id] else { return }
    for mid in mids {
      guard let publication = member.slots.info.first(where: { $0.mid == mid })?.publication else { continue }
      member.slots.refuse(mid: mid)
      codecChanges.publications.insert(publication)
    }
    codecChanges.receivers.insert(id)
    notifyCodecs()
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.channel?.send(.slots(member.slots.info))
    assign(changes, to: member)
  }

  func askForSlots(_ member: RoomMember) {
    guard member.permissions.contains(.subscribe) else { return }
    var audio = 0
    var video = 0
    for other in members.values where other.id != member.id {
      for publication in other.publications where member.slots.undecodable[publication.info.id] == nil {
        if publication.info.kind == .audio { audio += 1 } else { video += 1 }
      }
    }
    audio = min(audio, limits.maximumSlots.audio)
    video = min(video, limits.maximumSlots.video)
    guard audio > member.slots.count(of: .audio) || video > member.slots.count(of: .video),
      member.askedFor != (audio, video)
    else { return }
    member.askedFor = (audio, video)
    member.channel?.send(.needSlots(audio: audio, video: video))
  }
}
