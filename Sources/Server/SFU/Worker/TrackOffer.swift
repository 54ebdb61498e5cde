public import Basics
public import RTC

/// A track that a participant sends, as signalling names it.
public struct TrackOffer: Sendable, Hashable {
  /// The media section that carries it.
  public var mid: MID
  /// The publication that it becomes.
  public var publication: PublicationID
  /// Whether it is muted now.
  public var isMuted: Bool
  /// Whether it shows a screen, which comes before cameras where a receiver's bandwidth is short.
  public var isScreenShare: Bool
  /// What it is: a section of the other kind does not carry it, or who may send pictures alone could send sound under
  /// their name. Nil for whatever the section carries.
  public var kind: MediaKind?

  public init(
    mid: MID, publication: PublicationID, isMuted: Bool, isScreenShare: Bool = false, kind: MediaKind? = nil
  ) {
    self.kind = kind
    self.mid = mid
    self.publication = publication
    self.isMuted = isMuted
    self.isScreenShare = isScreenShare
  }
}
