"""``Examples/SoftPhone``, an app of the BBM Enterprise SDK: calls with video and sound, and their history."""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import tempfile
import time
import unittest
from pathlib import Path

import av

from bbm_app import BBMApp, keep_picture, make_domain
from browser import wait_for
from display import Display
from server import Server
from sounds import Sound

#: The test microphone's tone.
TONE = 550
#: Megabytes of the file that goes over a data connection.
MEGABYTES = int(os.environ.get("PARLEY_DATA_MB", "8"))


class Phone(BBMApp):
    """The app with test devices; what it would play goes to a file."""

    def __init__(self, server: Server, domain: str, user: str, home: Path, **more: object):
        self.heard = home / f"{user}.wav"
        self.seen = home / f"{user}.png"
        super().__init__("SoftPhone", server, domain, user, home / user, PARLEY_TEST_DEVICES="1", PARLEY_SPEAKER_FILE=str(self.heard), **more)

    def sees(self, view: str) -> None:
        """Waits until a view shows the test picture, whose middle is the sun."""
        def look() -> object:
            before = len(self.events)
            self.send("save", view=view, path=str(self.seen))
            if not self.wait_for("saved", before, view=view)["succeeded"]:
                return "no: there is no picture"
            with av.open(str(self.seen)) as image:
                pixels = next(image.decode(video=0)).to_ndarray(format="rgb24")
            height, width = pixels.shape[:2]
            middle = pixels[height // 2 - 4:height // 2 + 4, width // 2 - 4:width // 2 + 4].reshape(-1, 3).mean(axis=0)
            return bool(middle[0] > 180) or f"no: {middle} of {width}x{height}"
        wait_for(f"the {view} video of {self.name}", look, every=0.5)

    def last_seconds(self, seconds: float = 2) -> Sound | None:
        """The end of what it has played; None before it is long enough."""
        return Sound.so_far(self.heard, seconds)

    def hears_the_tone(self) -> None:
        def listen() -> object:
            sound = self.last_seconds()
            return bool(sound and abs(sound.frequency() - TONE) < 12) or f"no: {sound and sound.frequency()} Hz"
        wait_for(f"the tone at {self.name}", listen)

    def lists(self, words: str) -> None:
        """Waits until the latest call in the history reads so."""
        def look() -> object:
            shown = self.all("history")
            return bool(shown and shown[-1]["calls"] and re.fullmatch(words, shown[-1]["calls"][0])) or f"no: {shown}"
        wait_for(f"{words} in the history of {self.name}", look)

    def hears_nothing(self) -> None:
        def listen() -> object:
            sound = self.last_seconds(1)
            return bool(sound and sound.levels().max() < 30) or f"no: {sound and sound.levels().max()}"
        wait_for(f"silence at {self.name}", listen)


class SoftPhone(unittest.TestCase):
    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def setUp(self) -> None:
        self.domain = make_domain(self.server, f"phone-{next(self.numbers)}")
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def phones(self, *users: str, **more: object) -> list[Phone]:
        phones = [self.enterContext(Phone(self.server, self.domain, user, self.home, **more)) for user in users]
        for phone in phones:
            phone.wait_for("regId")
        return phones

    def test_a_video_call_has_both_pictures_and_both_tones_and_is_in_the_history(self) -> None:
        ann, ben = self.phones("Ann", "Ben")
        ann.send("call", user="Ben", video=True)
        ann.wait_for("call", state="initiated")
        ben.wait_for("call", state="incoming", regId=ann.wait_for("regId")["regId"])
        ann.wait_for("call", state="ringing")
        ben.send("accept", video=True)
        for phone in (ann, ben):
            phone.wait_for("call", state="connected")
            phone.wait_for("media", view="other", isShown=True)
            phone.sees("other")
            phone.sees("own")
            phone.hears_the_tone()

        ann.send("mute")
        ann.wait_for("call", state="muted", muted=True)
        ben.hears_nothing()
        ann.send("mute")
        ben.hears_the_tone()
        # Without the camera the other side's picture goes.
        before = len(ben.events)
        ann.send("camera")
        ben.wait_for("media", before, view="other", isShown=False)

        ben.send("end")
        for phone in (ann, ben):
            phone.wait_for("call", state="ended", reason="Ended")
            phone.send("history")
        ann.lists(r"Call to Ben, \d+:\d\d")
        ben.lists(r"Call from Ann, \d+:\d\d")
        for phone in (ann, ben):
            self.assertEqual(phone.stop(), 0)

    def test_a_file_goes_over_a_data_connection_whole(self) -> None:
        ann, ben = self.phones("Ann", "Ben")
        path, taken = self.home / "large.bin", self.home / "taken"
        digest = hashlib.sha256()
        with path.open("wb") as file:
            for _ in range(MEGABYTES):
                block = os.urandom(1_000_000)
                digest.update(block)
                file.write(block)
        taken.mkdir()
        ben.send("takeFiles", path=str(taken))
        began = time.monotonic()
        ann.send("sendFile", user="Ben", path=str(path))
        seconds = 30 + MEGABYTES
        received = ben.wait_for("fileTransfer", seconds=seconds, state="received")
        print(f"{MEGABYTES} MB over a data connection: {time.monotonic() - began:.1f} s with its setup")
        with open(received["path"], "rb") as file:
            self.assertEqual(hashlib.file_digest(file, "sha256").digest(), digest.digest())
        ann.wait_for("fileTransfer", state="sent", path=str(path))
        for phone in (ann, ben):
            phone.wait_for("fileTransfer", state="ended")
            self.assertEqual(phone.all("fileTransfer", state="failed"), [])
            self.assertEqual(phone.stop(), 0)

    def test_calls_that_nobody_takes_end_with_their_reason(self) -> None:
        ann, ben, cleo = self.phones("Ann", "Ben", "Cleo")
        ann.send("call", user="Ben")
        ben.wait_for("call", state="incoming")
        # A second caller hears that Ben has somebody on the line.
        cleo.send("call", user="Ben")
        cleo.wait_for("call", state="ended", reason="Busy")
        ben.send("decline")
        ann.wait_for("call", state="ended", reason="Declined")

        before = len(ben.events)
        ann.send("call", user="Ben")
        ben.wait_for("call", before, state="incoming")
        ann.send("end")
        ann.wait_for("call", state="ended", reason="Cancelled")
        ben.wait_for("call", before, state="ended", reason="Missed")
        ann.send("call", user="Nobody")
        self.assertIn("no user “Nobody”", ann.wait_for("asked", title="That did not work")["message"])

    def test_its_windows_show_the_call(self) -> None:
        display = self.enterContext(Display(500, 700))
        [ann] = self.phones("Ann", display=display)
        [ben] = self.phones("王芳")
        keep_picture("soft-phone", "phone", display, "Soft Phone")
        ben.send("call", user="Ann", video=True)
        ann.wait_for("call", state="incoming")
        keep_picture("soft-phone", "incoming", display, "Soft Phone")
        ann.send("accept", video=True)
        ann.wait_for("call", state="connected")

        def is_shown() -> object:
            pixels = keep_picture("soft-phone", "call", display, "Soft Phone", moves=True)
            # The sun is in the middle of the other side's video, which ends above the name and the buttons.
            height, width = pixels.shape[:2]
            middle = pixels[(height - 168) // 2 - 40:(height - 168) // 2 + 60, width // 2 - 8:width // 2 + 8, 0]
            return bool(middle.max() > 180) or f"no: {middle.max()}"
        wait_for("the video in the window", is_shown)
        ben.send("end")
        ann.wait_for("call", state="ended", reason="Ended")
        keep_picture("soft-phone", "ended", display, "Soft Phone")


if __name__ == "__main__":
    unittest.main()
