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

  private let store: any MailboxStore
  private let allowedHosts: [String]
  private let log: Log
  private let rateLimiter = Mutex(PushRateLimiter())

  init(store: any MailboxStore, allowedHosts: [String], log: Log) {
    self.store = store
    self.allowedHosts = allowedHosts
    self.log = log
  }

  /// Says that something waits. Returns at once. `sender` is the caller of a call.
  func notify(_ kind: Kind, _ regId: RegID, of domain: DomainID, from sender: RegID? = nil) {
    let subject = PushRateLimiter.Subject(regId: regId, kind: kind, sender: sender)
    guard rateLimiter.withLock({ $0.start(subject, of: domain, now: MonotonicClock.now) }) else { return }
    Task {
      await post(kind, regId, domain)
      rateLimiter.withLock { $0.end(of: domain) }
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
