"""Runs ``parley join`` on a terminal, and reads its live screen."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import threading

from browser import wait_for
from server import BINARY, ROOT


class Screen:
    """``parley join`` on a terminal of its own. Use it in a ``with`` block; leaving it leaves the meeting."""

    def __init__(self, address: str, *options: str):
        self.command = [str(BINARY), "join", address, *options]
        self.text = ""

    def __enter__(self) -> "Screen":
        self.terminal, other = pty.openpty()
        self.process = subprocess.Popen(self.command, cwd=ROOT, stdin=other, stdout=other, stderr=other, start_new_session=True)
        os.close(other)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            while data := os.read(self.terminal, 65_536):
                self.text += data.decode(errors="replace")

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.status = self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"it did not end; the screen says: {self.lines()}")
        finally:
            self._reader.join(5)
            os.close(self.terminal)

    def type(self, text: str) -> None:
        """Types on it."""
        os.write(self.terminal, text.encode())

    def lines(self) -> list[str]:
        """The screen as it was drawn last, without what steers a terminal."""
        drawn = self.text.rsplit("\x1b[H", 1)[-1]
        return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn).replace("\r", "").split("\n")]

    def expect(self, words: str, seconds: float = 20) -> None:
        """Waits until these words are on it."""
        wait_for(f"{words!r} on the screen", lambda: any(words in line for line in self.lines()) or f"no: {self.lines()}", seconds)
