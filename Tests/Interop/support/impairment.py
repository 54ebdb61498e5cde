"""Bad networks for real browsers: the impairment proxy, and pages whose media goes through it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import threading
import time
from pathlib import Path

from browser import Person, wait_for
from server import ROOT

BINARY = Path(os.environ.get("IMPAIRMENT_PROXY", ROOT / ".build/release/impairment-proxy"))

#: Leaves one candidate of each description that the page is given, over UDP at the proxy. Runs before the page's own
#: scripts.
REWRITE = """
(() => {
  const set = RTCPeerConnection.prototype.setRemoteDescription;
  RTCPeerConnection.prototype.setRemoteDescription = function (description) {
    let left = 1;
    const lines = (description?.sdp ?? "").split("\\r\\n").flatMap((line) => {
      if (!line.startsWith("a=candidate:")) { return [line]; }
      const parts = line.split(" ");
      if (parts[2].toLowerCase() !== "udp" || left === 0) { return []; }
      left -= 1;
      parts[4] = "127.0.0.1";
      parts[5] = "PORT";
      return [parts.join(" ")];
    });
    return set.call(this, { type: description.type, sdp: lines.join("\\r\\n") });
  };
})();
"""


class ImpairmentProxy:
    """``impairment-proxy`` in a process of its own, before the media port of a server with one worker. Use it in a
    ``with`` block.

    ``options`` are its own, for instance ``"--down", "loss=10%"``; its ``--seed`` makes the chances repeat.
    """

    def __init__(self, media_port: int, *options: str):
        self.options = ["--forward", str(media_port), *options]
        self._lines: list[str] = []

    def __enter__(self) -> "ImpairmentProxy":
        self.process = subprocess.Popen(
            [str(BINARY), "--commands", *self.options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        line = wait_for(f"the proxy to listen ({self.options})", lambda: self._lines and self._lines[0])
        self.port = int(re.fullmatch(r"Listening on (\d+)", line).group(1))
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(5)
        self._reader.join(5)

    def _read(self) -> None:
        for line in self.process.stdout:
            self._lines.append(line.rstrip("\n"))

    def carry(self, person: Person) -> Person:
        """Sends all media of a page that has not been opened yet through the proxy."""
        person.context.add_init_script(REWRITE.replace("PORT", str(self.port)))
        return person

    def change(self, way: str, conditions: str) -> float:
        """Changes ``up``, ``down`` or ``both`` ways at once, and returns when that was."""
        before = len(self._lines)
        self.process.stdin.write(f"{way} {conditions}\n")
        self.process.stdin.flush()
        wait_for("the proxy to change", lambda: len(self._lines) > before, 5, 0.02)
        if self._lines[before] != "Changed":
            raise AssertionError(self._lines[before])
        return time.monotonic()

    def statistics(self) -> dict:
        """The links' counts so far; ``up`` is from the page to the server."""
        before = len(self._lines)
        self.process.send_signal(signal.SIGUSR1)
        wait_for("the proxy's statistics", lambda: len(self._lines) > before, 5, 0.02)
        return json.loads(self._lines[-1])
