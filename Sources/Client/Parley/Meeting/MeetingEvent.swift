public import Basics
public import Media
public import Signaling

/// An event of a meeting. Read them in order with ``Meeting/events``.
///
/// Participants and publications are main-actor objects whose state can be read at any time; the events say that it
/// changed.
///
/// ```swift
/// for await event in meeting.events {
///   switch event {
///   case .waiting(let reason): print(reason == .host ? "Waiting for a host." : "Waiting to be let in.")
///   case .joined: print("Joined.")
///   case .participantJoined(let participant): print("\(participant.name) is here.")
///   case .participantUpdated(let participant): print("Now called \(participant.name).")
///   case .participantLeft(let participant, let reason): print("\(participant.name) is gone (\(reason.rawValue)).")
///   case .announced(let announcement): print(announcement.text)
///   case .knocked(let somebody): print("\(somebody.name) wants to join.")
///   case .knockEnded(let somebody): print("\(somebody.name) waits no more.")
///   case .lockChanged(let isLocked): print(isLocked ? "Locked." : "Unlocked.")
///   case .published(let publication): print("There is a \(publication.source.rawValue).")
///   case .unpublished(let publication): print("There is no \(publication.source.rawValue) any more.")
///   case .muteChanged(let publication): print(publication.isMuted ? "Muted." : "Unmuted.")
///   case .subscribed(let subscription): subscription.video?.add(ClosureVideoSink { frame in show(frame) })
///   case .unsubscribed(let publication): print("Not received: \(publication.id)")
///   case .firstFrame(let subscription): print("\(subscription.participant?.name ?? "Somebody") can be seen or heard.")
///   case .speakersChanged(let speakers): print(speakers.map(\.name))
///   case .chat(let message, let isHistory): if !isHistory { print("\(message.name): \(message.text)") }
///   case .chatFailed(let message, let error): print("Not delivered: \(message.text) (\(error))")
///   case .chatting, .encryptionChanged: break  // see ``ChatEvent``, ``MeetingEncryption``
///   case .data(let data): print("\(data.bytes.count) bytes about \(data.topic)")
///   case .signal(let signal): print("\(signal.type): \(signal.data)")
///   case .paused(let subscription), .resumed(let subscription): print("Paused: \(subscription.isPaused)")
///   case .undecodable(let publication): print("Cannot play \(publication.undecodableCodec?.name ?? "it").")
///   case .decodable(let publication): print("Can play \(publication.id) now.")
///   case .undecodableFor(let publication): print("\(publication.undecodableFor?.count ?? 0) cannot play it.")
///   case .qualityChanged(let participant, let quality): print("\(participant.name): \(quality.rawValue)")
///   case .reconnecting(let step): print("Lost the connection (\(step.rawValue)).")
///   case .reconnected: print("Everything flows again.")
///   case .sourceEnded(let publication, let error):
///     print("\(publication.source.rawValue): \(error?.description ?? "at its end")")
///   case .tokenExpiring(in: let time, leaves: let leaves):
///     if leaves { print("\(time.milliseconds / 1_000) s to go.") }
///   case .room(.reaction(let participant, let reaction)): print("\(participant.name) \(reaction.emoji)")
///   case .room: break  // see ``RoomEvent``
///   case .problem(let text): print(text)
///   case .ended(_, let message): print(message)
///   }
/// }
/// ```
public enum MeetingEvent: Sendable {
  /// This client waits, to be let in or for a host; comes again when the reason changes. ``Meeting/waitingReason`` is
  /// the same.
  case waiting(WaitingReason)
  /// Media flows for the first time. Comes once; after a lost connection, also after a rejoin, ``reconnected`` comes.
  case joined
  /// Somebody came, or was there already when this client joined.
  case participantJoined(RemoteParticipant)
  /// A name, a role or the state of somebody's connection changed.
  case participantUpdated(any Participant)
  /// Somebody left, or was removed or lost.
  case participantLeft(RemoteParticipant, LeaveReason)
  /// Somebody came or went, where the meeting wants that announced to people. ``participantJoined(_:)`` and
  /// ``participantLeft(_:_:)`` come always.
  case announced(Announcement)
  /// To hosts: somebody waits to be let in. See ``Meeting/admit(_:)`` and ``Meeting/deny(_:)``.
  case knocked(WaitingParticipant)
  /// To hosts: somebody waits no more. They were let in or sent away, or went by themselves.
  case knockEnded(WaitingParticipant)
  /// To hosts: the meeting was locked or unlocked.
  case lockChanged(Bool)
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
  /// The first frame of a subscription was decoded. Only for tracks that somebody watches or hears (see
  /// ``RemoteVideoTrack/add(_:)``).
  case firstFrame(Subscription)
  /// The speakers changed; loudest first.
  case speakersChanged([any Participant])
  /// A chat message; `isHistory` for one that was written before this client joined.
  case chat(ChatMessage, isHistory: Bool)
  /// A chat message of this client was not delivered: the server refused it (such as for a recipient who has left), or
  /// the meeting was over before it was sent. It is not sent again.
  case chatFailed(SentChatMessage, JoinError)
  /// Something in the chat besides a new message: one was changed or deleted, or somebody types.
  case chatting(ChatEvent)
  /// Data that somebody sent with ``Meeting/send(_:topic:reliability:to:)``.
  case data(DataMessage)
  /// A signal that somebody sent with ``Meeting/signal(type:data:to:waits:)``, or the app's server with the REST API.
  case signal(SignalMessage)
  /// The server pauses a video: this client's network has no room for it next to more important ones.
  case paused(Subscription)
  /// It is sent again.
  case resumed(Subscription)
  /// This client cannot decode what somebody publishes, so it is not sent; see ``RemotePublication/undecodableCodec``.
  case undecodable(RemotePublication)
  /// It can be decoded now, since its sender went over to another codec.
  case decodable(RemotePublication)
  /// Others can or cannot decode what this client publishes; see ``LocalPublication/undecodableFor``.
  case undecodableFor(LocalPublication)
  /// How well media flows between somebody and the server.
  case qualityChanged(any Participant, ConnectionQuality)
  /// A part of the connection was lost; it is being brought back without the app's help.
  case reconnecting(ReconnectStep)
  /// The connection is back: audio and video flow again.
  case reconnected
  /// The source of a track has come to its end by itself, or broke off with the error: a file is over, a camera was
  /// unplugged. The track stays published, and nothing is sent; see ``LocalPublication/unpublish()``.
  case sourceEnded(LocalPublication, MediaError?)
  /// The join token ends soon. With `leaves` this client is sent away then, unless ``Meeting/renew(token:)`` is called
  /// before; without, it stays, and nothing needs to be done.
  case tokenExpiring(in: TimeSpan, leaves: Bool)
  /// The end-to-end encryption is in another state, or has another safety code; ``Meeting/encryption`` is the same.
  case encryptionChanged(MeetingEncryption)
  /// Something about hosts, raised hands, reactions or polls.
  case room(RoomEvent)
  /// Something went wrong that does not end the meeting, in words.
  case problem(String)
  /// The meeting is over for this client; no event follows.
  case ended(EndReason, message: String)
}

