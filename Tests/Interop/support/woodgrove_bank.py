"""``Examples/WoodgroveBank``, the sample app of the Skype for Business App SDK, as a test works with it: steps go in,
what happens comes out."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

import av
import numpy as np

from browser import wait_for
from server import APPS
from sounds import Sound


class Bank:
    """The app, with settings of its own in ``home`` and with test devices, which its environment asks for. Without a
    window unless ``window`` is true; then its environment names the display."""

    def __init__(self, home: Path, *options: str, window: bool = False, environment: dict[str, str] | None = None):
        self.home = home
        self.heard = home / "heard.wav"
        mode = ["--script", "-"] if window else ["--headless"]
        self.command = [str(APPS / "WoodgroveBank"), *mode, *options]
        own = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "PARLEY_TEST_DEVICES": "1", "PARLEY_SPEAKER_FILE": str(self.heard)}
        self.environment = os.environ | own | (environment or {})
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def __enter__(self) -> "Bank":
        self.process = subprocess.Popen(self.command, env=self.environment, text=True, bufsize=1, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._complain, daemon=True).start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None and self.process.poll() is None:
            try:
                self.send("quit")
                self.process.wait(20)
            except (subprocess.TimeoutExpired, BrokenPipeError):
                pass
        if self.process.poll() is None:
            self.process.kill()
        status = self.process.wait()
        if kind is None and status != 0:
            raise AssertionError(f"the app ended with {status}: {self.errors[-20:]}; {self.last()}")

    def _read(self) -> None:
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def _complain(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line.rstrip("\n"))

    # Its steps

    def send(self, step: str) -> None:
        """Gives it a step without waiting for it."""
        self.process.stdin.write(step + "\n")
        self.process.stdin.flush()

    def do(self, *steps: str) -> "Bank":
        """Gives it steps, and waits for each to be done."""
        for step in steps:
            before = len(self.events)
            self.send(step)
            def done() -> Any:
                new = [each for each in self.events[before:] if each.get("step") == step]
                if new and new[0]["event"] == "problem":
                    raise AssertionError(f"the app could not {step!r}; it shows {self.screen()}; {self.errors[-5:]}")
                if self.process.poll() is not None:
                    raise AssertionError(f"the app ended with {self.process.returncode}: {self.errors[-20:]}")
                return new or f"no: {self.last()}"
            wait_for(f"the app to {step!r}", done, 40)
        return self

    # Its events

    def screen(self) -> dict[str, Any]:
        """The texts on the screen now."""
        return next((each for each in reversed(self.events) if each["event"] == "screen"), {})

    def last(self) -> str:
        """The last events in short, and the screen, for messages of failed tests."""
        return f"{[each for each in self.events if each['event'] not in ('screen', 'done')][-8:]}; {self.screen()}"

    def all(self, event: str, field: str, since: int = 0) -> list[str]:
        """The values of a field in every event of that kind."""
        return [each[field] for each in self.events[since:] if each["event"] == event]

    def shows(self, words: str, seconds: float = 30) -> str:
        """Waits until a text with these words is on the screen, and returns it."""
        return wait_for(f"{words!r} in the app", lambda: next(
            (text for text in self.screen().get("texts", []) if words in text), None) or f"no: {self.last()}", seconds)

    def asks(self, title: str, words: str = "", seconds: float = 40) -> dict[str, Any]:
        """Waits for an alert or a sheet of that title whose message has these words."""
        def look() -> Any:
            alert = self.screen().get("alert") or {}
            return alert if alert.get("title") == title and words in alert["message"] else f"no: {self.last()}"
        return wait_for(f"the alert {title!r} with {words!r}", look, seconds)

    def expect(self, event: str, since: int = 0, seconds: float = 40, **values: str) -> int:
        """Waits for an event with these values; returns how many events there were then."""
        def look() -> Any:
            return any(each["event"] == event and all(each.get(key) == value for key, value in values.items())
                       for each in self.events[since:]) or f"no: {self.last()}"
        wait_for(f"{event} {values} in the app", look, seconds)
        return len(self.events)

    def sees(self, colour: tuple[int, int, int], seconds: float = 30) -> None:
        """Waits until the agent's picture is of that colour in its middle."""
        file = self.home / "agent.png"

        def look() -> Any:
            if "Agent's picture" not in self.screen().get("views", []):
                return f"no: nobody is shown; {self.last()}"
            self.do(f"save {file} = Agent's picture")
            with av.open(str(file)) as image:
                pixels = next(image.decode(video=0)).to_ndarray(format="rgb24")
            height, width = pixels.shape[:2]
            # The picture lies across the middle of an upright screen; a bar crosses it.
            part = pixels[height * 9 // 20:height * 11 // 20, width // 8:width * 7 // 8].reshape(-1, 3)
            median = np.median(part, axis=0)
            return all(abs(float(a) - b) < 50 for a, b in zip(median, colour)) or f"no: {median}, expected {colour}"
        wait_for("the agent's picture in the app", look, seconds)

    def hears(self, frequency: float, seconds: float = 30) -> None:
        """Waits until what the app plays is a tone of that frequency."""
        def listen() -> Any:
            if not (sound := Sound.so_far(self.heard, 2)):
                return "no: less than two seconds of sound"
            found = sound.frequency()
            return abs(found - frequency) < 12 or f"no: {found} Hz, expected {frequency}"
        wait_for(f"{frequency} Hz in the app", listen, seconds)
