import Basics
import RTC
import Signaling

/// Changes of decodability that clients don't know yet; see ``RoomMachine/notifyCodecs()``.
struct CodecChanges {
  /// Receivers for whom a publication became decodable or undecodable.
  var receivers: Set<String> = []
  /// Publications that became decodable or undecodable for a receiver.
  var publications: Set<String> = []
  /// Whether there are other receivers than before, or their codecs have changed.
  var hasOtherReceivers = false
  /// When a sender may be asked for another codec again; nil while no request waits for that.
  var deadline: Instant?

  /// Takes out what changed.
  mutating func drain() -> CodecChanges {
    let changes = self
    self = CodecChanges(deadline: deadline)
    return changes
  }
}

/// Keeps publications out of slots that can't decode them, and notifies both sides. Asks a sender for a codec that more
/// receivers can decode.
extension RoomMachine {
  /// A publication as the slots of others know it.
  func candidate(_ publication: RoomMember.Publication, of member: RoomMember) -> SlotTable.Candidate {
    .init(
      publication: publication.info.id, participant: member.id, kind: publication.info.kind,
      codecs: publication.codecs.candidates)
  }

  /// A receiver has other slots: checks everything that the others publish.
  func assessCodecs(for receiver: RoomMember) {
    codecs.hasOtherReceivers = true
    codecs.receivers.insert(receiver.id)
    // A publication that was undecodable may be decodable now.
    codecs.publications.formUnion(receiver.toldUndecodable.map(\.publication))
    for member in roster.members where member !== receiver {
      for publication in member.publications {
        assess(candidate(publication, of: member), for: receiver)
        // Before its first packet, its sender can be asked for a codec that this receiver decodes too.
        if publication.info.kind == .video, publication.codecs.arriving == nil {
          codecs.publications.insert(publication.info.id)
        }
      }
    }
  }

  /// A sender has new publications, or they may come in other codecs: checks their receivers. Returns the receivers for
  /// whom that changed something.
  @discardableResult
  func assessCodecs(of member: RoomMember, only id: String? = nil) -> [RoomMember] {
    let candidates = member.publications.filter { id == nil || $0.info.id == id }.map { candidate($0, of: member) }
    codecs.publications.formUnion(candidates.map(\.publication))
    return roster.members.filter { receiver in
      guard receiver !== member else { return false }
      var hasChanged = false
      for candidate in candidates where assess(candidate, for: receiver) { hasChanged = true }
      return hasChanged
    }
  }

  @discardableResult
  private func assess(_ candidate: SlotTable.Candidate, for receiver: RoomMember) -> Bool {
    guard receiver.slots.assess(candidate) else { return false }
    codecs.receivers.insert(receiver.id)
    codecs.publications.insert(candidate.publication)
    return true
  }

  /// A publication has ended.
  func forgetCodecs(of publication: String) {
    for member in roster.members { member.slots.forget(publication) }
  }

  /// A receiver has left, or may not receive any more.
  func forgetReceiver(_ member: RoomMember) {
    codecs.hasOtherReceivers = true
    codecs.publications.formUnion(member.slots.undecodable.keys)
  }

  /// The media plane reports the codec of a publication.
  func codecArrived(_ codec: NegotiatedCodec, publication id: String) {
    guard let member = roster.members.first(where: { $0.publications.contains { $0.info.id == id } }),
      let index = member.publications.firstIndex(where: { $0.info.id == id }),
      member.publications[index].codecs.arrived(codec)
    else { return }
    let changed = assessCodecs(of: member, only: id)
    notifyCodecs()
    let all = changed.isEmpty ? [] : ranked()
    for receiver in changed { refill(receiver, all) }
  }

  // MARK: Notices

  /// Notifies receivers of publications they can't decode, senders of receivers that can't, and senders of the codec to
  /// send instead. Only changes are sent.
  func notifyCodecs() {
    let changes = codecs.drain()
    for id in changes.receivers { if let member = roster[id] { notifyUndecodable(member) } }
    guard !changes.publications.isEmpty || changes.hasOtherReceivers else { return }
    var groups: ReceiverGroups?
    for member in roster.members {
      for index in member.publications.indices {
        let isRequested = changes.hasOtherReceivers && member.publications[index].codecs.requested != nil
        guard changes.publications.contains(member.publications[index].info.id) || isRequested else { continue }
        notifyReceivers(of: index, member)
        if member.publications[index].info.kind == .video {
          let known = groups ?? ReceiverGroups(roster.members)
          groups = known
          requestCodec(of: index, member, known)
        }
      }
    }
  }

