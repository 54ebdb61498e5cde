"""The time that a busy machine takes from processes: they were ready to go on and had no core."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path


class ProcessorWait:
    """Notes twenty times a second for how long the threads of some processes have waited for a core (the second field
    of Linux' ``schedstat``). Use it in a ``with`` block.

    A picture that stands because nobody had a core to make, carry or show it isn't the stream's fault; how long that
    was is measured here, and not guessed from how busy the machine is.
    """

    WINDOW = 0.5

    def __init__(self, *processes: subprocess.Popen):
        self._processes = processes
        self._samples: list[tuple[float, list[dict[str, int]]]] = []
        self._stop = threading.Event()

    def __enter__(self) -> "ProcessorWait":
        self._look()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self._look()

    def _look(self) -> None:
        self._samples.append((time.monotonic(), [self._waits(process) for process in self._processes]))

    @staticmethod
    def _waits(process: subprocess.Popen) -> dict[str, int]:
        """Nanoseconds by thread."""
        waits = {}
        try:
            for thread in Path(f"/proc/{process.pid}/task").iterdir():
                waits[thread.name] = int((thread / "schedstat").read_text().split()[1])
        except (OSError, IndexError):
            pass  # The process or the thread has ended.
        return waits

    def longest(self) -> float:
        """The most seconds that what passes through all the processes had to wait within ``WINDOW``, by the thread of
        each that waited most."""
        longest, first = 0.0, 0
        samples = list(self._samples)
        for last, (at, after) in enumerate(samples):
            while samples[first][0] < at - self.WINDOW:
                first += 1
            before = samples[first][1]
            waited = sum(max((now.get(thread, was) - was for thread, was in then.items()), default=0) for then, now in zip(before, after))
            longest = max(longest, waited / 1e9)
        return longest
