"""Encrypted meetings of real pages: video and sound, the server's memory, and failures that are made on purpose."""

from __future__ import annotations

import base64
import os
import re
import unittest
from pathlib import Path

from aiortc_peer import AiortcPeer
from browser import Person, see_and_hear, shared_driver, wait_for
from client import Client
from firefox import Firefox
from memory import memory_has
from server import OUTPUT, Server

FOLDER = OUTPUT / "encryption"
ENCRYPTION = "() => parley.encryption"
SENT_CODEC = """async () => (await parley.stats()).streams
  .find((each) => each.direction === "outbound" && each.kind === "video" && each.frames > 0)?.codec"""
#: Sets the transform of each sender a moment later, and says that it is set.
LATE = """
  const own = Object.getOwnPropertyDescriptor(RTCRtpSender.prototype, "transform");
  const given = new WeakMap();
  Object.defineProperty(RTCRtpSender.prototype, "transform", {
    get() { return given.get(this) ?? null; },
    set(transform) { given.set(this, transform); if (window.late) { setTimeout(() => own.set.call(this, transform), 60_000); } else { own.set.call(this, transform); } },
  });
"""


def new_secret() -> str:
    return base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")


class EncryptedMeetings(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server("--development"))
        FOLDER.mkdir(parents=True, exist_ok=True)

    @property
    def room(self) -> str:
        return self.id().rsplit(".", 1)[-1].replace("_", "-")[:60]

    def person(self, name: str, **options) -> Person:
        return self.enterContext(Person(self.driver, name, **options))

    def meet(self, *names: str, secret: str, overrides: str = "") -> list[Person]:
        people = [self.person(name).open(self.server.url, self.room, f"e2ee={secret}{'&' + overrides if overrides else ''}") for name in names]
        for person in people:
            person.joined()
        for person in people:
            self.is_encrypted(person)
        return people

    def is_encrypted(self, page: Person | Firefox) -> dict:
        def look() -> dict | str:
            seen = page.evaluate("() => window.parley?.encryption")
            return seen if seen and seen["state"] == "encrypted" and seen["safetyCode"] else f"no: {seen} {page.console[-5:]}"
        return wait_for(f"{page.name} to be encrypted", look)

    def same_code(self, *pages: Person | Firefox) -> str:
        def look() -> str:
            codes = {page.evaluate(ENCRYPTION)["safetyCode"] for page in pages}
            return codes.pop() if len(codes) == 1 and None not in codes else f"no: {codes}"
        return wait_for("one code", look)

    def notice(self, person: Person) -> tuple[str, str]:
        wait_for("a notice", lambda: person.page.locator(".notice h1").count() == 1 and person.page.locator(".notice h1").inner_text() != "Joining…")
        return person.page.locator(".notice h1").inner_text(), person.page.locator(".notice p:not(.eyebrow)").first.inner_text()

    # MARK: Pictures and sound

    def test_two_pages_see_and_hear_each_other_and_have_one_code(self) -> None:
        ann, ben = self.meet("Ann", "Ben", secret=new_secret())
        see_and_hear((ann, "Ben"), (ben, "Ann"))
        self.assertRegex(self.same_code(ann, ben), r"^\d{30}$")
        report = ben.evaluate("() => parley._encryption.report()")
        opened = [each for each in report["slots"].values() if each["opened"] > 0]
        self.assertGreaterEqual(len(opened), 2, report)
        self.assertTrue(all(sender["seen"] > 0 for sender in report["senders"].values()), report)
        offer = ann.evaluate("() => parley.connection.peerConnection.localDescription.sdp")
        self.assertNotIn("red/48000", offer)
        self.assertEqual([line for line in ann.console + ben.console if line.startswith("uncaught")], [])

    def test_each_codec_is_seen_also_in_layers(self) -> None:
        for codec in ("VP9", "AV1", "H264"):
            with self.subTest(codec=codec):
                overrides = f"e2ee={new_secret()}&config.preferredVideoCodec={codec}"
                with Person(self.driver, "Ann") as ann, Person(self.driver, "Ben") as ben:
                    for person in (ann, ben):
                        person.join(self.server.url, f"{self.room[:40]}-{codec}", overrides)
                    see_and_hear((ben, "Ann"))
                    sent = ann.evaluate(SENT_CODEC)
                self.assertEqual(sent, codec)

    def test_chromium_and_firefox_decode_each_other(self) -> None:
        secret = new_secret()
        ann = self.person("Ann").join(self.server.url, self.room, f"e2ee={secret}")
        fay = self.enterContext(Firefox("Fay")).join(self.server.url, self.room, f"e2ee={secret}")
        wait_for("Fay to decode Ann", lambda: fay.frames("inbound") > 30 or f"no: {fay.frames('inbound')} {fay.evaluate('() => parley._encryption.report()')} {fay.console[-5:]}")
        wait_for("Ann to decode Fay", lambda: ann.frames("Fay") > 8 or f"no: {ann.evaluate('() => parley._encryption.report()')}")
        self.same_code(ann, fay)
        self.is_encrypted(fay)
        fay.screenshot(FOLDER / "firefox.png")

    def test_a_page_and_the_swift_client_see_each_other_and_have_one_code(self) -> None:
        secret = new_secret()
        ann = self.person("Ann").join(self.server.url, self.room, f"e2ee={secret}")
        with Client(self.server.url, f"{self.room}#e2ee={secret}", "Bot", "--publish", "testsrc") as bot:
            ann.sees_test_picture("Bot", rate=8)
            wait_for("the client's first frame", lambda: [each for each in bot.events if each["event"] == "firstFrame"] or f"no: {bot.errors}")
            def agree() -> bool | str:
                told = [each for each in bot.events if each["event"] == "encryption"]
                own = ann.evaluate(ENCRYPTION)
                return bool(told) and told[-1]["state"] == own["state"] == "encrypted" and told[-1]["safetyCode"] == own["safetyCode"] or f"no: {told[-1:]} {own}"
            wait_for("one code", agree)
            ann.page.evaluate("() => parley.sendChat('hello bot')")
            wait_for("the message", lambda: [each for each in bot.events if each["event"] == "chat" and "hello bot" in str(each)] or f"no: {bot.events[-3:]}")

    def test_a_page_and_the_swift_client_see_each_other_in_each_codec_also_in_layers(self) -> None:
        for codec in ("VP9", "AV1", "H264"):
            with self.subTest(codec=codec), Person(self.driver, "Ann") as ann:
                secret, room = new_secret(), f"{self.room[:40]}-{codec}"
                ann.join(self.server.url, room, f"e2ee={secret}&config.preferredVideoCodec={codec}")
                # The Swift client sends no AV1, and decodes it.
                sent = () if codec == "AV1" else ("--codec", codec)
                with Client(self.server.url, f"{room}#e2ee={secret}", "Bot", "--publish", "testsrc", *sent) as bot:
                    ann.sees_test_picture("Bot", rate=5)
                    wait_for("the client's first frame", lambda: [each for each in bot.events if each["event"] == "firstFrame" and each["source"] == "camera"]
                             or f"no: {bot.errors}")
                    self.assertEqual(ann.evaluate(SENT_CODEC), codec)

    def test_people_who_wrote_the_name_in_other_letters_before_the_meeting_began_meet(self) -> None:
        secret = new_secret()
        # Both pages have asked for the room before anybody is in it.
        people = {name: self.person(name) for name in ("Ann", "Ben")}
        for name, room in (("Ann", "Letters-Of-A-Name"), ("Ben", "letters-of-a-name")):
            people[name].page.goto(f"{self.server.url}/{room}#e2ee={secret}")
            people[name].page.get_by_label("Your name").fill(name)
        ann, ben = people.values()
        for person in (ann, ben):
            person.page.get_by_role("button", name="Join now").click()
            person.joined()
        see_and_hear((ann, "Ben"), (ben, "Ann"))
        self.same_code(ann, ben)

    def test_a_screen_that_is_shared_twice_is_seen_twice(self) -> None:
        ann, ben = self.meet("Ann", "Ben", secret=new_secret())
        for _ in range(2):
            ann.page.evaluate("() => parley.localParticipant.setScreenShare(true)")
            track = "() => [...parley.participants.values()][0].publication('screen')?.track"
            wait_for("the screen", lambda: ben.page.evaluate(f"() => Boolean(({track})())"))
            frames = """async () => (await parley.stats()).streams
              .filter((each) => each.direction === 'inbound' && each.mid === [...parley.participants.values()][0].publication('screen')?.track?.mid)
              .reduce((sum, each) => sum + (each.frames ?? 0), 0)"""
            wait_for("its frames", lambda: ben.evaluate(frames) > 5 or f"no: {ben.evaluate('() => parley._encryption.report()')}")
            ann.page.evaluate("() => parley.localParticipant.setScreenShare(false)")
            wait_for("its end", lambda: not ben.page.evaluate(f"() => Boolean(({track})())"))

    # MARK: The server

    def test_without_keys_frames_show_nothing_and_the_server_has_no_marker_anywhere(self) -> None:
        secret = new_secret()
        ann, ben = self.meet("Ann", "Ben", secret=secret)
        see_and_hear((ben, "Ann"))
        marker = "marker-" + os.urandom(9).hex()
        ann.page.evaluate("(text) => { parley.sendChat(text); parley.signal({ type: 'note', data: text }); parley.sendData(text, { topic: 'clear' }); }", marker)
        wait_for("the marker", lambda: ben.page.evaluate("() => parley.chat.at(-1)?.text") == marker)
        # A participant whom the server treats like any other, without the secret.
        with AiortcPeer(self.server.url, self.room, "Dan", codec="VP8", joins={"e2ee": True}) as dan:
            wait_for("Dan's slots", lambda: dan.slots or f"no: {dan.failure}")
            wait_for("Ann to have sent more", lambda more=ann.frames_sent(): ann.frames_sent() > more + 60)
            self.assertEqual(dan.video_frames.get("Ann", 0), 0)
            self.assertNotIn("Ann", dan.colours)
        raw = base64.urlsafe_b64decode(secret + "=")
        needles = {"marker": marker.encode(), "secret": secret.encode(), "raw secret": raw}
        found = memory_has(self.server.process.pid, *needles.values())
        self.assertEqual([name for name, needle in needles.items() if needle in found], [])
        disk = b"".join(path.read_bytes() for path in Path(self.server.data).rglob("*") if path.is_file())
        self.assertEqual([name for name, needle in needles.items() if needle in disk], [])
        self.assertNotIn(secret, self.server.log())

    # MARK: Chat

    def test_chat_signals_and_data_arrive_and_history_is_unreadable_to_those_who_come_later(self) -> None:
        secret = new_secret()
        ann, ben = self.meet("Ann", "Ben", secret=secret)
        ben.page.evaluate("""() => {
          window.got = [];
          parley.addEventListener("signal", ({ detail }) => got.push(["signal", detail.type, detail.data]));
          parley.addEventListener("data", ({ detail }) => got.push(["data", detail.topic, new TextDecoder().decode(detail.bytes)]));
        }""")
        ann.page.keyboard.press("c")
        ann.page.get_by_label("Message", exact=True).fill("hello Ben")
        ann.page.keyboard.press("Enter")
        wait_for("the message", lambda: [each["text"] for each in ben.page.evaluate("() => parley.chat")] == ["hello Ben"])
        wait_for("one's own", lambda: ann.page.locator(".chat-text", has_text="hello Ben").count() == 1)
        ann.page.evaluate("() => { parley.signal({ type: 'note', data: 'a signal' }); parley.sendData('some data', { topic: 'x' }); }")
        wait_for("both", lambda: sorted(ben.page.evaluate("() => got")) == [["data", "x", "some data"], ["signal", "note", "a signal"]]
                 or f"no: {ben.page.evaluate('() => got')}")
        ann.page.evaluate("() => parley.chatting.edit(parley.chat.at(-1), 'hello again')")
        wait_for("the change", lambda: ben.page.evaluate("() => parley.chat.at(-1).text") == "hello again")
        cem = self.person("Cem").join(self.server.url, self.room, f"e2ee={secret}")
        self.assertEqual(cem.page.evaluate("() => parley.chat.map(({ text, unreadable }) => [text, unreadable])"), [["", True]])
        cem.page.keyboard.press("c")
        wait_for("the words", lambda: cem.page.get_by_text("A message that this device cannot read").count() == 1)

    # MARK: Failures

    def test_a_missing_wrong_or_damaged_key_is_a_sentence_and_nobody_who_was_there_leaves(self) -> None:
        secret = new_secret()
        (ann,) = self.meet("Ann", secret=secret)
        for overrides, title, part in (("", "This link is not complete", "whole link"), (f"e2ee={new_secret()}", "This link does not fit the meeting", "another link"),
                                       (f"e2ee={secret[:-1]}", "This link is damaged", "missing or changed")):
            with self.subTest(title=title, part=part):
                ben = self.person("Ben").open(self.server.url, self.room, overrides)
                heading, text = self.notice(ben)
                self.assertEqual(heading, title)
                self.assertIn(part, text)
                ben.page.screenshot(path=FOLDER / f"refused-{re.sub('[^a-z]+', '-', part.lower())}.png", animations="disabled")
        self.assertEqual(ann.state(), "connected")
        self.assertEqual(self.is_encrypted(ann)["waitingFor"], [])

    def test_a_plain_meeting_is_not_joined_with_a_key_nor_an_encrypted_room_without(self) -> None:
        self.person("Ann").join(self.server.url, self.room)
        ben = self.person("Ben").open(self.server.url, self.room, f"e2ee={new_secret()}")
        self.assertEqual(self.notice(ben)[0], "This meeting is not encrypted")
        cem = self.person("Cem")
        cem.join(self.server.url, "remembered", f"e2ee={new_secret()}")
        cem.page.goto("about:blank")
        cem.open(self.server.url, "remembered")
        heading, text = self.notice(cem)
        self.assertEqual(heading, "This link is not complete")
        self.assertIn("when you were here before", text)

    def test_a_browser_that_cannot_encrypt_is_told_before_it_joins(self) -> None:
        ann = self.person("Ann")
        ann.page.add_init_script("delete window.RTCRtpScriptTransform;")
        ann.open(self.server.url, self.room, f"e2ee={new_secret()}")
        heading, text = self.notice(ann)
        self.assertEqual(heading, "This meeting is encrypted")
        self.assertIn("cannot encrypt", text)
        self.assertFalse(ann.page.evaluate("() => Boolean(window.parley)"))

    def test_bad_input_12_a_screen_with_a_late_transform_is_stopped(self) -> None:
        secret = new_secret()
        (ben,) = self.meet("Ben", secret=secret)
        ann = self.person("Ann")
        ann.page.add_init_script(LATE)
        ann.open(self.server.url, self.room, f"e2ee={secret}").joined()
        see_and_hear((ben, "Ann"))
        ann.page.evaluate("() => { window.late = true; window.problems = []; parley.addEventListener('error', ({ detail }) => problems.push(detail.error.code)); }")
        ann.page.evaluate("() => parley.localParticipant.setScreenShare(true)")
        wait_for("the end of the screen", lambda: ann.page.evaluate("() => problems.includes('encryptionFailed') && !parley.localParticipant.publication('screen')"))
        sent = ann.page.evaluate("""async () => [...(await parley.connection.peerConnection.getStats()).values()]
          .filter(({ type, kind, mid }) => type === "outbound-rtp" && kind === "video" && mid === parley.connection.midOf("screen")).reduce((sum, each) => sum + each.bytesSent, 0)""")
        # Padding has no payload.
        self.assertEqual(sent, 0)
        self.assertEqual(ann.state(), "connected")

    def test_bad_input_14_a_killed_worker_stops_what_is_sent_and_the_page_says_so(self) -> None:
        ann, ben = self.meet("Ann", "Ben", secret=new_secret())
        see_and_hear((ben, "Ann"))
        ann.page.evaluate("() => { window.tracks = parley.localParticipant.publications.map(({ track }) => track.mediaStreamTrack); parley._encryption._worker.terminate(); }")
        wait_for("the end", lambda: ann.state() == "ended" or f"no: {ann.state()}")
        self.assertEqual(ann.page.evaluate("() => tracks.map(({ readyState }) => readyState)"), ["ended", "ended"])
        self.assertEqual(self.notice(ann)[0], "The encryption has stopped")
        wait_for("Ann to be gone", lambda: ben.names() == [])
        drops = ben.evaluate("() => parley._encryption.report()")["slots"].values()
        self.assertFalse(any(each["drops"].get("malformed") for each in drops), drops)

    def test_bad_input_14_a_worker_with_an_error_or_one_that_hangs_ends_in_the_same_words(self) -> None:
        secret = new_secret()
        (ben,) = self.meet("Ben", secret=secret)
        for name, failure in (("an error", "() => { setTimeout(() => { throw new Error('on purpose'); }); }"), ("a loop without an end", "() => { setTimeout(() => { for (;;) {} }); }"),
                              ("a message that cannot be read", None)):
            with self.subTest(name), Person(self.driver, "Ann") as ann:
                ann.join(self.server.url, self.room, f"e2ee={secret}")
                self.is_encrypted(ann)
                ben.sees("Ann")
                ann.page.evaluate("() => { window.tracks = parley.localParticipant.publications.map(({ track }) => track.mediaStreamTrack); }")
                if failure is None:
                    ann.page.evaluate("() => parley._encryption._worker.dispatchEvent(new MessageEvent('messageerror'))")
                else:
                    ann.page.workers[0].evaluate(failure)
                wait_for("the end", lambda: ann.state() == "ended" or f"no: {ann.state()}")
                self.assertEqual(ann.page.evaluate("() => tracks.map(({ readyState }) => readyState)"), ["ended", "ended"])
                self.assertEqual(ann.page.evaluate("() => [parley.encryption.state, parley.encryption.safetyCode]"), ["waiting", None])
                self.assertEqual(self.notice(ann)[0], "The encryption has stopped")
                wait_for("Ann to be gone", lambda: ben.names() == [])
        drops = ben.evaluate("() => parley._encryption.report()")["slots"].values()
        self.assertFalse(any(each["drops"].get("malformed") for each in drops), drops)

    # MARK: For people

    def test_a_new_meeting_is_encrypted_and_its_code_and_link_can_be_passed_on(self) -> None:
        ann = self.person("Ann", permissions=["clipboard-read", "clipboard-write"])
        ann.page.goto(self.server.url)
        choice = ann.page.get_by_label("Encrypted meeting")
        wait_for("the choice", lambda: choice.count() == 1 and choice.is_checked())
        ann.page.screenshot(path=FOLDER / "start.png", animations="disabled")
        ann.page.get_by_role("button", name="New meeting").click()
        ann.page.get_by_label("Your name").fill("Ann")
        self.assertEqual(ann.page.get_by_text("Encrypted from end to end").count(), 1)
        ann.page.screenshot(path=FOLDER / "prejoin.png", animations="disabled")
        ann.page.get_by_role("button", name="Join now").click()
        ann.joined()
        address = ann.page.evaluate("() => location.href")
        self.assertRegex(address, r"#e2ee=[A-Za-z0-9_-]{43}$")
        shown = ann.page.locator(".alone-url").inner_text()
        self.assertEqual(shown, address)
        ben = self.person("Ben")
        ben.page.goto(shown.replace("#", "#config.prejoinPageEnabled=false&userInfo.displayName=Ben&"))
        ben.joined()
        see_and_hear((ann, "Ben"))
        code = self.same_code(ann, ben)
        ann.page.locator(".lock").click()
        digits = "".join(ann.page.locator(".safety-group").all_inner_texts())
        self.assertEqual(digits, code)
        for theme in ("light", "dark"):
            ann.page.emulate_media(color_scheme=theme)
            ann.page.screenshot(path=FOLDER / f"code-{theme}.png", animations="disabled")
        ann.page.set_viewport_size({"width": 390, "height": 844})
        ann.page.screenshot(path=FOLDER / "code-narrow.png", animations="disabled")
        ann.page.keyboard.press("Escape")
        for theme in ("dark", "light"):
            ann.page.emulate_media(color_scheme=theme)
            ann.page.screenshot(path=FOLDER / f"room-narrow-{theme}.png", animations="disabled")
        ann.page.set_viewport_size({"width": 1280, "height": 720})
        ann.page.screenshot(path=FOLDER / "room.png", animations="disabled")
        cem = self.person("Cem").join(self.server.url, "plain-room")
        cem.page.screenshot(path=FOLDER / "room-plain.png", animations="disabled")
        self.assertEqual(cem.page.evaluate(ENCRYPTION), {"state": "off", "safetyCode": None, "waitingFor": []})


if __name__ == "__main__":
    unittest.main()
