"""``Examples/WoodgroveBank`` and ``Examples/OpenTokHello`` in a window, by the keyboard alone: no pointer, and the
focus as a screen reader hears it."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request
from pathlib import Path
from typing import Any

from woodgrove_bank import Bank
from browser import wait_for
from client import Client
from screen_reader import ScreenReader
from server import APPS, Server
from sound_system import Display

BUTTON, TEXT = "push button", "text"


class ByKeyboard(unittest.TestCase):
    """An app on a display without a window manager, where keys go where the pointer is."""
    APPLICATION: str

    def setUp(self) -> None:
        self.reader = self.enterContext(ScreenReader())
        self.enterContext(Display())
        self.style = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"} | self.reader.environment

    def take_window(self, title: str, x: int, y: int) -> None:
        """Puts the pointer to a place of the window where nothing is; it stays there."""
        search = ["xdotool", "search", "--onlyvisible", "--name", f"^{title}$"]
        [window] = wait_for("the window", lambda: subprocess.run(search, capture_output=True, text=True).stdout.split())
        subprocess.run(["xdotool", "mousemove", "--window", window, str(x), str(y)], check=True)

    def names(self) -> list[tuple[str, str]]:
        return [(each["role"], each["name"]) for each in self.reader.window(self.APPLICATION)]

    def focus(self) -> tuple[str, str] | None:
        """The focused element: role and name."""
        found = [(each["role"], each["name"]) for each in self.reader.window(self.APPLICATION) if "focused" in each["states"]]
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
        self.fail(f"the tab key never came to {role} {name!r}, but to {seen}; there is {self.names()}")

    def press(self, name: str, key: str = "space") -> None:
        """Goes to a button, and presses it."""
        self.go(BUTTON, name)
        self.key(key)


class KeyboardApps(ByKeyboard):
    APPLICATION = "WoodgroveBank"

    def setUp(self) -> None:
        super().setUp()
        self.server = self.enterContext(Server())
        home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-bank-")))
        self.app = self.enterContext(Bank(home, "--server", self.server.url, "--size", "360x580", window=True, environment=self.style))
        self.app.do("see Woodgrove Bank")
        self.take_window("Woodgrove Bank", 1, 579)

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

    def leave_by_button(self) -> None:
        """Presses the button in the bar above that leads back."""
        [name] = {name for role, name in self.names() if role == BUTTON and (name.startswith("‹") or name == "Close")}
        self.press(name)


class KeyboardHello(ByKeyboard):
    APPLICATION = "OpenTokHello"

    def setUp(self) -> None:
        super().setUp()
        self.events: list[str] = []

    def start(self, server: Server) -> None:
        app = subprocess.Popen([str(APPS / "OpenTokHello"), "--server", server.url], text=True, env=os.environ | self.style,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(app.wait)
        self.addCleanup(app.kill)

        def read() -> None:
            for line in app.stdout:
                self.events.append(json.loads(line)["event"])
        threading.Thread(target=read, daemon=True).start()
        self.take_window("OpenTok Hello", 5, 5)

    def expect(self, event: str) -> None:
        wait_for(f"{event} in the app", lambda: event in self.events or f"no: {self.events}", 40)

    def waits_at(self, name: str) -> None:
        """Waits until the focus is on a button. While a window changes a reader may find nothing for a moment."""
        wait_for(f"the focus on {name!r}", lambda: self.focus() == (BUTTON, name) or f"no: {self.focus()} in {self.names()}")

    def says(self, *what: tuple[str, str], gone: bool = False) -> None:
        """Waits until a screen reader gets all of this, or nothing of it any more."""
        def told() -> object:
            names = self.names()
            return names and all((each in names) != gone for each in what) or f"no: {names}"
        wait_for(f"{'no ' if gone else ''}{what}", told)

    def test_each_picture_is_named_muted_and_left_and_the_end_is_answered(self) -> None:
        with Server("--development") as server:
            with urllib.request.urlopen(f"{server.url}/session") as answer:
                session = json.load(answer)["sessionId"]
            self.start(server)
            self.expect("publishing")
            ben = self.enterContext(Client(server.url, f"{session}?jwt=devtoken", "Ben", "--publish", "testsrc"))
            self.expect("picture")
            show = "Show what belongs to the picture of "
            own = wait_for("the own name", lambda: [name.removeprefix(show) for role, name in self.names()
                                                    if role == BUTTON and name.startswith(show) and name != f"{show}Ben"])[0]
            self.says((BUTTON, f"{show}Ben"))

            # Each picture has a button of its own, from which the tab key goes on to what it shows, and to the next
            # picture.
            for name in (own, "Ben"):
                self.press(f"{show}{name}")
                self.says((BUTTON, f"Hide what belongs to the picture of {name}"), (BUTTON, "Mute"))
                self.waits_at(f"Hide what belongs to the picture of {name}")
                self.key("Tab")
                self.waits_at("Mute")
                self.key("space")
                # The focus stays where it was.
                self.waits_at("Unmute")
                if name == own:
                    ben.expect("muted")
                self.key("Return")
                self.waits_at("Mute")
                self.press(f"Hide what belongs to the picture of {name}", "Return")
                self.says((BUTTON, "Mute"), gone=True)
                self.waits_at(f"{show}{name}")

            # A stream that ends takes its button along: the focus does not stay on what is gone.
            self.go(BUTTON, f"{show}Ben")
            ben.leave()
            self.expect("dropped")
            self.says((BUTTON, f"{show}Ben"), gone=True)
            self.go(BUTTON, f"{show}{own}")
        # The session is over: an alert has the focus, says why, and is answered by a key.
        self.expect("alert")
        self.waits_at("OK")
        self.key("Tab", "Tab")
        # It does not go to what lies behind.
        self.waits_at("OK")
        self.key("Escape")
        self.says((BUTTON, "OK"), gone=True)
        wait_for("the words behind it", lambda: "Not connected." in [name for _, name in self.names()] or f"no: {self.names()}")


if __name__ == "__main__":
    unittest.main()
