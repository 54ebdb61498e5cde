"""An address can't open camera or microphone, even where the browser has the permission; it can only leave them off."""

from __future__ import annotations

import re
import unittest

from browser import Person, shared_driver, wait_for
from command import run
from keyboard import Keyboard
from server import Server

SKIPS = "config.prejoinPageEnabled=false"
#: Notes what a page opens.
WATCH = """
  window.opened = [];
  const original = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
  navigator.mediaDevices.getUserMedia = (wanted) => { opened.push(...Object.keys(wanted)); return original(wanted); };
"""
BOTH = "Turn on microphone and camera"


class LinkDevices(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server(link_devices="off"))

    def visitor(self, server: Server | None = None, **options) -> Person:
        """Somebody who has been in a meeting of this server, with camera and microphone on."""
        ann = self.enterContext(Person(self.driver, "Ann", **options))
        ann.page.add_init_script(WATCH)
        ann.page.goto(f"{(server or self.server).url}/before")
        ann.page.get_by_label("Your name").fill("Ann")
        wait_for("the devices", lambda: ann.page.get_by_role("button", name="Turn the microphone off").count() == 1)
        ann.page.get_by_role("button", name="Join now").click()
        ann.joined()
        self.assertEqual((self.devices(ann), self.opened(ann)), ([True, True], ["audio", "video"]))
        return ann

    def follow(self, ann: Person, fragment: str = "", query: str = "", server: Server | None = None) -> Person:
        """Follows a link that skips the page before joining."""
        ann.page.goto("about:blank")
        ann.page.goto(f"{(server or self.server).url}/linked{query}#{SKIPS}{'&' + fragment if fragment else ''}")
        ann.joined()
        wait_for("the room", lambda: ann.page.locator("#people-panel").count() == 1)
        return ann

    @staticmethod
    def devices(ann: Person) -> list[bool]:
        return ann.page.evaluate("() => [parley.localParticipant.microphoneOn, parley.localParticipant.cameraOn]")

    @staticmethod
    def opened(ann: Person) -> list[str]:
        return sorted(ann.page.evaluate("() => opened"))

    @staticmethod
    def offers(ann: Person) -> list[str]:
        return [text for text in ann.page.locator(".device-offer:visible .button").all_inner_texts() if text]

    def test_threat_40_a_link_opens_no_device_whatever_stands_in_it(self) -> None:
        ann = self.visitor()
        on = "config.startWithAudioMuted=false&config.startWithVideoMuted=false&config.startAudioOnly=false"
        for fragment, query, offers in [
            ("", "", [BOTH]), (on, "", [BOTH]), ("config.linkDevices=[\"microphone\",\"camera\"]&linkDevices=true", "?linkDevices=true&devices=camera", [BOTH]),
            ("config.prejoinConfig.enabled=false", "", [BOTH]), ("config.startAudioOnly=true", "", ["Turn on microphone"]),
            ("config.startWithAudioMuted=true", "", ["Turn on camera"]), ("config.startWithAudioMuted=true&config.startWithVideoMuted=true", "", []),
        ]:
            with self.subTest(fragment, query=query):
                self.follow(ann, fragment, query)
                self.assertEqual((self.opened(ann), self.devices(ann), self.offers(ann)), ([], [False, False], offers))
                self.assertEqual(ann.page.evaluate("() => parley.localParticipant.publications.length"), 0)

        # A device that somebody turned off here stays off on the page before joining, too.
        ann.page.goto(f"{self.server.url}/before")
        ann.page.get_by_role("button", name="Turn the microphone off").click()
        wait_for("the camera", lambda: ann.page.get_by_role("button", name="Turn the camera off").count() == 1)
        ann.page.get_by_role("button", name="Turn the camera off").click()
        ann.page.goto("about:blank")
        ann.page.goto(f"{self.server.url}/before#{on}")
        wait_for("the page before joining", lambda: ann.page.get_by_role("button", name="Turn the camera on").count() == 1)
        ann.page.get_by_role("button", name="Join now").click()
        ann.joined()
        self.assertEqual((self.opened(ann), self.devices(ann)), ([], [False, False]))
        self.follow(ann, on)
        self.assertEqual((self.opened(ann), self.devices(ann), self.offers(ann)), ([], [False, False], []))

    def test_what_an_address_turns_off_is_off_for_that_visit_alone(self) -> None:
        ann = self.visitor()
        ann.page.goto("about:blank")
        ann.page.goto(f"{self.server.url}/before#config.startWithAudioMuted=true&config.startWithVideoMuted=true")
        ann.page.get_by_role("button", name="Join now").click()
        ann.joined()
        self.assertEqual((self.opened(ann), self.devices(ann)), ([], [False, False]))
        ann.page.goto("about:blank")
        ann.page.goto(f"{self.server.url}/before")
        wait_for("the devices", lambda: ann.page.get_by_role("button", name="Turn the microphone off").count() == 1)

    def test_one_button_turns_on_what_a_link_left_off_by_mouse_keyboard_or_when_narrow(self) -> None:
        ann = self.visitor()
        ben = self.enterContext(Person(self.driver, "Ben", devices=False)).join(self.server.url, "linked")
        self.follow(ann)
        offer = ann.page.locator(".device-offer")
        self.assertEqual(offer.locator("p").inner_text(), "Microphone and camera are off.")
        for width, height in ((960, 640), (640, 480), (360, 640), (320, 568)):
            ann.page.set_viewport_size({"width": width, "height": height})
            box, button = offer.bounding_box(), offer.get_by_role("button", name=BOTH).bounding_box()
            self.assertTrue(0 <= box["x"] and box["x"] + box["width"] <= width, (width, box))
            self.assertGreaterEqual(button["height"], 40)
            # Nothing lies over it.
            offer.get_by_role("button", name=BOTH).click(trial=True)
        keys = Keyboard(ann)
        self.assertEqual(keys.nameless(), [])
        keys.go(f"button {BOTH}")
        keys.walk("button Leave them off")
        keys.press("Shift+Tab", "Enter")
        wait_for("both devices", lambda: self.devices(ann) == [True, True])
        self.assertEqual((self.opened(ann), self.offers(ann)), (["audio", "video"], []))
        keys.at("button Microphone, on")
        ben.sees("Ann")
        ben.hears("Ann")

        self.follow(ann)
        ann.page.get_by_role("button", name=BOTH).click()
        wait_for("both devices", lambda: self.devices(ann) == [True, True])
        # Somebody who turns one on by its own button, or wants none, isn't asked again.
        self.follow(ann)
        ann.page.keyboard.press("m")
        wait_for("the microphone alone", lambda: self.devices(ann) == [True, False])
        self.assertEqual(self.offers(ann), [])
        self.follow(ann)
        ann.page.get_by_role("button", name="Leave them off").click()
        self.assertEqual((self.offers(ann), self.devices(ann), self.opened(ann)), ([], [False, False], []))

    def test_a_signed_token_the_person_or_the_operator_lets_links_turn_devices_on(self) -> None:
        ann = self.visitor()
        def token(*words: str) -> str:
            return run(self.server, "token", "create", "--room", "linked", *words)[0]["token"]
        for words, devices, offers in [
            ((), [False, False], [BOTH]), (("--devices", "microphone"), [True, False], []), (("--devices", "camera,microphone"), [True, True], []),
        ]:
            with self.subTest("token", words=words):
                self.follow(ann, query=f"?jwt={token(*words)}")
                wait_for("the devices", lambda: self.devices(ann) == devices)
                self.assertEqual(self.offers(ann), offers)
        run(self.server, "token", "create", "--room", "linked", "--devices", "screen", status=2)

        self.follow(ann)
        ann.page.get_by_role("button", name="More").click()
        ann.page.get_by_role("menuitem", name="Settings").click()
        ann.page.get_by_label(re.compile("^Links that take me straight into a meeting")).check()
        self.follow(ann)
        wait_for("both devices by choice", lambda: self.devices(ann) == [True, True])
        self.follow(ann, "config.startAudioOnly=true")
        wait_for("the microphone by choice", lambda: self.devices(ann) == [True, False])

        with Server() as server:
            bea = self.visitor(server)
            self.follow(bea, server=server)
            wait_for("both devices by the operator", lambda: self.devices(bea) == [True, True])


if __name__ == "__main__":
    unittest.main()
