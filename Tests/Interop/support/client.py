"""Runs ``parley join`` for a test: a participant made of the Swift client, controlled and heard through JSON lines."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any, Callable

from browser import FAR, wait_for
from pictures import Video
from server import BINARY, ROOT
from sounds import Sound


class Client:
    """``parley join`` in a process of its own, started by the command ``within``. Use it in a ``with`` block; leaving
    it leaves the meeting."""

    def __init__(self, url: str, room: str, name: str, *options: str, records: bool = False, within: tuple[str, ...] = ()):
        self.name = name
        self.within = within
        self.address = f"{url}/{room}" if room else url
        self.options = list(options)
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self._folder = tempfile.TemporaryDirectory(prefix="parley-record-") if records else None
        if self._folder:
            self.options += ["--record", self._folder.name, "--raw"]
        self.status: int | None = None

    def __enter__(self) -> "Client":
        self.process = subprocess.Popen(
            [*self.within, str(BINARY), "join", self.address, "--json", "--name", self.name, *self.options], cwd=ROOT, text=True, bufsize=1,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._readers = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._complain, daemon=True)]
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if self.status is None:
                self.leave() if kind is None else self._kill()
        finally:
            if self._folder:
                self._folder.cleanup()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.events.append(json.loads(line) | {"seen": time.monotonic()})

    def _complain(self) -> None:
        for line in self.process.stderr:
            self.errors.append(line.rstrip("\n"))

    def _kill(self) -> None:
        self.process.kill()
        self.status = self.process.wait()

    # Its commands

    def command(self, name: str, **values: Any) -> None:
        """Gives it a command on standard input."""
        self.process.stdin.write(json.dumps({"command": name} | values) + "\n")
        self.process.stdin.flush()

    def leave(self) -> None:
        """Leaves the meeting, and expects the process to end well."""
        if self.process.poll() is None:
            self.command("leave")
        status = self.end(20)
        if status != 0:
            raise AssertionError(f"{self.name} ended with {status}: {self.errors[:20]}; {self.last()}")

    def end(self, seconds: float) -> int:
        """Waits for the process to end by itself and returns its exit status."""
        try:
            self.status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._kill()
            raise AssertionError(f"{self.name} did not end within {seconds} s; {self.errors[:20]}; {self.last()}")
        for reader in self._readers:
            reader.join(5)
        return self.status

    # Its events

    def all(self, event: str, **values: Any) -> list[dict[str, Any]]:
        """Every event of that kind so far whose fields have those values."""
        return [each for each in list(self.events)
                if each["event"] == event and all(each.get(key) == value for key, value in values.items())]

    def last(self) -> str:
        """The last events in short, for messages of failed tests."""
        return ", ".join(each["event"] for each in self.events[-12:]) + f"; {self.all('stats')[-1:]}"

    def expect(self, event: str, seconds: float = 30, since: int = 0, **values: Any) -> dict[str, Any]:
        """Waits for an event; ``since`` is how many of ``events`` are too old."""
        def look() -> Any:
            has_ended = self.process.poll() is not None
            if has_ended:
                # Its last events may still have to be read.
                for reader in self._readers:
                    reader.join(FAR)
            if found := [each for each in self.all(event, **values) if each in self.events[since:]]:
                return found[0]
            if has_ended:
                raise AssertionError(f"{self.name} ended with {self.process.returncode}: {self.errors}; waited for {event} {values}")
            return f"no: {self.last()}"
        return wait_for(f"{self.name}'s event {event} {values or ''}", look, seconds)

    def joined(self) -> "Client":
        """Waits until it is in the meeting."""
        self.id = self.expect("joined", 40)["participant"]
        return self

    def sees(self, name: str, seconds: float = 40) -> dict[str, Any]:
        """Waits for the first picture of somebody."""
        return self.expect("firstFrame", seconds, name=name, kind="video")

    def received(self, kind: str) -> list[dict[str, Any]]:
        """The newest statistics of what is received of one kind."""
        lines = self.all("stats")
        return [each for each in lines[-1]["received"] if each["kind"] == kind] if lines else []

    def sent(self, kind: str) -> list[dict[str, Any]]:
        """The newest statistics of what is sent of one kind."""
        lines = self.all("stats")
        return [each for each in lines[-1]["sent"] if each["kind"] == kind] if lines else []

    def statistics(self, what: str, condition: Callable[[], Any], seconds: float = 30) -> Any:
        """Waits until the statistics say something."""
        return wait_for(f"{self.name}'s statistics: {what}", lambda: condition() or f"no: {self.all('stats')[-1:]}", seconds)

    # Its recordings, whole once it has left

    def video(self, name: str, source: str = "camera") -> Video:
        """Its recording of somebody's picture."""
        return Video(Path(self._folder.name) / f"{name}-{source}.y4m")

    def sound(self, name: str, source: str = "microphone") -> Sound:
        """Its recording of somebody's sound."""
        return Sound(Path(self._folder.name) / f"{name}-{source}.wav")

    def starts(self) -> dict[str, float]:
        """When each recorded file begins, in seconds of one clock."""
        return json.loads((Path(self._folder.name) / "starts.json").read_text())
