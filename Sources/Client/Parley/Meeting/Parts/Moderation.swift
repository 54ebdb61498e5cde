import Signaling

/// Hosts' decisions: this client's role and permissions, the spotlight, and muting that covers later tracks.
@MainActor struct Moderation {
  let local: LocalParticipant
  /// The participant to show large, who may not be known here yet, or not any more.
  private(set) var spotlightID: String?
  private(set) var muteForAll: MuteForAll?

  init(_ local: LocalParticipant) { self.local = local }

  var isHost: Bool { local.permissions.contains(.moderate) }

  /// Applies this client's role and permissions; without `names` those of the role count.
  ///
  /// Returns nil when nothing has changed, as the next two do.
  func applyPermissions(_ role: ParticipantRole, _ names: [String]?) -> RoomEvent? {
    let permissions = ParticipantPermission.of(role: role, named: names)
    guard local.role != role || local.permissions != permissions else { return nil }
    (local.role, local.permissions) = (role, permissions)
    return .permissionsChanged
  }

  mutating func applySpotlight(_ id: String?, _ roster: Roster) -> RoomEvent? {
    guard spotlightID != id else { return nil }
    spotlightID = id
    return .spotlightChanged(spotlight(roster))
  }

  mutating func applyMuteForAll(_ order: MuteForAll?) -> RoomEvent? {
    guard muteForAll != order else { return nil }
    muteForAll = order
    return .muteForAllChanged(order)
  }

  /// Applies the part of a room state that is about hosts' decisions.
  mutating func applyAll(_ state: RoomState, _ roster: Roster) -> [RoomEvent] {
    [applySpotlight(state.spotlight, roster), applyMuteForAll(state.muteAll)].compactMap(\.self)
  }

  /// The participant to show large; nil for nobody.
  func spotlight(_ roster: Roster) -> (any Participant)? { spotlightID.flatMap { roster.participant($0) } }

  /// A host asks for a track to be unmuted. Nothing changes before this client does so.
  func unmuteRequest(_ sources: [TrackSource], by host: String?, _ roster: Roster) -> RoomEvent {
    .unmuteRequested(sources, by: host.flatMap { roster.participant($0) })
  }

  /// Reactions of participants who aren't known here are left out.
  func reaction(_ reaction: Reaction, of id: String, _ roster: Roster) -> RoomEvent? {
    roster.participant(id).map { .reaction($0, reaction) }
  }
}
