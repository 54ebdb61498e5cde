import Basics
import FoundationEssentials
import Meetings
import Transport

/// Posts the deliveries in the database to their webhooks.
///
/// A delivery is read, posted, and its result is written back. A process that is killed in between posts it again, so
/// each event arrives at least once. Only the first delivery of a meeting to a webhook is ever under way, so they
/// arrive in order.
actor WebhookDispatcher {
  private struct Chain: Hashable {
    var webhook: WebhookID
    var meeting: String
  }

  private let store: any WebhookStore
  private let settings: WebhookSettings
  private let counters: OperationCounters
  private let log: Log
  private let rest: @Sendable (TimeSpan) async -> Void
  private var underWay: [Chain: Task<Void, Never>] = [:]
  private var loop: Task<Void, Never>?
  private var bell: AsyncStream<Void>.Continuation?
  private var isStopped = false
  /// How often the database was queried for due deliveries.
  private(set) var looks = 0

  /// `rest` is how the database is left alone between two looks.
  init(
    store: any WebhookStore, settings: WebhookSettings, counters: OperationCounters, log: Log,
    rest: @escaping @Sendable (TimeSpan) async -> Void = { try? await Task.sleep(for: .nanoseconds($0.nanoseconds)) }
  ) {
    self.rest = rest
    self.store = store
    self.settings = settings
    self.counters = counters
    self.log = log
  }

  func start() {
    guard loop == nil, !isStopped else { return }
    let (wake, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.bell = bell
    bell.yield()
    loop = Task { [weak self, rest] in
      for await _ in wake {
        let began = MonotonicClock.now
        guard let pause = await self?.sendDue() else { return }
        // A ring during the pause isn't lost: one is kept.
        let time = WebhookSettings.rest(after: MonotonicClock.now - began)
        if time > .zero { await rest(time) }
        // Rings by itself when the next is due, unless something rings before.
        let alarm = Task {
          if (try? await Task.sleep(for: .nanoseconds(pause.nanoseconds))) != nil { bell.yield() }
        }
        await self?.keep(alarm)
      }
    }
  }

  /// There may be something to send.
  func wake() { bell?.yield() }

  /// Stops sending. Attempts under way are cancelled and repeated after the next start.
  func stop() async {
    isStopped = true
    bell?.finish()
    loop?.cancel()
    alarm?.cancel()
    let tasks = underWay.values
    for task in tasks { task.cancel() }
    for task in tasks { await task.value }
    await loop?.value
  }

  private var alarm: Task<Void, Never>?

  private func keep(_ alarm: Task<Void, Never>) {
    self.alarm?.cancel()
    self.alarm = alarm
  }

  /// Starts every attempt that is due and may be made; returns how long nothing further is to be done.
  private func sendDue() async -> TimeSpan? {
    if isStopped { return nil }
    looks += 1
    let heads: [WebhookDelivery.Head]
    do throws(MeetingStoreError) {
      heads = try await store.deliveryHeads()
    } catch .closed {
      return nil
    } catch {
      log.error("webhooks.store", ["reason": error.description])
      return settings.lookInterval
    }
    let now = Date()
    var pause = settings.lookInterval.seconds
    for head in heads {
      let chain = Chain(webhook: head.webhook, meeting: head.meeting)
      if isStopped || underWay[chain] != nil { continue }
      guard settings.isDue(head.next, now: now) else {
        pause = min(pause, head.next.timeIntervalSince(now))
        continue
      }
      guard underWay.count < WebhookSettings.concurrency.all,
        underWay.keys.count(where: { $0.webhook == head.webhook }) < WebhookSettings.concurrency.webhook
      else { continue }
      underWay[chain] = Task {
        await attempt(head)
        ended(chain)
      }
    }
    return TimeSpan(nanoseconds: Int64(max(pause, 0.01) * 1e9))
  }

  private func ended(_ chain: Chain) {
    underWay[chain] = nil
    bell?.yield()
  }

  private func attempt(_ head: WebhookDelivery.Head) async {
    do throws(MeetingStoreError) {
      guard let delivery = try await store.delivery(sequence: head.sequence), delivery.state == .pending,
        let webhook = try await store.webhook(id: head.webhook), webhook.isEnabled
      else { return }
      counters.attempts.add(1)
      let (status, problem) = await post(delivery, to: webhook)
      if Task.isCancelled && problem != nil { return }
      let outcome = outcome(of: delivery, status: status, problem: problem, now: Date())
      try await store.record(outcome, sequence: delivery.sequence, now: Date())
      tell(outcome, delivery)
    } catch .closed {
    } catch {
      log.error("webhooks.store", ["reason": error.description])
      // The store will not be better at once, and the delivery still waits.
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private func outcome(
    of delivery: WebhookDelivery, status: Int?, problem: String?, now: Date
  ) -> WebhookDelivery.Outcome {
    guard let problem else { return .delivered(status: status ?? 0) }
    let next = now + settings.pause(after: delivery.attempts + 1)
    if next > delivery.created + WebhookDelivery.triedFor { return .failed(status: status, problem: problem) }
    return .retry(at: next, status: status, problem: problem)
  }

  private func tell(_ outcome: WebhookDelivery.Outcome, _ delivery: WebhookDelivery) {
    switch outcome {
    case .delivered: counters.delivered.add(1)
    case .retry(_, _, let problem):
      counters.attemptsFailed.add(1)
      log.info(
        "webhook.failed",
        ["webhook": delivery.webhook, "delivery": delivery.id, "attempt": delivery.attempts + 1, "reason": problem])
    case .failed(_, let problem):
      counters.attemptsFailed.add(1)
      counters.givenUp.add(1)
      log.warning(
        "webhook.givenUp", ["webhook": delivery.webhook, "delivery": delivery.id, "reason": problem])
    }
  }

  /// Posts a delivery; returns the answer's status, if there was one, and the problem, if there was one.
  private nonisolated func post(_ delivery: WebhookDelivery, to webhook: Webhook) async -> (Int?, String?) {
    let target: WebhookTarget
    do throws(WebhookTarget.Problem) {
      // Once more, because the operator may have taken an allowance back.
      target = try WebhookTarget(webhook.url, allowed: settings.allowedHosts)
    } catch {
      return (nil, error.description)
    }
    let body = Array(delivery.body.utf8)
    let seconds = Int(Date().timeIntervalSince1970)
    guard let signature = WebhookSignature.value(body: body, seconds: seconds, secret: webhook.secret) else {
      return (nil, "The event could not be signed.")
    }
    do throws(TransportError) {
      let answer = try await HTTPClient.request(
        "POST", webhook.url,
        headers: [
          "Content-Type": "application/json; charset=utf-8", "User-Agent": "Parley/\(ParleyVersion.current)",
          "Parley-Event": delivery.type, "Parley-Event-Id": delivery.event, "Parley-Delivery": delivery.id,
          WebhookSignature.header: signature,
        ], body: body, limit: WebhookSettings.answerLimit, timeout: settings.timeout,
        accepts: { target.accepts($0) })
      if (200...299).contains(answer.status) { return (answer.status, nil) }
      return (answer.status, "The answer was \(answer.status); a status of 200 to 299 is expected.")
    } catch {
      return (nil, error.description)
    }
  }
}
