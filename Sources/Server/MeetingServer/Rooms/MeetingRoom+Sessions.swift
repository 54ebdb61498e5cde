import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// The calls of signalling and the directory.
extension MeetingRoom {
  /// Handles a join request: reserves the session, negotiates the media, then notifies everybody; or puts the request
  /// into the lobby, and returns. `quota` is why its tenant may have no more participants; a request that waits doesn't
  /// get it as an answer.
  @discardableResult
  func join(_ request: JoinRequest, quota: LimitReached? = nil) async throws(Refusal) -> Entry {
    let id = request.session.participant
    do throws(Refusal) {
      try await restore()
    } catch {
      update { $0.abandonJoin(of: id, isReserved: request.isAdmitted) }
      throw error
    }
    let decision = try update { machine throws(Refusal) in try machine.beginJoin(request, quota: quota) }
    let tracks: [MediaTrack]
    switch decision {
    case .waits(let reason): return .waits(reason)
    case .negotiates(let wanted): tracks = wanted
    }
    let (isEncrypted, isSmall) = (machine.isEncrypted, machine.isSmall)
    let answer = await negotiate { [media, identity] () throws(MediaWorkerError) in
      try await media.join(
        ParticipantID(rawValue: id), meeting: identity.id, offer: request.join.offer, tracks: tracks.map(\.offer),
        reached: request.reached, isEncrypted: isEncrypted, isSmall: isSmall)
    }
    // Their audit entries are on the disk before they get the welcome.
    if try update({ machine throws(Refusal) in try machine.joinAnswered(id, answer) }) {
      _ = await events.isWritten(lastEvent)
    }
    if let mode = machine.undecidedMode {
      let kept = await dependencies.decided(mode)
      try update { machine throws(Refusal) in try machine.modeDecided(kept, askedBy: id) }
    }
    let iceServers = dependencies.iceServers()
    try update { machine throws(Refusal) in
      let seconds = Int64(machine.now.date.timeIntervalSince1970)
      try machine.completeJoin(of: id, iceServers: iceServers.serversInside(now: seconds))
    }
    return .enters
  }

  /// Gives a session another socket in place of a lost (or half-open) one.
  func resume(participant: String, channel: SignalingChannel, origin: String?) throws(Refusal) {
    try update { machine throws(Refusal) in
      try machine.resume(participant: participant, over: channel, origin: origin)
    }
  }

  /// Handles a message that came over a socket, and returns when the next one may be.
  func handle(
    _ message: ClientMessage, id number: Int? = nil, size: Int = 0, from participant: String, channel: SignalingChannel
  ) async {
    await run(.message(message, id: number, size: size, from: participant, over: channel))
  }

  /// A socket is gone: its session is kept for the resume window.
  func detach(participant: String, channel: SignalingChannel) {
    apply(.detach(participant: participant, channel))
  }

  /// Replaces a participant's token by another one, which was verified. It has to be for this very meeting and the same
  /// holder.
  func renew(_ admission: Admission, of participant: String, id: Int?, _ channel: SignalingChannel) {
    apply(.renewToken(admission, participant: participant, id: id, channel))
  }

  /// Ends the sessions of participants with a token that isn't valid any more, and sends those away who wait with it.
  func revoke(_ token: TokenID, of tenant: TenantID) { apply(.revokeToken(token, tenant)) }

  /// The same for everybody whose token was signed with an API secret that is retired.
  func retire(_ key: String, of tenant: TenantID) { apply(.retireKey(key, tenant)) }

  /// Applies a newer record of the meeting.
  func change(_ record: MeetingRecord) { apply(.changeMeeting(record)) }

  /// Ends the meeting for everybody.
  func end(_ reason: EndReason, _ message: String) { apply(.end(reason, message)) }

  /// Closes the room when nobody is in it, on the way in or waiting; true when it is closed.
  func closeIfEmpty() -> Bool { update { $0.closeIfEmpty() } }

  /// Waits until the media plane has done everything that was asked of it.
  func drainMedia() async { await queue.run {} }

  /// Waits until the room's journal is on the disk; false when it can't be written just now.
  func isKept() async -> Bool {
    update { $0.keepState() }
    return await dependencies.running?.isWritten(journalPlace, of: identity.id) ?? true
  }

  // MARK: Data messages

  /// The receivers of a data message of `sender`: the participants in `to` who are here, or everybody else.
  func receivers(of sender: String, to: [String]?, bytes: Int) -> [String] {
    update { $0.receivers(of: sender, to: to, bytes: bytes) }
  }

  /// Notifies a participant of something that was refused, if it has a socket.
  func refuse(_ refusal: SignalingRefusal, to participant: String) {
    apply(.refuse(refusal, participant: participant))
  }
}
