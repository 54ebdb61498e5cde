"""Runs the release server for a test, and stops it by its own process id."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from ports import free_port

#: The folder of the helpers, with scripts and sources that tests load.
SUPPORT = Path(__file__).resolve().parent
#: The folder of screenshots and other files to look at.
OUTPUT = SUPPORT.parent / "output"
ROOT = SUPPORT.parents[2]
BINARY = Path(os.environ.get("PARLEY", ROOT / ".build/release/parley"))
#: The folder of the example apps, which are built for the Swift tests anyway; their media is optimised there too.
APPS = Path(os.environ.get("PARLEY_APPS", ROOT / ".build/debug"))


class Server:
    """``parley serve`` in a folder of its own, started by the command ``within``. Use it in a ``with`` block.

    Links may turn devices on at once, as most tests need it; ``link_devices="off"`` is what servers do otherwise."""

    def __init__(self, *options: str, data: str | None = None, port: int | None = None, output: Path | None = None,
                 command: str = "serve", within: tuple[str, ...] = (),
                 link_devices: str = "allow"):
        self._folder = None if data else tempfile.TemporaryDirectory(prefix="parley-")
        self.data = data or self._folder.name
        self.admin_port, self.port = free_port(), port or free_port()
        self.options = ("--link-devices", link_devices, *options)
        self.command = command
        self.within = within
        self.output = output
        self.lines: list[str] = []
        self.url = ""
        self._stopping = False

    def __enter__(self) -> "Server":
        command = [*self.within, str(BINARY), self.command, "--port", str(self.port), "--data", self.data]
        command += ["--admin-port", str(self.admin_port), "--media-port", "0", *self.options]
        started = time.monotonic()
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1, cwd=ROOT)
        ready = threading.Event()

        def read() -> None:
            for line in self.process.stdout:
                self.lines.append(line.rstrip("\n"))
                match = re.match(r"Parley is ready: (\S+)", line)
                if match:
                    self.url = match.group(1).rstrip("/")
                    self.start_seconds = time.monotonic() - started
                    ready.set()
            ready.set()

        self._reader = threading.Thread(target=read, daemon=True)
        self._reader.start()
        if not ready.wait(20) or not self.url:
            self.process.kill()
            raise AssertionError("the server did not say that it is ready within 20 s; it printed:\n" + self.log())
        return self

    def stop(self) -> None:
        """Asks the server to end, once: it takes a later signal for an order to end at once, with another exit code."""
        if not self._stopping and self.process.poll() is None:
            self._stopping = True
            self.process.send_signal(signal.SIGTERM)

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise AssertionError("the server did not stop within 15 s of SIGTERM; it printed:\n" + self.log())
        self._reader.join(5)
        if self.output:
            self.output.write_text(self.log())
        if self._folder:
            self._folder.cleanup()
        if self.process.returncode != 0:
            raise AssertionError(f"the server ended with {self.process.returncode}; it printed:\n" + self.log())

    def log(self) -> str:
        """The server's output so far."""
        return "\n".join(self.lines[-200:])

    @property
    def media_port(self) -> int:
        """The UDP and TCP port of its first worker, from its log."""
        found = [match for line in self.lines if (match := re.search(r"event=media\.listening ports=\"?(\d+)", line))]
        if not found:
            raise AssertionError("the server does not say where its media is:\n" + self.log())
        return int(found[0].group(1))

    def resident_kilobytes(self) -> int:
        """Resident memory (VmRSS)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def metrics(self) -> dict[str, float]:
        """The admin port's counters, by name with labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.admin_port}/metrics", timeout=5) as answer:
            text = answer.read().decode()
        rows = (line.rsplit(" ", 1) for line in text.splitlines() if line and not line.startswith("#"))
        return {name: float(value) for name, value in rows}

    def bandwidth(self) -> dict[str, float]:
        """The metrics of the paths to receivers, without those at 0."""
        ends = ("estimated", "limited", "paused", "estimate_bits_per_second", "video_bits_per_second",
                "audio_bits_per_second", "queued_bytes", "packets_paced", "paced_drops", "keyframe_requests")
        kind = lambda name: name.partition("{")[0].removesuffix("_total")
        return {name: value for name, value in self.metrics().items() if value and kind(name).endswith(ends)}
