import Basics
import Meetings
import Synchronization

/// How often each tenant and each token may ask, over all endpoints together.
final class RequestLimits: Sendable {
  private struct Buckets {
    var tenants: [TenantID: (most: Int, bucket: TokenBucket)] = [:]
    var tokens = BoundedTable<TokenKey, TokenBucket>(capacity: maximumTokens)
  }

  private struct TokenKey: Hashable {
    var tenant: TenantID
    var id: TokenID
  }

  /// The most tokens that are remembered.
  private static let maximumTokens = 20_000

  private let tokenRate: Int
  private let counters: LimitCounters
  private let buckets = Mutex(Buckets())

  /// `tokenRate` is how many requests a second one token may make; 0 sets none.
  init(tokenRate: Int, counters: LimitCounters) {
    self.tokenRate = tokenRate
    self.counters = counters
  }

  /// The questions of endpoints.
  var gate: RequestGate {
    RequestGate(
      tenant: { [self] in take($0, now: MonotonicClock.now) }, token: { [self] in take($0, now: MonotonicClock.now) })
  }

  func take(_ tenant: Tenant, now: Instant) -> LimitReached? {
    guard let most = tenant.policy.maximumRequests else { return nil }
    let isTaken = buckets.withLock { buckets in
      // Another limit begins with full buckets.
      if buckets.tenants[tenant.id]?.most != most {
        buckets.tenants[tenant.id] = (most, TokenBucket(perSecond: most, burst: most * 4))
      }
      return buckets.tenants[tenant.id]?.bucket.consume(now: now) ?? true
    }
    if isTaken { return nil }
    counters.add(.maximumRequests)
    return LimitReached(
      .maximumRequests,
      "The limit of \(most) requests a second of \(tenant.name) is reached (maximumRequests). Try again in a moment.")
  }

  func take(_ grant: JoinGrant, now: Instant) -> LimitReached? {
    guard tokenRate > 0, grant.form != .development else { return nil }
    let key = TokenKey(tenant: grant.tenant, id: grant.id)
    let isTaken = buckets.withLock { $0.tokens.consume(key, perSecond: tokenRate, burst: tokenRate * 4, now: now) }
    if isTaken { return nil }
    counters.add(.tokenRate)
    return LimitReached(
      .tokenRate,
      "The limit of \(tokenRate) requests a second with one token is reached (--token-rate). Try again in a moment.")
  }
}

/// How often each limit refused somebody, for `/metrics`.
final class LimitCounters: Sendable {
  private let counters = LimitReached.Limit.allCases.map { _ in Counter() }

  func add(_ limit: LimitReached.Limit) {
    if let index = LimitReached.Limit.allCases.firstIndex(of: limit) { counters[index].add(1) }
  }

  /// Counts an answer by its limit, where that is not counted where it is asked.
  func add(of refusal: Refusal) {
    switch refusal.limit {
    case .maximumStoredMeetings, .maximumChatBytes, .chatMeetingLimit, .chatFileLimit, .chatFileRate, .chatUploads,
      .passcodeQueue,
      .webhooks, .secrets:
      if let limit = refusal.limit { add(limit) }
    default: break
    }
  }

  /// The counters in the Prometheus text format.
  var text: String {
    "# HELP parley_limited_total Requests, joins and connections that a limit refused.\n# TYPE parley_limited_total counter\n"
      + zip(LimitReached.Limit.allCases, counters).map {
        "parley_limited_total{limit=\"\($0.rawValue)\"} \($1.current)\n"
      }.joined()
  }
}
