import Basics
import FoundationEssentials
import Meetings
import SFU
import Signaling

/// A participant as its room knows it. Belongs to ``RoomMachine`` and never leaves it.
final class RoomMember {
  /// A track of the participant.
  struct Publication {
    var mid: String
    var info: PublicationInfo
    /// The layers that others want; nil as long as they want all.
    var demand: LayersWanted?
    var codecs = PublishedCodecs()
  }

  /// Numbers of receive slots.
  struct SlotCounts: Hashable {
    var audio = 0
    var video = 0
  }

  let id: String
  let resumeToken: String
  /// The admission by its first token, or by the renewed one.
  var admission: Admission
  var token = TokenWatch()
  let origin: String?
  /// The client's address, if bans go by that.
  var address: IPAddress?
  let order: Int
  var name: String
  /// By ``decisions``.
  var role: Role
  /// By ``decisions``.
  var permissions: Permissions
  /// Hosts' decisions about it.
  var decisions = HostDecisions()
  /// Tracks that were refused, so that each refusal is sent once.
  var refusedTracks: Set<String> = []
  /// Tracks that a host ended and that the client has not taken out of its offers yet.
  var stoppedTracks: Set<String> = []
  var wasToldOfData = false
  /// Its place in the row of raised hands; nil while its hand is down.
  var hand: Int?
  /// How fast it may ask for things.
  var rateLimiter = RequestRateLimiter()
  /// Its part of the room's message budget.
  var budget = MessageBudget.Sender()
  /// Its announced keys, and how much of its envelopes is passed on.
  var keys = KeyRelay.ParticipantBudget()
  /// The ``MeetingRecord/revision`` that its client knows.
  var knownRevision = 0
  /// Its last answers, so that no message is passed on twice.
  var answered = AnsweredMessages()
  var chatting = ParticipantChat()
  var publications: [Publication] = []
  var slots = SlotTable()
  /// The publications that it can't decode, as its client knows them.
  var toldUndecodable: [UndecodablePublication] = []
  /// Publications for which its network lacks the bandwidth.
  var paused: Set<String> = []
  /// The socket that stands for the participant; nil between a lost one and the next.
  var channel: RoomChannel?
  /// Whether media flows, or has not yet begun to.
  var hasMedia = true
  /// When the participant last spoke, as a running number; 0 for never.
  var lastSpoke = 0
  /// The numbers of slots that its client was asked for last.
  var requestedSlots = SlotCounts()
  /// When the session began.
  let created: Date
  /// The layout classes of its OpenTok streams; those of its token where nothing else was set.
  var layoutClasses: [StreamName: [String]] = [:]
  /// When the session ends unless a socket or media comes back; nil while both are there.
  var expiry: Instant?

  init(
    id: String, resumeToken: String, admission: Admission, origin: String?, order: Int, name: String,
    channel: RoomChannel, created: Date
  ) {
    self.created = created
    self.id = id
    self.resumeToken = resumeToken
    self.admission = admission
    self.origin = origin
    self.order = order
    self.name = name
    role = admission.grant.role
    permissions = admission.grant.permissions
    self.channel = channel
  }

  /// Whether its connection is lost and the others don't know; see ``RoomMachine/announceConnection(of:was:except:)``.
  var isLossUnannounced = false

  var connection: ConnectionState { channel != nil && hasMedia ? .connected : .reconnecting }

  /// When the session or its chat has something due; nil when nothing is.
  var deadline: Instant? { [expiry, chatting.deadline].compactMap(\.self).min() }

  /// Whether the others don't see it.
  var isHidden: Bool { role == .hidden }

  var info: ParticipantInfo {
    ParticipantInfo(
      id: id, name: name, role: role.signalingName, connection: isLossUnannounced ? .connected : connection,
      publications: publications.map(\.info), hand: hand,
      permissions: permissions == role.permissions.intersection(role.bound) ? nil : permissions.names,
      data: admission.grant.connectionData, created: created)
  }

  /// About how many bytes everybody gets with each ``info`` of it.
  var announcedBytes: Int {
    name.utf8.count + (admission.grant.connectionData?.utf8.count ?? 0)
      + publications.reduce(0) { $0 + MessageBudget.overhead / 2 + ($1.info.name?.utf8.count ?? 0) }
  }

  /// The key of a track of an offer, for decisions about it.
  static func trackKey(_ mid: String, _ source: TrackSource) -> String { "\(mid) \(source.rawValue)" }
}
