"""``Examples/QuickStart`` without a window: commands go in, events come out."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from pathlib import Path
from typing import Any

from browser import wait_for
from server import APPS, BINARY, Server


def make_domain(server: Server, name: str) -> str:
    """A domain of the sandbox that believes every user id; its id stands alone on the line that is printed."""
    words = [str(BINARY), "domain", "create", name, "--auth", "disabled", "--data", server.data]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


class QuickStart:
    """The app of a user, whose endpoint keeps its data in ``data``. Use it in a ``with`` block."""

    def __init__(self, server: Server, domain: str, user: str, passcode: str, data: Path, *options: str):
        self.command = [str(APPS / "QuickStart"), "--headless", "--server", server.url, "--domain", domain, "--user", user,
                        "--passcode", passcode, "--data", str(data), *options]
        self.events: list[dict[str, Any]] = []
        self.errors: list[str] = []

    def __enter__(self) -> "QuickStart":
        self.process = subprocess.Popen(self.command, env=os.environ, text=True, bufsize=1, stdin=subprocess.PIPE,
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

    def states(self) -> list[str]:
        """The states of the setup, without repetitions."""
        states = [event["setupState"] for event in self.events if event["event"] == "authState"]
        return [state for number, state in enumerate(states) if number == 0 or states[number - 1] != state]

    def wait_for(self, event: str, **fields: object) -> dict[str, Any]:
        def found() -> Any:
            wanted = [each for each in self.events if each["event"] == event and all(each.get(name) == value for name, value in fields.items())]
            return wanted[-1] if wanted else f"no: {self.events[-5:]} {self.errors[-5:]}"
        return wait_for(f"{event} {fields}", found)

    def stop(self) -> int:
        """Stops it with a command, and returns its status."""
        self.send("stop")
        return self.process.wait(60)
