"""A host and guests in real browsers: mute, ask to unmute, a raised hand, a right taken, and removal."""

from __future__ import annotations

import json
import subprocess
import unittest
import urllib.request

from browser import Person, shared_driver, wait_for
from client import Client
from command import run
from server import BINARY, Server


class Hosting(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--development"))

    @property
    def room(self) -> str:
        """A room for each test: whoever is still there from another test shares names, and takes the lower number."""
        return self.id().rsplit(".", 1)[-1]

    def person(self, name: str, token: str = "devtoken") -> Person:
        person = self.enterContext(Person(self.driver, name))
        fragment = f'config.prejoinPageEnabled=false&userInfo.displayName="{name}"'
        person.page.goto(f"{self.server.url}/{self.room}?jwt={token}#{fragment}")
        wait_for(f"{name} to be connected", lambda: person.state() == "connected" or f"no: {person.state()} {person.console[-5:]}")
        return person

    def test_a_host_mutes_asks_and_removes_and_a_guest_raises_a_hand(self) -> None:
        host, guest = self.person("Ann", "moderator_token"), self.person("Ben")
        wait_for("each other", lambda: host.names() == ["Ben"] and guest.names() == ["Ann"])
        host.hears("Ben")

        # By keyboard alone: the panel, the menu of the person, the first entry.
        host.page.keyboard.press("p")
        menu = host.page.get_by_role("button", name="More for Ben")
        menu.focus()
        host.page.keyboard.press("Enter")
        host.page.get_by_role("menuitem", name="Mute", exact=True).press("Enter")
        guest.says("A host has muted you. Press M to speak again.")
        host.hears_silence("Ben")
        self.assertFalse(guest.evaluate("() => window.parley.localParticipant.microphoneOn"))

        # Nobody is unmuted by somebody else: the guest decides.
        menu.click()
        host.page.get_by_role("menuitem", name="Ask to unmute").click()
        guest.page.get_by_role("dialog", name="Ann asks you to unmute").get_by_role("button", name="Unmute").click()
        host.hears("Ben")

        # A camera likewise: off for everybody at once, and on again by nobody but the guest.
        camera = "senses.participant('Ben').publication('camera')"
        wait_for("Ben's picture", lambda: host.frames("Ben", "camera", 1000) > 1, 30)
        menu.press("Enter")
        host.page.get_by_role("menuitem", name="Turn camera off").press("Enter")
        host.says("Ben’s camera is off")
        guest.says("A host has turned your camera off.")
        wait_for("no picture of Ben", lambda: host.evaluate(f"() => {camera}.muted") and host.frames("Ben", "camera", 1000) == 0)
        self.assertFalse(guest.evaluate("() => window.parley.localParticipant.cameraOn"))
        for answer in ("Keep it off", "Turn on"):
            menu.press("Enter")
            host.page.get_by_role("menuitem", name="Ask to turn camera on").press("Enter")
            host.says("Ben was asked to turn the camera on")
            question = guest.page.get_by_role("dialog", name="Ann asks you to turn your camera on")
            question.get_by_role("button", name=answer).press("Enter")
            wait_for("the question to go", lambda: question.count() == 0)
            if answer == "Keep it off":
                self.assertEqual(host.frames("Ben", "camera", 1000), 0)
        wait_for("Ben's picture again", lambda: host.frames("Ben", "camera", 1000) > 1, 30)

        # A hand goes up on the tile and in the panel, and down again by the host.
        guest.page.keyboard.press("h")
        wait_for("the hand on the tile", lambda: host.page.locator(".tile-hand:visible").count() == 1)
        wait_for("the hand in the panel", lambda: host.page.get_by_role("img", name="Hand raised, number 1").count() == 1)
        menu.click()
        host.page.get_by_role("menuitem", name="Lower hand").click()
        wait_for("the hand to be down", lambda: guest.evaluate("() => window.parley.localParticipant.hand === null"))

        # A permission that is taken ends what is published by it, and the guest is notified.
        menu.click()
        host.page.get_by_role("menuitem", name="Forbid camera").click()
        guest.says("A host has decided: you may not show your camera any more.")
        wait_for("the camera to be gone", lambda: not host.evaluate("() => senses.participant('Ben').publication('camera')"))
        self.assertFalse(guest.evaluate("() => Boolean(window.parley.localParticipant.publication('camera'))"))

        menu.click()
        host.page.get_by_role("menuitem", name="Remove from meeting").click()
        host.page.get_by_role("dialog", name="Remove Ben?").get_by_role("button", name="Remove", exact=True).click()
        wait_for("Ben's page to say so", lambda: guest.page.get_by_role("heading", name="You were removed from the meeting").count() == 1)
        wait_for("Ben to be gone", lambda: host.names() == [])

    def test_a_host_ends_the_share_of_a_guest_who_may_share_again_until_it_is_forbidden(self) -> None:
        ann, ben, cem = self.person("Ann", "moderator_token"), self.person("Ben"), self.person("Cem")
        three = (ann, ben, cem)
        for person in three:
            wait_for("all three", lambda: len(person.names()) == 2)
        # Nobody shares: the menu has no word of it.
        ann.page.keyboard.press("p")
        menu = ann.page.get_by_role("button", name="More for Ben")
        stop = ann.page.get_by_role("menuitem", name="Stop their sharing")
        menu.press("Enter")
        self.assertEqual(stop.count(), 0)
        ann.page.keyboard.press("Escape")

        share = ben.page.get_by_role("button", name="Share the screen")
        for time in ("first", "second"):
            with self.subTest(time):
                share.press("Enter")
                for person in (ann, cem):
                    wait_for(f"{person.name} to see frames of Ben's screen", lambda: person.frames("Ben", "screen", 1000) > 1, 30)
                self.assertTrue(ben.page.get_by_text("You are sharing your screen").is_visible())
                wait_for("the word in the panel", lambda: "sharing the screen" in ann.page.locator(".people-list").inner_text())
                captured = ben.page.evaluate_handle("() => window.parley.localParticipant.publication('screen').track.mediaStreamTrack")
                menu.press("Enter")
                stop.press("Enter")
                ben.says("A host has ended your screen sharing.")
                ann.says("Ben’s screen is shared no more")
                # The browser captures nothing more, and nobody has a picture that stands still.
                wait_for("the capture to end", lambda: captured.evaluate("(track) => track.readyState") == "ended")
                for person in three:
                    wait_for(f"no screen on {person.name}'s stage", lambda: person.page.locator(".tile-screen").count() == 0)
                self.assertFalse(ben.page.get_by_text("You are sharing your screen").is_visible())
                share.wait_for()
                self.assertTrue(ben.evaluate("() => window.parley.localParticipant.cameraOn"))
        menu.press("Enter")
        ann.page.get_by_role("menuitem", name="Forbid screen sharing").press("Enter")
        ben.says("A host has decided: you may not share your screen any more.")
        share.press("Enter")
        ben.says("You may not share your screen in this meeting. Hosts can allow it.")
        self.assertEqual([person.page.locator(".tile-screen").count() for person in three], [0, 0, 0])

    def test_hosts_end_what_a_swift_client_sends_and_a_swift_host_ends_a_camera_of_the_page(self) -> None:
        ann, ben = self.person("Ann", "moderator_token"), self.person("Ben")
        with Client(self.server.url, self.room, "Swift", "--publish", "testsrc", "--token", "moderator_token") as swift:
            swift.joined()
            wait_for("Swift's picture", lambda: ann.frames("Swift", "camera", 1000) > 1, 30)
            stop = "([name, source]) => parley.hosting.stop([...parley.participants.values()].find((each) => each.name === name), [source])"
            for source in ("camera", "microphone"):
                ann.evaluate(stop, ["Swift", source])
                self.assertEqual(swift.expect("stoppedByHost", source=source)["reason"], "removed")
                for person in (ann, ben):
                    wait_for(f"{person.name} to see the end of the {source}", lambda: person.evaluate(
                        "(source) => !senses.participant('Swift').publication(source)", source))
            wait_for("no picture of Swift", lambda: ann.frames("Swift", "camera", 1000) == 0)

            # The other way round.
            wait_for("Ben's picture", lambda: ann.frames("Ben", "camera", 1000) > 1, 30)
            guest = ben.evaluate("() => parley.localParticipant.id")
            swift.command("stopTracks", to=guest)
            wait_for("the word of what is missing", lambda: any("stopTracks needs" in line for line in swift.errors) or f"no: {swift.errors}")
            for source in ("camera", "microphone"):
                swift.command("stopTracks", to=guest, source=source)
                ben.says(f"A host has turned your {source} off.")
                wait_for(f"the end of Ben's {source}", lambda: ann.evaluate(
                    "(source) => !senses.participant('Ben').publication(source)", source))
            # Ben may send both again.
            ben.page.get_by_role("button", name="Camera, off").press("Enter")
            ben.page.get_by_role("button", name="Microphone, off").press("Enter")
            wait_for("Ben's picture again", lambda: ann.frames("Ben", "camera", 1000) > 1, 30)
            ann.hears("Ben")

    def test_a_viewer_is_shown_with_all_off_and_no_key_opens_a_device(self) -> None:
        [made] = run(self.server, "token", "create", "--room", self.room, "--role", "subscriber")
        ann, ben = self.person("Ann"), self.person("Ben", made["token"])
        own = "() => [parley.localParticipant.publications.length, parley.localParticipant.microphoneOn, parley.localParticipant.cameraOn]"
        wait_for("nothing to be sent", lambda: (now := ben.evaluate(own)) == [0, False, False] or f"no: {now}")
        for name in ("Microphone, off", "Camera, off"):
            ben.page.get_by_role("button", name=name).wait_for()
        wait_for("Ben at Ann's", lambda: ann.names() == ["Ben"])
        self.assertEqual(ann.evaluate("() => [...parley.participants.values()][0].publications.length"), 0)
        ben.page.evaluate("""() => {
          window.opened = 0;
          for (const name of ["getUserMedia", "getDisplayMedia"]) {
            const before = navigator.mediaDevices[name].bind(navigator.mediaDevices);
            navigator.mediaDevices[name] = (options) => { window.opened += 1; return before(options); };
          }
        }""")
        for key, what in (("m", "speak"), ("v", "show your camera"), ("s", "share your screen")):
            ben.page.keyboard.press(key)
            ben.says(f"You may not {what} in this meeting. Hosts can allow it.")
        self.assertEqual((ben.evaluate("() => window.opened"), ben.evaluate(own)), (0, [0, False, False]))
        ben.sees("Ann")

    def test_who_is_in_sees_another_title_and_another_end(self) -> None:
        ann = self.person("Ann")
        # By a command, which another process runs, at once: nobody else comes before the room knows.
        meeting = self.change(self.room, "--subject", "Crew <b>meeting</b>")
        ann.says("The meeting is called Crew <b>meeting</b> now")
        ben = self.person("Ben")
        wait_for("the title", lambda: ann.page.locator(".room-title").text_content() == "Crew <b>meeting</b>")
        self.assertEqual(ann.page.title(), "Crew <b>meeting</b> · Parley")
        self.assertEqual(ben.page.locator(".room-title").text_content(), "Crew <b>meeting</b>")
        # Over the administration at once.
        self.patch(meeting, expiresIn=3_600, chatFileLimit=0)
        ann.says("The meeting ends on")
        ann.page.keyboard.press("c")
        wait_for("no way to send a file", lambda: ann.page.get_by_role("button", name="Attach a file").count() == 0
                 or f"there is one: {ann.page.locator('#chat-panel').inner_html()[:600]}")
        self.patch(meeting, expiresIn=None, chatFileLimit=None)
        ann.says("The meeting has no end any more")

    def change(self, room: str, *options: str) -> str:
        """Changes a meeting on the command line, and returns its id."""
        done = subprocess.run([str(BINARY), "meeting", "change", room, *options, "--data", self.server.data, "--json"],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["id"]

    def patch(self, meeting: str, **fields: object) -> None:
        request = urllib.request.Request(f"http://127.0.0.1:{self.server.admin_port}/api/v1/meetings/{meeting}", json.dumps(fields).encode(),
                                         {"Content-Type": "application/json"}, method="PATCH")
        with urllib.request.urlopen(request, timeout=20) as answer:
            self.assertEqual(answer.status, 200)


if __name__ == "__main__":
    unittest.main()
