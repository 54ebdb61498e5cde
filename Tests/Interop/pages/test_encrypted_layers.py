"""Layers of encrypted video switch with the size shown and with the network, and the picture goes on."""

from __future__ import annotations

import base64
import os
import unittest

import pytest

import media
import quality
import test_layers
from browser import FILES, UNHURRIED, Person, shared_driver, wait_for
from impairment import ImpairmentProxy
from server import Server

pytestmark = pytest.mark.alone

SENT = """async () => (await parley.stats()).streams
  .find((each) => each.direction === "outbound" && each.kind === "video" && each.frames > 0)?.codec"""
DROPS = """async () => Object.values((await parley._encryption.report()).slots).flatMap(({ drops }) => Object.keys(drops))"""


#: The layers of a page's camera as it sends them, for messages of failed tests.
LAYERS = """async () => [...(await parley.connection.peerConnection.getStats()).values()]
  .filter((each) => each.type === "outbound-rtp" && each.kind === "video")
  .map((each) => `${each.rid ?? ""} ${each.active ? "on" : "off"} ${each.frameWidth}x${each.frameHeight} at ${each.framesPerSecond}, ${each.framesSent} sent, limited by ${each.qualityLimitationReason}`)"""


class EncryptedLayers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--workers", "1"))

    def fragment(self, *more: str) -> str:
        return "&".join((f"e2ee={self.secret}", *more))

    def meet(self, codec: str, proxy: ImpairmentProxy | None = None) -> tuple[Person, Person]:
        """Ann, whose camera has layers, and Ben, who looks on and hides nothing."""
        # Of its own: a meeting lasts for a while after its last participant, and has another secret.
        room = f"layers-{os.urandom(6).hex()}"
        self.secret = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        ann = self.enterContext(Person(self.driver, "Ann", arguments=UNHURRIED, viewport=(280, 240),
                                       camera=media.busy_camera(FILES, "Ann", (640, 360))))
        self.ann = ann
        ann.join(self.server.url, room, self.fragment(f"config.preferredVideoCodec={codec}"))
        ben = self.enterContext(Person(self.driver, "Ben", arguments=UNHURRIED))
        if proxy:
            proxy.carry(ben)
        ben.join(self.server.url, room, self.fragment(test_layers.LISTENS))
        return ann, ben

    def gets(self, viewer: Person, is_large: bool) -> None:
        """Waits for the largest layer, which a busy sender makes a bit smaller, or for a lower one."""
        def look() -> bool | str:
            width = test_layers.Layers.width(viewer, "Ann")
            return width > 0 and (width > 320) == is_large or f"no: {width} of {self.ann.evaluate(LAYERS)}"
        wait_for(f"Ben's picture of Ann to be {'large' if is_large else 'small'}", look, 60)

    def assert_went_on(self, ann: Person, ben: Person, codec: str, longest: float) -> None:
        # Layers may go up at once: the picture goes on after that, too.
        def span() -> float:
            notes = quality.so_far(ben, "Ann")
            return notes[-1]["at"] - notes[0]["at"] if notes else 0
        wait_for("three seconds of notes", lambda: span() > 3 or f"no: {span()} s", 60)
        seen = quality.finish(ben, "Ann")
        print(f"{codec}: {seen}, longest {seen.longest:.2f} s", end=" … ")
        self.assertEqual(ann.evaluate(SENT), codec)
        self.assertLess(seen.longest, longest, f"{codec}: the picture goes on: {seen}")
        # Frames of a layer that is left are never taken for forged ones.
        self.assertFalse({"authenticationFailed", "malformed", "wrongTrack", "wrongSender"} & set(ben.evaluate(DROPS)), ben.evaluate(DROPS))

    def by_size(self, codec: str) -> None:
        ann, ben = self.meet(codec)
        sizes = test_layers.Layers.shows
        sizes(ben, 640)
        self.gets(ben, True)
        quality.begin(ben, "Ann")
        # Every lower layer fills 160 pixels, also that of a sender who makes all of them a bit smaller.
        for width in (160, 640, 160, 640):
            sizes(ben, width)
            self.gets(ben, width == 640)
        self.assert_went_on(ann, ben, codec, 1)

    def test_bad_input_13_simulcast_in_vp8_switches_by_size(self) -> None:
        self.by_size("VP8")

    def test_bad_input_13_simulcast_in_h264_switches_by_size(self) -> None:
        self.by_size("H264")

    def test_bad_input_13_layers_of_one_vp9_stream_switch_by_size(self) -> None:
        self.by_size("VP9")

    def test_bad_input_13_layers_of_one_av1_stream_switch_by_size(self) -> None:
        self.by_size("AV1")

    def by_network(self, codec: str) -> None:
        proxy = self.enterContext(ImpairmentProxy(self.server.media_port))
        ann, ben = self.meet(codec, proxy)
        test_layers.Layers.shows(ben, 640)
        self.gets(ben, True)
        proxy.change("down", "rate=350k,delay=25ms,queue=400ms")
        self.gets(ben, False)
        # The queue of before has drained; from here on layers go up alone.
        quality.begin(ben, "Ann")
        proxy.change("down", "delay=25ms")
        self.gets(ben, True)
        self.assert_went_on(ann, ben, codec, 1)

    def test_bad_input_13_simulcast_in_vp8_goes_down_and_up_with_the_network(self) -> None:
        self.by_network("VP8")

    def test_bad_input_13_layers_of_one_vp9_stream_go_down_and_up_with_the_network(self) -> None:
        self.by_network("VP9")


if __name__ == "__main__":
    unittest.main()
