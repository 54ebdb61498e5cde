import Basics
import FoundationEssentials
import Meetings
import Signaling

/// The end of join tokens, and how they are renewed.
extension RoomMachine {
  // MARK: Renewing

  /// Replaces a member's token by another one, which has to be for this very meeting and the same holder. Its
  /// permissions apply at once, by the rules for participants who join. Decisions of hosts since the join stay.
  func renewToken(_ admission: Admission, of participant: String, id: Int?, _ channel: RoomChannel) {
    guard let member = roster[participant], member.channel?.id == channel.id else {
      channel.refuse(.notAllowed, "You are not in the meeting yet: wait until you are let in.", id: id)
      return
    }
    let grant = admission.grant
    // Two tenants can have rooms of the same name.
    guard admission.meeting.id == setup.identity.id, admission.tenant.id == member.admission.tenant.id else {
      channel.refuse(.wrongMeeting, "The new token is for another meeting than the one you are in.", id: id)
      return
    }
    guard !isBanned(grant) else {
      channel.refuse(.banned, JoinRefusal.banned.description, id: id)
      return
    }
    guard grant.isSameHolder(as: member.admission.grant) else {
      channel.refuse(
        .notAllowed,
        "The new token is for somebody else than the one you came with: user, name and data have to be the same.",
        id: id)
      return
    }
    let (role, permissions) = member.decisions.rights(of: grant, chat: meeting.chat)
    let hasChanged = role != member.role || permissions != member.permissions
    guard !hasChanged || isRenewalInBudget(id: id, member, channel) else { return }
    member.admission = admission
    if member.decisions != HostDecisions() { moderation.overrides.note(member.decisions, of: grant) }
    keepState()
    applyRights(to: member)
    watchToken(of: member)
    log(.info, "token.renewed", ["meeting": setup.identity.id, "participant": participant, "token": grant.id])
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// Whether a session ends with the token of this admission: by its tenant's rule, or else by the server's.
  func endsSession(of admission: Admission) -> Bool {
    admission.tenant.policy.tokenExpiry.map { $0 == .leave } ?? setup.limits.tokens.endsPlaces
  }

  // MARK: Revoking

  /// Ends the sessions of participants with a token that is refused from now on, and sends away those who wait with it.
  /// The tokens with which they could come back have the same id, and are refused too.
  func revokeToken(_ token: TokenID, of tenant: TenantID) {
    endSessions("Your join token was revoked. Ask for a new one.") { $0.id == token && $0.tenant == tenant }
  }

  /// The same for everybody whose token was signed with an API secret that is retired.
  func retireKey(_ key: String, of tenant: TenantID) {
    endSessions("The secret that your join token was signed with is out of use. Ask for a new token.") {
      $0.key == key && $0.tenant == tenant
    }
  }

  private func endSessions(_ message: String, where isMeant: (JoinGrant) -> Bool) {
    for member in roster.members where isMeant(member.admission.grant) {
      log(.info, "token.revoked", ["meeting": setup.identity.id, "participant": member.id])
      member.channel?.end(.tokenRevoked, message)
      output.append(.sessionEnded(.init(resumeToken: member.resumeToken, reason: .tokenRevoked, message: message)))
      remove(member, reason: .removed)
    }
    let waiting = lobby.waiters.filter { isMeant($0.request.admission.grant) }
    for waiter in waiting.compactMap({ lobby.remove($0.id) }) {
      reportGone(waiter)
      turnAway(waiter, .init(.badToken, message))
    }
    if !waiting.isEmpty { lobbyChanged() }
  }

  // MARK: Watching

  /// Watches the token of a member; replaces the watch when it has another token.
  func watchToken(of member: RoomMember) {
    let end = member.admission.grant.end
    member.token = TokenWatch()
    // The meeting's own end comes first, and clients know it already.
    if let last = meeting.expires, last <= end { return }
    // A client that renews at the first notice must not get another one at once.
    member.token.due = max(
      end.addingTimeInterval(-setup.limits.tokens.notice), now.date + max(0, end.timeIntervalSince(now.date) / 2))
    schedule(member.token.due)
  }

  /// Sends a new socket of a member what the one before it got about the token.
  func notifyToken(_ member: RoomMember) {
    if member.token.isAnnounced { notifyExpiring(member, now: now.date) }
    if let fresh = member.token.refreshed, fresh.expires > now.date {
      member.channel?.send(.token(.refreshed(token: fresh.token.value, expires: fresh.expires)))
    }
  }

  private func schedule(_ time: Date?) {
    guard let time else { return }
    tokenDue = tokenDue.map { min($0, time) } ?? time
  }

  /// The token of some member is due.
  func tokensAreDue() {
    tokenDue = nil
    for member in roster.members {
      if let due = member.token.due, due <= now.date { tokenIsDue(of: member, now: now.date) }
    }
    schedule(roster.members.compactMap(\.token.due).min())
  }

  private func tokenIsDue(of member: RoomMember, now: Date) {
    let end = member.admission.grant.end
    if !member.token.isAnnounced {
      member.token.isAnnounced = true
      notifyExpiring(member, now: now)
    }
    guard endsSession(of: member.admission) else { return refresh(member, now: now) }
    guard now >= end else {
      member.token.due = end
      return
    }
    let message = "Your join token has ended, and on this server nobody stays without one. Join again with a new one."
    log(.info, "token.ended", ["meeting": setup.identity.id, "participant": member.id])
    member.channel?.end(.tokenExpired, message)
    output.append(.sessionEnded(.init(resumeToken: member.resumeToken, reason: .tokenExpired, message: message)))
    remove(member, reason: .left)
  }

  private func notifyExpiring(_ member: RoomMember, now: Date) {
    let seconds = member.admission.grant.end.timeIntervalSince(now)
    guard seconds > 0 else { return }
    let whole = Int(min(seconds.rounded(.up), 1e9))
    member.channel?.send(.token(.expiring(seconds: whole, leaves: endsSession(of: member.admission))))
  }

  /// Gives a member another token to come back with, in time and for as long as it is there. Its first token may have
  /// expired by the time its session is lost with the network.
  private func refresh(_ member: RoomMember, now: Date) {
    member.token.due = now.addingTimeInterval(JoinAuthority.refreshedLifetime / 2)
    output.append(.refreshToken(participant: member.id, member.admission))
  }

  /// Sends a member the token to come back with, unless its own was renewed in the meantime.
  func deliver(_ fresh: RefreshedToken, to id: String, insteadOf grant: JoinGrant) {
    guard let member = roster[id], member.admission.grant == grant else { return }
    member.token.refreshed = fresh
    member.channel?.send(.token(.refreshed(token: fresh.token.value, expires: fresh.expires)))
  }
}
