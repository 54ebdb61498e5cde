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
  private var isInUpkeep = false
  /// Jobs that share one synchronisation of the disk. More would hold up the first of them.
  private static let groupJobs = 256
  /// Requests of a socket that are on their way to the disk, by the channel's id: sockets of full identities have no
  /// endpoint. The next one waits in the socket.
  private var pending: [UInt64: Int] = [:]
  private var waiters: [UInt64: [CheckedContinuation<Void, Never>]] = [:]
  var sessions: [EndpointID: Session] = [:]
  private(set) var connected: [RegID: [EndpointID]] = [:]
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
    while pending[channel.id, default: 0] >= MessagingLimits.pendingRequests {
      await withCheckedContinuation { waiters[channel.id, default: []].append($0) }
    }
    pending[channel.id, default: 0] += 1
    counters.requests.add(1)
    let asksForTicket = request.asksForTicket
    do throws(MessagingFailure) {
      try invitations.consume(request.invitationCount, of: caller.regId, now: MonotonicClock.now)
      if asksForTicket { try tickets.reserve(for: caller.regId, now: MonotonicClock.now) }
    } catch {
      counters.count(error)
      channel.send(.failed(id: id, error))
      return release(channel.id)
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
          hub.release(channel.id)
        }
      } fail: { hub, failure in
        if asksForTicket { hub.tickets.release(caller.regId) }
        hub.counters.count(failure)
        channel.send(.failed(id: id, failure))
        hub.release(channel.id)
      })
  }

  /// A request of a socket is done.
  private func release(_ channel: UInt64) {
    let left = pending[channel, default: 1] - 1
    pending[channel] = left > 0 ? left : nil
    for waiter in waiters.removeValue(forKey: channel) ?? [] { waiter.resume() }
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

  // MARK: Deliveries

  /// Sends the outcome of a request to everybody else.
  func publish(_ outcome: MailboxOutcome, from caller: MailboxCaller) {
    for delivery in outcome.deliveries {
      let event = delivery.event
      counters.events.add(1)
      // Encoded once, and only where somebody gets it: a whole chat is long.
      var text: String?
      for endpoint in connected[delivery.to] ?? [] {
        guard !needsToken(endpoint), delivery.isWhole, sessions[endpoint]?.delivery.wantsEvents == true else {
          // It reads the rest with its next token, or when it has acknowledged some.
          sessions[endpoint]?.delivery.suspend()
          if !delivery.isWhole { read(for: endpoint) }
          continue
        }
        text = text ?? Self.text(of: event)
        guard let text, sessions[endpoint]?.delivery.offer(event.number, bytes: text.utf8.count) == true else {
          continue
        }
        counters.countDelivery(of: event)
        sessions[endpoint]?.channel.send(text: text)
      }
      if delivery.to != caller.regId, let push, connected[delivery.to] == nil {
        if case .message = event.event { push.notify(.message, delivery.to, of: caller.domain) }
        if case .chatAdded = event.event { push.notify(.message, delivery.to, of: caller.domain) }
      }
    }
    send(outcome.passing)
    for endpoint in outcome.deregistered { remove(endpoint) }
    if let transfer = outcome.transfer { tickets.insert(transfer, now: MonotonicClock.now) }
    removeFiles(of: outcome.removedAttachments)
    if outcome.leavesUpkeep { continueUpkeep() }
  }

  private func removeFiles(of removed: [AttachmentID]) {
    guard let attachments, !removed.isEmpty else { return }
    Task { for id in removed { await attachments.remove(id) } }
  }

  /// Does what requests have left, a part in each group: others' requests go on between them.
  func continueUpkeep() {
    guard !isInUpkeep else { return }
    isInUpkeep = true
    submit(
      Job { transaction, time in
        let part = try MailboxUpkeep.next(now: time, in: transaction)
        return { hub in
          hub.isInUpkeep = false
          switch part {
          case nil: return
          case .removed(let attachments): hub.removeFiles(of: attachments)
          case .announced(let outcome, let caller): hub.publish(outcome, from: caller)
          }
          hub.continueUpkeep()
        }
      } fail: { hub, _ in
        // The store has said why. The next hour tries again.
        hub.isInUpkeep = false
      })
  }

  private static func text(of event: MailboxEvent) -> String? {
    try? MessagingCoder().encode(
      ServiceMessage.event(number: EventNumber(event.number), time: event.time, event.event))
  }

  func isConnected(_ regId: RegID) -> Bool { connected[regId] != nil }

  /// Ends an endpoint that is registered no more.
  func remove(_ endpoint: EndpointID) {
    if let session = sessions[endpoint] {
      session.channel.deregister()
      drop(endpoint)
    }
    vaultReservations.release(endpoint)
    publish(calls.lose(endpoint))
  }

  // MARK: Sessions

  /// The endpoint is connected from now on: sends `welcome`, and then what it has missed. Another socket of it is
  /// closed.
  func attach(_ welcome: ServiceMessage.Welcome, acknowledged: UInt64?, domain: DomainID, _ channel: MessagingChannel)
    async throws(MessagingFailure)
  {
    let caller = MailboxCaller(domain: domain, regId: welcome.regId, endpoint: welcome.endpoint)
    try await perform { transaction, time in
      guard var endpoint = try transaction.endpoint(caller.endpoint),
        let identity = try transaction.identity(caller.regId)
      else { throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.") }
      endpoint.lastSeen = time.date
      try transaction.put(endpoint)
      return (endpoint, identity, time)
    } then: { hub, found in
      hub.enter(welcome, found.0, found.1, acknowledged, caller, found.2, channel)
    }
  }

  /// As ``perform(_:)``, with a step on the hub before anything of a later transaction is sent.
  private func perform<Answer: Sendable>(
    _ body: @escaping @Sendable (any MailboxTransaction, MessageTime) throws -> Answer,
    then step: @escaping @Sendable (isolated MailboxHub, Answer) -> Void
  ) async throws(MessagingFailure) {
    let result: Result<Void, MessagingFailure> = await withCheckedContinuation { continuation in
      submit(
        Job { transaction, time in
          let answer = try body(transaction, time)
          return { hub in
            step(hub, answer)
            continuation.resume(returning: .success(()))
          }
        } fail: { _, failure in
          continuation.resume(returning: .failure(failure))
        })
    }
    try result.get()
  }

  private func enter(
    _ welcome: ServiceMessage.Welcome, _ endpoint: MessagingEndpoint, _ identity: MessagingIdentity,
    _ acknowledged: UInt64?, _ caller: MailboxCaller, _ time: MessageTime, _ channel: MessagingChannel
  ) {
    if let old = sessions[caller.endpoint] {
      old.channel.close("replaced")
      drop(caller.endpoint)
    }
    lost[caller.endpoint] = nil
    var welcome = welcome
    welcome.lastEvent = EventNumber(identity.lastEvent)
    welcome.keys = identity.keys
    welcome.time = time
    channel.prove()
    channel.send(.welcome(welcome))
    let kept = min(acknowledged ?? endpoint.acknowledged, identity.lastEvent)
    if kept < identity.purged {
      channel.send(.event(number: EventNumber(identity.purged), time: time, .gap))
    }
    sessions[caller.endpoint] = Session(
      caller: caller, userId: identity.userId, channel: channel,
      delivery: EventDelivery(acknowledged: max(kept, identity.purged)), tokenExpires: endpoint.tokenExpires)
    connected[caller.regId, default: []].append(caller.endpoint)
    if endpoint.tokenExpires > clock() {
      for offer in calls.offers(to: caller.regId) { channel.send(.passing(offer)) }
    }
    read(for: caller.endpoint)
    reportToken(of: caller.endpoint)
  }

  /// The socket is gone. The endpoint stays registered.
  func detach(_ endpoint: EndpointID, _ channel: MessagingChannel) {
    guard sessions[endpoint]?.channel.id == channel.id else { return }
    drop(endpoint)
    seen(endpoint)
    // As long as a phone needs for another network.
    lost[endpoint] = MonotonicClock.now + .seconds(30)
  }

  private func drop(_ endpoint: EndpointID) {
    guard let session = sessions.removeValue(forKey: endpoint) else { return }
    connected[session.caller.regId]?.removeAll { $0 == endpoint }
    if connected[session.caller.regId]?.isEmpty == true { connected[session.caller.regId] = nil }
  }

  /// Requests that wait for the disk, those under way included.
  var queuedRequests: Int { Int(queue.added - queue.settled) }

  /// Reads the next events that an endpoint lacks, if it may get more.
  func read(for endpoint: EndpointID) {
    // An endpoint that comes back after its token has ended gets nothing until it shows another one.
    guard let session = sessions[endpoint], session.tokenExpires > clock() else { return }
    let (regId, channel, after) = (session.caller.regId, session.channel, session.delivery.cursor)
    guard let asked = sessions[endpoint]?.delivery.beginRead(), asked > 0 else { return }
    submit(
      Job { transaction, _ in
        let events = try transaction.events(of: regId, after: after, limit: asked)
        let identity = try transaction.identity(regId)
        let (last, purged) = (identity?.lastEvent ?? after, identity?.purged ?? 0)
        return { hub in
          if purged > after { hub.reportGap(through: purged, to: endpoint, channel) }
          hub.send(events, asked: asked, last: last, to: endpoint, channel)
        }
      } fail: { hub, _ in
        hub.sessions[endpoint]?.delivery.failRead()
      })
  }

  /// Events that the endpoint has not got are deleted: the mailbox was full.
  private func reportGap(through number: UInt64, to endpoint: EndpointID, _ channel: MessagingChannel) {
    guard sessions[endpoint]?.channel.id == channel.id else { return }
    sessions[endpoint]?.delivery.skip(through: number)
    channel.send(.event(number: EventNumber(number), time: MessageTime(clock()), .gap))
  }

  private func send(
    _ events: [MailboxEvent], asked: Int, last: UInt64, to endpoint: EndpointID, _ channel: MessagingChannel
  ) {
    guard var session = sessions[endpoint], session.channel.id == channel.id else { return }
    let texts = events.map { Self.text(of: $0) ?? "" }
    let sizes = zip(events, texts).map { (number: $0.number, bytes: $1.utf8.count) }
    let count = session.delivery.endRead(sizes, asked: asked, last: last)
    sessions[endpoint] = session
    for (event, text) in zip(events, texts).prefix(count) {
      counters.countDelivery(of: event)
      channel.send(text: text)
    }
    if session.delivery.isCaughtUp {
      channel.send(.passing(.caughtUp(number: EventNumber(session.delivery.cursor))))
    } else {
      read(for: endpoint)
    }
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
