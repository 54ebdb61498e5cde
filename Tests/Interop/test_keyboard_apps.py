"""``Examples/WoodgroveBank`` in a window, by the keyboard alone: no pointer, and the focus as a screen reader hears it."""

from __future__ import annotations

import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from bank import Bank
from browser import wait_for
from screen_reader import ScreenReader
from server import Server
from sound_system import Display

APPLICATION = "WoodgroveBank"
BUTTON, TEXT = "push button", "text"


class KeyboardApps(unittest.TestCase):
    def setUp(self) -> None:
        self.reader = self.enterContext(ScreenReader())
        self.enterContext(Display())
        self.server = self.enterContext(Server())
        home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-bank-")))
        style = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"} | self.reader.environment
        self.app = self.enterContext(Bank(home, "--server", self.server.url, "--size", "360x580", window=True, environment=style))
        self.app.do("see Woodgrove Bank")
        search = ["xdotool", "search", "--onlyvisible", "--name", "^Woodgrove Bank$"]
        [window] = wait_for("the window", lambda: subprocess.run(search, capture_output=True, text=True).stdout.split())
        # Without a window manager keys go where the pointer is; it stays where nothing is.
        subprocess.run(["xdotool", "mousemove", "--window", window, "1", "579"], check=True)

    def focus(self) -> tuple[str, str] | None:
        """What has the focus: role and name."""
        found = [(each["role"], each["name"]) for each in self.reader.window(APPLICATION) if "focused" in each["states"]]
        return found[-1] if found else None

    def key(self, *keys: str) -> None:
        subprocess.run(["xdotool", "key", *keys], check=True)

    def type(self, text: str) -> None:
        subprocess.run(["xdotool", "type", text], check=True)

    def go(self, role: str, name: str) -> None:
        """Presses the tab key until the focus is there."""
        seen: list[Any] = []
        for _ in range(20):
            now = self.focus()
            if now == (role, name):
                return
            seen.append(now)
            self.key("Tab")
            end = time.monotonic() + 1
            while self.focus() == now and time.monotonic() < end:
                time.sleep(0.02)
        self.fail(f"the tab key never came to {role} {name!r}, but to {seen}; {self.app.last()}")

    def press(self, name: str, key: str = "space") -> None:
        """Goes to a button, and presses it."""
        self.go(BUTTON, name)
        self.key(key)

    def fill(self, role: str, name: str, text: str) -> None:
        self.go(role, name)
        self.key("ctrl+a")
        self.type(text)
        wait_for(f"{text!r} in {name}", lambda: self.app.screen()["fields"].get(name) == text or f"no: {self.app.screen()['fields']}")

    def sign_in(self) -> None:
        self.fill(TEXT, "Bank ID", "4711")
        self.fill("password text", "Password", "secret")
        self.press("Sign in")
        self.app.shows("Savings account")

    def join(self, how: str) -> int:
        """Joins the online meeting; returns how many events there were before."""
        self.app.shows("You have the token")
        before = len(self.app.events)
        self.press("Join online meeting")
        self.app.asks("Online meeting")
        self.press(how)
        return before

    def test_every_screen_of_the_bank_is_reached_used_and_left(self) -> None:
        # The settings: switches and fields; another screen from there, and back.
        self.press("Settings")
        self.app.shows("Skype for Business Online")
        self.go("check box", "Enable preview features")
        self.key("space")
        wait_for("the switch", lambda: "Enable preview features" in self.app.screen()["on"] or f"no: {self.app.screen()}")
        self.fill(TEXT, "Display name", "Cleo")
        self.press("What do these settings mean?")
        wait_for("what they mean", lambda: (BUTTON, "Save") not in self.names() or f"no: {self.names()}")
        self.leave_by_button()
        self.press("Cancel")

        # A meeting's address: refused in an alert, then kept, which another one says.
        self.press("Add meeting URL")
        self.fill(TEXT, "Meeting URL", "nonsense")
        self.press("Save")
        self.app.asks("Alert!")
        self.key("Return")
        wait_for("the alert to go", lambda: "alert" not in self.app.screen())
        self.fill(TEXT, "Meeting URL", f"{self.server.url}/branch")
        self.press("Save", "Return")
        self.app.asks("SAVED!")
        self.key("Escape")
        wait_for("the notice to go", lambda: "alert" not in self.app.screen())

        # The accounts: rows by the arrow keys.
        self.sign_in()
        self.go("list item", "Checking account, •••• 4821, $3,275.40")
        self.key("Down", "Down")
        wait_for("the last row", lambda: self.focus() == ("list item", "Log off") or f"no: {self.focus()}")
        self.key("Return")
        self.app.do("see Your agent is one click away.")
        self.sign_in()

        # Video, behind the licence.
        self.press("Ask Agent")
        before = self.join("Join online video chat")
        self.app.shows("Codec End User License Terms")
        self.press("Accept to have a video call with your agent")
        self.app.expect("conversation", before, state="established")
        self.press("Unmute")
        self.app.expect("muted", before, state="unmuted")
        self.press("Mute")
        self.press("End")
        self.app.expect("conversation", before, state="idle")

        # Text.
        before = self.join("Join online chat")
        self.app.shows("now you can send a message")
        self.fill(TEXT, "Message to the agent", "Do you give loans?")
        self.key("Return")
        self.app.shows("Do you give loans?")
        self.press("End")
        self.app.expect("conversation", before, state="idle")
        self.leave_by_button()
        self.app.shows("Savings account")

    def names(self) -> list[tuple[str, str]]:
        return [(each["role"], each["name"]) for each in self.reader.window(APPLICATION)]

    def leave_by_button(self) -> None:
        """Presses the button in the bar above that leads back."""
        [name] = {name for role, name in self.names() if role == BUTTON and (name.startswith("‹") or name == "Close")}
        self.press(name)


if __name__ == "__main__":
    unittest.main()
