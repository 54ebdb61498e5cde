"""The Swift client's microphone, speaker and screen, on a sound system and a display of the tests' own."""

from __future__ import annotations

import unittest

import numpy as np
import pytest

import client_test
from browser import wait_for
from sound_system import Display, SoundSystem, write_voice
from sounds import Sound

pytestmark = pytest.mark.clock

#: Seconds that the echo canceller has to find out how sound comes back.
LEARNING = 8


def loudness(sound: Sound, skip: float) -> float:
    """The effective value, in decibels of full scale, after the first ``skip`` seconds."""
    samples = sound.samples[int(skip * sound.rate):].astype(float)
    return 20 * np.log10(max(np.sqrt((samples ** 2).mean()), 0.1) / 32_768)


class Devices(client_test.ClientTest):
    def setUp(self) -> None:
        self.voice = self.folder / "voice.wav"
        if not self.voice.exists():
            write_voice(self.voice)

    def wait_for_sound(self, listener, seconds: int) -> None:
        listener.statistics(
            f"{seconds} s of sound", lambda: any(each.get("totalSamplesReceived", 0) > seconds * 48_000 for each in listener.received("audio")), 90)

    def test_the_speaker_plays_what_the_others_say(self) -> None:
        system = self.enterContext(SoundSystem())
        self.client("Ann", "--publish", "testsrc", "--style", "1").joined()
        swift = self.client("Swift", "--speaker").joined()
        swift.expect("trackSubscribed", name="Ann", kind="audio")

        def listen() -> bool | str:
            heard = system.record("room", 2)
            return abs(heard.frequency() - client_test.TONE) < 2 or f"{heard.frequency():.1f} Hz, {loudness(heard, 0):.0f} dB"

        wait_for("Ann's tone in the room", listen, 40)

    def test_the_microphone_is_heard_by_the_others(self) -> None:
        system = self.enterContext(SoundSystem())
        player = system.play(self.voice, "room")
        self.addCleanup(player.wait)
        self.addCleanup(player.kill)
        self.client("Swift", "--microphone").joined()
        ann = self.client("Ann", records=True).joined()
        self.wait_for_sound(ann, 8)
        ann.leave()
        heard = loudness(ann.sound("Swift"), 3)
        print(f"{heard:.0f} dB", end=" … ")
        self.assertGreater(heard, -35)

    def test_nobody_hears_himself_come_back_from_the_speaker_of_another(self) -> None:
        # The microphone of this room hears nothing but its speaker.
        self.enterContext(SoundSystem())
        swift = self.client("Swift", "--microphone", "--speaker").joined()
        ann = self.client("Ann", "--publish", str(self.voice), records=True).joined()
        swift.expect("trackSubscribed", name="Ann", kind="audio")
        self.wait_for_sound(ann, LEARNING + 8)
        ann.leave()
        played, back = loudness(Sound(self.voice), 0), loudness(ann.sound("Swift"), LEARNING)
        print(f"sent {played:.0f} dB, came back {back:.0f} dB", end=" … ")
        self.assertLess(back, played - 20)

    def test_the_screen_is_shared(self) -> None:
        screen = self.enterContext(Display())
        screen.fill("#20a040")
        self.client("Swift", "--screen").joined()
        ann = self.client("Ann", records=True).joined()
        ann.sees("Swift")
        ann.statistics("pictures", lambda: any(each["framesDecoded"] > 20 for each in ann.received("video")))
        ann.leave()
        video = ann.video("Swift", "screen")
        # Not the middle, where the pointer is.
        y, u, v = (plane[plane.shape[0] // 4, plane.shape[1] // 4] for plane in video.planes(video.count - 1))
        print(f"{video.width}x{video.height}, {video.count} pictures, Y {y} U {u} V {v}", end=" … ")
        # The size follows the estimate of the network, the shape does not.
        self.assertAlmostEqual(video.width / video.height, 800 / 600, delta=0.01)
        # In BT.601: Y 111, U 105, V 79.
        self.assertTrue(abs(int(y) - 111) < 20 and u < 118 and v < 95, (y, u, v))


if __name__ == "__main__":
    unittest.main()
