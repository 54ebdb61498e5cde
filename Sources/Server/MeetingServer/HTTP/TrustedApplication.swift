import FoundationEssentials
import Meetings
import Transport

/// The two endpoints that apps of the Skype for Business App SDK call before they join: make an ad-hoc meeting, and
/// exchange its address for a token. Form bodies in; JSON objects out whose every value is a string, as those apps
/// cast them.
struct TrustedApplication: Sendable {
  let anonymousJoin: AnonymousJoin
  /// Keeps meetings with their entries in the audit log.
  let store: any AuditStore
  let counters: ServerCounters

  /// The answer of `GetAdhocMeetingJob`.
  private struct Meeting: Encodable {
    var JoinUrl: String
    var OnlineMeetingUri: String
    var OrganizerUri: String
    var DiscoverUri: String
    var ExpireTime: String
    /// A token for the host who admits the others; only when not everybody gets in at once.
    var OrganizerToken: String?
  }

  /// The answer of `GetAnonTokenJob`.
  private struct Token: Encodable {
    var DiscoverUri: String
    var Token: String
    var ExpireTime: String
    var TenantEndpointId: String
  }

  /// `POST /GetAdhocMeetingJob`: `Subject`, `Description`, `AccessLevel`, `EntryExitAnnouncement`, and three switches
  /// that are accepted and ignored.
  func createMeeting(_ form: FormBody, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    // The field is required, its text isn't: the service took meetings without a title.
    guard form.contains("Subject") else {
      throw Refusal(400, "missingField", "Invalid job input: the form field Subject is missing.")
    }
    let level = try Self.accessLevel(form["AccessLevel"] ?? "")
    do {
      let (meeting, tenant) = try await anonymousJoin.newMeeting(
        subject: Self.line(form["Subject"] ?? ""), summary: form["Description"] ?? "", accessLevel: level,
        announces: Self.isEnabled(form["EntryExitAnnouncement"] ?? ""), now: now)
      let entry = AuditEntry(
        time: now, actor: "anybody", tenant: tenant.name, action: "meeting.create", target: meeting.id.rawValue,
        detail: "\(meeting.room.display), access \(meeting.accessLevel.rawValue)")
      let isOpen = meeting.accessLevel == .everyone && !meeting.lobby.waitsForHost
      let organizer = isOpen ? nil : try anonymousJoin.organizerToken(for: meeting, tenant: tenant, now: now)
      let entries =
        [entry]
        + (organizer.map { [AuditEntry(giving: $0, for: meeting, of: tenant, to: "anybody", at: now)] } ?? [])
      try await store.transaction { transaction in
        try transaction.insert(meeting)
        for entry in entries { try transaction.append(entry) }
      }
      counters.adHocMeetings.add(1)
      let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
      return .json(
        Meeting(
          JoinUrl: addresses.join, OnlineMeetingUri: addresses.conference, OrganizerUri: addresses.organizer,
          DiscoverUri: addresses.discover, ExpireTime: Self.text(meeting.expires ?? now),
          OrganizerToken: organizer?.text.value))
    } catch {
      throw Self.refusal(of: error)
    }
  }

  private static func refusal(of error: any Error) -> Refusal {
    switch error {
    case let error as Refusal: error
    case let error as JoinRefusal: Refusal(error)
    case let error as MeetingStoreError: Refusal(error)
    default: Refusal(500, "internal", "Unable to start a job run: no token could be signed.")
    }
  }

