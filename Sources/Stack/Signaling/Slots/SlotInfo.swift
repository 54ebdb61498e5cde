/// The publication in a receive slot.
public struct SlotInfo: Sendable, Hashable, Codable {
  /// The `a=mid` of the slot's m-section in the receiver's own offer.
  public var mid: String
  /// The publication it carries; nil while it carries nothing.
  public var publication: String?
  /// The publisher; nil while the slot is empty.
  public var participant: String?

  /// Describes slot `mid`.
  public init(mid: String, publication: String? = nil, participant: String? = nil) {
    self.mid = mid
    self.publication = publication
    self.participant = participant
  }

  /// Writes the keys of `docs/protocol.md`, also those that are null.
  public func encode(to encoder: any Encoder) throws {
    // The keys are part of the protocol even when null, which the synthesised form would leave out.
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(mid, forKey: .mid)
    try container.encode(publication, forKey: .publication)
    try container.encode(participant, forKey: .participant)
  }

  private enum CodingKeys: String, CodingKey { case mid, publication, participant }
}
