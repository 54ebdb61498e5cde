"""Planned meetings, made on the command line, against other calendar libraries: the file is valid, and both find the
same occurrences."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import tempfile
import unittest
import zoneinfo

import icalendar
import recurring_ical_events
from dateutil import rrule

from server import BINARY

YEAR = dt.date.today().year + 1
ZONES = [
    "Europe/Berlin", "America/New_York", "Australia/Sydney", "Australia/Lord_Howe", "America/Nuuk", "Asia/Kolkata", "Africa/Casablanca",
    "America/Sao_Paulo", "Europe/Dublin", "Asia/Jerusalem", "UTC",
]
RULES = [
    None, "FREQ=DAILY;COUNT=300", "FREQ=DAILY;INTERVAL=3;COUNT=90", "FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=120", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;COUNT=60",
    f"FREQ=WEEKLY;UNTIL={YEAR}1215T000000Z", "FREQ=MONTHLY;COUNT=12", "FREQ=MONTHLY;BYMONTHDAY=31;COUNT=8", "FREQ=MONTHLY;BYMONTHDAY=-1,15;COUNT=20",
    "FREQ=MONTHLY;BYDAY=2TU;COUNT=12", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=12", "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=200",
    "FREQ=YEARLY;COUNT=3",
]
# In the night, so that some fall into the hours that are passed over or come twice.
TIMES = ["02:30", "10:00", "23:45"]


def utc(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00"))


class Calendar(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="parley-calendar-")
        self.addCleanup(self.folder.cleanup)

    def run_parley(self, *words: str, status: int = 0) -> str:
        done = subprocess.run([str(BINARY), *words, "--data", self.folder.name], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, status, f"{words}: {done.stderr}")
        return done.stdout

    def first(self, rule: str | None, time: str) -> str:
        """The first start that the rule names, in February, before clocks change anywhere."""
        start = dt.datetime.fromisoformat(f"{YEAR}-02-01T{time}")
        if rule:
            bare = ";".join(part for part in rule.split(";") if not part.startswith(("COUNT", "UNTIL")))
            start = rrule.rrulestr(bare, dtstart=start)[0]
        return start.isoformat()

    def test_occurrences_are_those_another_library_reads_over_every_change_of_clocks(self) -> None:
        compared = 0
        for index, rule in enumerate(RULES):
            # Every rule in four zones, every zone with four rules.
            for zone in [ZONES[(index * 4 + step) % len(ZONES)] for step in range(4)]:
                time = TIMES[compared % len(TIMES)]
                start = self.first(rule, time)
                room = f"r{index}-{compared}"
                words = ["meeting", "schedule", room, "--start", start, "--zone", zone, "--duration", "90m", "--subject", "A, b; c\\d", "--json"]
                if rule:
                    words += ["--repeat", rule]
                self.run_parley(*words)
                if rule and "COUNT" in rule:
                    second = json.loads(self.run_parley("meeting", "occurrences", room, "--json").splitlines()[1])
                    self.run_parley("meeting", "change", room, "--except", second["local"], "--json")
                ours = [json.loads(line) for line in self.run_parley("meeting", "occurrences", room, "--limit", "366", "--json").splitlines()]
                text = self.run_parley("meeting", "calendar", room, "--server", "https://meet.example.com")
                calendar = icalendar.Calendar.from_ical(text)
                events = recurring_ical_events.of(calendar).between(dt.datetime(YEAR, 1, 1), dt.datetime(YEAR + 3, 1, 1))
                theirs = sorted(event.start.astimezone(dt.timezone.utc) for event in events)
                with self.subTest(rule=rule, zone=zone, time=time):
                    self.assertEqual([utc(one["start"]) for one in ours], theirs)
                    # Ninety minutes are as long in a night with a change of clocks (RFC 5545 section 3.3.6); the
                    # library adds them to the clock.
                    self.assertEqual({utc(one["end"]) - utc(one["start"]) for one in ours}, {dt.timedelta(minutes=90)})
                    self.check_file(calendar, text, zone)
                compared += 1
        self.assertEqual(compared, len(RULES) * 4)

    def check_file(self, calendar: icalendar.Calendar, text: str, zone: str) -> None:
        self.assertEqual([error for component in calendar.walk() for error in component.errors], [])
        event, = calendar.events
        self.assertEqual(str(event["SUMMARY"]), "A, b; c\\d")
        self.assertTrue(str(event["URL"]).startswith("https://meet.example.com/r"))
        self.assertTrue(all(len(line.encode()) <= 75 for line in text.splitlines()))
        if zone == "UTC":
            self.assertEqual(calendar.timezones, [])
            return
        # The zone as the file itself describes it, not as the library knows it by its name.
        described, = calendar.timezones
        self.assertEqual(described.tz_name, zone)
        own = described.to_tz(lookup_tzid=False)
        known = zoneinfo.ZoneInfo(zone)
        last = max([dt.datetime(YEAR, 12, 1)] + [e.start.replace(tzinfo=None) for e in recurring_ical_events.of(calendar).between(dt.datetime(YEAR, 1, 1), dt.datetime(YEAR + 3, 1, 1))])
        moment = event.start.replace(tzinfo=None)
        end = last if event.get("RRULE") else moment
        while moment <= end:
            self.assertEqual(moment.replace(tzinfo=own).utcoffset(), moment.replace(tzinfo=known).utcoffset(), f"{zone} {moment}")
            moment += dt.timedelta(hours=30)

    def test_occurrences_that_were_moved_are_read_so_by_another_library(self) -> None:
        for zone in ("Europe/Berlin", "UTC", "America/New_York"):
            room = zone.replace("/", "-")
            start = dt.datetime.fromisoformat(self.first("FREQ=WEEKLY;BYDAY=MO", "10:00"))
            week = [(start + dt.timedelta(weeks=number)).isoformat() for number in range(12)]
            self.run_parley("meeting", "schedule", room, "--start", week[0], "--zone", zone, "--repeat", "FREQ=WEEKLY;COUNT=12", "--json")
            # Before the first and behind the last, over a change of clocks, and past its neighbours.
            moves = {week[0]: start - dt.timedelta(days=3), week[5]: start + dt.timedelta(weeks=7, days=1, hours=4), week[11]: start + dt.timedelta(weeks=20)}
            words = [word for name, to in moves.items() for word in ("--move", f"{name}/{to.isoformat()}")]
            changed = json.loads(self.run_parley("meeting", "change", room, *words, "--except", week[2], "--json"))
            self.assertEqual(changed["schedule"]["moved"], [f"{name}/{to.isoformat()}" for name, to in moves.items()])
            ours = [json.loads(line) for line in self.run_parley("meeting", "occurrences", room, "--json").splitlines()]
            self.assertEqual({one["name"]: one["local"] for one in ours if one["name"] != one["local"]}, {name: to.isoformat() for name, to in moves.items()})
            text = self.run_parley("meeting", "calendar", room, "--server", "https://meet.example.com")
            calendar = icalendar.Calendar.from_ical(text)
            self.assertEqual([error for component in calendar.walk() for error in component.errors], [])
            events = recurring_ical_events.of(calendar).between(dt.datetime(YEAR, 1, 1), dt.datetime(YEAR + 2, 1, 1))
            with self.subTest(zone=zone):
                self.assertEqual([utc(one["start"]) for one in ours], sorted(event.start.astimezone(dt.timezone.utc) for event in events))
                series, *moved = calendar.events
                self.assertEqual({str(event["UID"]) for event in moved}, {str(series["UID"])})
                self.assertEqual({event["SEQUENCE"] for event in moved}, {series["SEQUENCE"]})
                self.assertEqual([event["RECURRENCE-ID"].dt.replace(tzinfo=None).isoformat() for event in moved], list(moves))
                self.assertEqual(text.count("RRULE:FREQ=WEEKLY;COUNT=12"), 1)
            self.run_parley("meeting", "change", room, "--move", "none", "--except", "none", "--json")
            again = [json.loads(line)["local"] for line in self.run_parley("meeting", "occurrences", room, "--json").splitlines()]
            self.assertEqual(again, week)
            self.run_parley("meeting", "change", room, "--move", f"{week[0][:-8]}23:00/{week[1]}", "--json", status=2)

    def test_an_invitation_is_changed_and_called_off_under_one_name_with_a_rising_sequence(self) -> None:
        self.run_parley(
            "meeting", "schedule", "team", "--start", f"{YEAR}-03-01T10:00", "--zone", "Europe/Berlin", "--organizer", "Ann Lee <ann@example.com>",
            "--invite", "Bob <bob@example.com>", "--invite", "cem@example.com", "--json")

        def event() -> tuple[str, icalendar.Event]:
            calendar = icalendar.Calendar.from_ical(self.run_parley("meeting", "calendar", "team", "--server", "https://meet.example.com"))
            return str(calendar["METHOD"]), calendar.events[0]

        method, first = event()
        self.assertEqual((method, int(first["SEQUENCE"]), str(first["STATUS"])), ("REQUEST", 0, "CONFIRMED"))
        self.assertEqual([str(person) for person in first.attendees], ["mailto:bob@example.com", "mailto:cem@example.com"])
        self.assertEqual(first["ORGANIZER"].params["CN"], "Ann Lee")
        self.run_parley("meeting", "change", "team", "--start", f"{YEAR}-03-02T11:00", "--json")
        method, second = event()
        self.assertEqual((method, int(second["SEQUENCE"]), second["UID"]), ("REQUEST", 1, first["UID"]))
        self.assertEqual(second.start.isoformat(), f"{YEAR}-03-02T11:00:00+01:00")
        self.run_parley("meeting", "cancel", "team", "--json")
        method, third = event()
        self.assertEqual((method, int(third["SEQUENCE"]), str(third["STATUS"]), third["UID"]), ("CANCEL", 2, "CANCELLED", first["UID"]))
        self.assertNotIn("mailto:", self.run_parley("meeting", "calendar", "team", "--server", "https://meet.example.com", "--public"))

    def test_the_command_line_refuses_what_cannot_be_and_says_what_can(self) -> None:
        self.run_parley("meeting", "create", "plain", "--json")
        for words, text in [
            (["meeting", "schedule", "x"], "2026-11-23T10:00"), (["meeting", "schedule", "x", "--start", "tomorrow"], "2026-11-23T10:00"),
            (["meeting", "schedule", "x", "--start", f"{YEAR}-03-01T10:00", "--zone", "Mars/Base"], "Europe/Berlin"),
            (["meeting", "schedule", "x", "--start", f"{YEAR}-03-01T10:00", "--repeat", "FREQ=HOURLY"], "DAILY"),
            (["meeting", "schedule", "x", "--start", f"{YEAR}-03-01T10:00", "--invite", "bob"], "e-mail"),
        ]:
            done = subprocess.run([str(BINARY), *words, "--data", self.folder.name], capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 2, f"{words}: {done.stdout}")
            self.assertIn(text, done.stderr)
        self.assertIn("no schedule", subprocess.run(
            [str(BINARY), "meeting", "cancel", "plain", "--data", self.folder.name], capture_output=True, text=True, timeout=60).stderr)


if __name__ == "__main__":
    unittest.main()
