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
  /// What it is: a section of the other kind does not carry it, or who may send pictures alone could send sound under their name. Nil for whatever the
  /// section carries.
  public var kind: MediaKind?

  /// A track.
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

/// What came of an offer.
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
  /// The slot.
  public var mid: MID
  /// Audio or video.
  public var kind: MediaKind
  /// The codecs that it takes.
  public var codecs: [NegotiatedCodec]

  public init(mid: MID, kind: MediaKind, codecs: [NegotiatedCodec] = []) {
    self.mid = mid
    self.kind = kind
    self.codecs = codecs
  }
}

/// What a slot is to carry from now on.
public struct SlotChange: Sendable, Hashable {
  /// The slot.
  public var mid: MID
  /// The publication; nil for nothing.
  public var publication: PublicationID?
  /// Whether it carries whichever of the meeting's loudest voices the worker gives it, from now on (audio only). Then `publication`
  /// means nothing, and ``MediaEvent/slots(_:)`` says what it carries.
  public var followsLoudest: Bool

  /// A change.
  public init(mid: MID, publication: PublicationID?, followsLoudest: Bool = false) {
    self.mid = mid
    self.publication = publication
    self.followsLoudest = followsLoudest
  }
}

/// At what size a slot is shown.
public struct SlotSize: Sendable, Hashable {
  /// The slot.
  public var mid: MID
  /// Width in pixels of the receiver's screen; 0 while it is hidden.
  public var width: Int
  /// Its height.
  public var height: Int
  /// Whether its receiver has pinned it.
  public var isPinned: Bool
  /// The most pictures a second that are of use; 0 for all there are.
  public var maximumFrameRate: Int

  /// A size.
  public init(mid: MID, width: Int, height: Int, isPinned: Bool = false, maximumFrameRate: Int = 0) {
    self.mid = mid
    self.width = width
    self.height = height
    self.isPinned = isPinned
    self.maximumFrameRate = maximumFrameRate
  }
}

/// Why a worker refused.
public enum MediaWorkerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The offer cannot be used: a sentence for the client.
  case badOffer(String)
  /// No such participant, or not any more.
  case unknownParticipant
  /// The participant is there already.
  case duplicateParticipant
  /// The worker takes no more: a sentence for the log.
  case unavailable(String)

  /// What happened and what was expected.
  public var description: String {
    switch self {
    case .badOffer(let reason): "The offer cannot be used: \(reason)"
    case .unknownParticipant: "There is no such participant in this worker; it may have left. Join again."
    case .duplicateParticipant: "The participant has a connection already; offer on it, or leave first."
    case .unavailable(let reason): "The media worker cannot take it: \(reason)"
    }
  }
}

/// How a worker is set up.
public struct MediaWorkerConfiguration: Sendable {
  /// Certificate and SRTP profiles, one for the process.
  public var dtls: DTLSContext
  /// What is accepted in offers.
  public var policy: MediaPolicy
  /// The UDP and TCP port; 0 for any free one.
  public var port: UInt16
  /// Where it listens, and which addresses clients are told.
  public var addresses: MediaAddressPolicy
  /// Called on the worker's thread with the addresses that clients are told, at the start and whenever they change.
  public var onAddresses: (@Sendable (MediaAddressReport) -> Void)?
  /// Whether IPv6 is used.
  public var usesIPv6: Bool
  /// Whether ICE-TCP is offered.
  public var usesTCP: Bool
  /// How long packets may be held, in large meetings and under load, to leave as bursts; zero to forward at once always.
  public var maximumHold: TimeSpan
  /// Most participants on one worker.
  public var maximumParticipants: Int
  /// The data channels that clients may open.
  public var data: DataChannelSettings
  /// How many voices are forwarded in a meeting with more voices than slots, 1 to 8.
  public var audioLoudest = 5
  /// Participants of one meeting on one worker before the pool takes the next worker for it.
  public var meetingSpread = 16
  /// Bytes of each of the two rings between two workers.
  public var ringBytes = 1 << 20

  /// A configuration with the usual settings.
  public init(
    dtls: DTLSContext, policy: MediaPolicy = .standard, port: UInt16 = 0,
    addresses: MediaAddressPolicy = MediaAddressPolicy(),
    usesIPv6: Bool = true, usesTCP: Bool = true, maximumHold: TimeSpan = .milliseconds(5),
    maximumParticipants: Int = 4_096, data: DataChannelSettings = DataChannelSettings()
  ) {
    self.dtls = dtls
    self.policy = policy
    self.port = port
    self.addresses = addresses
    self.usesIPv6 = usesIPv6
    self.usesTCP = usesTCP
    self.maximumHold = maximumHold
    self.maximumParticipants = maximumParticipants
    self.data = data
  }
}

/// What a worker did and has, for `/metrics`. Counters only grow.
public struct MediaWorkerStatistics: Sendable {
  /// Sum of all routers' counters, of meetings that are over too.
  public var routing = RouterCounters()
  /// What was written for other workers.
  public var relays = RelayCounters()
  /// What the paths to receivers carry now.
  public var bandwidth = BandwidthTotals()
  /// What came and went over data channels.
  public var data = DataCounters()
  /// Datagrams dropped by peer connections, by reason.
  public var connectionDrops: [DropReason: UInt64] = [:]
  /// Datagrams from addresses that no check has proven, other than checks.
  public var unknownAddress: UInt64 = 0
  /// Checks for a user fragment that nobody has.
  public var unknownFragment: UInt64 = 0
  /// Candidates of clients that are not looked at: more than a description may have, or ones that cannot be read.
  public var candidatesIgnored: UInt64 = 0
  /// Datagrams received.
  public var datagramsReceived: UInt64 = 0
  /// Datagrams sent.
  public var datagramsSent: UInt64 = 0
  /// Sending system calls.
  public var sendCalls: UInt64 = 0
  /// Datagrams dropped because a socket's buffer was full.
  public var sendDrops: UInt64 = 0
  /// Meetings now.
  public var meetings = 0
  /// Participants now.
  public var participants = 0
  /// Share of the last moments that the worker was busy, 0 to 1.
  public var utilization = 0.0

  /// All zero.
  public init() {}
}
