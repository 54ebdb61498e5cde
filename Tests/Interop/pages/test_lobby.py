"""The lobby in the page: a host and a guest, in two real browsers, by keyboard."""

from __future__ import annotations

import datetime as dt
import unittest

from browser import Person, shared_driver, wait_for
from client import Client
from command import run
from proxy import CuttableProxy
from server import Server


class Lobby(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())
        run(cls.server, "meeting", "create", "board", "--subject", "The board", "--access-level", "Locked")
        run(cls.server, "meeting", "create", "closed", "--passcode", "blue 42", "--subject", "The circle")
        [made] = run(cls.server, "token", "create", "--room", "board", "--role", "moderator")
        cls.token = made["token"]

    def person(self, name: str) -> Person:
        return self.enterContext(Person(self.driver, name))

    def heading(self, person: Person, text: str) -> None:
        def seen() -> object:
            found = person.page.locator("h1").first
            return found.count() == 1 and (found.inner_text() == text or f"no: {found.inner_text()} {person.console[-3:]}")
        wait_for(f"{person.name}'s page to say {text!r}", seen)

    def enter(self, person: Person, room: str) -> None:
        person.page.goto("about:blank")
        person.page.goto(f'{self.server.url}/{room}#config.prejoinPageEnabled=false&userInfo.displayName="{person.name}"')

    def press(self, person: Person, label: str) -> None:
        """Presses a button as somebody without a mouse does."""
        button = person.page.get_by_role("button", name=label, exact=True).first
        button.focus()
        # A click right after another person has moved under the pointer is not taken.
        person.page.wait_for_timeout(600)
        button.press("Enter")

    def test_a_guest_is_denied_then_let_in_two_at_once_and_the_lock_and_the_passcode_are_told(self) -> None:
        ann = self.person("Ann").join(self.server.url, f"board?jwt={self.token}")
        ben = self.person("Ben")
        self.enter(ben, "board")
        self.heading(ben, "Waiting to be let in")
        self.assertEqual(ben.evaluate("() => document.activeElement.tagName"), "H1")
        self.assertEqual(ben.evaluate(
            "() => [window.parley.state, window.parley.participants.size, window.parley.info, window.parley.mediaConnected, window.parley.lobby]"),
            ["waiting", 0, None, False, None])
        self.assertEqual(ben.page.title(), "Waiting · The board · Parley")
        self.assertEqual(ben.page.locator(".eyebrow").inner_text(), "The board")
        self.assertNotIn("Ann", ben.page.locator("body").inner_text())

        # The notice over the stage, and its text for screen readers.
        wait_for("the notice", lambda: ann.page.get_by_text("Ben wants to join").first.is_visible())
        self.assertEqual(ann.names(), [])
        self.press(ann, "Deny Ben")
        self.heading(ben, "You were not let in")
        wait_for("the notice to go", lambda: not ann.page.locator(".knock").is_visible())
        self.assertIn("People", ann.evaluate("() => document.activeElement.getAttribute('aria-label')"))

        # Again, and now from the list in the panel.
        self.press(ben, "Try again")
        self.heading(ben, "Waiting to be let in")
        wait_for("the notice again", lambda: ann.page.locator(".knock").is_visible())
        ann.page.keyboard.press("p")
        row = ann.page.locator(".lobby-list .person")
        wait_for("Ben in the list", lambda: row.count() == 1 and "Ben" in row.inner_text())
        row.get_by_role("button", name="Admit Ben").press("Enter")
        wait_for("Ben to be in", lambda: ben.state() == "connected" or f"no: {ben.state()}")
        wait_for("both to see each other", lambda: (ann.names(), ben.names()) == (["Ben"], ["Ann"]))
        ann.says("Ben joined")
        self.assertIsNone(ben.evaluate("() => window.parley.lobby"))
        self.assertFalse(ben.page.locator(".lobby").is_visible())
        self.answers(ann, ben)

        self.press(ann, "Lock the meeting")
        wait_for("the lock", lambda: ann.evaluate("() => window.parley.lobby.locked"))
        self.enter(ben, "board")
        self.heading(ben, "The meeting is locked")

        # Two wait, and go in together.
        self.press(ann, "Unlock the meeting")
        wait_for("no lock", lambda: not ann.evaluate("() => window.parley.lobby.locked"))
        cem = self.person("Cem")
        for person in (ben, cem):
            self.enter(person, "board")
            self.heading(person, "Waiting to be let in")
        wait_for("both in the list", lambda: row.count() == 2)
        self.press(ann, "Admit all")
        self.together(ann, ben, cem)

        self.enter(ben, "closed")
        self.heading(ben, "This meeting has a passcode")
        self.assertEqual(ben.page.locator(".eyebrow").inner_text(), "The circle")
        ben.page.keyboard.type("blue 43")
        ben.page.keyboard.press("Enter")
        wait_for("the alert", lambda: ben.page.get_by_role("alert").filter(has_text="not the meeting's passcode").count() == 1)
        self.assertEqual(ben.evaluate("() => document.activeElement.id"), "passcode")
        ben.page.keyboard.type("blue 42")
        ben.page.keyboard.press("Enter")
        wait_for("Ben to be in", lambda: ben.state() == "connected" or f"no: {ben.state()} {ben.console[-3:]}")
        self.assertNotIn("blue", "\n".join(self.server.lines))

    def answers(self, host: Person, guest: Person) -> None:
        """A host's request has an answer of its own, and a participant without the permission is refused with it."""
        host.evaluate("async () => { await parley.lock(); await parley.unlock(); await parley.admitAll(); await parley.deny('p_nobody'); }")
        guest.evaluate("() => { window.problems = []; parley.addEventListener('error', ({ detail }) => problems.push(detail.error.code)); }")
        for call in ("lock()", "unlock()", "admitAll()", "admit('p_x')", "deny('p_x')"):
            self.assertEqual(guest.evaluate(f"() => parley.{call}.then(() => null, (error) => error.code)"), "notAllowed", call)
        self.assertEqual(guest.evaluate("() => window.problems"), [])

    def together(self, ann: Person, ben: Person, cem: Person) -> None:
        """Three in a meeting: all are muted except one, and what two choose in a poll all three see."""
        three = (ann, ben, cem)
        for person in three:
            wait_for(f"the others at {person.name}'s", lambda: sorted([*person.names(), person.name]) == ["Ann", "Ben", "Cem"]
                     or f"no: {person.names()} {person.state()} {person.console[-3:]}")
        self.press(ann, "More for Cem")
        ann.page.get_by_role("menuitem", name="Mute everyone else").press("Enter")
        dialog = ann.page.get_by_role("dialog", name="Mute everyone else?")
        self.assertEqual([dialog.get_by_role("checkbox", name=name).is_checked() for name in ("Ben", "Cem")], [False, True])
        dialog.get_by_role("checkbox", name="Also people who come later").press("Space")
        dialog.get_by_role("button", name="Mute everyone").press("Enter")
        wait_for("Ben to be told", lambda: ben.page.get_by_text("A host has muted you").count() > 0)
        dan = self.enterContext(Client(self.server.url, "board", "Dan", "--publish", "testsrc"))
        wait_for("Dan in the list", lambda: ann.page.locator(".lobby-list .person").count() == 1)
        self.press(ann, "Admit Dan")
        dan.joined()
        microphones = "() => [window.parley.localParticipant, ...window.parley.participants.values()].map((each) => [each.name, each.microphoneOn]).sort()"
        for person in three:
            wait_for(f"who is muted at {person.name}'s", lambda: (seen := dict(person.evaluate(microphones)))
                     == {"Ann": True, "Ben": False, "Cem": True, "Dan": False} or f"no: {seen}")
        dan.leave()
        wait_for("Dan to be gone", lambda: ann.names() == ["Ben", "Cem"])

        ann.evaluate("() => window.parley.hosting.createPoll({ question: 'Cake?', options: ['Yes', 'No'] })")
        for person in three:
            wait_for(f"the poll at {person.name}'s", lambda: person.evaluate("() => window.parley.hosting.polls.length") == 1)
            self.press(person, "More")
            person.page.get_by_role("menuitem", name="Polls").press("Enter")
            person.page.get_by_role("group", name="Cake?").wait_for()
        for person, answer in ((ben, "Yes"), (cem, "No")):
            person.page.get_by_role("radio", name=answer).press("Space")
        for person in three:
            counts = person.page.locator(".poll-count")
            wait_for(f"two votes at {person.name}'s", lambda: (seen := counts.all_inner_texts()) == ["1", "1"] or f"no: {seen}")
            self.assertIn("2 people have voted.", person.page.get_by_role("group", name="Cake?").inner_text())

    def test_who_comes_minutes_too_early_waits_for_the_time_of_the_meeting(self) -> None:
        start = dt.datetime.now(dt.timezone.utc) + dt.timedelta(minutes=14)
        run(self.server, "meeting", "schedule", "soon", "--start", f"{start:%Y-%m-%dT%H:%M}", "--zone", "UTC", "--subject", "Soon")
        ben = self.person("Ben")
        self.enter(ben, "soon")
        self.heading(ben, "Waiting for the meeting to begin")
        self.assertEqual(ben.evaluate("() => [parley.waiting, parley.subject]"), ["start", "Soon"])
        [made] = run(self.server, "token", "create", "--room", "soon", "--role", "organizer")
        with Client(self.server.url, f"soon?jwt={made['token']}", "Host") as host:
            host.joined()
            wait_for("Ben to be in", lambda: ben.state() == "connected" or f"no: {ben.state()} {ben.console[-3:]}")

    def test_what_is_said_of_a_slot_before_its_picture_is_known_holds_for_the_picture(self) -> None:
        ann = self.person("Ann").join(self.server.url, "paused")
        ben = self.person("Ben").join(self.server.url, "paused")
        script = """async () => {
          const [ben] = [...parley.participants.values()];
          const publication = ben?.publication("camera");
          if (!publication?.track) { return null; }
          const told = [];
          for (const type of ["trackSubscribed", "trackPaused", "trackResumed"]) {
            parley.addEventListener(type, ({ detail }) => { if (detail.publication.id === publication.id) { told.push([type, detail.reason ?? null, detail.publication.paused]); } });
          }
          const { id } = publication;
          const { mid } = publication.track;
          const { socket } = parley.signaling;
          const say = (message) => socket.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
          say({ type: "unpublished", participant: ben.id, publication: id });
          say({ type: "slots", slots: [{ mid, publication: id, participant: ben.id }] });
          say({ type: "paused", slots: [mid], reason: "bandwidth" });
          say({ type: "published", participant: ben.id, publication: { id, kind: "video", source: "camera", muted: false } });
          say({ type: "paused", slots: [], reason: "bandwidth" });
          for (let i = 0; i < 100 && told.length < 3; i += 1) { await new Promise((go) => setTimeout(go, 20)); }
          return told;
        }"""
        told = wait_for("Ben's picture", lambda: ann.evaluate(script))
        self.assertEqual(ben.state(), "connected")
        self.assertEqual(told, [["trackSubscribed", None, False], ["trackPaused", "bandwidth", True], ["trackResumed", None, False]])

    def test_who_waits_and_loses_the_connection_knocks_again_and_is_let_in(self) -> None:
        proxy = CuttableProxy(self.server.port)
        self.addCleanup(proxy.close)
        run(self.server, "meeting", "create", "far", "--access-level", "Locked", "--announce", "no")
        [made] = run(self.server, "token", "create", "--room", "far", "--role", "organizer")
        with Client(self.server.url, f"far?jwt={made['token']}", "Host") as host, Client(proxy.url, "far", "Terminal") as terminal:
            host.joined()
            page = self.person("Cem")
            page.page.goto(f'{proxy.url}/far#config.prejoinPageEnabled=false&userInfo.displayName="Cem"')
            for name in ("Terminal", "Cem"):
                host.expect("knocked", name=name)
            terminal.expect("waiting", reason="lobby")
            proxy.cut()
            for name in ("Terminal", "Cem"):
                host.expect("knockEnded", name=name)
            self.assertEqual(page.state(), "waiting")
            self.heading(page, "Waiting to be let in")
            before = len(host.events)
            proxy.mend()
            for name in ("Terminal", "Cem"):
                host.expect("knocked", since=before, name=name)
            # Each loss has the whole time to come back, also when the one before was minutes ago.
            page.page.evaluate("() => { const before = performance.now.bind(performance); performance.now = () => before() + 300_000; }")
            before = len(host.events)
            proxy.cut()
            for name in ("Terminal", "Cem"):
                host.expect("knockEnded", since=before, name=name)
            wait_for("Cem to be told", lambda: page.page.get_by_text("The connection was lost.").count() == 1)
            proxy.mend()
            for name in ("Terminal", "Cem"):
                host.expect("knocked", since=before, name=name)
            wait_for("Cem to wait again", lambda: page.page.get_by_text("The connection was lost.").count() == 0)
            host.command("admitAll")
            terminal.joined()
            wait_for("Cem to be in", lambda: page.state() == "connected" or f"no: {page.state()} {page.console[-3:]}")
            wait_for("all to be there", lambda: page.names() == ["Host", "Terminal"])
            self.assertEqual(host.all("announced"), [])

    def test_a_program_that_waits_leaves_at_once_when_told_to_and_does_the_rest_once_it_is_in(self) -> None:
        run(self.server, "meeting", "create", "pipe", "--access-level", "Locked")
        [made] = run(self.server, "token", "create", "--room", "pipe", "--role", "organizer")
        with Client(self.server.url, f"pipe?jwt={made['token']}", "Host") as host:
            host.joined()
            stays, goes = (self.enterContext(Client(self.server.url, "pipe", name)) for name in ("Stays", "Goes"))
            for guest in (stays, goes):
                guest.expect("waiting", reason="lobby")
                host.expect("knocked", name=guest.name)
                guest.command("chat", text=f"from {guest.name}")
            goes.command("leave")
            self.assertEqual(goes.end(20), 1)
            self.assertIn("left before it was joined", str(goes.errors))
            host.expect("knockEnded", name="Goes")
            host.command("admitAll")
            stays.joined()
            host.expect("chat", text="from Stays")
            stays.command("chat", text="later")
            host.expect("chat", text="later")
            self.assertEqual([each["text"] for each in host.all("chat")], ["from Stays", "later"])

    def test_the_command_line_sets_the_lobby_of_meetings_and_tenants_and_tells_wrong_words(self) -> None:
        for words in (["--passcode", "1"], ["--passcode", "x" * 65], ["--wait-for-host", "maybe"], ["--lobby-timeout", "0"],
                      ["--lobby-timeout", "25h"], ["--access-level", "Nobody"]):
            run(self.server, "meeting", "create", "wrong", *words, status=2)
        run(self.server, "tenant", "create", "acme", "--access-level", "Invited", "--wait-for-host", "yes", "--announce", "no", "--lobby-timeout", "5m")
        [made] = run(self.server, "meeting", "create", "one", "--tenant", "acme", "--passcode", "-", "--announce", "yes", text="blue 42\n")
        self.assertEqual(
            [made[key] for key in ("accessLevel", "passcode", "waitForHost", "announce", "lobbyTimeout")], ["Invited", True, True, True, 300])
        [shown] = run(self.server, "tenant", "set", "acme", "--lobby-timeout", "none", "--wait-for-host", "no")
        self.assertEqual([shown[key] for key in ("waitForHost", "announce", "lobbyTimeout")], [False, False, None])
        [token] = run(self.server, "token", "create", "--tenant", "acme", "--room", "one", "--guest")
        [grant] = run(self.server, "token", "inspect", token["token"])
        self.assertTrue(grant["guest"])


if __name__ == "__main__":
    unittest.main()
