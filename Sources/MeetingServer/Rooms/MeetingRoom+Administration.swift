import Meetings

/// What the administration sees of a meeting, and does in it.
extension MeetingRoom {
  /// Everybody who is in, in the order they came, hidden ones too.
  func people() -> [ParticipantView] {
    members.values.sorted { $0.order < $1.order }.map { member in
      ParticipantView(
        id: member.id, name: member.name, role: member.role.rawValue, connection: member.connection,
        publications: member.publications.map(\.info), permissions: member.permissions.names,
        token: member.admission.grant.id.rawValue, quality: quality[member.id])
    }
  }

  /// Takes a participant out of the meeting; false when nobody of that id is in it.
  func dismiss(_ id: String) -> Bool {
    removeParticipant(id, message: "The server's administration has removed you from the meeting.")
  }
}
