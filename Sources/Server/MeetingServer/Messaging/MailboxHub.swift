import Basics
import FoundationEssentials
import Meetings
import Messaging

/// Sequences the messaging service: requests of all endpoints go to the store in groups, one synchronisation of the
/// disk for each, and what comes of them goes to the endpoints that are connected.
///
/// ``MailboxLogic`` decides. Outcomes are sent in the order of the transactions, so an endpoint sees a chat's messages
/// in their order.
actor MailboxHub {
  /// Sends the outcome when its transaction is on the disk. It runs on the hub.
  typealias Completion = @Sendable (isolated MailboxHub) -> Void

  /// A request on its way to the disk.
  struct Job: Sendable {
    var run: @Sendable (any MailboxTransaction, MessageTime) throws -> Completion
    var fail: @Sendable (isolated MailboxHub, MessagingFailure) -> Void
  }

  struct Session: Sendable {
    var caller: MailboxCaller
    var userId: String
    var channel: MessagingChannel
    var delivery: EventDelivery
    var tokenExpires: Date
    /// Whether the endpoint got `tokenNeeded`.
    var isTokenReported = false
    /// For typing notices and chat events.
    var passing = TokenBucket(
      perSecond: MessagingLimits.passingBytesPerSecond, burst: MessagingLimits.passingBytesBurst)
  }

  let store: any MailboxStore
  let log: Log
  let clock: @Sendable () -> Date
  let instant: @Sendable () -> Instant
  let attachments: AttachmentFiles?
  let push: PushNotifier?
  let meetings: CallMeetings?
  private var queue = GroupCommitQueue<Job, Never>()
  private var isCommitting = false
  /// Whether a part of the upkeep is on its way.
  var isInUpkeep = false
  /// Jobs that share one synchronisation of the disk. More would hold up the first of them.
  private static let groupJobs = 256
  private var pending = PendingRequests()
  var sessions: [EndpointID: Session] = [:]
  var connected: [RegID: [EndpointID]] = [:]
  var budgets = SenderBudgets()
  var calls = CallTable()
  var vaultReservations = VaultReservations()
  /// Endpoints whose socket is gone, with the moment at which their calls end.
  var lost: [EndpointID: Instant] = [:]
  var tickets = TransferTickets()
  private var invitations = InvitationBudget()
  let counters: MessagingCounters
  var storedCounts: StoredCounts?

  init(
    store: any MailboxStore, log: Log, attachments: AttachmentFiles? = nil, push: PushNotifier? = nil,
    meetings: CallMeetings? = nil, counters: MessagingCounters = MessagingCounters(),
    clock: @escaping @Sendable () -> Date = { Date() },
    instant: @escaping @Sendable () -> Instant = { MonotonicClock.now }
  ) {
    self.store = store
    self.log = log
    self.attachments = attachments
    self.push = push
    self.meetings = meetings
    self.counters = counters
    self.clock = clock
    self.instant = instant
  }

  // MARK: The way to the disk

  /// Adds a job to the next group.
  func submit(_ job: Job) {
    queue.append(job)
    if isCommitting { return }
    isCommitting = true
    Task { await commit() }
  }

  /// Runs `body` in the next group and waits for the disk.
  func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (any MailboxTransaction, MessageTime) throws -> Answer
  ) async throws(MessagingFailure) -> Answer {
    let result: Result<Answer, MessagingFailure> = await withCheckedContinuation { continuation in
      submit(
        Job { transaction, time in
          let answer = try body(transaction, time)
          return { _ in continuation.resume(returning: .success(answer)) }
        } fail: { _, failure in
          continuation.resume(returning: .failure(failure))
        })
    }
    return try result.get()
  }

  /// Requests that wait for the disk, those under way included.
  var queuedRequests: Int { Int(queue.added - queue.settled) }

  private func commit() async {
    while !queue.pending.isEmpty {
      let jobs = queue.beginGroup(atMost: Self.groupJobs)
      let time = MessageTime(clock())
      var results: [Result<Completion, MessagingFailure>]
      do {
        results = try await store.mailboxes { transaction in
          try jobs.map { job in
            do {
              return .success(try transaction.attempt { try job.run(transaction, time) })
            } catch let failure as MessagingFailure {
              return .failure(failure)
            }
          }
        }
      } catch {
        log.error("messaging.store", ["reason": "\(error)"])
        let failure = MessagingFailure(.serverError, "The server cannot write its data just now. Try again.")
        results = jobs.map { _ in .failure(failure) }
      }
      queue.endGroup()
      counters.groups.add(1)
      for (job, result) in zip(jobs, results) {
        switch result {
        case .success(let completion): completion(self)
        case .failure(let failure): job.fail(self, failure)
        }
      }
    }
    isCommitting = false
  }

  // MARK: Requests

  /// Carries out a request about mailboxes, and answers over the channel.
  /// Returns once it has a place in the queue: many endpoints share the disk, and none fills the queue.
  func apply(_ request: MessagingRequest, id: Int, from caller: MailboxCaller, _ channel: MessagingChannel) async {
    while pending.isFull(channel.id) { await withCheckedContinuation { pending.wait(for: channel.id, $0) } }
    pending.begin(channel.id)
    counters.requests.add(1)
    let asksForTicket = request.asksForTicket
    do throws(MessagingFailure) {
      try invitations.consume(request.invitationCount, of: caller.regId, now: MonotonicClock.now)
      if asksForTicket { try tickets.reserve(for: caller.regId, now: MonotonicClock.now) }
    } catch {
      counters.count(error)
      channel.send(.failed(id: id, error))
      return pending.finish(channel.id)
    }
    let readers = request.showsChat ? connected : nil
    submit(
      Job { transaction, time in
        var logic = MailboxLogic(caller, now: time, in: transaction)
        if let readers { logic.isReader = { readers[$0] != nil } }
        let outcome = try logic.apply(request)
        return { hub in
          // A repeated message has no deliveries.
          if case .sent = outcome.answer, !outcome.deliveries.isEmpty { hub.counters.storedMessages.add(1) }
          hub.charge(outcome, of: caller.regId)
          hub.publish(outcome, from: caller)
          channel.send(.answer(id: id, hub.completed(outcome.answer)))
          hub.pending.finish(channel.id)
        }
      } fail: { hub, failure in
        if asksForTicket { hub.tickets.release(caller.regId) }
        hub.counters.count(failure)
        channel.send(.failed(id: id, failure))
        hub.pending.finish(channel.id)
      })
  }

  /// An answer with what only the hub knows.
  private func completed(_ answer: MessagingAnswer) -> MessagingAnswer {
    guard case .endpoints(var endpoints, let persistent, let ephemeral) = answer else { return answer }
    for index in endpoints.indices { endpoints[index].isConnected = sessions[endpoints[index].endpointId] != nil }
    return .endpoints(endpoints: endpoints, maximumPersistent: persistent, maximumEphemeral: ephemeral)
  }

  func acknowledge(_ number: EventNumber, by caller: MailboxCaller) {
    sessions[caller.endpoint]?.delivery.acknowledge(number.value)
    submit(
      Job { transaction, _ in
        try EndpointRegistration.acknowledge(number.value, by: caller, in: transaction)
        return { $0.read(for: caller.endpoint) }
      } fail: { hub, _ in
        hub.read(for: caller.endpoint)
      })
  }

  /// Closes all sockets: the server stops. Earlier requests are on their way to the disk.
  func shutdown() {
    for session in sessions.values { session.channel.close("shutdown") }
    sessions = [:]
    connected = [:]
  }
}

extension MessageTime {
  init(_ date: Date) { self.init(milliseconds: Int64((date.timeIntervalSince1970 * 1_000).rounded())) }
}
