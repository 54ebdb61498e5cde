public import Basics
public import FoundationEssentials

/// The record of a join token that was made here or that somebody came with; never the token itself.
public struct TokenRecord: Sendable, Hashable {
  /// Its place in the list.
  public var sequence: Int
  /// The tenant whose meetings it opens.
  public var tenant: TenantID
  /// Names it, so that it can be revoked.
  public var id: TokenID
  /// How it is made.
  public var form: TokenForm
  /// The room that it opens, or that it was used for; `*` for a token of every room that was not used yet.
  public var room: String
  /// The name that its holder bore or has to bear.
  public var name: String?
  /// The issuer's name for its holder.
  public var user: String?
  /// The role of its holder.
  public var role: Role
  public var expires: Date
  /// When it was made, if it was made here by hand.
  public var issued: Date?
  /// When somebody last came in with it.
  public var used: Date?
  /// How often somebody came in with it.
  public var uses: Int
  /// Whether it is refused.
  public var isRevoked: Bool

  /// A token that was just made.
  public init(issued token: JoinToken, room: String, at now: Date) {
    self.init(
      tenant: token.tenant, id: token.id, form: .signed, room: room, name: token.name, user: token.user,
      role: token.role,
      expires: token.expires, issued: now, used: nil, uses: 0)
  }

  /// A token that somebody came in with, under a name.
  public init(used admission: Admission, name: String, at now: Date) {
    let grant = admission.grant
    self.init(
      tenant: grant.tenant, id: grant.id, form: grant.form, room: admission.meeting.room.display, name: name,
      user: grant.user, role: grant.role, expires: grant.expires, issued: nil, used: now, uses: 1)
  }

  /// The state of a token.
  public enum State: String, Sendable, CaseIterable { case live, expired, revoked }
  public func state(at now: Date) -> State { isRevoked ? .revoked : expires <= now ? .expired : .live }

  init(
    sequence: Int = 0, tenant: TenantID, id: TokenID, form: TokenForm, room: String, name: String?, user: String?,
    role: Role, expires: Date, issued: Date?, used: Date?, uses: Int, isRevoked: Bool = false
  ) {
    self.sequence = sequence
    self.tenant = tenant
    self.id = id
    self.form = form
    self.room = room
    self.name = name
    self.user = user
    self.role = role
    self.expires = expires
    self.issued = issued
    self.used = used
    self.uses = uses
    self.isRevoked = isRevoked
  }
}
