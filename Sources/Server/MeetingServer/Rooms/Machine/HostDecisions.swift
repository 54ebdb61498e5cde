import Meetings

/// The decisions of hosts about one participant since it came.
///
/// Together with the token and the meeting's rules they give its rights (``rights(of:chat:)``). These are computed when
/// a participant joins, renews its token, or is affected by a host or a changed rule.
struct HostDecisions: Sendable, Equatable, Codable {
  /// The role that a host gave; nil for that of the token.
  private(set) var role: Role?
  /// Permissions from a host beyond token and rules.
  private(set) var given: Permissions = []
  /// Permissions that a host took away. No other token brings them back, only a host does.
  private(set) var taken: Permissions = []

  /// The present role and permissions of the holder of `grant`.
  func rights(of grant: JoinGrant, chat: ChatPolicy) -> (role: Role, permissions: Permissions) {
    let role = role ?? grant.role
    let granted = grant.permissions.union(given).subtracting(taken)
    return (role, chat.permissions(granted).union(given).intersection(role.bound))
  }

  /// A host gives exactly these permissions.
  mutating func set(_ permissions: Permissions, of grant: JoinGrant, chat: ChatPolicy) {
    take(
      rights(of: grant, chat: chat).permissions.subtracting(permissions), leaving: permissions, of: grant, chat: chat)
    // The chat's rules count a new host as one too, so that role alone could give more than these permissions.
    taken.formUnion(rights(of: grant, chat: chat).permissions.subtracting(permissions))
  }

  /// A host gives a role, with its permissions by the rules of the meeting.
  mutating func set(_ role: Role, of grant: JoinGrant, chat: ChatPolicy) {
    let before = rights(of: grant, chat: chat).permissions
    self.role = role
    // The host didn't take what the rules keep from the role for now.
    take(
      before.subtracting(role.permissions), leaving: chat.permissions(role.permissions), of: grant, chat: chat)
  }

  /// The part that may hold for everybody with the same token: nothing that was given to one of them.
  func lessening(_ grant: JoinGrant) -> HostDecisions {
    var kept = self
    if let role, role == .organizer && grant.role != role || !role.permissions.isSubset(of: grant.role.permissions) {
      kept.role = nil
    }
    kept.given = given.intersection(grant.permissions)
    return kept
  }

  /// The same without a role that would show a hidden participant, or hide a visible one.
  func fitting(_ grant: JoinGrant) -> HostDecisions {
    var kept = self
    if let role, (role == .hidden) != (grant.role == .hidden) { kept.role = nil }
    return kept
  }

  private mutating func take(
    _ lost: Permissions, leaving permissions: Permissions, of grant: JoinGrant, chat: ChatPolicy
  ) {
    taken = taken.union(lost).subtracting(permissions)
    given = permissions.subtracting(chat.permissions(grant.permissions.subtracting(taken)))
  }
}
