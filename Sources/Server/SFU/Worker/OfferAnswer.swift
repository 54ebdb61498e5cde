public import Basics
public import RTC

/// The outcome of an offer.
public struct OfferAnswer: Sendable {
  /// The SDP answer, candidates included.
  public var sdp: String
  /// The tracks that found a media section to send in, each with the codecs that it may come in.
  public var accepted: [MID: [NegotiatedCodec]]
  /// Every receive slot in the order of the offer.
  public var slots: [NegotiatedSlot]
  /// The m-sections that were rejected, and why.
  public var rejected: [MID: RejectedMedia]

  public init(
    sdp: String, accepted: [MID: [NegotiatedCodec]], slots: [NegotiatedSlot], rejected: [MID: RejectedMedia] = [:]
  ) {
    self.sdp = sdp
    self.accepted = accepted
    self.slots = slots
    self.rejected = rejected
  }
}

/// A receive slot, as it was negotiated.
public struct NegotiatedSlot: Sendable, Hashable {
  public var mid: MID
  public var kind: MediaKind
  /// The codecs that it takes.
  public var codecs: [NegotiatedCodec]

  public init(mid: MID, kind: MediaKind, codecs: [NegotiatedCodec] = []) {
    self.mid = mid
    self.kind = kind
    self.codecs = codecs
  }
}
