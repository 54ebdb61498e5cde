public import Dispatch
public import Foundation
public import Observation

/// A session: who is connected to it, and what they publish.
///
/// Every call may come from any thread, and returns at once. What follows is told to the delegate on ``apiQueue``, the main queue unless the
/// app takes another; properties change there, right before the callback that says so. They can be observed with `withObservationTracking`, and
/// by key path as on Apple systems.
///
/// ```swift
/// ParleyServer.url = "https://meet.example.com"
/// let session = OTSession(apiKey: kApiKey, sessionId: kSessionId, delegate: self)!
/// var error: OTError?
/// session.connect(withToken: kToken, error: &error)
/// ```
// unchecked: open to subclasses; its own state is constant or `Guarded`.
open class OTSession: NSObject, Observable, @unchecked Sendable {
  /// The session's id, as the server of the app gave it.
  public let sessionId: String

  let state: Guarded<State>
  let engine: SessionEngine
  let apiKey: String?
  /// Whether it was made as in version 1: streams then include the own ones, subscribers start by themselves, errors have the old numbers.
  let isLegacy: Bool
  private let registrar = ObservationRegistrar()
  let observers = KeyObservers()
  let named = NamedObservers()

  struct State {
    weak var delegate: (any OTSessionDelegate)?
    var apiQueue = DispatchQueue.main
    var status = OTSessionConnectionStatus.notConnected
    var connection: OTConnection?
    /// The ids of everybody who is connected, this client included.
    var connections: Set<String> = []
    var connectionCount: Int { connections.count }
    var streams: [String: OTStream] = [:]
    var capabilities: OTSessionCapabilities?
    /// What is published, or being published.
    var publishers: [PublisherPlace] = []
    /// What is subscribed to, or being so.
    var subscribers = 0
    var limit: OTStreamLimit
  }

  /// A session, not connected yet. Never nil: what is wrong with the key or the id is told when it connects.
  public convenience init?(apiKey: String, sessionId: String, delegate: (any OTSessionDelegate)?) {
    self.init(apiKey: apiKey, sessionId: sessionId, delegate: delegate, settings: nil)
  }

  /// A session, not connected yet; never nil.
  public convenience init?(
    apiKey: String, sessionId: String, delegate: (any OTSessionDelegate)?, settings: OTSessionSettings?
  ) {
    self.init(apiKey, sessionId, delegate, settings?.values ?? .init(), isLegacy: false)
  }

  init(
    _ apiKey: String?, _ sessionId: String, _ delegate: (any OTSessionDelegate)?, _ settings: OTSessionSettings.Values,
    isLegacy: Bool
  ) {
    self.apiKey = apiKey
    self.sessionId = sessionId
    self.isLegacy = isLegacy
    engine = SessionEngine(settings)
    state = Guarded(State(delegate: delegate, limit: settings.streamLimit ?? ParleyServer.streamLimit))
    super.init()
    let link = WeakSession(session: self)
    onMain { [engine] in engine.session = link.session }
  }

  deinit {
    onMain { [engine] in engine.abandon() }
  }

  // MARK: What is known

  /// Who is told what happens. Weak.
  open var delegate: (any OTSessionDelegate)? {
    get { state.delegate }
    set { state.delegate = newValue }
  }

  /// The queue on which delegates are called: the main queue, or another serial one of the app.
  open var apiQueue: DispatchQueue {
    get { state.apiQueue }
    set { state.apiQueue = newValue }
  }

  /// Where the connection stands.
  open var sessionConnectionStatus: OTSessionConnectionStatus {
    value(\.status, as: \OTSession.sessionConnectionStatus)
  }
  /// The own connection; nil until the session is connected.
  // As the headers of version 1 are imported: its apps use it without unwrapping.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var connection: OTConnection! { value(\.connection, as: \OTSession.connection) }
  /// What the token allows; nil until the session is connected.
  open var capabilities: OTSessionCapabilities? { value(\.capabilities, as: \OTSession.capabilities) }
  /// The streams in the session by id, the own ones included.
  open var streams: [String: OTStream] { value(\.streams, as: \OTSession.streams) }

