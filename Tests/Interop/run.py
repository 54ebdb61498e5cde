"""Runs every interop test: real browsers and other stacks against the release build.

    .venv/bin/python Tests/Interop/run.py [part of a test's name …]

Browsers, codecs and servers share the machine with whatever else it does, and some of what is checked takes place in real time. So a test that
fails is tried again when all others are done, twice at most, with the same bounds. One that passes only then is named as unsteady: it does
not fail the run, and its failure is printed all the same. `UNSTEADY=fail` makes it one.

Modules that mostly wait, and judge neither pictures nor sound by the clock, run in a process beside the others when all tests are run; what
they print comes at the end. Modules that judge most of all by the clock come last among the others, when those beside have mostly ended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER))

BESIDE = ("test_accessibility", "test_admin", "test_calendar", "test_chat", "test_client_network", "test_client_trouble", "test_commands",
          "test_doors", "test_durability", "test_examples", "test_guides", "test_hosting", "test_impairment", "test_keyboard", "test_keyboard_apps",
          "test_keyboard_chat", "test_keyboard_hosts", "test_kill", "test_link_devices", "test_lobby", "test_names", "test_opentok_script", "test_operation",
          "test_rights", "test_shares", "test_signin",
          "test_skype", "test_unit", "web.test_modules")
LAST = ("test_client_sync", "test_layers", "test_client_media", "test_quality")
BESIDE_LOG = FOLDER / "output" / "beside.log"
BESIDE_RESULT = FOLDER / "output" / "beside.json"
# Read by Scripts/slowest-tests.
TIMES = FOLDER.parent.parent / ".build" / "test-times" / "interop.json"


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


def turn(test: unittest.TestCase) -> int:
    """Where a test comes among those that are not beside."""
    module = test.id().rsplit(".", 2)[0]
    return 1 + LAST.index(module) if module in LAST else 0


def is_beside(test: unittest.TestCase) -> bool:
    return test.id().rsplit(".", 2)[0] in BESIDE


def run_beside() -> None:
    """What the process beside the others does: its part of the tests, and a note of how they went."""
    result = run([test for test in find([]) if is_beside(test)])
    BESIDE_RESULT.write_text(json.dumps({
        "failed": sorted(result.failed), "passed": sorted(result.passed), "skipped": len(result.skipped), "times": result.times,
        "modules": result.modules}))


class Outcome:
    """How the tests of one or two processes went."""

    def __init__(self, result: TimedResult) -> None:
        self.failed, self.passed, self.skipped = result.failed, set(result.passed), len(result.skipped)
        self.times, self.modules = list(result.times), dict(result.modules)

    def add(self, beside: subprocess.Popen) -> None:
        """Waits for the process beside, prints what it printed, and counts its tests."""
        print("waiting for the tests beside", flush=True)
        beside.wait()
        print(BESIDE_LOG.read_text(errors="replace"), flush=True)
        if beside.returncode != 0 or not BESIDE_RESULT.exists():
            self.failed.add(f"the tests beside, which ended with status {beside.returncode}")
            return
        found = json.loads(BESIDE_RESULT.read_text())
        self.failed |= set(found["failed"])
        self.passed |= set(found["passed"])
        self.skipped += found["skipped"]
        self.times += [tuple(each) for each in found["times"]]
        self.modules |= found["modules"]


def main() -> int:
    (FOLDER / "output").mkdir(exist_ok=True)
    if sys.argv[1:] == ["--beside"]:
        run_beside()
        return 0
    started = time.monotonic()
    wanted = sys.argv[1:]
    if wanted:
        outcome = Outcome(run(find(wanted)))
    else:
        BESIDE_RESULT.unlink(missing_ok=True)
        with BESIDE_LOG.open("w") as log, subprocess.Popen(
                [sys.executable, __file__, "--beside"], stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL) as beside:
            outcome = Outcome(run(sorted((test for test in find([]) if not is_beside(test)), key=turn)))
            outcome.add(beside)
    failed, unsteady = outcome.failed, set()
    for _ in range(0 if os.environ.get("UNSTEADY") == "fail" else 2):
        if not failed:
            break
        again = run([test for test in find([])
                     if test.id() in failed or f"setUpClass ({test.id().rsplit('.', 1)[0]})" in failed])
        unsteady |= again.passed
        failed = again.failed | {name for name in failed - again.passed if not name.startswith("setUpClass")}
    if not wanted:
        TIMES.parent.mkdir(parents=True, exist_ok=True)
        TIMES.write_text(json.dumps(outcome.times))
    slowest = ", ".join(f"{name} {seconds:.0f} s" for seconds, name in sorted(outcome.times, reverse=True)[:8])
    modules = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in sorted(outcome.modules.items(), key=lambda item: -item[1]))
    print(f"took {time.monotonic() - started:.0f} s; slowest: {slowest}; modules: {modules}")
    if unsteady:
        print(f"unsteady, passed when tried again: {', '.join(sorted(unsteady))}")
    if failed:
        print(f"failed: {', '.join(sorted(failed))}")
    print(f"{len(outcome.passed | unsteady)} passed ({len(unsteady)} unsteady), {len(failed)} failed, {outcome.skipped} skipped")
    return 1 if failed or not outcome.passed else 0


if __name__ == "__main__":
    sys.exit(main())
