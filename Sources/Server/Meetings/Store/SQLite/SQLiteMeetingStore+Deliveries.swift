public import FoundationEssentials

/// The events for webhooks.
extension SQLiteMeetingStore {
  private static let deliveryColumns =
    "sequence, id, webhook, meeting, event, type, body, created, state, attempts, next, status, problem, finished"

  /// Appends deliveries in this order, all or none.
  public func enqueue(_ deliveries: [WebhookDelivery]) throws(MeetingStoreError) {
    guard let first = deliveries.first else { return }
    let database = try open()
    try database.transaction { () throws(MeetingStoreError) in
      for delivery in deliveries { try insert(delivery, database) }
      for webhook in Set(deliveries.map(\.webhook)) { try bound(webhook, now: first.created, database) }
    }
  }

  private func insert(_ delivery: WebhookDelivery, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    // A webhook that was removed in the meantime gets none.
    try database.query(
      "INSERT INTO webhook_deliveries (id, webhook, meeting, event, type, body, created, state, attempts, next) "
        + "SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', 0, ?8 WHERE EXISTS (SELECT 1 FROM webhooks WHERE id = ?2)",
      [
        .text(delivery.id), .text(delivery.webhook.rawValue), .text(delivery.meeting), .text(delivery.event),
        .text(delivery.type), .text(delivery.body), .time(delivery.created), .time(delivery.next ?? delivery.created),
      ])
  }

  /// Gives up the oldest deliveries of a webhook that has too many.
  private func bound(_ webhook: WebhookID, now: Date, _ database: SQLiteDatabase) throws(MeetingStoreError) {
    try database.query(
      "UPDATE webhook_deliveries SET state = 'failed', next = NULL, finished = ?2, problem = 'Too many events waited.' "
        + "WHERE sequence IN (SELECT sequence FROM webhook_deliveries WHERE webhook = ?1 AND state = 'pending' "
        + "ORDER BY sequence DESC LIMIT -1 OFFSET ?3)",
      [.text(webhook.rawValue), .time(now), .number(WebhookDelivery.maximumPending)])
  }

  /// The first pending delivery of each meeting for each webhook that is on.
  public func deliveryHeads() throws(MeetingStoreError) -> [WebhookDelivery.Head] {
    var heads: [WebhookDelivery.Head] = []
    // Eight for each webhook, so that one with very many meetings does not hide the others.
    try open().query(
      """
      SELECT sequence, webhook, meeting, next FROM (
        SELECT sequence, webhook, meeting, next,
          row_number() OVER (PARTITION BY webhook ORDER BY next, sequence) AS place
        FROM webhook_deliveries WHERE sequence IN (
          SELECT min(sequence) FROM webhook_deliveries WHERE state = 'pending' GROUP BY webhook, meeting)
        AND webhook IN (SELECT id FROM webhooks WHERE enabled = 1))
      WHERE place <= 8 ORDER BY next, sequence
      """
    ) { row in
      heads.append(
        .init(
          sequence: Int(row.integer(0)), webhook: WebhookID(rawValue: row.text(1)), meeting: row.text(2),
          next: row.time(3)))
    }
    return heads
  }

  /// The delivery with that place.
  public func delivery(sequence: Int) throws(MeetingStoreError) -> WebhookDelivery? {
    try deliveries("sequence = ?", [.number(sequence)]).first
  }

  /// The webhook's delivery with that id.
  public func delivery(id: String, webhook: WebhookID) throws(MeetingStoreError) -> WebhookDelivery? {
    try deliveries("id = ? AND webhook = ?", [.text(id), .text(webhook.rawValue)]).first
  }

  /// Deliveries of a webhook, the newest first.
  public func deliveries(
    of webhook: WebhookID, state: WebhookDelivery.State?, before: Int?, limit: Int
  ) throws(MeetingStoreError) -> [WebhookDelivery] {
    try deliveries(
      "webhook = ?1 AND sequence < ?2 AND (?3 = '' OR state = ?3) ORDER BY sequence DESC LIMIT ?4",
      [.text(webhook.rawValue), .number(before ?? .max), .text(state?.rawValue ?? ""), .number(limit)])
  }

  /// Records the outcome of an attempt.
  public func record(
    _ outcome: WebhookDelivery.Outcome, sequence: Int, now: Date
  ) throws(MeetingStoreError) {
    let values: [SQLiteValue] =
      switch outcome {
      case .delivered(let status): [.text("delivered"), .null, .number(status), .null, .time(now)]
      case .retry(let at, let status, let problem):
        [.text("pending"), .time(at), .number(status), .text(problem), .null]
      case .failed(let status, let problem): [.text("failed"), .null, .number(status), .text(problem), .time(now)]
      }
    try open().query(
      "UPDATE webhook_deliveries SET attempts = attempts + 1, state = ?, next = ?, status = ?, problem = ?, finished = ? "
        + "WHERE sequence = ? AND state = 'pending'", values + [.number(sequence)])
  }

  /// Sends the event of a delivery once more. Events that its meeting waits for are tried now, since nothing else of
  /// the meeting is sent before that.
  public func replay(id: String, webhook: WebhookID, now: Date) throws(MeetingStoreError) -> WebhookDelivery? {
    guard let old = try delivery(id: id, webhook: webhook) else { return nil }
    let again = WebhookDelivery(
      webhook: webhook, meeting: old.meeting, event: old.event, type: old.type, body: old.body, created: now)
    try enqueue([again])
    guard var kept = try delivery(id: again.id, webhook: webhook) else { return nil }
    let chain: [SQLiteValue] = [.text(webhook.rawValue), .text(old.meeting)]
    let waiting = "FROM webhook_deliveries WHERE state = 'pending' AND webhook = ?1 AND meeting = ?2"
    try open().query(
      "UPDATE webhook_deliveries SET next = min(next, ?3) WHERE sequence = (SELECT min(sequence) \(waiting))",
      chain + [.time(now)])
    var count = 0
    try open().query("SELECT count(*) \(waiting) AND sequence < ?3", chain + [.number(kept.sequence)]) {
      count = Int($0.integer(0))
    }
    kept.waitsBehind = count
    return kept
  }

  /// How many deliveries wait.
  public func pendingDeliveries() throws(MeetingStoreError) -> Int {
    var count = 0
    try open().query("SELECT count(*) FROM webhook_deliveries WHERE state = 'pending'") { count = Int($0.integer(0)) }
    return count
  }

  private func deliveries(_ condition: String, _ values: [SQLiteValue]) throws(MeetingStoreError) -> [WebhookDelivery] {
    var deliveries: [WebhookDelivery] = []
    try open().query("SELECT \(Self.deliveryColumns) FROM webhook_deliveries WHERE \(condition)", values) { row in
      var delivery = WebhookDelivery(
        id: row.text(1), webhook: WebhookID(rawValue: row.text(2)), meeting: row.text(3), event: row.text(4),
        type: row.text(5), body: row.text(6), created: row.time(7))
      delivery.sequence = Int(row.integer(0))
      delivery.state = WebhookDelivery.State(rawValue: row.text(8)) ?? .failed
      delivery.attempts = Int(row.integer(9))
      delivery.next = row.optionalTime(10)
      delivery.status = row.optionalNumber(11)
      delivery.problem = row.isNull(12) ? nil : row.text(12)
      delivery.finished = row.optionalTime(13)
      deliveries.append(delivery)
    }
    return deliveries
  }
}
