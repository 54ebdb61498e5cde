import Basics
import FoundationEssentials
import Meetings

/// Reads the events of all meetings and distributes them: to webhooks, to the audit log, and to the quality history of
/// the admin interface.
struct EventJournal: Sendable {
  let events: RoomEvents
  let store: any TenantStore & WebhookStore
  let quality: QualityHistory
  let counters: OperationCounters
  let log: Log
  /// Called when there is something to send.
  let wake: @Sendable () async -> Void

  /// How long it waits before it tries again.
  var pause: Duration = .milliseconds(500)
  /// How often it tries again once nothing more comes. A shutdown doesn't wait longer.
  private static let lastTries = 4

  /// Serves until the events end and the last is written.
  func run() async {
    await events.read { batch in
      await quality.take(batch)
      await write(batch)
      let dropped = events.takeDropped()
      if dropped > 0 { log.error("events.dropped", ["count": dropped, "reason": "too many waited to be written"]) }
    }
  }

  /// Writes a batch as soon as that is possible. Later events wait in ``RoomEvents``, whose size is bounded.
  private func write(_ batch: [RoomEvent]) async {
    var last = Self.lastTries
    while true {
      do throws(MeetingStoreError) {
        try await keep(batch)
        return events.settle(true)
      } catch {
        if events.isEnded { last -= 1 }
        guard last > 0, Self.passes(error) else {
          events.settle(false)
          counters.eventsLost.add(UInt64(batch.count))
          tellRights(batch)
          return log.error("events.lost", ["count": batch.count, "reason": error.description])
        }
        events.delay()
        log.error("events.late", ["count": batch.count, "reason": error.description])
      }
      try? await Task.sleep(for: pause)
    }
  }

  /// Audit entries that can't be written go to the server's log at least.
  private func tellRights(_ batch: [RoomEvent]) {
    for event in batch {
      guard case .rightUsed(let person, let action, let target, let detail) = event.kind else { continue }
      log.error(
        "audit.notWritten",
        ["by": person.id, "action": "meeting.\(action)", "target": target, "detail": detail, "meeting": event.meeting])
    }
  }

  /// Whether what went wrong may be over in a moment.
  private static func passes(_ error: MeetingStoreError) -> Bool {
    switch error {
    case .busy, .diskFull: true
    default: false
    }
  }

  private func keep(_ batch: [RoomEvent]) async throws(MeetingStoreError) {
    var webhooks: [TenantID: [Webhook]] = [:]
    var names: [TenantID: String] = [:]
    var deliveries: [WebhookDelivery] = []
    var entries: [AuditEntry] = []
    var changes: [OpenEventChange] = []
    for event in batch {
      if case .rightUsed(let person, let action, let target, let detail) = event.kind {
        let name = try await name(of: event.tenant, &names)
        // Cuts a long list of people, but not the room's name.
        let what = detail.isEmpty ? "" : detail.count > 180 ? "\(detail.prefix(180))…, " : "\(detail), "
        entries.append(
          AuditEntry(
            time: event.time, actor: "participant \(person.id) \(person.name)", tenant: name,
            action: "meeting.\(action)", target: target, detail: "\(what)in \(event.room) (\(event.meeting))",
            isAnonymous: event.isAnonymous))
        continue
      }
      guard let type = event.kind.type else { continue }
      if webhooks[event.tenant] == nil { webhooks[event.tenant] = try await store.webhooks(tenant: event.tenant) }
      // If no webhook gets the end, the beginning isn't stored.
      let endType = event.kind.endType
      let isFollowed = endType.map { end in webhooks[event.tenant, default: []].contains { $0.wants(end) } } ?? true
      if isFollowed, let change = event.change { changes.append(change) }
      let hearers = webhooks[event.tenant, default: []].filter { $0.wants(type) }
      if hearers.isEmpty { continue }
      let name = try await name(of: event.tenant, &names)
      let id = "e_" + RandomID.text(characters: 20)
      guard let body = WebhookBody(id: id, type: type, event: event, tenant: name).text else { continue }
      for webhook in hearers {
        deliveries.append(
          WebhookDelivery(
            webhook: webhook.id, meeting: event.meeting.rawValue, event: id, type: type.rawValue, body: body,
            created: event.time))
      }
    }
    try await write(deliveries, entries, changes)
    guard !deliveries.isEmpty else { return }
    counters.deliveriesKept.add(UInt64(deliveries.count))
    await wake()
  }

  private func write(
    _ deliveries: [WebhookDelivery], _ entries: [AuditEntry], _ changes: [OpenEventChange]
  ) async throws(MeetingStoreError) {
    if deliveries.isEmpty && entries.isEmpty && changes.isEmpty { return }
    do {
      try await store.transaction { transaction in
        for entry in entries { try transaction.append(entry) }
        try transaction.enqueue(deliveries)
        try transaction.apply(changes)
      }
    } catch let error as MeetingStoreError {
      throw error
    } catch {
      throw .failed(path: "", reason: "\(error)")
    }
  }

  private func name(of tenant: TenantID, _ known: inout [TenantID: String]) async throws(MeetingStoreError) -> String {
    if let name = known[tenant] { return name }
    let name = try await store.tenant(id: tenant)?.name ?? tenant.rawValue
    known[tenant] = name
    return name
  }
}

extension RoomEvent.Kind {
  /// The webhook's type of the event; nil when webhooks don't get it.
  var type: WebhookEventType? {
    switch self {
    case .meetingStarted: .meetingStarted
    case .meetingEnded: .meetingEnded
    case .participantJoined: .participantJoined
    case .participantLeft: .participantLeft
    case .publicationAdded: .publicationAdded
    case .publicationRemoved: .publicationRemoved
    case .lobby(.knocked, _): .lobbyKnocked
    case .lobby(.admitted, _): .lobbyAdmitted
    case .lobby(.denied, _): .lobbyDenied
    case .lobby(.left, _): .lobbyLeft
    case .chatFile: .chatFile
    case .error: .meetingError
    case .rightUsed, .quality: nil
    }
  }
}
