import Basics
import FoundationEssentials
import Meetings
import Messaging

/// The effects of time: tokens and calls that end, tickets and events that get old.
extension MailboxHub {
  /// Runs until it is cancelled.
  func run() async {
    var ticks = 0
    while (try? await Task.sleep(for: .seconds(5))) != nil {
      tick(now: MonotonicClock.now)
      if ticks % 6 == 5 { await removeDeregistered() }
      // Once an hour, and soon after the start.
      if ticks % 720 == 1 { await purge() }
      ticks += 1
    }
  }

  func tick(now: Instant) {
    for endpoint in sessions.keys {
      reportToken(of: endpoint)
      // A read that failed, e.g. of a full disk, is tried again.
      read(for: endpoint)
    }
    for (endpoint, end) in lost where end <= now {
      lost[endpoint] = nil
      publish(calls.lose(endpoint))
    }
    publish(calls.expire(now: now))
    vaultReservations.expire(now: now)
    for transfer in tickets.expire(now: now) { abandon(transfer) }
  }

  /// Says to an endpoint that its token ends within a minute.
  func reportToken(of endpoint: EndpointID) {
    guard let session = sessions[endpoint], !session.isTokenReported, session.tokenExpires < clock() + 60 else {
      return
    }
    sessions[endpoint]?.isTokenReported = true
    session.channel.send(.passing(.tokenNeeded))
  }

  /// Whether an endpoint's token has ended: only another token is taken then.
  func needsToken(_ endpoint: EndpointID) -> Bool {
    guard let session = sessions[endpoint] else { return false }
    return session.tokenExpires <= clock()
  }

  /// Ends connections whose endpoints a command or the admin API has deregistered.
  func removeDeregistered() async {
    await endRemovedDomains()
    let gone = try? await those(of: Array(sessions.keys)) { try $1.endpoint($0) == nil }
    for endpoint in gone ?? [] { remove(endpoint) }
  }

  /// Rows that one transaction of upkeep looks at: everybody's requests wait for it.
  private static let batch = 1_000

  /// The elements that a condition holds for, asked in several transactions.
  private func those<Element: Sendable>(
    of all: [Element], _ condition: @escaping @Sendable (Element, any MailboxTransaction) throws -> Bool
  ) async throws(MessagingFailure) -> [Element] {
    var found: [Element] = []
    for start in stride(from: 0, to: all.count, by: Self.batch) {
      let some = Array(all[start..<min(start + Self.batch, all.count)])
      found += try await perform { transaction, _ in try some.filter { try condition($0, transaction) } }
    }
    return found
  }

  func purge() async {
    continueUpkeep()
    let day: Int64 = 24 * 3_600 * 1_000
    do throws(MessagingFailure) {
      var (rows, last) = (0, 0)
      repeat {
        last = try await perform { transaction, time in
          try transaction.purgeEvents(
            before: MessageTime(milliseconds: time.milliseconds - Int64(MessagingLimits.days) * day),
            limit: Self.batch)
        }
        rows += last
      } while last == Self.batch
      if rows > 0 { log.debug("purged", ["mailboxEvents": rows]) }
      let lastSeen = clock() - Double(MessagingLimits.ephemeralDays) * 24 * 3_600
      for endpoint in try await perform({ transaction, _ in try transaction.purgeEndpoints(before: lastSeen) }) {
        remove(endpoint)
      }
      let oldest = clock() - Double(MessagingLimits.unusedAttachmentHours) * 3_600
      let gone = try await perform { transaction, _ in try transaction.purgeAttachments(before: oldest) }
      for id in gone { await attachments?.remove(id) }
      try await removeStrayFiles()
    } catch {
      log.error("messaging.upkeep", ["reason": error.message])
    }
  }

  /// Removes files whose attachment is gone, e.g. with its domain.
  private func removeStrayFiles() async throws(MessagingFailure) {
    guard let attachments else { return }
    let stray = try await those(of: await attachments.all) { try $1.attachment($0) == nil }
    for id in stray { await attachments.remove(id) }
  }

  // MARK: Calls

  func publish(_ notices: [CallTable.Notice]) {
    for (call, caller) in calls.takeEnded() { closeMeeting(of: call, caller) }
    for notice in notices {
      if let endpoint = notice.endpoint {
        if sessions[endpoint]?.caller.regId == notice.to { send(notice.event, to: endpoint) }
      } else {
        send(notice.event, to: notice.to, except: notice.except)
      }
    }
  }

