import Meetings

/// What the administration sees of a meeting, and does in it.
extension MeetingRoom {
  /// Everybody who is in, in the order they came, hidden ones too.
  func people() -> [ParticipantView] {
    members.values.sorted { $0.order < $1.order }.map { member in
      ParticipantView(
        id: member.id, name: member.name, role: member.role.rawValue, connection: member.connection,
        publications: member.publications.map(\.info), permissions: member.permissions.names,
        token: member.admission.grant.id.rawValue, since: member.created, quality: quality[member.id])
    }
  }

  /// What a participant is called; nil when nobody of that id is in the meeting.
  func name(of id: String) -> String? { members[id]?.name }

  /// Takes a participant out of the meeting, for good where `banning`; nil when nobody of that id is in it. The task says whether what is to be
  /// kept of it is.
  func dismiss(_ id: String, banning: Bool = false) -> Task<Bool, Never>? {
    let message = "The server's administration has removed you from the meeting."
    if banning { return ban(id, message: message) }
    return removeParticipant(id, message: message) ? Task { await isKept() } : nil
  }
}
