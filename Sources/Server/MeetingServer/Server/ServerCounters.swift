import Meetings
import Synchronization

/// A number that only grows; any thread may add to it.
final class Counter: Sendable {
  private let value = Atomic<UInt64>(0)

  func add(_ count: UInt64) { value.add(count, ordering: .relaxed) }

  var current: UInt64 { value.load(ordering: .relaxed) }
}

/// The counters of the meeting service for `/metrics`.
final class ServerCounters: Sendable {
  let limits = LimitCounters()
  let requests = Counter()
  let requestErrors = Counter()
  let sockets = Counter()
  let messages = Counter()
  let badMessages = Counter()
  let tooFast = Counter()
  let joins = Counter()
  let resumes = Counter()
  let refusedJoins = Counter()
  let knocks = Counter()
  let chatMessages = Counter()
  let chatFiles = Counter()
  let chatFileBytes = Counter()
  let chatFilesRefused = Counter()
  let chatDownloads = Counter()
  let signals = Counter()
  let keyEnvelopes = Counter()
  let droppedKeyEnvelopes = Counter()
  let dataMessages = Counter()
  let badData = Counter()
  let tokens = Counter()
  let adHocMeetings = Counter()
  let scheduledMeetings = Counter()
  let vaultEvents: [Vault.Event: Counter] = Dictionary(
    uniqueKeysWithValues: Vault.Event.allCases.map { ($0, Counter()) })

  /// The counters in the Prometheus text format.
  var text: String {
    let rows: [(String, String, Counter)] = [
      ("parley_http_requests_total", "HTTP requests answered.", requests),
      ("parley_http_errors_total", "HTTP requests answered with a status of 400 or above.", requestErrors),
      ("parley_signaling_sockets_total", "Signalling sockets opened.", sockets),
      ("parley_signaling_messages_total", "Signalling messages received.", messages),
      ("parley_signaling_bad_messages_total", "Signalling messages that could not be understood.", badMessages),
      ("parley_signaling_too_fast_total", "Signalling sockets closed for sending too fast.", tooFast),
      ("parley_joins_total", "Participants taken into meetings.", joins),
      ("parley_resumes_total", "Places taken back after a lost socket.", resumes),
      ("parley_joins_refused_total", "Joins and resumes refused.", refusedJoins),
      ("parley_knocks_total", "Times that somebody had to wait for a host or to be let in.", knocks),
      ("parley_chat_messages_total", "Chat messages passed on.", chatMessages),
      ("parley_chat_files_total", "Files taken into chats.", chatFiles),
      ("parley_chat_file_bytes_total", "Bytes of the files taken into chats.", chatFileBytes),
      ("parley_chat_files_refused_total", "Files that were not taken into a chat.", chatFilesRefused),
      ("parley_chat_downloads_total", "Times that a chat file was fetched.", chatDownloads),
      ("parley_signals_total", "Signals passed on, to one participant or many.", signals),
      ("parley_key_envelopes_total", "Envelopes of encrypted meetings passed on.", keyEnvelopes),
      (
        "parley_key_envelopes_dropped_total",
        "Envelopes of encrypted meetings that were not passed on: their receiver is gone, or gets too many.",
        droppedKeyEnvelopes
      ),
      ("parley_data_messages_total", "Data messages passed on, to one participant or many.", dataMessages),
      ("parley_data_bad_messages_total", "Data messages that could not be understood or broke a limit.", badData),
      ("parley_tokens_total", "Join tokens signed.", tokens),
      ("parley_adhoc_meetings_total", "Ad-hoc meetings made.", adHocMeetings),
      ("parley_scheduled_meetings_total", "Meetings planned over the public interface.", scheduledMeetings),
    ]
    return rows.map { "# HELP \($0) \($1)\n# TYPE \($0) counter\n\($0) \($2.current)\n" }.joined() + limits.text
      + vaults
  }

  private var vaults: String {
    let name = "parley_vault_events_total"
    let rows = Vault.Event.allCases.map { event in
      "\(name){event=\"\(event.rawValue)\"} \(vaultEvents[event]?.current ?? 0)\n"
    }
    return "# HELP \(name) Passcodes of key vaults by their outcome, and records stored or forgotten.\n"
      + "# TYPE \(name) counter\n" + rows.joined()
  }
}
