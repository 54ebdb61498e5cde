"""The pages by keyboard alone, and as screen readers read them: planning a meeting, and the ways into one."""

from __future__ import annotations

import datetime as dt
import time
import unittest

import icalendar

from browser import wait_for
from client import Client
from command import jwt, run
from keyboard import KeyboardTest
from server import OUTPUT


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

        # A missing day is reported, and the focus is on its field.
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

        # The planned meeting, with the focus on the next step.
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
        self.assertIn("#jwt=", host)
        ben.page.goto(f'{host}&config.prejoinPageEnabled=false&userInfo.displayName="Ben"')
        self.connected(ben)
        self.assertNotIn("jwt", ben.page.url)
        self.assertEqual(own.nameless(), [])
        # A host has the file with those who are invited, and the token is in no address for it.
        asked: list[str] = []
        cem, his = self.someone("Cem")
        cem.page.on("request", lambda request: asked.append(request.url))
        cem.page.goto(host)
        self.heading(cem, "This meeting begins later")
        his.walk("link Add to calendar")
        with cem.page.expect_download() as saved:
            his.press("Enter")
        self.assertIn("SUMMARY:Choir", saved.value.path().read_text())
        calendars = [url for url in asked if "calendar" in url]
        self.assertTrue(calendars and not any("jwt" in url for url in calendars), asked)
        his.press("Tab").at("button I am the host")

    def test_who_opens_a_new_meeting_is_its_host_and_says_from_within_who_gets_in(self) -> None:
        ann, keys = self.someone("Ann")
        ann.page.goto(self.server.url)
        keys.go("button New meeting")
        keys.press("Enter").at("textbox Your name")
        # It is encrypted, unless somebody says otherwise: those who come need the whole address.
        room, key = ann.page.url.rsplit("/", 1)[1].split("#")
        self.assertRegex(room, r"^[A-Za-z0-9-]{8,}$")
        self.assertRegex(key, r"^e2ee=[A-Za-z0-9_-]{43}$")
        keys.type("Ann").press("Enter")
        self.connected(ann)
        self.assertTrue(ann.evaluate("() => window.parley.hosting.isHost"))
        # Nobody else is, who comes by the same address.
        ben, _ = self.someone("Ben")
        self.enter(ben, room, key=key)
        self.connected(ben)
        self.assertFalse(ben.evaluate("() => window.parley.hosting.isHost"))
        self.assertEqual(ben.page.get_by_role("button", name="Who gets in").count(), 0)

        # A passcode that is too short is said; the right one holds, and who is in stays.
        keys.press("p").at("button Close people")
        keys.go("button Who gets in")
        keys.press("Enter").at("combobox Without waiting come in")
        dialog = ann.page.get_by_role("dialog", name="Who gets in")
        self.assertEqual(keys.nameless(), [])
        keys.walk("textbox Passcode")
        keys.type("abc").press("Enter")
        wait_for("the problem", lambda: "4 to 64" in dialog.get_by_role("alert").inner_text() or f"no: {dialog.inner_text()}")
        keys.at("textbox Passcode")
        ann.page.screenshot(path=str(OUTPUT / "who-gets-in.png"), animations="disabled")
        keys.type("def").press("Enter").at("button Who gets in")
        cem, his = self.someone("Cem")
        self.enter(cem, room, key=key)
        his.at("textbox Passcode")
        self.connected(ben)

        # Taken away again, and a lobby instead: Cem waits until the host lets them in.
        keys.press("Enter").at("combobox Without waiting come in")
        keys.press("End")
        keys.walk("textbox Passcode", "checkbox No passcode any more")
        keys.press("Space")
        keys.walk("button Cancel", "button Save")
        keys.press("Enter").at("button Who gets in")
        self.enter(cem, room, key=key)
        self.heading(cem, "Waiting to be let in")
        keys.go("button Admit Cem")
        keys.press("Enter")
        self.connected(cem)

        # Loaded again, the page is still the host's.
        ann.page.reload()
        keys.at("button Join now")
        keys.press("Enter")
        self.connected(ann)
        self.assertTrue(ann.evaluate("() => window.parley.hosting.isHost"))

    def test_a_token_is_taken_out_of_what_the_browser_shows_and_the_page_can_be_loaded_anew(self) -> None:
        token, rest = self.token("bar", "organizer"), "config.prejoinPageEnabled=false"
        ann, _ = self.someone("Ann")
        asked: list[str] = []
        ann.page.on("request", lambda request: asked.append(request.url))
        shown = f"{self.server.url}/bar#{rest}"

        def is_host() -> bool:
            self.connected(ann)
            return ann.evaluate("() => window.parley.hosting.isHost")

        for address in (f"bar?jwt={token}#{rest}", f"bar#jwt={token}&{rest}", f"bar#{rest}&jwt={token}"):
            ann.page.goto("about:blank")
            ann.page.goto(f"{self.server.url}/{address}")
            self.assertTrue(is_host(), address)
            self.assertEqual(ann.page.url, shown)
            ann.page.reload()
            self.assertTrue(is_host(), "loaded anew")
            self.assertEqual(ann.page.url, shown)
        # Another fragment is another entry of the history, which knows the token too.
        ann.page.evaluate("(hash) => { location.hash = hash }", f"{rest}&config.subject=Other")
        wait_for("the entry to know the token", lambda: ann.evaluate("() => typeof history.state?.jwt === 'string'"))
        ann.page.reload()
        self.assertTrue(is_host(), "loaded anew after another fragment")
        self.assertEqual(ann.page.url, f"{shown}&config.subject=Other")
        # Only where the link had the token in the query a server has seen it there: joining has it in no address.
        self.assertEqual(sum(token in url for url in asked), 1, asked)
        # The browser shows the address of a guest, and a token that is put into it reloads the page.
        ann.page.goto("about:blank")
        ann.page.goto(shown)
        self.assertFalse(is_host())
        with ann.page.expect_event("load"):
            ann.page.evaluate("(hash) => { location.hash = hash }", f"jwt={token}&{rest}")
        self.assertTrue(is_host())
        self.assertEqual(ann.page.url, shown)

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


class Access(KeyboardTest):
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


if __name__ == "__main__":
    unittest.main()
