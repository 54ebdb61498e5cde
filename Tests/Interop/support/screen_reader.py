"""A screen reader's view of a window: AT-SPI on a D-Bus session of the test's own.

The accessibility library is the distribution's and belongs to its Python, so the reading is done by a process of its
own: this file, run by ``/usr/bin/python3``. It answers each line that it reads with one line of JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

#: States that matter in a window's elements.
STATES = ("checked", "editable", "enabled", "focusable", "focused", "modal", "multi_line", "selected", "sensitive", "showing")


class ScreenReader:
    """A session without a screen reader's voice. Use it in a ``with`` block; start programs with its
    ``environment``."""

    def __enter__(self) -> "ScreenReader":
        self._bus = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        address = self._bus.stdout.readline().strip()
        if not address:
            raise AssertionError("dbus-daemon did not start; run Scripts/setup test")
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": address, "GTK_A11Y": "atspi", "NO_AT_BRIDGE": "0"}
        self._reader = subprocess.Popen(["/usr/bin/python3", __file__], env=os.environ | self.environment, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._errors: list[str] = []
        threading.Thread(target=lambda: self._errors.extend(self._reader.stderr), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self._reader, self._bus):
            process.terminate()
            process.wait(10)

    def _ask(self, *words: object) -> Any:
        self._reader.stdin.write(json.dumps(words) + "\n")
        line = self._reader.stdout.readline()
        if not line:
            raise AssertionError(f"the reader ended: {self._errors[-10:]}")
        return json.loads(line)

    def window(self, application: str) -> list[dict[str, Any]]:
        """Everything in the application's windows, each before what is in it: its role, name, text, states, and place
        in the tree."""
        return self._ask("read", application)

    def press(self, application: str, path: list[int]) -> bool:
        """Does the first action of what has that place in the tree, as a screen reader's user does."""
        return self._ask("press", application, path)


# MARK: The process of its own

def serve() -> None:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi
    Atspi.init()

    def find(name: str) -> Any:
        desktop = Atspi.get_desktop(0)
        applications = [desktop.get_child_at_index(index) for index in range(desktop.get_child_count())]
        return next((each for each in applications if each and each.get_name() == name), None)

    def read(node: Any, path: list[int], found: list[dict[str, Any]]) -> None:
        node.clear_cache()
        states = node.get_state_set()
        entry = {"role": node.get_role_name(), "name": node.get_name(), "description": node.get_description(), "path": path,
                 "states": [name for name in STATES if states.contains(getattr(Atspi.StateType, name.upper()))]}
        text = node.get_text_iface()
        if text:
            entry["text"] = Atspi.Text.get_text(text, 0, Atspi.Text.get_character_count(text))
        found.append(entry)
        for index in range(node.get_child_count()):
            child = node.get_child_at_index(index)
            if child:
                read(child, [*path, index], found)

    for line in sys.stdin:
        command, name, *rest = json.loads(line)
        answer: Any = None
        try:
            application = find(name)
            if application is None:
                answer = []
            elif command == "read":
                answer = []
                read(application, [], answer)
            else:
                node = application
                for index in rest[0]:
                    node = node.get_child_at_index(index)
                action = node.get_action_iface()
                answer = bool(action) and Atspi.Action.do_action(action, 0)
        except gi.repository.GLib.Error as error:
            # The node is gone already: the next look finds what is there then.
            print(error, file=sys.stderr)
            answer = []
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
