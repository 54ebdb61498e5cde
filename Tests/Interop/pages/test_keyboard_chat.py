"""The chat by keyboard alone: to whom one writes, files, what is taken away, and what is saved."""

from __future__ import annotations

import unittest

from browser import Person, wait_for
from keyboard import Keyboard, KeyboardTest


class Chat(KeyboardTest):
    def in_meeting(self, room: str, *names: str) -> list[tuple[Person, Keyboard]]:
        """People in a meeting with the chat open, the first of them its host."""
        people = []
        for index, name in enumerate(names):
            person, keys = self.someone(name)
            self.enter(person, room, self.token(room, "organizer") if index == 0 else None)
            self.connected(person)
            people.append((person, keys))
        for person, keys in people:
            wait_for("all", lambda: len(person.names()) == len(names) - 1)
            keys.press("c").at("textbox Message")
        return people

    def texts(self, person: Person) -> list[str]:
        return person.page.locator(".chat-text").all_inner_texts()

    def test_a_private_message_reaches_nobody_else_and_its_choice_stays_until_they_leave(self) -> None:
        (ann, keys), (ben, _), (cem, other) = self.in_meeting("whispers", "Ann", "Ben", "Cem")
        self.assertEqual(keys.nameless(), [])
        keys.press("Shift+Tab")
        keys.walk("combobox Send to", key="Shift+Tab")
        choice = ann.page.get_by_label("Send to")
        self.assertEqual(choice.locator("option").all_inner_texts(), ["Everybody", "Only Ben", "Only Cem"])
        keys.press("ArrowDown")
        wait_for("Ben to be chosen", lambda: choice.locator("option:checked").inner_text() == "Only Ben")
        keys.go("textbox Message", 4)
        for text in ("between us", "also this"):
            keys.type(text).press("Enter").at("textbox Message")
            wait_for("Ben to have it", lambda: self.texts(ben)[-1:] == [text] or f"no: {self.texts(ben)}")
        self.assertEqual(ben.page.locator(".chat-aside").first.inner_text(), "only to you")
        self.assertEqual(ann.page.locator(".chat-aside").first.inner_text(), "only to Ben")

        # Everybody again: who was not meant has this one message and no other.
        keys.press("Shift+Tab")
        keys.walk("combobox Send to", key="Shift+Tab")
        keys.press("ArrowUp")
        keys.go("textbox Message", 4)
        keys.type("for all").press("Enter")
        wait_for("Cem to have it", lambda: self.texts(cem) == ["for all"] or f"no: {self.texts(cem)}")
        wait_for("Ben to have it", lambda: self.texts(ben) == ["between us", "also this", "for all"] or f"no: {self.texts(ben)}")

        # A participant who leaves isn't a choice any more: a message meant for them isn't sent to anybody by accident,
        # for two need no choice.
        keys.press("Shift+Tab")
        keys.walk("combobox Send to", key="Shift+Tab")
        keys.press("End")
        wait_for("Cem to be chosen", lambda: choice.locator("option:checked").inner_text() == "Only Cem")
        cem.page.evaluate("() => parley.leave()")
        wait_for("the choice to go", lambda: not choice.is_visible())
        self.assertEqual(choice.input_value(), "")

    def test_files_are_attached_messages_deleted_and_the_chat_saved_by_keyboard(self) -> None:
        (ann, keys), (ben, guest) = self.in_meeting("papers", "Ann", "Ben")
        # Attached by the guest. The browser gets the order long before to leave asking for a file to the test: it obeys
        # some time after that.
        ben.page.on("filechooser", lambda _: None)
        guest.type("draft").press("Enter").at("textbox Message")
        guest.walk("button Attach a file", key="Shift+Tab")
        with ben.page.expect_file_chooser() as chooser:
            guest.press("Enter")
        chooser.value.set_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"the plan"})
        wait_for("the file", lambda: ann.page.locator(".chat-file").count() == 1)
        guest.at("button Attach a file")

        # Saved on the other side.
        wait_for("the message", lambda: self.texts(ann) == ["draft"] or f"no: {self.texts(ann)}")
        keys.go("button plan.txt 8 bytes", 80)
        with ann.page.expect_download() as saved:
            keys.press("Enter")
        self.assertEqual((saved.value.suggested_filename, saved.value.path().read_bytes()), ("plan.txt", b"the plan"))

        # The guest takes their own message away; the focus stays in the list.
        guest.go("button Change or delete: draft", 80)
        guest.press("Enter").at("menuitem Edit")
        self.assertEqual(guest.nameless(), [])
        guest.press("Escape").at("button Change or delete: draft")
        guest.press("Enter").at("menuitem Edit")
        guest.press("ArrowDown").at("menuitem Delete")
        guest.press("Enter")
        wait_for("the message to be gone", lambda: ann.page.get_by_text("This message was deleted.").count() == 1)
        guest.at("list Messages")

        # The host takes the guest's file away, and saves what is left.
        keys.go("button Change or delete: plan.txt", 80)
        keys.press("Enter").at("menuitem Delete for everybody")
        keys.press("Enter")
        wait_for("the file to be gone", lambda: ben.page.get_by_text("A host deleted this message.").count() == 1)
        keys.at("list Messages")
        keys.go("textbox Message", 80)
        keys.type("what stays").press("Enter").at("textbox Message")
        wait_for("the message", lambda: self.texts(ben) == ["what stays"] or f"no: {self.texts(ben)}")
        keys.go("button Save the chat", 80)
        keys.press("Enter").at("menuitem As text")
        self.assertEqual(keys.nameless(), [])
        with ann.page.expect_download() as saved:
            keys.press("Enter")
        text = saved.value.path().read_text()
        self.assertIn("Ann: what stays", text)
        self.assertNotIn("draft", text)
        self.assertNotIn("plan.txt", text)
        keys.at("button Save the chat")
        self.assertEqual([line for person in (ann, ben) for line in person.console], [])


if __name__ == "__main__":
    unittest.main()
