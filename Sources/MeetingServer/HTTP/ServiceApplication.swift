import FoundationEssentials
import Meetings
import Transport

/// The two endpoints that apps of the Skype for Business App SDK call before they join: make an ad-hoc meeting, and
/// exchange its address for a token. Form bodies in; JSON objects out whose every value is a string, as those apps
/// cast them.
struct ServiceApplication: Sendable {
  let desk: AnonymousJoin
  let counters: ServerCounters

  /// The answer of `GetAdhocMeetingJob`.
  private struct Meeting: Encodable {
    var JoinUrl: String
    var OnlineMeetingUri: String
    var OrganizerUri: String
    var DiscoverUri: String
    var ExpireTime: String
  }

  /// The answer of `GetAnonTokenJob`.
  private struct Token: Encodable {
    var DiscoverUri: String
    var Token: String
    var ExpireTime: String
    var TenantEndpointId: String
  }

  /// `POST /GetAdhocMeetingJob`: `Subject`, `Description`, `AccessLevel` and four switches that are accepted and ignored.
  func createMeeting(_ form: FormBody, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    guard let subject = form["Subject"] else {
      throw Refusal(400, "missingField", "Invalid job input: the form field Subject is missing.")
    }
    let level = try Self.accessLevel(form["AccessLevel"] ?? "")
    do throws(MeetingStoreError) {
      let (meeting, tenant) = try await desk.createMeeting(
        subject: Self.line(subject), summary: form["Description"] ?? "", accessLevel: level, now: now)
      counters.adHocMeetings.add(1)
      let addresses = MeetingAddresses(base: base, meeting: meeting, tenant: tenant)
      return .json(
        Meeting(
          JoinUrl: addresses.join, OnlineMeetingUri: addresses.conference, OrganizerUri: addresses.organizer,
          DiscoverUri: addresses.discover, ExpireTime: Self.text(meeting.expires ?? now)))
    } catch {
      throw Refusal(error)
    }
  }

  /// `POST /GetAnonTokenJob`: `ApplicationSessionId`, `AllowedOrigins`, `MeetingUrl`.
  func token(_ form: FormBody, base: WebOrigin, now: Date) async throws(Refusal) -> HTTPResponse {
    guard let session = form["ApplicationSessionId"], !session.isEmpty else {
      throw Refusal(400, "missingField", "Invalid job input: the form field ApplicationSessionId is missing.")
    }
    guard session.utf8.count <= 256 else {
      throw Refusal(400, "badField", "ApplicationSessionId has more than 256 bytes.")
    }
    guard let list = form["AllowedOrigins"], !list.isEmpty else {
      throw Refusal(400, "missingField", "Invalid AllowedOrigins: the form field is missing.")
    }
    guard let origins = WebOrigin.list(list) else {
      throw Refusal(
        400, "badOrigins",
        "Invalid AllowedOrigins: expected at most 32 http or https origins, separated by semicolons.")
    }
    guard let url = form["MeetingUrl"], !url.isEmpty else {
      throw Refusal(400, "missingField", "Invalid job input: the form field MeetingUrl is missing.")
    }
    let room = try Self.room(of: url, base: base)
    do {
      guard let meeting = try await desk.store.meeting(room: room) else { throw Self.noMeeting }
      guard !meeting.isExpired(at: now) else {
        throw Refusal(400, "meetingExpired", "Invalid MeetingUrl: the meeting is over.")
      }
      let tenant = try await desk.store.defaultTenant(now: now)
      // The address and the endpoint must belong to one tenant; to others the meeting does not exist.
      guard meeting.tenant == tenant.id else { throw Self.noMeeting }
      let (text, token) = try await desk.token(
        for: meeting, tenant: tenant, session: session, origins: origins, base: base, now: now)
      counters.tokens.add(1)
      let context = JoinToken.prefix.dropLast() + "%3d" + text.value.dropFirst(JoinToken.prefix.utf8.count)
      return .json(
        Token(
          DiscoverUri: "\(base)/discover?anonymousMeetingJoinContext=\(context)", Token: text.value,
          ExpireTime: Self.text(token.expires), TenantEndpointId: token.endpoint))
    } catch let error as Refusal {
      throw error
    } catch let error as MeetingStoreError {
      throw Refusal(error)
    } catch {
      throw Refusal(500, "internal", "Unable to start a job run: no token could be signed.")
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

  private static func accessLevel(_ text: String) throws(Refusal) -> AccessLevel {
    if text.isEmpty { return .everyone }
    // The numbers are those of the service's enumeration, with None (not set) at 0.
    let numbers: [String: AccessLevel] = [
      "0": .everyone, "1": .sameEnterprise, "2": .locked, "3": .invited, "4": .everyone,
    ]
    if let level = numbers[text] { return level }
    if text.lowercased() == "none" { return .everyone }
    if let level = AccessLevel.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) { return level }
    let names = AccessLevel.allCases.map(\.rawValue).joined(separator: ", ")
    throw Refusal(400, "badField", "Invalid AccessLevel: expected \(names), or nothing.")
  }

  /// A text as one line.
  private static func line(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
  }

  private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
