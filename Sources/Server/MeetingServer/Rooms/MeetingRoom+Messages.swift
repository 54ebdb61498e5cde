import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// What those who are in send: where each message goes, and what is done here with those that change what the sender publishes, watches and is called.
extension MeetingRoom {
  /// Deals with a message of a participant. The sender is the session's participant, whatever the message says. `number` is the `id` that came
  /// with it, which messages of every type may have: a refusal carries it. `size` is that of the message as it came, in bytes.
  func handle(
    _ message: ClientMessage, id number: Int? = nil, size: Int = 0, from participant: String, channel: SignalingChannel
  ) async {
    guard let member = members[participant], member.channel?.id == channel.id else {
      return handleOutside(message, id: number, from: participant, channel)
    }
    let isRepeatable =
      switch message {
      case .chat, .signal: true
      default: false
      }
    // What was passed on before is answered as it was then, and costs nothing.
    if isRepeatable, !isNew(message, id: number, member) { return }
    guard isInBudget(message, size, id: number, member, channel) else { return }
    switch message {
    case .join, .resume: channel.refuse(.notAllowed, "This connection is in a meeting already.", id: number)
    case .offer(let offer): await renegotiate(offer, member, channel)
    case .mute(let mid, let muted, let id): setMuted(muted, mid: mid, id: id, member, channel)
    case .view(let views): if allows(.subscribe, member, channel, id: number) { show(views, member) }
    case .rename(let name): if isInPace(member, channel, id: number) { rename(name, id: number, member, channel) }
    case .chat(let text, let to, let id): say(text, to: to, id: id, member)
    case .admit(let who, let id): if isInPace(member, channel, id: id) { await admit(who, id: id, member, channel) }
    case .deny(let who, let id): if isInPace(member, channel, id: id) { await deny(who, id: id, member, channel) }
    case .lock(let isLocked, let id):
      if isInPace(member, channel, id: id) { await lock(isLocked, id: id, member, channel) }
    case .signal(let signal, let to, let id): pass(signal, to: to, id: id, member)
    case .room(let request, let id): await perform(request, id: id, member, channel)
    // Proved first, and then done by `renew`.
    case .renewToken: break
    case .leave:
      remove(member, reason: .left)
      channel.close()
    case .ping(let time): channel.send(.pong(time: time))
    }
  }

  private func renegotiate(_ offer: ClientMessage.Offer, _ member: RoomMember, _ channel: SignalingChannel) async {
    if let why = SignalingService.problem(with: offer.tracks) {
      channel.refuse(.badOffer, why, id: offer.id)
      return
    }
    if let why = refusal(of: offer.tracks, member) {
      channel.refuse(.notAllowed, why, id: offer.id)
      return
    }
    // A track keeps its publication as long as its m-section carries the same source.
    let tracks = permitted(offer.tracks, member).map { track in
      let known = member.publications.first { $0.mid == track.mid && $0.info.source == track.source }
      return Self.mediaTrack(track, publication: known?.info.id)
    }
    let participant = member.id
    let answer: OfferAnswer
    do throws(MediaWorkerError) {
      answer = try await negotiate { [media] () throws(MediaWorkerError) in
        try await media.offer(ParticipantID(rawValue: participant), offer: offer.offer, tracks: tracks.map(\.offer))
      }
    } catch {
      switch error {
      case .badOffer(let why): channel.refuse(.badOffer, why, id: offer.id)
      case .unknownParticipant, .duplicateParticipant, .unavailable:
        channel.refuse(.internalError, "The server cannot take the offer just now.", id: offer.id)
      }
      return
    }
    guard members[participant] === member else { return }
    let before = member.publications
    member.publications = published(tracks, answer.accepted, by: member)
    member.slots.replace(with: answer.slots, rejected: answer.rejectedSlots)
    for old in before where !member.publications.contains(where: { $0.info.id == old.info.id }) {
      forgetCodecs(of: old.info.id)
    }
    assessCodecs(for: member)
    let decoders = assessCodecs(of: member)
    let changes = member.slots.fill(with: receivable(ranked(), by: member))
    member.channel?.send(
      .answer(
        id: offer.id, answer: answer.sdp, slots: member.slots.info, publications: member.publications.map(\.info)))
    notifyRejected(tracks, answer, member.channel)
    assign(changes, to: member)
    for old in before where !member.publications.contains(where: { $0.info.id == old.info.id }) {
      broadcast(.unpublished(participant: participant, publication: old.info.id))
    }
    for new in member.publications {
      let old = before.first { $0.info.id == new.info.id }
      if old == nil {
        broadcast(.published(participant: participant, publication: new.info))
      } else if old?.info != new.info {
        broadcast(.publicationUpdated(participant: participant, publication: new.info))
      }
    }
    notePublications(of: member, before: before)
    askForSlots(member)
    notifyCodecs()
    if before.map(\.info.id) != member.publications.map(\.info.id) {
      refill(except: participant)
    } else if !decoders.isEmpty {
      let all = ranked()
      for receiver in decoders { refill(receiver, all) }
    }
  }

