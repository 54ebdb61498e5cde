import Basics
import Meetings
import Signaling

/// The context in which somebody's present role and permissions are computed.
enum PermissionContext {
  case entering
  /// For calls from outside of the meeting, as over REST.
  case outside
}

/// The permissions of participants. Every entrance of the room asks here, and nothing else decides.
extension RoomMachine {
  /// Whether a participant may do this now; refuses the client's message when not.
  func allows(
    _ permission: Permissions, _ member: RoomMember, _ channel: RoomChannel, id: Int? = nil
  ) -> Bool {
    if member.permissions.contains(permission) { return true }
    channel.refuse(.notAllowed, sentence(for: permission, member), id: id)
    return false
  }

  /// A grant with its holder's present rights by all decisions of hosts; see ``MeetingDirectory/present(_:for:)``.
  func present(_ grant: JoinGrant, for use: PermissionContext) throws(MeetingRoom.Refusal) -> JoinGrant {
    // Decisions hold until the room closes.
    guard !isClosed else { return grant }
    if isBanned(grant) { throw .banned }
    // They are in also with another device, or another token of the same user.
    let isIn = grant.user != nil && roster.members.contains { $0.admission.grant.user == grant.user }
    return switch isIn ? .entering : use {
    case .entering: moderation.overrides.applied(to: grant, chat: meeting.chat)
    case .outside: moderation.overrides.appliedOutside(to: grant, chat: meeting.chat)
    }
  }

  /// The tracks of an offer that a participant may send. The media plane doesn't learn of the others, so their packets
  /// are dropped.
  func permitted(_ tracks: [TrackDescription], _ member: RoomMember) -> [TrackDescription] {
    let key = { (track: TrackDescription) in RoomMember.trackKey(track.mid, track.source) }
    member.stoppedTracks.formIntersection(tracks.map(key))
    return tracks.compactMap { track in
      guard member.permissions.contains(Self.permission(for: track.source)), !member.stoppedTracks.contains(key(track))
      else { return nil }
      let known = member.publications.first { $0.mid == track.mid && $0.info.source == track.source }
      var track = track
      // An offer doesn't undo a host's muting.
      let isHeld = known.map { $0.info.mutedByHost == true } ?? moderation.startsMuted(track.source, member)
      if isHeld { track.muted = true }
      return track
    }
  }

  /// Why an offer is refused: its first forbidden track that wasn't refused before. A client that goes on listing such
  /// a track must still be able to offer, for instance to have more slots.
  func refusal(of tracks: [TrackDescription], _ member: RoomMember) -> String? {
    let key = { (track: TrackDescription) in RoomMember.trackKey(track.mid, track.source) }
    let forbidden = tracks.filter { !member.permissions.contains(Self.permission(for: $0.source)) }
    let news = forbidden.first { !member.refusedTracks.contains(key($0)) }
    member.refusedTracks = Set(forbidden.map(key))
    return news.map { sentence(for: Self.permission(for: $0.source), member) }
  }

  /// The candidates that a participant may receive.
  func receivable(_ all: [SlotTable.Candidate], by member: RoomMember) -> [SlotTable.Candidate] {
    guard member.permissions.contains(.subscribe) else { return [] }
    return all.filter { $0.participant != member.id }
  }

  /// The roster as `viewer` sees it: without hidden participants, except itself.
  func participants(for viewer: RoomMember) -> [ParticipantInfo] {
    roster.inOrder.filter { !$0.isHidden || $0 === viewer }.map(\.info)
  }

  /// The chat as `viewer` may read it.
  func history(for viewer: RoomMember) -> [ChatEntry] {
    guard viewer.permissions.contains(.subscribe) else { return [] }
    prune()
    return chat.visible(to: viewer.id, after: viewer.chatting.since)
  }

  /// Connection quality, without that of hidden participants.
  func visible(_ quality: [String: ConnectionQuality]) -> [String: ConnectionQuality] {
    quality.filter { roster[$0.key].map { !$0.isHidden } ?? false }
  }

  /// Notifies everybody of something about a participant. Only a hidden participant itself gets a message about it.
  func announce(_ message: ServerMessage, about member: RoomMember, except: String? = nil) {
    guard member.isHidden else { return broadcast(message, except: except) }
    if member.id != except { member.channel?.send(message) }
  }

  /// The receivers of a data message of `sender`: those named in `to` who are here, or everybody else. Nobody when the
  /// sender isn't here or may not send any; it gets one notice of that.
  func receivers(of sender: String, to: [String]?, bytes: Int) -> [String] {
    guard let member = roster[sender] else { return [] }
    guard member.permissions.contains(.data) else {
      if !member.wasToldOfData, let channel = member.channel {
        member.wasToldOfData = true
        channel.refuse(.notAllowed, sentence(for: .data, member))
      }
      return []
    }
    guard isDataInBudget(bytes, member) else { return [] }
    let readers = roster.members.filter { $0.id != sender && $0.permissions.contains(.subscribe) }
    guard let to else { return readers.map(\.id) }
    let known = Set(readers.filter { !$0.isHidden }.map(\.id))
    var seen: Set<String> = []
    return to.filter { known.contains($0) && seen.insert($0).inserted }
  }

  /// The permission that sending a track of this kind takes.
  static func permission(for source: TrackSource) -> Permissions {
    switch source {
    case .microphone: .publishAudio
    case .camera: .publishVideo
    case .screen, .screenAudio: .publishScreen
    }
  }

  func sentence(for permission: Permissions, _ member: RoomMember) -> String {
    let what =
      switch permission {
      case .publishAudio: "send sound"
      case .publishVideo: "send a camera's picture"
      case .publishScreen: "share a screen"
      case .subscribe: "receive what others send"
      case .chat: "write in the chat"
      case .data: "send data messages"
      default: "look after others"
      }
    let granted = member.admission.grant.permissions
    let why =
      !granted.contains(permission)
      ? "your join token does not grant it"
      : meeting.chat.permissions(granted).contains(permission)
        ? "a host has taken that right back" : "its chat is not open to everybody"
    return "You may not \(what) in this meeting: \(why)."
  }
}
