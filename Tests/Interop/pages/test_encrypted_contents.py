"""Files, polls and lasting identities of encrypted meetings: pages, the Swift client, and a server that is hostile."""

from __future__ import annotations

import base64
import os
import tempfile
import unittest
from pathlib import Path

from browser import Person, see_and_hear, shared_driver, wait_for
from client import Client
from firefox import Firefox
from impairment import REWRITE
from memory import memory_has
from server import OUTPUT, Server
from wire_tap import DatagramTap, WireTap

FOLDER = OUTPUT / "encryption"
#: Keeps the page's sockets, so that a test can say something in the server's place.
SOCKETS = """
  window.sockets = [];
  window.WebSocket = class extends WebSocket { constructor(...given) { super(...given); window.sockets.push(this); } };
"""
SAY = "(message) => sockets.at(-1).dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }))"
FETCH = """async (id) => {
  const { file } = parley.chat.find((each) => each.file?.id === id);
  const shares = [];
  const content = await parley.chatting.fetchFile(file, { onProgress: (share) => shares.push(share) });
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await content.arrayBuffer()));
  return { size: content.size, type: content.type, digest: [...digest].join(), last: shares.at(-1), rises: shares.every((each, index) => index === 0 || each >= shares[index - 1]) };
}"""
SEND = """async ([name, size, start]) => {
  const content = new Uint8Array(size);
  for (let index = 0; index < size; index++) { content[index] = index * 7 + (index >> 8); }
  content.set(start);
  const message = await parley.chatting.sendFile(new File([content], name));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", content));
  return { id: message.file.id, name: message.file.name, type: message.file.type, digest: [...digest].join() };
}"""
#: Notes in the worker each media key that it sends to somebody.
NOTE_KEYS = """async () => {
  const { PairChannel } = await import("/sdk/encryption/pair-channel.js");
  const { seal } = PairChannel.prototype;
  self.sentKeys = [];
  PairChannel.prototype.seal = function (message) {
    if (message.baseKey) { sentKeys.push([...message.baseKey]); }
    return seal.call(this, message);
  };
}"""
PNG = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]


def new_secret() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")


