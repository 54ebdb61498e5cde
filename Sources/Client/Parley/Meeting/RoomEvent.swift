public import Signaling

/// An event of hosts, hands, reactions, polls or the meeting itself; comes as ``MeetingEvent/room(_:)``.
///
/// ```swift
/// if case .room(let event) = event {
///   switch event {
///   case .mutedByHost(let publication): print("A host has muted your \(publication.source.rawValue).")
///   case .stoppedByHost(let publication, reason: let reason):
///     print("A host has ended your \(publication.source.rawValue).")
///     if reason == .notAllowed { print("You may not send it any more.") }
///   case .unmuteRequested(let sources, by: let host):
///     print("\(host?.name ?? "A host") asks you to unmute \(sources).")
///   case .permissionsChanged: print("You may now: \(meeting.local.permissions.map(\.rawValue))")
///   case .handChanged(let participant): print(participant.hand == nil ? "down" : "up")
///   case .spotlightChanged(let participant): print("Everybody sees \(participant?.name ?? "nobody") large.")
///   case .muteForAllChanged(let order): print(order == nil ? "Everybody may speak." : "Everybody is muted.")
///   case .reaction(let participant, let reaction): print("\(participant.name) \(reaction.emoji)")
///   case .pollChanged(let poll): print(poll.question)
///   case .pollRemoved(let id): print("Poll \(id) is gone.")
///   case .meetingChanged(let info): print("The meeting is called \(info.subject).")
///   }
/// }
/// ```
public enum RoomEvent: Sendable {
  /// A host muted a track of this client: nothing of it reaches anybody. Unmute it with
  /// ``LocalPublication/setMuted(_:)``, where that is allowed.
  case mutedByHost(LocalPublication)
  /// A host ended a track of this client, or took the right to send it. It is not published any more, and its source is
  /// stopped: where it is still allowed, publish it again when the person wants to. The reason is nil when it happened
  /// while the connection was down.
  case stoppedByHost(LocalPublication, reason: UnpublishReason?)
  /// A host asks this client to unmute tracks of these sources. Ask the person; never unmute without.
  case unmuteRequested([TrackSource], by: (any Participant)?)
  /// A host changed what this client is or may do; see ``LocalParticipant/role`` and ``LocalParticipant/permissions``.
  case permissionsChanged
  /// Somebody's hand went up or down; see ``Participant/hand``.
  case handChanged(any Participant)
  /// The participant whom everybody is to show large; nil for nobody.
  case spotlightChanged((any Participant)?)
  /// A host's muting that covers later tracks too; nil when it ended.
  case muteForAllChanged(MuteForAll?)
  /// Somebody shows everybody a reaction.
  case reaction(any Participant, Reaction)
  /// A poll is new or has changed.
  case pollChanged(Poll)
  /// A poll is gone.
  case pollRemoved(Int)
  /// The meeting has another title or end, or its chat takes other files; see ``Meeting/info``.
  case meetingChanged(MeetingInfo)
}

/// Why a track is gone that its sender did not end.
///
/// ```swift
/// func mayPublishAgain(_ reason: UnpublishReason) -> Bool { reason == .removed }
/// ```
public typealias UnpublishReason = Signaling.UnpublishReason

/// A symbol that somebody shows everybody for a moment.
///
/// ```swift
/// try await meeting.react(Reaction.clap)
/// ```
public typealias Reaction = Signaling.Reaction

/// A poll as this client sees it.
///
/// ```swift
/// func lines(_ poll: Poll) -> [String] { poll.options.map { "\($0.text): \($0.votes ?? 0)" } }
/// ```
public typealias Poll = PollInfo

/// The participants who see the votes of a poll.
///
/// ```swift
/// func words(_ results: PollResults) -> String { results == .always ? "Everybody sees the votes." : "Wait." }
/// ```
public typealias PollResults = Signaling.PollResults

/// A host's word that everybody is muted.
///
/// ```swift
/// func words(_ order: MuteForAll) -> String { order.mayUnmute ? "You may unmute." : "Raise your hand to speak." }
/// ```
public typealias MuteForAll = MuteAllInfo
