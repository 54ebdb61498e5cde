/// The server of an app that was written for OpenTok: the one name that is new to it.
///
/// ```swift
/// ParleyServer.url = "https://meet.example.com"
/// let session = OTSession(apiKey: kApiKey, sessionId: kSessionId, delegate: self)
/// ```
public enum ParleyServer {
  private static let state = Guarded(ProcessSettings())

  /// `http(s)://host[:port]` of the server, for every session that has no ``OTSessionSettings/apiURL`` of its own.
  /// `http://localhost:8080` until it is set. Set it before connecting.
  public static var url: String {
    get { state.read { $0.url } }
    set { state.update { $0.url = newValue } }
  }

  /// How many streams a session may have at a time where its settings do not say; see ``OTStreamLimit``.
  public static var streamLimit: OTStreamLimit {
    get { state.read { $0.streamLimit } }
    set { state.update { $0.streamLimit = newValue } }
  }

  private struct ProcessSettings {
    var url = "http://localhost:8080"
    var streamLimit = OTStreamLimit.unlimited
  }
}

/// How many streams a session may publish and subscribe to at a time. The first devices could not take more than a few;
/// apps that rely on the error that came then ask for the same here.
public struct OTStreamLimit: Hashable, Sendable {
  /// The streams, published and subscribed ones together; nil for any number.
  public let streams: Int?

  public init(streams: Int?) { self.streams = streams.map { max($0, 0) } }

  /// As many as the server and the network carry.
  public static let unlimited = OTStreamLimit(streams: nil)
  /// Four, as on the tablets of version 1.
  public static let tablet = OTStreamLimit(streams: 4)
  /// Two, as on the other devices of version 1.
  public static let phone = OTStreamLimit(streams: 2)

  func allows(_ count: Int) -> Bool { streams.map { count <= $0 } ?? true }
}
