import Basics
import Meetings

/// The decisions of hosts about people in a room. They hold until the room closes, whoever leaves and comes back.
///
/// A token without a user may be used by several people, so of decisions about its holder only losses are kept. Guests
/// who get a new token without a user for each visit can't be recognised.
struct RoleOverrides: Sendable, Equatable {
  private var users: [String: HostDecisions] = [:]
  private var tokens: [TokenID: HostDecisions] = [:]
  /// Hosts who were removed without a ban and have not come back yet.
  private var removed: Set<Holder> = []

  /// Records the decisions about the holder of `grant`.
  mutating func note(_ decisions: HostDecisions, of grant: JoinGrant) {
    if let user = grant.user {
      users[user] = decisions
    } else if grant.form != .development {
      tokens[grant.id] = decisions.lessening(grant)
    }
  }

  /// The decisions about the holder of `grant`.
  func decisions(about grant: JoinGrant) -> HostDecisions {
    let decisions = grant.user.map { users[$0] } ?? tokens[grant.id]
    return decisions?.fitting(grant) ?? HostDecisions()
  }

  /// Records that the holder of `grant` was removed without a ban. They may come back, and have no host's rights until
  /// then. Only for hosts, since nobody else has rights outside of the meeting.
  mutating func noteRemoval(of grant: JoinGrant, chat: ChatPolicy) {
    guard applied(to: grant, chat: chat).isHost, let holder = Holder(grant) else { return }
    removed.insert(holder)
  }

  /// Records that the holder of `grant` has joined again.
  mutating func noteReturn(of grant: JoinGrant) {
    if let holder = Holder(grant) { removed.remove(holder) }
  }

  /// Whether the holder of `grant` was removed and has not come back.
  func isRemoved(_ grant: JoinGrant) -> Bool { Holder(grant).map(removed.contains) ?? false }

  /// The rights of somebody who calls from outside of the meeting, as over REST. Hosts' decisions hold there too, and a
  /// participant who was removed isn't a host there any more.
  func appliedOutside(to grant: JoinGrant, chat: ChatPolicy) -> JoinGrant {
    var grant = applied(to: grant, chat: chat)
    if isRemoved(grant) { grant.permissions.remove(.moderate) }
    return grant
  }

  /// A grant with the role and permissions that its holder has after all decisions.
  func applied(to grant: JoinGrant, chat: ChatPolicy) -> JoinGrant {
    var grant = grant
    (grant.role, grant.permissions) = decisions(about: grant).rights(of: grant, chat: chat)
    return grant
  }
}

extension RoleOverrides: Codable {
  private enum Key: String, CodingKey { case users, tokens, removed }

  /// Reads the dictionaries that ``encode(to:)`` writes.
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    users = try container.decode([String: HostDecisions].self, forKey: .users)
    for (id, decisions) in try container.decode([String: HostDecisions].self, forKey: .tokens) {
      tokens[TokenID(rawValue: id)] = decisions
    }
    removed = try container.decodeIfPresent(Set<Holder>.self, forKey: .removed) ?? []
  }

  /// Writes two dictionaries, by user and by the id of a token, and the holders who were removed.
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(users, forKey: .users)
    let named = tokens.map { ($0.key.rawValue, $0.value) }
    try container.encode(Dictionary(named) { first, _ in first }, forKey: .tokens)
    if !removed.isEmpty { try container.encode(removed, forKey: .removed) }
  }
}
