import Basics
import FoundationEssentials
import Meetings
import Transport

/// The public interface to meetings with a host, planned or at once: `/api/v1/meetings`. A caller who may make meetings
/// creates them, their hosts change them, and everybody who may join gets their calendar files.
struct PlanningAPI: Sendable {
  let anonymousJoin: AnonymousJoin
  let projects: ProjectAuthority
  let directory: MeetingDirectory
  let passcodes: PasscodeGuard
  /// Keeps meetings with their entries in the audit log.
  let store: any TransactionalStore
  let counters: ServerCounters
  let log: Log
  /// How often people without a credential of the tenant's may make and change meetings.
  let limits: AddressLimits
  /// Whether meetings may be encrypted, where the tenant doesn't say.
  let encryption: EncryptionPolicy

  /// How far ahead people without an account may plan: the token with which they run the meeting lasts no longer.
  private static let anonymousDays = 28.0

  /// Runs a call, and turns its errors into refusals.
  func answer(_ call: () async throws -> HTTPResponse) async throws(Refusal) -> HTTPResponse {
    do {
      return try await call()
    } catch let error as Refusal {
      throw error
    } catch let error as JoinRefusal {
      throw Refusal(error)
    } catch let error as MeetingStoreError {
      throw AdminAPI.conflict(error)
    } catch {
      log.error("planning.failed", ["reason": "\(error)"])
      throw Refusal(500, "internal", "This could not be done. The server's log says why.")
    }
  }

  // MARK: Calls

  func plan(_ request: HTTPRequest, _ base: WebOrigin, _ now: Date) async throws -> HTTPResponse {
    var fields = try AdminFields(request)
    let text = try fields.text("room", 1...RoomName.maximumLength)
    let subject = try fields.text("subject", 1...MeetingRecord.maximumSubject)
    let summary = try fields.text("summary", 0...MeetingRecord.maximumSummary)
    let level = try fields.word("accessLevel", AccessLevel.allCases.map(\.rawValue))
    let asked = try fields.schedule()
    let isEncrypted = try fields.truth("encrypted")
    try fields.finish()
    let tenant: Tenant
    let caller = try await caller(request, room: nil, base, now)
    switch caller {
    case .server(let own): tenant = own
    case .anybody:
      try await anonymousJoin.requireKnown(request.headers["origin"], base: base, now: now)
      try limits.takeWrite(request.remote.ip, now: MonotonicClock.now)
      tenant = try await anonymousJoin.openTenant(now: now)
    case .holder:
      throw Refusal(
        403, "notAllowed", "A join token opens a meeting; to plan one, sign a JWT for the interface with an API secret."
      )
    }
    var room = RoomName.random()
    if let text {
      // A name of one's own choice could be somebody else's room by tomorrow.
      guard case .server = caller else {
        throw Refusal(
          403, "notAllowed", "Without an API key the room gets an unguessable name: leave the field room out.")
      }
      room = try Self.room(text)
    }
    var record = MeetingRecord(opening: room, of: tenant, now: now)
    record.summary = summary ?? ""
    if case .anybody = caller { record.isAnonymous = true }
    if let level = level.flatMap(AccessLevel.init(rawValue:)) { record.accessLevel = level }
    if let isEncrypted { try record.decide(isEncrypted, by: tenant.policy.encryption ?? encryption) }
    if let asked {
      record.kind = .named
      record.subject = subject ?? "Meeting"
      try record.plan(asked, now: now)
      if case .anybody = caller { try Self.bound(&record, now: now) }
    } else {
      // The same as when somebody opens the URL of a room, but with a host.
      record.subject = subject ?? record.subject
      if !anonymousJoin.opensRooms {
        record.kind = .adHoc
        record.expires = now + anonymousJoin.meetingLifetime.seconds
      }
    }
    let action = asked == nil ? "meeting.create" : "meeting.schedule"
    let host = try anonymousJoin.hostToken(for: record, tenant: tenant, now: now)
    let (planned, entry, given) = (
      record, Self.entry(action, record, tenant, caller, now),
      AuditEntry(giving: host, for: record, of: tenant, to: caller.actor, at: now)
    )
    try await store.transaction { transaction in
      try transaction.insert(planned)
      try transaction.append(entry)
      try transaction.append(given)
    }
    (asked == nil ? counters.adHocMeetings : counters.scheduledMeetings).add(1)
    var view = PlannedMeetingView(record, tenant: tenant, base: base, forHosts: true, at: now)
    view.hostToken = String(host.text.value.dropFirst(JoinToken.prefix.utf8.count))
    return .json(view, status: 201)
  }

