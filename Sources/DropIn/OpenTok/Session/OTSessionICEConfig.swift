public import Foundation

/// The origin of the STUN and TURN servers that a session uses.
public enum OTSessionICEIncludeServers: Int32, Sendable {
  /// Those that the server names, and the app's.
  case all = 0
  /// Only the servers that the app names.
  case custom = 1
}

/// The network paths that a session may use.
public enum OTSessionICETransportPolicy: Int32, Sendable {
  case all = 0
  /// Through TURN servers only.
  case relay = 1
}

/// The STUN and TURN servers of a session.
open class OTSessionICEConfig: NSObject {
  /// A server of the app.
  struct Server: Hashable, Sendable {
    let url: String
    let userName: String
    let credential: String
  }

  private let state = Guarded(Values())

  struct Values {
    var includeServers = OTSessionICEIncludeServers.all
    var transportPolicy = OTSessionICETransportPolicy.all
    var servers: [Server] = []
    var filterOutLanCandidates = false
  }

  /// The defaults: every way, and the servers that the server names.
  public override init() { super.init() }

  var values: Values { state.read { $0 } }

  /// The source of the servers' addresses.
  open var includeServers: OTSessionICEIncludeServers {
    get { state.includeServers }
    set { state.includeServers = newValue }
  }

  /// All paths, or only those through TURN servers.
  open var transportPolicy: OTSessionICETransportPolicy {
    get { state.transportPolicy }
    set { state.transportPolicy = newValue }
  }

  /// The servers of the app, in the order they were added: dictionaries with `turn_url`, `username` and `credential`.
  open var customIceServers: [Any]? {
    state.servers.map { ["turn_url": $0.url, "username": $0.userName, "credential": $0.credential] }
  }

  /// Kept, and without effect on the connection.
  open var filterOutLanCandidates: Bool {
    get { state.filterOutLanCandidates }
    set { state.filterOutLanCandidates = newValue }
  }

  /// The most TURN servers that may be added.
  open class func maxTURNServersLimit() -> Int { 8 }

  /// Adds a server. A URL of another kind, or one too many, gives ``OTSessionErrorCode/OTNullOrInvalidParameter``.
  open func addICEServer(
    withURL url: String, userName: String, credential: String, error: UnsafeMutablePointer<NSError>?
  ) {
    if let problem = add(url, userName, credential) { error?.pointee = problem }
  }

  fileprivate func add(_ url: String, _ userName: String, _ credential: String) -> OTError? {
    let known = ["stun", "stuns", "turn", "turns"].contains(url.prefix { $0 != ":" }.lowercased())
    let most = Self.maxTURNServersLimit()
    return state.update { state in
      guard known, url.contains(":") else {
        return OTError(
          .nullOrInvalidParameter, "\(url) is no URL of a STUN or TURN server; turn:host:port is expected.")
      }
      guard state.servers.count < most else {
        return OTError(.nullOrInvalidParameter, "There may be \(most) servers at most.")
      }
      state.servers.append(Server(url: url, userName: userName, credential: credential))
      return nil
    }
  }
}

extension OTSessionICEConfig {
  /// The name of ``OTSessionICEIncludeServers`` in this module's first versions.
  public typealias IncludeServers = OTSessionICEIncludeServers
  /// The name of ``OTSessionICETransportPolicy`` in this module's first versions.
  public typealias TransportPolicy = OTSessionICETransportPolicy

  /// Adds a server, with a place for an error that begins without one.
  @_disfavoredOverload public func addICEServer(
    withURL url: String, userName: String, credential: String, error: UnsafeMutablePointer<OTError?>?
  ) {
    OTError.put(add(url, userName, credential), error)
  }
}
