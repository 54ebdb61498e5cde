"""Names of people in two real pages and the terminal: long ones, and those that two people bear."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver, wait_for
from client import Client
from command import run
from server import Server

FAMILY = "\U0001F469\u200D\U0001F469\u200D\U0001F467"


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--development"))

    def person(self, key: str, name: str, room: str, token: str = "", viewport=(960, 640)) -> Person:
        person = self.enterContext(Person(self.driver, key, devices=False, viewport=viewport))
        person.page.goto(f'{self.server.url}/{room}{token and "?jwt=" + token}#config.prejoinPageEnabled=false&userInfo.displayName="{name}"')
        return person

    @staticmethod
    def others(person: Person) -> list[str]:
        return person.page.evaluate("() => [...parley.participants.values()].map((each) => each.displayName)")

    def test_too_long_a_name_stays_in_its_field_and_a_long_one_of_emoji_arrives_whole(self) -> None:
        ben = self.person("Ben", "Ben", "long").joined()
        ann = self.enterContext(Person(self.driver, "Ann", devices=False))
        page = ann.page
        page.goto(f"{self.server.url}/long")
        field, join = page.get_by_label("Your name"), page.get_by_role("button", name="Join now")
        field.fill("a" * 200)
        told = page.locator(".prejoin-form .field-problem:visible")
        self.assertEqual(told.inner_text(), "A name has at most 80 characters. This one has 200.")
        join.click()
        self.assertEqual((field.input_value(), field.get_attribute("aria-invalid"), ann.state()), ("a" * 200, "true", "no meeting"))
        field.fill(FAMILY * 80)
        self.assertEqual(told.count(), 0)
        join.click()
        ann.joined()
        wait_for("the whole name at Ben's", lambda: ben.names() == [FAMILY * 80] or f"no: {ben.names()}")

        # In the settings what is too long changes nothing, and is said when they are closed, too.
        page.get_by_role("button", name="More").click()
        page.get_by_role("menuitem", name="Settings").click()
        page.get_by_label("Your name").fill("b" * 81)
        self.assertEqual(page.locator(".dialog .field-problem:visible").inner_text(), "A name has at most 80 characters. This one has 81.")
        page.keyboard.press("Escape")
        ann.says("Your name was not changed. A name has at most 80 characters.")
        self.assertEqual(ben.names(), [FAMILY * 80])

    def test_an_invisible_name_is_said_in_its_field_and_a_refusal_keeps_the_visible_name(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann", devices=False))
        ann.page.goto(f"{self.server.url}/unseen")
        field, join = ann.page.get_by_label("Your name"), ann.page.get_by_role("button", name="Join now")
        for name in ("\u3164", "\uFFFC", "\u2800 \u200C", "\U0001D159", "\U00013441", "\u0301", "\uFE0F"):
            field.fill(name)
            join.click()
            self.assertEqual(ann.page.locator("#name-problem:visible").inner_text(), "Type your name, so that others know who you are.", ascii(name))
            self.assertEqual(ann.state(), "no meeting")
        # An emoji that is newer than most browsers.
        field.fill("\U0001FAEA")
        join.click()
        ann.joined()

        ben = self.person("Ben", "Ben", "unseen").joined()
        own = lambda: ben.page.evaluate("() => parley.localParticipant.displayName")
        self.assertEqual(ben.names(), ["\U0001FAEA"])
        ben.page.evaluate("() => { window.refused = 0; parley.addEventListener('error', ({ detail }) => { window.refused += detail.error.code === 'badName'; }); }")
        for name, kept, refused in (("\u3164", "Ben", 1), ("Benny", "Benny", 1), ("\u202E", "Benny", 2)):
            ben.page.evaluate("(name) => parley.localParticipant.rename(name)", name)
            wait_for("the server's word", lambda: ben.page.evaluate("() => window.refused") == refused and self.others(ann) == [kept])
            self.assertEqual((own(), self.others(ann)), (kept, [kept]))
            self.assertIn(f"{kept} (you)", ben.page.locator(".tile-self").get_attribute("aria-label"))

    def test_two_people_of_one_name_are_told_apart_wherever_they_are_shown(self) -> None:
        long = "Bartholomew Montgomery-Featherstonehaugh the Younger of Upper Slaughter"
        host = self.person("Ann", "Ann", "same", "moderator_token").joined()
        first = self.person("Ben", long, "same").joined()
        wait_for("the first", lambda: self.others(host) == [long])
        second = self.person("Cem", long.upper(), "same").joined()
        shown = [long, f"{long.upper()} (2)"]
        wait_for("both", lambda: self.others(host) == shown or f"no: {self.others(host)}")
        self.assertEqual(second.page.evaluate("() => parley.localParticipant.displayName"), shown[1])
        self.assertEqual(first.page.evaluate("() => parley.localParticipant.displayName"), long)

        page = host.page
        labels = lambda: page.locator(".tile").evaluate_all("(all) => all.map((each) => each.getAttribute('aria-label').split(',')[0])")
        wait_for("the tiles", lambda: sorted(labels()) == sorted(["Ann (you)", *shown]) or f"no: {labels()}")
        # The number is read also where the name finds no room.
        def ends(*selectors: str) -> None:
            for selector in selectors:
                end = page.locator(selector, has_text="(2)").first
                box, around = end.bounding_box(), end.locator("xpath=ancestor::*[contains(@class, 'tile') or contains(@class, 'person')][2]").bounding_box()
                self.assertTrue(box["width"] > 0 and box["x"] + box["width"] <= around["x"] + around["width"] + 1, (selector, box, around))
        ends(".tile-number")
        page.keyboard.press("p")
        wait_for("the people", lambda: page.locator(".person").count() == 3)
        ends(".person-number")
        self.assertEqual(page.get_by_role("button", name=f"More for {shown[1]}").count(), 1)
        page.keyboard.press("c")
        self.assertEqual(page.get_by_label("Send to").locator("option").all_inner_texts(), ["Everybody", *(f"Only {name}" for name in shown)])
        for person, text in ((first, "from the first"), (second, "from the second")):
            person.page.evaluate("(text) => parley.sendChat(text)", text)
            wait_for(text, lambda: page.locator(".chat-text", has_text=text).count() == 1)
        self.assertEqual(page.locator(".chat-name").all_inner_texts(), shown)

        # Numbers stay when the first goes, and another one of the name is the third.
        first.page.evaluate("() => parley.leave()")
        wait_for("the first to go", lambda: self.others(host) == shown[1:])
        self.person("Dan", long, "same").joined()
        wait_for("the third", lambda: self.others(host) == [shown[1], f"{long} (3)"] or f"no: {self.others(host)}")
        second.page.evaluate("() => parley.localParticipant.rename('Cem')")
        wait_for("the new name", lambda: self.others(host) == ["Cem", f"{long} (3)"])

    def test_hosts_tell_lobby_people_of_one_name_apart_and_the_terminal_asks_which(self) -> None:
        run(self.server, "meeting", "create", "door", "--access-level", "Locked")
        [made] = run(self.server, "token", "create", "--room", "door", "--role", "organizer")
        page_host = self.person("Ann", "Ann", "door", made["token"]).joined()
        with Client(self.server.url, f"door?jwt={made['token']}", "Host") as host:
            host.joined()
            first = self.person("Ben", "Ben", "door")
            host.expect("knocked", name="Ben")
            second = self.person("Cem", "Ben", "door")
            wait_for("both to wait", lambda: len(host.all("knocked")) == 2)
            ids = [each["id"] for each in host.all("knocked")]
            page = page_host.page
            page.keyboard.press("p")
            rows = page.locator(".lobby-list").get_by_role("button", name="Admit")
            wait_for("both in the list", lambda: rows.evaluate_all("(all) => all.map((each) => each.getAttribute('aria-label'))") == ["Admit Ben", "Admit Ben (2)"])

            host.command("deny", to="Ben")
            wait_for("the question", lambda: any("2 people named Ben wait. Name one by id" in line and all(id in line for id in ids) for line in host.errors)
                     or f"no: {host.errors}")
            self.assertEqual((first.state(), second.state()), ("waiting", "waiting"))
            host.command("deny", to=ids[1])
            wait_for("the second to be sent away", lambda: second.state() == "ended")
            self.assertEqual(first.state(), "waiting")
            # Of one alone the name is enough.
            host.command("admit", to="Ben")
            first.joined()
            wait_for("the first in the meeting", lambda: self.others(page_host) == ["Host", "Ben"] or f"no: {self.others(page_host)}")


if __name__ == "__main__":
    unittest.main()
