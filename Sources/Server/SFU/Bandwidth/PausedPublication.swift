public import Basics

/// A publication that a receiver is not sent for now, and why.
public struct PausedPublication: Hashable, Sendable {
  /// Why something is not sent.
  public enum Reason: String, Hashable, Sendable {
    /// The receiver's path has no room for it next to more important ones.
    case bandwidth
  }
  public var publication: PublicationID
  public var reason: Reason

  public init(_ publication: PublicationID, reason: Reason) {
    self.publication = publication
    self.reason = reason
  }
}
