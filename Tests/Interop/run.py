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


class TimedResult(unittest.TextTestResult):
    """Notes how long each test took."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.times: list[tuple[float, str]] = []

    def startTest(self, test: unittest.TestCase) -> None:
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        self.times.append((time.monotonic() - self.began, test.id().rsplit(".", 1)[-1]))
        super().stopTest(test)


def main() -> int:
    wanted = sys.argv[1:]
    tests = [test for test in flatten(unittest.TestLoader().discover(str(FOLDER), "test_*.py"))
             if not wanted or any(part in test.id() for part in wanted)]
    (FOLDER / "output").mkdir(exist_ok=True)
    started = time.monotonic()
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=TimedResult).run(unittest.TestSuite(tests))
    failed = len(result.failures) + len(result.errors)
    slowest = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(result.times, reverse=True)[:8])
    print(f"took {time.monotonic() - started:.0f} s; slowest: {slowest}")
    print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
