public import Media
public import Signaling

/// What happens in a meeting, in order. Read them with ``Meeting/events``.
///
/// Participants and publications are main-actor objects whose state can be read at any time; the events say that it changed.
public enum MeetingEvent: Sendable {
  /// Media flows for the first time. Comes once; after a lost connection, also when the meeting was joined anew, ``reconnected`` comes.
  case joined
  /// Somebody came, or was there already when this client joined.
  case participantJoined(RemoteParticipant)
  /// A name, a role or the state of somebody's connection changed.
  case participantUpdated(any Participant)
  /// Somebody went.
  case participantLeft(RemoteParticipant, LeaveReason)
  /// Somebody published a track.
  case published(RemotePublication)
  /// Somebody stopped publishing a track.
  case unpublished(RemotePublication)
  /// Somebody muted or unmuted a track; see ``RemotePublication/isMuted``.
  case muteChanged(RemotePublication)
  /// A publication is received from now on.
  case subscribed(Subscription)
  /// A publication is not received any more: it ended, or others need the slots more.
  case unsubscribed(RemotePublication)
  /// The first frame of a subscription was decoded. Only for tracks that somebody watches or hears (see ``RemoteVideoTrack/add(_:)``).
  case firstFrame(Subscription)
  /// Who speaks changed; loudest first.
  case speakersChanged([any Participant])
  /// A chat message; `isHistory` for one that was written before this client joined.
  case chat(ChatMessage, isHistory: Bool)
  /// A chat message of this client was not delivered: the server refused it (such as for a recipient who has left), or too many waited for the
  /// signalling to come back. It is not sent again.
  case chatFailed(SentChatMessage, JoinError)
  /// Data that somebody sent with ``Meeting/send(_:topic:reliability:to:)``.
  case data(DataMessage)
  /// The server sends a picture no longer for now: this client's network has no room for it beside what matters more.
  case paused(Subscription)
  /// It is sent again.
  case resumed(Subscription)
  /// How well media flows between somebody and the server.
  case qualityChanged(any Participant, ConnectionQuality)
  /// A part of the connection was lost; it is being brought back without the app's help.
  case reconnecting(ReconnectStep)
  /// Everything flows again.
  case reconnected
  /// The source of a track has come to its end by itself, or broke off with the error: a file is over, a camera was unplugged. The track
  /// stays published, and nothing is sent; see ``LocalPublication/unpublish()``.
  case sourceEnded(LocalPublication, MediaError?)
  /// Something went wrong that does not end the meeting, in words.
  case problem(String)
  /// The meeting is over for this client; no event follows.
  case ended(EndReason, message: String)
}

/// How a lost connection is being brought back, from the lightest means to the heaviest.
public enum ReconnectStep: String, Hashable, Sendable {
  /// The WebSocket was lost; the place in the meeting is kept, media goes on.
  case signaling
  /// The media path was lost, or this machine's network changed: another path is looked for (ICE restart).
  case media
  /// The place is lost: the meeting is joined anew, with the same tracks.
  case rejoin
}

/// Data from another participant, received over a data channel.
public struct DataMessage: Sendable {
  /// Who sent it; set by the server. Nil when that participant has left meanwhile.
  public let sender: RemoteParticipant?
  /// The sender's id.
  public let senderID: String
  /// The topic given by the sender; empty when none was.
  public let topic: String
  /// The bytes.
  public let bytes: [UInt8]
  /// Whether it came over the reliable channel.
  public let isReliable: Bool
}

/// A chat message as everybody sees it.
public typealias ChatMessage = ChatEntry
/// The meeting's id, name, address, title and end.
public typealias MeetingInfo = Signaling.MeetingInfo
/// How well media flows between a participant and the server.
public typealias ConnectionQuality = Signaling.ConnectionQuality
/// What a track shows or lets hear.
public typealias TrackSource = Signaling.TrackSource
/// Why a participant is no longer in the meeting.
public typealias LeaveReason = Signaling.LeaveReason