/// How a lost connection is being brought back, from the lightest means to the heaviest.
///
/// ```swift
/// if case .reconnecting(let step) = event {
///   switch step {
///   case .signaling: break  // sound and pictures go on: no need to alarm anybody
///   case .media: print("One moment, looking for another way …")
///   case .rejoin: print("One moment, joining again …")
///   }
/// }
/// ```
public enum ReconnectStep: String, Hashable, Sendable {
  /// The WebSocket was lost; the session is kept, media goes on.
  case signaling
  /// The media path was lost, or this machine's network changed: another path is looked for (ICE restart).
  case media
  /// The session is lost: the meeting is joined again, with the same tracks.
  case rejoin
}

/// Data from another participant, received over a data channel.
///
/// ```swift
/// for await case .data(let data) in meeting.events where data.topic == "game" {
///   print("\(data.sender?.name ?? data.senderID): \(String(decoding: data.bytes, as: UTF8.self))")
/// }
/// ```
public struct DataMessage: Sendable {
  /// The sender, set by the server. Nil when that participant has left.
  public let sender: RemoteParticipant?

  public let senderID: String

  /// The topic given by the sender; empty when none was.
  public let topic: String

  /// The bytes.
  public let bytes: [UInt8]

  /// Whether it came over the reliable channel.
  public let isReliable: Bool
}

/// A chat message as everybody sees it.
///
/// ```swift
/// func line(_ message: ChatMessage) -> String { "\(message.name): \(message.text)" }
/// ```
public typealias ChatMessage = ChatEntry

/// The meeting's id, name, address, title and end.
///
/// ```swift
/// func title(_ info: MeetingInfo) -> String { info.subject.isEmpty ? info.name : info.subject }
/// ```
public typealias MeetingInfo = Signaling.MeetingInfo

/// A codec with what tells its profiles apart.
///
/// ```swift
/// func words(_ codec: CodecInfo) -> String { codec.parameters.map { "\(codec.name) (\($0))" } ?? codec.name }
/// ```
public typealias CodecInfo = Signaling.CodecInfo

/// A publication that this client cannot decode.
///
/// ```swift
/// func words(_ track: UndecodablePublication) -> String { "\(track.publication) is sent in \(track.codec.name)" }
/// ```
public typealias UndecodablePublication = Signaling.UndecodablePublication

/// The receivers that can't decode a publication.
///
/// ```swift
/// func words(_ receivers: UndecodableReceivers) -> String { "\(receivers.count) cannot play \(receivers.codec.name)" }
/// ```
public typealias UndecodableReceivers = Signaling.UndecodableReceivers

/// Why the server has paused a video.
///
/// ```swift
/// func explanation(_ reason: PauseReason) -> String {
///   switch reason {
///   case .bandwidth: "Your network is too slow for this picture."
///   }
/// }
/// ```
public typealias PauseReason = Signaling.PauseReason

/// The source of a track.
///
/// ```swift
/// func symbol(_ source: TrackSource) -> String {
///   switch source {
///   case .microphone, .screenAudio: "🔊"
///   case .camera: "📷"
///   case .screen: "🖥"
///   }
/// }
/// ```
public typealias TrackSource = Signaling.TrackSource

/// Why a participant is no longer in the meeting.
///
/// ```swift
/// func farewell(_ reason: LeaveReason) -> String {
///   switch reason {
///   case .left: "left"
///   case .timeout: "lost the connection"
///   case .removed: "was removed"
///   case .replaced: "joined from somewhere else"
///   }
/// }
/// ```
public typealias LeaveReason = Signaling.LeaveReason