  func show(
    _ request: HTTPRequest, _ room: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> HTTPResponse {
    let (record, tenant, isHost) = try await meeting(request, room, base, now)
    return .json(PlannedMeetingView(record, tenant: tenant, base: base, forHosts: isHost, at: now))
  }

  func change(
    _ request: HTTPRequest, _ room: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> HTTPResponse {
    let (record, tenant, caller) = try await ownMeeting(request, room, base, now)
    var fields = try AdminFields(request)
    let given = fields.given
    var asked = try MeetingChange(&fields)
    try fields.finish()
    var isHolder = false
    if case .holder = caller { isHolder = true }
    try await asked.prepare(passcodes, from: request.remote.ip)
    let (change, isBound) = (asked, isHolder)
    return try await keep(record, tenant, caller, "meeting.change", given, base, now) { meeting in
      let before = meeting.schedule
      try change.apply(to: &meeting, now: now)
      // A schedule by others or of long ago may be beyond what a host can plan. That doesn't matter until the host
      // changes it.
      guard isBound, let after = meeting.schedule else { return }
      if before.map({ !$0.isSameTime(as: after) }) ?? true { try Self.bound(&meeting, now: now) }
    }
  }

  func cancel(
    _ request: HTTPRequest, _ room: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> HTTPResponse {
    let (record, tenant, caller) = try await ownMeeting(request, room, base, now)
    return try await keep(record, tenant, caller, "meeting.cancel", "", base, now) { try $0.cancel(now: now) }
  }

  /// Changes a meeting with its audit entry, whose detail is `what`, and applies the change to a running meeting.
  private func keep(
    _ record: MeetingRecord, _ tenant: Tenant, _ caller: Caller, _ action: String, _ what: String, _ base: WebOrigin,
    _ now: Date, _ change: @Sendable (inout MeetingRecord) throws -> Void
  ) async throws -> HTTPResponse {
    let entry = Self.entry(action, record, tenant, caller, now, what)
    var isOfTenant = false
    if case .server = caller { isOfTenant = true }
    let kept = try await store.transaction { [isOfTenant] transaction in
      let changed = try transaction.change(record.id) { meeting in
        try change(&meeting)
        // The tenant's own server has made it one of the tenant's.
        if isOfTenant { meeting.isAnonymous = false }
      }
      if changed != nil { try transaction.append(entry) }
      return changed
    }
    guard let changed = kept else { throw JoinRefusal.noSuchMeeting }
    await directory.changed(changed)
    return .json(PlannedMeetingView(changed, tenant: tenant, base: base, forHosts: true, at: now))
  }

  /// The audit entry of a planning request.
  private static func entry(
    _ action: String, _ meeting: MeetingRecord, _ tenant: Tenant, _ caller: Caller, _ now: Date, _ what: String = ""
  ) -> AuditEntry {
    AuditEntry(
      time: now, actor: caller.actor, tenant: tenant.name, action: action, target: meeting.id.rawValue,
      detail: what.isEmpty ? meeting.room.display : "\(meeting.room.display): \(what)",
      isAnonymous: meeting.isAnonymous)
  }

  func calendar(
    _ request: HTTPRequest, _ room: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> HTTPResponse {
    let (record, tenant, isHost) = try await meeting(request, room, base, now)
    guard
      let file = CalendarFile(
        record, tenant: tenant, addresses: MeetingAddresses(base: base, meeting: record, tenant: tenant),
        readers: isHost ? .hosts : .anybody)
    else { throw Refusal(404, "notScheduled", "The meeting has no schedule, so there is no calendar file of it.") }
    return try .calendar(file, name: record.room)
  }

  func occurrences(
    _ request: HTTPRequest, _ room: Substring, _ base: WebOrigin, _ now: Date
  ) async throws -> HTTPResponse {
    let (record, _, _) = try await meeting(request, room, base, now)
    do throws(ScheduleProblem) {
      let found = try record.schedule?.occurrences(from: now, limit: AdminQuery.limit.usual) ?? []
      return .json(AdminPage(items: found.map(OccurrenceView.init)))
    } catch {
      throw Refusal(error)
    }
  }

  /// Limits the time of meetings that people without an account plan.
  private static func bound(_ record: inout MeetingRecord, now: Date) throws(Refusal) {
    let end: Date?
    do throws(ScheduleProblem) { end = try record.schedule?.end() } catch { throw Refusal(error) }
    // A planned meeting without an end would be kept permanently.
    if record.schedule != nil, record.expires == nil {
      record.expires = record.created + anonymousDays * 86_400
    }
    guard record.schedule?.isCancelled == true || (end.map { $0 <= record.created + anonymousDays * 86_400 } ?? false)
    else {
      throw Refusal(
        422, "tooFarAhead",
        "Without an API key a meeting is over, with all its occurrences, within \(Int(anonymousDays)) days.")
    }
  }
}
