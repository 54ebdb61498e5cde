import Basics
import Meetings
import RTC
import Signaling

/// What can be done to participants. The room does it here and asks nobody whether it may: signalling (``perform(_:id:_:_:)``) and the REST API
/// check that before.
extension MeetingRoom {
  // MARK: Removing

  /// Takes a participant out of the meeting: it is told `ended`, the others that it was removed. Its token opens the door again, and gives no host's
  /// rights from outside until it has. False when there is no such participant.
  @discardableResult
  func removeParticipant(_ id: String, message: String) -> Bool {
    guard let member = members[id] else { return false }
    member.channel?.end(.removed, message)
    doors.expelled(.init(resumeToken: member.resumeToken, reason: .removed, message: message))
    decided.noteRemoval(of: member.admission.grant, chat: meeting.chat)
    remove(member, reason: .removed)
    keepState()
    return true
  }

  /// Takes a participant out for good: neither its token nor, where the token names a user, any other token of that user gets into this
  /// meeting again; nor for a day, where bans go by addresses too and nobody knows who it is, another one of those from its network. That holds
  /// at once while the room stands, and for longer when the task returns true.
  func ban(_ id: String, message: String) -> Task<Bool, Never>? {
    guard let member = members[id] else { return nil }
    let (grant, address) = (member.admission.grant, member.address)
    bans.formUnion(grant.banNotes(in: identity.id, address: address))
    removeParticipant(id, message: message)
    return Task { [doors] in await doors.banned(grant, address) }
  }

  /// Whether the holder of a grant was banned from this meeting while the room stood.
  func isBanned(_ grant: JoinGrant, from address: IPAddress? = nil) -> Bool {
    !bans.isDisjoint(with: grant.banNotes(in: identity.id, address: address))
  }

  // MARK: Muting

  /// Mutes what a participant sends of `sources`, and says that it was not the participant itself. Nothing of it goes out any more, whatever
  /// the client sends, until it says `mute` with false: an offer does not unmute. False when there is no such participant.
  @discardableResult
  func forceMute(participant id: String, sources: Set<TrackSource>) -> Bool {
    guard let member = members[id] else { return false }
    for index in member.publications.indices where sources.contains(member.publications[index].info.source) {
      guard !member.publications[index].info.muted else { continue }
      member.publications[index].info.muted = true
      member.publications[index].info.mutedByHost = true
      let publication = member.publications[index].info
      post {
        await $0.setMuted(true, publication: PublicationID(rawValue: publication.id), of: ParticipantID(rawValue: id))
      }
      broadcast(.publicationUpdated(participant: id, publication: publication))
    }
    return true
  }

  /// Mutes everybody's tracks of `sources`, those of who is in `except` and those in `exceptTracks` left out. With `includingLater`, what is published from now on starts muted
  /// too, also that of people who come later, until ``liftMuteAll()``.
  ///
  /// Everybody may unmute themselves, as with LiveKit and OpenTok; with `mayUnmute` false only those who moderate, are in `except`, or are
  /// asked to unmute may, as with Jitsi's moderated meetings. That includes what comes later, or leaving and coming back would be a way around it.
  func muteAll(
    sources: Set<TrackSource>, except: Set<String>, exceptTracks: Set<TrackReference> = [], includingLater: Bool,
    mayUnmute: Bool = true
  ) {
    let order = MuteAll(sources: sources, except: except, exceptTracks: exceptTracks, mayUnmute: mayUnmute)
    if includingLater || !mayUnmute {
      muteAll = order
      broadcast(.room(.muteAll(order.info)))
    }
    for id in members.keys { forceMute(participant: id, sources: sources.filter { order.holds($0, of: id) }) }
  }

  /// What is published from now on starts as its sender wants, and everybody may unmute themselves. What is muted stays muted.
  func liftMuteAll() {
    guard muteAll != nil else { return }
    muteAll = nil
    broadcast(.room(.muteAll(nil)))
  }

  /// Whether a participant may unmute a track that the host muted.
  func mayUnmute(_ source: TrackSource, _ member: RoomMember) -> Bool {
    guard let muteAll, !muteAll.mayUnmute, muteAll.holds(source, of: member.id) else { return true }
    return member.permissions.contains(.moderate)
  }

  /// Whether what a participant publishes anew starts muted.
  func startsMuted(_ source: TrackSource, _ member: RoomMember) -> Bool {
    guard let muteAll, muteAll.holds(source, of: member.id) else { return false }
    return muteAll.mayUnmute || !member.permissions.contains(.moderate)
  }

  /// Ends what a participant sends of `sources`, as when a share is stopped. It may be started again, with a new track. False when
  /// there is no such participant.
  @discardableResult
  func stop(_ sources: Set<TrackSource>, of id: String) -> Bool {
    guard let member = members[id] else { return false }
    unpublish(member, .removed) { sources.contains($0.info.source) }
    return true
  }

  // MARK: Rights

