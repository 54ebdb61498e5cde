public import Basics
import Crypto
public import FoundationEssentials

/// Lets people join who have no account: makes ad-hoc meetings, and join tokens for guests.
///
/// The meetings that the Skype for Business service kept behind a trusted application, for one tenant.
public struct AnonymousJoin: Sendable {
  /// The store of meetings.
  public let store: any AdmissionStore
  /// Signs and checks tokens.
  public let authority: JoinAuthority
  /// How long an ad-hoc meeting lasts.
  public let meetingLifetime: TimeSpan
  /// How long a token is valid, at most; never longer than its meeting.
  public let tokenLifetime: TimeSpan
  /// Whether a meeting is made when somebody first joins by a room name.
  public let opensRooms: Bool

  /// Joins over `store`.
  public init(
    store: any AdmissionStore, authority: JoinAuthority, meetingLifetime: TimeSpan = .seconds(8 * 3_600),
    tokenLifetime: TimeSpan = .seconds(8 * 3_600), opensRooms: Bool = true
  ) {
    self.store = store
    self.authority = authority
    self.meetingLifetime = meetingLifetime
    self.tokenLifetime = tokenLifetime
    self.opensRooms = opensRooms
  }

  /// The tenant of people without credentials, when it lets them in.
  /// - Throws: ``JoinRefusal/tokenRequired`` when the default tenant is not open, or ``MeetingStoreError``.
  public func openTenant(now: Date) async throws -> Tenant {
    let tenant = try await store.defaultTenant(now: now)
    switch tenant.policy.signIn {
    case .open: break
    case .token: throw JoinRefusal.tokenRequired
    case .oidc: throw JoinRefusal.signInRequired
    }
    if let reached = authority.gate.tenant(tenant) { throw JoinRefusal.limit(reached) }
    return tenant
  }

  /// A meeting under an unguessable name, with an end, that isn't stored yet. Settings that are nil are the tenant's.
  /// - Throws: ``JoinRefusal/tokenRequired`` when the default tenant is not open, or ``MeetingStoreError``.
  public func newMeeting(
    subject: String, summary: String, accessLevel: AccessLevel?, announces: Bool? = nil, now: Date
  ) async throws -> (MeetingRecord, Tenant) {
    let tenant = try await openTenant(now: now)
    var lobby = tenant.policy.lobby
    if let announces { lobby.announces = announces }
    var meeting = MeetingRecord(
      tenant: tenant.id, room: .random(), kind: .adHoc, subject: subject, summary: summary,
      accessLevel: accessLevel ?? tenant.policy.accessLevel, created: now,
      expires: now.addingTimeInterval(meetingLifetime.seconds), capacity: tenant.policy.capacity, lobby: lobby,
      chat: tenant.policy.chat)
    meeting.isAnonymous = true
    return (meeting, tenant)
  }

  /// The meeting that is kept of a room name. Nil when there is none.
  /// - Throws: ``JoinRefusal/tokenRequired`` when the default tenant is not open or the room is an OpenTok session, or
  ///   ``MeetingStoreError``.
  public func meeting(room: RoomName, now: Date) async throws -> (MeetingRecord, Tenant)? {
    let tenant = try await openTenant(now: now)
    guard !OpenTokSession.isSession(room) else { throw JoinRefusal.tokenRequired }
    return try await store.meeting(room: room, tenant: tenant.id).map { ($0, tenant) }
  }

  /// The meeting behind a room name, and the grant of a token for it: the stored meeting or, where rooms are open, the
  /// one that the first who joins makes. Looking makes nothing. Nil when there is none.
  /// - Throws: ``MeetingStoreError``; ``MeetingStoreError/tooManyMeetings(_:)`` where none more could be made.
  func target(
    of room: RoomName, in tenant: Tenant, now: Date
  ) async throws(MeetingStoreError) -> (meeting: MeetingRecord, target: MeetingTarget)? {
    if let meeting = try await store.meeting(room: room, tenant: tenant.id) { return (meeting, .meeting(meeting.id)) }
    guard opensRooms else { return nil }
    let meeting = MeetingRecord(opening: room, of: tenant, now: now)
    try await store.requireCapacity(for: meeting)
    return (meeting, .room(room))
  }

  /// A token for a guest who asks for a room by its name, with the meeting that it opens. No meeting is made: joining
  /// does that. Nil when there is none and rooms are not open.
  /// - Throws: ``JoinRefusal``, or ``MeetingStoreError``.
  public func token(
    room: RoomName, session: String, base: WebOrigin, now: Date
  ) async throws -> (meeting: MeetingRecord, tenant: Tenant, token: Secret<String>, expires: Date)? {
    let tenant = try await openTenant(now: now)
    guard !OpenTokSession.isSession(room) else { throw JoinRefusal.tokenRequired }
    guard let (meeting, target) = try await target(of: room, in: tenant, now: now) else { return nil }
    guard !meeting.isExpired(at: now) else { throw JoinRefusal.meetingExpired }
    let token = try token(
      for: meeting, opening: target, tenant: tenant, session: session, origins: [base], base: base, now: now)
    return (meeting, tenant, token.text, token.expires)
  }

