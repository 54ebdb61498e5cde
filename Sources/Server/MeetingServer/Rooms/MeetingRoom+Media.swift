import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// What the media plane tells the room, and what the room has it do, in order.
extension MeetingRoom {
  func start() {
    guard !isListening else { return }
    isListening = true
    let id = identity.id
    post { [weak self] media in
      let events = await media.events(of: id)
      // Ends with the events, which `close(meeting:)` ends.
      Task { [weak self] in for await event in events { await self?.handle(event) } }
    }
    let relay = DataRelay(media: media, counters: counters, log: log, meeting: id.rawValue)
    post { [weak self] media in
      let events = await media.dataEvents(of: id)
      // Ends with the stream, which `close(meeting:)` ends.
      Task { [weak self] in await relay.run(events) { [weak self] in self } }
    }
    startClock()
  }

  /// Ends the meeting when its time is over.
  func startClock() {
    guard endTask == nil else { return }
    if let end = meeting.expires {
      // The longest that a task sleeps, and the machine's clock may be set meanwhile.
      let seconds = min(max(0, end.timeIntervalSince(Date())), 86_400)
      endTask = Task { [weak self] in
        guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
        await self?.endIsDue()
      }
    }
  }

  private func endIsDue() {
    guard !Task.isCancelled, !isClosed else { return }
    endTask = nil
    guard meeting.isExpired(at: Date()) else { return startClock() }
    end(.expired, "The meeting's time is over.")
  }

  /// Closes the room. The directory is told here, since an end reaches nobody else where people only waited.
  /// What a killed server has left of it stays where `isLeaving` and nobody came.
  func finish(isLeaving: Bool) {
    guard !isClosed else { return }
    isClosed = true
    endKeeping(isLeaving: isLeaving)
    onEnded(self)
    endTask?.cancel()
    pruning?.cancel()
    tokenTimer?.task.cancel()
    codecTimer?.cancel()
    let id = identity.id
    post { await $0.close(meeting: id) }
  }

  func handle(_ event: MediaEvent) {
    switch event {
    case .connected(let participant): setMedia(true, participant.rawValue)
    case .lost(let participant): setMedia(false, participant.rawValue)
    case .publicationStarted: break
    case .speakers(let speakers):
      let known = speakers.map { SpeakerLevel(participant: $0.participant.rawValue, level: $0.level) }.filter {
        members[$0.participant] != nil && $0.level.isFinite
      }
      speechCount += 1
      for level in known.prefix(3) { members[level.participant]?.lastSpoke = speechCount }
      broadcast(.speakers(known))
      if !known.isEmpty { refillCrowded() }
    case .codecChanged(let publication, let codec): codecArrived(codec, publication: publication.rawValue)
    case .layersWanted(let publication, let demand):
      for member in members.values {
        guard let index = member.publications.firstIndex(where: { $0.info.id == publication.rawValue }) else {
          continue
        }
        member.publications[index].demand = demand
        tellDemand(of: member.publications[index], member)
      }
    case .paused(let receiver, let paused):
      guard let member = members[receiver.rawValue] else { return }
      member.paused = Set(paused.map(\.publication.rawValue))
      tellPaused(member)
    case .quality(let participant, let value):
      guard members[participant.rawValue] != nil else { return }
      quality[participant.rawValue] = value
      note(.quality([participant.rawValue: value]))
      tellQualitySoon(of: participant.rawValue)
    case .slots(let carried): follow(carried)
    }
  }

  /// Where many come, each one's first quality goes to everybody: of many at once everybody hears together.
  private func tellQualitySoon(of participant: String) {
    let isFirst = untoldQuality.isEmpty
    untoldQuality.insert(participant)
    guard isFirst else { return }
    Task { [weak self] in
      try? await Task.sleep(for: .milliseconds(500))
      await self?.tellQuality()
    }
  }

  private func tellQuality() {
    let known = visible(quality.filter { untoldQuality.contains($0.key) })
    untoldQuality = []
    if !isClosed, !known.isEmpty { broadcast(.quality(known)) }
  }

  func tellDemand(of publication: RoomMember.Publication, _ member: RoomMember) {
    guard let demand = publication.demand else { return }
    member.channel?.send(.wanted(WantedLayers(mid: publication.mid, demand)))
  }

  func tellPaused(_ member: RoomMember) {
    let slots = member.slots.info.filter { slot in slot.publication.map(member.paused.contains) ?? false }
    member.channel?.send(.paused(slots: slots.map(\.mid), reason: .bandwidth))
  }

  /// The media plane moved slots that follow the loudest voices: their receivers are told whom they hear.
  private func follow(_ carried: [SlotUpdate]) {
    var voices: [String: SlotTable.Candidate] = [:]
    for member in members.values {
      for publication in member.publications where publication.info.kind == .audio {
        voices[publication.info.id] = .init(publication: publication.info.id, participant: member.id, kind: .audio)
      }
    }
    var told: Set<String> = []
    for slot in carried {
      let voice = slot.publication.flatMap { voices[$0.rawValue] }
      let participant = slot.participant.rawValue
      if members[participant]?.slots.carry(voice, in: slot.mid.rawValue) == true { told.insert(participant) }
    }
    for id in told { if let member = members[id] { member.channel?.send(.slots(member.slots.info)) } }
  }

  private func setMedia(_ up: Bool, _ participant: String) {
    guard let member = members[participant], member.hasMedia != up else { return }
    let before = member.connection
    member.hasMedia = up
    if up {
      if member.channel != nil { cancelExpiry(of: member) }
    } else {
      startExpiry(of: member)
    }
    if member.connection != before { announce(.participantUpdated(member.info), about: member) }
  }

  func negotiate(
    _ body: @escaping @Sendable () async throws(MediaWorkerError) -> OfferAnswer
  ) async throws(MediaWorkerError) -> OfferAnswer {
    let result: Result<OfferAnswer, MediaWorkerError> = await queue.run {
      do throws(MediaWorkerError) {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  func post(_ operation: @escaping @Sendable (any MediaPlane) async -> Void) {
    let media = media
    queue.post { await operation(media) }
  }

  /// Tells a publisher which of its tracks nobody can be sent, and why: in the answer such a track only has port 0.
  func notifyRejected(_ tracks: [MediaTrack], _ answer: OfferAnswer, _ channel: SignalingChannel?) {
    for track in tracks {
      guard let reason = answer.rejected[MID(rawValue: track.mid)]?.reason else { continue }
      channel?.refuse(.badOffer, "The track in m-section \(track.mid.prefix(16)) is not published. \(reason)")
    }
  }

  static func mediaTrack(_ track: TrackDescription, publication: String? = nil) -> MediaTrack {
    MediaTrack(
      mid: track.mid, publication: publication ?? "t_" + RandomID.text(characters: 12), source: track.source,
      muted: track.muted, name: track.name.flatMap { DisplayName.clean($0) })
  }

  static func publication(_ track: MediaTrack) -> RoomMember.Publication {
    RoomMember.Publication(
      mid: track.mid,
      info: PublicationInfo(
        id: track.publication, kind: track.source.kind, source: track.source, muted: track.muted, name: track.name,
        created: Date()))
  }
}