  /// Repeats notices that a client without a socket may have missed.
  func notifyCodecsAgain(_ member: RoomMember) {
    notifyUndecodable(member, always: true)
    for index in member.publications.indices {
      let codecs = member.publications[index].codecs
      if let told = codecs.toldReceivers { member.channel?.send(.codec(.undecodableFor(told))) }
      if codecs.changed != nil { sendRequest(of: member.publications[index], member) }
    }
  }

  private func notifyUndecodable(_ member: RoomMember, always: Bool = false) {
    let maySubscribe = member.permissions.contains(.subscribe)
    let all = maySubscribe ? member.slots.undecodable.values.sorted { $0.publication < $1.publication } : []
    let undecodable = all.compactMap { candidate in
      candidate.codecs.first.map {
        UndecodablePublication(
          publication: candidate.publication, participant: candidate.participant, codec: CodecInfo($0))
      }
    }
    guard always || undecodable != member.toldUndecodable else { return }
    member.toldUndecodable = undecodable
    member.channel?.send(.codec(.undecodable(undecodable)))
  }

  /// Receivers don't learn of hidden participants.
  private func notifyReceivers(of index: Int, _ member: RoomMember) {
    let publication = member.publications[index]
    guard let codec = publication.codecs.candidates.first else { return }
    let unable = roster.members.filter { receiver in
      !receiver.isHidden && receiver.permissions.contains(.subscribe)
        && receiver.slots.undecodable[publication.info.id] != nil
    }.sorted { $0.order < $1.order }
    let receivers = UndecodableReceivers(
      publication: publication.info.id, codec: CodecInfo(codec),
      participants: unable.prefix(UndecodableReceivers.maximumNamed).map(\.id), count: unable.count)
    let told = publication.codecs.toldReceivers
    guard told != receivers, told?.count ?? 0 > 0 || receivers.count > 0 else { return }
    member.publications[index].codecs.toldReceivers = receivers
    member.channel?.send(.codec(.undecodableFor(receivers)))
  }

  // MARK: Requests for another codec

  /// The receivers of video by the codecs that they can decode: most browsers of one kind offer the same.
  private struct ReceiverGroups {
    private var groups: [[[NegotiatedCodec]]: Set<String>] = [:]

    init(_ members: [RoomMember]) {
      for member in members where member.permissions.contains(.subscribe) {
        if let codecs = member.slots.codecs[.video] { groups[codecs, default: []].insert(member.id) }
      }
    }

    func count(besides sender: String, where isMeant: ([[NegotiatedCodec]]) -> Bool = { _ in true }) -> Int {
      groups.reduce(0) { sum, group in
        isMeant(group.key) ? sum + group.value.count - (group.value.contains(sender) ? 1 : 0) : sum
      }
    }
  }

  /// Asks a sender for the codec that most can decode, or for its own choice again when all can decode that.
  private func requestCodec(of index: Int, _ member: RoomMember, _ groups: ReceiverGroups) {
    let publication = member.publications[index]
    let best = publication.codecs.best(of: groups.count(besides: member.id)) { codec in
      groups.count(besides: member.id) { lists in lists.contains { codec.bestMatch(in: $0) != nil } }
    }
    guard best != publication.codecs.requested else { return }
    let now = now.instant
    // Each change costs everybody a keyframe, and receivers may come and go as often as they like.
    if let changed = publication.codecs.changed {
      let next = changed + setup.limits.codecInterval
      if now < next {
        if codecs.deadline == nil { codecs.deadline = next }
        return
      }
    }
    member.publications[index].codecs.request(best, now: now)
    sendRequest(of: member.publications[index], member)
  }

  private func sendRequest(of publication: RoomMember.Publication, _ member: RoomMember) {
    let codec = publication.codecs.requested.map { CodecInfo($0, withPayloadType: true) }
    member.channel?.send(.codec(.sendCodec(mid: publication.mid, codec: codec)))
  }

  /// The codec interval of some sender has passed.
  func requestCodecsAgain() {
    codecs.deadline = nil
    for member in roster.members {
      for publication in member.publications where publication.codecs.changed != nil {
        codecs.publications.insert(publication.info.id)
      }
    }
    notifyCodecs()
  }
}
