"""A display that is in memory only: what a window shows there, and hands for it."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
import zlib
from pathlib import Path

import numpy as np

from browser import wait_for


class Display:
    """An X display without a screen. Use it in a ``with`` block; start programs with its ``environment``."""

    def __init__(self, width: int = 800, height: int = 700):
        self.size = (width, height)

    def __enter__(self) -> "Display":
        missing = [tool for tool in ("Xvfb", "xdotool") if not shutil.which(tool)]
        if missing:
            raise AssertionError(f"{missing} missing; run Scripts/setup test")
        self._folder = tempfile.TemporaryDirectory(prefix="parley-display-")
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{self.size[0]}x{self.size[1]}x24", "-nolisten", "tcp",
             "-fbdir", self._folder.name], pass_fds=(writing,), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writing)
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        if not number:
            raise AssertionError("Xvfb did not start")
        self.environment = {**os.environ, "DISPLAY": f":{number}", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo",
                            "NO_AT_BRIDGE": "1", "GTK_A11Y": "none"}
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)
        self._folder.cleanup()

    def pixels(self) -> np.ndarray:
        """The pixels on it now: rows of red, green and blue."""
        # The XWD format: 25 big-endian numbers, a name, a table of colours, the rows.
        data = (Path(self._folder.name) / "Xvfb_screen0").read_bytes()
        header = struct.unpack(">25I", data[:100])
        size, width, height, row, colours = header[0], header[4], header[5], header[12], header[19]
        start = size + 12 * colours
        rows = np.frombuffer(data, np.uint8, row * height, start).reshape(height, row // 4, 4)
        return rows[:, :width, 2::-1]

    def colour(self, left: int, top: int, width: int, height: int) -> np.ndarray:
        """The mean of red, green and blue in a rectangle."""
        return self.pixels()[top:top + height, left:left + width].reshape(-1, 3).mean(axis=0)

    def hand(self, *arguments: object) -> str:
        """Does what ``xdotool`` does with these arguments, and returns what it says."""
        done = subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, text=True, capture_output=True)
        return done.stdout.strip()

    def click(self, x: int, y: int) -> None:
        """Clicks there."""
        self.hand("mousemove", x, y, "click", 1)

    def windows(self, title: str) -> list[str]:
        """The windows with this title that are seen."""
        return self.hand("search", "--onlyvisible", "--name", f"^{title}$").split()

    def window(self, title: str, seconds: float = 20) -> str:
        """Waits for a window with this title."""
        return wait_for(f"a window {title!r}", lambda: self.windows(title), seconds)[0]


def count_colours(pixels: np.ndarray) -> int:
    """How many 8-bit colours there are."""
    return len(np.unique(pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)))


def write_png(path: Path, pixels: np.ndarray) -> None:
    """Writes a PNG file of 8-bit colours."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in np.ascontiguousarray(pixels))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                     + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))
