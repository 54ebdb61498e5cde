import FoundationEssentials

/// A scheduled meeting as an iCalendar file (RFC 5545), to be opened in a calendar or sent as an invitation (RFC 5546).
public struct CalendarFile: Sendable {
  /// What is told of the people of a meeting.
  public enum Readers: Sendable {
    /// Whoever has the meeting's address: nobody's e-mail address.
    case anybody
    /// The organizer of a meeting: everybody's.
    case hosts
  }

  private let meeting: MeetingRecord
  private let schedule: MeetingSchedule
  private let addresses: MeetingAddresses
  private let tenant: Tenant
  private let readers: Readers

  /// The type that the file is served as.
  public var contentType: String { "text/calendar; charset=utf-8; method=\(method)" }

  /// The file of a meeting; nil when it is not scheduled.
  public init?(_ meeting: MeetingRecord, tenant: Tenant, addresses: MeetingAddresses, readers: Readers) {
    guard let schedule = meeting.schedule else { return nil }
    self.meeting = meeting
    self.schedule = schedule
    self.addresses = addresses
    self.tenant = tenant
    self.readers = readers
  }

  /// An invitation and a cancellation name who is invited; without that the file only tells.
  private var method: String {
    guard readers == .hosts, !schedule.attendees.isEmpty else { return schedule.isCancelled ? "CANCEL" : "PUBLISH" }
    return schedule.isCancelled ? "CANCEL" : "REQUEST"
  }

  public func bytes() throws(ScheduleProblem) -> [UInt8] {
    let rules = try TimeZoneRules(schedule.zone)
    var text = CalendarText()
    text.add("BEGIN", "VCALENDAR")
    text.add("VERSION", "2.0")
    text.add("PRODID", "-//Parley//Meetings//EN")
    text.add("CALSCALE", "GREGORIAN")
    text.add("METHOD", method)
    let first = rules.time(of: schedule.start)
    if schedule.zone != "UTC" {
      var whole = schedule
      whole.excluded = []
      let end = try whole.end().map { Int($0.timeIntervalSince1970) } ?? first + CalendarZone.horizon
      let moved = schedule.moved.map { rules.time(of: $0.to) }
      let begin = min(first, moved.min() ?? first)
      CalendarZone(rules: rules, span: begin...max(first, end, moved.max() ?? first)).write(to: &text)
    }
    event(nil, &text)
    for move in schedule.moved { event(move, &text) }
    text.add("END", "VCALENDAR")
    return text.bytes
  }

  /// The series, or one of its occurrences at another time.
  private func event(_ move: MovedOccurrence?, _ text: inout CalendarText) {
    let changed = CalendarText.utc(Int(schedule.changed.timeIntervalSince1970))
    text.add("BEGIN", "VEVENT")
    text.add("UID", text: schedule.uid)
    text.add("DTSTAMP", changed)
    text.add("LAST-MODIFIED", changed)
    text.add("CREATED", CalendarText.utc(Int(meeting.created.timeIntervalSince1970)))
    text.add("SEQUENCE", "\(schedule.sequence)")
    if let move { time("RECURRENCE-ID", move.from, &text) }
    time("DTSTART", move?.to ?? schedule.start, &text)
    // Its length is the same on days with a change of clocks, where the end on the clock is not start plus length.
    text.add("DURATION", Self.duration(schedule.duration))
    if let rule = schedule.rule, move == nil {
      text.add("RRULE", rule.text)
      for local in schedule.excluded { time("EXDATE", local, &text) }
    }
    text.add("SUMMARY", text: meeting.subject)
    text.add("DESCRIPTION", text: (meeting.summary.isEmpty ? "" : meeting.summary + "\n\n") + "Join: " + addresses.join)
    text.add("LOCATION", text: addresses.join)
    text.add("URL", addresses.join)
    text.add(
      "CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO;LABEL=\(CalendarText.parameter(meeting.subject))", addresses.join)
    people(&text)
    text.add("STATUS", schedule.isCancelled ? "CANCELLED" : "CONFIRMED")
    text.add("TRANSP", "OPAQUE")
    text.add("END", "VEVENT")
  }

  private func time(_ name: String, _ local: CivilTime, _ text: inout CalendarText) {
    if schedule.zone == "UTC" {
      text.add(name, local.calendarText + "Z")
    } else {
      text.add("\(name);TZID=\(schedule.zone)", local.calendarText)
    }
  }

  private func people(_ text: inout CalendarText) {
    guard readers == .hosts else {
      text.add("ORGANIZER;CN=\(CalendarText.parameter(tenant.name))", addresses.organizer)
      return
    }
    if let organizer = schedule.organizer {
      text.add(
        "ORGANIZER;CN=\(CalendarText.parameter(organizer.name ?? organizer.address))", "mailto:\(organizer.address)")
    } else {
      text.add("ORGANIZER;CN=\(CalendarText.parameter(tenant.name))", addresses.organizer)
    }
    for person in schedule.attendees {
      let name = CalendarText.parameter(person.name ?? person.address)
      text.add(
        "ATTENDEE;CN=\(name);CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE",
        "mailto:\(person.address)")
    }
  }

  /// A length as hours, minutes and seconds.
  private static func duration(_ seconds: Int) -> String {
    let parts = [(seconds / 3_600, "H"), (seconds / 60 % 60, "M"), (seconds % 60, "S")]
    return "PT" + parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
  }
}
