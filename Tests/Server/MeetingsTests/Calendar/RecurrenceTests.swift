import Foundation
import Testing

@testable import Meetings

@Suite("Recurring meetings")
struct RecurrenceTests {
  private static let now = Date(timeIntervalSince1970: 1_767_225_600)  // 2026-01-01

  private func schedule(
    _ start: String, _ rule: String?, zone: String = "Europe/Berlin", duration: Int = 3_600, except: [String] = [],
    doors: MeetingSchedule.EntryTimes = .init()
  ) throws -> MeetingSchedule {
    try MeetingSchedule(
      start: try #require(CivilTime(start)), zone: zone, duration: duration,
      rule: try rule.map { try RecurrenceRule($0) },
      excluded: try except.map { try #require(CivilTime($0)) }, doors: doors, now: Self.now)
  }

  private func starts(_ schedule: MeetingSchedule, from: Date = RecurrenceTests.now, limit: Int = 100) throws
    -> [String]
  {
    try schedule.occurrences(from: from, limit: limit).map { $0.start.formatted(.iso8601) }
  }

  @Test("civil dates come back from their day count, over leap years and centuries")
  func dates() throws {
    for day in stride(from: -800_000, through: 800_000, by: 97) {
      let date = CivilTime.date(of: day)
      #expect(CivilTime.day(date.year, date.month, date.day) == day)
    }
    #expect(CivilTime.day(1970, 1, 1) == 0 && CivilTime.day(2000, 3, 1) == 11_017)
    #expect(CivilTime(day: 0, second: 0).weekday == 3)
    #expect(try #require(CivilTime("2026-11-22T10:00")).weekday == 6)
    for text in ["2026-02-29T10:00", "2026-13-01T10:00", "2026-1-01T10:00", "2026-01-01 10:00", "2026-01-01T24:00", ""]
    {
      #expect(CivilTime(text) == nil, "\(text)")
    }
    #expect(CivilTime("20261123T100000")?.text == "2026-11-23T10:00:00")
  }

  @Test("a weekly meeting at ten stays at ten when the clocks change")
  func daylight() throws {
    let weekly = try schedule("2026-03-16T10:00", "FREQ=WEEKLY;COUNT=4")
    #expect(
      try starts(weekly) == [
        "2026-03-16T09:00:00Z", "2026-03-23T09:00:00Z", "2026-03-30T08:00:00Z", "2026-04-06T08:00:00Z",
      ])
    let back = try schedule("2026-10-24T10:00", "FREQ=DAILY;COUNT=2", zone: "America/New_York")
    #expect(try starts(back) == ["2026-10-24T14:00:00Z", "2026-10-25T14:00:00Z"])
    let south = try schedule("2026-04-04T10:00", "FREQ=DAILY;COUNT=2", zone: "Australia/Sydney")
    #expect(try starts(south) == ["2026-04-03T23:00:00Z", "2026-04-05T00:00:00Z"])
  }

  @Test(
    "a moved occurrence takes place at its new time, in order; moving none is refused"
  )
  func moved() throws {
    var series = try schedule("2026-03-16T10:00", "FREQ=WEEKLY;COUNT=4")
    func change(excluded: [String]? = nil, moved: [String]? = nil, start: String? = nil) throws {
      var request = ScheduleRequest()
      (request.excluded, request.moved, request.start) = (excluded, moved, start)
      try request.apply(to: &series, now: Self.now)
    }
    try change(moved: ["2026-03-23T10:00/2026-04-01T14:30", "2026-03-16T10:00/2026-03-15T09:00"])
    #expect(series.sequence == 1)
    #expect(
      try starts(series) == [
        "2026-03-15T08:00:00Z", "2026-03-30T08:00:00Z", "2026-04-01T12:30:00Z", "2026-04-06T08:00:00Z",
      ])
    let third = try series.occurrences(from: Self.now, limit: 3)[2]
    #expect(third.name.text == "2026-03-23T10:00:00" && third.local.text == "2026-04-01T14:30:00")
    // Nobody comes in when it took place by the rule.
    func time(_ text: String) throws -> Date { try Date(text, strategy: .iso8601) }
    guard case .before(let next) = try series.phase(at: try time("2026-03-23T09:01:00Z")) else {
      Issue.record("open at the time that it was moved from")
      return
    }
    #expect(next.local.text == "2026-03-30T10:00:00")
    let phase = try series.phase(at: try time("2026-04-01T12:31:00Z"))
    #expect(phase == .open(third))

    // Behind all others it is the end of the series. Back again, it is where it was.
    try change(moved: ["2026-03-30T10:00/2026-05-01T10:00"])
    let end = try time("2026-05-01T09:00:00Z")
    #expect(try series.end() == end)
    try change(moved: ["2026-03-30T10:00/2026-03-30T10:00"])
    #expect(series.moved.isEmpty)

    // An occurrence that doesn't take place isn't moved, and another start knows no occurrence of the old one.
    try change(
      excluded: ["2026-03-23T10:00"], moved: ["2026-03-23T10:00/2026-03-24T10:00", "2026-03-30T10:00/2026-03-31T10:00"])
    #expect(series.moved.map(\.text) == ["2026-03-30T10:00:00/2026-03-31T10:00:00"])
    let kept = series
    for wrong in [
      "2026-03-24T10:00/2026-03-25T10:00", "2026-03-30T10:00", "2026-03-30T10:00/", "/2026-03-30T10:00", "x/y",
      "2026-03-30T10:00/2027-04-30T10:00", "2026-03-30T10:00/2026-03-31T10:00/2026-04-01T10:00",
    ] {
      #expect(throws: ScheduleProblem.self, "\(wrong)") { try change(moved: [wrong]) }
    }
    #expect(series == kept)
    try change(start: "2026-03-17T10:00")
    #expect(series.moved.isEmpty && series.excluded.isEmpty)
    // A meeting that takes place once is given another start instead.
    series = try schedule("2026-03-16T10:00", nil)
    #expect(throws: ScheduleProblem.self) { try change(moved: ["2026-03-16T10:00/2026-03-17T10:00"]) }
  }

