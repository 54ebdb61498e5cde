public import Foundation

/// How a session connects.
// unchecked: open to subclasses; its own state is constant or `Guarded`.
open class OTSessionSettings: NSObject, @unchecked Sendable {
  private let state = Guarded(Values())

  struct Values {
    var connectionEventsSuppressed = false
    var iceConfig: OTSessionICEConfig?
    var ipWhitelist = false
    var proxyURL: String?
    var apiURL: String?
    var singlePeerConnection = false
    var sessionMigration = false
    var streamLimit: OTStreamLimit?
  }

  /// The defaults.
  public override init() { super.init() }

  var values: Values { state.read { $0 } }

  /// Whether nothing is told of the connections of others.
  open var connectionEventsSuppressed: Bool {
    get { state.connectionEventsSuppressed }
    set { state.connectionEventsSuppressed = newValue }
  }

  /// Which STUN and TURN servers are used; nil takes those that the server names.
  open var iceConfig: OTSessionICEConfig? {
    get { state.iceConfig }
    set { state.iceConfig = newValue }
  }

  /// Without effect: a Parley server has the addresses that it has.
  open var ipWhitelist: Bool {
    get { state.ipWhitelist }
    set { state.ipWhitelist = newValue }
  }

  /// Without effect: connections are direct.
  open var proxyURL: String? {
    get { state.proxyURL }
    set { state.proxyURL = newValue }
  }

  /// `http(s)://host[:port]` of the server; nil takes ``ParleyServer/url``.
  open var apiURL: String? {
    get { state.apiURL }
    set { state.apiURL = newValue }
  }

  /// Without effect: everything always shares one connection.
  open var singlePeerConnection: Bool {
    get { state.singlePeerConnection }
    set { state.singlePeerConnection = newValue }
  }

  /// Without effect: a lost connection is always brought back.
  open var sessionMigration: Bool {
    get { state.sessionMigration }
    set { state.sessionMigration = newValue }
  }

  /// How many streams the session may have at a time; nil takes ``ParleyServer/streamLimit``. Not a name of OpenTok.
  open var streamLimit: OTStreamLimit? {
    get { state.streamLimit }
    set { state.streamLimit = newValue }
  }
}

/// Which STUN and TURN servers a session uses.
// unchecked: open to subclasses; its own state is constant or `Guarded`.
open class OTSessionICEConfig: NSObject, @unchecked Sendable {
  /// Whose servers are used.
  public enum IncludeServers: Int32, Sendable {
    /// Those that the server names, and the app's.
    case all
    /// The app's only.
    case custom
  }

  /// Which ways may be used.
  public enum TransportPolicy: Int32, Sendable {
    /// Every way.
    case all
    /// Through TURN servers only.
    case relay
  }

  /// A server of the app.
  public struct Server: Hashable, Sendable {
    /// `stun:`, `turn:` or `turns:`.
    public let url: String
    /// The user's name; empty for STUN.
    public let userName: String
    /// The password; empty for STUN.
    public let credential: String
  }

  private let state = Guarded(Values())

  struct Values {
    var includeServers = IncludeServers.all
    var transportPolicy = TransportPolicy.all
    var servers: [Server] = []
    var filterOutLanCandidates = false
  }

  /// The defaults: every way, and the servers that the server names.
  public override init() { super.init() }

  var values: Values { state.read { $0 } }

  /// Whose servers are used.
  open var includeServers: IncludeServers {
    get { state.includeServers }
    set { state.includeServers = newValue }
  }

  /// Which ways may be used.
  open var transportPolicy: TransportPolicy {
    get { state.transportPolicy }
    set { state.transportPolicy = newValue }
  }

  /// The servers of the app, in the order they were added.
  open var customIceServers: [Server] { state.servers }

  /// Without effect.
  open var filterOutLanCandidates: Bool {
    get { state.filterOutLanCandidates }
    set { state.filterOutLanCandidates = newValue }
  }

  /// The most TURN servers that may be added.
  open func maxTURNServersLimit() -> Int32 { Int32(Self.limit) }

  private static let limit = 8

  /// Adds a server. A URL of another kind, or one too many, gives ``OTSessionErrorCode/nullOrInvalidParameter``.
  open func addICEServer(
    withURL url: String, userName: String, credential: String, error: UnsafeMutablePointer<OTError?>?
  ) {
    let known = ["stun", "stuns", "turn", "turns"].contains(url.prefix { $0 != ":" }.lowercased())
    let problem: OTError? = state.update { state in
      guard known, url.contains(":") else {
        return OTError(
          .nullOrInvalidParameter, "\(url) is no URL of a STUN or TURN server; turn:host:port is expected.")
      }
      guard state.servers.count < Self.limit else {
        return OTError(.nullOrInvalidParameter, "There may be \(Self.limit) servers at most.")
      }
      state.servers.append(Server(url: url, userName: userName, credential: credential))
      return nil
    }
    OTError.put(problem, error)
  }
}
