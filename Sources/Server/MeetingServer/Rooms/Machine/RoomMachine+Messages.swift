import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// Dispatches messages of participants, and handles those that change what the sender publishes, watches and is called.
extension RoomMachine {
  /// Handles a message of a participant. The sender is the session's participant, whatever the message says. `number`
  /// is the `id` that came with it, which messages of every type may have: a refusal carries it.
  func receive(
    _ message: ClientMessage, id number: Int?, size: Int, from participant: String, _ channel: RoomChannel
  ) {
    guard let member = roster[participant], member.channel?.id == channel.id else {
      return receiveOutside(message, id: number, from: participant, channel)
    }
    let isRepeatable =
      switch message {
      case .chat, .signal: true
      case .join, .resume, .offer, .mute, .view, .rename, .admit, .deny, .lock, .room, .renewToken, .leave, .ping,
        .announce, .keyEnvelopes:
        false
      }
    // A repeated message gets its former answer, and costs nothing.
    if isRepeatable, !isNew(message, id: number, member) { return }
    guard isInBudget(message, size, id: number, member, channel) else { return }
    switch message {
    case .join, .resume: channel.refuse(.notAllowed, "This connection is in a meeting already.", id: number)
    case .offer(let offer): renegotiate(offer, member, channel)
    case .mute(let mid, let muted, let id): setMuted(muted, mid: mid, id: id, member, channel)
    case .view(let views):
      // Slots are the receiver's own, so a `view` about others' slots has no effect.
      if allows(.subscribe, member, channel, id: number) { media(.setViews(views, receiver: member.id)) }
    case .rename(let name): if isInPace(member, channel, id: number) { rename(name, id: number, member, channel) }
    case .chat(let text, let to, let id): say(text, to: to, id: id, member)
    case .admit(let selection, let id):
      if isInPace(member, channel, id: id) { requestLobby(.admit, selection, id: id, member, channel) }
    case .deny(let selection, let id):
      if isInPace(member, channel, id: id) { requestLobby(.deny, selection, id: id, member, channel) }
    case .lock(let isLocked, let id):
      if isInPace(member, channel, id: id) { perform(.lock(isLocked), id: id, member, channel) }
    case .signal(let signal, let to, let id): relay(signal, to: to, id: id, member)
    case .room(let request, let id): perform(request, id: id, member, channel)
    // It is verified first, and arrives as ``RoomCommand/renewToken(_:participant:id:_:)``.
    case .renewToken: break
    case .announce(let announcement): announceKeys(announcement, size, id: number, member, channel)
    case .keyEnvelopes(let envelopes): pass(envelopes, size, id: number, member, channel)
    case .leave:
      remove(member, reason: .left)
      channel.close()
    case .ping(let time): channel.send(.pong(time: time))
    }
  }

  private func renegotiate(_ offer: ClientMessage.Offer, _ member: RoomMember, _ channel: RoomChannel) {
    guard member.rateLimiter.takeOffer(now: now.instant) else { return refuseHaste(channel, id: offer.id) }
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
      return mediaTrack(track, publication: known?.info.id)
    }
    let token = pending.add(.init(offer: offer, tracks: tracks, member: member, channel: channel))
    output.append(.wait(.offer(token: token, participant: member.id, offer: offer.offer, tracks: tracks)))
  }

  /// The media plane has answered an offer.
  func offerAnswered(_ token: UInt64, _ result: Result<OfferAnswer, MediaWorkerError>) {
    guard let asked = pending.removeOffer(token) else { return }
    let (offer, tracks, member, channel) = (asked.offer, asked.tracks, asked.member, asked.channel)
    let participant = member.id
    let answer: OfferAnswer
    switch result {
    case .success(let success): answer = success
    case .failure(.badOffer(let why)): return channel.refuse(.badOffer, why, id: offer.id)
    case .failure(.unknownParticipant), .failure(.duplicateParticipant), .failure(.unavailable):
      return channel.refuse(.internalError, "The server cannot take the offer just now.", id: offer.id)
    }
    guard roster.contains(member) else { return }
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
        notifyChange(of: new.info, by: member)
      }
    }
    reportPublications(of: member, before: before)
    requestSlots(member)
    notifyCodecs()
    if before.map(\.info.id) != member.publications.map(\.info.id) {
      refill(except: participant)
    } else if !decoders.isEmpty {
      let all = ranked()
      for receiver in decoders { refill(receiver, all) }
    }
  }

  private func setMuted(
    _ muted: Bool, mid: String, id: Int?, _ member: RoomMember, _ channel: RoomChannel
  ) {
    guard let index = member.publications.firstIndex(where: { $0.mid == mid }) else {
      channel.refuse(.badMessage, "There is no track in m-section \(mid.prefix(16)).", id: id)
      return
    }
    if member.publications[index].info.muted == muted {
      if let id { channel.send(.room(.done(id: id))) }
      return
    }
    if !muted, !moderation.mayUnmute(member.publications[index].info.source, member) {
      channel.refuse(
        .notAllowed, "A host has muted everybody. Raise your hand, and wait to be asked to unmute.", id: id)
      guard member.publications[index].info.mutedByHost != true else {
        // Nothing changed for the others, but the client may show otherwise.
        return channel.send(.publicationUpdated(participant: member.id, publication: member.publications[index].info))
      }
      member.publications[index].info.mutedByHost = true
      notifyChange(of: member.publications[index].info, by: member)
      return
    }
    member.publications[index].info.muted = muted
    member.publications[index].info.mutedByHost = nil
    let publication = member.publications[index].info
    let participant = member.id
    media(.setMuted(muted, publication: publication.id, participant: participant))
    notifyChange(of: publication, by: member)
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// Says to everybody what its owner has changed in a publication. Muting always works, but a client that mutes and
  /// unmutes without end reaches the others as often as a person does, with the state of that moment.
  private func notifyChange(of publication: PublicationInfo, by member: RoomMember) {
    guard member.rateLimiter.takePublication(now: now.instant) else {
      return publicationChanges.insert([publication.id], now: now.instant)
    }
    broadcast(.publicationUpdated(participant: member.id, publication: publication))
  }

  /// Reports changes that were held back, as far as their publications still exist.
  func notifyPublications(_ changed: Set<String>) {
    for member in roster.inOrder {
      for publication in member.publications where changed.contains(publication.info.id) {
        broadcast(.publicationUpdated(participant: member.id, publication: publication.info))
      }
    }
  }

  private func rename(_ text: String, id: Int?, _ member: RoomMember, _ channel: RoomChannel) {
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
}
