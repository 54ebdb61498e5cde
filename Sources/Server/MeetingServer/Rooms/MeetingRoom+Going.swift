import Basics
import Meetings
import Signaling

/// How somebody goes, and how the meeting ends.
extension MeetingRoom {
  /// A socket is gone: the place is held for the resume window.
  func detach(participant: String, channel: SignalingChannel) {
    guard let member = members[participant], member.channel?.id == channel.id else {
      return forget(participant, channel)
    }
    let before = member.connection
    member.channel = nil
    startExpiry(of: member)
    if member.connection != before { announce(.participantUpdated(member.info), about: member) }
  }

  /// Ends the meeting for everybody.
  func end(_ reason: EndReason, _ message: String) {
    guard !isClosed else { return }
    for member in members.values { member.channel?.end(reason, message) }
    for waiter in lobby.takeAll() {
      waiter.channel.end(reason, message)
      noteGone(waiter)
    }
    for member in members.values {
      cancelExpiry(of: member)
      doors.expelled(.init(resumeToken: member.resumeToken, reason: reason, message: message))
      onLeft(member.resumeToken)
      let id = member.id
      post { await $0.leave(ParticipantID(rawValue: id)) }
      noteLeft(member, reason: reason.rawValue)
    }
    members = [:]
    // What a killed server has left had begun, and ends here when nobody has come back yet; when the server only goes, it waits on.
    if keeping.isRestored, !keeping.wasEntered, reason != .shutdown { hasStarted = true }
    noteEnded(reason: reason.rawValue)
    finish(isLeaving: reason == .shutdown)
  }

  /// Closes the room when nobody is in it, on the way in or waiting; true when it is closed.
  func closeIfEmpty() -> Bool {
    if isClosed { return true }
    guard members.isEmpty, reserved == 0, lobby.isEmpty else { return false }
    noteEnded(reason: "empty")
    finish(isLeaving: true)
    return true
  }

  /// Waits until the media plane has done all that was asked of it.
  func settle() async { await queue.run {} }

  /// How many are in the room.
  var count: Int { members.count }

  func remove(_ member: RoomMember, reason: LeaveReason) {
    guard members[member.id] === member else { return }
    members[member.id] = nil
    quality[member.id] = nil
    cancelExpiry(of: member)
    onLeft(member.resumeToken)
    let id = member.id
    post { await $0.leave(ParticipantID(rawValue: id)) }
    noteLeft(member, reason: reason.rawValue)
    if !member.isHidden { broadcast(.participantLeft(id: id, reason: reason)) }
    forget(member)
    for publication in member.publications { forgetCodecs(of: publication.info.id) }
    forgetReceiver(member)
    notifyCodecs()
    if !member.publications.isEmpty { refill() }
  }

  func startExpiry(of member: RoomMember) {
    guard member.expiry == nil else { return }
    let id = member.id
    let window = limits.resumeWindow
    member.expiry = Task { [weak self] in
      guard (try? await Task.sleep(for: window)) != nil else { return }
      await self?.windowPassed(for: id)
    }
  }

  func cancelExpiry(of member: RoomMember) {
    member.expiry?.cancel()
    member.expiry = nil
  }

  private func windowPassed(for id: String) {
    guard let member = members[id], member.connection == .reconnecting, !Task.isCancelled else { return }
    member.channel?.fail(.resumeExpired, "The connection was lost for too long. Join again.")
    remove(member, reason: .timeout)
  }
}
