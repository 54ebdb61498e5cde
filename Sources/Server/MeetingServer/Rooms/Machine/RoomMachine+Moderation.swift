import Basics
import Meetings
import RTC
import Signaling

/// Actions on participants. Nothing here authorises: signalling (``authorise(_:by:)``) and the REST API do that before.
extension RoomMachine {
  // MARK: Spotlight

  /// Has everybody show one participant large, whose tracks then come before all others; nil for nobody.
  func setSpotlight(_ id: String?) {
    journal.absentSpotlight = nil
    guard moderation.spotlight != id else { return }
    moderation.spotlight = id
    broadcast(.room(.spotlight(id)))
    refill()
  }

  // MARK: Removing

  /// Takes a participant out of the meeting: it gets `ended`, the others its removal. Its token admits it again, but
  /// gives no host's rights over REST until it has joined. False when there is no such participant.
  @discardableResult
  func removeParticipant(_ id: String, message: String) -> Bool {
    guard let member = roster[id] else { return false }
    member.channel?.end(.removed, message)
    output.append(.sessionEnded(.init(resumeToken: member.resumeToken, reason: .removed, message: message)))
    moderation.overrides.noteRemoval(of: member.admission.grant, chat: meeting.chat)
    remove(member, reason: .removed)
    keepState()
    return true
  }

  /// Removes a participant permanently, with the user's other sessions. Its token doesn't admit it to this meeting
  /// again. Neither does another token of the same user, if the token names a user. Otherwise, where bans go by
  /// addresses too, no token from its network does for a day.
  ///
  /// The ban holds at once while the room stands, and longer once it is written. False when there is no such
  /// participant.
  func ban(_ id: String, message: String) -> Bool {
    guard let member = roster[id] else { return false }
    let (grant, address) = (member.admission.grant, member.address)
    moderation.ban(grant, in: setup.identity.id, address: address)
    for session in [member] + otherSessions(of: member) { removeParticipant(session.id, message: message) }
    output.append(.ban(grant, address))
    return true
  }

  /// Whether the holder of a grant was banned from this meeting while the room stood.
  func isBanned(_ grant: JoinGrant, from address: IPAddress? = nil) -> Bool {
    moderation.isBanned(grant, in: setup.identity.id, address: address)
  }

  // MARK: Muting

  /// Mutes a participant's tracks of `sources`, marked as muted by a host. Nothing of them is forwarded until the
  /// client sends `mute` with false; an offer doesn't unmute. False when there is no such participant.
  @discardableResult
  func forceMute(participant id: String, sources: Set<TrackSource>) -> Bool {
    guard let member = roster[id] else { return false }
    for index in member.publications.indices where sources.contains(member.publications[index].info.source) {
      guard !member.publications[index].info.muted else { continue }
      member.publications[index].info.muted = true
      member.publications[index].info.mutedByHost = true
      let publication = member.publications[index].info
      media(.setMuted(true, publication: publication.id, participant: id))
      broadcast(.publicationUpdated(participant: id, publication: publication))
    }
    return true
  }

  /// Mutes the tracks of everybody for which `order` holds. With `includingLater`, later publications start muted too,
  /// also those of participants who join later, until ``liftMuteAll()``.
  ///
  /// Everybody may unmute themselves, as with LiveKit and OpenTok. An order can forbid that, as in Jitsi's moderated
  /// meetings: then only hosts, exceptions, and participants who are asked to unmute may. It covers later publications
  /// too, or a rejoin would be a way around it.
  func muteAll(_ order: MuteAll, includingLater: Bool) {
    if includingLater || !order.mayUnmute {
      moderation.muteAll = order
      broadcast(.room(.muteAll(order.info)))
    }
    for member in roster.members {
      forceMute(participant: member.id, sources: order.sources.filter { order.holds($0, of: member.id) })
    }
  }

  /// New publications start as their senders want, and everybody may unmute themselves. Muted tracks stay muted.
  func liftMuteAll() {
    guard moderation.muteAll != nil else { return }
    moderation.muteAll = nil
    broadcast(.room(.muteAll(nil)))
  }

  /// Ends a participant's tracks of `sources`, as when a share is stopped. The participant may publish a new track.
  /// False when there is no such participant.
  @discardableResult
  func stop(_ sources: Set<TrackSource>, of id: String) -> Bool {
    guard let member = roster[id] else { return false }
    unpublish(member, .removed) { sources.contains($0.info.source) }
    return true
  }

  // MARK: Rights

  /// Gives a participant exactly these permissions, as far as its role may have them. Publications without permission
  /// end; without `subscribe` its slots are emptied. The participant gets `permissions`. False when there is no such
  /// participant.
  @discardableResult
  func setPermissions(_ permissions: Permissions, of id: String) -> Bool {
    guard let member = roster[id] else { return false }
    member.decisions.set(permissions, of: member.admission.grant, chat: meeting.chat)
    applyDecisions(about: member)
    return true
  }

