"""Lip-sync between the Swift client and a browser, both ways: a flash and a beep of one clock, measured where they come
out."""

from __future__ import annotations

import unittest
from statistics import median

import numpy as np
import pytest

import client_test
from browser import Person, shared_driver, wait_for
from pictures import Video
from server import SUPPORT

pytestmark = pytest.mark.clock

PAGE = (SUPPORT / "sync_page.js").read_text().split("\n", 1)[1]

#: Seconds by which sound and picture may be apart.
LIMIT = 0.08


#: The luma of the bar that shows the time; the pixels around it are below 70, or white.
BAR = 117


def drawn(picture: np.ndarray) -> float | None:
    """The part of a second that was over when the page drew this picture, by its bar."""
    row = picture[round(picture.shape[0] * 335 / 360)].astype(int)
    bar = np.flatnonzero(abs(row - BAR) < 25)
    return bar[0] / len(row) if len(bar) > 2 else None


def pictures(video: Video) -> list[tuple[float, float]]:
    """When each new picture is shown, and when it was drawn. A busy page draws late, and a picture that stays says
    nothing of the time in which it does: neither is the fault of who shows it."""
    told = [drawn(video.luma(index)) for index in range(video.count)]
    return [(index / video.rate, told[index]) for index in range(1, video.count)
            if told[index] is not None and told[index] != told[index - 1]]


def offsets(pictures: list[tuple[float, float]], beeps: list[float]) -> list[float]:
    """How much later each beep, which begins with a second, comes than what is shown then, in seconds."""
    found = []
    for beep in beeps:
        shown, drawn = min(pictures, key=lambda each: abs(each[0] - beep))
        found.append((beep - (shown - drawn) + 0.5) % 1 - 0.5)
    return found


class LipSync(client_test.ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.driver = shared_driver()

    def judge(self, found: list[float]) -> None:
        self.assertGreaterEqual(len(found), 5, found)
        found = sorted(value * 1000 for value in found)
        print(f"sound after picture: median {median(found):.0f} ms, {found[0]:.0f} to {found[-1]:.0f} ms, {len(found)} beeps", end=" … ")
        self.assertLess(abs(median(found)), LIMIT * 1000, found)
        # One stumble of a busy machine may be among them, no more.
        self.assertGreaterEqual(sum(abs(value) < LIMIT * 1000 for value in found), len(found) - 1, found)

    def test_sound_and_picture_of_a_page_reach_swift_within_80_ms(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann"))
        ann.page.goto(self.server.url + "/")
        ann.page.evaluate(PAGE, {"url": f"{self.server.url}/{self.room}", "name": "Ann"})
        swift = self.client("Swift", records=True).joined()
        swift.sees("Ann")
        swift.statistics("14 s of sound", lambda: any(each.get("totalSamplesReceived", 0) > 14 * 48_000 for each in swift.received("audio")), 60)
        swift.leave()
        starts = swift.starts()
        seen = [(starts["Ann-camera.y4m"] + shown, drawn) for shown, drawn in pictures(swift.video("Ann"))]
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

        # Chromium moves its sound towards the picture by some milliseconds a second, and lets the last few tens of them
        # be.
        history: list[int] = []

        def is_close() -> list[float] | str:
            found = measure()
            history.append(round(median(found or [999])))
            fits = len(found) >= 5 and abs(history[-1]) < LIMIT * 750 and all(abs(each) < LIMIT * 1000 for each in found)
            return found if fits else f"no: {history} ms, at last {[round(each) for each in found]}"

        found = wait_for("sound and picture to come close", is_close, 45, 0)
        print(f"offsets while it settles {history} ms", end=", ")
        self.judge([value / 1000 for value in found])


if __name__ == "__main__":
    unittest.main()
