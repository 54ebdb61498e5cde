public import Basics
import RTC
public import Transport
import FoundationEssentials

/// One media worker: an actor whose executor is an event loop on a thread of its own, with its own UDP port.
///
/// Signalling awaits its methods; packets run synchronously on the same thread, between those calls, and never hop.
public actor MediaWorker {
  /// The loop that is its executor.
  public nonisolated let loop: EventLoop
  private let configuration: MediaWorkerConfiguration
  private var core: MediaCore?
  nonisolated let gauge = WorkerGauge()

  // The loop outlives the actor, which holds it.
  /// The loop, so that calls run on its thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// A worker that has not opened its sockets yet; see ``start()``.
  /// - Parameters:
  ///   - name: The thread's name.
  ///   - cpu: The core to pin it to; nil for none.
  public init(name: String, cpu: Int? = nil, configuration: MediaWorkerConfiguration) throws(TransportError) {
    loop = try EventLoop(name: name, cpu: cpu)
    self.configuration = configuration
  }

  /// Opens the sockets; the UDP port it listens on is returned. Throws when the port is in use.
  @discardableResult
  public func start() throws(TransportError) -> UInt16 {
    let unix = Int64(Date().timeIntervalSince1970 * 1e9)
    let core = try MediaCore(loop: loop, configuration: configuration, gauge: gauge, unixNanoseconds: unix)
    do throws(TransportError) {
      try core.start()
    } catch {
      // A socket that is registered holds it already.
      core.shutdown()
      throw error
    }
    self.core = core
    return core.port
  }

  /// A worker that is let go of without ``shutdown()`` ends its loop, whose thread lets go of everything else.
  deinit { loop.stop() }

  private func running() throws(MediaWorkerError) -> MediaCore {
    guard let core else { throw .unavailable("it is not started") }
    return core
  }

  /// Opens a participant's connection from its first offer. Nothing is left behind when it throws. `reached` is the
  /// address of this machine that its signalling came to: its candidate comes first. `isEncrypted` says that the
  /// meeting is encrypted end to end, and `isSmall` that it is for few participants, who may send data faster.
  public func join(
    _ participant: ParticipantID, meeting: MeetingID, offer: String, tracks: [TrackOffer],
    reached: IPAddress? = nil, isEncrypted: Bool = false, isSmall: Bool = false
  ) throws(MediaWorkerError) -> OfferAnswer {
    try running().join(
      participant, meeting: meeting, offer: offer, tracks: tracks, reached: reached, isEncrypted: isEncrypted,
      isSmall: isSmall)
  }

  /// Renegotiates: tracks or slots added or removed, or an ICE restart. `tracks` is the whole list.
  public func offer(
    _ participant: ParticipantID, offer: String, tracks: [TrackOffer]
  ) throws(MediaWorkerError) -> OfferAnswer {
    try running().offer(participant, offer: offer, tracks: tracks)
  }

  /// Mutes or unmutes a publication: while muted, nothing of it is forwarded.
  public func setMuted(_ muted: Bool, publication: PublicationID, of participant: ParticipantID) {
    core?.setMuted(muted, publication, of: participant)
  }

  /// Lets slots carry other publications, or nothing, and returns those that cannot carry what they were given; they
  /// are empty now.
  public func assign(_ changes: [SlotChange], of participant: ParticipantID) -> [MID] {
    core?.assign(changes, of: participant) ?? changes.map(\.mid)
  }

  /// Stops or continues what a slot carries; video continues with a keyframe.
  public func setPaused(_ paused: Bool, slot: MID, of participant: ParticipantID) {
    core?.setPaused(paused, slot: slot, of: participant)
  }

  /// Sets the sizes at which a participant shows its video slots; unknown slots are ignored.
  public func setViews(_ views: [SlotSize], of participant: ParticipantID) { core?.setViews(views, of: participant) }

  /// Closes a participant's connection and ends its publications.
  public func leave(_ participant: ParticipantID) { core?.leave(participant) }

  /// Sends the meeting's events here from now on. One of the meeting's workers is the judge of who speaks.
  func report(
    _ meeting: MeetingID, to events: MediaEvents?,
    data: AsyncStream<MeetingDataEvent>.Continuation?, isJudge: Bool
  ) {
    guard let meeting = core?.meeting(meeting) else { return }
    meeting.events = events
    meeting.dataEvents = data
    meeting.isJudge = isJudge
  }

  /// Offers clients other addresses from now on; the sockets stay.
  public func use(_ addresses: MediaAddressPolicy) { core?.use(addresses) }

  // MARK: Other workers

  /// Connects this worker with another one of the pool.
  func connect(to worker: Int, over wire: WorkerWire) throws(TransportError) {
    try core?.connect(to: worker, over: wire)
  }

  /// Opens this worker's end of a meeting's relay to another worker.
  func openRelay(of meeting: MeetingID, channel: UInt32, to worker: Int) {
    core?.openRelay(of: meeting, channel: channel, to: worker)
  }

  /// Takes what other workers have written so far.
  func receiveRelayed() { core?.receiveRelayed(loop.now) }

  /// Sends a data message to those of `participants` who are on this worker and have such a channel.
  public func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [ParticipantID]) {
    core?.sendData(message, delivery, to: participants)
  }

  /// Ends a meeting with all its connections.
  public func close(meeting: MeetingID) { core?.close(meeting: meeting) }

  public func statistics() -> MediaWorkerStatistics { core?.currentStatistics() ?? MediaWorkerStatistics() }

  /// Closes everything. The loop goes on until ``Transport/EventLoop/stop()``.
  public func shutdown() {
    core?.shutdown()
    core = nil
  }
}
