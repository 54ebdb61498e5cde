public import Basics
public import RTC
public import Transport

/// All media workers of a process: puts each meeting on the worker with the least to do, and passes calls on to it.
///
/// A meeting lives on one worker from its first participant to ``close(meeting:)``; callers name participants and meetings
/// only, so that a meeting can span workers later without a change for them.
public actor MediaWorkerPool {
  private let workers: [MediaWorker]
  private var meetings: [MeetingID: Int] = [:]
  private var participants: [ParticipantID: (meeting: MeetingID, worker: Int)] = [:]
  private var loads: [Int]
  /// The UDP ports, once started.
  public private(set) var ports: [UInt16] = []

  /// Makes `count` workers; worker *n* uses the configuration's port plus *n* (0: any free ports).
  public init(count: Int, configuration: MediaWorkerConfiguration) throws(TransportError) {
    var workers: [MediaWorker] = []
    for index in 0..<max(count, 1) {
      var own = configuration
      if own.port != 0 { own.port = UInt16(clamping: Int(own.port) + index) }
      workers.append(try MediaWorker(name: "media-\(index)", configuration: own))
    }
    self.workers = workers
    loads = [Int](repeating: 0, count: workers.count)
  }

  /// Opens all sockets. When one port is in use, nothing stays open.
  public func start() async throws(TransportError) {
    for worker in workers {
      do throws(TransportError) {
        ports.append(try await worker.start())
      } catch {
        await shutdown()
        throw error
      }
    }
  }

  /// Opens a participant's connection from its first offer; see ``MediaWorker/join(_:meeting:offer:tracks:)``.
  public func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer]
  ) async throws(MediaWorkerError) -> OfferAnswer {
    guard participants[participant] == nil else { throw .duplicateParticipant }
    let worker = place(meeting)
    participants[participant] = (meeting, worker)
    loads[worker] += 1
    do throws(MediaWorkerError) {
      return try await workers[worker].join(participant, meeting: meeting, offer: offer, tracks: tracks)
    } catch {
      participants[participant] = nil
      loads[worker] -= 1
      throw error
    }
  }

  /// Negotiates anew; see ``MediaWorker/offer(_:offer:tracks:)``.
  public func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) async throws(MediaWorkerError) -> OfferAnswer {
    guard let place = participants[participant] else { throw .unknownParticipant }
    return try await workers[place.worker].offer(participant, offer: offer, tracks: tracks)
  }

  /// Mutes or unmutes a publication.
  public func setMuted(_ muted: Bool, publication: PublicationID, of participant: ParticipantID) async {
    guard let place = participants[participant] else { return }
    await workers[place.worker].setMuted(muted, publication: publication, of: participant)
  }

  /// Changes what slots carry; the slots that cannot carry what they were given are returned, empty.
  public func assign(_ changes: [SlotChange], of participant: ParticipantID) async -> [MID] {
    guard let place = participants[participant] else { return changes.map(\.mid) }
    return await workers[place.worker].assign(changes, of: participant)
  }

  /// Stops or continues what a slot carries.
  public func setPaused(_ paused: Bool, slot: MID, of participant: ParticipantID) async {
    guard let place = participants[participant] else { return }
    await workers[place.worker].setPaused(paused, slot: slot, of: participant)
  }

  /// Tells at what sizes a participant shows what its video slots carry.
  public func setViews(_ views: [SlotSize], of participant: ParticipantID) async {
    guard let place = participants[participant] else { return }
    await workers[place.worker].setViews(views, of: participant)
  }

  /// Closes a participant's connection.
  public func leave(_ participant: ParticipantID) async {
    guard let place = participants.removeValue(forKey: participant) else { return }
    loads[place.worker] -= 1
    await workers[place.worker].leave(participant)
  }

  /// What happens in a meeting from now on.
  public func events(of meeting: MeetingID) async -> AsyncStream<MeetingEvent> {
    await workers[place(meeting)].events(of: meeting)
  }

  /// The data messages of a meeting's participants from now on.
  public func dataEvents(of meeting: MeetingID) async -> AsyncStream<MeetingDataEvent> {
    await workers[place(meeting)].dataEvents(of: meeting)
  }

  /// Sends a data message to `participants`, whatever worker each is on; those who are unknown or have no such channel are left
  /// out.
  public func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) async {
    var receivers: [Int: [ParticipantID]] = [:]
    for participant in participants {
      if let place = self.participants[participant] { receivers[place.worker, default: []].append(participant) }
    }
    for (worker, here) in receivers { await workers[worker].sendData(message, delivery, to: here) }
  }

  /// Ends a meeting with all its connections.
  public func close(meeting: MeetingID) async {
    guard let worker = meetings.removeValue(forKey: meeting) else { return }
    for (participant, place) in participants where place.meeting == meeting {
      participants[participant] = nil
      loads[worker] -= 1
    }
    await workers[worker].close(meeting: meeting)
  }

  /// What each worker did and has.
  public func statistics() async -> [MediaWorkerStatistics] {
    var all: [MediaWorkerStatistics] = []
    for worker in workers { all.append(await worker.statistics()) }
    return all
  }

  /// Closes everything and ends the workers' threads.
  public func shutdown() async {
    for worker in workers {
      await worker.shutdown()
      worker.loop.stop()
    }
    meetings.removeAll()
    participants.removeAll()
  }

  private func place(_ meeting: MeetingID) -> Int {
    if let known = meetings[meeting] { return known }
    let worker = loads.indices.min { loads[$0] < loads[$1] } ?? 0
    meetings[meeting] = worker
    return worker
  }
}
