import Basics
import FoundationEssentials
import Meetings
import Transport

/// Speaks with the providers at which people sign in. Every answer is bounded in size and time, and redirects are not
/// followed.
actor ProviderClient {
  /// A request to a provider.
  struct Call: Sendable {
    var method = "GET"
    var url: String
    var headers: HTTPHeaders = ["Accept": "application/json"]
    var body: [UInt8] = []
  }

  /// Sends one HTTPS request.
  typealias Fetch = @Sendable (Call) async throws -> HTTPClient.Response

  /// For how long a discovery document and keys are used before they are fetched again, in seconds.
  static let lifetime: TimeInterval = 3_600
  /// For how long keys are used whose address doesn't answer any more, in seconds.
  static let longestKeyAge: TimeInterval = 86_400
  /// The pause between two fetches of keys because of an unknown one, in seconds: tokens with invented key ids can't
  /// cause more. The first fetch is at once, so that nobody is refused when a provider changes its key.
  static let keyPause: TimeInterval = 30
  /// For how long a provider that did not answer is left alone.
  static let failurePause: TimeInterval = 5
  /// Bytes of an answer.
  static let limit = 256 << 10
  /// The most people who are being signed in at once.
  static let maximumExchanges = 32
  /// The most requests with ``answer(to:_:for:)`` at once, and those of one tenant or domain.
  static let maximumAnswers = 64
  static let maximumOwnAnswers = 8
  /// Providers that are remembered. The one that was heard of longest ago goes first.
  static let maximumProviders = 256

  /// The documents of one provider.
  private struct Known {
    var document: (value: ProviderDocument, time: Date)?
    var keys: (value: ProviderKeys, time: Date)?
    var keysFailure: Date?
    /// When keys were last asked for because those at hand did not prove a token.
    var lastUnfit: Date?
    var failure: (problem: SignInProblem, time: Date)?
    var lastChange = Date.distantPast
  }

  let fetch: Fetch
  let clock: @Sendable () -> Date
  private let report: @Sendable (SignInProblem) -> Void
  private var known: [String: Known] = [:]
  private var loading: [String: Task<ProviderDocument, any Error>] = [:]
  private var loadingKeys: [String: Task<ProviderKeys, any Error>] = [:]
  var exchanges = 0
  private var answers: [String: Int] = [:]
  private var answerCount = 0

  /// A client; tests give it another network and another clock.
  ///
  /// - Parameter report: Called when a provider doesn't answer and what it said earlier goes on counting.
  init(
    clock: @escaping @Sendable () -> Date = { Date() }, report: @escaping @Sendable (SignInProblem) -> Void = { _ in },
    fetch: @escaping Fetch = { call in
      try await HTTPClient.request(
        call.method, call.url, headers: call.headers, body: call.body, limit: ProviderClient.limit, timeout: .seconds(8)
      )
    }
  ) {
    self.clock = clock
    self.report = report
    self.fetch = fetch
  }

  // MARK: Documents of the provider

  /// The discovery document of an issuer.
  func document(of issuer: String) async throws(SignInProblem) -> ProviderDocument {
    let now = clock()
    if let document = known[issuer]?.document, now < document.time + Self.lifetime { return document.value }
    if let failure = known[issuer]?.failure, now < failure.time + Self.failurePause { throw failure.problem }
    guard IdentityProvider.isIssuer(issuer) else { throw .misconfigured("the issuer is no https address") }
    let task: Task<ProviderDocument, any Error>
    if let running = loading[issuer] {
      task = running
    } else {
      task = Task { [fetch] in
        let json = try await Self.get(ProviderDocument.address(of: issuer), "discovery document", fetch)
        return try ProviderDocument(json, of: issuer)
      }
      loading[issuer] = task
    }
    do {
      let document = try await task.value
      loading[issuer] = nil
      remember(issuer) { known in
        known.document = (document, clock())
        known.failure = nil
      }
      return document
    } catch {
      loading[issuer] = nil
      let problem = error as? SignInProblem ?? .unreachable("the provider cannot be asked")
      remember(issuer) { $0.failure = (problem, clock()) }
      // People who sign in need the keys and addresses of an hour ago more than none at all.
      guard let document = known[issuer]?.document else { throw problem }
      report(problem)
      return document.value
    }
  }

  /// The provider's keys. They are fetched again when they are old, or `unfit` since they didn't verify a token.
  /// Fetches for the latter reason keep a distance.
  func keys(of document: ProviderDocument, unfit: Bool) async throws(SignInProblem) -> ProviderKeys {
    try await keys(at: document.jwks_uri, of: document.issuer, unfit: unfit)
  }

  /// The provider has answered, and has no key.
  private struct NoUsableKey: Error {}

  /// The keys at an address, which are remembered by the name of their issuer. While the address doesn't answer, known
  /// keys count until they are ``longestKeyAge`` old.
  func keys(at address: String, of issuer: String, unfit: Bool) async throws(SignInProblem) -> ProviderKeys {
    let now = clock()
    if let keys = known[issuer]?.keys {
      let end = unfit ? known[issuer]?.lastUnfit.map { $0 + Self.keyPause } : keys.time + Self.lifetime
      if let end, now < end { return keys.value }
      if !unfit, let failure = known[issuer]?.keysFailure, now < failure + Self.failurePause,
        now < keys.time + Self.longestKeyAge
      {
        return keys.value
      }
    }
    if unfit { remember(issuer) { $0.lastUnfit = now } }
    let task: Task<ProviderKeys, any Error>
    if let running = loadingKeys[issuer] {
      task = running
    } else {
      task = Task { [fetch] in
        let json = try await Self.get(address, "key set", fetch)
        guard let keys = ProviderKeys(json: json) else {
          throw SignInProblem.unreachable("the provider's key set cannot be read")
        }
        guard keys.count > 0 else { throw NoUsableKey() }
        return keys
      }
      loadingKeys[issuer] = task
    }
    do {
      let keys = try await task.value
      loadingKeys[issuer] = nil
      remember(issuer) {
        $0.keys = (keys, clock())
        $0.keysFailure = nil
      }
      return keys
    } catch {
      // Of all who wait for it, one reports.
      let isFirst = loadingKeys.removeValue(forKey: issuer) != nil
      if error is NoUsableKey {
        throw .unreachable("the provider's key set has no RS256 or ES256 key that can be used")
      }
      let problem = error as? SignInProblem ?? .unreachable("the provider's key set cannot be read")
      guard !unfit, let keys = known[issuer]?.keys, now < keys.time + Self.longestKeyAge else { throw problem }
      remember(issuer) { $0.keysFailure = clock() }
      if isFirst { report(problem) }
      return keys.value
    }
  }

  /// The answer of a provider to a bounded request, whatever its status. Few at once for each `owner`, so that a slow
  /// provider takes the places of nobody else.
  func answer(
    to call: Call, _ what: String, for owner: String
  ) async throws(SignInProblem) -> HTTPClient.Response {
    let own = answers[owner, default: 0]
    guard answerCount < Self.maximumAnswers, own < Self.maximumOwnAnswers else { throw .busy }
    answers[owner] = own + 1
    answerCount += 1
    defer {
      let left = answers[owner, default: 1] - 1
      answers[owner] = left > 0 ? left : nil
      answerCount -= 1
    }
    return try await Self.answer(call, what, fetch)
  }

  private func remember(_ issuer: String, _ change: (inout Known) -> Void) {
    if known[issuer] == nil, known.count >= Self.maximumProviders,
      let oldest = known.min(by: { $0.value.lastChange < $1.value.lastChange })
    {
      known[oldest.key] = nil
    }
    change(&known[issuer, default: Known()])
    known[issuer]?.lastChange = clock()
  }

  private static func get(_ url: String, _ what: String, _ fetch: Fetch) async throws(SignInProblem) -> [UInt8] {
    let response = try await answer(Call(url: url), what, fetch)
    guard response.status == 200 else {
      throw .unreachable("the provider answers the request for its \(what) with status \(response.status)")
    }
    return response.body
  }

  static func answer(
    _ call: Call, _ what: String, _ fetch: Fetch
  ) async throws(SignInProblem) -> HTTPClient.Response {
    do {
      return try await fetch(call)
    } catch TransportError.tooLarge {
      throw .unreachable("the provider's \(what) has more than \(limit >> 10) KiB")
    } catch {
      throw .unreachable("the provider's \(what) cannot be fetched: \(error)")
    }
  }
}
