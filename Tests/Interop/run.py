"""Runs every interop test: real browsers and other stacks against the release build.

    .venv/bin/python Tests/Interop/run.py [part of a test's name …]
"""

from __future__ import annotations

import sys
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))


def flatten(suite: unittest.TestSuite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def main() -> int:
    wanted = sys.argv[1:]
    tests = [test for test in flatten(unittest.TestLoader().discover(str(FOLDER), "test_*.py"))
             if not wanted or any(part in test.id() for part in wanted)]
    (FOLDER / "output").mkdir(exist_ok=True)
    started = time.monotonic()
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(unittest.TestSuite(tests))
    failed = len(result.failures) + len(result.errors)
    print(f"took {time.monotonic() - started:.0f} s")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
