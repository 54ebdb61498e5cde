public import Signaling

/// Actions of hosts on one participant. The server refuses them to others: ``JoinError/refused(code:message:)`` with
/// the code `notAllowed`.
extension RemoteParticipant {
  /// Mutes what this participant sends of these sources: nothing of it reaches anybody until the participant unmutes
  /// itself. A screen that is shared is not muted but ended.
  ///
  /// ```swift
  /// try await participant.mute()
  /// try await participant.mute([.camera])
  /// ```
  public func mute(_ sources: [TrackSource] = [.microphone]) async throws(JoinError) {
    try await request(.muteParticipant(id, sources: sources))
  }

  /// Ends what this participant sends of these sources: the track is gone for everybody, and its camera, microphone or
  /// share with it. It may be published again; take the permission where it may not.
  ///
  /// ```swift
  /// try await participant.stop([.camera])
  /// try await participant.stop([.screen, .screenAudio])
  /// ```
  public func stop(_ sources: [TrackSource]) async throws(JoinError) {
    try await request(.stopTracks(id, sources: sources))
  }

  /// Asks this participant to unmute, and allows it where nobody else may. Nobody is unmuted by somebody else.
  ///
  /// ```swift
  /// try await participant.askToUnmute()
  /// ```
  public func askToUnmute(_ sources: [TrackSource] = [.microphone]) async throws(JoinError) {
    try await request(.askToUnmute(id, sources: sources))
  }

  /// Removes this participant from the meeting; with `ban` permanently, as far as its token identifies it.
  ///
  /// ```swift
  /// try await participant.remove()
  /// try await participant.remove(ban: true)
  /// ```
  public func remove(ban: Bool = false) async throws(JoinError) {
    try await request(.removeParticipant(id, ban: ban))
  }

  /// Gives this participant another role, with the permissions that it brings.
  ///
  /// ```swift
  /// try await participant.setRole(.presenter)
  /// ```
  public func setRole(_ role: ParticipantRole) async throws(JoinError) {
    try await request(.setRole(id, role: role.rawValue))
  }

  /// Gives this participant some permissions and takes others; the rest stay. A publication without its permission
  /// ends.
  ///
  /// The server forms the new set, so two calls in a row, or of two hosts, do not undo each other.
  ///
  /// ```swift
  /// try await participant.changePermissions(adding: [.publishScreen])
  /// try await participant.changePermissions(removing: [.publishVideo, .chat])
  /// ```
  public func changePermissions(
    adding added: Set<ParticipantPermission> = [], removing removed: Set<ParticipantPermission> = []
  ) async throws(JoinError) {
    try await request(
      .changePermissions(id, adding: added.map(\.rawValue).sorted(), removing: removed.map(\.rawValue).sorted()))
  }

  /// Gives this participant exactly these permissions. A publication without its permission ends.
  ///
  /// Use ``changePermissions(adding:removing:)`` to change single ones: a set formed from
  /// ``RemoteParticipant/permissions`` undoes changes that have not arrived yet.
  ///
  /// ```swift
  /// try await participant.setPermissions([.subscribe, .chat])
  /// ```
  public func setPermissions(_ permissions: Set<ParticipantPermission>) async throws(JoinError) {
    try await request(.setPermissions(id, permissions: permissions.map(\.rawValue).sorted()))
  }

  /// Lowers this participant's hand.
  ///
  /// ```swift
  /// try await participant.lowerHand()
  /// ```
  public func lowerHand() async throws(JoinError) { try await request(.raiseHand(false, participant: id)) }

  private func request(_ request: RoomRequest) async throws(JoinError) {
    guard let meeting else { throw .ended }
    try await meeting.request(request)
  }
}

extension LocalParticipant {
  /// Raises this client's hand; ``hand`` follows when the server has it.
  ///
  /// ```swift
  /// try await meeting.local.raiseHand()
  /// ```
  public func raiseHand() async throws(JoinError) { try await setHand(true) }

  /// Lowers this client's hand.
  ///
  /// ```swift
  /// try await meeting.local.lowerHand()
  /// ```
  public func lowerHand() async throws(JoinError) { try await setHand(false) }

  private func setHand(_ raised: Bool) async throws(JoinError) {
    guard let meeting else { throw .ended }
    try await meeting.request(.raiseHand(raised, participant: nil))
  }
}
