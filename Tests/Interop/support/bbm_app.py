"""The example apps of BBM Enterprise (``Examples``): commands go in, events come out."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

from browser import wait_for
from display import Display, write_png
from server import APPS, BINARY, OUTPUT, Server

PASSCODE = "violet anchors sing low"


def make_domain(server: Server, name: str, *options: str) -> str:
    """A domain of the sandbox that believes every user id; its id stands alone on the line that is printed."""
    words = [str(BINARY), "domain", "create", name, "--auth", "disabled", "--data", server.data, *options]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class BBMApp:
    """An example of a user, whose endpoint keeps its data in ``data``. Use it in a ``with`` block.

    Without a window unless there is a display. ``folder`` is where it finds its ``ConfigSettings.plist``."""

    def __init__(self, program: str, server: Server, domain: str, user: str, data: Path, *options: str, passcode: str = PASSCODE,
                 display: Display | None = None, folder: Path | None = None, **environment: str):
        self.name = f"{user} ({data.name})"
        window = [] if display else ["--headless"]
        self.command = [str(APPS / program), *window, "--server", server.url, "--domain", domain, "--user", user,
                        "--passcode", passcode, "--data", str(data), *options]
        self.environment = (display.environment if display else dict(os.environ)) | environment
        self.folder = folder
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def __enter__(self) -> "BBMApp":
        self.process = subprocess.Popen(self.command, env=self.environment, text=True, bufsize=1, stdin=subprocess.PIPE, cwd=self.folder,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        threading.Thread(target=self._read, args=(self.process.stdout, lambda line: self.events.append(json.loads(line))), daemon=True).start()
        threading.Thread(target=self._read, args=(self.process.stderr, self.errors.append), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    @staticmethod
    def _read(stream: Any, keep: Any) -> None:
        for line in stream:
            keep(line.rstrip("\n"))

    def send(self, command: str, **fields: object) -> None:
        self.process.stdin.write(json.dumps({"command": command} | fields) + "\n")

    def all(self, event: str, since: int = 0, **fields: object) -> list[dict[str, Any]]:
        """The events of that kind with these values, behind the first ``since`` ones."""
        return [each for each in self.events[since:] if each["event"] == event and all(each.get(name) == value for name, value in fields.items())]

    def states(self) -> list[str]:
        """The states of the setup, without repetitions."""
        states = [event["setupState"] for event in self.all("authState")]
        return [state for number, state in enumerate(states) if number == 0 or states[number - 1] != state]

    def wait_for(self, event: str, since: int = 0, seconds: float = 60, **fields: object) -> dict[str, Any]:
        """Waits for an event with these values; returns the last of them."""
        def found() -> Any:
            wanted = self.all(event, since, **fields)
            return wanted[-1] if wanted else f"no: {self.events[-5:]} {self.errors[-5:]}"
        return wait_for(f"{event} {fields} of {self.name}", found, seconds)

    def stop(self) -> int:
        """Stops it with a command, and returns its status."""
        self.send("stop")
        return self.process.wait(60)


def keep_picture(folder: str, name: str, display: Display, title: str, moves: bool = False) -> np.ndarray:
    """Leaves a picture of a window in a folder of ``output``, at rest unless it ``moves``; returns its pixels."""
    place = OUTPUT / folder
    place.mkdir(parents=True, exist_ok=True)

    def drawn() -> object:
        values = dict(line.split("=") for line in display.hand("getwindowgeometry", "--shell", display.window(title)).splitlines())
        left, top, width, height = (int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))
        first, second = (display.pixels()[top:top + height, left:left + width] for _ in range(2) if time.sleep(0.1) is None)
        if not moves and not np.array_equal(first, second):
            return "no: it changes"
        write_png(place / f"{name}.png", second)
        return [second]
    return wait_for(f"a picture of {name}", drawn)[0]
