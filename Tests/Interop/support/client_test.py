"""Fixtures of the tests of the Swift client."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import numpy as np

from client import Client
from pictures import KnownVideo
from server import Server

#: The test picture of ``--style 1`` names itself 1, and its tone has 550 Hz.
STYLE, TONE = 1, 550


class ClientTest(unittest.TestCase):
    """One server for all tests of a class; each test has a room of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="parley-known-")))

    @property
    def room(self) -> str:
        return self.id().rsplit(".", 1)[-1]

    def client(self, name: str, *options: str, **more) -> Client:
        return self.enterContext(Client(self.server.url, self.room, name, *options, **more))

    def known_video(self) -> Path:
        path = self.folder / "known.y4m"
        if not path.exists():
            KnownVideo.write(path)
        return path

    def assert_known_picture(self, video, least: int) -> str:
        """That a recording shows the known picture; returns what was measured."""
        values = KnownVideo.compare(video)
        self.assertGreater(len(values), least, f"recognised {len(values)} of {video.count} pictures")
        # The first second may be a coarse beginning, while the sender still finds out what the network bears.
        later = values[video.count // 4:] or values
        self.assertGreater(np.median(later), 28)
        return f"{video.width}x{video.height}, {len(values)} of {video.count} recognised, {np.median(later):.1f} dB"
