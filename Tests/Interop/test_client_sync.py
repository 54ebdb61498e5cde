"""Lip-sync between the Swift client and a browser, both ways: a flash and a beep of one clock, measured where they come out."""

from __future__ import annotations

import unittest
from pathlib import Path
from statistics import median

import numpy as np
from playwright.sync_api import sync_playwright

import test_client_media
from browser import Person, wait_for
from pictures import Video

PAGE = (Path(__file__).parent / "sync_page.js").read_text().split("\n", 1)[1]

#: Seconds by which sound and picture may be apart.
LIMIT = 0.08


def offsets(flashes: list[float], beeps: list[float]) -> list[float]:
    """How much later each beep comes than the flash that is nearest to it, in seconds."""
    return [min((beep - flash for beep in beeps), key=abs) for flash in flashes] if beeps else []


def flashes(video: Video) -> list[float]:
    """The moments at which the upper part of the picture becomes white."""
    white = np.array([video.luma(index)[:video.height * 3 // 4:8, ::8].mean() > 180 for index in range(video.count)])
    return [index / video.rate for index in range(1, len(white)) if white[index] and not white[index - 1]]


class LipSync(test_client_media.ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.driver = cls.enterClassContext(sync_playwright())

    def judge(self, found: list[float]) -> None:
        self.assertGreaterEqual(len(found), 3, found)
        found = [value * 1000 for value in found]
        print(f"sound after picture: median {median(found):.0f} ms, {min(found):.0f} to {max(found):.0f} ms, {len(found)} flashes",
              end=" … ")
        self.assertLess(abs(median(found)), LIMIT * 1000)

    def test_sound_and_picture_of_a_page_reach_swift_within_80_ms(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann"))
        ann.page.goto(self.server.url + "/")
        ann.page.evaluate(PAGE, {"url": f"{self.server.url}/{self.room}", "name": "Ann"})
        swift = self.client("Swift", records=True).joined()
        swift.sees("Ann")
        swift.statistics("14 s of sound", lambda: any(each.get("totalSamplesReceived", 0) > 14 * 48_000 for each in swift.received("audio")), 60)
        swift.leave()
        starts = swift.starts()
        seen = [starts["Ann-camera.y4m"] + each for each in flashes(swift.video("Ann"))]
        heard = [starts["Ann-microphone.wav"] + each for each in swift.sound("Ann").onsets()]
        # Lip-sync begins with the first sender reports and moves a little at a time.
        self.judge(offsets(seen, heard)[-8:])

    def test_sound_and_picture_of_swift_reach_a_page_within_80_ms(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann")).join(self.server.url, self.room)
        self.client("Swift", "--publish", "sync").joined()
        wait_for("Ann to see Swift", lambda: ann.frames("Swift") > 5, 30)

        def measure() -> list[float]:
            found = ann.evaluate("() => senses.flashesAndBeeps('Swift', 6000)")
            self.assertNotIn("problem", found)
            return found["offsets"]

        # Chromium moves its sound towards the picture by some milliseconds a second.
        history: list[int] = []

        def is_close() -> bool | str:
            history.append(round(median(measure() or [999])))
            return abs(history[-1]) < LIMIT * 500 or f"no: {history} ms"

        wait_for("sound and picture to come close", is_close, 45, 0)
        print(f"offsets while it settles {history} ms", end=", ")
        self.judge([value / 1000 for value in measure()])


if __name__ == "__main__":
    unittest.main()
