import Basics
import FoundationEssentials
import Meetings
import Signaling

/// How join tokens end for who is in a meeting.
public struct TokenRules: Sendable, Equatable {
  /// How long before its end somebody is told, in seconds; at most half of the time that is left of it.
  public var notice: Double = 60
  /// Whether a place ends with its token, where the tenant does not say. Otherwise a token only opens the door, as with other meeting servers:
  /// who is in stays.
  public var endsPlaces = false
}

/// A token with which somebody can come back.
struct RefreshedToken: Sendable {
  var token: Secret<String>
  var expires: Date
}

/// What a room remembers of a member's token.
struct TokenWatch {
  /// When something is to be done about it; nil when nothing is.
  var due: Date?
  /// Whether its holder was told that it ends.
  var isTold = false
  /// The last one that the server has made for coming back.
  var refreshed: RefreshedToken?
}

/// What becomes of a place when its token ends, and how the token is renewed.
extension MeetingRoom {
  // MARK: Renewing

  /// Puts another token in the place of a member's own. It has to be for this very meeting and the same holder; what it grants more or less
  /// than the one before holds at once by the rules that hold for whoever comes, and what a host has given or taken meanwhile stays.
  func renew(_ admission: Admission, of participant: String, id: Int?, _ channel: SignalingChannel) {
    guard let member = members[participant], member.channel?.id == channel.id else {
      channel.refuse(.notAllowed, "You are not in the meeting yet: wait until you are let in.", id: id)
      return
    }
    let grant = admission.grant
    // Two tenants can have rooms of the same name.
    guard admission.meeting.id == identity.id, admission.tenant.id == member.admission.tenant.id else {
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
    member.admission = admission
    if member.decisions != HostDecisions() { decided.note(member.decisions, of: grant) }
    keepState()
    settle(member)
    watchToken(of: member)
    log.info("token.renewed", ["meeting": identity.id, "participant": participant, "token": grant.id])
    if let id { channel.send(.room(.done(id: id))) }
  }

  /// Whether a place ends with the token of this admission: by its tenant's rule, or else by the server's.
  func endsPlace(of admission: Admission) -> Bool {
    admission.tenant.policy.tokenExpiry.map { $0 == .leave } ?? limits.tokens.endsPlaces
  }

  // MARK: Revoking

  /// Ends the places of those who are in with a token that is refused from now on, and sends away who waits with it. What they were given to
  /// come back with bears the same id, and is refused too.
  func revoke(_ token: TokenID, of tenant: TenantID) {
    endPlaces("Your join token was revoked. Ask for a new one.") { $0.id == token && $0.tenant == tenant }
  }

  /// The same for everybody whose token goes back to an API secret that is out of use.
  func retire(_ key: String, of tenant: TenantID) {
    endPlaces("The secret that your join token was signed with is out of use. Ask for a new token.") {
      $0.key == key && $0.tenant == tenant
    }
  }

  private func endPlaces(_ message: String, where isMeant: (JoinGrant) -> Bool) {
    for member in members.values where isMeant(member.admission.grant) {
      log.info("token.revoked", ["meeting": identity.id, "participant": member.id])
      member.channel?.end(.tokenRevoked, message)
      doors.expelled(.init(resumeToken: member.resumeToken, reason: .tokenRevoked, message: message))
      remove(member, reason: .removed)
    }
    let waiting = lobby.waiters.filter { isMeant($0.newcomer.admission.grant) }
    for waiter in waiting.compactMap({ lobby.take($0.id) }) {
      noteGone(waiter)
      turnAway(waiter, .badToken, message)
    }
    if !waiting.isEmpty { lobbyChanged() }
  }

  // MARK: Watching

  /// Begins to watch the token of a member, anew when it has another one.
  func watchToken(of member: RoomMember) {
    let end = member.admission.grant.end
    member.token = TokenWatch()
    // The meeting's own end comes first, and says more.
    if let last = meeting.expires, last <= end { return }
    let now = Date()
    // Whoever renews as soon as it is told must not be told again at once.
    member.token.due = max(end.addingTimeInterval(-limits.tokens.notice), now + max(0, end.timeIntervalSince(now) / 2))
    schedule(member.token.due)
  }

  /// Tells a new socket of a member what the one before was told.
  func tellToken(_ member: RoomMember) {
    if member.token.isTold { tellExpiring(member, now: Date()) }
    if let fresh = member.token.refreshed, fresh.expires > Date() {
      member.channel?.send(.token(.refreshed(token: fresh.token.value, expires: fresh.expires)))
    }
  }

  /// Has ``tokensAreDue()`` called at `time`, if it would come later or not at all.
  private func schedule(_ time: Date?) {
    guard let time, !isClosed else { return }
    if let tokenTimer, tokenTimer.time <= time { return }
    tokenTimer?.task.cancel()
    // The machine's clock may be set meanwhile, so it is looked at every hour.
    let pause = min(max(0, time.timeIntervalSince(Date())), 3_600)
    let task = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(pause))) != nil else { return }
      await self?.tokensAreDue()
    }
    tokenTimer = (task, time)
  }

  private func tokensAreDue() {
    guard !Task.isCancelled, !isClosed else { return }
    tokenTimer = nil
    let now = Date()
    for member in members.values {
      if let due = member.token.due, due <= now { tokenIsDue(of: member, now: now) }
    }
    schedule(members.values.compactMap(\.token.due).min())
  }

  private func tokenIsDue(of member: RoomMember, now: Date) {
    let end = member.admission.grant.end
    if !member.token.isTold {
      member.token.isTold = true
      tellExpiring(member, now: now)
    }
    guard endsPlace(of: member.admission) else { return refresh(member, now: now) }
    guard now >= end else {
      member.token.due = end
      return
    }
    let message = "Your join token has ended, and on this server nobody stays without one. Join again with a new one."
    log.info("token.ended", ["meeting": identity.id, "participant": member.id])
    member.channel?.end(.tokenExpired, message)
    doors.expelled(.init(resumeToken: member.resumeToken, reason: .tokenExpired, message: message))
    remove(member, reason: .left)
  }

  private func tellExpiring(_ member: RoomMember, now: Date) {
    let seconds = member.admission.grant.end.timeIntervalSince(now)
    guard seconds > 0 else { return }
    let whole = Int(min(seconds.rounded(.up), 1e9))
    member.channel?.send(.token(.expiring(seconds: whole, leaves: endsPlace(of: member.admission))))
  }

  /// Gives a member another token to come back with, and again in time, for as long as it is there. Its own would not open the door any more
  /// when its place is lost with the network.
  private func refresh(_ member: RoomMember, now: Date) {
    member.token.due = now.addingTimeInterval(JoinAuthority.refreshedLifetime / 2)
    let (id, admission) = (member.id, member.admission)
    Task { [weak self, doors] in
      guard let fresh = await doors.refreshed(admission) else { return }
      await self?.take(fresh, for: id, insteadOf: admission.grant)
    }
  }

  private func take(_ fresh: RefreshedToken, for id: String, insteadOf grant: JoinGrant) {
    // It may have been renewed meanwhile.
    guard let member = members[id], member.admission.grant == grant else { return }
    member.token.refreshed = fresh
    member.channel?.send(.token(.refreshed(token: fresh.token.value, expires: fresh.expires)))
  }
}
