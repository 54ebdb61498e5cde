"""``Examples/OpenTokHello``, run as a program."""

from __future__ import annotations

import json
import subprocess
import threading

from browser import wait_for
from display import Display
from server import APPS


class App:
    """The app, without a window unless there is a display; what happens in it comes as JSON lines."""

    def __init__(self, *options: str, display: Display | None = None):
        self.binary = APPS / "OpenTokHello"
        self.options = options if display else ("--headless", *options)
        self.environment = display.environment if display else None
        self.events: list[dict[str, str]] = []

    def __enter__(self) -> "App":
        self.process = subprocess.Popen([str(self.binary), *self.options], text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.environment)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def names(self) -> list[str]:
        return [each["event"] for each in self.events]

    def hears(self, pitch: float, seconds: float = 30) -> None:
        """Waits until what the app plays is a tone of that pitch."""
        def heard() -> list[str]:
            return [each["pitch"] for each in self.events if each["event"] == "sound"]
        wait_for(f"{pitch} Hz in the app", lambda: any(abs(float(each) - pitch) <= 10 for each in heard()) or f"no: {heard()}", seconds)

    def expect(self, event: str, seconds: float = 40) -> dict[str, str]:
        wait_for(f"{event} in the app", lambda: event in self.names() or f"no: {self.events[-5:]}", seconds)
        return next(each for each in self.events if each["event"] == event)
