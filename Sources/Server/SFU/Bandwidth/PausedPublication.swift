public import Basics

/// A publication that a receiver is not sent for now, and why.
public struct PausedPublication: Hashable, Sendable {
  /// Why something is not sent.
  public enum Reason: String, Hashable, Sendable {
    /// The receiver's path does not take it beside what is more important.
    case bandwidth
  }
  public var publication: PublicationID
  public var reason: Reason

  public init(_ publication: PublicationID, reason: Reason) {
    self.publication = publication
    self.reason = reason
  }
}
