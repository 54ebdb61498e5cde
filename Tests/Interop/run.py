"""Runs the interop tests: real browsers and other stacks against the release build.

    .venv/bin/python Tests/Interop/run.py                              all tests, by the markers in pytest.ini
    .venv/bin/python Tests/Interop/run.py test_skype test_modules      the tests of these names, with their output

A name is a part of a test's module, class or name.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
#: Read by Scripts/slowest-tests.
TIMES = FOLDER.parent.parent / ".build" / "test-times" / "interop.json"
#: Servers and browsers keep their files in memory.
IN_MEMORY = FOLDER.parent.parent / "Scripts" / "in-memory"
CORES = os.cpu_count() or 1
#: The phases of a run: the markers of the tests, and in how many processes they run at a time. The tests of the first
#: phase wait for half of their time: for windows of 1.5 s in which a page listens and looks, and for reconnects.
PHASES = (("not clock and not alone", 2 * CORES), ("clock", 2), ("alone", 1))


def pytest(*options: str) -> bool:
    """Runs pytest in a process of its own; whether every test passed."""
    return subprocess.run([str(IN_MEMORY), sys.executable, "-m", "pytest", str(FOLDER), *options]).returncode == 0


def main() -> int:
    if names := sys.argv[1:]:
        wanted = " or ".join(f"({' and '.join(part for part in name.split('.') if part)})" for name in names)
        return 0 if pytest("-v", "-s", "-k", wanted) else 1
    TIMES.unlink(missing_ok=True)
    outcomes = []
    for marked, processes in PHASES:
        began = time.monotonic()
        beside = ("-n", str(processes), "--dist", "loadfile", "--no-loadscope-reorder") if processes > 1 else ()
        outcomes.append(pytest("-v", "-m", marked, "--times", str(TIMES), *beside))
        print(f"{marked}: took {time.monotonic() - began:.0f} s", flush=True)
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