  /// Gives a participant exactly these permissions, as far as its role may have them. What is published without one ends; without
  /// `subscribe` its slots are emptied. The participant is told `permissions`. False when there is no such participant.
  @discardableResult
  func setPermissions(_ permissions: Permissions, of id: String) -> Bool {
    guard let member = members[id] else { return false }
    member.decisions.set(permissions, of: member.admission.grant, chat: meeting.chat)
    decided.note(member.decisions, of: member.admission.grant)
    settle(member)
    return true
  }

  /// Gives a participant a role, with the permissions that it brings by the meeting's rules. Nobody becomes hidden who was seen before, nor is
  /// seen who was hidden.
  /// False for that, and when there is no such participant.
  @discardableResult
  func setRole(_ role: Role, of id: String) -> Bool {
    guard let member = members[id], (role == .hidden) == member.isHidden else { return false }
    member.decisions.set(role, of: member.admission.grant, chat: meeting.chat)
    decided.note(member.decisions, of: member.admission.grant)
    settle(member)
    return true
  }

  /// What a member is and may do by its token, the meeting's rules and what hosts have decided.
  func rights(of member: RoomMember) -> (role: Role, permissions: Permissions) {
    member.decisions.rights(of: member.admission.grant, chat: meeting.chat)
  }

  /// Gives a member what is its by right now, after any of that has changed.
  func settle(_ member: RoomMember) {
    let (role, permissions) = rights(of: member)
    guard member.role != role || member.permissions != permissions else { return }
    let before = member.permissions
    member.role = role
    member.permissions = permissions
    member.knowsDataIsRefused = member.knowsDataIsRefused && !permissions.contains(.data)
    unpublish(member, .notAllowed) { !permissions.contains(Self.permission(for: $0.info.source)) }
    tellPermissions(member)
    announce(.participantUpdated(member.info), about: member)
    if before.contains(.moderate) != permissions.contains(.moderate) { hostsChanged(member) }
    guard before.contains(.subscribe) != permissions.contains(.subscribe) else { return }
    member.askedFor = (0, 0)
    forgetReceiver(member)
    codecChanges.receivers.insert(member.id)
    notifyCodecs()
    refill(member, ranked())
    member.channel?.send(.room(.state(state(for: member))))
  }

  /// Who becomes a host lets in whoever waited for one, and hears who waits; who is none any more hears of nobody who waits.
  private func hostsChanged(_ member: RoomMember) {
    if member.permissions.contains(.moderate) {
      hostCame(member)
    } else {
      member.channel?.send(.lobby(LobbyInfo(locked: lobby.isLocked)))
    }
  }

  func tellPermissions(_ member: RoomMember) {
    member.channel?.send(.room(.permissions(role: member.role.signalingName, permissions: member.permissions.names)))
  }

  // MARK: What offers bring

  /// Ends publications of a participant: they are muted for good and in nobody's slot any more. Their m-sections are taken for nothing else
  /// until an offer leaves them out, so that a client that has not heard of it yet does not publish them again.
  func unpublish(
    _ member: RoomMember, _ reason: UnpublishReason, where isMeant: (RoomMember.Publication) -> Bool
  ) {
    let ended = member.publications.filter(isMeant)
    guard !ended.isEmpty else { return }
    member.publications.removeAll(where: isMeant)
    let id = member.id
    for publication in ended {
      let key = RoomMember.trackKey(publication.mid, publication.info.source)
      member.stoppedTracks.insert(key)
      member.refusedTracks.insert(key)
      let track = publication.info.id
      forgetCodecs(of: track)
      post {
        await $0.setMuted(true, publication: PublicationID(rawValue: track), of: ParticipantID(rawValue: id))
      }
      broadcast(.unpublished(participant: id, publication: track, reason: reason))
      note(.publicationRemoved(member.person, publication.info))
    }
    refill()
  }

  /// What of an accepted offer is published now: it may have been forbidden or muted while the media server worked on it.
  func published(_ tracks: [MediaTrack], _ accepted: [MID: [NegotiatedCodec]], by member: RoomMember) -> [RoomMember
    .Publication]
  {
    let before = member.publications
    let id = member.id
    return tracks.filter { accepted[$0.offer.mid] != nil }.compactMap { track in
      var publication = Self.publication(track)
      let same = before.first { $0.info.id == track.publication }
      publication.demand = same?.demand
      if let same { publication.codecs = same.codecs }
      publication.codecs.renegotiate(accepted[track.offer.mid] ?? [])
      if let same { publication.info.created = same.info.created }
      let isKept =
        same.map { _ in true } ?? !member.stoppedTracks.contains(RoomMember.trackKey(track.mid, track.source))
      let isAllowed = member.permissions.contains(Self.permission(for: track.source))
      let isHeld = same?.info.mutedByHost == true || same == nil && startsMuted(track.source, member)
      if isHeld {
        publication.info.muted = true
        publication.info.mutedByHost = true
      }
      if isHeld && !track.muted || !isKept || !isAllowed {
        post { await $0.setMuted(true, publication: track.offer.publication, of: ParticipantID(rawValue: id)) }
      }
      return isKept && isAllowed ? publication : nil
    }
  }
}