  private func setMuted(
    _ muted: Bool, mid: String, id: Int?, _ member: RoomMember, _ channel: SignalingChannel
  ) {
    guard let index = member.publications.firstIndex(where: { $0.mid == mid }) else {
      channel.refuse(.badMessage, "There is no track in m-section \(mid.prefix(16)).", id: id)
      return
    }
    if member.publications[index].info.muted == muted {
      if let id { channel.send(.room(.done(id: id))) }
      return
    }
    if !muted, !mayUnmute(member.publications[index].info.source, member) {
      channel.refuse(
        .notAllowed, "A host has muted everybody. Raise your hand, and wait to be asked to unmute.", id: id)
      member.publications[index].info.mutedByHost = true
      channel.send(.publicationUpdated(participant: member.id, publication: member.publications[index].info))
      return
    }
    member.publications[index].info.muted = muted
    member.publications[index].info.mutedByHost = nil
    let publication = member.publications[index].info
    let participant = member.id
    post {
      await $0.setMuted(
        muted, publication: PublicationID(rawValue: publication.id), of: ParticipantID(rawValue: participant))
    }
    broadcast(.publicationUpdated(participant: participant, publication: publication))
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// Slots are the receiver's own, so what it says of others has no effect.
  private func show(_ views: [SlotView], _ member: RoomMember) {
    let id = member.id
    post { await $0.setViews(views.map { SlotSize($0) }, of: ParticipantID(rawValue: id)) }
  }

  private func rename(_ text: String, id: Int?, _ member: RoomMember, _ channel: SignalingChannel) {
    guard member.admission.grant.name == nil else {
      channel.refuse(.notAllowed, "The join token sets the name; it cannot be changed.", id: id)
      return
    }
    guard let name = DisplayName.clean(text) else {
      channel.refuse(.badName, "The name has no visible character.", id: id)
      return
    }
    guard name != member.name else { return }
    member.name = name
    announce(.participantUpdated(member.info), about: member)
  }

  private func say(_ text: String, to: String?, id: Int?, _ member: RoomMember) {
    // Who may not write is told that first, whatever is wrong with the text.
    if let refusal = refusal(toWriteTo: nil, member) {
      return answer(.refused(refusal.code, refusal.sentence), to: id, member)
    }
    if let problem = Self.problem(withText: text) { return answer(.refused(.badMessage, problem), to: id, member) }
    if let refusal = refusal(toWriteTo: to, member) {
      return answer(.refused(refusal.code, refusal.sentence), to: id, member)
    }
    endTyping(member)
    pass(ChatEntry(id: chat.nextID(), from: member.id, name: member.name, text: text, time: .kept, to: to), id: id)
  }

  /// Tells one participant of something that was refused, if there is a socket to tell it over.
  func refuse(_ code: SignalingErrorCode, _ message: String, to participant: String) {
    members[participant]?.channel?.refuse(code, message)
  }
}
