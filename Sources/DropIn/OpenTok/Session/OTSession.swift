public import Dispatch
public import Foundation
public import Observation

/// A session: its connections, and the streams that they publish.
///
/// Every call may come from any thread, and returns at once. The delegate is called on ``apiQueue``, the main queue
/// unless the app takes another. Properties change there, right before the callback that says so. They can be observed
/// with `withObservationTracking`, and by key path as on Apple systems.
///
/// ```swift
/// ParleyServer.url = "https://meet.example.com"
/// let session = OTSession(apiKey: kApiKey, sessionId: kSessionId, delegate: self)!
/// var error: OTError?
/// session.connect(withToken: kToken, error: &error)
/// ```
open class OTSession: NSObject, Observable {
  private let parts: Parts
  private let registrar = ObservationRegistrar()
  let observers = KeyObservers()
  let named = NamedObservers()

  /// A session, not connected yet. Never nil: a wrong key or id is reported when it connects.
  public init?(apiKey: String, sessionId: String, delegate: (any OTSessionDelegate)?) {
    parts = Parts(apiKey, sessionId, delegate)
    super.init()
    attach()
  }

  /// A session, not connected yet; never nil.
  public init?(
    apiKey: String, sessionId: String, delegate: (any OTSessionDelegate)?, settings: OTSessionSettings?
  ) {
    parts = Parts(apiKey, sessionId, delegate, settings?.values ?? .init())
    super.init()
    attach()
  }

  /// A session of an application of Vonage, not connected yet. Its id is used as an API key is. Never nil.
  public init?(applicationId: String, sessionId: String, delegate: (any OTSessionDelegate)?) {
    parts = Parts(applicationId, sessionId, delegate)
    super.init()
    attach()
  }

  /// A session of an application of Vonage, not connected yet; never nil.
  public init?(
    applicationId: String, sessionId: String, delegate: (any OTSessionDelegate)?, settings: OTSessionSettings?
  ) {
    parts = Parts(applicationId, sessionId, delegate, settings?.values ?? .init())
    super.init()
    attach()
  }

  /// A session as in version 1: the key comes with ``connect(withApiKey:token:)``, the delegate hears of own streams,
  /// too, and subscribers start by themselves. Never nil: a wrong id is reported when it connects.
  public init?(sessionId: String, delegate: (any OTSessionDelegate)?) {
    parts = Parts(nil, sessionId, delegate, isLegacy: true)
    super.init()
    attach()
  }

  private func attach() {
    let link = WeakSession(session: self)
    onMain { [engine] in engine.session = link.session }
  }

  deinit {
    onMain { [engine] in engine.abandon() }
  }

  var engine: SessionEngine { parts.engine }
  var state: Guarded<State> { parts.state }
  var apiKey: String? { parts.apiKey }
  var isLegacy: Bool { parts.isLegacy }

  // MARK: State

  /// The session's id, as the server of the app gave it.
  open var sessionId: String { parts.sessionId }

  /// Receives the events of the session. Held weakly.
  open var delegate: (any OTSessionDelegate)? {
    get { state.delegate }
    set { state.delegate = newValue }
  }

  /// The queue on which delegates are called: the main queue, or another serial one of the app.
  open var apiQueue: DispatchQueue {
    get { state.apiQueue }
    set { state.apiQueue = newValue }
  }

  /// The state of the connection.
  open var sessionConnectionStatus: OTSessionConnectionStatus {
    value(\.status, as: \OTSession.sessionConnectionStatus)
  }
  /// This client's connection; nil until the session is connected.
  open var connection: OTConnection? { value(\.connection, as: \OTSession.connection) }
  /// The permissions of the token; nil until the session is connected.
  open var capabilities: OTSessionCapabilities? { value(\.capabilities, as: \OTSession.capabilities) }
  /// The streams in the session by id, this client's own ones included.
  open var streams: [String: OTStream] { value(\.streams, as: \OTSession.streams) }

  // MARK: Connecting

