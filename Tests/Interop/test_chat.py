"""The chat of two real pages: typing, changing, deleting, files, and saving it all."""

from __future__ import annotations

import struct
import unittest
import zlib

from playwright.sync_api import sync_playwright

from browser import Person, wait_for
from server import Server


def picture(width: int = 64, height: int = 48) -> bytes:
    """A PNG of one colour."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes((40, 140, 110)) * width for _ in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Chat(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = cls.enterClassContext(sync_playwright())
        cls.server = cls.enterClassContext(Server("--development", "--chat-file-limit", "64"))

    def person(self, name: str, token: str = "devtoken") -> Person:
        person = self.enterContext(Person(self.driver, name))
        fragment = f'config.prejoinPageEnabled=false&config.startAudioOnly=true&userInfo.displayName="{name}"'
        person.page.goto(f"{self.server.url}/chatting?jwt={token}#{fragment}")
        wait_for(f"{name} to be connected", lambda: person.state() == "connected" or f"no: {person.state()} {person.console[-5:]}")
        person.page.keyboard.press("c")
        return person

    def test_typing_changes_files_and_saving_between_a_host_and_a_guest(self) -> None:
        host, guest = self.person("Ann", "moderator_token"), self.person("Ben")
        ann, ben = host.page, guest.page
        wait_for("each other", lambda: host.names() == ["Ben"] and guest.names() == ["Ann"])

        # What is typed is told while it is typed, and no more when it is sent.
        ben.get_by_label("Message", exact=True).press_sequentially("helo")
        wait_for("the line about typing", lambda: ann.get_by_text("Ben is typing…").count() == 1)
        ben.keyboard.press("Enter")
        wait_for("the message", lambda: ann.locator(".chat-text", has_text="helo").count() == 1)
        wait_for("the line to go", lambda: ann.get_by_text("Ben is typing…").count() == 0)

        # By keyboard alone: the arrow up edits the last message.
        ben.keyboard.press("ArrowUp")
        ben.get_by_label("Change the message").press_sequentially("!")
        ben.keyboard.press("Enter")
        wait_for("the new text", lambda: ann.locator(".chat-text", has_text="helo! (edited)").count() == 1)

        # A picture by the button, shown on the other side.
        ben.locator("input[type=file]").set_input_files({"name": "green.png", "mimeType": "text/html", "buffer": picture()})
        wait_for("the picture", lambda: ann.evaluate("() => document.querySelector('.chat-picture')?.naturalWidth") == 64)
        # Any other file by dropping it; it can only be saved.
        ben.evaluate("""() => {
          const data = new DataTransfer();
          data.items.add(new File(["<script>window.hit = 1</script>"], "page.html", { type: "text/html" }));
          for (const type of ["dragenter", "drop"]) {
            document.querySelector("#chat-panel").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
          }
        }""")
        button = ann.locator(".chat-file", has_text="page.html")
        wait_for("the file", lambda: button.count() == 1)
        with ann.expect_download() as saved:
            button.click()
        self.assertEqual(saved.value.suggested_filename, "page.html")
        self.assertEqual(saved.value.path().read_text(), "<script>window.hit = 1</script>")
        self.assertIsNone(ann.evaluate("() => window.hit ?? null"))

        # What is too large is refused before it is sent.
        ben.locator("input[type=file]").set_input_files({"name": "big.bin", "mimeType": "", "buffer": b"x" * 70_000})
        wait_for("the refusal", lambda: ben.get_by_text("The file is too large: at most 66 kB are taken here.").count() == 1)

        # The host deletes the file of the guest for everybody, and saves the chat.
        item = ann.locator(".chat-message", has=button)
        item.hover()
        item.get_by_role("button", name="Change or delete").click()
        ann.get_by_role("menuitem", name="Delete for everybody").click()
        wait_for("the deletion", lambda: ben.get_by_text("A host deleted this message.").count() == 1)
        with ann.expect_download() as saved:
            ann.get_by_role("button", name="Save the chat").click()
            ann.get_by_role("menuitem", name="As text").click()
        text = saved.value.path().read_text()
        self.assertIn("Ben: helo! (edited)", text)
        self.assertIn("(file) green.png", text)
        self.assertNotIn("page.html", text)
        self.assertEqual(ben.get_by_role("button", name="Save the chat").count(), 0)


if __name__ == "__main__":
    unittest.main()
