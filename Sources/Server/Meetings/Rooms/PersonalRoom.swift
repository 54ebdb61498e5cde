public import FoundationEssentials

/// Rooms of one's own.
extension MeetingRecord {
  /// A new room of `owner`, who is its organizer. Others wait for them.
  public static func personal(
    of owner: String, room: RoomName, subject: String? = nil, tenant: Tenant, now: Date
  ) -> MeetingRecord {
    var lobby = tenant.policy.lobby
    lobby.waitsForHost = true
    return MeetingRecord(
      tenant: tenant.id, room: room, kind: .personal, subject: subject ?? room.display,
      accessLevel: tenant.policy.accessLevel, created: now, capacity: tenant.policy.capacity, lobby: lobby,
      chat: tenant.policy.chat, owner: owner)
  }

  /// The longest name of an owner, in bytes; as long as that of a token's holder may be.
  public static let maximumOwner = 256
}

extension JoinGrant {
  /// The owner of a personal room is its organizer, whatever their token's role for everybody's rooms. A token for
  /// receiving only, such as a recorder's, stays that.
  mutating func takePlace(in meeting: MeetingRecord) {
    guard let owner = meeting.owner, owner == user, !isGuest, [.publisher, .moderator, .organizer].contains(role) else {
      return
    }
    role = .organizer
    permissions = Role.organizer.permissions
  }
}
