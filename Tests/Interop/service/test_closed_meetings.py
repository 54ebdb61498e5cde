"""The page in front of a meeting that is closed to it: full, over, gone with the server, and hosts who come and go
during the wait."""

from __future__ import annotations

import re
import tempfile
import unittest

from browser import Person, wait_for
from client import Client
from command import run
from keyboard import KeyboardTest
from server import Server

LOBBY = "The hosts of the meeting see that you are here, and can let you in. You can stay on this page."


class ClosedMeetings(KeyboardTest):
    OPTIONS = ("--development",)

    def said(self, person: Person, pattern: str) -> None:
        """Waits until the page reports something to its person."""
        status = person.page.get_by_role("status").first
        wait_for(f"{person.name} to be told {pattern!r}", lambda: re.fullmatch(pattern, text := status.inner_text()) or f"no: {text}")

    def test_who_finds_the_meeting_full_tries_again_on_that_page_until_somebody_has_left(self) -> None:
        run(self.server, "meeting", "create", "small", "--capacity", "2", "--subject", "Two of us")
        cem, _ = (self.enterContext(Client(self.server.url, "small", name)).joined() for name in ("Cem", "Dan"))
        ben, keys = self.someone("Ben")
        # As people come: by the page before joining.
        ben.page.goto(f"{self.server.url}/small")
        keys.at("textbox Your name")
        keys.type("Ben").press("Enter")
        self.heading(ben, "The meeting is full")
        keys.at("heading The meeting is full")
        self.assertEqual(ben.page.title(), "The meeting is full · Two of us · Parley")
        self.assertEqual(ben.page.locator(".eyebrow").inner_text(), "Two of us")
        self.assertEqual(keys.nameless(), [])
        keys.walk("button Try again", "link Start page")
        keys.walk("button Try again", key="Shift+Tab")
        # On a small phone, and on a laptop that shows everything twice as large, what one can do is seen at once.
        for width, height in ((320, 568), (640, 400)):
            ben.page.set_viewport_size({"width": width, "height": height})
            boxes = [ben.page.get_by_text(text, exact=True).bounding_box() for text in ("The meeting is full", "Try again", "Start page")]
            self.assertTrue(all(box["y"] >= 0 and box["x"] >= 0 and box["y"] + box["height"] <= height and box["x"] + box["width"] <= width
                                for box in boxes), boxes)
        # In vain: the page says so each time, and the button keeps the focus.
        keys.press("Enter")
        self.said(ben, r"Still full at \d\d:\d\d:\d\d\.")
        keys.at("button Try again")
        ben.page.evaluate("""() => {
          window.told = [];
          const status = document.querySelector("[role=status]");
          new MutationObserver(() => told.push(status.textContent.replace(/\\d/g, "0"))).observe(status, { childList: true });
        }""")
        keys.press("Enter")
        wait_for("a word at each step", lambda: (now := ben.evaluate("() => told")) == ["Trying again…", "Still full at 00:00:00."] or f"no: {now}")
        cem.expect("participantJoined")
        self.assertEqual([each["participant"]["name"] for each in cem.all("participantJoined")], ["Dan"])
        cem.leave()
        keys.press("Enter")
        self.connected(ben)
        self.assertEqual((ben.names(), ben.page.title()), (["Dan"], "Two of us · Parley"))

    def test_everybody_who_waits_can_be_reached_in_a_low_window_whatever_their_names(self) -> None:
        run(self.server, "meeting", "create", "low", "--access-level", "Locked")
        ann, _ = self.someone("Ann")
        ann.page.set_viewport_size({"width": 640, "height": 400})
        self.enter(ann, "low", self.token("low", "organizer"))
        self.connected(ann)
        names = ["Bartholomew Maximilian von Hohenlohe-Schillingsfürst-Waldenb", "عبد الرحمن بن محمد الأنصاري القرطبي", "🎉 Özdemir", "x" * 60]
        guests = [self.enterContext(Client(self.server.url, "low", name)) for name in names]
        for guest in guests:
            guest.expect("waiting", reason="lobby")
        ann.page.keyboard.press("p")
        wait_for("all in the list", lambda: ann.page.locator(".lobby-list .person").count() == 4)
        for width, height in ((640, 400), (320, 568), (390, 760)):
            ann.page.set_viewport_size({"width": width, "height": height})
            # Each is scrolled to, and is what a finger would touch there. A message that is shown for a moment lies
            # over the end of the panel, until it is gone.
            wait_for(f"everything to be reached at {width} by {height}", lambda: not (hidden := ann.page.evaluate(
                """() => [...document.querySelectorAll(".lobby-list .button, .people-list .person")].filter((each) => {
                  each.scrollIntoView({ block: "nearest" });
                  const { left, right, top, bottom } = each.getBoundingClientRect();
                  const touched = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
                  return left < 0 || right > innerWidth || top < 0 || bottom > innerHeight || !each.contains(touched);
                }).map((each) => each.ariaLabel ?? each.textContent)""")) or f"no: {hidden} is hidden")
        ann.page.evaluate("() => parley.admitAll()")
        for guest in guests:
            guest.joined()

    def test_a_passcode_is_not_asked_for_again_where_the_meeting_was_full(self) -> None:
        run(self.server, "meeting", "create", "tight", "--capacity", "1", "--passcode", "blue 42")
        cem = self.enterContext(Client(self.server.url, "tight", "Cem", "--passcode", "blue 42")).joined()
        ben, keys = self.someone("Ben")
        self.enter(ben, "tight")
        keys.at("textbox Passcode")
        self.assertEqual(ben.page.title(), "Passcode · tight · Parley")
        keys.type("blue 42").press("Enter")
        self.heading(ben, "The meeting is full")
        cem.leave()
        keys.go("button Try again", 3)
        keys.press("Enter")
        self.connected(ben)

    def test_who_waits_hears_that_the_meeting_is_over_and_so_does_a_program(self) -> None:
        run(self.server, "meeting", "create", "ends", "--access-level", "Locked", "--subject", "Short")
        ann, _ = self.someone("Ann")
        self.enter(ann, "ends", self.token("ends", "organizer"))
        self.connected(ann)
        ben, keys = self.someone("Ben")
        self.enter(ben, "ends")
        self.heading(ben, "Waiting to be let in")
        self.said(ben, re.escape(LOBBY))
        ben.page.evaluate("""async () => {
          const { Meeting } = await import("/sdk/parley.js");
          const other = new Meeting({ url: "/ends", name: "Program" });
          window.program = new Promise((done) => { other.addEventListener("waiting", ({ detail }) => done(detail), { once: true }); });
          window.outcome = other.join().then(() => "in", ({ code }) => code);
        }""")
        self.assertEqual(ben.page.evaluate("() => window.program"), {"reason": "lobby", "lost": False})
        ann.page.evaluate("() => parley.hosting.endForAll()")
        self.heading(ben, "The meeting is over")
        keys.at("heading The meeting is over")
        self.assertEqual(ben.page.title(), "The meeting is over · Short · Parley")
        keys.walk("link Start page")
        self.assertEqual(ben.page.evaluate("() => window.outcome"), "endedByHost")

    def test_a_program_that_leaves_while_it_waits_is_told_that_it_was_cancelled(self) -> None:
        run(self.server, "meeting", "create", "left", "--access-level", "Locked")
        ben, _ = self.someone("Ben")
        ben.page.goto(self.server.url)
        self.assertEqual(ben.page.evaluate("""async () => {
          const { Meeting } = await import("/sdk/parley.js");
          const meeting = new Meeting({ url: "/left", name: "Program" });
          meeting.addEventListener("waiting", () => meeting.leave(), { once: true });
          return meeting.join().then(() => "in", ({ code }) => code);
        }"""), "cancelled")

    def test_a_host_who_is_made_a_guest_again_sees_nothing_more_of_the_lobby(self) -> None:
        run(self.server, "meeting", "create", "hosts", "--access-level", "Locked")
        ann, ben = (self.someone(name)[0] for name in ("Ann", "Ben"))
        self.enter(ann, "hosts", self.token("hosts", "organizer"))
        self.connected(ann)
        self.enter(ben, "hosts", self.token("hosts", "moderator"))
        self.connected(ben)
        dan, _ = self.someone("Dan")
        self.enter(dan, "hosts")
        self.heading(dan, "Waiting to be let in")
        wait_for("the notice at Ben's", lambda: ben.page.locator(".knock").is_visible())
        ben.page.keyboard.press("p")
        lock = ben.page.get_by_role("button", name="Lock the meeting")
        self.assertTrue(lock.is_visible())
        wait_for("Ben at Ann's", lambda: ann.names() == ["Ben"])
        ann.page.evaluate("() => parley.hosting.setRole([...parley.participants.values()][0], 'guest')")
        wait_for("nothing of the lobby at Ben's", lambda: ben.evaluate("() => parley.lobby") is None and not lock.is_visible()
                 and ben.page.locator(".lobby-list .person").count() == 0 and ben.page.get_by_text("Dan").count() == 0)
        ann.page.evaluate("() => parley.hosting.setRole([...parley.participants.values()][0], 'presenter')")
        wait_for("the lobby at Ben's again", lambda: ben.evaluate("() => parley.lobby?.waiting[0]?.name") == "Dan")

        # The first host goes, and so does the second: Dan waits on, and whichever host comes lets him in.
        for host in (ann, ben):
            host.page.evaluate("() => parley.leave()")
            self.heading(host, "You left the meeting")
        self.assertEqual(dan.state(), "waiting")
        self.heading(dan, "Waiting to be let in")
        self.enter(ann, "hosts", self.token("hosts", "organizer"))
        self.connected(ann)
        ann.page.keyboard.press("p")
        ann.page.get_by_role("button", name="Admit Dan").press("Enter")
        self.connected(dan)


