public import Basics
import FoundationEssentials
import Signaling
import Synchronization
import Transport

/// Signs a person in for an app, with the browser of their computer: where a meeting asks for it
/// (``JoinError/signInRequired(url:)``).
///
/// The person sees the pages of their own provider in their own browser, and the app never their password (RFC 8252,
/// with PKCE). The browser comes back to a port of this computer, so it has to run on the same one.
///
/// ```swift
/// do {
///   _ = try await Meeting.join("https://meet.example/board")
/// } catch JoinError.signInRequired(let url) {
///   let signIn = try await BrowserSignIn(url)
///   print("Open this address in your browser: \(signIn.url)")
///   let pass = try await signIn.waitForPass()
///   let meeting = try Meeting("https://meet.example/board", token: pass.token)
///   try await meeting.join()
/// }
/// ```
public final class BrowserSignIn: Sendable {
  /// The address to open in a browser on this computer.
  public let url: String

  private let exchange: Exchange
  private let listener: RedirectListener

  /// Begins to sign in: listens on a free port of `127.0.0.1`, until ``waitForPass(within:)`` has returned or this
  /// object is let go.
  ///
  /// ```swift
  /// let signIn = try await BrowserSignIn("https://meet.example/signin?room=board")
  /// ```
  ///
  /// - Parameters:
  ///   - url: The address that ``JoinError/signInRequired(url:)`` carries.
  ///   - trustsAnyCertificate: As ``JoinOptions/trustsAnyCertificate``.
  /// - Throws: ``JoinError/badAddress(_:)`` when it isn't an address to sign in at, or ``JoinError/unreachable(_:)``
  ///   when no port is free.
  public init(_ url: String, trustsAnyCertificate: Bool = false) async throws(JoinError) {
    guard let mark = url.firstIndex(of: "?"), url.utf8.count <= 4_096, !url.contains("#"),
      ["http://", "https://"].contains(where: { url.lowercased().hasPrefix($0) })
    else {
      throw .badAddress(
        "This is no address to sign in at: \(url.prefix(200)). The one that JoinError.signInRequired carries is expected."
      )
    }
    guard let key = ProofKey() else { throw .unreachable("There is no memory left to sign in with.") }
    let exchange = Exchange(endpoint: url[..<mark] + "/token", key: key, trustsAny: trustsAnyCertificate)
    self.exchange = exchange
    listener = try await RedirectListener { await exchange.take($0) }
    self.url =
      "\(url)&app=\(MeetingAddress.encoded(Substring(listener.origin), keepingPercent: false))&challenge=\(key.challenge)"
  }

  /// Waits until the person has signed in. May be called once.
  ///
  /// ```swift
  /// let signIn = try await BrowserSignIn("https://meet.example/signin?room=board")
  /// let pass = try await signIn.waitForPass(within: .seconds(120))
  /// ```
  ///
  /// - Parameter limit: How long to wait. The server itself gives up after ten minutes.
  /// - Throws: ``JoinError/timedOut(_:)`` when nobody signed in, ``JoinError/refused(code:message:)`` when it came to
  ///   nothing (`denied`, `notAdmitted`, `expired`, `unreachable`, `busy` or `failed`), ``JoinError/cancelled`` when
  ///   the task was cancelled.
  public func waitForPass(within limit: TimeSpan = .seconds(600)) async throws(JoinError) -> SignInPass {
    let limit = limit.bounded
    let timer = Task { [exchange] in
      try? await Task.sleep(nanoseconds: UInt64(limit.nanoseconds))
      guard !Task.isCancelled else { return }
      exchange.end(
        .failure(.timedOut("Nobody signed in within \(limit.milliseconds / 1_000) s. Begin again when you are ready.")))
    }
    let result = await withTaskCancellationHandler {
      await exchange.result()
    } onCancel: { [exchange] in
      exchange.end(.failure(.cancelled))
    }
    timer.cancel()
    await listener.close()
    return try result.get()
  }
}

/// The result of a sign-in: a join token, and the name that it binds the person to.
///
/// ```swift
/// let signIn = try await BrowserSignIn("https://meet.example/signin?room=board")
/// let pass = try await signIn.waitForPass()
/// print("Joining as \(pass.name) …")
/// ```
public struct SignInPass: Sendable, Hashable {
  /// The join token, for the one meeting that was asked for.
  public let token: Secret<String>

  /// How the provider calls the person.
  public let name: String
}

/// Exchanges codes for a join token, until one is good.
private final class Exchange: Sendable {
  private let endpoint: String
  private let key: ProofKey
  private let trustsAny: Bool
  private let state = Mutex(State())

  private struct State {
    var result: Result<SignInPass, JoinError>?
    var waiting: CheckedContinuation<Result<SignInPass, JoinError>, Never>?
  }

  init(endpoint: String, key: ProofKey, trustsAny: Bool) {
    self.endpoint = endpoint
    self.key = key
    self.trustsAny = trustsAny
  }

  /// Waits for the result.
  func result() async -> Result<SignInPass, JoinError> {
    await withCheckedContinuation { continuation in
      let known = state.withLock { state -> Result<SignInPass, JoinError>? in
        if state.result == nil, state.waiting == nil {
          state.waiting = continuation
        } else {
          return state.result ?? .failure(.cancelled)
        }
        return nil
      }
      if let known { continuation.resume(returning: known) }
    }
  }

  /// The first end counts. False for a later one.
  @discardableResult func end(_ result: Result<SignInPass, JoinError>) -> Bool {
    let (isFirst, waiting) = state.withLock { state in
      guard state.result == nil else {
        return (false, nil as CheckedContinuation<Result<SignInPass, JoinError>, Never>?)
      }
      state.result = result
      defer { state.waiting = nil }
      return (true, state.waiting)
    }
    waiting?.resume(returning: result)
    return isFirst
  }

  /// Takes what the browser brought; false when the waiting goes on.
  func take(_ answer: RedirectListener.Answer) async -> Bool {
    switch answer {
    case .problem(let word): return end(.failure(Self.problem(word)))
    case .code(let code):
      guard state.withLock({ $0.result == nil }), let pass = await redeem(code) else { return false }
      return end(.success(pass))
    }
  }

  private struct Answer: Decodable {
    var token: String
    var name: String
  }

  /// Nil when the server does not take the code: it was not made for this sign-in.
  private func redeem(_ code: Secret<String>) async -> SignInPass? {
    let body =
      "code=\(MeetingAddress.encoded(Substring(code.value), keepingPercent: false))&code_verifier=\(key.verifier.value)"
    let response = try? await HTTPClient.request(
      "POST", endpoint, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(body.utf8),
      limit: 64 << 10, allowsSelfSigned: trustsAny)
    guard let response, response.status == 200,
      let answer = try? SignalingDecoder().decode(Answer.self, from: response.body)
    else { return nil }
    return SignInPass(token: Secret(answer.token), name: answer.name)
  }

  private static func problem(_ word: String) -> JoinError {
    let texts = [
      "denied": "The sign-in was cancelled or refused. You can try again.",
      "expired": "The sign-in took too long. Try again.",
      "unreachable": "The sign-in service does not answer. Try again in a few minutes.",
      "notAdmitted": "That account may not be used here. Sign in with another one, or ask for an invitation.",
      "busy": "Many people are signing in just now. Try again in a moment.",
    ]
    guard let text = texts[word] else {
      return .refused(
        code: "failed",
        message: "Signing in did not work. Try again; if that does not help, tell whoever runs the server.")
    }
    return .refused(code: word, message: text)
  }
}
