public import Basics

/// The feedback messages that both sides agreed on for a codec (RFC 4585 section 4.2).
public struct FeedbackMechanisms: OptionSet, Hashable, Sendable {
  /// One bit per mechanism.
  public let rawValue: UInt8
  /// A set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Generic NACK (RFC 4585).
  public static let nack = FeedbackMechanisms(rawValue: 1)
  /// PLI (RFC 4585).
  public static let pictureLoss = FeedbackMechanisms(rawValue: 2)
  /// Full intra request (RFC 5104).
  public static let fullIntraRequest = FeedbackMechanisms(rawValue: 4)
  public static let transportWide = FeedbackMechanisms(rawValue: 8)
  /// Receiver-estimated maximum bit rate.
  public static let remb = FeedbackMechanisms(rawValue: 16)
  /// Every mechanism of this stack.
  public static let all: FeedbackMechanisms = [.nack, .pictureLoss, .fullIntraRequest, .transportWide, .remb]

  /// The mechanism of one `a=rtcp-fb` message, or nil for one that this stack does not speak.
  public init?(message: String) {
    switch message {
    case "nack": self = .nack
    case "nack pli": self = .pictureLoss
    case "ccm fir": self = .fullIntraRequest
    case "transport-cc": self = .transportWide
    case "goog-remb": self = .remb
    default: return nil
    }
  }

  /// The `a=rtcp-fb` messages of the set.
  public var messages: [String] {
    var messages: [String] = []
    if contains(.remb) { messages.append("goog-remb") }
    if contains(.transportWide) { messages.append("transport-cc") }
    if contains(.fullIntraRequest) { messages.append("ccm fir") }
    if contains(.nack) { messages.append("nack") }
    if contains(.pictureLoss) { messages.append("nack pli") }
    return messages
  }
}

/// A codec that both sides accepted in one m-section.
public struct NegotiatedCodec: Hashable, Sendable {
  /// The payload type both sides use.
  public var payloadType: PayloadType
  public var codec: Codec
  public var parameters: FormatParameters?
  /// The payload type of its retransmissions (RFC 4588), or nil without.
  public var rtxPayloadType: PayloadType?
  /// The feedback that may be sent for it.
  public var feedback: FeedbackMechanisms

  public init(
    payloadType: PayloadType, codec: Codec, parameters: FormatParameters? = nil,
    rtxPayloadType: PayloadType? = nil, feedback: FeedbackMechanisms = []
  ) {
    self.payloadType = payloadType
    self.codec = codec
    self.parameters = parameters
    self.rtxPayloadType = rtxPayloadType
    self.feedback = feedback
  }
}

/// An SSRC and the SSRC of its retransmissions, if there is one (`a=ssrc-group:FID`).
public struct NegotiatedSource: Hashable, Sendable {
  public var ssrc: SSRC
  /// The source of its retransmissions.
  public var rtxSSRC: SSRC?

  /// A source with its retransmissions.
  public init(ssrc: SSRC, rtxSSRC: SSRC? = nil) {
    self.ssrc = ssrc
    self.rtxSSRC = rtxSSRC
  }
}

/// The agreement of both sides about one live m-section, from the viewpoint of this side. A server sees a client's
/// track as ``Role/receive`` and a slot as ``Role/send``; a client sees them the other way round.
public struct NegotiatedMedia: Hashable, Sendable {
  /// This side's part in the section.
  public enum Role: Hashable, Sendable {
    /// The other side sends, this side receives.
    case receive
    /// This side sends, the other side receives.
    case send
    /// Nothing flows for now.
    case inactive
  }

  /// The section's name.
  public var mid: MID
  /// The section's place among all m-sections, from 0.
  public var index: Int
  public var kind: MediaKind
  /// Whether this side sends or receives in the section.
  public var role: Role
  /// Accepted codecs in the offerer's order of preference; never empty.
  public var codecs: [NegotiatedCodec]
  /// Ids of the accepted header extensions.
  public var extensions: HeaderExtensionMap
  /// Sources that the other side announced; empty where it relies on MID and RID alone.
  public var remoteSources: [NegotiatedSource]
  /// Stream and track ids that the other side announced.
  public var remoteStreamIDs: [MediaStreamID]
  /// The accepted simulcast layers in the sender's order; empty without simulcast.
  public var rids: [RID]
  /// This side's source, the same for as long as the mid lives; nil where this side has never been a sender.
  public var localSource: NegotiatedSource?
  /// This side's stream and track id; nil like ``localSource``.
  public var localStreamID: MediaStreamID?
  /// Whether RTCP may be sent in reduced size (RFC 5506).
  public var usesReducedSizeRTCP: Bool

  /// A section whose parts are known from elsewhere than a session description.
  public init(
    mid: MID, index: Int, kind: MediaKind, role: Role, codecs: [NegotiatedCodec], extensions: HeaderExtensionMap,
    remoteSources: [NegotiatedSource], remoteStreamIDs: [MediaStreamID], rids: [RID], localSource: NegotiatedSource?,
    localStreamID: MediaStreamID?, usesReducedSizeRTCP: Bool
  ) {
    self.mid = mid
    self.index = index
    self.kind = kind
    self.role = role
    self.codecs = codecs
    self.extensions = extensions
    self.remoteSources = remoteSources
    self.remoteStreamIDs = remoteStreamIDs
    self.rids = rids
    self.localSource = localSource
    self.localStreamID = localStreamID
    self.usesReducedSizeRTCP = usesReducedSizeRTCP
  }

  /// The codec that `payloadType` stands for, also when it is that codec's retransmissions.
  public func codec(for payloadType: PayloadType) -> NegotiatedCodec? {
    codecs.first { $0.payloadType == payloadType || $0.rtxPayloadType == payloadType }
  }
}
