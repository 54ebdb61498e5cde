"""A page as it is for somebody without a mouse or without a screen: where the focus is, whether it is seen, and what a
screen reader says."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver, wait_for
from command import run
from server import Server

#: Whether the focus can be seen where it is: by an outline around it, or around what stands for it.
SEEN = """() => {
  const drawn = (element) => element && getComputedStyle(element).outlineStyle !== "none" && parseFloat(getComputedStyle(element).outlineWidth) > 0;
  const active = document.activeElement;
  return active.matches(":focus-visible") && (drawn(active) || drawn(active.nextElementSibling));
}"""

#: Roles that say nothing without a name.
NAMED = {"alertdialog", "button", "checkbox", "combobox", "dialog", "group", "image", "link", "listbox", "menu", "menuitem", "radio", "region",
         "spinbutton", "switch", "tab", "table", "textbox"}


class Keyboard:
    """The keyboard of a person, and Chromium's accessibility tree of what they have before them."""

    def __init__(self, person: Person):
        self.person = person
        self.page = person.page
        self._session = person.context.new_cdp_session(person.page)

    def _nodes(self) -> list[dict]:
        nodes = self._session.send("Accessibility.getFullAXTree")["nodes"]
        return [{"role": node["role"]["value"], "name": node.get("name", {}).get("value", "").strip(),
                 **{each["name"]: each["value"].get("value") for each in node.get("properties", [])}}
                for node in nodes if not node.get("ignored")]

    def focus(self) -> str:
        """A screen reader's words for the focused element: its role and its name."""
        found = [node for node in self._nodes() if node.get("focused") and node["role"] != "RootWebArea"]
        return f"{found[-1]['role']} {found[-1]['name']}" if found else "nothing"

    def at(self, expected: str, seconds: float = 10) -> None:
        """Waits until that has the focus."""
        wait_for(f"the focus of {self.person.name} on {expected!r}", lambda: (now := self.focus()) == expected or f"no: {now}", seconds, 0.05)

    def nameless(self) -> list[str]:
        """Elements that can be used, or group others, and have no name. The page's main part takes the focus only to be
        read from there."""
        return [f"{node['role']} {node}" for node in self._nodes()
                if not node["name"] and node["role"] not in ("RootWebArea", "main") and (node.get("focusable") or node["role"] in NAMED - {"group"})]

    def press(self, *keys: str) -> "Keyboard":
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def type(self, text: str) -> "Keyboard":
        self.page.keyboard.type(text)
        return self

    def walk(self, *expected: str, key: str = "Tab") -> None:
        """Goes on with Tab, or another key: each step has to lead where it is expected, and be seen there."""
        for each in expected:
            self.page.keyboard.press(key)
            self.at(each, 3)
            assert self.page.evaluate(SEEN), f"the focus on {each!r} is not seen"

    def go(self, name: str, most: int = 60) -> None:
        """Goes on with Tab until that has the focus."""
        seen = []
        for _ in range(most):
            self.page.keyboard.press("Tab")
            seen.append(self.focus())
            if seen[-1] == name:
                assert self.page.evaluate(SEEN), f"the focus on {name!r} is not seen"
                return
        raise AssertionError(f"{most} times Tab did not lead to {name!r}: {seen}")


class KeyboardTest(unittest.TestCase):
    """Tests of pages by keyboard: one server and one driver for all of a class."""

    OPTIONS: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server(*cls.OPTIONS))

    def someone(self, name: str) -> tuple[Person, Keyboard]:
        person = self.enterContext(Person(self.driver, name, devices=False))
        return person, Keyboard(person)

    def enter(self, person: Person, room: str, token: str | None = None, key: str = "") -> None:
        person.page.goto("about:blank")
        person.page.goto(f"{self.server.url}/{room}{f'?jwt={token}' if token else ''}"
                         f'#config.prejoinPageEnabled=false&userInfo.displayName="{person.name}"{f"&{key}" if key else ""}')

    def heading(self, person: Person, text: str) -> None:
        """Waits for a page with that heading, which is where the focus is then."""
        found = person.page.locator("h1").first
        wait_for(f"{person.name}'s page to say {text!r}", lambda: found.count() and found.inner_text() == text
                 or f"no: {found.count() and found.inner_text()} {person.console[-3:]}")

    def connected(self, *people: Person) -> None:
        for person in people:
            wait_for(f"{person.name} to be in", lambda: person.state() == "connected" or f"no: {person.state()} {person.console[-3:]}")

    def token(self, room: str, role: str) -> str:
        return run(self.server, "token", "create", "--room", room, "--role", role)[0]["token"]
