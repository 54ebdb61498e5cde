public import Basics
public import RTC
public import SFU
public import Signaling

/// What the meeting rooms need of the media server, and nothing more. `SFU`'s workers stand behind it; tests have a double.
///
/// Who decides what: the room decides which publication each slot carries (``SlotTable``); the media plane negotiates,
/// routes packets and reports what it sees. Participants are named by their signalling id, unique over the whole server.
/// Calls for one meeting come one after the other.
public protocol MediaPlane: Sendable {
  /// Opens a participant's connection from its first offer. `tracks` are what it sends, each with the id of the
  /// publication that it becomes; `reached` is the address of this machine that its signalling came to, where that is known. Throws when the offer
  /// is refused; nothing is left behind then.
  func join(
    meeting: String, participant: String, offer: String, tracks: [MediaTrack], reached: IPAddress?
  ) async throws(MediaPlaneError) -> MediaAnswer

  /// Negotiates anew: tracks or slots added or removed, or an ICE restart. `tracks` is the whole list; publications
  /// that are missing from it end. Slots that remain keep what they carry.
  func offer(
    participant: String, offer: String, tracks: [MediaTrack]
  ) async throws(MediaPlaneError) -> MediaAnswer

  /// Mutes or unmutes a publication: while muted, nothing of it is forwarded.
  func setMuted(_ muted: Bool, publication: String, of participant: String) async

  /// Lets slots of `receiver` carry other publications, or nothing. Returns the `mid`s of slots that cannot carry what
  /// they were given, for instance because the receiver has no decoder for it; those are empty now.
  func assign(_ assignments: [SlotAssignment], of receiver: String) async -> [String]

  /// Tells at what sizes `receiver` shows what its slots carry; ``SlotView/width`` 0 is hidden, or sound that
  /// nobody listens to. Unknown slots are ignored.
  func setViews(_ views: [SlotView], of receiver: String) async

  /// Closes a participant's connection and ends its publications. Unknown participants are ignored.
  func leave(participant: String) async

  /// What happens to the media of a meeting from now on; asked for once, before the first ``join``. The stream ends with
  /// ``close(meeting:)``.
  func events(of meeting: String) async -> AsyncStream<MediaEvent>

  /// The data messages of a meeting's participants from now on, as they came; asked for once, before the first ``join``. The
  /// stream ends with ``close(meeting:)``.
  func dataEvents(of meeting: String) async -> AsyncStream<MeetingDataEvent>

  /// Queues a data message for each of `participants`; those without such a channel are left out.
  func sendData(_ message: [UInt8], _ delivery: DataDelivery, to participants: [String]) async

  /// The meeting is over: its last participant has left.
  func close(meeting: String) async

  /// Takes over what a running server can of other settings.
  func reload(_ configuration: ServerConfiguration) async

  /// Closes everything.
  func shutdown() async

  /// Counters for `/metrics`, in the Prometheus text format (lines with their own `# TYPE`).
  func metrics() async -> String
}

/// A track that a participant sends, for the media plane.
public struct MediaTrack: Sendable, Hashable {
  /// The m-section that carries it.
  public var mid: String
  /// The publication that it is.
  public var publication: String
  /// What it shows or lets hear.
  public var source: TrackSource
  /// Whether it is muted now.
  public var muted: Bool
  /// What it is called; nil for nothing of its own.
  public var name: String?

  /// A track.
  public init(mid: String, publication: String, source: TrackSource, muted: Bool, name: String? = nil) {
    self.mid = mid
    self.publication = publication
    self.source = source
    self.muted = muted
    self.name = name
  }
}

/// A negotiated receive slot.
public struct MediaSlot: Sendable, Hashable {
  /// Its m-section in the receiver's offer.
  public var mid: String
  /// Sound or picture.
  public var kind: TrackKind
  /// The codecs that the receiver takes in it.
  public var codecs: [NegotiatedCodec]

  /// A slot.
  public init(mid: String, kind: TrackKind, codecs: [NegotiatedCodec] = []) {
    self.mid = mid
    self.kind = kind
    self.codecs = codecs
  }
}

