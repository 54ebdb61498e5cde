public import Basics

/// One automatic slot that carries something else now.
public struct SlotUpdate: Sendable, Hashable {
  /// The receiver of the slot.
  public var participant: ParticipantID
  public var mid: MID
  /// Its publication; nil for none.
  public var publication: PublicationID?

  public init(participant: ParticipantID, mid: MID, publication: PublicationID?) {
    self.participant = participant
    self.mid = mid
    self.publication = publication
  }
}
