import Basics
import FoundationEssentials
import Meetings
import Messaging

/// Sends the outcomes of requests: events to connected endpoints, events that they missed, and push notices.
extension MailboxHub {
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
}
