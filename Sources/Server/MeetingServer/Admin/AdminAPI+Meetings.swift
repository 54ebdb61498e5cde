import Basics
import FoundationEssentials
import Meetings
import Signaling
import Transport

/// Meetings, who is in them, and join tokens.
extension AdminAPI {
  func listMeetings(_ call: inout Call) async throws -> HTTPResponse {
    let limit = try call.query.pageLimit()
    let after = try call.query.text("after", "the end of the page before") { MeetingCursor($0) != nil }
    let name = try Self.tenantParameter(&call.query)
    let running = try call.query.truth("running")
    try call.query.finish()
    var only: TenantID?
    if let name { only = try await tenant(name).id }
    let names = try await tenantNames()
    let counts = await directory.running()
    let cursor = after.flatMap(MeetingCursor.init)
    var records: [MeetingRecord] = []
    if running == true {
      for id in counts.keys {
        // One that was removed while people are in it is known to its room only.
        guard let record = await directory.room(of: id)?.meeting, only == nil || record.tenant == only else { continue }
        records.append(record)
      }
      records.sort { MeetingCursor($0).isBefore(MeetingCursor($1)) }
      records = Array(records.drop { record in cursor.map { !$0.isBefore(MeetingCursor(record)) } ?? false })
      records = Array(records.prefix(limit + 1))
      for index in records.indices { records[index] = try await newest(records[index].id) ?? records[index] }
    } else {
      var from = cursor
      // Running ones are left out where asked for, so a page may take several looks.
      while records.count <= limit {
        let more = try await store.meetings(tenant: only, after: from, limit: limit + 1)
        records += more.filter { running == nil || counts[$0.id] == nil }
        guard more.count > limit, let last = more.last else { break }
        from = MeetingCursor(last)
      }
    }
    let views = records.map { MeetingView($0, tenant: names[$0.tenant] ?? "", count: counts[$0.id]) }
    return .json(Self.page(views, limit: limit) { MeetingCursor($0).text })
  }

