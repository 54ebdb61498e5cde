import Basics
import FoundationEssentials
import Meetings
import Transport

/// The callers of planned meetings, and the meetings that each may see or change.
extension PlanningAPI {
  enum Caller {
    /// A tenant's own server: a JWT that one of its API secrets has signed.
    case server(Tenant)
    /// A caller with a join token, with the rights that they have now.
    case holder(Admission)
    /// A caller without credentials.
    case anybody

    /// As the audit log names them.
    var actor: String {
      switch self {
      case .server(let tenant): "server of \(tenant.name)"
      case .holder(let admission): "holder of \(admission.grant.id)"
      case .anybody: "anybody"
      }
    }
  }

  func caller(
    _ request: HTTPRequest, room: RoomName?, _ base: WebOrigin, _ now: Date
  ) async throws -> Caller {
    let given: String
    if request.headers["authorization"] != nil {
      guard let token = request.bearerToken else {
        throw Refusal(401, "badToken", "The header Authorization must be Bearer and a token.")
      }
      given = token
    } else if let token = try FormBody(query: request.query)["jwt"] {
      // Links to calendar files carry it as meetings' addresses do; it can only be read with.
      guard request.method == "GET" || request.method == "HEAD" else {
        throw Refusal(401, "badToken", "Send the token in the header Authorization.")
      }
      given = token
    } else {
      return .anybody
    }
    do throws(ProjectAuthority.Refusal) {
      return .server(try await projects.tenant(of: .jwt(Secret(given)), now: now))
    } catch {
      switch error {
      case .unavailable(let why): throw JoinRefusal.unavailable(why)
      case .limit(let reached): throw JoinRefusal.limit(reached)
      // It may be a token for joining, which another authority knows.
      case .credential: break
      }
    }
    guard let room else { throw JoinRefusal.badToken }
    let admission = try await anonymousJoin.authority.admit(
      token: Secret(given), room: room, origin: request.headers["origin"], ownOrigin: base, opening: false, now: now)
    guard admission.isMade else { throw JoinRefusal.noSuchMeeting }
    return .holder(try await directory.present(admission, for: .outside))
  }

  /// The meeting of that name as the caller may see it. Nobody's asking makes one.
  func meeting(
    _ request: HTTPRequest, _ text: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> (MeetingRecord, Tenant, isHost: Bool) {
    let room = try Self.room(text)
    return try await meeting(room, of: try await caller(request, room: room, base, now), now)
  }

  private func meeting(
    _ room: RoomName, of caller: Caller, _ now: Date
  ) async throws -> (MeetingRecord, Tenant, isHost: Bool) {
    switch caller {
    case .server(let tenant):
      guard let record = try await anonymousJoin.store.meeting(room: room, tenant: tenant.id) else {
        throw JoinRefusal.noSuchMeeting
      }
      return (record, tenant, true)
    case .holder(let admission):
      let grant = admission.grant
      // Anybody gets a guest's token by asking for one.
      let meeting = grant.isGuest && !grant.isHost ? Self.seenFromOutside(admission.meeting) : admission.meeting
      return (meeting, admission.tenant, grant.isHost)
    case .anybody:
      guard let (record, tenant) = try await anonymousJoin.meeting(room: room, now: now) else {
        throw JoinRefusal.noSuchMeeting
      }
      return (Self.seenFromOutside(record), tenant, false)
    }
  }

  /// A meeting as a caller may know it who has only its URL. Unless everybody gets in, its summary is left out.
  private static func seenFromOutside(_ record: MeetingRecord) -> MeetingRecord {
    guard record.passcode != nil || record.accessLevel != .everyone else { return record }
    var record = record
    record.summary = ""
    return record
  }

  /// The meeting of that name, for who runs it.
  func ownMeeting(
    _ request: HTTPRequest, _ text: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> (MeetingRecord, Tenant, Caller) {
    guard request.headers["authorization"] != nil else {
      throw Refusal(
        401, "tokenRequired", "The header Authorization: Bearer is needed, with a host's join token or a JWT.")
    }
    let room = try Self.room(text)
    let caller = try await caller(request, room: room, base, now)
    let (record, tenant, isHost) = try await meeting(room, of: caller, now)
    if case .holder = caller { try limits.takeWrite(request.remote.ip, now: MonotonicClock.now) }
    guard isHost else {
      throw Refusal(
        403, "notAllowed",
        "Only a host of the meeting can change it, and what hosts have decided while it runs counts here too.")
    }
    return (record, tenant, caller)
  }

  static func room(_ text: some StringProtocol) throws(Refusal) -> RoomName {
    do throws(RoomNameError) {
      return try RoomName(text)
    } catch {
      throw Refusal(error)
    }
  }
}
