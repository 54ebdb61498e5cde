"""What a page sends and receives follows what is shown: layers by tile size, and nothing for nobody."""

from __future__ import annotations

import unittest

from playwright.sync_api import sync_playwright

from browser import Person, wait_for
from server import Server


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = cls.enterClassContext(sync_playwright())
        cls.server = cls.enterClassContext(Server())

    def person(self, name: str, room: str) -> Person:
        return self.enterContext(Person(self.driver, name)).join(self.server.url, room)

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
        sizes = []
        for viewport, expected in (((960, 640), 640), ((280, 240), 320), ((960, 640), 640)):
            ben.page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
            wait_for(f"Ben's picture of Ann {expected} pixels wide in a window of {viewport[0]}",
                     lambda: self.width(ben, "Ann") == expected or f"no: {self.width(ben, 'Ann')}", 25)
            sizes.append(self.width(ben, "Ann"))
        print(sizes, end=" … ")
        # The good one notices nothing of the other's window.
        self.assertEqual(self.width(ann, "Ben"), 640)

    def test_what_nobody_watches_is_not_sent(self) -> None:
        ann = self.person("Ann", "alone")
        wait_for("Ann to stop sending what nobody watches", lambda: self.rate(ann) == 0 or "no: she sends", 15)
        with Person(self.driver, "Ben") as ben:
            ben.join(self.server.url, "alone")
            ben.sees("Ann")
            self.assertGreater(self.rate(ann), 10)
        wait_for("Ann to stop again", lambda: self.rate(ann) == 0 or "no: she sends", 60)


if __name__ == "__main__":
    unittest.main()
