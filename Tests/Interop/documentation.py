"""Makes the pictures of the pages that the guides show: the ways into a meeting, what hosts do, and the administration.

    .venv/bin/python Tests/Interop/documentation.py [folder [part …]]

Look at each of them before they are committed: no program judges them.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent / "support"))

from administration import Receiver, ask
from browser import UNHURRIED, Person, see_and_hear, wait_for
from client import Client
from command import run
from portraits import PEOPLE, portrait
from server import ROOT, Server

ADMIN = "a-token-for-pictures"
WIDE, NARROW, LARGE = (1100, 700), (390, 760), (1280, 800)


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
        person.page.screenshot(path=self.folder / f"{name}.png", animations="disabled")
        print(name, flush=True)

    def quiet(self, person: Person) -> None:
        """Waits until what was announced is off the screen."""
        wait_for("the announcements to go", lambda: person.page.locator(".toast").count() == 0)

    def heading(self, person: Person, text: str) -> None:
        person.page.get_by_role("heading", name=text).wait_for()

    def cast(self) -> dict[str, Path]:
        """A camera's file for each of those who are drawn."""
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="parley-portraits-")))
        page = self.person("Ann").page
        return {name: portrait(page, name, folder) for name in PEOPLE}

    def drawn(self, name: str, camera: Path | None, voice: str = "Ann", **options: object) -> Person:
        """A person with a drawn picture, and one of the known voices."""
        person = self.stack.enter_context(Person(self.driver, voice, camera=camera, arguments=UNHURRIED, viewport=LARGE, **options))
        person.name = name
        return person

    def meeting(self) -> None:
        """The page before joining, and a meeting of six with the chat open."""
        run(self.server, "meeting", "create", "design-review", "--subject", "Design review")
        cameras = self.cast()
        sam = self.drawn("Sam Rivera", cameras["Sam Rivera"], color_scheme="light")
        address = f"{self.server.url}/design-review#userInfo.displayName={json.dumps(sam.name)}"
        sam.page.goto(address)
        self.heading(sam, "Design review")
        wait_for("the picture", lambda: sam.page.evaluate("() => document.querySelector('video').videoWidth") == 640)
        wait_for("the voice", lambda: sam.page.evaluate("() => document.querySelector('.meter-bar').getBoundingClientRect().width") > 60)
        self.take(sam, "prejoin")
        sam.page.emulate_media(color_scheme="dark")
        sam.page.goto("about:blank")
        quiet = "config.prejoinPageEnabled=false&config.startWithAudioMuted=true"
        people = {sam.name: sam}
        for name in ("Amara Okafor", "Lena Weber", "Diego Marín", "Priya Nair", "Tom Hughes"):
            people[name] = self.drawn(name, cameras.get(name))
        for name, person in people.items():
            options = "config.prejoinPageEnabled=false" if name == "Lena Weber" else quiet
            options += "&config.startWithVideoMuted=true" if name == "Priya Nair" else ""
            person.page.goto(f"{self.server.url}/design-review#{options}&userInfo.displayName={json.dumps(name)}")
            person.joined()
        sam.page.get_by_role("button", name="Chat").click()
        for name, text in (("Lena Weber", "Good morning, everybody!"), ("Diego Marín", "The drafts are at https://example.org/drafts"),
                           ("Sam Rivera", "Thanks, Diego. Shall we start with the second one?"), ("Amara Okafor", "Yes please")):
            people[name].page.evaluate("(text) => parley.sendChat(text)", text)
            sam.page.locator(".chat-text", has_text=text).wait_for()
        people["Tom Hughes"].page.keyboard.press("h")
        sam.page.locator(".tile-hand:visible").wait_for()
        wait_for("all pictures", lambda: sam.page.evaluate(
            "() => [...document.querySelectorAll('.tile-picture:not(.tile-hidden) video')].filter((each) => each.videoWidth > 300).length") == 5, 60)
        wait_for("good connections", lambda: sam.page.evaluate(
            "() => [...parley.participants.values()].every((each) => ['good', 'excellent'].includes(each.quality))"), 60)
        wait_for("Lena to be heard", lambda: sam.page.locator(".tile-speaking").count() == 1)
        self.quiet(sam)
        self.take(sam, "meeting")

    def demo(self) -> None:
        """The page of ``make run``."""
        server = self.stack.enter_context(Server(command="demo"))
        sam = self.drawn("Sam Rivera", self.cast()["Sam Rivera"])
        sam.join(server.url, "hello")
        for name in ("Ada", "Björn", "Chiyo"):
            sam.sees_test_picture(name, rate=3)
        wait_for("good connections", lambda: sam.page.evaluate(
            "() => [...parley.participants.values()].every((each) => ['good', 'excellent'].includes(each.quality))"), 60)
        self.quiet(sam)
        self.take(sam, "demo")

    def access(self) -> None:
        """The view of somebody who isn't in yet, and the host's side of it."""
        run(self.server, "meeting", "create", "closed", "--passcode", "blue 42", "--subject", "Board")
        guest = self.person("Ben", NARROW)
        self.enter(guest, "closed")
        guest.page.get_by_label("Passcode").wait_for()
        self.take(guest, "passcode")
        run(self.server, "meeting", "create", "small", "--capacity", "1", "--subject", "Choir")
        with Client(self.server.url, "small", "Dan") as dan:
            dan.joined()
            self.enter(guest, "small")
            self.heading(guest, "The meeting is full")
            self.take(guest, "full")
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
        """The view of hosts in a meeting."""
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
    for part in (Studio.meeting, Studio.demo, Studio.access, Studio.planning, Studio.administration):
        if sys.argv[2:] and part.__name__ not in sys.argv[2:]:
            continue
        with ExitStack() as stack:
            part(Studio(stack, folder))


if __name__ == "__main__":
    main()