  /// Connects with a token of either form, or with `devtoken` and `moderator_token` on a development server.
  /// `sessionDidConnect(_:)` or `session(_:didFailWithError:)` follows; `error` has faults that are visible at once.
  open func connect(withToken token: String, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(start(apiKey: apiKey, token: token), error)
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

  open func disconnect() { disconnect(nil) }

  // MARK: Streams

  /// Sends what a publisher captures. `publisher(_:streamCreated:)` or `publisher(_:didFailWithError:)` follows. One
  /// that was unpublished in the same turn begins when its stream has ended.
  open func publish(_ publisher: OTPublisherKit, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(begin(publisher), error)
  }

  /// Sends it no longer. `publisher(_:streamDestroyed:)` follows; the preview goes on.
  open func unpublish(_ publisher: OTPublisherKit, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(end(publisher), error)
  }

  /// Receives a stream. `subscriberDidConnect(toStream:)` or `subscriber(_:didFailWithError:)` follows.
  open func subscribe(_ subscriber: OTSubscriberKit, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(begin(subscriber), error)
  }

  /// Receives it no longer.
  open func unsubscribe(_ subscriber: OTSubscriberKit, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(end(subscriber), error)
  }

  /// Publishes. A refusal is reported to the publisher's delegate, with the number that ``publish(_:error:)`` gives. A
  /// publisher that is published already goes on, and the session's delegate is notified of the call.
  open func publish(_ publisher: OTPublisherKit) { publishReporting(publisher) }

  open func unpublish(_ publisher: OTPublisherKit) { report(end(publisher)) }

  /// Subscribes. The subscriber's delegate gets a refusal, with the number that ``subscribe(_:error:)`` gives. A
  /// subscriber that receives already continues, and the session's delegate is notified of the call.
  open func subscribe(_ subscriber: OTSubscriberKit) { subscribeReporting(subscriber) }

  open func unsubscribe(_ subscriber: OTSubscriberKit) { report(end(subscriber)) }

  // MARK: Signals and moderation

  /// Sends a signal to everybody, this client included, or to one connection. It waits for its turn, since the server
  /// takes 50 messages a second, and for a connection that is being brought back. With 1,000 on their way `error` is
  /// 1550.
  open func signal(
    withType type: String?, string: String?, connection: OTConnection?, error: UnsafeMutablePointer<OTError?>?
  ) {
    signal(withType: type, string: string, connection: connection, retryAfterReconnect: true, error: error)
  }

  /// Sends a signal to everybody, this client included, or to one connection.
  ///
  /// - Parameters:
  ///   - type: The subject: at most 128 letters of ASCII, digits, `-`, `_` and `~`.
  ///   - string: The content, at most 8 KiB.
  ///   - connection: The recipient; nil for everybody.
  ///   - retryAfterReconnect: Whether it waits for a connection that is being brought back; otherwise `error` is 1550
  ///     then.
  open func signal(
    withType type: String?, string: String?, connection: OTConnection?, retryAfterReconnect: Bool,
    error: UnsafeMutablePointer<OTError?>?
  ) {
    OTError.put(send(type ?? "", string ?? "", to: connection, waits: retryAfterReconnect), error)
  }

  /// Mutes the audio of every stream but `excludedStreams`, also of this client's own ones; streams that come later
  /// start muted, too.
  open func forceMuteAll(_ excludedStreams: [OTStream]?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(muteAll(except: excludedStreams ?? []), error)
  }

  /// Mutes the audio of one stream.
  open func forceMuteStream(_ stream: OTStream, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(mute(stream), error)
  }

  /// Lets later streams begin with their audio again. Muted streams stay muted.
  open func disableForceMute(_ error: UnsafeMutablePointer<OTError?>?) { OTError.put(allowUnmuting(), error) }

  /// Takes a client out of the session.
  open func forceDisconnect(_ connection: OTConnection?, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(remove(connection), error)
  }

  // MARK: Encryption and support

  /// Connects this session end-to-end encrypted, with a secret of 8 to 256 characters that the app's clients share. It
  /// is set before the session connects; then it connects encrypted or not at all.
  open func setEncryptionSecret(_ secret: String, error: UnsafeMutablePointer<OTError?>?) {
    OTError.put(setSecret(secret), error)
  }

  /// Gives an id to name a problem by; the time and the session are what the server's log knows it by.
  open func reportIssue(_ issueId: UnsafeMutablePointer<NSString?>?) {
    issueId?.pointee = NSString(string: UUID().uuidString)
  }

  /// Without effect: reports come when they are asked for, with ``OTPublisherKit/getRtcStatsReport()`` and
  /// ``OTSubscriberKit/getRtcStatsReport(_:)``.
  open func setRtcStatsReportFilePath(_ path: String, error: UnsafeMutablePointer<OTError?>?) {}

  func value<Value>(_ path: KeyPath<State, Value>, as key: KeyPath<OTSession, Value>) -> Value {
    registrar.access(self, keyPath: key)
    return state.read { $0[keyPath: path] }
  }

  /// Changes the session's state, and notifies its observers.
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
}