  func value<Value>(_ path: KeyPath<State, Value>, as key: KeyPath<OTSession, Value>) -> Value {
    registrar.access(self, keyPath: key)
    return state.read { $0[keyPath: path] }
  }

  /// Changes what is known of the session, and tells who observes it.
  @discardableResult func change<Result>(_ body: (inout State) -> Result) -> Result {
    let (before, after, result) = state.update { state in
      let before = state
      let result = body(&state)
      return (before, state, result)
    }
    if before.status != after.status {
      registrar.withMutation(of: self, keyPath: \OTSession.sessionConnectionStatus) {}
    }
    if before.connection !== after.connection { registrar.withMutation(of: self, keyPath: \OTSession.connection) {} }
    if before.capabilities !== after.capabilities {
      registrar.withMutation(of: self, keyPath: \OTSession.capabilities) {}
    }
    if before.connectionCount != after.connectionCount {
      registrar.withMutation(of: self, keyPath: \OTSession.connectionCount) {}
    }
    if before.streams != after.streams { registrar.withMutation(of: self, keyPath: \OTSession.streams) {} }
    observers.look()
    return result
  }

  // MARK: Connecting

  /// Connects with a token of either form, or with `devtoken` and `moderator_token` where the server runs for development.
  /// `sessionDidConnect(_:)` or `session(_:didFailWithError:)` follows; `error` tells what can be seen at once.
  open func connect(withToken token: String, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(start(apiKey: apiKey, token: token), error)
  }

  func start(apiKey: String?, token: String) -> OTError? {
    let isFree = change { state in
      guard state.status == .notConnected || state.status == .failed else { return false }
      state.status = .connecting
      return true
    }
    guard isFree else {
      return OTError(.sessionIllegalState, "The session is connected or connecting already. Disconnect it first.")
    }
    onMain { [self] in engine.connect(self, apiKey: apiKey, token: token) }
    return nil
  }

  /// Leaves the session; its publishers and subscribers end with it. `sessionDidDisconnect(_:)` follows.
  open func disconnect(_ error: UnsafeMutablePointer<OTError?>?) {
    let isThere = change { state in
      switch state.status {
      case .notConnected, .failed, .disconnecting: return false
      case .connected, .connecting, .reconnecting:
        state.status = .disconnecting
        return true
      }
    }
    guard isThere else { return OTError.put(OTError(.notConnected, "The session is not connected."), error) }
    onMain { [self] in engine.disconnect(self) }
  }

  /// Leaves the session.
  open func disconnect() { disconnect(nil) }

  // MARK: For the engine

  /// Runs `body` on the app's queue, after what was told before. Properties are changed in it, too, so that they are what the callback says.
  func tell(_ body: @escaping @Sendable (OTSession) -> Void) {
    apiQueue.async { [self] in body(self) }
  }

  /// Why nothing can be asked of the session now; nil when it can.
  var missingConnection: OTError? {
    switch sessionConnectionStatus {
    case .connected, .reconnecting: nil
    default: OTError(.notConnected, "The session is not connected. Connect it and wait for sessionDidConnect.")
    }
  }

  /// Tells of an error that came from a call without a place for one. Where the call has one it is filled at once, since the delegate is told of
  /// what ends the session.
  func report(_ problem: OTError?) {
    guard let problem else { return }
    let error = isLegacy ? problem.asLegacy() : problem
    tell { $0.delegate?.session($0, didFailWithError: error) }
  }
}

/// Where the connection of a session stands.
public enum OTSessionConnectionStatus: Int32, Sendable {
  /// Not connected, or not any more.
  case notConnected = 0
  /// Connected.
  case connected = 1
  /// Being connected.
  case connecting = 2
  /// The connection was lost and is being brought back.
  case reconnecting = 3
  /// Being ended.
  case disconnecting = 4
  /// Connecting has failed, or the connection was lost for good.
  case failed = 5

  /// What version 1 calls ``notConnected``.
  public static var disconnected: OTSessionConnectionStatus { .notConnected }
}

/// A publisher that counts among the streams that its session may have.
struct PublisherPlace {
  let publisher: OTPublisherKit
  /// Of its ``Membership``.
  let number: Int
}

struct WeakSession: Sendable {
  weak var session: OTSession?
}
