import Foundation
import Testing

@testable import Meetings

@Suite("Calendar files")
struct CalendarFileTests {
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01

  private func lines(
    _ change: (inout ScheduleRequest) -> Void = { _ in }, subject: String = "Weekly", summary: String = "",
    readers: CalendarFile.Readers = .hosts, cancelled: Bool = false
  ) throws -> (raw: [UInt8], unfolded: [String]) {
    var request = ScheduleRequest()
    request.start = "2026-03-16T10:00"
    request.zone = "Europe/Berlin"
    request.rule = "FREQ=WEEKLY;COUNT=4"
    request.organizer = "Ann Lee <ann@example.com>"
    request.attendees = ["Bob \"B\" <bob@example.com>", "cem@example.com"]
    change(&request)
    let tenant = Tenant(
      id: .random(), name: "acme", apiKey: "1", isDefault: true, policy: .init(signIn: .open), signingKey: .init(""),
      signingKeyID: "", created: Self.now)
    var meeting = MeetingRecord(
      tenant: tenant.id, room: try RoomName("été"), kind: .named, subject: subject, summary: summary, created: Self.now)
    var schedule = try request.schedule(now: Self.now)
    if cancelled { _ = schedule.cancel(now: Self.now) }
    try meeting.plan(schedule)
    let base = try #require(WebOrigin("https://meet.example.com"))
    let file = try #require(
      CalendarFile(
        meeting, tenant: tenant, addresses: MeetingAddresses(base: base, meeting: meeting, tenant: tenant),
        readers: readers))
    let raw = try file.bytes()
    let text = String(decoding: raw, as: UTF8.self).replacing("\r\n ", with: "")
    return (raw, text.split(separator: "\r\n").map(String.init))
  }

  @Test("lines end with CR LF, have at most 75 bytes, and cut no character in two")
  func folding() throws {
    let (raw, unfolded) = try lines(subject: String(repeating: "日本語の会議😀", count: 20))
    for line in raw.split(separator: 10, omittingEmptySubsequences: false).dropLast() {
      #expect(line.last == 13 && line.count <= 76)
      #expect(String(validating: line, as: UTF8.self) != nil)
    }
    #expect(unfolded.contains("SUMMARY:" + String(repeating: "日本語の会議😀", count: 20)))
  }

  @Test("nobody's text ends a line or a value: no property can be smuggled in")
  func injection() throws {
    let (raw, unfolded) = try lines(
      { $0.organizer = "Eve\";X=1:mailto:x\r\nATTENDEE:y <eve@example.com>" }, subject: "a;b,c\\d\r\nX-EVIL:1\u{0}",
      summary: "first\nsecond")
    #expect(unfolded.contains("SUMMARY:a\\;b\\,c\\\\d\\nX-EVIL:1"))
    #expect(
      unfolded.contains { $0.hasPrefix("DESCRIPTION:first\\nsecond\\n\\nJoin: https://meet.example.com/%C3%A9t%C3%A9") }
    )
    #expect(
      unfolded.contains { $0.hasPrefix("ORGANIZER;CN=\"Eve^';X=1:mailto:x^nATTENDEE:y\":mailto:eve@example.com") })
    #expect(!unfolded.contains { $0.hasPrefix("X-EVIL") || $0.hasPrefix("ATTENDEE:y") } && !raw.contains(0))
  }

  @Test("an invitation asks, a cancellation cancels, and no e-mail address is public")
  func methods() throws {
    let request = try lines().unfolded
    #expect(
      request.contains("METHOD:REQUEST") && request.contains("STATUS:CONFIRMED") && request.contains("SEQUENCE:0"))
    #expect(request.contains { $0.contains("CN=\"Bob ^'B^'\"") && $0.hasSuffix("mailto:bob@example.com") })
    let cancel = try lines(cancelled: true).unfolded
    #expect(cancel.contains("METHOD:CANCEL") && cancel.contains("STATUS:CANCELLED") && cancel.contains("SEQUENCE:1"))
    let open = try lines(readers: .anybody)
    #expect(open.unfolded.contains("METHOD:PUBLISH"))
    #expect(!open.unfolded.contains { $0.contains("ann@") || $0.contains("mailto:") })
    #expect(try lines({ $0.attendees = [] }).unfolded.contains("METHOD:PUBLISH"))
  }

  @Test("times are on the zone's clocks, a series' end in UTC, exceptions as the start")
  func times() throws {
    let text = try lines {
      $0.rule = "FREQ=WEEKLY;UNTIL=20260430"
      $0.excluded = ["2026-03-30T10:00"]
    }.unfolded
    #expect(text.contains("DTSTART;TZID=Europe/Berlin:20260316T100000") && text.contains("DURATION:PT1H"))
    #expect(text.contains("RRULE:FREQ=WEEKLY;UNTIL=20260430T215959Z"))
    #expect(text.contains("EXDATE;TZID=Europe/Berlin:20260330T100000"))
    let utc = try lines {
      $0.zone = "UTC"
      $0.duration = 5_430
    }.unfolded
    #expect(utc.contains("DTSTART:20260316T100000Z") && utc.contains("DURATION:PT1H30M30S"))
    #expect(!utc.contains("BEGIN:VTIMEZONE"))
  }

  @Test("a zone with a yearly rule is described by it, one without by each of its changes")
  func zones() throws {
    let berlin = try lines().unfolded
    #expect(
      berlin.contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU")
        && berlin.contains("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"))
    #expect(berlin.count { $0 == "BEGIN:DAYLIGHT" } == 1 && berlin.count { $0 == "BEGIN:STANDARD" } == 1)
    let kolkata = try lines { $0.zone = "Asia/Kolkata" }.unfolded
    #expect(kolkata.contains("TZOFFSETTO:+0530") && !kolkata.contains { $0.hasPrefix("RRULE:FREQ=YEARLY") })
    let casablanca = try lines { $0.zone = "Africa/Casablanca" }.unfolded
    #expect(
      casablanca.count { $0 == "TZOFFSETTO:+0000" } >= 1 && !casablanca.contains { $0.hasPrefix("RRULE:FREQ=YEARLY") })
  }

  @Test(
    "what is no e-mail address is refused",
    arguments: ["ann", "a@b@c", "@b", "a@", "a b@c", "a@b\r\nX:1", "a@b\u{2028}", "<a@b", "a@.b", "a,b@c"])
  func addresses(_ text: String) { #expect(throws: ScheduleProblem.self) { try MeetingSchedule.Person(address: text) } }
}
