/// The state of a session's connection.
public enum OTSessionConnectionStatus: Int32, Sendable {
  /// Not connected, or not any more.
  case notConnected = 0
  case connected = 1
  case connecting = 2
  /// The connection was lost and is being brought back.
  case reconnecting = 3
  case disconnecting = 4
  /// Connecting has failed, or the connection was lost permanently.
  case failed = 5

  /// Version 1's name for ``notConnected``.
  public static var disconnected: OTSessionConnectionStatus { .notConnected }
}