/// What a slot is to carry from now on.
public struct SlotAssignment: Sendable, Hashable {
  /// The slot.
  public var mid: String
  /// The publication; nil for nothing.
  public var publication: String?
  /// Whether the media plane decides: the slot carries one of the loudest voices, and ``MediaEvent/slots(_:)`` says which.
  public var followsLoudest: Bool

  /// An assignment.
  public init(mid: String, publication: String?, followsLoudest: Bool = false) {
    self.mid = mid
    self.publication = publication
    self.followsLoudest = followsLoudest
  }
}

/// What a slot that follows the loudest voices carries now.
public struct CarriedVoice: Sendable, Hashable {
  /// Whose slot it is.
  public var participant: String
  /// The slot.
  public var mid: String
  /// The publication; nil for nothing.
  public var publication: String?

  /// A report of what a slot carries.
  public init(participant: String, mid: String, publication: String?) {
    self.participant = participant
    self.mid = mid
    self.publication = publication
  }
}

/// The media plane's answer to an offer.
public struct MediaAnswer: Sendable, Hashable {
  /// The SDP answer, candidates included.
  public var sdp: String
  /// The tracks that were accepted, by `mid`, each with the codecs that it may come in; the others found no m-section to send in.
  public var accepted: [String: [NegotiatedCodec]]
  /// Every receive slot, in the order of the offer.
  public var slots: [MediaSlot]
  /// Why m-sections were rejected, by `mid`.
  public var rejected: [String: String]
  /// The kinds of which slots were offered and rejected, since no codec of theirs can be forwarded.
  public var rejectedSlots: Set<TrackKind>

  /// An answer.
  public init(
    sdp: String, accepted: [String: [NegotiatedCodec]], slots: [MediaSlot], rejected: [String: String] = [:],
    rejectedSlots: Set<TrackKind> = []
  ) {
    self.sdp = sdp
    self.accepted = accepted
    self.slots = slots
    self.rejected = rejected
    self.rejectedSlots = rejectedSlots
  }
}

/// What the media plane reports of its own accord.
public enum MediaEvent: Sendable, Hashable {
  /// ICE and DTLS are up (again).
  case connected(participant: String)
  /// No authenticated check has come for 30 s, or DTLS failed: nothing is sent any more until an ICE restart.
  case lost(participant: String)
  /// Who speaks, loudest first; at most 5 times a second.
  case speakers([SpeakerLevel])
  /// A video publication arrives in this codec from now on.
  case codec(publication: String, NegotiatedCodec)
  /// What of a video publication somebody watches changed.
  case demand(publication: String, MediaDemand)
  /// The publications that a receiver's network has no room for, whole.
  case paused(receiver: String, publications: [String])
  /// Connections that are judged differently now, by participant.
  case quality([String: Signaling.ConnectionQuality])
  /// Slots that follow the loudest voices carry others now.
  case slots([CarriedVoice])
}

/// What of a video publication its receivers want together; the rest need not be sent.
public struct MediaDemand: Sendable, Hashable {
  /// Whether anybody watches.
  public var isActive: Bool
  /// The simulcast streams that are wanted, smallest first; nil without simulcast.
  public var rids: [String]?
  /// Where one stream has several spatial layers and not all are wanted: how many, from the smallest.
  public var spatialLayers: Int?
  /// Of how many.
  public var spatialLayerCount: Int?
  /// Width of the largest picture that is shown; 0 for whatever there is.
  public var width: Int
  /// Its height.
  public var height: Int
  /// The most pictures a second that anybody wants, where the server can leave none out; nil for all.
  public var maxFrameRate: Int?

  /// A demand.
  public init(isActive: Bool, rids: [String]? = nil, width: Int = 0, height: Int = 0) {
    self.isActive = isActive
    self.rids = rids
    self.width = width
    self.height = height
  }
}

/// Why the media plane refused.
public enum MediaPlaneError: Error, Sendable, Hashable {
  /// The offer cannot be used: the reason, as a sentence for the client.
  case badOffer(String)
  /// There is no such participant (any more).
  case unknownParticipant
  /// The server cannot take it now: the reason, for the log.
  case unavailable(String)
}