  /// `POST /GetAnonTokenJob`: `ApplicationSessionId`, `AllowedOrigins`, `MeetingUrl`.
  func token(_ form: FormBody, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    guard let session = form["ApplicationSessionId"] else {
      throw Refusal(400, "missingField", "Invalid job input: the form field ApplicationSessionId is missing.")
    }
    guard session.utf8.count <= 256 else {
      throw Refusal(400, "badField", "ApplicationSessionId has more than 256 bytes.")
    }
    guard let list = form["AllowedOrigins"] else {
      throw Refusal(400, "missingField", "Invalid AllowedOrigins: the form field is missing.")
    }
    guard let origins = WebOrigin.list(list) else {
      throw Refusal(
        400, "badOrigins",
        "Invalid AllowedOrigins: expected at most 32 http or https origins, separated by semicolons.")
    }
    guard let url = form["MeetingUrl"] else {
      throw Refusal(400, "missingField", "Invalid job input: the form field MeetingUrl is missing.")
    }
    let room = try Self.room(of: url, base: base)
    do {
      // To other tenants than that of the endpoint the meeting does not exist.
      guard let (meeting, tenant) = try await anonymousJoin.meeting(room: room, now: now) else {
        throw Self.noMeeting
      }
      guard !meeting.isExpired(at: now) else {
        throw Refusal(400, "meetingExpired", "Invalid MeetingUrl: the meeting is over.")
      }
      let token = try anonymousJoin.token(
        for: meeting, tenant: tenant, session: session, origins: origins, base: base, now: now)
      try await store.append(AuditEntry(giving: token, for: meeting, of: tenant, to: "anybody", at: now))
      counters.tokens.add(1)
      let text = token.text.value
      let context = JoinToken.prefix.dropLast() + "%3d" + text.dropFirst(JoinToken.prefix.utf8.count)
      return .json(
        Token(
          DiscoverUri: "\(base)/discover?anonymousMeetingJoinContext=\(context)", Token: text,
          ExpireTime: Self.text(token.expires),
          TenantEndpointId: MeetingAddresses(base: base, meeting: meeting, tenant: tenant).endpoint))
    } catch {
      throw Self.refusal(of: error)
    }
  }

  private static let noMeeting = Refusal(400, "noSuchMeeting", "Invalid MeetingUrl: there is no such meeting here.")

  /// The room that a meeting's address names. The address must be one of this server's.
  private static func room(of url: String, base: WebOrigin) throws(Refusal) -> RoomName {
    let expected = "Invalid MeetingUrl: expected the JoinUrl of a meeting, \(base)/<room>."
    guard let origin = WebOrigin(url) else { throw Refusal(400, "badMeetingUrl", expected) }
    guard isSameServer(origin, base) else {
      throw Refusal(400, "wrongHost", "Invalid MeetingUrl: the meeting is not one of this server, \(base).")
    }
    let scheme = origin.scheme.utf8.count + 3
    let path = url.dropFirst(scheme).drop { $0 != "/" }.dropFirst().prefix { $0 != "?" && $0 != "#" }
    // A room's name has no slash, and one that was left out would lead to another room.
    guard !path.contains("/") else { throw Refusal(400, "badMeetingUrl", expected) }
    do throws(RoomNameError) {
      return try RoomName(FormBody.decode(path, plusIsBlank: false))
    } catch {
      throw Refusal(400, "badMeetingUrl", expected)
    }
  }

  /// Whether two origins are one server. The names of this machine for itself are taken as one.
  static func isSameServer(_ a: WebOrigin, _ b: WebOrigin) -> Bool {
    let own: Set<String> = ["localhost", "127.0.0.1", "[::1]"]
    return a == b || (a.scheme == b.scheme && a.port == b.port && own.contains(a.host) && own.contains(b.host))
  }

  /// The level that a request names; nil when it names none.
  private static func accessLevel(_ text: String) throws(Refusal) -> AccessLevel? {
    if text.isEmpty || text == "0" || text.lowercased() == "none" { return nil }
    // The numbers are those of the service's enumeration, with None (not set) at 0.
    let numbers: [String: AccessLevel] = [
      "1": .sameEnterprise, "2": .locked, "3": .invited, "4": .everyone,
    ]
    if let level = numbers[text] { return level }
    if let level = AccessLevel.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) { return level }
    let names = AccessLevel.allCases.map(\.rawValue).joined(separator: ", ")
    throw Refusal(400, "badField", "Invalid AccessLevel: expected \(names), or nothing.")
  }

  /// A switch as the service's enumeration or as a Boolean; nil for anything else.
  private static func isEnabled(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "enabled", "true", "1": true
    case "disabled", "false": false
    default: nil
    }
  }

  /// A text as one line.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