class Restarts(KeyboardTest):
    """The view of somebody who waits when the server ends, is killed, and comes back."""

    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="parley-closed-"))
        self.own = Server(data=self.folder).__enter__()
        self.addCleanup(lambda: (self.own.process.kill(), self.own.process.wait()))
        run(self.own, "meeting", "create", "board", "--access-level", "Locked")
        self.ben, self.keys = self.someone("Ben")
        self.ben.page.goto(f'{self.own.url}/board#config.prejoinPageEnabled=false&userInfo.displayName="Ben"')
        self.heading(self.ben, "Waiting to be let in")

    def again(self) -> None:
        """The server comes back where it was."""
        self.own = Server(data=self.folder, port=self.own.port).__enter__()

    def status(self, text: str) -> None:
        status = self.ben.page.get_by_role("status").first
        wait_for(f"Ben to be told {text!r}", lambda: text in (now := status.inner_text()) or f"no: {now}", 30)

    def test_a_server_that_ends_says_so_and_the_same_page_leads_back_when_it_is_there_again(self) -> None:
        self.own.stop()
        self.heading(self.ben, "The server is closing")
        self.own.process.wait(15)
        self.keys.walk("button Try again", "link Start page")
        self.keys.press("Shift+Tab", "Enter")
        self.heading(self.ben, "The server does not answer")
        self.keys.walk("button Try again")
        self.keys.press("Enter")
        self.status("Still no answer at ")
        self.again()
        self.keys.press("Enter")
        self.heading(self.ben, "Waiting to be let in")

    def test_who_waits_while_the_server_is_killed_is_told_and_waits_again(self) -> None:
        self.own.process.kill()
        self.status("The connection was lost.")
        self.own.process.wait()
        self.again()
        self.status(LOBBY)
        [made] = run(self.own, "token", "create", "--room", "board", "--role", "organizer")
        with Client(self.own.url, f"board?jwt={made['token']}", "Host") as host:
            host.expect("knocked", name="Ben")
            host.command("admitAll")
            self.connected(self.ben)


if __name__ == "__main__":
    unittest.main()
