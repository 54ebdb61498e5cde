"""Makes the pictures of the pages that the guides show: the doors of a meeting, what hosts do, and the administration.

    .venv/bin/python Tests/Interop/documentation.py [folder]

Look at each of them before they are committed: no program judges them.
"""

from __future__ import annotations

import datetime as dt
import sys
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import sync_playwright

from browser import Person, see_and_hear, wait_for
from server import ROOT, Server
from test_admin import Receiver, ask
from test_rights import run

ADMIN = "a-token-for-pictures"
WIDE, NARROW = (1100, 700), (390, 760)


class Studio:
    """A server with its people, and the folder that the pictures go to."""

    def __init__(self, stack: ExitStack, folder: Path):
        self.stack, self.folder = stack, folder
        self.driver = stack.enter_context(sync_playwright())
        self.server = stack.enter_context(Server("--admin-token", ADMIN))

    def person(self, name: str, viewport: tuple[int, int] = WIDE) -> Person:
        return self.stack.enter_context(Person(self.driver, name, viewport=viewport))

    def enter(self, person: Person, room: str, role: str | None = None) -> None:
        token = f"jwt={run(self.server, 'token', 'create', '--room', room, '--role', role)[0]['token']}&" if role else ""
        person.page.goto(f"{self.server.url}/{room}#{token}config.prejoinPageEnabled=false&userInfo.displayName=\"{person.name}\"")

    def take(self, person: Person, name: str) -> None:
        # Nothing is pointed at, so that no control looks as if it was.
        person.page.mouse.move(0, 0)
        person.page.screenshot(path=self.folder / f"{name}.png")
        print(name, flush=True)

    def quiet(self, person: Person) -> None:
        """Waits until what was announced is off the screen."""
        wait_for("the announcements to go", lambda: person.page.locator(".toast").count() == 0)

    def heading(self, person: Person, text: str) -> None:
        person.page.get_by_role("heading", name=text).wait_for()

    def doors(self) -> None:
        """What somebody sees who is not in yet, and the host's side of it."""
        run(self.server, "meeting", "create", "closed", "--passcode", "blue 42", "--subject", "Board")
        guest = self.person("Ben", NARROW)
        self.enter(guest, "closed")
        guest.page.get_by_label("Passcode").wait_for()
        self.take(guest, "passcode")
        run(self.server, "meeting", "create", "board", "--access-level", "Locked", "--subject", "Board")
        host = self.person("Ann")
        self.enter(host, "board", "organizer")
        host.joined()
        self.enter(guest, "board")
        other = self.person("Cem", NARROW)
        self.enter(other, "board")
        self.heading(guest, "Waiting to be let in")
        self.take(guest, "lobby-guest")
        host.page.keyboard.press("p")
        wait_for("both in the list", lambda: host.page.locator(".lobby-list .person").count() == 2)
        self.take(host, "lobby-host")
        host.page.get_by_role("button", name="Admit all").click()
        see_and_hear((host, "Ben"), (host, "Cem"))
        self.hosts(host, guest)

    def hosts(self, host: Person, guest: Person) -> None:
        """What hosts see in a meeting."""
        page = host.page
        guest.page.keyboard.press("h")
        page.locator(".tile-hand:visible").wait_for()
        self.quiet(host)
        self.take(host, "people")
        page.get_by_role("button", name="More for Ben").click()
        self.take(host, "people-menu")
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.evaluate("""() => parley.hosting.createPoll({ question: "When do we meet again?", options: ["Tuesday", "Thursday"] })""")
        guest.page.wait_for_function("() => parley.hosting.polls.length === 1")
        guest.page.evaluate("() => parley.hosting.vote(parley.hosting.polls[0].id, [1])")
        page.get_by_role("button", name="More", exact=True).click()
        page.get_by_role("menuitem", name="Polls").click()
        page.get_by_role("group", name="When do we meet again?").wait_for()
        self.quiet(host)
        self.take(host, "polls")

    def planning(self) -> None:
        """Planning a meeting on the start page."""
        host = self.person("Dan")
        host.page.goto(self.server.url)
        host.page.get_by_role("button", name="Plan").click()
        host.page.get_by_label("Title").fill("Choir")
        host.page.locator("#plan-day").fill((dt.date.today() + dt.timedelta(days=3)).isoformat())
        self.take(host, "plan")
        host.page.get_by_role("button", name="Plan the meeting").click()
        host.page.get_by_role("button", name="Copy the address").wait_for()
        self.take(host, "planned")

    def administration(self) -> None:
        """The pages of the administration, while a meeting runs."""
        receiver = self.stack.enter_context(Receiver())
        status, made = ask(self.server, "POST", "webhooks", {"url": receiver.url}, token=ADMIN)
        assert status == 201, made
        ann, ben = self.person("Ann"), self.person("Ben")
        for each in (ann, ben):
            self.enter(each, "daily")
        see_and_hear((ann, "Ben"), (ben, "Ann"))
        wait_for("the deliveries", lambda: "publication.added" in receiver.types())
        operator = self.person("Dan")
        page = operator.page
        page.goto(f"http://127.0.0.1:{self.server.admin_port}/admin")
        page.get_by_label("Admin token").fill(ADMIN)
        page.keyboard.press("Enter")
        self.heading(operator, "Meetings")
        page.get_by_role("link", name="daily").first.wait_for()
        self.take(operator, "admin-meetings")
        page.get_by_role("link", name="daily").first.click()
        page.get_by_text("Ben").first.wait_for()
        self.take(operator, "admin-meeting")
        # Something for the audit log.
        run(self.server, "meeting", "create", "board", "--access-level", "Locked")
        run(self.server, "token", "create", "--room", "board", "--role", "organizer")
        for place in ("Tokens", "Webhooks", "Audit log"):
            page.get_by_role("link", name=place).click()
            self.heading(operator, place)
            page.locator("table").first.wait_for()
            if place == "Webhooks":
                page.get_by_role("link", name=receiver.url).click()
                page.get_by_text("publication.added").first.wait_for()
            self.take(operator, f"admin-{place.split()[0].lower()}")


def main() -> None:
    folder = Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    for part in (Studio.doors, Studio.planning, Studio.administration):
        with ExitStack() as stack:
            part(Studio(stack, folder))


if __name__ == "__main__":
    main()