  private func closeMeeting(of call: CallID, _ caller: MailboxCaller) {
    guard let meetings else { return }
    Task {
      do throws(MessagingFailure) {
        let domain = try await perform { transaction, _ in try transaction.domain(caller.domain) }
        if let domain { try await meetings.close(call, of: domain.tenant) }
      } catch {
        // The meeting goes by itself at its end.
        log.warning("messaging.call", ["reason": error.message])
      }
    }
  }

  /// Takes a call's place among those of its two sides.
  func reserveCall(
    _ id: CallID, from caller: MailboxCaller, to callee: RegID, medium: CallMedium, sealed: Sealed
  ) throws(MessagingFailure) {
    try calls.reserve(id, from: caller, to: callee, medium: medium, sealed: sealed, now: MonotonicClock.now)
  }

  func abandonCall(_ id: CallID) {
    calls.abandon(id)
    publish([CallTable.Notice]())
  }

  /// Answers the caller, and then rings at the callee's endpoints; a push wakes one that has no connection.
  func startCall(
    _ id: CallID, from caller: MailboxCaller, to callee: RegID, answer: ServiceMessage, _ channel: MessagingChannel
  ) throws(MessagingFailure) {
    let notices = try calls.ring(id, now: MonotonicClock.now)
    channel.send(answer)
    publish(notices)
    if !isConnected(callee) { push?.notify(.call, callee, of: caller.domain, from: caller.regId) }
  }

  func callStep(
    _ id: CallID, _ step: CallStep, sealed: Sealed?, to endpoint: EndpointID?, by sender: MailboxCaller
  ) throws(MessagingFailure) {
    publish(try calls.step(id, step, sealed: sealed, to: endpoint, by: sender))
  }

  // MARK: Vaults

  /// For how long another endpoint than this one is making the vault of an identity again; nil when none is.
  func vaultReservation(of regId: RegID, for endpoint: EndpointID) -> Int? {
    vaultReservations.seconds(of: regId, for: endpoint, now: MonotonicClock.now)
  }

  func reserveVault(for caller: MailboxCaller) throws(MessagingFailure) {
    try vaultReservations.reserve(for: caller, now: MonotonicClock.now)
  }

  func requireVault(_ caller: MailboxCaller) throws(MessagingFailure) {
    try vaultReservations.require(caller, now: MonotonicClock.now)
  }

  func releaseVault(of caller: MailboxCaller) { vaultReservations.release(caller.endpoint, of: caller.regId) }

  // MARK: Tokens and transfers

  /// The endpoint has shown another token.
  func renewed(_ endpoint: EndpointID, until end: Date) async throws(MessagingFailure) {
    try await perform { transaction, _ in
      guard var record = try transaction.endpoint(endpoint) else {
        throw MessagingFailure(.endpointDeregistered, "The endpoint is not registered any more.")
      }
      record.tokenExpires = end
      try transaction.put(record)
    }
    sessions[endpoint]?.tokenExpires = end
    sessions[endpoint]?.isTokenReported = false
    read(for: endpoint)
  }

  /// The transfer of a ticket, which is used up.
  func takeTransfer(_ token: String, now: Instant) -> MailboxOutcome.Transfer? {
    tickets.use(token, now: now)
  }

  /// Nothing comes of an upload: what its file would have had is free again.
  func abandon(_ transfer: MailboxOutcome.Transfer) {
    guard transfer.isUpload else { return }
    submit(
      Job { transaction, _ in
        if let record = try transaction.attachment(transfer.attachment), !record.isComplete {
          try transaction.remove(attachment: record.id)
        }
        return { _ in }
      } fail: { _, _ in
        // The purge removes it after a day.
      })
  }
}

extension MessagingRequest {
  /// Whether participants get the whole chat, with their envelopes.
  var showsChat: Bool {
    switch self {
    case .chatStart, .chatInvite, .chatLeave, .chatUpdate, .participantPromote, .participantDemote,
      .participantRemove:
      true
    case .authToken, .setupRetry, .endpointsGet, .endpointUpdate, .endpointDeregister, .identitiesGet, .publishKeys,
      .vault, .chatsGet, .chatGet, .chatJoin, .chatKeys, .messageSend, .messagesDelivered, .messagesRead,
      .messageDelete, .messageRecall, .history, .typing, .chatEventSend, .attachmentUpload, .attachmentDownload,
      .callStart, .callStep:
      false
    }
  }

  /// Whether the answer is a ticket for an attachment.
  var asksForTicket: Bool {
    if case .attachmentUpload = self { return true }
    if case .attachmentDownload = self { return true }
    return false
  }
}
