public import Basics
import RTC
public import Transport

/// All media workers of a process: puts participants on workers, connects the workers of a meeting, and passes calls
/// on.
///
/// A small meeting lives on one worker. One that outgrows it takes another worker at a time (``MeetingPlacement``), and
/// the routers of its workers relay to each other what their receivers want. Callers name participants and meetings
/// only, and notice nothing of it.
public actor MediaWorkerPool {
  /// A running meeting: the number under which its relays run, and where its events go.
  private struct Meeting {
    var channel: UInt32
    var events: MediaEvents?
    var dataEvents: AsyncStream<MeetingDataEvent>.Continuation?
  }

  private struct Pair: Hashable {
    var a: Int
    var b: Int
  }

  private let workers: [MediaWorker]
  private let configuration: MediaWorkerConfiguration
  private var placement: MeetingPlacement
  private var meetings: [MeetingID: Meeting] = [:]
  private var nextChannel: UInt32 = 1
  private var participants: [ParticipantID: (meeting: MeetingID, worker: Int)] = [:]
  private var wires: [Pair: Task<Void, Never>] = [:]
  /// The UDP ports, once started.
  public private(set) var ports: [UInt16] = []

  /// Makes `count` workers; worker *n* uses the configuration's port plus *n* (0: any free ports).
  public init(count: Int, configuration: MediaWorkerConfiguration) throws(TransportError) {
    var workers: [MediaWorker] = []
    for index in 0..<max(count, 1) {
      var own = configuration
      // All have the same addresses, so one reports them.
      if index > 0 { own.onAddresses = nil }
      if own.port != 0 { own.port = UInt16(clamping: Int(own.port) + index) }
      workers.append(try MediaWorker(name: "media-\(index)", configuration: own))
    }
    self.workers = workers
    self.configuration = configuration
    placement = MeetingPlacement(workers: workers.count, spread: configuration.meetingSpread)
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

  /// Opens a participant's connection from its first offer; see
  /// ``MediaWorker/join(_:meeting:offer:tracks:reached:isEncrypted:isSmall:)``.
  public func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer],
    reached: IPAddress? = nil, isEncrypted: Bool = false, isSmall: Bool = false
  ) async throws(MediaWorkerError) -> OfferAnswer {
    guard participants[participant] == nil else { throw .duplicateParticipant }
    let place = placement.place(in: meeting, utilization: utilization)
    let worker = place.worker
    participants[participant] = (meeting, worker)
    await open(meeting)
    if place.isNew { await spread(meeting, to: worker) }
    do throws(MediaWorkerError) {
      return try await workers[worker].join(
        participant, meeting: meeting, offer: offer, tracks: tracks, reached: reached, isEncrypted: isEncrypted,
        isSmall: isSmall)
    } catch {
      if participants.removeValue(forKey: participant) != nil { placement.leave(meeting, worker: worker) }
      throw error
    }
  }

  /// Renegotiates; see ``MediaWorker/offer(_:offer:tracks:)``.
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

  /// Sets the sizes at which a participant shows its video slots.
  public func setViews(_ views: [SlotSize], of participant: ParticipantID) async {
    guard let place = participants[participant] else { return }
    await workers[place.worker].setViews(views, of: participant)
  }

  /// Closes a participant's connection.
  public func leave(_ participant: ParticipantID) async {
    guard let place = participants.removeValue(forKey: participant) else { return }
    placement.leave(place.meeting, worker: place.worker)
    await workers[place.worker].leave(participant)
  }

  /// The events of a meeting from now on, on all its workers. A later call ends the events of an earlier one.
  public func events(of meeting: MeetingID) async -> MediaEvents {
    let events = MediaEvents()
    await open(meeting)
    meetings[meeting]?.events?.finish()
    meetings[meeting]?.events = events
    await report(meeting)
    return events
  }

  /// The data messages of a meeting's participants from now on. A later call ends the stream of an earlier one.
  public func dataEvents(of meeting: MeetingID) async -> AsyncStream<MeetingDataEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: MeetingDataEvent.self, bufferingPolicy: .bufferingOldest(configuration.data.maximumBacklog))
    await open(meeting)
    meetings[meeting]?.dataEvents?.finish()
    meetings[meeting]?.dataEvents = continuation
    await report(meeting)
    return stream
  }

  /// Sends a data message to `participants`, whatever worker each is on; those who are unknown or have no such channel
  /// are left out.
  public func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) async {
    var receivers: [Int: [ParticipantID]] = [:]
    for participant in participants {
      if let place = self.participants[participant] { receivers[place.worker, default: []].append(participant) }
    }
    for (worker, here) in receivers { await workers[worker].sendData(message, delivery, to: here) }
  }

  /// Ends a meeting with all its connections.
  public func close(meeting: MeetingID) async {
    let here = placement.workers(of: meeting)
    placement.close(meeting)
    for (participant, place) in participants where place.meeting == meeting { participants[participant] = nil }
    let closed = meetings.removeValue(forKey: meeting)
    for worker in here { await workers[worker].close(meeting: meeting) }
    closed?.events?.finish()
    closed?.dataEvents?.finish()
  }

  /// Offers clients other addresses from now on; the sockets stay.
  public func use(_ addresses: MediaAddressPolicy) async {
    for worker in workers { await worker.use(addresses) }
  }

  /// Statistics of each worker.
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

  // MARK: Meetings on several workers

  private var utilization: [Double] { workers.map(\.gauge.utilization) }

  /// Gives a meeting its first worker, which judges who speaks.
  private func open(_ meeting: MeetingID) async {
    guard meetings[meeting] == nil else { return }
    _ = placement.open(meeting, utilization: utilization)
    meetings[meeting] = Meeting(channel: nextChannel)
    nextChannel &+= 1
  }

  /// Lets every worker of a meeting report to its streams.
  private func report(_ meeting: MeetingID) async {
    for (index, worker) in placement.workers(of: meeting).enumerated() {
      guard let entry = meetings[meeting] else { return }
      await workers[worker].report(meeting, to: entry.events, data: entry.dataEvents, isJudge: index == 0)
    }
  }

  /// Takes `worker` into a meeting: opens relays between it and those that are in it already. When this returns, each
  /// knows what the others publish.
  private func spread(_ meeting: MeetingID, to worker: Int) async {
    guard let entry = meetings[meeting] else { return }
    await report(meeting)
    for other in placement.workers(of: meeting) where other != worker {
      await connect(other, worker)
      await workers[other].openRelay(of: meeting, channel: entry.channel, to: worker)
      await workers[worker].openRelay(of: meeting, channel: entry.channel, to: other)
      // One takes the greeting and answers with what it has, the other takes the answer.
      await workers[other].receiveRelayed()
      await workers[worker].receiveRelayed()
    }
    // If it was closed during that, the parts opened after it are closed here.
    if meetings[meeting] == nil { for each in workers { await each.close(meeting: meeting) } }
  }

  /// Connects two workers by rings, once.
  private func connect(_ a: Int, _ b: Int) async {
    let pair = Pair(a: min(a, b), b: max(a, b))
    if let known = wires[pair] { return await known.value }
    let workers = workers
    let capacity = configuration.ringBytes
    let task = Task {
      guard let wire = try? WorkerWire(capacity: capacity) else { return }
      try? await workers[a].connect(to: b, over: wire)
      try? await workers[b].connect(to: a, over: wire.reversed)
    }
    wires[pair] = task
    await task.value
  }
}
