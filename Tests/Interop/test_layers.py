"""What a page sends and receives follows what is shown: layers by tile size, and nothing for nobody."""

from __future__ import annotations

import unittest

from playwright.sync_api import sync_playwright

from browser import UNHURRIED, Person, wait_for
from server import Server


#: Those who only look on.
LISTENS = "config.startAudioOnly=true&config.startWithAudioMuted=true"


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = cls.enterClassContext(sync_playwright())
        cls.server = cls.enterClassContext(Server())

    def person(self, name: str, room: str, settings: str = "", **options) -> Person:
        return self.enterContext(Person(self.driver, name, arguments=UNHURRIED, **options)).join(self.server.url, room, settings)

    @staticmethod
    def width(viewer: Person, name: str) -> int:
        """How wide the picture of ``name`` arrives at a page, in pixels."""
        return viewer.evaluate(
            """(name) => {
              const participant = [...parley.participants.values()].find((each) => each.name === name);
              return participant?.publication("camera")?.track?.elements[0]?.videoWidth ?? 0;
            }""", name)

    @staticmethod
    def rate(sender: Person) -> int:
        """How many frames a page encodes in a second, of all its layers."""
        before = sender.frames_sent()
        sender.page.wait_for_timeout(1_000)
        return sender.frames_sent() - before

    def test_a_tile_gets_the_layer_that_fills_it(self) -> None:
        ann, ben = self.person("Ann", "tiles"), self.person("Ben", "tiles")
        ben.sees("Ann")
        ann.sees("Ben")

        def large() -> None:
            """Waits until Ann gets Ben's large layer: a page that a slow machine starves starts with the small one, or falls to it for a while."""
            wait_for("Ann's picture of Ben 640 pixels wide", lambda: self.width(ann, "Ben") == 640 or f"no: {self.width(ann, 'Ben')}", 25)
        large()
        sizes = []
        for viewport, expected in (((960, 640), 640), ((280, 240), 320), ((960, 640), 640)):
            ben.page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
            wait_for(f"Ben's picture of Ann {expected} pixels wide in a window of {viewport[0]}",
                     lambda: self.width(ben, "Ann") == expected or f"no: {self.width(ben, 'Ann')}", 25)
            sizes.append(self.width(ben, "Ann"))
        print(sizes, end=" … ")
        # What Ben's window does is nothing to Ann.
        large()

    def layers_of_one_stream(self, codec: str) -> None:
        """One stream in spatial layers, which the server takes apart by its dependency descriptor."""
        ann = self.person("Ann", f"layers-{codec}", f"config.preferredVideoCodec={codec}")
        ben = self.person("Ben", f"layers-{codec}", LISTENS)
        cem = self.person("Cem", f"layers-{codec}", LISTENS, viewport=(280, 240))
        for viewer, expected in ((ben, 640), (cem, 320)):
            wait_for(f"{viewer.name}'s picture of Ann {expected} pixels wide",
                     lambda: self.width(viewer, "Ann") == expected or f"no: {self.width(viewer, 'Ann')}", 40)
        # Both at once, and both go on.
        for viewer, expected in ((ben, 640), (cem, 320)):
            self.assertGreater(viewer.frames("Ann", milliseconds=2_000), 10, viewer.name)
            self.assertEqual(self.width(viewer, "Ann"), expected, viewer.name)
        sent = [each for each in ann.statistics()["outbound"] if each["kind"] == "video"]
        self.assertEqual([each["codec"] for each in sent], [f"video/{codec}"], "one stream")
        self.assertEqual(sent[0]["scalabilityMode"], "L3T3_KEY")

    def test_two_receivers_get_the_layer_that_fills_their_tile_of_one_vp9_stream(self) -> None:
        self.layers_of_one_stream("VP9")

    def test_two_receivers_get_the_layer_that_fills_their_tile_of_one_av1_stream(self) -> None:
        self.layers_of_one_stream("AV1")

    def test_what_nobody_watches_is_not_sent(self) -> None:
        ann = self.person("Ann", "alone")
        wait_for("Ann to stop sending what nobody watches", lambda: self.rate(ann) == 0 or "no: she sends", 15)
        with Person(self.driver, "Ben") as ben:
            ben.join(self.server.url, "alone")
            ben.sees("Ann")
            self.assertGreater(self.rate(ann), 10)
            ben.page.evaluate("() => parley.leave()")
        wait_for("Ann to stop again", lambda: self.rate(ann) == 0 or "no: she sends", 60)

    def test_what_is_hidden_stops_within_two_seconds_and_comes_back_with_one_key_frame(self) -> None:
        ann, ben = self.person("Ann", "hidden"), self.person("Ben", "hidden")
        ben.sees("Ann")
        ann.evaluate(NOTE_ENCODED)
        ben.evaluate("() => { window.hiding = new CSSStyleSheet(); document.adoptedStyleSheets.push(hiding); }")
        keyframes = self.keyframes(ben)
        hidden = ben.page.evaluate(f"() => {{ hiding.replaceSync('article.tile:not(.tile-self) {{ display: none }}'); return {NOW}; }}")

        def stopped() -> float | str:
            """When Ann encoded her last picture, once there was none for a second."""
            last, now = ann.page.evaluate(f"() => [encoded.at(-1)?.at ?? 0, {NOW}]")
            return last if now - last > 1_000 else f"no: {now - last:.0f} ms ago"
        last = wait_for("Ann to stop sending what Ben hides", stopped, 15)
        shown = ben.page.evaluate(f"() => {{ hiding.replaceSync(''); return {NOW}; }}")
        first = wait_for("Ann to encode again", lambda: next(
            (each["at"] for each in ann.page.evaluate("() => encoded") if each["at"] > shown), None), 10)
        ben.sees("Ann")
        print(f"stopped after {last - hidden:.0f} ms, encoded again after {first - shown:.0f} ms", end=" … ")
        self.assertLess(last - hidden, 2_000)
        self.assertLess(first - shown, 1_000)
        self.assertEqual(self.keyframes(ben), keyframes + 1, "one key frame is enough")

    @staticmethod
    def keyframes(viewer: Person) -> int:
        """How many key frames a page has decoded."""
        return viewer.page.evaluate("""async () => [...(await parley.connection.peerConnection.getStats()).values()]
            .filter((each) => each.type === "inbound-rtp" && each.kind === "video")
            .reduce((sum, each) => sum + each.keyFramesDecoded, 0)""")


#: Milliseconds on a clock that all pages of this machine share.
NOW = "(performance.timeOrigin + performance.now())"

#: Notes, ten times a second, when more pictures of the camera have been encoded.
NOTE_ENCODED = f"""() => {{
  window.encoded = [];
  let before = -1;
  setInterval(async () => {{
    const report = await parley.connection.peerConnection.getStats();
    const now = [...report.values()].filter((each) => each.type === "outbound-rtp" && each.kind === "video")
      .reduce((sum, each) => sum + each.framesEncoded, 0);
    if (before >= 0 && now > before) {{ encoded.push({{ at: {NOW}, count: now }}); }}
    before = now;
  }}, 100);
}}"""


if __name__ == "__main__":
    unittest.main()
