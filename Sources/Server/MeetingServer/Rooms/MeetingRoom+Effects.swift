import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// How the effects of the machine are carried out.
extension MeetingRoom {
  /// Carries effects out in their order, and returns the wait of the command, if any.
  @discardableResult
  func carryOut(_ effects: [RoomEffect]) -> RoomWait? {
    var wait: RoomWait?
    for effect in effects {
      switch effect {
      case .send(let message, let channel): channel.send(message)
      case .broadcast(let message, let channels):
        guard let text = try? SignalingEncoder().encode(message) else { continue }
        for channel in channels { channel.send(text: text) }
      case .admit(let channel, let message): channel.admit(with: message)
      case .fail(let channel, let refusal): channel.fail(refusal)
      case .end(let channel, let reason, let message): channel.end(reason, message)
      case .close(let channel): channel.close()
      case .media(let operation): post(operation)
      case .listen: listen()
      case .journal(let change):
        guard let running = dependencies.running else { continue }
        journalPlace = running.add(RunningWrite(change, of: identity.id, tenant: identity.tenant))
      case .awaitJournal(let write): awaitJournal(write)
      case .leftMeetingGoesOn: dependencies.running?.resumed(identity.id)
      case .acknowledge(let acknowledgement): acknowledge(acknowledgement)
      case .event(let event): lastEvent = events.add(event)
      case .log(let level, let event, let fields): write(level, event, fields)
      case .count(let counter): count(counter)
      case .removeFiles(let ids):
        guard let files = dependencies.files else { continue }
        Task { for id in ids { await files.remove(id) } }
      case .removeAllFiles:
        guard let files = dependencies.files else { continue }
        Task { [filesKey] in await files.removeAll(of: filesKey) }
      case .resumeFiles:
        guard let files = dependencies.files else { continue }
        Task { [filesKey] in await files.resume(filesKey) }
      case .sessionEnded(let tombstone): dependencies.sessionEnded(tombstone)
      case .left(let resumeToken): onLeft(resumeToken)
      case .ban(let grant, let address):
        ban = Task { [dependencies] in await dependencies.banned(grant, address) }
      case .refreshToken(let participant, let admission): refreshToken(of: participant, admission)
      case .lobby(let event): onLobby(self, event)
      case .closed: onEnded(self)
      case .wait(let next): wait = next
      }
    }
    return wait
  }

  // MARK: Media plane

  private func post(_ operation: RoomMediaOperation) {
    let (media, meeting) = (media, identity.id)
    switch operation {
    case .leave(let participant): queue.post { await media.leave(ParticipantID(rawValue: participant)) }
    case .setMuted(let isMuted, let publication, let participant):
      queue.post {
        await media.setMuted(
          isMuted, publication: PublicationID(rawValue: publication), of: ParticipantID(rawValue: participant))
      }
    case .setViews(let views, let receiver):
      queue.post { await media.setViews(views.map { SlotSize($0) }, of: ParticipantID(rawValue: receiver)) }
    case .assign(let assignments, let receiver):
      queue.post { [weak self] in
        let refused = await media.assign(assignments, of: ParticipantID(rawValue: receiver)).map(\.rawValue)
        if !refused.isEmpty { await self?.slotsRefused(refused, receiver) }
      }
    case .close: queue.post { await media.close(meeting: meeting) }
    }
  }

  private func slotsRefused(_ mids: [String], _ receiver: String) { apply(.slotsRefused(mids, receiver: receiver)) }

  private func listen() {
    let id = identity.id
    queue.post { [weak self, media] in
      let events = await media.events(of: id)
      // Ends with the events, which `close(meeting:)` ends.
      Task { [weak self] in for await event in events { await self?.handle(event) } }
    }
    let relay = DataRelay(media: media, counters: counters, log: log, meeting: id.rawValue)
    queue.post { [weak self, media] in
      let events = await media.dataEvents(of: id)
      // Ends with the stream, which `close(meeting:)` ends.
      Task { [weak self] in await relay.run(events) { [weak self] in self } }
    }
  }

  private func handle(_ event: MediaEvent) { apply(.media(event)) }

  // MARK: Journal and audit log

  private func awaitJournal(_ write: UInt64) {
    guard let running = dependencies.running else { return }
    Task { [journalPlace] in
      let isWritten = await running.isWritten(journalPlace, of: identity.id)
      apply(.journalWritten(through: write, isWritten))
    }
  }

  /// Answers a request as soon as all its results are on the disk.
  private func acknowledge(_ acknowledgement: RoomAcknowledgement) {
    let (id, channel, running, place) = (
      acknowledgement.id, acknowledgement.channel, dependencies.running, journalPlace
    )
    if !acknowledgement.awaitsEvents, acknowledgement.ending == nil,
      running?.has(place, of: identity.id) ?? true
    {
      return channel.send(.room(.done(id: id)))
    }
    let ban = acknowledgement.awaitsBan ? ban : nil
    let event = acknowledgement.awaitsEvents ? lastEvent : nil
    let (ending, write) = (acknowledgement.ending, acknowledgement.write)
    Task { [events, meeting = identity.id] in
      if let ban, !(await ban.value) {
        let sentence = "They are out, but the server could not write down that they may not come back."
        return channel.refuse(.init(.internalError, sentence), id: id)
      }
      let isKept = await running?.isWritten(place, of: meeting) ?? true
      if running != nil { apply(.journalWritten(through: write, isKept)) }
      let isReported = if let event { await events.isWritten(event) } else { true }
      channel.answer(id, isWritten: isKept && isReported)
      if let ending { channel.end(.endedByHost, ending) }
    }
  }

  // MARK: Everything else

  private func refreshToken(of participant: String, _ admission: Admission) {
    Task { [weak self, dependencies] in
      guard let fresh = await dependencies.refreshed(admission) else { return }
      await self?.refreshed(fresh, participant, admission.grant)
    }
  }

  private func refreshed(_ fresh: RefreshedToken, _ participant: String, _ grant: JoinGrant) {
    apply(.tokenRefreshed(fresh, participant: participant, insteadOf: grant))
  }

  private func write(_ level: Log.Level, _ event: String, _ fields: KeyValuePairs<String, any Sendable>) {
    switch level {
    case .debug: log.debug(event, fields)
    case .info: log.info(event, fields)
    case .warning: log.warning(event, fields)
    case .error: log.error(event, fields)
    }
  }

  private func count(_ counter: RoomCounter) {
    switch counter {
    case .chatMessage: counters.chatMessages.add(1)
    case .signal: counters.signals.add(1)
    case .resumed: counters.resumes.add(1)
    case .waiting: counters.knocks.add(1)
    case .refusedJoin: counters.refusedJoins.add(1)
    case .keyEnvelopes(let count): counters.keyEnvelopes.add(UInt64(count))
    case .droppedKeyEnvelopes(let count): counters.droppedKeyEnvelopes.add(UInt64(count))
    case .limit(let limit): counters.limits.add(limit)
    }
  }
}
