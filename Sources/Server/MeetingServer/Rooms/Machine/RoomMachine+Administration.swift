import Meetings

/// The room for the admin interface.
extension RoomMachine {
  /// All participants in the order in which they joined, hidden ones too.
  func people() -> [ParticipantView] {
    roster.inOrder.map { member in
      ParticipantView(
        id: member.id, name: member.name, role: member.role.rawValue, connection: member.connection,
        publications: member.publications.map(\.info), permissions: member.permissions.names,
        token: member.admission.grant.id.rawValue, since: member.created, quality: quality[member.id])
    }
  }

  /// Takes a participant out of the meeting, permanently where `banning`. False when nobody of that id is in it.
  func dismiss(_ id: String, banning: Bool) -> Bool {
    let message = "The server's administration has removed you from the meeting."
    return banning ? ban(id, message: message) : removeParticipant(id, message: message)
  }
}
