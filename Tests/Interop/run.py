"""Runs every interop test: real browsers and other stacks against the release build.

    .venv/bin/python Tests/Interop/run.py [part of a test's name …]

Browsers, codecs and servers share the machine with whatever else it does, and some of what is checked takes place in real time. So a test that
fails is tried once more when all others are done, with the same bounds. One that passes only then is named as unsteady: it does not
fail the run, and its failure is printed all the same. `UNSTEADY=fail` makes it one.
"""

from __future__ import annotations

import os
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
    """Notes how long each test took, and which passed."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.times: list[tuple[float, str]] = []
        self.modules: dict[str, float] = {}
        self.passed: set[str] = set()

    def startTest(self, test: unittest.TestCase) -> None:
        self.began = time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        took = time.monotonic() - self.began
        self.times.append((took, test.id().rsplit(".", 1)[-1]))
        module = test.id().rsplit(".", 2)[0]
        self.modules[module] = self.modules.get(module, 0) + took
        super().stopTest(test)

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed.add(test.id())
        super().addSuccess(test)

    @property
    def failed(self) -> set[str]:
        """Tests that failed, also in a part of them, and classes whose set-up did, as ``setUpClass (module.Class)``."""
        return {getattr(test, "test_case", test).id() for test, _ in self.failures + self.errors}


def find(wanted: list[str]) -> list[unittest.TestCase]:
    """The tests whose names hold one of these parts, or all of them."""
    return [test for test in flatten(unittest.TestLoader().discover(str(FOLDER), "test_*.py"))
            if not wanted or any(part in test.id() for part in wanted)]


def run(tests: list[unittest.TestCase]) -> TimedResult:
    return unittest.TextTestRunner(verbosity=2, stream=sys.stdout, resultclass=TimedResult).run(unittest.TestSuite(tests))


def main() -> int:
    (FOLDER / "output").mkdir(exist_ok=True)
    started = time.monotonic()
    result = run(find(sys.argv[1:]))
    failed, unsteady = result.failed, set()
    if failed and os.environ.get("UNSTEADY") != "fail":
        again = run([test for test in find([])
                     if test.id() in failed or f"setUpClass ({test.id().rsplit('.', 1)[0]})" in failed])
        unsteady = again.passed
        failed = again.failed | {name for name in failed - unsteady if not name.startswith("setUpClass")}
    slowest = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(result.times, reverse=True)[:8])
    modules = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in sorted(result.modules.items(), key=lambda item: -item[1]))
    print(f"took {time.monotonic() - started:.0f} s; slowest: {slowest}; modules: {modules}")
    if unsteady:
        print(f"unsteady, passed at the second try: {', '.join(sorted(unsteady))}")
    if failed:
        print(f"failed: {', '.join(sorted(failed))}")
    print(f"{len(result.passed | unsteady)} passed ({len(unsteady)} unsteady), {len(failed)} failed, "
          f"{len(result.skipped)} skipped")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