  func createMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let name = try Self.tenantField(&fields)
    let text = try fields.text("room", 1...RoomName.maximumSessionLength)
    let subject = try fields.text("subject", 0...MeetingRecord.maximumSubject)
    let summary = try fields.text("summary", 0...MeetingRecord.maximumSummary)
    let level = try fields.word("accessLevel", AccessLevel.allCases.map(\.rawValue))
    let capacity = try fields.number("capacity", 1...10_000)
    let seconds = try fields.number("expiresIn", 60...31_536_000)
    // A body that breaks the description is refused before the tenant is looked for.
    var chatFields = fields
    _ = try Self.chat(over: ChatPolicy(), &fields)
    let schedule = try fields.schedule()
    let passcode = try fields.text("passcode", PasscodeHash.length)
    let lobby = (wait: try fields.truth("waitForHost"), announce: try fields.truth("announce"))
    let timeout = try fields.limit("lobbySeconds", 1...86_400)
    let owner = try fields.text("owner", 1...MeetingRecord.maximumOwner)
    let isEncrypted = try fields.truth("encrypted")
    try fields.finish()
    let tenant = try await tenant(orDefault: name, call.now)
    var room = RoomName.random()
    if let text { room = try Self.room(text) }
    var record = MeetingRecord(
      tenant: tenant.id, room: room, kind: .named, subject: subject ?? room.display, summary: summary ?? "",
      accessLevel: level.flatMap(AccessLevel.init(rawValue:)) ?? tenant.policy.accessLevel, created: call.now,
      expires: Self.end(of: seconds, from: call.now), capacity: capacity ?? tenant.policy.capacity,
      lobby: tenant.policy.lobby, chat: try Self.chat(over: tenant.policy.chat, &chatFields))
    if let isEncrypted { try record.decide(isEncrypted, by: tenant.policy.encryption ?? encryption) }
    if let schedule { try record.plan(schedule, now: call.now) }
    record.lobby = LobbySettings(
      waitsForHost: lobby.wait ?? record.lobby.waitsForHost, announces: lobby.announce ?? record.lobby.announces,
      timeout: timeout.map { $0.map { .seconds(Int64($0)) } } ?? record.lobby.timeout)
    if let passcode { record.passcode = try await passcodes.hash(passcode, from: call.request.remote.ip) }
    if let owner {
      guard try await store.personalRoom(of: owner, tenant: tenant.id) == nil else {
        throw Refusal(409, "ownsRoom", "They have a room of their own already.")
      }
      record.kind = .personal
      record.owner = owner
      record.lobby.waitsForHost = true
    }
    let (made, entry) = (
      record,
      call.entry(
        "meeting.create", record.id.rawValue, tenant: tenant.name,
        "\(room.display), access \(record.accessLevel.rawValue)")
    )
    do {
      try await keep(call, entry) { try $0.insert(made) }
    } catch let error as MeetingStoreError {
      throw Self.conflict(error)
    }
    return .json(MeetingView(record, tenant: tenant.name, count: nil), status: 201)
  }

  func showMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let record = try await meeting(call.path[0])
    let name = try await tenantNames()[record.tenant] ?? ""
    return .json(MeetingView(record, tenant: name, count: await directory.room(of: record.id)?.count))
  }

  func removeMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let record = try await meeting(call.path[0])
    let name = try await tenantNames()[record.tenant] ?? ""
    // Forgotten first, so that nobody comes back into it.
    let entry = call.entry("meeting.remove", record.id.rawValue, tenant: name, record.room.display)
    try await keep(call, entry) { _ = try $0.removeMeeting(record.id) }
    _ = await directory.end(record)
    return Self.done
  }

  func endMeeting(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    try AdminFields(call.request, optional: true).finish()
    let record = try await meeting(call.path[0])
    let notRunning = Refusal(409, "notRunning", "Nobody is in the meeting.")
    guard await directory.canEnd(record.id) else { throw notRunning }
    let name = try await tenantNames()[record.tenant] ?? ""
    try await audit(call, "meeting.end", record.id.rawValue, tenant: name, record.room.display)
    guard await directory.end(record) else { throw notRunning }
    return Self.done
  }

  /// The stored meeting of that id, or the running one if its record was removed.
  func meeting(_ text: String) async throws -> MeetingRecord {
    let id = MeetingID(rawValue: text)
    guard let record = try await newest(id) else { throw Self.noSuchMeeting }
    return record
  }

  /// The newer record of a meeting: the stored one, or the room's. A room gets a change by another process only with
  /// the next join.
  private func newest(_ id: MeetingID) async throws -> MeetingRecord? {
    let running = await directory.room(of: id)?.meeting
    guard let kept = try await store.meeting(id: id) else { return running }
    guard let running, running.revision > kept.revision else { return kept }
    return running
  }

  static func end(of seconds: Int?, from now: Date) -> Date? { seconds.map { now + Double($0) } }

  private static func room(_ text: String) throws(Refusal) -> RoomName {
    do throws(RoomNameError) {
      return try RoomName(text)
    } catch {
      throw Refusal(422, error.code, error.description)
    }
  }

  // MARK: Participants

  func listParticipants(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    let record = try await meeting(call.path[0])
    var views = await directory.room(of: record.id)?.people() ?? []
    for index in views.indices {
      views[index].samples = await quality.samples(of: views[index].id, in: record.id).map {
        .init(time: $0.time, quality: $0.quality)
      }
    }
    // A meeting has a bounded number of people, so they come whole.
    return .json(AdminPage(items: views))
  }

  func removeParticipant(_ call: inout Call) async throws -> HTTPResponse {
    let bans = try call.query.truth("ban") ?? false
    try call.query.finish()
    let record = try await meeting(call.path[0])
    let nobody = Refusal(404, "noSuchParticipant", "Nobody of that id is in the meeting.")
    let room = await directory.room(of: record.id)
    guard let room, let person = await room.name(of: call.path[1]) else { throw nobody }
    let name = try await tenantNames()[record.tenant] ?? ""
    let action = bans ? "participant.ban" : "participant.remove"
    try await audit(call, action, call.path[1], tenant: name, "\(person) in \(record.room.display)")
    guard let kept = await room.dismiss(call.path[1], banning: bans) else { throw nobody }
    guard await kept.value else {
      throw Refusal(
        500, "banNotKept", "They are out, but the server could not write down that they may not come back.")
    }
    return Self.done
  }

  // MARK: Tokens

  func createToken(_ call: inout Call) async throws -> HTTPResponse {
    try call.query.finish()
    var fields = try AdminFields(call.request)
    let tenantName = try Self.tenantField(&fields)
    let text = try AdminFields.needed(fields.text("room", 1...RoomName.maximumSessionLength), "room")
    let role = try fields.word("role", Role.allCases.map(\.rawValue)).flatMap(Role.init(name:)) ?? .publisher
    let permissions = try fields.words("permissions", Permissions.allNames).flatMap { Permissions(names: $0) }
    let name = try fields.text("name", 1...100)
    let user = try fields.text("user", 1...64)
    let isGuest = try fields.truth("guest") ?? false
    let seconds = try fields.number("expiresIn", 1...Int(JoinGrant.longest)) ?? 3_600
    try fields.finish()
    var target = MeetingTarget.anyRoom
    if text != "*" { target = .room(try Self.room(text)) }
    if let name, DisplayName.clean(name) == nil {
      throw Refusal(422, "badName", "The name has no visible character.")
    }
    let tenant = try await tenant(orDefault: tenantName, call.now)
    let token = JoinToken(
      tenant: tenant.id, target: target, role: role, permissions: permissions, name: name, user: user,
      isGuest: isGuest, notBefore: call.now, expires: call.now + Double(seconds))
    let signed = try authority.sign(token, tenant: tenant).value
    let record = TokenRecord(issued: token, room: text, at: call.now)
    let extent = permissions.map { ", only \($0.names.joined(separator: " "))" } ?? ""
    let entry = call.entry(
      "token.create", token.id.rawValue, tenant: tenant.name,
      "\(role.rawValue) in \(text) for \(seconds) s\(extent)\(user.map { ", user \($0)" } ?? "")")
    try await keep(call, entry) { try $0.record([record]) }
    return .json(
      TokenView(
        token: String(signed.dropFirst(JoinToken.prefix.utf8.count)), id: token.id.rawValue, tenant: tenant.name,
        room: text, role: role.rawValue, permissions: (permissions ?? role.permissions).names, expires: token.expires),
      status: 201)
  }

  func revokeToken(_ call: inout Call) async throws -> HTTPResponse {
    let name = try Self.tenantParameter(&call.query)
    // Commands name tokens of other servers too, whose ids may be anything.
    let whole = gate.isForCommands ? try call.query.text("id", "the id of a token") { !$0.isEmpty } : nil
    try call.query.finish()
    let id = whole ?? call.path[0]
    let isPlain = id.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 32) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
    guard whole != nil || isPlain, (1...(whole == nil ? 128 : 4_096)).contains(id.utf8.count) else {
      throw Refusal(
        400, "badParameter",
        "The id of a token has 1 to 128 letters, digits, - and _ here; `parley token revoke --id` takes others too.")
    }
    let tenant = try await tenant(orDefault: name, call.now)
    // No token is good for longer.
    let end = call.now + JoinGrant.longest + 3_600
    try await keep(call, call.entry("token.revoke", id, tenant: tenant.name)) { transaction in
      try transaction.revoke(TokenID(rawValue: id), tenant: tenant.id, expires: end)
    }
    await directory.revoked(TokenID(rawValue: id), of: tenant.id)
    return Self.done
  }
}

extension MeetingCursor {
  init(_ view: MeetingView) { self.init(created: view.created, id: MeetingID(rawValue: view.id)) }
}
