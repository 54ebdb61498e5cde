import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// One running meeting: ``RoomMachine`` decides, and this actor carries its effects out.
///
/// It has no logic: it turns calls into commands, gives them the time, and carries effects out in their order (sockets,
/// media plane, journal, events, log). Media operations go through a queue in the same order.
actor MeetingRoom {
  /// How long things take, and how many there may be.
  struct Limits: Sendable {
    /// How long a session is kept without a socket.
    var resumeWindow: Duration = .seconds(30)
    /// Participants at a time, where the meeting's record doesn't say less.
    var participants = 500
    /// Slots that clients are asked to have at most.
    var maximumSlots = (audio: 16, video: 48)
    /// How long a participant waits to be let in, where the meeting's record doesn't say.
    var lobbyPatience: Duration = .seconds(1_800)
    /// How long a participant counts as typing who doesn't say so again.
    var typingPatience = TimeSpan.seconds(6)
    /// How soon a sender may be asked for another codec again.
    var codecInterval = TimeSpan.seconds(5)
    /// The rules for sessions whose tokens end.
    var tokens = TokenRules()
    /// How much of what participants send is passed on.
    var rates = MessageBudget.Rates()
    /// Whether meetings may be encrypted, where the tenant doesn't say.
    var encryption = EncryptionPolicy.preselected
  }

  /// The parts of a meeting that never change.
  struct Identity: Sendable {
    let id: MeetingID
    let tenant: TenantID
    let room: RoomName
  }

  /// The decision about a join request.
  enum Entry: Sendable, Equatable {
    case enters
    case waits(WaitingReason)
  }

  /// An event of the lobby for the directory.
  enum LobbyEvent: Sendable {
    /// A host, or a host's arrival, let somebody in: a session is reserved.
    case admitted(JoinRequest)
    /// The last participant who waited is gone.
    case emptied
  }

  /// Wakes the room at its deadline.
  private struct Timer {
    var deadline: Instant
    var task: Task<Void, Never>
  }

  nonisolated let identity: Identity
  nonisolated let events: RoomEvents
  let machine: RoomMachine
  let media: any MediaPlane
  let dependencies: RoomDependencies
  let counters: ServerCounters
  let log: Log
  let queue = MediaQueue()
  /// The key of this room's files in ``ChatFileStore``: the meeting may run again while the files of the last time are
  /// being removed.
  var filesKey: MeetingID
  /// The place in ``events`` of this room's last event.
  var lastEvent: UInt64 = 0
  /// The place in the journal of this room's last write.
  var journalPlace: UInt64 = 0
  /// Writes the last ban.
  var ban: Task<Bool, Never>?
  private var timer: Timer?
  let onLeft: @Sendable (String) -> Void
  let onLobby: @Sendable (MeetingRoom, LobbyEvent) -> Void
  let onEnded: @Sendable (MeetingRoom) -> Void

  /// An empty room for `record`.
  ///
  /// - Parameters:
  ///   - onLeft: Gets the resume token of every session that ends.
  ///   - onLobby: Gets the events of the lobby.
  ///   - onEnded: Called when the room is closed, for any reason.
  init(
    record: MeetingRecord, url: String, media: any MediaPlane, limits: Limits, counters: ServerCounters, log: Log,
    dependencies: RoomDependencies = RoomDependencies(), events: RoomEvents = RoomEvents(),
    onLeft: @escaping @Sendable (String) -> Void, onLobby: @escaping @Sendable (MeetingRoom, LobbyEvent) -> Void,
    onEnded: @escaping @Sendable (MeetingRoom) -> Void = { _ in }
  ) {
    let identity = Identity(id: record.id, tenant: record.tenant, room: record.room)
    self.identity = identity
    machine = RoomMachine(
      record,
      setup: .init(
        identity: identity, url: url, limits: limits, fileLimit: dependencies.files?.limits.file,
        hasJournal: dependencies.running != nil),
      now: .current)
    filesKey = MeetingID(rawValue: "\(record.id) \(RandomID.text(characters: 8))")
    self.media = media
    self.counters = counters
    self.log = log
    self.dependencies = dependencies
    self.events = events
    self.onLeft = onLeft
    self.onLobby = onLobby
    self.onEnded = onEnded
  }

  /// The meeting as it is now.
  var meeting: MeetingRecord { machine.meeting }
  var lobby: Lobby { machine.lobby }
  var isClosed: Bool { machine.isClosed }
  /// How many are in the room.
  var count: Int { machine.roster.count }

  // MARK: Commands

  /// Makes a call of the machine at the present time, and carries out its effects.
  @discardableResult
  func update<Answer, Failure: Error>(
    _ call: (RoomMachine) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    prepare()
    machine.begin(.current)
    defer {
      carryOut(machine.drainEffects())
      schedule()
    }
    return try call(machine)
  }

  /// Applies a command at the present time, and carries out its effects. Returns the wait of the command, if any.
  @discardableResult
  func apply(_ command: RoomCommand) -> RoomWait? {
    prepare()
    defer { schedule() }
    return carryOut(machine.apply(command, now: .current))
  }

  /// The same, until the command waits for nothing more: a socket's messages stay in order.
  func run(_ command: RoomCommand) async {
    var next: RoomCommand? = command
    while let command = next {
      switch apply(command) {
      case nil: next = nil
      case .audit(let token)?:
        _ = await events.isWritten(lastEvent)
        next = .audited(token: token)
      case .offer(let token, let participant, let offer, let tracks)?:
        let answer = await negotiate { [media] () throws(MediaWorkerError) in
          try await media.offer(ParticipantID(rawValue: participant), offer: offer, tracks: tracks.map(\.offer))
        }
        next = .offerAnswered(token: token, answer)
      }
    }
  }

  /// Has the media plane answer an offer, after everything that was asked of it before.
  func negotiate(
    _ offer: @escaping @Sendable () async throws(MediaWorkerError) -> OfferAnswer
  ) async -> Result<OfferAnswer, MediaWorkerError> {
    await queue.run {
      do throws(MediaWorkerError) {
        return .success(try await offer())
      } catch {
        return .failure(error)
      }
    }
  }

  /// Gives the machine the state of the audit log and the journal.
  private func prepare() {
    machine.auditBacklog = events.refusalOfRights
    if let running = dependencies.running { machine.journal.lost = running.lost(of: identity.id) }
  }

  // MARK: Time

  /// Wakes the room at the machine's deadline.
  private func schedule() {
    guard let span = machine.deadline else {
      timer?.task.cancel()
      timer = nil
      return
    }
    let deadline = machine.now.instant + span
    // A timer that is early finds nothing due, and is set again.
    if let timer, timer.deadline <= deadline { return }
    timer?.task.cancel()
    timer = Timer(
      deadline: deadline,
      task: Task { [weak self] in
        guard (try? await Task.sleep(for: .nanoseconds(span.nanoseconds))) != nil else { return }
        await self?.timeout()
      })
  }

  private func timeout() {
    guard !Task.isCancelled else { return }
    timer = nil
    apply(.timeout)
  }
}

extension RoomTime {
  /// The time on this machine's clocks.
  static var current: RoomTime { RoomTime(instant: MonotonicClock.now, date: Date()) }
}