  @Test("a yearly meeting keeps its day; one on 29 February comes in leap years only")
  func yearly() throws {
    let birthday = try schedule("2026-03-30T10:00", "FREQ=YEARLY;COUNT=3")
    #expect(try starts(birthday) == ["2026-03-30T08:00:00Z", "2027-03-30T08:00:00Z", "2028-03-30T08:00:00Z"])
    let second = try schedule("2026-12-31T10:00", "FREQ=YEARLY;INTERVAL=2;UNTIL=20301231")
    #expect(try starts(second) == ["2026-12-31T09:00:00Z", "2028-12-31T09:00:00Z", "2030-12-31T09:00:00Z"])
    let days = RecurrenceDays(
      try RecurrenceRule("FREQ=YEARLY"), from: try #require(CivilTime("2024-02-29T10:00")))
    #expect(days.prefix(3).map { CivilTime.date(of: $0).year } == [2024, 2028, 2032])
    #expect(try RecurrenceRule("FREQ=YEARLY;INTERVAL=4;COUNT=9").text == "FREQ=YEARLY;INTERVAL=4;COUNT=9")
    for text in ["FREQ=YEARLY;BYDAY=MO", "FREQ=YEARLY;BYMONTHDAY=1", "FREQ=YEARLY;BYMONTH=2", "FREQ=YEARLY;BYWEEKNO=3"]
    {
      #expect(throws: ScheduleProblem.self) { try RecurrenceRule(text) }
    }
  }

  @Test("a time the clocks skip uses the offset before, and of a repeated one the first")
  func gapsAndOverlaps() throws {
    let gap = try schedule("2026-03-28T02:30", "FREQ=DAILY;COUNT=3")
    #expect(try starts(gap) == ["2026-03-28T01:30:00Z", "2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"])
    let overlap = try schedule("2026-10-24T02:30", "FREQ=DAILY;COUNT=3")
    #expect(try starts(overlap) == ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
  }

  @Test(
    "rules give the days that RFC 5545 says",
    arguments: [
      ("2026-01-05T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=4", "05 08 19 22"),
      ("2026-01-31T09:00", "FREQ=MONTHLY;COUNT=3", "31 31 31"),
      ("2026-01-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=4", "31 28 31 30"),
      ("2026-01-13T09:00", "FREQ=MONTHLY;BYDAY=2TU;COUNT=3", "13 10 10"),
      ("2026-01-30T09:00", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", "30 27 27"),
      ("2026-01-01T09:00", "FREQ=MONTHLY;BYDAY=TH;COUNT=6", "01 08 15 22 29 05"),
      ("2026-01-02T09:00", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=4", "02 05 06 07"),
      ("2026-01-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=15,1;COUNT=4", "15 01 15 01"),
      ("2026-01-10T09:00", "FREQ=DAILY;INTERVAL=10;UNTIL=20260130T080000Z", "10 20 30"),
      ("2026-01-10T09:00", "FREQ=DAILY;INTERVAL=10;UNTIL=20260130T075959Z", "10 20"),
      ("2026-01-10T09:00", "FREQ=DAILY;INTERVAL=10;UNTIL=20260130", "10 20 30"),
    ])
  func rules(_ start: String, _ rule: String, _ days: String) throws {
    let found = try schedule(start, rule).occurrences(from: Self.now, limit: 100)
    #expect(found.map { String($0.local.text.prefix(10).suffix(2)) }.joined(separator: " ") == days)
  }

  @Test("occurrences that were taken out are counted and left out")
  func exceptions() throws {
    let series = try schedule("2026-01-05T09:00", "FREQ=DAILY;COUNT=3", except: ["2026-01-06T09:00"])
    #expect(try starts(series) == ["2026-01-05T08:00:00Z", "2026-01-07T08:00:00Z"])
    #expect(throws: ScheduleProblem.exception("2026-01-06T10:00:00")) {
      try schedule("2026-01-05T09:00", "FREQ=DAILY;COUNT=3", except: ["2026-01-06T10:00"])
    }
    #expect(throws: ScheduleProblem.nothingLeft) {
      try schedule("2026-01-05T09:00", nil, except: ["2026-01-05T09:00"])
    }
  }

  @Test(
    "rules that are not understood are refused, not guessed",
    arguments: [
      "", "FREQ=HOURLY", "FREQ=HOURLY", "WEEKLY", "FREQ=WEEKLY;FREQ=DAILY", "FREQ=WEEKLY;BYDAY=XX",
      "FREQ=WEEKLY;BYDAY=1MO", "FREQ=MONTHLY;BYDAY=6MO", "FREQ=MONTHLY;BYDAY=0MO", "FREQ=DAILY;COUNT=0",
      "FREQ=DAILY;COUNT=1001", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=2;UNTIL=20270101", "FREQ=DAILY;UNTIL=2027",
      "FREQ=DAILY;BYSETPOS=1", "FREQ=DAILY;BYHOUR=9", "FREQ=WEEKLY;BYMONTHDAY=1", "FREQ=MONTHLY;BYMONTHDAY=0",
      "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=WEEKLY;WKST=SU", "FREQ=WEEKLY;BYDAY=MO,MO", "FREQ=DAILY;COUNT=+1x",
      "FREQ=DAILY;", "FREQ=DAILY\r\nX-EVIL:1",
    ])
  func refused(_ text: String) { #expect(throws: ScheduleProblem.self) { try RecurrenceRule(text) } }

  @Test("limits hold: how far ahead, how long, how many")
  func limits() throws {
    #expect(throws: ScheduleProblem.start) { try schedule("2028-01-02T09:00", nil) }
    #expect(throws: ScheduleProblem.start) { try schedule("2024-12-30T09:00", nil) }
    #expect(throws: ScheduleProblem.duration) { try schedule("2026-01-02T09:00", nil, duration: 59) }
    #expect(throws: ScheduleProblem.duration) { try schedule("2026-01-02T09:00", nil, duration: 86_401) }
    #expect(throws: ScheduleProblem.end) { try schedule("2026-01-02T09:00", "FREQ=DAILY;UNTIL=20251231") }
    #expect(throws: ScheduleProblem.end) { try schedule("2026-01-02T09:00", "FREQ=DAILY;UNTIL=20370101") }
    #expect(throws: ScheduleProblem.startNotInRule) { try schedule("2026-01-02T09:00", "FREQ=WEEKLY;BYDAY=MO") }
    for zone in ["Nowhere/Land", "../etc/passwd", "/etc/passwd", "Europe/../../etc/passwd", "", "leapseconds"] {
      #expect(throws: ScheduleProblem.timeZone(zone)) { try schedule("2026-01-02T09:00", nil, zone: zone) }
    }
    let endless = try schedule("2026-01-05T09:00", "FREQ=DAILY")
    #expect(try endless.end() == nil)
    #expect(try endless.occurrences(from: Self.now, limit: 100_000).count == MeetingSchedule.maximumListed)
    // Ten years later it still goes on, and is found without going astray.
    let later = Date(timeIntervalSince1970: 1_767_225_600 + 10 * 365.25 * 86_400)
    #expect(try endless.occurrences(from: later, limit: 1).first?.local.text == "2036-01-02T09:00:00")
  }

  @Test("a meeting is open from before its start until after its end, and says the next")
  func phases() throws {
    let weekly = try schedule(
      "2026-01-05T09:00", "FREQ=WEEKLY;COUNT=2", zone: "UTC", doors: .init(opensBefore: 600, closesAfter: 1_800))
    func phase(_ text: String) throws -> String {
      let time = Date(timeIntervalSince1970: Double(try #require(CivilTime(text)).seconds))
      return switch try weekly.phase(at: time) {
      case .open(let occurrence): "open \(occurrence.local.text.prefix(10))"
      case .before(let occurrence): "before \(occurrence.local.text.prefix(10))"
      case .over: "over"
      case .cancelled: "cancelled"
      }
    }
    for (time, expected) in [
      ("2026-01-01T00:00", "before 2026-01-05"), ("2026-01-05T08:49:59", "before 2026-01-05"),
      ("2026-01-05T08:50", "open 2026-01-05"), ("2026-01-05T10:29:59", "open 2026-01-05"),
      ("2026-01-05T10:30:01", "before 2026-01-12"), ("2026-01-12T08:50", "open 2026-01-12"),
      ("2026-01-12T10:30:01", "over"),
    ] { #expect(try phase(time) == expected, "\(time)") }
    let open = try schedule("2026-01-05T09:00", nil, zone: "UTC", doors: .init(closesAfter: nil))
    guard case .open = try open.phase(at: Date(timeIntervalSince1970: 1_790_000_000)) else {
      Issue.record("a meeting whose doors never close is closed")
      return
    }
  }

  @Test("a change raises the sequence, reading doesn't, and a new start drops exceptions")
  func sequence() throws {
    var series = try schedule("2026-01-05T09:00", "FREQ=DAILY;COUNT=3", except: ["2026-01-06T09:00"])
    var request = ScheduleRequest()
    request.duration = 3_600
    try request.apply(to: &series, now: Self.now)
    #expect(series.sequence == 0)
    request.start = "2026-01-05T11:00"
    try request.apply(to: &series, now: Self.now)
    #expect(series.sequence == 1 && series.excluded.isEmpty)
    #expect(series.cancel(now: Self.now) && series.sequence == 2 && series.isCancelled)
    #expect(!series.cancel(now: Self.now) && series.sequence == 2)
    #expect(try series.occurrences(from: Self.now, limit: 9).isEmpty)
    let stored = try JSONEncoder().encode(series)
    #expect(try JSONDecoder().decode(MeetingSchedule.self, from: stored) == series)
  }
}
