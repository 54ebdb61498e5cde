"""The pages by keyboard alone, and as screen readers are told of them: planning, doors, hosts' controls, administration."""

from __future__ import annotations

import datetime as dt
import time
import unittest

import icalendar
from playwright.sync_api import sync_playwright

from browser import Person, wait_for
from client import Client
from keyboard import Keyboard
from server import Server
from test_rights import jwt, run

ADMIN = "a-token-for-tests-only"


class KeyboardTest(unittest.TestCase):
    """One server and one driver for all tests of a class."""

    OPTIONS: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = cls.enterClassContext(sync_playwright())
        cls.server = cls.enterClassContext(Server(*cls.OPTIONS))

    def someone(self, name: str) -> tuple[Person, Keyboard]:
        person = self.enterContext(Person(self.driver, name, devices=False, draws=False))
        return person, Keyboard(person)

    def enter(self, person: Person, room: str, token: str | None = None) -> None:
        person.page.goto("about:blank")
        person.page.goto(f"{self.server.url}/{room}{f'?jwt={token}' if token else ''}"
                         f'#config.prejoinPageEnabled=false&userInfo.displayName="{person.name}"')

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


class Planning(KeyboardTest):
    def test_a_series_is_planned_and_taken_into_a_calendar_by_keyboard_alone(self) -> None:
        ann, keys = self.someone("Ann")
        page = ann.page
        page.goto(self.server.url)
        keys.walk("link Parley", "button Appearance", "button New meeting", "button Plan", "textbox Room name or link", "button Join")
        self.assertEqual(keys.nameless(), [])
        keys.walk("textbox Room name or link", "button Plan", key="Shift+Tab")

        # Escape leads back to where it was opened.
        keys.press("Enter").at("textbox Title")
        keys.press("Escape").at("button Plan")
        keys.press("Enter").at("textbox Title")
        self.assertEqual(keys.nameless(), [])

        # A day that is missing is told, and the focus is where it is missing.
        keys.type("Choir").press("Tab")
        self.assertTrue(keys.focus().startswith("spinbutton Month"), keys.focus())
        keys.press("Delete", "Enter")
        alert = page.get_by_role("alert")
        wait_for("the problem", lambda: alert.is_visible() and alert.inner_text() == "Choose a day.")
        self.assertEqual(page.evaluate("() => [document.activeElement.id, document.activeElement.getAttribute('aria-describedby')]"),
                         ["plan-day", "plan-problem"])
        day = dt.date.today() + dt.timedelta(days=3)
        keys.type(day.strftime("%m%d%Y"))
        wait_for("the problem to go", lambda: not alert.is_visible())
        keys.go("combobox Length", 8)
        keys.press("ArrowDown").walk("combobox Comes again")
        keys.press("ArrowDown", "ArrowDown", "ArrowDown")
        self.assertEqual(page.evaluate("() => document.activeElement.selectedOptions[0].text"), "Every week")
        keys.go("button Plan the meeting", 8)
        keys.press("Enter")

        # What was planned, with the focus on what is done next.
        keys.at("button Copy the address")
        self.assertEqual(keys.nameless(), [])
        self.assertIn("It comes again every week until", page.get_by_role("dialog", name="Choir").inner_text())
        keys.walk("link Add to calendar")
        with page.expect_download() as saved:
            keys.press("Enter")
        event, = icalendar.Calendar.from_ical(saved.value.path().read_text()).events
        self.assertEqual((str(event["SUMMARY"]), event.start.date(), event.start.hour), ("Choir", day, 10))
        self.assertEqual((event["RRULE"]["FREQ"], event.duration), (["WEEKLY"], dt.timedelta(minutes=90)))
        address = page.get_by_label("Send this address to everybody").input_value()
        host = page.get_by_label("Keep this one for yourself").input_value()
        keys.press("Escape").at("button Plan")

        # Guests see when it begins, and have the file too; a host goes in.
        page.goto(address)
        self.heading(ann, "This meeting begins later")
        keys.at("heading This meeting begins later")
        keys.walk("link Add to calendar", "button I am the host")
        self.assertEqual(keys.nameless(), [])
        ben, own = self.someone("Ben")
        ben.page.goto(f'{host}#config.prejoinPageEnabled=false&userInfo.displayName="Ben"')
        self.connected(ben)
        self.assertEqual(own.nameless(), [])

    def test_an_own_room_opens_when_its_owner_comes(self) -> None:
        run(self.server, "user", "room", "ann@example.com", "--room", "anns-place")
        [tenant] = run(self.server, "tenant", "rotate-key", "parley")
        secret = next(each["secret"] for each in tenant["keys"] if "secret" in each)
        token = jwt(secret, iss=tenant["apiKey"], exp=int(time.time()) + 600, room="anns-place", sub="ann@example.com", role="publisher")
        ben, keys = self.someone("Ben")
        self.enter(ben, "anns-place")
        self.heading(ben, "Waiting for the host")
        keys.at("heading Waiting for the host")
        keys.walk("button Leave")
        ann, _ = self.someone("Ann")
        self.enter(ann, "anns-place", token)
        self.connected(ann, ben)
        self.assertTrue(ann.evaluate("() => window.parley.hosting.isHost"))


