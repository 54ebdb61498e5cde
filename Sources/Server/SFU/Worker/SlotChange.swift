public import Basics

/// The publication of a slot from now on.
public struct SlotChange: Sendable, Hashable {
  public var mid: MID
  /// The publication; nil for nothing.
  public var publication: PublicationID?
  /// Whether it carries whichever of the meeting's loudest voices the worker gives it, from now on (audio only). Then
  /// `publication` means nothing, and ``MediaEvent/slots(_:)`` says what it carries.
  public var followsLoudest: Bool

  public init(mid: MID, publication: PublicationID?, followsLoudest: Bool = false) {
    self.mid = mid
    self.publication = publication
    self.followsLoudest = followsLoudest
  }
}
