"""``Examples/SimpleChat``, an app of the BBM Enterprise SDK: two people on three endpoints."""

from __future__ import annotations

import hashlib
import itertools
import os
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np

from bbm_app import BBMApp, keep_picture, make_domain
from browser import wait_for
from display import Display
from memory import forget_peak, peak_memory
from server import Server

#: Megabytes of the large file; 134 is as large as a file may be, with 128 MiB.
MEGABYTES = float(os.environ.get("PARLEY_ATTACHMENT_MB", "48"))
#: The bubbles of one's own messages.
OWN_BUBBLE = (217, 235, 255)


def digest(path: Path | str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class SimpleChat(unittest.TestCase):
    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def setUp(self) -> None:
        self.domain = make_domain(self.server, f"chat-{next(self.numbers)}")
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def app(self, user: str, data: str, *options: str, **more: object) -> BBMApp:
        app = self.enterContext(BBMApp("SimpleChat", self.server, self.domain, user, self.home / data, *options, **more))
        app.wait_for("regId")
        return app

    def test_messages_wait_for_an_endpoint_that_is_offline_and_come_to_a_new_one(self) -> None:
        ann = self.app("Ann", "ann")
        ben = self.app("Ben", "ben")
        self.assertEqual(ben.stop(), 0)

        ann.send("newChat", users=["Ben"])
        chat = ann.wait_for("chat", users=["Ben"], isOneToOne=True)["chatId"]
        ann.send("send", text="Are you there?")
        first = ann.wait_for("message", content="Are you there?", isIncoming=False)["messageId"]
        ann.wait_for("receipt", messageId=first, state="Sent")

        ben = self.app("Ben", "ben", "--silent")
        received = ben.wait_for("message", content="Are you there?")
        self.assertEqual((received["sender"], received["isIncoming"], received["isUnverified"]), ("Ann", True, False))
        ann.wait_for("receipt", messageId=first, state="Delivered")
        ben.wait_for("chat", chatId=chat, users=["Ann"], numUnread=1)
        ben.send("read")
        ann.wait_for("receipt", messageId=first, state="Read")
        ben.wait_for("chat", chatId=chat, numUnread=0)
        ben.send("typing")
        ann.wait_for("typing", user="Ben")
        ben.send("send", text="Yes, here I am.")
        second = ann.wait_for("message", content="Yes, here I am.", isIncoming=True, sender="Ben")["messageId"]

        # The passcode brings the keys to a new endpoint, and with them the history.
        tablet = self.app("Ann", "tablet")
        tablet.wait_for("message", content="Are you there?", isIncoming=False, messageId=first)
        tablet.wait_for("message", content="Yes, here I am.", isIncoming=True, sender="Ben", isUnverified=False, messageId=second)

        # A recall is everywhere, a deletion on one's own endpoints.
        ann.send("recall", messageId=first)
        for each in (ann, ben, tablet):
            recalled = each.wait_for("message", messageId=first, isRecalled=True)
            self.assertEqual(recalled["content"], "")
        tablet.send("delete", messageId=second)
        for each in (ann, tablet):
            each.wait_for("message", messageId=second, isDeleted=True)
        ben.send("send", text="One more")
        ann.wait_for("message", content="One more")
        self.assertEqual(ben.all("message", isDeleted=True), [])
        for each in (ann, ben, tablet):
            self.assertEqual(each.all("securityWarning"), [])
            self.assertEqual(each.stop(), 0)

    def test_a_file_arrives_whole_and_on_a_new_endpoint_too(self) -> None:
        ann, ben = self.app("Ann", "ann"), self.app("Ben", "ben")
        path = self.home / "Grüße.bin"
        path.write_bytes(random.Random(24).randbytes(3_000_000))
        ann.send("newChat", users=["Ben"])
        ann.wait_for("chat", users=["Ben"])
        ann.send("sendFile", path=str(path))
        ann.wait_for("receipt", state="Delivered")
        done = ben.wait_for("file", state="Done", size=3_000_000)
        self.assertEqual((done["name"], digest(done["file"])), ("Grüße.bin", digest(path)))
        self.assertTrue(all(each["bytes"] <= each["total"] for each in ben.all("file", state="Transferring")))

        tablet = self.app("Ben", "tablet")
        message = tablet.wait_for("message", tag="File", sender="Ann")["messageId"]
        # Files of the history come when they are wanted.
        tablet.wait_for("file", state="Pending", size=3_000_000)
        saved = self.home / "saved.bin"
        tablet.send("saveFile", messageId=message, path=str(saved))
        tablet.wait_for("file", state="Saved", path=str(saved))
        self.assertEqual(digest(saved), digest(path))
        # A file that is there isn't overwritten.
        tablet.send("saveFile", messageId=message, path=str(path))
        self.assertIn("already", tablet.wait_for("file", state="NotSaved")["problem"])

    def test_a_large_file_arrives_whole_and_memory_stays_bounded(self) -> None:
        ann, ben = self.app("Ann", "ann"), self.app("Ben", "ben")
        path, size = self.home / "large.bin", min(int(MEGABYTES * 1_000_000), 128 << 20)
        with path.open("wb") as file:
            for start in range(0, size, 1_000_000):
                file.write(os.urandom(min(1_000_000, size - start)))
        ann.send("newChat", users=["Ben"])
        ann.wait_for("chat", users=["Ben"])
        before = {process.pid: forget_peak(process.pid) for process in (self.server.process, ann.process, ben.process)}
        ann.send("sendFile", path=str(path))
        done = ben.wait_for("file", seconds=60 + MEGABYTES, state="Done", size=size)
        self.assertEqual(digest(done["file"]), digest(path))
        growth = {pid: peak_memory(pid) - peak for pid, peak in before.items()}
        print(f"{size} bytes as an attachment: memory grew by {[round(each / 1e6) for each in growth.values()]} MB (server, sender, recipient)")
        # Neither the server nor an app has the whole file in memory.
        for grown in growth.values():
            self.assertLess(grown, 16_000_000)
        # The server has its sealed form, 16 bytes longer for each 64 KiB.
        [stored] = [each.stat().st_size for each in Path(self.server.data).rglob("*") if each.is_file() and each.stat().st_size > size]
        self.assertEqual(stored, size + 16 * -(-size // (64 << 10)))
        for each in (ann, ben):
            self.assertEqual(each.all("securityWarning"), [])
            self.assertEqual(each.stop(), 0)

    def test_somebody_who_is_not_there_is_said_in_words(self) -> None:
        ann = self.app("Ann", "ann")
        ann.send("newChat", users=["Nobody"])
        self.assertIn("no user “Nobody”", ann.wait_for("asked", title="That did not work")["message"])
        ann.send("newChat", users=[])
        ann.wait_for("asked", message="A chat needs somebody to talk to.")

    def test_its_windows_show_names_of_every_script(self) -> None:
        display = self.enterContext(Display(500, 700))
        others = ["Жанна", "王芳", "أمل"]
        for number, name in enumerate(others):
            self.assertEqual(self.app(name, f"other{number}").stop(), 0)
        ann = self.app("Ann", "ann", display=display)
        keep_picture("simple-chat", "no-chats", display, "Simple Chat")
        ann.send("newChat", users=others, subject="")
        ann.wait_for("chat", users=sorted(others), isOneToOne=False)
        ann.send("send", text="Добрый день! 你好! مرحبا")
        ann.wait_for("receipt", state="Sent")
        janna = self.app("Жанна", "other0", "--silent")
        janna.wait_for("message", sender="Ann")
        janna.send("send", text="A message that is so long that it needs several lines in its bubble, which grows with it.")
        ann.wait_for("message", sender="Жанна")
        ann.wait_for("receipt", state="Delivered")

        def bubbles() -> object:
            pixels = keep_picture("simple-chat", "chat", display, "Simple Chat")
            count = int((np.abs(pixels.astype(int) - OWN_BUBBLE) < 4).all(axis=2).sum())
            return count > 1_000 or f"no: {count} points of a bubble"
        wait_for("the bubble of Ann's message", bubbles)
        ann.send("signOut")
        ann.wait_for("authState", setupState="", user="")
        keep_picture("simple-chat", "signed-out", display, "Simple Chat")


if __name__ == "__main__":
    unittest.main()
