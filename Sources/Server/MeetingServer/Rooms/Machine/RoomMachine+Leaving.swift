import Basics
import Meetings
import Signaling

/// How participants leave, and how the meeting ends.
extension RoomMachine {
  /// A socket is gone: its session is kept for the resume window.
  func detach(participant: String, _ channel: RoomChannel) {
    guard let member = roster[participant], member.channel?.id == channel.id else {
      return leaveLobby(participant, channel)
    }
    let before = member.connection
    member.channel = nil
    startExpiry(of: member)
    announceConnection(of: member, was: before)
  }

  /// Notifies everybody that a participant's connection is lost or back. A connection that flaps makes no flood: when
  /// the meeting's budget has no room, the others learn neither of the loss nor of the return.
  func announceConnection(of member: RoomMember, was before: ConnectionState, except: String? = nil) {
    guard member.connection != before else { return }
    switch member.connection {
    case .reconnecting:
      let cost = 2 * (member.announcedBytes + MessageBudget.overhead)
      member.isLossUnannounced =
        budget.spendAnnouncement(cost, isHost: member.permissions.contains(.moderate), now: now.instant) != nil
      if member.isLossUnannounced { return }
    case .connected:
      let isKnown = member.isLossUnannounced
      member.isLossUnannounced = false
      if isKnown { return }
    }
    announce(.participantUpdated(member.info), about: member, except: except)
  }

  /// Ends the meeting for everybody.
  func end(_ reason: EndReason, _ message: String) {
    guard !isClosed else { return }
    for member in roster.members { member.channel?.end(reason, message) }
    for waiter in lobby.removeAll() {
      client(waiter.request.channel).end(reason, message)
      reportGone(waiter)
    }
    for member in roster.removeAll() {
      output.append(.sessionEnded(.init(resumeToken: member.resumeToken, reason: reason, message: message)))
      output.append(.left(resumeToken: member.resumeToken))
      media(.leave(participant: member.id))
      reportLeft(member, reason: reason.rawValue)
    }
    // An orphaned meeting had started, so its end is reported when nobody has come back. When only the server stops, it
    // stays orphaned.
    if journal.isRestored, !journal.wasEntered, reason != .shutdown { lifeCycle.hasStarted = true }
    reportEnded(reason: reason.rawValue)
    finish(isLeaving: reason == .shutdown)
  }

  /// Closes the room when nobody is in it, on the way in or waiting; true when it is closed.
  func closeIfEmpty() -> Bool {
    if isClosed { return true }
    guard roster.isEmpty, lobby.isEmpty else { return false }
    reportEnded(reason: "empty")
    finish(isLeaving: true)
    return true
  }

  /// Closes the room. With `isLeaving`, an orphaned meeting stays for another start when nobody came.
  private func finish(isLeaving: Bool) {
    guard !isClosed else { return }
    lifeCycle.isClosed = true
    endJournal(isLeaving: isLeaving)
    output.append(.closed)
    media(.close)
  }

  func remove(_ member: RoomMember, reason: LeaveReason) {
    guard roster.contains(member) else { return }
    roster.remove(member)
    keyRelay.forget(member.id)
    quality[member.id] = nil
    member.expiry = nil
    output.append(.left(resumeToken: member.resumeToken))
    media(.leave(participant: member.id))
    reportLeft(member, reason: reason.rawValue)
    if !member.isHidden { broadcast(.participantLeft(id: member.id, reason: reason)) }
    forget(member)
    let held = member.chatting.heldFiles.map(\.file.id)
    if !held.isEmpty { output.append(.removeFiles(held)) }
    for publication in member.publications { forgetCodecs(of: publication.info.id) }
    forgetReceiver(member)
    notifyCodecs()
    if !member.publications.isEmpty { refill() }
  }

  /// Removes every reference to a participant who left.
  private func forget(_ member: RoomMember) {
    if moderation.spotlight == member.id { setSpotlight(nil) }
    moderation.muteAll?.forget(member.id)
    pollChanges.insert(polls.forget(member.id), now: now.instant)
    keepState()
  }

  func startExpiry(of member: RoomMember) {
    guard member.expiry == nil else { return }
    let expiry = now.instant + TimeSpan(setup.limits.resumeWindow)
    member.expiry = expiry
    roster.schedule(expiry)
  }

  /// The resume window has passed.
  func sessionExpired(_ member: RoomMember) {
    member.expiry = nil
    guard member.connection == .reconnecting else { return }
    member.channel?.fail(.init(.resumeExpired, "The connection was lost for too long. Join again."))
    remove(member, reason: .timeout)
  }
}
