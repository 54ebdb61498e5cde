import FoundationEssentials
import Meetings
import Messaging

/// The hub's side for operators: metrics, and which endpoints are connected.
extension MailboxHub {
  /// Gauges and counters in the Prometheus text format.
  var metrics: String {
    get async {
      var gauges: [(String, String, Int)] = [
        ("endpoints", "Endpoints of the messaging service that are connected.", sessions.count),
        ("calls", "Calls and data connections that ring or run.", calls.count),
        ("queued_requests", "Requests on their way to the disk.", queuedRequests),
        (
          "unacknowledged_events", "Events that were sent to endpoints and not acknowledged.",
          sessions.values.reduce(0) { $0 + $1.delivery.unacknowledgedCount }
        ),
      ]
      // A store that is closed or whose disk fails has no numbers; the other metrics stay.
      let stored = try? await store.mailboxes { (domains: try $0.domains().count, identities: try $0.identityCount()) }
      if let stored {
        gauges.append(("domains", "Domains of the messaging service.", stored.domains))
        gauges.append(("identities", "Identities of all domains.", stored.identities))
      }
      let lines = gauges.map { name, help, value in
        MessagingCounters.head(name, "gauge", help) + "parley_messaging_\(name) \(value)\n"
      }
      return lines.joined() + counters.text
    }
  }

  /// Those of the endpoints that have a connection now.
  func connected(of endpoints: [EndpointID]) -> Set<EndpointID> { Set(endpoints.filter { sessions[$0] != nil }) }

  /// Notes that a connection of the endpoint has ended.
  func seen(_ endpoint: EndpointID) {
    submit(
      Job { transaction, time in
        if var record = try transaction.endpoint(endpoint) {
          record.lastSeen = time.date
          try transaction.put(record)
        }
        return { _ in }
      } fail: { _, _ in
        // It is an entry for operators; the next connection makes it again.
      })
  }
}

extension MessageTime {
  var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}
