import Basics
import FoundationEssentials
import Meetings
import Messaging
import Synchronization
import Transport

/// Posts to a domain's push address that something waits for an identity without a connection. The app's own server
/// turns it into a push of its platform. A post carries no content; one that fails isn't tried again, since the next
/// one says the same.
final class PushNotifier: Sendable {
  enum Kind: String, Sendable, Encodable {
    case message, call
  }

  private struct Body: Encodable {
    var domain: String
    var regId: RegID
    var kind: Kind
    var time: Int
  }

  private struct Key: Hashable {
    var regId: RegID
    var kind: Kind
  }

  private struct State {
    /// The last post about an identity. Old entries are dropped when there are many.
    var notified: [Key: Instant] = [:]
    var running = 0
  }

  /// Posts at once to all addresses; more are dropped.
  static let maximumRunning = 64
  /// Between two posts about messages for one identity, in seconds.
  static let pause = 5

  private let store: any MailboxStore
  private let allowedHosts: [String]
  private let log: Log
  private let state = Mutex(State())

  init(store: any MailboxStore, allowedHosts: [String], log: Log) {
    self.store = store
    self.allowedHosts = allowedHosts
    self.log = log
  }

  /// Says that something waits. Returns at once.
  func notify(_ kind: Kind, _ regId: RegID, of domain: DomainID) {
    let now = MonotonicClock.now
    let isTold = state.withLock { state in
      let key = Key(regId: regId, kind: kind)
      if kind == .message, let last = state.notified[key], now < last + .seconds(Int64(Self.pause)) { return false }
      guard state.running < Self.maximumRunning else { return false }
      if state.notified.count > 10_000 {
        state.notified = state.notified.filter { now < $0.value + .seconds(Int64(Self.pause)) }
      }
      state.notified[key] = now
      state.running += 1
      return true
    }
    guard isTold else { return }
    Task {
      await post(kind, regId, domain)
      state.withLock { $0.running -= 1 }
    }
  }

  private func post(_ kind: Kind, _ regId: RegID, _ domain: DomainID) async {
    do {
      guard let target = try await store.mailboxes({ try $0.domain(domain)?.settings.push }) else { return }
      let accepted = try WebhookTarget(target.url, allowed: allowedHosts)
      let seconds = Int(Date().timeIntervalSince1970)
      let body = Array(
        try JSONEncoder().encode(Body(domain: domain.text, regId: regId, kind: kind, time: seconds)))
      var headers: HTTPHeaders = ["Content-Type": "application/json"]
      headers[WebhookSignature.header] = WebhookSignature.value(
        body: body, seconds: seconds, secret: Secret(target.secret))
      let response = try await HTTPClient.request(
        "POST", target.url, headers: headers, body: body, limit: 4_096, timeout: .seconds(8),
        accepts: { accepted.accepts($0) })
      if response.status >= 300 { log.info("messaging.push", ["domain": domain, "status": response.status]) }
    } catch {
      log.info("messaging.push", ["domain": domain, "reason": "\(error)"])
    }
  }
}