class Doors(KeyboardTest):
    def test_a_passcode_is_asked_for_and_after_ten_wrong_ones_no_more_are_taken(self) -> None:
        run(self.server, "meeting", "create", "closed", "--passcode", "blue 42", "--subject", "Behind a door")
        ben, keys = self.someone("Ben")
        page = ben.page
        self.enter(ben, "closed")
        keys.at("textbox Passcode")
        self.assertEqual(keys.nameless(), [])
        alert = page.get_by_role("alert")
        keys.press("Enter")
        wait_for("the problem", lambda: alert.inner_text() == "Type the passcode.")
        for number in range(9):
            keys.type(f"red {number}").press("Enter")
            wait_for("the passcode to be asked for again", lambda: page.locator("#passcode").count() and alert.is_visible()
                     and page.locator("#passcode").input_value() == "" and "not the meeting's passcode" in alert.inner_text())
            keys.at("textbox Passcode")
        keys.type("blue 42").press("Enter")
        self.connected(ben)
        self.enter(ben, "closed")
        keys.at("textbox Passcode")
        for _ in range(11):
            if page.locator("#passcode").count() == 0:
                break
            keys.type("red").press("Enter")
            wait_for("an answer", lambda: page.get_by_role("heading", name="Too many wrong passcodes").count()
                     or page.locator("#passcode").count() and alert.is_visible() and page.locator("#passcode").input_value() == "")
        self.heading(ben, "Too many wrong passcodes")
        self.assertIn("minutes", page.locator(".notice").inner_text())
        keys.walk("button Try again", "link Start page")

    def test_several_are_let_in_at_once_one_is_sent_away_and_one_waits_too_long(self) -> None:
        run(self.server, "meeting", "create", "board", "--access-level", "Locked")
        run(self.server, "meeting", "create", "short", "--access-level", "Locked", "--lobby-timeout", "1s")
        ann, host = self.someone("Ann")
        self.enter(ann, "board", self.token("board", "organizer"))
        self.connected(ann)
        ben, keys = self.someone("Ben")
        self.enter(ben, "short")
        self.heading(ben, "Nobody let you in")
        keys.walk("button Try again", "link Start page")
        guests = [self.enterContext(Client(self.server.url, "board", name)) for name in ("Cem", "Dan")]
        self.enter(ben, "board")
        for guest in guests:
            guest.expect("waiting", reason="lobby")
        self.heading(ben, "Waiting to be let in")
        keys.walk("button Leave")
        wait_for("all three in the list", lambda: ann.page.locator(".lobby-list .person").count() == 3)
        host.press("p").at("button Close people")
        host.go("button Admit Cem")
        host.walk("button Deny Cem")
        host.press("Enter")
        self.assertEqual(guests[0].end(20), 1)
        # The focus goes on to whoever waits next.
        wait_for("the list to be shorter", lambda: ann.page.locator(".lobby-list .person").count() == 2)
        self.assertIn(host.focus(), ("button Admit Dan", "button Admit Ben"))
        for _ in range(4):
            if host.press("Shift+Tab").focus() == "button Admit all":
                break
        host.at("button Admit all")
        host.press("Enter")
        guests[1].joined()
        self.connected(ben)
        host.at("button Lock the meeting")
        host.press("Enter").at("button Unlock the meeting")
        self.assertEqual(host.nameless(), [])
        self.enter(ben, "board")
        self.heading(ben, "The meeting is locked")
        keys.walk("button Try again", "link Start page")
        host.press("Enter").at("button Lock the meeting")
        keys.press("Shift+Tab", "Enter")
        self.heading(ben, "Waiting to be let in")