  /// Gives a participant a role, with its permissions by the meeting's rules. False when there is no such participant,
  /// and for a role that would hide a visible one or show a hidden one.
  @discardableResult
  func setRole(_ role: Role, of id: String) -> Bool {
    guard let member = roster[id], (role == .hidden) == member.isHidden else { return false }
    member.decisions.set(role, of: member.admission.grant, chat: meeting.chat)
    applyDecisions(about: member)
    return true
  }

  /// Records a host's decision about a member, and applies it to all of the user's sessions: a second tab must not keep
  /// what the first one lost.
  private func applyDecisions(about member: RoomMember) {
    moderation.overrides.note(member.decisions, of: member.admission.grant)
    applyRights(to: member)
    for other in otherSessions(of: member) {
      other.decisions = moderation.overrides.decisions(about: other.admission.grant)
      applyRights(to: other)
    }
  }

  /// The other sessions of the user that a member's token names. None without a user, since several people may have
  /// such a token.
  func otherSessions(of member: RoomMember) -> [RoomMember] {
    guard let user = member.admission.grant.user else { return [] }
    return roster.members.filter { $0 !== member && $0.admission.grant.user == user }
  }

  /// The present role and permissions of a member, by its token, the meeting's rules and hosts' decisions.
  func rights(of member: RoomMember) -> (role: Role, permissions: Permissions) {
    member.decisions.rights(of: member.admission.grant, chat: meeting.chat)
  }

  /// Applies a member's rights after something has changed that they depend on.
  func applyRights(to member: RoomMember) {
    let (role, permissions) = rights(of: member)
    guard member.role != role || member.permissions != permissions else { return }
    let before = member.permissions
    member.role = role
    member.permissions = permissions
    member.wasToldOfData = member.wasToldOfData && !permissions.contains(.data)
    unpublish(member, .notAllowed) { !permissions.contains(Self.permission(for: $0.info.source)) }
    notifyPermissions(member)
    announce(.participantUpdated(member.info), about: member)
    if before.contains(.moderate) != permissions.contains(.moderate) { hostsChanged(member) }
    guard before.contains(.subscribe) != permissions.contains(.subscribe) else { return }
    member.requestedSlots = .init()
    forgetReceiver(member)
    codecs.receivers.insert(member.id)
    notifyCodecs()
    refill(member, ranked())
    member.channel?.send(.room(.state(state(for: member))))
  }

  /// A new host lets in participants who waited for one, and gets the lobby's list. A former host gets an empty list.
  private func hostsChanged(_ member: RoomMember) {
    if member.permissions.contains(.moderate) {
      hostArrived()
    } else {
      member.channel?.send(.lobby(LobbyInfo(locked: lobby.isLocked)))
    }
  }

  func notifyPermissions(_ member: RoomMember) {
    member.channel?.send(.room(.permissions(role: member.role.signalingName, permissions: member.permissions.names)))
  }

  // MARK: Publications

  /// Ends publications of a participant: they are muted permanently and leave all slots. Their m-sections stay unused
  /// until an offer leaves them out, so a client that doesn't know yet can't publish them again.
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
      media(.setMuted(true, publication: track, participant: id))
      broadcast(.unpublished(participant: id, publication: track, reason: reason))
      report(.publicationRemoved(member.person, publication.info))
    }
    refill()
  }

  /// The publications of an accepted offer. Tracks may have been forbidden or muted while the media server worked on
  /// it.
  func published(_ tracks: [MediaTrack], _ accepted: [MID: [NegotiatedCodec]], by member: RoomMember) -> [RoomMember
    .Publication]
  {
    let before = member.publications
    let id = member.id
    return tracks.filter { accepted[$0.offer.mid] != nil }.compactMap { track in
      var publication = publication(track)
      let same = before.first { $0.info.id == track.publication }
      publication.demand = same?.demand
      if let same { publication.codecs = same.codecs }
      publication.codecs.renegotiate(accepted[track.offer.mid] ?? [])
      if let same { publication.info.created = same.info.created }
      let isKept =
        same.map { _ in true } ?? !member.stoppedTracks.contains(RoomMember.trackKey(track.mid, track.source))
      let isAllowed = member.permissions.contains(Self.permission(for: track.source))
      let isHeld = same?.info.mutedByHost == true || same == nil && moderation.startsMuted(track.source, member)
      if isHeld {
        publication.info.muted = true
        publication.info.mutedByHost = true
      }
      if isHeld && !track.muted || !isKept || !isAllowed {
        media(.setMuted(true, publication: track.publication, participant: id))
      }
      return isKept && isAllowed ? publication : nil
    }
  }
}
