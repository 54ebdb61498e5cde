public import Foundation

/// A client that is connected to a session: this one, or another.
open class OTConnection: NSObject {
  /// The id, unique in the session.
  open internal(set) var connectionId = ""
  /// When the client connected, by the server's clock.
  open internal(set) var creationTime = Date(timeIntervalSince1970: 0)
  /// The connection data of its token; nil when it has none.
  open internal(set) var data: String?

  /// A connection of nobody, for subclasses.
  public override init() { super.init() }

  convenience init(connectionId: String, creationTime: Date, data: String?) {
    self.init()
    (self.connectionId, self.creationTime, self.data) = (connectionId, creationTime, data)
  }
}
