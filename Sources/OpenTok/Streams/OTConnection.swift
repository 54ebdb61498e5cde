public import Foundation

/// A client that is connected to a session: this one, or another.
public final class OTConnection: NSObject, Sendable {
  /// The id, unique in the session.
  public let connectionId: String
  /// When the client connected, by the server's clock.
  public let creationTime: Date
  /// The connection data of its token; nil when it has none.
  public let data: String?

  init(connectionId: String, creationTime: Date, data: String?) {
    self.connectionId = connectionId
    self.creationTime = creationTime
    self.data = data
    super.init()
  }
}
