import Basics
import FoundationEssentials
import Meetings
import Transport

/// Planned meetings and rooms of one's own.
extension AdminAPI {
  /// `PATCH meetings/*`: changes the texts, admission, rules, time and end of a meeting. A running meeting follows at
  /// once.
  func changeMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let given = fields.given
    var asked = try MeetingChange(&fields)
    let capacity = try fields.limit("capacity", 1...10_000)
    let lifetime = try fields.limit("expiresIn", 60...31_536_000)
    try fields.finish()
    let record = try await stored(call.path[0])
    try await asked.prepare(passcodes, from: call.request.remote.ip)
    let (change, now) = (asked, call.now)
    return try await keep(call, "meeting.change", record, given) { meeting in
      try change.apply(to: &meeting, now: now)
      if let capacity { meeting.capacity = capacity }
      if let lifetime { meeting.expires = Self.end(of: lifetime, from: now) }
    }
  }

  /// `POST meetings/*/cancel`: calls it off.
  func cancelMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    try AdminFields(call.request, optional: true).finish()
    let (record, now) = (try await stored(call.path[0]), call.now)
    return try await keep(call, "meeting.cancel", record, "") { try $0.cancel(now: now) }
  }

  /// Changes a meeting with its audit entry, whose detail is `what`, and applies the change to a running meeting.
  private func keep(
    _ call: Call, _ action: String, _ record: MeetingRecord, _ what: String,
    _ change: @Sendable (inout MeetingRecord) throws -> Void
  ) async throws -> HTTPResponse {
    let name = try await tenantNames()[record.tenant] ?? ""
    let entry = call.entry(
      action, record.id.rawValue, tenant: name,
      what.isEmpty ? record.room.display : "\(record.room.display): \(what)")
    let kept = try await keep(call) { transaction in
      let changed = try transaction.change(record.id) { meeting in
        try change(&meeting)
        meeting.isAnonymous = false
      }
      return (changed, changed == nil ? nil : entry)
    }
    guard let changed = kept else { throw Self.noSuchMeeting }
    await directory.changed(changed)
    return .json(MeetingView(changed, tenant: name, count: await directory.room(of: changed.id)?.count))
  }

  /// `GET meetings/*/occurrences`: when it takes place from now on.
  func listOccurrences(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    try call.query.finish()
    let record = try await stored(call.path[0])
    guard let schedule = record.schedule else { return .json(AdminPage<OccurrenceView>(items: [])) }
    let found: [Occurrence]
    do throws(ScheduleProblem) {
      found = try schedule.occurrences(from: call.now, limit: limit)
    } catch {
      throw Refusal(error)
    }
    return .json(AdminPage(items: found.map(OccurrenceView.init)))
  }

  /// `GET meetings/*/calendar`: the invitation, with the addresses of everybody invited.
  func showCalendar(_ call: inout Call) async throws -> HTTPResponse {
    let text = try call.query.text("server", "an origin like https://meet.example.com", Self.isServer)
    try call.query.finish()
    let record = try await stored(call.path[0])
    guard let tenant = try await store.tenant(id: record.tenant) else { throw Self.unscheduled }
    guard let base = text.flatMap(WebOrigin.init) ?? gate.publicOrigin else {
      throw Refusal(
        422, "addressNeeded",
        "The server does not know its own address: add ?server=https://meet.example.com, or start it with --public-url."
      )
    }
    guard
      let file = CalendarFile(
        record, tenant: tenant, addresses: MeetingAddresses(base: base, meeting: record, tenant: tenant),
        readers: .hosts)
    else { throw Self.unscheduled }
    return try .calendar(file, name: record.room)
  }

  /// `GET personal-rooms`: whose own rooms there are.
  func listPersonalRooms(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let after = try call.query.text("after", "the end of the page before") { text in
      (1...MeetingRecord.maximumOwner).contains(text.unicodeScalars.count)
        && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
    let name = try Self.tenantParameter(&call.query)
    try call.query.finish()
    var only: TenantID?
    if let name { only = try await tenant(name).id }
    let names = try await tenantNames()
    let records = try await store.personalRooms(tenant: only, after: after, limit: limit + 1)
    let counts = await directory.running()
    let views = records.map { MeetingView($0, tenant: names[$0.tenant] ?? "", count: counts[$0.id]) }
    return .json(Self.page(views, limit: limit) { $0.owner ?? "" })
  }

  /// Whether a text is an origin in its shortest form: what the description of the interface says.
  private static func isServer(_ text: String) -> Bool {
    guard let origin = WebOrigin(text) else { return false }
    return origin.description == text && origin.port == nil && origin.host.utf8.count <= 60
      && !origin.host.contains { "[_".contains($0) } && !origin.host.hasPrefix(".") && !origin.host.hasPrefix("-")
  }

  static let unscheduled = Refusal(
    409, "notScheduled", "The meeting has no schedule, so there is no calendar file of it.")

  static let noSuchMeeting = Refusal(404, "noSuchMeeting", "There is no meeting of that id.")

  private func stored(_ text: String) async throws -> MeetingRecord {
    guard let record = try await store.meeting(id: MeetingID(rawValue: text)) else {
      throw Self.noSuchMeeting
    }
    return record
  }
}

extension HTTPResponse {
  /// A calendar file, to be saved under the room's name.
  static func calendar(_ file: CalendarFile, name: RoomName) throws(Refusal) -> HTTPResponse {
    do throws(ScheduleProblem) {
      return HTTPResponse(
        headers: [
          "Content-Type": file.contentType, "Cache-Control": "no-store",
          // The name's own letters, in the form that is safe in a header (RFC 8187).
          "Content-Disposition": "attachment; filename=\"meeting.ics\"; filename*=UTF-8''\(name.pathSegment).ics",
        ], body: try file.bytes())
    } catch {
      throw Refusal(error)
    }
  }
}
