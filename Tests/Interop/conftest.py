"""Options of pytest for the interop tests: the order of the modules, and the file with the time that each test took."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent
(FOLDER / "output").mkdir(exist_ok=True)

#: Modules that take more than 40 s next to others, those with the most first: the last of them ends when the others do,
#: rather than long after. `make test` leaves the seconds of each test in .build/test-times/interop.json.
LONG = ("test_skype", "test_encrypted_meetings", "test_opentok_script", "test_meeting", "test_admin", "test_opentok_app",
        "test_keyboard_hosts", "test_client_trouble", "test_encrypted_contents", "test_chat", "test_hosting", "test_opentok",
        "test_link_devices", "test_firefox", "test_data", "test_codecs", "test_accessibility", "test_operation", "test_addresses",
        "test_keyboard", "test_lobby", "test_keyboard_apps", "test_signin", "test_client_peers", "test_client_crowd", "test_quick_start",
        "test_kill", "test_commands", "test_calendar", "test_hostile_server", "test_client_network", "test_strangers")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--times", metavar="FILE", help="add the seconds of each test to this JSON file")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


class Times:
    """Adds up how long each test took, with what was made ready for it and put away."""

    def __init__(self, file: Path) -> None:
        self._file, self._seconds = file, {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rsplit("::", 1)[-1]
        self._seconds[name] = self._seconds.get(name, 0) + report.duration

    def pytest_sessionfinish(self) -> None:
        before = json.loads(self._file.read_text()) if self._file.exists() else []
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps(before + [(seconds, name) for name, seconds in self._seconds.items()]))


def pytest_configure(config: pytest.Config) -> None:
    file = config.getoption("--times")
    # Processes that run tests report to the one that started them, which alone writes.
    if file and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Times(Path(file)))