  /// A token for whoever asked for a meeting that not everybody gets into: without it nobody could let anybody in.
  public func organizerToken(for meeting: MeetingRecord, tenant: Tenant, now: Date) throws -> IssuedToken {
    try organizer(of: meeting, tenant, until: now.addingTimeInterval(tokenLifetime.seconds), now)
  }

  /// A token for whoever has planned a meeting: good for as long as a token can be.
  public func hostToken(for meeting: MeetingRecord, tenant: Tenant, now: Date) throws -> IssuedToken {
    try organizer(of: meeting, tenant, until: now.addingTimeInterval(JoinGrant.longest), now)
  }

  private func organizer(
    of meeting: MeetingRecord, _ tenant: Tenant, until end: Date, _ now: Date
  ) throws -> IssuedToken {
    try issue(
      JoinToken(
        tenant: tenant.id, target: .meeting(meeting.id), role: .organizer, notBefore: now,
        expires: min(end, meeting.expires ?? end)), tenant)
  }

  private func issue(_ token: JoinToken, _ tenant: Tenant) throws -> IssuedToken {
    IssuedToken(
      text: try authority.sign(token, tenant: tenant), id: token.id, role: token.role, isGuest: token.isGuest,
      expires: token.expires)
  }

  /// A token for a guest of `meeting`, which pages of `origins` (and the server's own) may use.
  public func token(
    for meeting: MeetingRecord, tenant: Tenant, session: String, origins: [WebOrigin], base: WebOrigin, now: Date
  ) throws -> IssuedToken {
    try token(
      for: meeting, opening: .meeting(meeting.id), tenant: tenant, session: session, origins: origins, base: base,
      now: now)
  }

  private func token(
    for meeting: MeetingRecord, opening target: MeetingTarget, tenant: Tenant, session: String, origins: [WebOrigin],
    base: WebOrigin, now: Date
  ) throws -> IssuedToken {
    let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
    let end = now.addingTimeInterval(tokenLifetime.seconds)
    let token = JoinToken(
      tenant: tenant.id, target: target, role: .publisher, isGuest: true, allowedOrigins: origins,
      notBefore: now,
      expires: min(end, meeting.expires ?? end),
      service: .init(
        applicationSession: session, organizer: addresses.organizer, endpoint: addresses.endpoint,
        conference: addresses.conference, applications: addresses.applications))
    return try issue(token, tenant)
  }
}

/// A join token that was just signed, with what those who keep book of it need.
public struct IssuedToken: Sendable {
  public var text: Secret<String>
  /// Names it, so that it can be revoked.
  public var id: TokenID
  /// The role of its holder.
  public var role: Role
  /// Whether its holder is none of the tenant's own people.
  public var isGuest: Bool
  /// Not good at or after.
  public var expires: Date
}

/// The addresses of a meeting, seen from the address under which a client reached the server.
public struct MeetingAddresses: Sendable, Hashable {
  /// The page to join by: what is sent to people.
  public let join: String
  /// The discover document of the meeting.
  public let discover: String
  /// The calendar file, where the meeting is scheduled.
  public let calendar: String
  public let signaling: String
  public let applications: String
  /// The meeting's conference address.
  public let conference: String
  /// The organiser's SIP address.
  public let organizer: String
  /// The tenant endpoint's SIP address.
  public let endpoint: String

  /// The addresses of `meeting` below `base`.
  public init(base: WebOrigin, meeting: MeetingRecord, tenant: Tenant) {
    join = "\(base)/\(meeting.room.pathSegment)"
    discover = "\(base)/discover/\(meeting.room.pathSegment)"
    calendar = "\(base)/api/v1/meetings/\(meeting.room.pathSegment)/calendar"
    signaling = (base.scheme == "https" ? "wss" : "ws") + base.description.dropFirst(base.scheme.utf8.count) + "/signal"
    applications = "\(base)/ucwa/psanon/v1/applications"
    organizer = "sip:organizer-\(tenant.name)@\(base.host)"
    endpoint = "sip:\(tenant.name)@\(base.host)"
    conference = "\(organizer);gruu;opaque=app:conf:focus:id:\(Self.focus(of: meeting))"
  }

  /// The part of a conference address that names the meeting. A room that opens by its name is the same conference
  /// before somebody is in it and makes its meeting, so that one goes by tenant and name; others have an id from the
  /// start.
  private static func focus(of meeting: MeetingRecord) -> String {
    let name = Array("\(meeting.tenant) \(meeting.room.key)".utf8)
    guard meeting.kind == .room, let digest = try? Digest.sha256(name) else {
      return meeting.id.rawValue.dropFirst(2).uppercased()
    }
    let digits = Array("0123456789ABCDEF")
    return String(digest.prefix(12).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
