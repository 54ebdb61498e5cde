/// The counters of webhooks, the admin interface and the audit log for `/metrics`.
final class OperationCounters: Sendable {
  let eventsLost = Counter()
  let deliveriesKept = Counter()
  let attempts = Counter()
  let delivered = Counter()
  let attemptsFailed = Counter()
  let givenUp = Counter()
  let adminRequests = Counter()
  let adminErrors = Counter()
  let adminRefused = Counter()
  let rateLimited = Counter()

  /// The counters in the Prometheus text format.
  var text: String {
    let rows: [(String, String, Counter)] = [
      ("parley_events_lost_total", "Events of meetings that could not be kept.", eventsLost),
      ("parley_webhook_deliveries_total", "Events kept for webhooks.", deliveriesKept),
      ("parley_webhook_attempts_total", "Attempts to send an event to a webhook.", attempts),
      ("parley_webhook_delivered_total", "Events that a webhook has taken.", delivered),
      ("parley_webhook_failed_attempts_total", "Attempts that failed.", attemptsFailed),
      ("parley_webhook_given_up_total", "Events that were given up after failed attempts.", givenUp),
      ("parley_admin_requests_total", "Requests of the administration's interface.", adminRequests),
      ("parley_admin_errors_total", "Those that were answered with a status of 400 or above.", adminErrors),
      ("parley_admin_refused_total", "Those without the administration's token, or from other sites.", adminRefused),
      ("parley_rate_limited_total", "Requests of addresses that asked too often.", rateLimited),
    ]
    return rows.map { "# HELP \($0) \($1)\n# TYPE \($0) counter\n\($0) \($2.current)\n" }.joined()
  }
}
