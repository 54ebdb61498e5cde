import Basics
import FoundationEssentials
import Meetings
import Messaging

/// Numbers of the store for metrics.
struct StoredCounts: Sendable {
  var domains: Int
  var bytes: Int
  var fullDomains: Int
  var identities: Int
  var expires: Instant
}

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
      if let stored = await storedCounts() {
        gauges.append(("domains", "Domains of the messaging service.", stored.domains))
        gauges.append(("stored_bytes", "Bytes that all domains store, counted every minute.", stored.bytes))
        gauges.append(("full_domains", "Domains that use nine tenths of their bytes.", stored.fullDomains))
        gauges.append(("identities", "Identities of all domains, counted every minute.", stored.identities))
      }
      let lines = gauges.map { name, help, value in
        MessagingCounters.head(name, "gauge", help) + "parley_messaging_\(name) \(value)\n"
      }
      return lines.joined() + counters.text
    }
  }

  /// Everybody waits while the store counts, so however often metrics are read, it counts once a minute.
  private func storedCounts() async -> StoredCounts? {
    let now = MonotonicClock.now
    if let storedCounts, now < storedCounts.expires { return storedCounts }
    let counted = try? await store.mailboxes { transaction in
      let usages = try transaction.usages()
      return StoredCounts(
        domains: usages.count, bytes: usages.reduce(0) { $0 + $1.bytes },
        fullDomains: usages.count(where: \.isNearlyFull), identities: try transaction.identityCount(),
        expires: now + .seconds(60))
    }
    storedCounts = counted
    return counted
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
