public import Basics

/// One automatic slot that carries something else now.
public struct SlotUpdate: Sendable, Hashable {
  /// Whose slot it is.
  public var participant: ParticipantID
  public var mid: MID
  /// What it carries; nil for nothing.
  public var publication: PublicationID?

  public init(participant: ParticipantID, mid: MID, publication: PublicationID?) {
    self.participant = participant
    self.mid = mid
    self.publication = publication
  }
}
