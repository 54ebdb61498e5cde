"""What does a screen reader say of ``Examples/WoodgroveBank`` and ``Examples/OpenTokHello`` in windows? Over AT-SPI, as
Orca hears it."""

from __future__ import annotations

import json
import socket
import subprocess
import tempfile
import unittest
import urllib.request
from pathlib import Path
from typing import Any

import display as screen
from woodgrove_bank import Bank
from browser import wait_for
from client import Client
from opentok_app import App
from screen_reader import ScreenReader
from server import Server
from sound_system import Display

APPLICATION = "WoodgroveBank"
#: Roles that only hold other things, or repeat the title of the button that they are in.
PLAIN = ("panel", "filler", "scroll bar", "scroll pane")


def told(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The parts of a window that are read out, in its order."""
    buttons = [each["path"] for each in nodes if each["role"] == "push button"]
    return [each for each in nodes if each["role"] not in PLAIN and each["path"][:-1] not in buttons]


class Accessibility(unittest.TestCase):
    def setUp(self) -> None:
        self.reader = self.enterContext(ScreenReader())
        self.enterContext(Display())
        home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-bank-")))
        style = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo"} | self.reader.environment
        # Nobody answers there: what is read are the screens.
        self.app = self.enterContext(
            Bank(home, "--server", "http://127.0.0.1:9", "--size", "360x580", window=True, environment=style))
        self.app.do("see Woodgrove Bank")
        search = ["xdotool", "search", "--onlyvisible", "--name", "^Woodgrove Bank$"]
        [window] = wait_for("the window", lambda: subprocess.run(search, capture_output=True, text=True).stdout.split())
        # Without a window manager keys go where the pointer is.
        subprocess.run(["xdotool", "mousemove", "--window", window, "4", "4"], check=True)

    def read(self) -> list[dict[str, Any]]:
        """The parts of the window, in the order in which they are read out."""
        return told(self.reader.window(APPLICATION))

    def reads(self, *expected: tuple[str, str]) -> list[dict[str, Any]]:
        """Waits until roles and names are these, below the window's own, and returns what was read."""
        def look() -> Any:
            nodes = self.read()
            found = [(each["role"], each["name"]) for each in nodes]
            return nodes[2:] if found == [("application", APPLICATION), ("frame", "Woodgrove Bank"), *expected] else f"no: {found}"
        return wait_for("the screen to be read out", look)

    def focused(self) -> list[tuple[str, str]]:
        return [(each["role"], each["name"]) for each in self.read() if "focused" in each["states"]]

    def tab(self, *expected: tuple[str, str]) -> None:
        """Presses the tab key again and again, and checks where the focus is after each time."""
        for each in expected:
            subprocess.run(["xdotool", "key", "Tab"], check=True)
            wait_for(f"the focus on {each}", lambda: self.focused() == [each] or f"no: {self.focused()}")

    def press(self, name: str) -> None:
        """Presses a button as the reader's user does."""
        def find() -> Any:
            nodes = self.read()
            found = [(each["role"], each["name"]) for each in nodes]
            wanted = ("push button", name)
            return [nodes[found.index(wanted)]] if found.count(wanted) == 1 else f"no: {found}"
        [button] = wait_for(f"the button {name!r}", find)
        self.assertTrue(self.reader.press(APPLICATION, button["path"]))

    def test_screens_are_read_out_with_roles_and_names_and_the_focus_follows_the_tab_key(self) -> None:
        login = [("label", "Woodgrove Bank"), ("label", "Your agent is one click away."), ("text", "Bank ID"), ("password text", "Password"),
                 ("push button", "Sign in"), ("push button", "Add meeting URL"), ("push button", "Settings")]
        nodes = self.reads(*login)
        for each in nodes:
            can_be_used = each["role"] != "label"
            self.assertEqual(("focusable" in each["states"], "sensitive" in each["states"]), (can_be_used, True), each)
            self.assertEqual("editable" in each["states"], each["role"].endswith("text"), each)
        self.tab(*login[2:], login[2])

        # Typed text is read. The letters of a password are not spoken, for its role's sake: GTK 4.8 gives them away all
        # the same.
        self.app.do("fill Bank ID = 4711")
        wait_for("the bank ID to be read", lambda: [each.get("text") for each in self.read() if each["name"] == "Bank ID"] == ["4711"])

        # A presented screen is all that is read; switches say their state.
        self.press("Settings")
        self.app.do("see Skype for Business Online")
        fields = ["Meeting URL", "Token and discovery URI request API URL", "Online meeting request API URL", "Display name"]
        settings = self.reads(
            ("label", "Settings"), ("label", "Skype for Business Online"), ("check box", "Skype for Business Online"),
            ("label", "Enable preview features"), ("check box", "Enable preview features"),
            *((role, name) for name in fields for role in ("label", "text")),
            *(("push button", name) for name in ("Save", "Cancel", "What do these settings mean?")))
        self.assertEqual({each["name"]: "checked" in each["states"] for each in settings if each["role"] == "check box"},
                         {"Skype for Business Online": True, "Enable preview features": False})
        self.assertEqual({each["name"]: each["text"] for each in settings if each["role"] == "text"}["Display name"], "Jake")
        self.press("Cancel")
        self.reads(*login)

    def test_an_alert_is_a_dialog_that_is_read_out_alone_and_keeps_the_focus(self) -> None:
        self.press("Add meeting URL")
        self.app.do("see Add meeting URL")
        self.press("Save")
        self.app.asks("Alert!")
        message = self.app.screen()["alert"]["message"]
        dialog, *_ = self.reads(("dialog", f"Alert! {message}"), ("label", "Alert!"), ("label", message), ("push button", "Close"))
        self.assertIn("modal", dialog["states"])
        close = ("push button", "Close")
        wait_for("the focus in the alert", lambda: self.focused() == [close] or f"no: {self.focused()}")
        self.tab(close, close)
        self.press("Close")
        wait_for("the alert to go", lambda: "alert" not in self.app.screen())
        self.assertIn(("text", "Meeting URL"), [(each["role"], each["name"]) for each in self.read()])

    def test_the_rows_of_a_list_are_read_out_as_a_whole(self) -> None:
        self.press("Sign in")
        self.app.do("see Savings account")
        rows = ["Checking account, •••• 4821, $3,275.40", "Savings account, •••• 7716, $18,940.00", "Log off"]
        def look() -> Any:
            nodes = self.read()
            found = [each["name"] for each in nodes if each["role"] == "list item"]
            return nodes if found == rows else f"no: {[(each['role'], each['name']) for each in nodes]}"
        nodes = wait_for("the rows", look)
        self.assertEqual([each["name"] for each in nodes if each["role"] == "list"], [""])
        self.assertIn(("push button", "Ask Agent"), [(each["role"], each["name"]) for each in nodes])


class HelloAccessibility(unittest.TestCase):
    """``Examples/OpenTokHello``: pictures are read out by their names, and nothing that a picture hides."""

    def test_pictures_have_names_and_what_one_hides_is_not_read_out(self) -> None:
        reader = self.enterContext(ScreenReader())
        display = self.enterContext(screen.Display(400, 600))
        display.environment |= reader.environment
        def picture(name: str) -> tuple[tuple[str, str], ...]:
            return ("image", name), ("push button", f"Show what belongs to the picture of {name}")
        own = picture(socket.gethostname())

        def reads(*expected: tuple[str, str]) -> list[dict[str, Any]]:
            def look() -> Any:
                nodes = told(reader.window("OpenTokHello"))
                found = [(each["role"], each["name"]) for each in nodes]
                return nodes if found == [("application", "OpenTokHello"), ("frame", "OpenTok Hello"), *expected] else f"no: {found}"
            return wait_for("the window to be read out", look)

        with Server("--development") as server:
            app = self.enterContext(App("--server", server.url, display=display))
            app.expect("publishing")
            alone = ("label", f"Nobody else is here yet. Open {server.url}/browser_demo.html to be seen here.")
            reads(alone, *own)
            session = json.loads(urllib.request.urlopen(f"{server.url}/session").read())["sessionId"]
            with Client(server.url, f"{session}?jwt=devtoken", "Ann", "--publish", "testsrc"):
                app.expect("picture")
                reads(*own, *picture("Ann"))
            app.expect("dropped")
            reads(alone, *own)
        text = app.expect("alert")["text"]
        title = "Message from video session"
        nodes = reads(("dialog", f"{title} {text}"), ("label", title), ("label", text), ("push button", "OK"))
        self.assertIn("modal", nodes[2]["states"])


if __name__ == "__main__":
    unittest.main()
