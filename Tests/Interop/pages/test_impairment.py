"""Real browsers on bad networks."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver, wait_for
from impairment import ImpairmentProxy
from server import Server


class BadNetworks(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--workers", "1"))

    def person(self, name: str) -> Person:
        return self.enterContext(Person(self.driver, name))

    def proxy(self, *options: str) -> ImpairmentProxy:
        return self.enterContext(ImpairmentProxy(self.server.media_port, *options))

    def test_a_page_behind_ten_per_cent_loss_sees_and_hears(self) -> None:
        room = "test_ten_per_cent"
        ann = self.person("Ann").join(self.server.url, room)
        proxy = self.proxy("--both", "loss=10%,delay=10ms", "--seed", "7")
        ben = proxy.carry(self.person("Ben")).join(self.server.url, room)
        wait_for("Ben to list Ann", lambda: ben.names() == ["Ann"] or f"no: {ben.names()}")
        seen = ben.sees("Ann", seconds=40)
        ben.hears("Ann")
        ann.sees("Ben", seconds=40)
        down = proxy.statistics()["down"]
        self.assertGreater(down["sent"], 300, "the page's media must have gone through the proxy")
        self.assertAlmostEqual(down["lost"] / down["sent"], 0.1, delta=0.04)
        print(f"{seen['frames']} frames in 1.5 s, {down['lost']} of {down['sent']} packets lost", end=" … ")
