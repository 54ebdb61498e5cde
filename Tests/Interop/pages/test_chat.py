"""The chat of two real pages: typing, changing, deleting, files, and saving it all."""

from __future__ import annotations

import struct
import unittest
import zlib

from browser import Person, shared_driver, wait_for
from command import run
from proxy import CuttableProxy
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
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--development", "--chat-file-limit", "64"))

    def person(self, name: str, token: str = "devtoken", room: str = "chatting", server: str | None = None) -> Person:
        person = self.enterContext(Person(self.driver, name))
        fragment = f'config.prejoinPageEnabled=false&config.startAudioOnly=true&userInfo.displayName="{name}"'
        person.page.goto(f"{server or self.server.url}/{room}?jwt={token}#{fragment}")
        self.opens_chat(person)
        return person

    def opens_chat(self, person: Person) -> None:
        wait_for(f"{person.name} to be connected", lambda: person.state() == "connected" or f"no: {person.state()} {person.console[-5:]}")
        wait_for("the room", lambda: person.page.locator("#chat-panel").count() == 1)
        person.page.keyboard.press("c")

    def writes(self, person: Person, text: str) -> None:
        person.page.get_by_label("Message", exact=True).fill(text)
        person.page.keyboard.press("Enter")
        wait_for(f"{text!r} to be back", lambda: person.page.locator(".chat-text", has_text=text).count() == 1)

    def test_typing_changes_files_and_saving_between_a_host_and_a_guest(self) -> None:
        host, guest = self.person("Ann", "moderator_token"), self.person("Ben")
        ann, ben = host.page, guest.page
        wait_for("each other", lambda: host.names() == ["Ben"] and guest.names() == ["Ann"])

        # Typing is shown during it, and no more when the message is sent.
        ben.get_by_label("Message", exact=True).press_sequentially("helo")
        wait_for("the line about typing", lambda: ann.get_by_text("Ben is typing…").count() == 1)
        ben.keyboard.press("Enter")
        wait_for("the message", lambda: ann.locator(".chat-text", has_text="helo").count() == 1)
        wait_for("the line to go", lambda: ann.get_by_text("Ben is typing…").count() == 0)

        # By keyboard alone: the arrow up edits the last message, once its author has it back, who may get it after the
        # others.
        wait_for("the message at Ben's", lambda: ben.locator(".chat-text", has_text="helo").count() == 1)
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

        # A file that is too large is refused before it is sent.
        ben.locator("input[type=file]").set_input_files({"name": "big.bin", "mimeType": "", "buffer": b"x" * 70_000})
        wait_for("the refusal", lambda: ben.get_by_text("big.bin was not sent. The file is too large: at most 66 kB are taken here.").count() == 1)

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

    def test_later_joiners_see_the_chat_before_only_where_the_meeting_says_so(self) -> None:
        for room, history in (("told", "yes"), ("untold", "no")):
            with self.subTest(room):
                run(self.server, "meeting", "create", room, "--chat-history", history)
                host, early = self.person("Ann", "moderator_token", room), self.person("Ben", room=room)
                wait_for("each other", lambda: host.names() == ["Ben"] and early.names() == ["Ann"])
                empty = host.page.locator("#chat-panel .panel-empty")
                self.assertEqual(empty.inner_text(), {
                    "yes": "No messages yet. What you write here is seen by everybody in the meeting, and by who comes later.",
                    "no": "No messages since you came. Who comes is not shown what was written before. "
                          "What you write here is seen by everybody in the meeting.",
                }[history])
                self.writes(host, "before anybody else came")
                early.page.locator("input[type=file]").set_input_files({"name": "plan.txt", "mimeType": "text/plain", "buffer": b"early"})
                wait_for("the file", lambda: host.page.locator(".chat-file", has_text="plan.txt").count() == 1)
                host.page.evaluate("() => parley.sendChat('for Ben alone', { to: [...parley.participants.keys()][0] })")
                wait_for("the private one", lambda: early.page.locator(".chat-text", has_text="for Ben alone").count() == 1)
                host.page.evaluate("() => parley.chatting.edit(parley.chat[0], 'changed before anybody else came')")
                wait_for("the change", lambda: early.page.locator(".chat-text", has_text="changed before").count() == 1)

                late = self.person("Cem", room=room)
                texts = late.page.locator(".chat-text")
                if history == "yes":
                    self.assertEqual(texts.all_inner_texts(), ["changed before anybody else came (edited)"])
                    with late.page.expect_download() as saved:
                        late.page.locator(".chat-file", has_text="plan.txt").click()
                    self.assertEqual(saved.value.path().read_text(), "early")
                else:
                    self.assertEqual((texts.count(), late.page.locator(".chat-file").count()), (0, 0))
                    self.assertIn("No messages since you came.", late.page.locator("#chat-panel .panel-empty").inner_text())
                # Messages that were there already aren't news: none is announced or counted.
                self.assertEqual((late.page.locator(".toast").filter(has_text="before").count(), late.page.locator(".badge").count()), (0, 0))
                self.writes(host, "now all are here")
                wait_for("what is written since", lambda: texts.all_inner_texts()[-1:] == ["now all are here"])
                self.assertNotIn("alone", late.page.locator("body").inner_text())
                # Away and back again, it is as for who comes.
                late.page.reload()
                self.opens_chat(late)
                expected = ["changed before anybody else came (edited)", "now all are here"] if history == "yes" else []
                self.assertEqual(texts.all_inner_texts(), expected)

    def test_many_files_go_one_after_the_other_and_each_that_does_not_is_named(self) -> None:
        ann, ben = self.person("Ann", room="files"), self.person("Ben", room="files")
        wait_for("each other", lambda: ann.names() == ["Ben"] and ben.names() == ["Ann"])
        files = [{"name": f"{number}.txt", "mimeType": "text/plain", "buffer": b"x" * 2_000} for number in range(12)]
        files.insert(1, {"name": "big.bin", "mimeType": "", "buffer": b"x" * 70_000})
        files.insert(2, {"name": "empty.txt", "mimeType": "", "buffer": b""})
        ann.page.locator("input[type=file]").set_input_files(files)
        expected = sorted(f"{number}.txt" for number in range(12))
        wait_for("all twelve at Ben's", lambda: (names := sorted(ben.page.locator(".chat-file-name").all_inner_texts())) == expected
                 or f"no: {names}", 40)
        wait_for("nothing to be on the way", lambda: ann.page.locator(".chat-upload").count() == 0)
        problem = ann.page.locator("#chat-panel").get_by_role("alert")
        self.assertEqual(sorted(problem.locator("span").all_inner_texts()), [
            "big.bin was not sent. The file is too large: at most 66 kB are taken here.", "empty.txt was not sent. The file is empty."])
        # A folder that is dropped looks like a file, until it is read.
        ann.page.evaluate("""() => {
          const folder = { name: "Pictures", size: 4096, slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotReadableError")) }) };
          const drop = new Event("drop", { bubbles: true, cancelable: true });
          Object.defineProperty(drop, "dataTransfer", { value: { types: ["Files"], files: [folder] } });
          document.querySelector("#chat-panel").dispatchEvent(drop);
        }""")
        wait_for("the folder to be refused", lambda: problem.inner_text()
                 == "Pictures was not sent. It cannot be read. A folder has to be packed into one file first.")
        # The next message that is sent takes the words away.
        self.writes(ann, "sorry")
        self.assertFalse(problem.is_visible())

    # MARK: Many at once, and lost answers

    def watch(self, person: Person) -> None:
        """Notes how the connection fares, and what fails."""
        person.page.evaluate("""() => {
          window.states = [];
          window.failed = [];
          parley.addEventListener("statechanged", ({ detail }) => { states.push(detail.state); });
          parley.addEventListener("chatFailed", ({ detail }) => { failed.push([detail.message.text, detail.error.code]); });
        }""")

    @staticmethod
    def texts(person: Person) -> list[str]:
        return person.page.evaluate("() => parley.chat.map(({ text }) => text)")

    def comes_to(self, person: Person, expected: list[str], seconds: float = 30) -> None:
        wait_for(f"{len(expected)} messages at {person.name}'s", lambda: (got := self.texts(person)) == expected
                 or f"no: {len(got)}, at last {got[-5:]}", seconds)

    def test_four_hundred_messages_arrive_in_order_and_a_refused_one_stays_in_its_field(self) -> None:
        ann, ben = self.person("Ann", room="burst"), self.person("Ben", room="burst")
        wait_for("each other", lambda: ann.names() == ["Ben"] and ben.names() == ["Ann"])
        self.watch(ann)
        ann.page.evaluate("() => { for (let index = 0; index < 400; index += 1) { parley.sendChat(String(index)); } }")
        expected = [str(index) for index in range(400)]
        self.comes_to(ben, expected)
        self.comes_to(ann, expected)

        # Changes go in their turn, too: the server refuses those that come too fast, and not the connection.
        outcomes = ann.page.evaluate("""async () => (await Promise.allSettled(parley.chat.slice(0, 300).map((each) => parley.chatting.edit(each, `${each.text}!`))))
          .map(({ reason }) => reason?.code ?? "done")""")
        self.assertEqual(set(outcomes), {"done", "tooFast"})
        self.assertGreaterEqual(outcomes.count("done"), 30)
        wait_for("as many changes at Ben's", lambda: len([each for each in self.texts(ben) if each.endswith("!")]) == outcomes.count("done"))

        # More than wait: one more is refused by the name of the limit, and what was typed is not lost.
        before = len(self.texts(ben))
        told = ann.page.evaluate("""() => {
          const field = document.querySelector("#chat-panel textarea");
          let count = 0;
          try {
            for (; count < 1_300; count += 1) { parley.sendChat(`more ${count}`); }
          } catch (error) {
            field.value = "one more";
            field.form.requestSubmit();
            return { count, code: error.code, message: error.message, typed: field.value };
          }
          return { count };
        }""")
        self.assertTrue(1_000 <= told["count"] <= 1_100, told)
        self.assertEqual((told["code"], told["typed"]), ("tooFast", "one more"))
        self.assertIn("1000 chat messages wait to be sent already, which is the limit: 40 a second go out, 100 at once", told["message"])
        self.assertEqual(ann.page.locator("#chat-panel").get_by_role("alert").inner_text(), "1,000 messages wait to be sent already. Wait a moment, and send it again.")
        wait_for("some of them at Ben's", lambda: len(self.texts(ben)) > before + 20)
        self.assertEqual(ann.page.evaluate("() => [states, failed]"), [[], []])
        # A message that was never sent is reported.
        ann.page.evaluate("() => parley.leave()")
        wait_for("Ben to be alone", lambda: ben.names() == [])
        more = self.texts(ben)[before:]
        self.assertEqual(more, [f"more {index}" for index in range(len(more))])
        failed = ann.page.evaluate("() => failed")
        self.assertEqual(failed, [[f"more {index}", "cancelled"] for index in range(told["count"] - len(failed), told["count"])])
        self.assertGreaterEqual(len(more) + len(failed), told["count"] - 100)

    def test_a_message_that_the_server_has_passed_on_when_the_connection_is_lost_comes_once(self) -> None:
        for room, keep in (("kept", "2000"), ("unkept", "0")):
            with self.subTest(room):
                run(self.server, "meeting", "create", room, "--chat-keep", keep)
                proxy = CuttableProxy(self.server.port)
                self.addCleanup(proxy.close)
                ann, ben = self.person("Ann", room=room, server=proxy.url), self.person("Ben", room=room)
                wait_for("each other", lambda: ann.names() == ["Ben"] and ben.names() == ["Ann"])
                self.watch(ann)
                def loses_answers(person: Person) -> None:
                    """Answers that the server sends from now on are lost with the connection."""
                    proxy.cut()
                    wait_for("the loss to be known", lambda: person.state() == "reconnecting")

                answer = b'"type":"done"'
                proxy.withhold_at(answer)
                ann.page.evaluate("() => parley.sendChat('once')")
                self.comes_to(ben, ["once"])
                wait_for("the answer", proxy.withholds)
                loses_answers(ann)
                self.assertNotIn("once", self.texts(ann))
                ann.page.evaluate("() => parley.sendChat('meanwhile')")
                proxy.mend()
                wait_for("Ann to be back", lambda: ann.state() == "connected")
                ann.page.evaluate("() => parley.sendChat('after')")
                expected = ["once", "meanwhile", "after"]
                self.comes_to(ben, expected)
                # A chat that is kept nowhere nobody can report again.
                self.comes_to(ann, expected if keep != "0" else expected[1:])

                # Many at once, some of them alike, and one loss after the other.
                expected += [str(index // 2) for index in range(240)]
                proxy.withhold_at(answer)
                ann.page.evaluate("(many) => { for (const text of many) { parley.sendChat(text); } }", expected[3:])
                for loss in range(1, 4):
                    wait_for(f"answer {loss} to be lost", proxy.withholds)
                    loses_answers(ann)
                    if loss < 3:
                        proxy.withhold_at(answer)
                    proxy.mend()
                self.comes_to(ben, expected)

                # A returning participant gets 64 KiB: of long messages the first are answered after the last, and stand
                # before them.
                long = [str(index).ljust(4_000, ".") for index in range(30)]
                expected += long
                wait_for("Ann to be back", lambda: ann.state() == "connected")
                proxy.withhold_at(answer)
                ann.page.evaluate("(long) => { for (const text of long) { parley.sendChat(text); } }", long)
                self.comes_to(ben, expected)
                loses_answers(ann)
                proxy.mend()
                wait_for("Ann to be back", lambda: ann.state() == "connected")
                if keep != "0":
                    self.comes_to(ann, expected)
                    shown = ann.page.evaluate("() => [...document.querySelectorAll('.chat-text')].map((each) => each.textContent)")
                    self.assertEqual(shown, expected)
                self.assertEqual(ann.page.evaluate("() => failed"), [])


if __name__ == "__main__":
    unittest.main()
