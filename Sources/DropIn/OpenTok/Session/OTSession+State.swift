import Dispatch

extension OTSession {
  /// The parts of a session. Every initialiser is a designated one, as in the SDK, so that subclasses can call any of
  /// them.
  struct Parts {
    let apiKey: String?
    let sessionId: String
    /// Whether it was made as in version 1: streams then include the app's own ones, subscribers start by themselves,
    /// errors have the old numbers.
    let isLegacy: Bool
    let engine: SessionEngine
    let state: Guarded<State>

    init(
      _ apiKey: String?, _ sessionId: String, _ delegate: (any OTSessionDelegate)?,
      _ settings: OTSessionSettings.Values = .init(), isLegacy: Bool = false
    ) {
      (self.apiKey, self.sessionId, self.isLegacy) = (apiKey, sessionId, isLegacy)
      engine = SessionEngine(settings)
      state = Guarded(State(delegate: delegate, limit: settings.streamLimit ?? ParleyServer.streamLimit))
    }
  }

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
    /// Published, or being published.
    var publishers: [PublisherPlace] = []
    /// The number of subscribers, those that are starting included.
    var subscribers = 0
    var limit: OTStreamLimit
    /// The secret that the app has set; its clients share it.
    var secret: EncryptionSecret?
    /// The fault of a secret that was refused. The session does not connect in clear in its place.
    var secretProblem: OTError?
  }
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