class EncryptedContents(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--development"))
        FOLDER.mkdir(parents=True, exist_ok=True)

    @property
    def room(self) -> str:
        return self.id().rsplit(".", 1)[-1].replace("_", "-")[:60]

    def person(self, name: str, script: str = "") -> Person:
        person = self.enterContext(Person(self.driver, name))
        if script:
            person.page.add_init_script(script)
        return person

    def host(self, secret: str) -> Person:
        return self.person("Ann").join(self.server.url, self.room, f"e2ee={secret}&jwt=moderator_token")

    def same_code(self, *pages: Person | Firefox) -> str:
        def look() -> str:
            states = [page.evaluate("() => parley.encryption") for page in pages]
            codes = {each["safetyCode"] for each in states}
            return codes.pop() if len(codes) == 1 and None not in codes and all(each["state"] == "encrypted" for each in states) else f"no: {states}"
        return wait_for("one code", look)

    def last_file(self, page: Person | Firefox, file: str) -> dict:
        return wait_for(f"the file at {page.name}", lambda: page.evaluate("(id) => parley.chat.find((each) => each.file?.id === id)", file) or f"no: {page.evaluate('() => parley.chat')}")

    def stored(self) -> list[Path]:
        return [path for path in Path(self.server.data).rglob("f_*") if path.is_file()]

    def server_has_none_of(self, *needles: bytes, server: Server | None = None) -> None:
        """Looks through the server's memory and everything that it has written down."""
        server = server or self.server
        self.assertEqual(memory_has(server.process.pid, *needles), [])
        disk = b"".join(path.read_bytes() for path in Path(server.data).rglob("*") if path.is_file())
        self.assertEqual([needle for needle in needles if needle in disk], [])

    # MARK: The server

    def test_bad_input_15_the_servers_sockets_memory_and_disk_have_no_plaintext_key_or_secret(self) -> None:
        secret = new_secret()
        server = self.enterContext(Server("--development", "--workers", "1"))
        wire, media = WireTap(server.port), DatagramTap(server.media_port)
        self.addCleanup(wire.close)
        self.addCleanup(media.close)
        script = REWRITE.replace("PORT", str(media.port))
        people = [self.person(name, script).open(wire.url, self.room, f"e2ee={secret}{more}") for name, more in (("Ann", "&jwt=moderator_token"), ("Ben", ""))]
        ann, ben = (person.joined() for person in people)
        see_and_hear((ben, "Ann"))
        self.same_code(ann, ben)
        for person in people:
            person.page.workers[0].evaluate(NOTE_KEYS)
        chat, note, data, name, question = (f"marker-{kind}-{os.urandom(9).hex()}" for kind in ("chat", "note", "data", "file", "poll"))
        content = os.urandom(24)
        clear = f"clear-{os.urandom(9).hex()}"
        ann.page.evaluate("""([chat, note, data, type]) => {
          parley.sendChat(chat); parley.signal({ type, data: note }); parley.sendData(data, { topic: "topic" });
        }""", [chat, note, data, clear])
        sent = ann.evaluate(SEND, [f"{name}.bin", 100_001, list(content)])
        self.last_file(ben, sent["id"])
        self.assertEqual(ben.evaluate(FETCH, sent["id"])["digest"], sent["digest"])
        ann.page.evaluate("(question) => parley.hosting.createPoll({ question, options: ['yes', 'no'] })", question)
        wait_for("the poll at Ben", lambda: ben.page.evaluate("() => parley.hosting.polls.at(-1)?.question") == question or f"no: {ben.console[-5:]}")
        # Keys go out when somebody joins, and other ones when they have left.
        keys: list[bytes] = []
        with Person(self.driver, "Cem") as cem:
            cem.page.add_init_script(script)
            cem.join(wire.url, self.room, f"e2ee={secret}")
            self.same_code(ann, ben, cem)
            see_and_hear((cem, "Ann"))

        def sent_keys() -> list[bytes] | str:
            each = [[bytes(key) for key in person.page.workers[0].evaluate("() => sentKeys")] for person in people]
            return [key for own in each for key in own] if all(len(set(own)) > 1 for own in each) else f"no: {each}"
        keys = wait_for("other keys", sent_keys)
        passed = wire.traffic() + media.traffic()
        # The type of a signal is readable, and shows that the tap has what passes.
        self.assertIn(clear.encode(), passed)
        self.assertGreater(len(media.traffic()), 500_000)
        texts = [text.encode() for text in (chat, note, data, name, question, secret)]
        coded = [base64.urlsafe_b64encode(key).rstrip(b"=") for key in (*keys, content)]
        needles = [*texts, content, base64.urlsafe_b64decode(secret + "="), *keys, *coded]
        self.assertEqual([needle for needle in needles if needle in passed], [])
        self.server_has_none_of(*needles, server=server)
        self.assertEqual([needle for needle in texts if needle.decode() in server.log()], [])

    # MARK: Files

    def test_files_pass_chromium_firefox_and_swift_without_name_or_content_at_the_server(self) -> None:
        secret = new_secret()
        ann = self.host(secret)
        fay = self.enterContext(Firefox("Fay")).join(self.server.url, self.room, f"e2ee={secret}")
        self.same_code(ann, fay)
        name, marker = f"marker-{os.urandom(8).hex()}.png", os.urandom(24)
        with tempfile.TemporaryDirectory() as folder, Client(self.server.url, f"{self.room}#e2ee={secret}", "Bot") as bot:
            bot.joined()
            wait_for("the bot's keys", lambda: [each for each in bot.events if each["event"] == "encryption" and each["state"] == "encrypted"])
            self.same_code(ann, fay)
            sent = ann.evaluate(SEND, [name, 200_001, PNG + list(marker)])
            self.assertEqual((sent["name"], sent["type"]), (name, "image/png"))
            for page in (fay, ann):
                self.assertEqual(self.last_file(page, sent["id"])["file"]["size"], 200_001)
                got = page.evaluate(FETCH, sent["id"])
                self.assertEqual((got["size"], got["type"], got["digest"], got["last"], got["rises"]), (200_001, "image/png", sent["digest"], 1, True))
            message = wait_for("the file at the bot", lambda: [each for each in bot.events if each["event"] == "chat" and each.get("file", {}).get("id") == sent["id"]] or f"no: {bot.events[-3:]}")[0]
            self.assertEqual((message["file"]["name"], message["text"]), (name, name))
            bot.command("saveFile", message=message["id"], path=f"{folder}/saved")
            wait_for("the saved file", lambda: Path(f"{folder}/saved").exists() and Path(f"{folder}/saved").stat().st_size == 200_001 or f"no: {bot.events[-3:]} {bot.errors}")
            self.assertEqual(Path(f"{folder}/saved").read_bytes()[:32], bytes(PNG) + marker)
            Path(f"{folder}/own.bin").write_bytes(marker * 4_000)
            bot.command("sendFile", path=f"{folder}/own.bin")
            own = wait_for("the bot's file", lambda: ann.evaluate("() => parley.chat.find((each) => each.file?.name === 'own.bin')?.file") or "no")
            self.assertEqual(fay.evaluate(FETCH, self.last_file(fay, own["id"])["file"]["id"])["size"], 96_000)
        self.assertGreaterEqual(len(self.stored()), 2)
        self.server_has_none_of(name.encode(), marker, secret.encode())
        self.assertNotIn(name, self.server.log())

    def test_a_file_is_saved_from_the_page_and_one_that_was_changed_or_cut_is_a_sentence(self) -> None:
        # threat 61
        secret = new_secret()
        ann, ben = self.host(secret), self.person("Ben").join(self.server.url, self.room, f"e2ee={secret}")
        self.same_code(ann, ben)
        ann.page.keyboard.press("c")
        content = b"%PDF-" + os.urandom(300_000)
        with tempfile.TemporaryDirectory() as folder:
            own = Path(folder) / "minutes.pdf"
            own.write_bytes(content)
            ann.page.locator("#chat-panel input[type=file]").set_input_files(own)
            ben.page.keyboard.press("c")
            ben.page.get_by_role("button", name="minutes.pdf").wait_for()
            with ben.page.expect_download() as saved:
                ben.page.get_by_role("button", name="minutes.pdf").click()
            self.assertEqual(saved.value.suggested_filename, "minutes.pdf")
            self.assertEqual(Path(saved.value.path()).read_bytes(), content)
        ben.page.screenshot(path=FOLDER / "file.png", animations="disabled")
        (path,) = self.stored()
        whole = path.read_bytes()
        for damaged in (whole[:70_000] + bytes([whole[70_000] ^ 1]) + whole[70_001:], whole[65_552:131_104] + whole[:65_552] + whole[131_104:], whole[:131_104]):
            path.write_bytes(damaged)
            ben.page.get_by_role("button", name="minutes.pdf").click()
            wait_for("the sentence", lambda: "was damaged or changed on its way" in ben.page.locator(".chat-form .field-problem").inner_text() or "no")
            ben.page.evaluate("() => { document.querySelector('.chat-form .field-problem').replaceChildren(); }")
        path.write_bytes(whole)
        with ben.page.expect_download() as saved:
            ben.page.get_by_role("button", name="minutes.pdf").click()
        self.assertEqual(Path(saved.value.path()).read_bytes(), content)
        # Somebody who comes later has not its key.
        cem = self.person("Cem").join(self.server.url, self.room, f"e2ee={secret}")
        self.assertEqual(cem.evaluate("() => parley.chat.map(({ unreadable, file }) => [unreadable, file])"), [[True, None]])

    def test_limits_are_those_of_plain_files(self) -> None:
        secret = new_secret()
        with Server("--chat-file-limit", "64") as small:
            ann = self.person("Ann").join(small.url, "limits", f"e2ee={secret}")
            ann.evaluate(SEND, ["full.bin", 64 << 10, []])
            self.assertEqual(ann.evaluate(f"() => ({SEND})(['more.bin', (64 << 10) + 1, []]).catch((error) => error.code)"), "fileTooLarge")
            self.assertEqual(ann.evaluate("() => parley.chatting.sendFile(new File([], 'none')).catch((error) => error.code)"), "emptyFile")

    # MARK: Polls

    def test_all_vote_in_polls_later_joiners_too_and_an_invented_poll_is_refused(self) -> None:
        # threat 62
        secret = new_secret()
        ann = self.host(secret)
        ben = self.person("Ben", SOCKETS).join(self.server.url, self.room, f"e2ee={secret}")
        self.same_code(ann, ben)
        question = f"marker {os.urandom(8).hex()}?"
        ann.page.evaluate("(question) => parley.hosting.createPoll({ question, options: ['marker-yes', 'marker-no'], multiple: true })", question)
        with Client(self.server.url, f"{self.room}#e2ee={secret}", "Bot") as bot:
            bot.joined()
            poll = wait_for("the poll at the bot", lambda: [each for each in bot.events if each["event"] == "poll" and each.get("question") == question] or f"no: {bot.events[-4:]}")[0]
            bot.command("vote", poll=poll["poll"], choices=[1])
            read = "() => parley.hosting.polls.map(({ question, options, voters }) => [question, options.map(({ text, votes }) => [text, votes]), voters])"
            wait_for("the vote", lambda: ben.evaluate(read) == [[question, [["marker-yes", 0], ["marker-no", 1]], 1]] or f"no: {ben.evaluate(read)}")
        ben.page.evaluate("() => parley.hosting.vote(parley.hosting.polls[0].id, [0, 1])")
        wait_for("Ben's vote", lambda: ann.evaluate(read)[0][1] == [["marker-yes", 1], ["marker-no", 1]] or f"no: {ann.evaluate(read)}")
        self.server_has_none_of(question.encode(), b"marker-yes")
        # A poll of an earlier meeting, which the server sends again, and an invented one.
        sealed = ben.evaluate("""async () => {
          const draft = await parley._encryption.sealPoll({ question: "Old?", options: ["a", "b"], multiple: false, results: "always" });
          return { ...draft, options: draft.options.map((text) => ({ text, votes: 0 })), open: true };
        }""")
        for message in ({"id": 90, **sealed}, {"id": 91, **sealed}, {"id": 92, "question": "Your password?", "options": [{"text": "a"}, {"text": "b"}], "multiple": False, "results": "always", "open": True}):
            ben.page.evaluate(SAY, {"type": "poll", "poll": message})
        shown = wait_for("all polls", lambda: [[each["id"], each.get("unreadable", False), len(each["options"])] for each in ben.evaluate("() => parley.hosting.polls")][1:]
                         if len(ben.evaluate("() => parley.hosting.polls")) == 4 else "no")
        self.assertEqual(shown, [[90, False, 2], [91, True, 0], [92, True, 0]])
        self.assertEqual(ben.evaluate("() => parley.hosting.vote(92, [0]).catch((error) => error.code)"), "encrypted")
        ben.page.get_by_role("button", name="More").click()
        ben.page.get_by_role("menuitem", name="Polls").click()
        wait_for("the words", lambda: ben.page.get_by_text("A poll that this device cannot read.").count() == 2)
        self.assertEqual(ben.page.get_by_text("Your password?").count(), 0)
        for theme in ("light", "dark"):
            ben.page.emulate_media(color_scheme=theme)
            ben.page.screenshot(path=FOLDER / f"polls-{theme}.png", animations="disabled")
        self.assertEqual(ben.page.evaluate("() => parley.hosting.createPoll({ question: 'x', options: ['a', 'a'] }).catch((error) => error.code)"), "badMessage")

    # MARK: Identities

    def test_a_browser_is_recognised_where_its_person_wants_that_and_a_guest_is_not(self) -> None:
        # threat 63
        ann, ben = self.person("Ann"), self.person("Ben")
        ann.page.goto(self.server.url)
        box = ann.page.get_by_label("Let others recognise this browser")
        wait_for("the choice", lambda: box.count() == 1 and box.is_visible())
        self.assertFalse(box.is_checked())
        box.check()
        for width, name in ((1280, "wide"), (390, "narrow"), (320, "small")):
            for theme in ("light", "dark"):
                ann.page.set_viewport_size({"width": width, "height": 760})
                ann.page.emulate_media(color_scheme=theme)
                ann.page.screenshot(path=FOLDER / f"identity-start-{name}-{theme}.png", animations="disabled")
                self.assertFalse(ann.page.evaluate("() => document.documentElement.scrollWidth > innerWidth"), f"{name} {theme}")
        ben.page.goto(self.server.url)
        ben.page.evaluate("() => localStorage.setItem('parley.choices', JSON.stringify({ recognised: true }))")
        recognition = "() => [...parley.participants.keys()].map((id) => parley.recognition(id))"
        codes = []
        for number, (expected, isLasting) in enumerate((("newDevice", True), ("sameDevice", True), ("changed", False))):
            if not isLasting:
                ann.page.evaluate("() => localStorage.setItem('parley.choices', JSON.stringify({ recognised: false }))")
            secret = new_secret()
            for person in (ann, ben):
                person.page.goto("about:blank")
                person.join(self.server.url, f"identity-{number}", f"e2ee={secret}")
            codes.append(self.same_code(ann, ben))
            wait_for("the recognition", lambda: ben.evaluate(recognition) == [expected] or f"no: {ben.evaluate(recognition)}")
            self.assertEqual((ann.evaluate("() => parley.identity"), ben.evaluate("() => parley.identity")), ("device" if isLasting else "guest", "device"))
            if expected == "changed":
                wait_for("the warning", lambda: ben.page.get_by_text("is not on the device that you know from earlier meetings").count() == 1)
            ben.page.locator(".lock").click()
            words = {"newDevice": "new device", "sameDevice": "same device as before", "changed": "another device than before"}[expected]
            wait_for("the words", lambda: ben.page.locator(".encryption-people", has_text=words).count() == 1)
            pair = "async () => parley.pairCode([...parley.participants.keys()][0])"
            self.assertEqual(ann.evaluate(pair), ben.evaluate(pair))
            ben.page.get_by_text("Code between you and Ann").click()
            wait_for("the code of two", lambda: ben.page.locator(".pair-digits").inner_text().replace(" ", "").replace("\n", "") == ann.evaluate(pair) or "no")
            # The reader of the code keeps the place while other things happen in the meeting.
            ben.page.evaluate("() => { window.place = document.activeElement; window.digits = document.querySelector('.pair-digits'); }")
            for is_raised in (True, False):
                ann.evaluate("(raised) => parley.hosting.raiseHand(raised)", is_raised)
                wait_for("Ann's hand", lambda: ben.evaluate("() => [...parley.participants.values()].some(({ hand }) => hand !== null)") is is_raised or "no")
            self.assertTrue(ben.page.evaluate("() => digits.isConnected && document.activeElement === place && place.tagName === 'SUMMARY'"))
            for width, name in ((960, "wide"), (320, "small")):
                for theme in ("light", "dark"):
                    ben.page.set_viewport_size({"width": width, "height": 640})
                    ben.page.emulate_media(color_scheme=theme)
                    ben.page.screenshot(path=FOLDER / f"identity-sheet-{expected}-{name}-{theme}.png", animations="disabled")
                    self.assertFalse(ben.page.evaluate("() => { const sheet = document.querySelector('.dialog-encryption'); return sheet.scrollWidth > sheet.clientWidth; }"), f"{name} {theme}")
            ben.page.set_viewport_size({"width": 960, "height": 640})
            ben.page.keyboard.press("Escape")
        self.assertEqual(codes[0], codes[1])
        self.assertNotEqual(codes[1], codes[2])

    def test_a_browser_that_keeps_no_keys_says_so_and_takes_part_as_a_guest(self) -> None:
        ann = self.person("Ann", "localStorage.setItem('parley.choices', JSON.stringify({ recognised: true }));")
        # Workers have no page whose script could be changed, so the module is answered by one that fails.
        ann.page.context.route("**/sdk/encryption/device-identity.js", lambda route: route.fulfill(
            content_type="text/javascript", body="export const deviceIdentity = () => Promise.reject(new Error('private window'));"))
        ann.join(self.server.url, self.room, f"e2ee={new_secret()}")
        wait_for("the words", lambda: ann.page.get_by_text("This browser cannot remember who you are").count() == 1 or f"no: {ann.evaluate('() => parley.identity')}")
        self.assertEqual(ann.evaluate("() => parley.identity"), "guest")
        wait_for("the encryption", lambda: ann.evaluate("() => parley.encryption.state") == "encrypted")

    def test_the_swift_client_keeps_its_identity_in_a_file_and_recognises_others(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            files = {name: f"{folder}/{name}.identity" for name in ("Ann", "Ben")}
            for number, expected in enumerate(("newDevice", "sameDevice")):
                room = f"swift-{number}#e2ee={new_secret()}"
                with Client(self.server.url, room, "Ann", "--identity", files["Ann"]) as ann, Client(self.server.url, room, "Ben", "--identity", files["Ben"]) as ben:
                    for client in (ann, ben):
                        client.joined()
                    wait_for("the recognition", lambda: [each for each in ben.events if each["event"].startswith("participant") and each["participant"].get("identity") == expected]
                             or f"no: {[each for each in ben.events if each['event'].startswith('participant')]}")
            for path in files.values():
                self.assertEqual(Path(path).stat().st_mode & 0o777, 0o600)
            Path(files["Ann"]).chmod(0o644)
            with Client(self.server.url, f"swift-2#e2ee={new_secret()}", "Ann", "--identity", files["Ann"]) as ann:
                self.assertEqual(ann.end(30), 2)
                wait_for("the sentence", lambda: "Other users of this machine can read" in "\n".join(ann.errors) or f"no: {ann.errors}")


if __name__ == "__main__":
    unittest.main()
