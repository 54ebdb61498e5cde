public import Basics

/// New contents of a slot.
public struct SlotChange: Sendable, Hashable {
  public var mid: MID
  /// The publication; nil for nothing.
  public var publication: PublicationID?
  /// Whether it carries the meeting's loudest speakers from now on (audio only). Then `publication` means nothing, and
  /// ``MediaEvent/slots(_:)`` says what it carries.
  public var followsLoudest: Bool

  public init(mid: MID, publication: PublicationID?, followsLoudest: Bool = false) {
    self.mid = mid
    self.publication = publication
    self.followsLoudest = followsLoudest
  }
}