class Hosts(KeyboardTest):
    OPTIONS = ("--development",)

    def choose(self, keys: Keyboard, name: str) -> None:
        """An entry of the open menu, by the arrow down."""
        for _ in range(20):
            if keys.focus() == f"menuitem {name}":
                keys.press("Enter")
                return
            keys.press("ArrowDown")
        raise AssertionError(f"the menu has no {name!r}")

    def test_a_host_makes_a_host_spotlights_mutes_all_removes_for_good_and_ends_the_meeting(self) -> None:
        room = "hosting"
        ann, keys = self.someone("Ann")
        self.enter(ann, room, self.token(room, "organizer"))
        self.connected(ann)
        ben, guest = self.someone("Ben")
        self.enter(ben, room)
        self.connected(ben)
        cem = self.enterContext(Client(self.server.url, f"{room}?jwt={self.token(room, 'publisher')}", "Cem")).joined()
        wait_for("all", lambda: ann.names() == ["Ben", "Cem"])
        keys.press("p").at("button Close people")
        keys.go("button More for Ben")

        # Promoted and demoted. The arrow keys go around, and Escape leads back.
        keys.press("Enter").press("End").at("menuitem Pin for me")
        keys.press("ArrowDown", "ArrowUp").at("menuitem Pin for me")
        self.assertEqual(keys.nameless(), [])
        keys.press("Escape").at("button More for Ben")
        keys.press("Enter")
        self.choose(keys, "Make host")
        keys.at("button Cancel")
        keys.walk("button Make host")
        keys.press("Enter").at("button More for Ben")
        wait_for("Ben to be a host", lambda: ben.evaluate("() => window.parley.hosting.isHost"))
        guest.press("p").at("button Close people")
        wait_for("Ben to have a host's controls", lambda: ben.page.get_by_role("button", name="More for Cem").count() == 1)
        guest.press("Escape").at("button People, 3 in the meeting")
        keys.press("Enter")
        self.choose(keys, "Take host role away")
        keys.at("button More for Ben")
        wait_for("Ben to be a host no more", lambda: not ben.evaluate("() => window.parley.hosting.isHost"))

        keys.press("Enter")
        self.choose(keys, "Spotlight for everybody")
        wait_for("the spotlight", lambda: ben.evaluate("() => window.parley.hosting.spotlighted === window.parley.localParticipant"))
        keys.press("Enter")
        self.choose(keys, "End spotlight")
        wait_for("the spotlight to be off", lambda: ben.evaluate("() => window.parley.hosting.spotlighted === null"))

        # A choice in the dialog with the space bar.
        keys.go("button Mute everyone")
        keys.press("Enter").at("button Cancel")
        keys.walk("checkbox Nobody may unmute until I allow it or ask them to", key="Shift+Tab")
        keys.press("Space")
        keys.go("button Mute everyone", 6)
        keys.press("Enter").at("button Mute everyone")
        wait_for("nobody to be able to unmute", lambda: ben.evaluate("() => window.parley.hosting.muteForAll?.mayUnmute === false"))
        keys.walk("button Allow unmuting")
        keys.press("Enter")
        wait_for("everybody to be able to unmute", lambda: ben.evaluate("() => window.parley.hosting.muteForAll === null"))

        # Removed for good; the focus goes on to who is left.
        keys.go("button More for Cem")
        keys.press("Enter")
        self.choose(keys, "Remove from meeting")
        keys.at("button Cancel")
        keys.go("checkbox Do not let them come back with the same invitation", 5)
        keys.press("Space")
        keys.go("button Remove", 5)
        keys.press("Enter")
        self.assertEqual((cem.expect("left")["reason"], cem.end(20)), ("removed", 1))
        keys.at("button More for Ben")
        keys.press("Enter")
        self.choose(keys, "Remove from meeting")
        keys.walk("button Remove")
        keys.press("Enter")
        self.heading(ben, "You were removed from the meeting")
        guest.walk("link Start page")

        # The end for everybody, from the menu of the dock.
        keys.go("button More")
        keys.press("Enter")
        self.choose(keys, "End for everyone")
        keys.at("button Cancel")
        keys.walk("button End for everyone")
        keys.press("Enter")
        self.heading(ann, "The meeting is over")
        keys.walk("link Start page")

    def test_a_hand_a_reaction_and_a_poll_by_keyboard(self) -> None:
        room = "together"
        ann, keys = self.someone("Ann")
        self.enter(ann, room, self.token(room, "organizer"))
        ben, guest = self.someone("Ben")
        self.enter(ben, room)
        self.connected(ann, ben)
        guest.press("h")
        wait_for("the hand", lambda: ann.page.locator(".tile-hand:visible").count() == 1)
        guest.go("button Lower your hand, you are number 1")
        guest.press("e").at("menuitem Thumbs up")
        guest.press("ArrowRight").at("menuitem Thumbs down")
        guest.press("Enter")
        wait_for("the reaction to be said", lambda: ann.page.get_by_text("Ben: thumbs down").count() == 1)

        keys.go("button More")
        keys.press("Enter")
        self.choose(keys, "Polls")
        keys.go("button New poll", 3)
        keys.press("Enter").at("textbox Question")
        keys.press("Enter")
        wait_for("what is missing", lambda: ann.page.get_by_text("A poll needs a question and at least two answers.").is_visible())
        keys.at("textbox Question")
        keys.type("Cake?").press("Tab").type("Yes").press("Tab").type("No").press("Enter")
        wait_for("the poll", lambda: ann.page.get_by_role("group", name="Cake?").count() == 1)
        self.assertEqual(keys.nameless(), [])
        keys.press("Escape").at("button More")
        guest.go("button More")
        guest.press("Enter")
        self.choose(guest, "Polls (1 to vote in)")
        guest.go("radio Yes 0 votes", 4)
        guest.press("ArrowDown").at("radio No 1 vote")
        wait_for("the vote", lambda: ann.evaluate("() => window.parley.hosting.polls[0].options.map((each) => each.votes).join()") == "0,1")
        self.assertEqual(guest.nameless(), [])
        guest.press("Escape").at("button More")


