import Meetings
import Messaging
import Synchronization

/// The counters of the messaging service for `/metrics`.
final class MessagingCounters: Sendable {
  let requests = Counter()
  let groups = Counter()
  let events = Counter()
  /// Messages that were written, each once, however many read it.
  let storedMessages = Counter()
  /// Messages that were sent to an endpoint, once for each of them and each time.
  let deliveredMessages = Counter()
  /// Typing notices and chat events that were beyond a budget, once for each endpoint that did not get one.
  let passingDropped = Counter()
  /// Requests for a stored key record, by what came of them.
  let keyRecords: [KeyRecordOutcome: Counter] = Dictionary(
    uniqueKeysWithValues: KeyRecordOutcome.allCases.map { ($0, Counter()) })
  private let refusals = Mutex<[MessagingFailure.Code: UInt64]>([:])

  /// The outcome of a request for a stored key record.
  enum KeyRecordOutcome: String, CaseIterable {
    case read, written, refused
  }

  func count(_ refusal: MessagingFailure) { refusals.withLock { $0[refusal.code, default: 0] += 1 } }

  func count(_ outcome: KeyRecordOutcome) { keyRecords[outcome]?.add(1) }

  func countDelivery(of event: MailboxEvent) {
    if case .message = event.event { deliveredMessages.add(1) }
  }

  /// The counters in the Prometheus text format.
  var text: String {
    let rows: [(String, String, Counter)] = [
      ("requests_total", "Requests about mailboxes.", requests),
      ("events_total", "Events added to mailboxes.", events),
      ("groups_total", "Groups of requests that shared one synchronisation of the disk.", groups),
      ("messages_stored_total", "Messages written to chats.", storedMessages),
      ("messages_delivered_total", "Messages sent to endpoints, once for each endpoint.", deliveredMessages),
      ("passing_dropped_total", "Typing notices and chat events beyond a budget.", passingDropped),
    ]
    let plain = rows.map { name, help, counter in
      Self.head(name, "counter", help) + "parley_messaging_\(name) \(counter.current)\n"
    }
    let codes = refusals.withLock { $0 }.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    let outcomes = KeyRecordOutcome.allCases.map { ($0.rawValue, keyRecords[$0]?.current ?? 0) }
    return plain.joined()
      + Self.labelled("refusals_total", "code", "Hellos and requests refused.", codes)
      + Self.labelled("key_records_total", "outcome", "Requests for keys that apps store here.", outcomes)
  }

  private static func labelled(_ name: String, _ label: String, _ help: String, _ values: [(String, UInt64)]) -> String
  {
    head(name, "counter", help)
      + values.map { "parley_messaging_\(name){\(label)=\"\($0.0)\"} \($0.1)\n" }.joined()
  }

  static func head(_ name: String, _ kind: String, _ help: String) -> String {
    "# HELP parley_messaging_\(name) \(help)\n# TYPE parley_messaging_\(name) \(kind)\n"
  }
}
