"""The forms of the administration's pages: what they cannot take stays in its field, and the reason is said."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver
from command import run
from server import Server

TOKEN = "a-token-for-tests-only"


class Forms(unittest.TestCase):
    def operator(self, server: Server, part: str) -> Person:
        operator = self.enterContext(Person(shared_driver(), "Ann", devices=False))
        operator.page.goto(f"http://127.0.0.1:{server.admin_port}/admin#/{part}")
        operator.page.get_by_label("Admin token").fill(TOKEN)
        operator.page.keyboard.press("Enter")
        return operator

    def test_text_that_is_too_long_stays_and_is_said_in_folded_fields_too(self) -> None:
        with Server("--admin-token", TOKEN) as server:
            page = self.operator(server, "meetings").page
            page.get_by_text("Make a meeting", exact=True).click()
            make = page.get_by_role("button", name="Make the meeting")
            for label, most, folded in (("Room", 255, ""), ("Title", 250, ""), ("Passcode", 64, ""),
                                        ("Own room of", 256, "More about who gets in"), ("Repeats", 400, "Plan it")):
                field = page.get_by_label(label, exact=True)
                if folded:
                    page.get_by_text(folded, exact=True).click()
                # A character that is two units of UTF-16.
                field.fill("\U0001f600" * (most + 1))
                if folded:
                    page.get_by_text(folded, exact=True).click()
                make.click()
                page.get_by_text(f"“{label}” has at most {most} characters. This one has {most + 1}.").wait_for()
                self.assertEqual(field.input_value(), "\U0001f600" * (most + 1))
                self.assertTrue(field.evaluate("(each) => each === document.activeElement"), label)
                field.fill("")
            self.assertEqual(run(server, "meeting", "list"), [], "nothing was made")

    def test_a_half_typed_number_or_time_is_not_taken_for_none(self) -> None:
        with Server("--admin-token", TOKEN) as server:
            page = self.operator(server, "meetings").page
            page.get_by_text("Make a meeting", exact=True).click()
            make = page.get_by_role("button", name="Make the meeting")
            page.get_by_text("More about who gets in", exact=True).click()
            most = page.get_by_label("Most people", exact=True)
            most.press_sequentially("1e")
            make.click()
            page.get_by_text("“Most people” is not a number.").wait_for()
            most.fill("")
            page.get_by_text("Plan it", exact=True).click()
            start = page.get_by_label("First start", exact=True)
            start.press_sequentially("12")
            make.click()
            page.get_by_text("“First start” is not complete.").wait_for()
            start.fill("")
            page.get_by_label("Who is invited", exact=True).fill("Bob Roe <bob@example.com>")
            make.click()
            page.get_by_text("“First start” is missing.").wait_for()
            self.assertEqual(run(server, "meeting", "list"), [], "nothing was made")

    def test_a_field_of_another_choice_is_asked_nothing(self) -> None:
        with Server("--admin-token", TOKEN) as server:
            page = self.operator(server, "domains").page
            page.get_by_label("Name", exact=True).fill("mail")
            page.get_by_label("Only issuer").fill("x" * 2_049)
            page.get_by_label("Users prove who they are by").select_option("disabled")
            page.get_by_role("button", name="Make the domain").click()
            page.get_by_role("heading", level=1, name="Domain mail").wait_for()
