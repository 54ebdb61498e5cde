import Basics
import Meetings
import Signaling

/// The way of a join request into a room, at once or from the lobby.
extension MeetingDirectory {
  /// Passes a join request to the room of its admission, which is opened if it isn't running. The room lets it in or
  /// makes it wait.
  func join(
    _ joinRequest: JoinRequest, url: String
  ) async throws(MeetingRoom.Refusal) -> MeetingRoom {
    // A room can end between the look-up and the joining; then the next round makes a new one.
    for _ in 0..<4 {
      if isClosed { break }
      let admission = joinRequest.admission
      if rooms[admission.meeting.id] == nil, let why = usage.refusalOfMeeting(of: admission.tenant) {
        throw told(.quota(why), admission.meeting)
      }
      let room = room(for: admission.meeting, url: url)
      entering[admission.meeting.id, default: 0] += 1
      let before = revocations
      do throws(MeetingRoom.Refusal) {
        try await enter(try await looked(at: joinRequest), room)
        await recheck(joinRequest, room, since: before)
        await arrived(at: room)
        return room
      } catch .closed {
        forget(room)
        await arrived(at: room)
      } catch {
        closing.insert(admission.meeting.id)
        await arrived(at: room)
        throw told(error, admission.meeting)
      }
    }
    throw .unavailable("the meeting is ending")
  }

  /// A join request with the meeting as it is stored now. From here on the room gets every change. Without this look, a
  /// change between the check of the token and the making of the room would hold from the next join on only.
  private func looked(
    at joinRequest: JoinRequest
  ) async throws(MeetingRoom.Refusal) -> JoinRequest {
    var joinRequest = joinRequest
    do throws(JoinRefusal) {
      joinRequest.admission = try await current(joinRequest.admission, joinRequest.address)
    } catch {
      if case .unavailable(let why) = error { throw .unavailable(why) }
      throw .refused(error)
    }
    return joinRequest
  }

  /// The same for a participant from the lobby, whose token may have been revoked since. A meeting that was removed
  /// goes on for those who are in or wait.
  private func lookedAgain(
    at joinRequest: JoinRequest
  ) async throws(MeetingRoom.Refusal) -> JoinRequest {
    do throws(MeetingRoom.Refusal) {
      return try await looked(at: joinRequest)
    } catch .refused(.noSuchMeeting) {
      return joinRequest
    }
  }

  /// A token may be revoked between the look at it and the entry into the room, where nobody found its holder yet.
  private func recheck(_ joinRequest: JoinRequest, _ room: MeetingRoom, since before: UInt64) async {
    if revocations != before { await recheck(joinRequest.admission, room) }
  }

  /// Ends the session of a token that is revoked by now.
  func recheck(_ admission: Admission, _ room: MeetingRoom) async {
    do throws(JoinRefusal) {
      _ = try await current(admission, nil)
    } catch {
      if case .badToken = error { await room.revoke(admission.grant.id, of: admission.grant.tenant) }
    }
  }

  private func enter(_ joinRequest: JoinRequest, _ room: MeetingRoom) async throws(MeetingRoom.Refusal) {
    let token = joinRequest.session.resumeToken
    let tenant = joinRequest.admission.tenant
    // The one decision about the tenant's share, made and counted before anything is awaited. The room doesn't report
    // it to participants who have to wait.
    let quota = usage.refusalOfParticipant(of: tenant)
    if quota == nil {
      // Recorded before, so that the room's report of the session's end always finds it.
      places[token] = Held(room: room, participant: joinRequest.session.participant, tenant: tenant.id)
      usage.came(tenant.id)
    }
    do throws(MeetingRoom.Refusal) {
      guard try await room.join(joinRequest, quota: quota) == .enters else {
        // A participant in the lobby has no session, and takes none from the others.
        giveUp(token)
        return
      }
    } catch {
      giveUp(token)
      throw error
    }
    counters.joins.add(1)
    log.info(
      "joined",
      [
        "meeting": room.identity.id, "participant": joinRequest.session.participant,
        "token": joinRequest.admission.grant.id,
        "tenant": tenant.name, "role": joinRequest.admission.grant.role.rawValue,
        "client": String((joinRequest.join.client ?? "").prefix(60)),
      ])
  }

  /// Handles an event of a room's lobby.
  func take(_ event: MeetingRoom.LobbyEvent, of room: MeetingRoom) async {
    // Another room may run under that id by now. A participant whom this room has let in doesn't enter that one.
    guard rooms[room.identity.id] === room else {
      if case .admitted(let joinRequest) = event { turnAway(joinRequest, .closed) }
      return
    }
    switch event {
    case .emptied: await close(room)
    case .admitted(let joinRequest):
      let before = revocations
      do throws(MeetingRoom.Refusal) {
        try await enter(try await lookedAgain(at: joinRequest), room)
        await recheck(joinRequest, room, since: before)
      } catch {
        turnAway(joinRequest, told(error, joinRequest.admission.meeting))
        await close(room)
      }
    }
  }

  private func turnAway(_ joinRequest: JoinRequest, _ refusal: MeetingRoom.Refusal) {
    if case .unavailable(let why) = refusal { log.error("join.failed", ["reason": why]) }
    let answer = refusal.answer
    counters.refusedJoins.add(1)
    log.info("join.refused", ["code": answer.code.rawValue])
    joinRequest.channel.fail(answer)
  }

  /// Somebody who was about to enter a room is in, or was refused.
  private func arrived(at room: MeetingRoom) async {
    let id = room.identity.id
    let others = (entering[id] ?? 1) - 1
    entering[id] = others > 0 ? others : nil
    // Perhaps another one by now.
    if others <= 0, closing.remove(id) != nil, let room = rooms[id] { await close(room) }
  }
}
