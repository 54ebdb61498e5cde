public import Foundation

/// How a session connects.
open class OTSessionSettings: NSObject {
  private let state = Guarded(Values())

  struct Values {
    var connectionEventsSuppressed = false
    var iceConfig: OTSessionICEConfig?
    var ipWhitelist = false
    var proxyURL: String?
    var apiURL: URL?
    var singlePeerConnection = false
    var sessionMigration = false
    var streamLimit: OTStreamLimit?
  }

  public override init() { super.init() }

  var values: Values { state.read { $0 } }

  /// Whether the connections of others aren't reported.
  open var connectionEventsSuppressed: Bool {
    get { state.connectionEventsSuppressed }
    set { state.connectionEventsSuppressed = newValue }
  }

  /// The STUN and TURN servers; nil takes those that the server names.
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
  open var apiURL: URL? {
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