class Administration(KeyboardTest):
    OPTIONS = ("--admin-token", ADMIN)

    def test_an_operator_makes_and_revokes_tokens_and_a_tenants_secret_by_keyboard(self) -> None:
        ann, keys = self.someone("Ann")
        page = ann.page
        page.goto(f"http://127.0.0.1:{self.server.admin_port}/admin")
        keys.at("textbox Admin token")
        keys.type(ADMIN).press("Enter")
        keys.at("heading Meetings")
        keys.walk("button Sign out", "link Audit log", "link Webhooks", "link Tenants", "link Tokens", "link Meetings", "link Parley",
                  "link Skip to the content", key="Shift+Tab")
        keys.press("Enter").at("heading Meetings")
        keys.walk("button Sign out", "link Audit log", "link Webhooks", "link Tenants", "link Tokens", key="Shift+Tab")
        keys.press("Enter").at("heading Tokens")
        # The way past the menu stays on the page.
        for _ in range(8):
            keys.press("Shift+Tab")
        keys.at("link Skip to the content")
        keys.press("Enter").at("heading Tokens")
        self.assertEqual(keys.nameless(), [])

        # Made: the token is shown once, and the focus comes back to the button.
        keys.go("combobox Tenant", 8)
        keys.walk("textbox Room")
        keys.type("daily").walk("combobox Role")
        keys.press("ArrowDown").walk("textbox Name")
        keys.type("Dora").walk("combobox Good for", "button Make the token")
        keys.press("Enter")
        dialog = page.get_by_role("dialog", name="The token")
        dialog.wait_for()
        self.assertEqual(keys.nameless(), [])
        token = dialog.locator("code").inner_text()
        keys.go("button Copy", 3)
        keys.walk("button Close")
        keys.press("Escape").at("button Make the token")
        [grant] = run(self.server, "token", "inspect", token)
        self.assertEqual((grant["room"], grant["role"]), ("daily", "moderator"))

        # Escape and Cancel revoke nothing. Revoked, the row stays and the button goes: the focus stays in the list.
        name = page.get_by_role("button", name="Revoke ").first.get_attribute("aria-label")
        for _ in range(30):
            if keys.press("Shift+Tab").focus() == f"button {name}":
                break
        for key in ("Escape", "Enter"):
            keys.at(f"button {name}")
            keys.press("Enter").at("button Cancel")
            keys.press(key)
        keys.at(f"button {name}")
        keys.press("Enter").at("button Cancel")
        keys.walk("button Revoke")
        keys.press("Enter")
        wait_for("the token to be revoked", lambda: page.locator(".badge", has_text="revoked").count() == 1)
        keys.at("region Tokens")
        run(self.server, "token", "inspect", token, status=1)

        # What is missing is told, where it is missing.
        keys.go("button Revoke")
        keys.press("Enter")
        wait_for("the problem", lambda: page.get_by_role("alert").all_inner_texts() == ["“Id of the token” is missing."])
        keys.at("textbox Id of the token")

        # A tenant, with its secret.
        for _ in range(40):
            if keys.press("Shift+Tab").focus() == "link Tenants":
                break
        keys.press("Enter").at("heading Tenants")
        keys.go("link parley", 8)
        keys.press("Enter").at("heading Tenant parley")
        self.assertEqual(keys.nameless(), [])
        keys.go("button Make a further secret")
        keys.press("Enter")
        page.get_by_role("dialog", name="The new secret").wait_for()
        keys.press("Escape").at("heading Tenant parley")
        self.assertEqual(page.locator(".badge", has_text="live").count(), 2)

        for place in ("Webhooks", "Audit log"):
            page.get_by_role("link", name=place).focus()
            keys.press("Enter").at(f"heading {place}")
            self.assertEqual(keys.nameless(), [])
        self.assertEqual([line for line in ann.console if "401" not in line and "Unauthorized" not in line], [])


if __name__ == "__main__":
    unittest.main()
