import Meetings

/// What hosts have decided about one participant since it came. Together with its token and the meeting's rules this
/// says what it may do: ``rights(of:chat:)`` is asked when somebody comes, when their token is renewed, and when a host
/// or a rule of the meeting changes something.
struct HostDecisions: Sendable, Equatable, Codable {
  /// The role that a host gave; nil for that of the token.
  private(set) var role: Role?
  /// What a host gave beyond token and rules.
  private(set) var given: Permissions = []
  /// What a host took away. No other token brings it back, only a host does.
  private(set) var taken: Permissions = []

  /// What the holder of `grant` is and may do now.
  func rights(of grant: JoinGrant, chat: ChatPolicy) -> (role: Role, permissions: Permissions) {
    let role = role ?? grant.role
    let granted = grant.permissions.union(given).subtracting(taken)
    return (role, chat.permissions(granted).union(given).intersection(role.bound))
  }

  /// A host gives exactly these permissions.
  mutating func set(_ permissions: Permissions, of grant: JoinGrant, chat: ChatPolicy) {
    take(
      rights(of: grant, chat: chat).permissions.subtracting(permissions), leaving: permissions, of: grant, chat: chat)
    // Who becomes a host by this is one to the chat's rules too, and yet gets no more than was said.
    taken.formUnion(rights(of: grant, chat: chat).permissions.subtracting(permissions))
  }

  /// A host gives a role with what it brings by the rules of the meeting.
  mutating func set(_ role: Role, of grant: JoinGrant, chat: ChatPolicy) {
    let before = rights(of: grant, chat: chat).permissions
    self.role = role
    // What the rules keep from the role for now was not taken by the host.
    take(
      before.subtracting(role.permissions), leaving: chat.permissions(role.permissions), of: grant, chat: chat)
  }

  /// What of it may hold for everybody who has the token: nothing that was given to one of them.
  func lessening(_ grant: JoinGrant) -> HostDecisions {
    var kept = self
    if let role, role == .organizer && grant.role != role || !role.permissions.isSubset(of: grant.role.permissions) {
      kept.role = nil
    }
    kept.given = given.intersection(grant.permissions)
    return kept
  }

  /// The same without a role that would show whom nobody sees, or hide somebody.
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
