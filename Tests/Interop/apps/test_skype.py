"""``Examples/WoodgroveBank``, an app written for the Skype for Business App SDK, with an agent in Chromium."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import av
import numpy as np

from woodgrove_bank import Bank
from browser import Person, shared_driver, wait_for
from command import run
from display import count_colours, write_png
from media import CAST
from record import Record
from server import OUTPUT, Server
from sound_system import Display

LICENCE = "Codec End User License Terms"
CHOICES = ["Join online chat", "Join online video chat", "Cancel"]


class TrustedApplication:
    """A service of the bank's own that gives its set answer, whatever it is asked, once ``opened`` is set. Use it in a
    ``with`` block."""

    def __init__(self, status: int, **answer: object):
        outer = self
        self.forms: list[str] = []
        self.opened = threading.Event()
        self.opened.set()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802
                outer.forms.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                outer.opened.wait(30)
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/job"

    def __enter__(self) -> "TrustedApplication":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class Case(unittest.TestCase):
    options: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server(*cls.options))

    def home(self) -> Path:
        return Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-bank-")))

    def bank(self, home: Path | None = None, server: str | None = None) -> Bank:
        return self.enterContext(Bank(home or self.home(), "--server", server or self.server.url))

    def online_meeting(self, bank: Bank) -> str:
        """Signs in and asks an agent; returns the room of the meeting once it can be joined."""
        bank.do("fill Bank ID = 4711", "fill Password = secret", "press Sign in", "see Savings account", "press Ask Agent")
        address = bank.shows(f"{self.server.url}/")
        bank.shows("You have the token")
        return address.removeprefix(f"{self.server.url}/")

    def agent(self, name: str, room: str) -> Person:
        return self.enterContext(Person(self.driver, name)).join(self.server.url, room)

    def join(self, bank: Bank, how: str) -> int:
        """Joins the online meeting; returns how many events there were before."""
        before = len(bank.events)
        bank.do("press Join online meeting")
        self.assertEqual(bank.asks("Online meeting")["answers"], CHOICES)
        bank.do(f"answer {how}")
        return before


class Journey(Case):
    def test_a_customer_accepts_the_licence_talks_to_an_agent_ends_comes_back_and_chats(self) -> None:
        home = self.home()
        bank = self.bank(home)
        room = self.online_meeting(bank)
        ann = self.agent("Ann", room)

        # The licence comes first: without it nobody joins, and closing it accepts nothing.
        self.join(bank, "Join online video chat")
        bank.shows(LICENCE)
        bank.do("press Close")
        bank.shows("You have the token")
        self.assertEqual((bank.all("conversation", "state"), ann.names()), ([], []))
        before = self.join(bank, "Join online video chat")
        bank.shows(LICENCE)
        bank.do("press Accept to have a video call with your agent")

        # Picture and sound both ways; the sound only once it is unmuted.
        bank.expect("conversation", before, state="established")
        ann.sees_test_picture("Jake", rate=8)
        bank.sees(CAST["Ann"][0])
        bank.hears(CAST["Ann"][1])
        bank.shows("You talk to Ann")
        self.assertEqual(bank.all("muted", "state", before), ["muted"])
        ann.hears_silence("Jake")
        bank.do("press Unmute")
        ann.hears_tone("Jake", 550)
        bank.do("press Mute")
        ann.hears_silence("Jake")
        self.assertEqual(bank.all("muted", "state", before), ["muted", "unmuting", "unmuted", "muted"])

        # The end, and the same meeting again, with a new token and without the licence.
        bank.do("press End")
        bank.expect("conversation", before, state="idle")
        wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}")
        self.assertEqual(bank.all("conversation", "state", before), ["establishing", "established", "idle"])
        self.assertEqual(bank.all("canStart", "value", before), ["false", "true", "false"])
        bank.shows("You have the token")
        bank.shows(f"{self.server.url}/{room}")
        again = self.join(bank, "Join online video chat")
        bank.expect("canStart", again, value="true")
        ann.sees_test_picture("Jake", rate=8)
        bank.sees(CAST["Ann"][0])
        self.assertEqual(bank.all("canStart", "value", again), ["false", "true", "false"])
        bank.do("press End")
        bank.shows("You have the token")

        # Text both ways.
        chat = self.join(bank, "Join online chat")
        bank.shows("Waiting for an agent")
        bank.shows("now you can send a message")
        self.assertIn("Balance: $22,215.40", bank.screen()["texts"])
        ann.page.keyboard.press("c")
        bank.do("fill Message to the agent = Do you give loans?", "press Send")
        wait_for("the question on the page", lambda: ann.page.locator(".chat-text", has_text="Do you give loans?").count() == 1)
        ann.page.get_by_label("Message", exact=True).press_sequentially("We do.")
        ann.page.keyboard.press("Enter")
        bank.shows("We do.")
        self.assertEqual([text for text in bank.screen()["texts"] if text in ("Jake", "Do you give loans?", "Ann", "We do.")],
                         ["Jake", "Do you give loans?", "Ann", "We do."])
        self.assertEqual(bank.screen()["fields"]["Message to the agent"], "")
        # A chat opens neither camera nor microphone.
        self.assertEqual(ann.evaluate("() => [...senses.participant('Jake').publications.values()].length"), 0)
        bank.do("press End")
        bank.expect("conversation", chat, state="idle")
        wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}")

        # After the next start of the app the licence is still accepted.
        with Bank(home, "--server", self.server.url) as later:
            room = self.online_meeting(later)
            ann.join(self.server.url, room)
            self.join(later, "Join online video chat")
            later.sees(CAST["Ann"][0])
            self.assertNotIn(LICENCE, str(later.events))
            # Ctrl-C: the app leaves first. A process that merely vanishes would be seen for half a minute.
            later.process.send_signal(signal.SIGINT)
            wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}", 8)
            self.assertEqual(later.process.wait(10), 0)

    def test_a_meeting_is_joined_by_its_address_with_the_preview_features(self) -> None:
        bank = self.bank()
        ben = self.agent("Ben", "branch")
        bank.do("press Settings", "turn Enable preview features = on", "fill Display name = Cleo", "press Save")
        bank.do("press Add meeting URL", f"fill Meeting URL = {self.server.url}/branch", "press Save")
        self.assertEqual(bank.asks("SAVED!")["answers"], ["OK"])
        bank.do("answer OK", "press Sign in", "press Ask Agent")
        self.assertEqual(bank.asks("Accounts")["answers"], ["Ask using Text Chat", "Ask using Video Chat", "Cancel"])
        bank.do("answer Ask using Video Chat", "press Accept to have a video call with your agent")
        ben.sees_test_picture("Cleo", rate=8)
        bank.sees(CAST["Ben"][0])
        # The agent leaves: the picture goes, and the customer waits for the next one.
        ben.page.goto("about:blank")
        bank.shows("Waiting for an agent")
        wait_for("the picture to go", lambda: "Agent's picture" not in bank.screen()["views"] or f"no: {bank.screen()}", 40)


#: The events when a guest is in the meeting, in which somebody is already, before anything else can be done.
MEETING = [
    "conversation.subject = adhocMeeting", "myself.audio.state = connected", "conversation.state = established", "chatService.canStop = true",
    "chatService.canSendMessage = true", "audioService.canStop = true", "audioService.canSetHold = true", "audioService.canToggleMute = true",
    "videoService.canStart = true", "videoService.canSetActiveCamera = true", "myself.audio.canSetMuted = true",
    "told: conversation established"]
#: The first events of its end.
ENDING = [
    "conversation.canLeave = false", "chatService.canStop = false", "chatService.canSendMessage = false", "audioService.canStop = false",
    "audioService.canSetHold = false", "audioService.canToggleMute = false"]
#: And last.
GONE = [
    "Ann.chat.state = disconnected", "Ann.audio.isMuted = true", "Ann.audio.state = disconnected", "Ann.video.canSubscribe = false",
    "Ann.video.state = disconnected", "myself.chat.state = disconnected", "conversation.state = idle", "told: conversation idle"]
CHAT = ["historyService.activityItems = + outgoing “Do you give loans?” succeeded",
        "historyService.activityItems = + incoming “We do.” succeeded"]


class Sequence(Case):
    """Both ways to join, with all events of the app and of the agent's page from the first call to the end, in order.

    The order in the SDK's documents: the helper reports the present state when it is made, then `establishing`,
    `established` and, after `leave()`, `idle`; the watched participant is the first to be inserted, reported as nobody
    until their picture may be subscribed to; a message is reported once it is in the history; `unmuting` counts at once
    and `unmuted` when the server has answered, muting at once. That of what is stopped no `can…` flag stays true
    follows from their "only the subject and the history can be read". In which order the flags of one moment turn they
    leave open; here it is ours, and always the same.
    """

    def video(self, record: Record, history: list[str]) -> None:
        app, ann = record.app, record.page
        ann.sees_test_picture("Jake", rate=8)
        app.sees(CAST["Ann"][0])
        app.hears(CAST["Ann"][1])
        record.act("the customer joins with video", [
            "videoService.activeCamera = Test picture (front)", "told: conversation establishing", "told: muted muted", "told: canStart false",
            "told: subscribed nobody", "myself.chat.state = connected", "conversation.remoteParticipants = + Ann", "told: subscribed nobody",
            *history, *MEETING, "told: canStart true", "videoService.canStart = false", "videoService.canStop = true",
            "videoService.canSetPaused = true", "told: canStart false", "myself.video.state = connecting", "Ann.video.canSubscribe = true",
            "told: subscribed somebody", "myself.video.state = connected",
        ], ["Jake came", "Jake's camera is there, open", "Jake's camera comes"])
        app.do("press Unmute")
        ann.hears_tone("Jake", 550)
        record.act("the customer unmutes", [
            "audioService.muted = unmuting", "told: muted unmuting", "audioService.muted = unmuted", "told: muted unmuted",
            "myself.audio.isMuted = false",
        ], ["Jake's microphone is there, muted", "Jake's microphone comes", "Jake's microphone is open"])
        app.do("press Mute")
        ann.hears_silence("Jake")
        record.act("the customer mutes", ["audioService.muted = muted", "told: muted muted", "myself.audio.isMuted = true"],
                   ["Jake's microphone is muted"])
        app.do("press End")
        record.act("the customer leaves", [
            *ENDING, "videoService.canSetActiveCamera = false", "myself.audio.canSetMuted = false", "videoService.canStop = false",
            "videoService.canSetPaused = false", "myself.video.state = disconnected", "videoService.activeCamera = none",
            "myself.audio.state = disconnected", "conversation.remoteParticipants = - Ann", "told: subscribed nobody", *GONE,
        ], ["Jake's camera comes no more", "Jake's camera is gone", "Jake's microphone comes no more", "Jake's microphone is gone",
            "Jake went: left"])

    def chat(self, record: Record, history: list[str]) -> None:
        app, ann = record.app, record.page
        record.act("the customer joins with text", [
            "told: conversation establishing", "told: canSendMessage false", "myself.chat.state = connected",
            "conversation.remoteParticipants = + Ann", *history, *MEETING, "told: canSendMessage true", "Ann.video.canSubscribe = true",
        ], ["Jake came"])
        app.do("fill Message to the agent = Do you give loans?", "press Send")
        record.act("the customer writes", [
            "historyService.activityItems = + outgoing “Do you give loans?” pending", "“Do you give loans?”.status = succeeded",
        ], ["Jake: Do you give loans?"])
        ann.page.get_by_label("Message", exact=True).press_sequentially("We do.")
        ann.page.keyboard.press("Enter")
        record.act("the agent writes", [
            "Ann.chat.isTyping = true", "Ann.chat.isTyping = false", CHAT[1], "told: message We do.",
        ], ["Ann: We do."])
        app.do("press End")
        record.act("the customer leaves", [
            *ENDING, "videoService.canStart = false", "videoService.canSetActiveCamera = false", "myself.audio.canSetMuted = false",
            "told: canSendMessage false", "myself.audio.state = disconnected", "conversation.remoteParticipants = - Ann", *GONE,
        ], ["Jake went: left"])

    def test_all_that_app_and_page_are_told_by_token_and_by_address_is_one_known_sequence(self) -> None:
        bank = self.bank()
        room = self.online_meeting(bank)
        ann = self.agent("Ann", room)
        ann.page.keyboard.press("c")
        record = Record(bank, ann)
        self.join(bank, "Join online video chat")
        bank.do("press Accept to have a video call with your agent")
        self.video(record, [])
        bank.shows("You have the token")
        self.join(bank, "Join online chat")
        self.chat(record, [])
        # By the address, with what was written before.
        bank.do("press ‹ Back", "row Log off", "press Settings", "turn Enable preview features = on",
                f"fill Meeting URL = {self.server.url}/{room}", "press Save", "press Sign in", "press Ask Agent", "answer Ask using Video Chat")
        self.video(record, CHAT)
        bank.do("press Ask Agent", "answer Ask using Text Chat")
        self.chat(record, [*CHAT, "told: message We do."])


def press(agent: Person, label: str) -> None:
    """Presses a button once the page takes it: not right after it has appeared."""
    button = agent.page.get_by_role("button", name=label, exact=True).first
    button.focus()
    agent.page.wait_for_timeout(600)
    button.press("Enter")


class Lobby(Case):
    def test_who_waits_in_the_lobby_is_told_and_let_in_by_the_agent(self) -> None:
        run(self.server, "tenant", "set", "parley", "--access-level", "Locked")
        bank = self.bank()
        room = self.online_meeting(bank)
        [made] = run(self.server, "token", "create", "--room", room, "--role", "moderator")
        ann = self.agent("Ann", f"{room}?jwt={made['token']}")
        before = self.join(bank, "Join online chat")
        bank.shows("You are in the lobby")
        wait_for("the knock", lambda: ann.page.get_by_text("Jake wants to join").first.is_visible())
        self.assertEqual((ann.names(), "Send" in bank.screen()["disabled"]), ([], True))
        press(ann, "Admit Jake")
        bank.shows("now you can send a message")
        self.assertEqual(bank.all("conversation", "state", before), ["establishing", "inLobby", "established"])
        wait_for("Jake in the page", lambda: ann.names() == ["Jake"])

        # A refused guest reads the reason, and is back where they came from.
        bank.do("press End")
        bank.shows("You have the token")
        before = self.join(bank, "Join online chat")
        wait_for("the knock", lambda: ann.page.get_by_text("Jake wants to join").first.is_visible())
        press(ann, "Deny Jake")
        bank.asks("Error: Conferencing", "(E3-9-47)")
        bank.do("answer Ok")
        bank.shows("You have the token")
        self.assertEqual(bank.all("conversation", "state", before), ["establishing", "inLobby", "idle"])

    def test_who_is_let_in_from_the_lobby_is_seen_and_heard_and_sees_and_hears(self) -> None:
        run(self.server, "tenant", "set", "parley", "--access-level", "Locked")
        bank = self.bank()
        room = self.online_meeting(bank)
        [made] = run(self.server, "token", "create", "--room", room, "--role", "moderator")
        ann = self.agent("Ann", f"{room}?jwt={made['token']}")
        before = self.join(bank, "Join online video chat")
        bank.do("press Accept to have a video call with your agent", "see You are in the lobby")
        wait_for("the knock", lambda: ann.page.get_by_text("Jake wants to join").first.is_visible())
        # A guest in the lobby is in nobody's meeting, sends nothing and is shown nothing.
        self.assertEqual((ann.names(), bank.all("canStart", "value", before)), ([], ["false"]))
        self.assertIn("Unmute", bank.screen()["disabled"])
        self.assertNotIn("Agent's picture", bank.screen()["views"])
        press(ann, "Admit Jake")
        ann.sees_test_picture("Jake", rate=8)
        bank.sees(CAST["Ann"][0])
        bank.hears(CAST["Ann"][1])
        ann.hears_silence("Jake")
        bank.do("press Unmute")
        ann.hears_tone("Jake", 550)
        bank.do("press End")
        bank.expect("conversation", before, state="idle")
        self.assertEqual(bank.all("conversation", "state", before), ["establishing", "inLobby", "established", "idle"])
        self.assertEqual(bank.all("canStart", "value", before), ["false", "true", "false"])
        self.assertEqual(bank.all("muted", "state", before), ["muted", "unmuting", "unmuted", "muted"])
        wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}")


class BadInput(Case):
    def set(self, bank: Bank, **urls: str) -> None:
        names = {"meeting": "Online meeting request API URL", "token": "Token and discovery URI request API URL"}
        bank.do("press Settings", *(f"fill {names[key]} = {url}" for key, url in urls.items()), "press Save")

    def test_a_customer_is_told_of_a_hosts_moderation_and_turns_the_camera_on_again(self) -> None:
        bank = self.bank()
        room = self.online_meeting(bank)
        [made] = run(self.server, "token", "create", "--room", room, "--role", "moderator")
        ann = self.enterContext(Person(self.driver, "Ann")).join(self.server.url, f"{room}?jwt={made['token']}")
        self.join(bank, "Join online video chat")
        bank.do("press Accept to have a video call with your agent")
        ann.sees_test_picture("Jake", rate=4)
        ann.page.keyboard.press("p")

        def choose(entry: str, title: str, words: str, **screen: bool) -> None:
            """Chooses an entry of Jake's menu, reads what the bank says of it, and whether it shows its own picture or
            the button instead."""
            ann.page.get_by_role("button", name="More for Jake").click()
            ann.page.get_by_role("menuitem", name=entry, exact=True).click()
            if words:
                bank.asks(f"Error: {title}", f"Somebody who leads the meeting {words}")
                bank.do("answer Ok")
            shown(**screen)

        def shown(picture: bool, button: bool) -> None:
            def look() -> object:
                screen = bank.screen()
                return ("Your picture" in screen["views"], "Turn camera on" in screen["buttons"]) == (picture, button) or f"no: {screen}"
            wait_for(f"the own picture to be shown: {picture}, the button: {button}", look)
        shown(picture=True, button=False)
        choose("Turn camera off", "Communication", "has turned your camera off", picture=False, button=True)
        choose("Ask to turn camera on", "Communication", "asks you to turn your camera on", picture=False, button=True)
        bank.do("press Turn camera on")
        shown(picture=True, button=False)
        ann.sees_test_picture("Jake", rate=4)
        choose("Forbid camera", "Communication", "does not let you be seen any more", picture=False, button=False)
        choose("Allow camera", "", "", picture=True, button=False)
        ann.sees_test_picture("Jake", rate=4)
        choose("Forbid speaking", "ParticipantMute", "does not let you speak any more", picture=True, button=False)
        choose("Forbid chat", "Communication", "does not let you write messages any more", picture=True, button=False)

    def test_a_customer_without_devices_is_told_once_of_each_and_sees_the_agent(self) -> None:
        # The preview is the first to miss the camera, and can report it to nobody; and the app starts video whenever
        # `canStart` allows it.
        bank = self.enterContext(Bank(self.home(), "--server", self.server.url, environment={"PARLEY_TEST_DEVICES": ""}))
        room = self.online_meeting(bank)
        before = self.join(bank, "Join online video chat")
        bank.do("press Accept to have a video call with your agent")
        self.assertIn("this machine has no camera", bank.asks("Error: VideoGenericError")["message"])
        bank.do("answer Ok", "press Turn camera on")
        self.assertIn("this machine has no camera", bank.asks("Error: VideoGenericError")["message"])
        bank.do("answer Ok")
        ann = self.agent("Ann", room)
        self.assertIn("Nobody can be heard here", bank.asks("Error: Voice")["message"])
        bank.do("answer Ok")
        bank.sees(CAST["Ann"][0])
        self.assertEqual(bank.all("alert", "type", before), ["videoGenericError", "videoGenericError", "voice"])
        bank.do("press End")
        bank.expect("conversation", before, state="idle")
        self.assertEqual(bank.all("canStart", "value", before), ["false", "true", "false"])
        wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}")

    def test_addresses_that_are_none_are_not_saved(self) -> None:
        bank = self.bank()
        bank.do("press Add meeting URL")
        for wrong in ("", "meeting", "mailto:ann@example.org", "https://"):
            bank.do(f"fill Meeting URL = {wrong}".rstrip(), "press Save")
            self.assertEqual(bank.asks("Alert!", "valid meeting URL")["answers"], ["Close"])
            bank.do("answer Close")
        # The settings take none, which is none yet, and else what the other form takes.
        bank.do("press Cancel", "press Settings")
        for wrong in ("meeting", "mailto:ann@example.org", "https://"):
            bank.do(f"fill Meeting URL = {wrong}", "press Save")
            self.assertEqual(bank.asks("Alert!", "valid meeting URL")["answers"], ["Close"])
            bank.do("answer Close")
        bank.do("fill Meeting URL =", "fill Online meeting request API URL = service", "press Save")
        bank.asks("Alert!", "Online meeting request API URL")
        bank.do("answer Close", "press Cancel", "see Woodgrove Bank")

    def test_a_command_line_that_is_of_no_use_ends_with_a_sentence_and_a_status(self) -> None:
        for option, wrong, said in [
                *(("--server", each, "is no address of a server") for each in ("nonsense", "", "ftp://example.org", "http://")),
                ("--size", "large", "is no size"), ("--colour", "red", "--colour is not known")]:
            app = Bank(self.home(), option, wrong)
            ended = subprocess.run(app.command, env=app.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual((ended.returncode, ended.stdout), (2, ""), wrong)
            self.assertIn(said, ended.stderr)

    def test_an_unreachable_refusing_or_broken_service_is_reported_and_leads_back(self) -> None:
        def sees_alert(message: str, why: str) -> None:
            bank.do("press Sign in", "press Ask Agent")
            self.assertEqual(bank.asks("ERROR!", message)["answers"], ["Ok"])
            self.assertIn(why, bank.screen()["alert"]["message"])
            bank.do("answer Ok", "see Savings account", "row Log off")

        bank = self.bank(server="http://127.0.0.1:9")
        sees_alert("Getting meeting URL failed", "cannot be reached")
        self.set(bank, meeting=f"{self.server.url}/nothing/here")
        sees_alert("Getting meeting URL failed", "status 4")
        with TrustedApplication(200, JoinUrl=5) as service:
            self.set(bank, meeting=service.url)
            sees_alert("Getting meeting URL failed", "cannot be read")
        with TrustedApplication(200, JoinUrl="http://elsewhere.example/room") as service:
            self.set(bank, meeting=service.url, token=f"{self.server.url}/GetAnonTokenJob")
            sees_alert("Getting Discover URI failed", "status 400")
            self.assertEqual(service.forms, ["Subject=adhocMeeting&Description=adhocMeeting&AccessLevel="])

    def test_a_token_that_has_expired_and_a_server_that_is_gone_are_alerts(self) -> None:
        bank = self.bank()
        run(self.server, "meeting", "create", "loans")
        [made] = run(self.server, "token", "create", "--room", "loans", "--expires", "1s", "--guest")
        time.sleep(2)
        cases = [(self.server.url, made["token"], "Error: Conferencing", "(E3-9-47)"),
                 ("http://127.0.0.1:9", "psat=x", "Error: SignIn", "(E2-3-20)")]
        with TrustedApplication(200, JoinUrl=f"{self.server.url}/loans") as meetings:
            for url, token, title, code in cases:
                discover = f"{url}/discover?anonymousMeetingJoinContext={token}"
                with TrustedApplication(200, DiscoverUri=discover, Token=token) as tokens:
                    self.set(bank, meeting=meetings.url, token=tokens.url)
                    bank.do("press Sign in", "press Ask Agent", "see You have the token")
                    before = self.join(bank, "Join online chat")
                    bank.asks(title, code)
                    bank.do("answer Ok", "see You have the token")
                    self.assertEqual(bank.all("conversation", "state", before), ["establishing", "idle"])
                    self.assertIn("ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f", tokens.forms[0])
                bank.do("press ‹ Back", "row Log off")

        # By address: a meeting that is not there, and none at all.
        bank.do("press Settings", "turn Skype for Business Online = off", "fill Meeting URL =", "press Save", "press Sign in")
        bank.do("press Ask Agent", "answer Ask using Text Chat")
        bank.asks("ERROR!", "Joining online meeting failed")
        bank.do("answer Ok", "row Log off", "press Settings", f"fill Meeting URL = {self.server.url}/admin", "press Save", "press Sign in")
        bank.do("press Ask Agent", "answer Ask using Text Chat")
        bank.asks("Error: Conferencing", "(E3-9-47)")
        bank.do("answer Ok", "see Savings account")

    def test_an_unknown_meeting_is_an_alert_by_its_address_and_by_a_token(self) -> None:
        server = self.enterContext(Server("--open-rooms", "no"))
        bank = self.bank(server=server.url)
        # In closed rooms nobody makes a meeting by asking for it.
        bank.do("press Settings", "turn Skype for Business Online = off", f"fill Meeting URL = {server.url}/nowhere", "press Save", "press Sign in")
        for how in ("Ask using Text Chat", "Ask using Video Chat"):
            before = len(bank.events)
            bank.do("press Ask Agent", f"answer {how}")
            if "Video" in how:
                bank.do("press Accept to have a video call with your agent")
            bank.asks("Error: Conferencing", "There is no such meeting.")
            self.assertIn("(E3-9-47)", bank.screen()["alert"]["message"])
            self.assertEqual(bank.all("conversation", "state", before), ["establishing", "idle"])
            bank.do("answer Ok", "see Savings account")
        bank.do("row Log off", "press Settings", "turn Skype for Business Online = on", "press Save", "press Sign in", "press Ask Agent",
                "see You have the token")
        run(server, "meeting", "remove", bank.shows(f"{server.url}/").removeprefix(f"{server.url}/"))
        before = self.join(bank, "Join online chat")
        bank.expect("alert", before, type="conferencing", level="Error", code=str(0x2309002F))
        self.assertEqual(bank.all("conversation", "state", before), ["establishing", "idle"])
        # Back on the screen before, there is no token for it either: an alert over the other one.
        bank.asks("ERROR!", "Getting Discover URI failed")
        bank.do("answer Ok", "answer Ok", "see Savings account")

    def test_a_name_that_is_empty_and_a_server_that_ends_are_told(self) -> None:
        with Server() as server:
            bank = self.bank(server=server.url)
            bank.do("press Sign in", "press Ask Agent", "see You have the token", "fill Display name =")
            self.join(bank, "Join online chat")
            bank.asks("ERROR!", "Joining online meeting failed")
            bank.do("answer Ok", "press Ask Agent", "see You have the token")
            self.join(bank, "Join online chat")
            bank.do("see now you can send a message")
        bank.expect("alert", type="conferenceUnexpectedDisconnect", level="Error")
        # Back on the screen before, the app asks for the next token. With the server gone by then, that is an alert
        # over the other one.
        read: list[str] = []

        def answered() -> bool:
            if alert := bank.screen().get("alert"):
                read.append(alert["title"])
                bank.do("answer Ok")
            return alert is None and bool(read)
        wait_for("every alert to be answered", answered)
        self.assertIn("Error: ConferenceUnexpectedDisconnect", read)
        self.assertLessEqual(set(read), {"ERROR!", "Error: ConferenceUnexpectedDisconnect"})


class Window(Case):
    """The app in a window. Leaves a picture of each screen in ``output/bank``, which ``docs/images`` has copies of."""

    def setUp(self) -> None:
        self.enterContext(Display())
        Display.fill("#8a9490")
        self.folder = OUTPUT / "bank"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.app = self.open()

    def open(self, **environment: str) -> Bank:
        """Starts the app in a window."""
        style = {"GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "NO_AT_BRIDGE": "1", "GTK_A11Y": "none", **environment}
        app = self.enterContext(
            Bank(self.home(), "--server", self.server.url, "--size", "360x580", window=True, environment=style))
        # Dialogs are wider, and no row is to be drawn as the one under the pointer.
        [window] = wait_for("the window", lambda: self.windows("Woodgrove Bank"))
        subprocess.run(["xdotool", "windowmove", window, "80", "0", "mousemove", "799", "599"], check=True)
        return app

    def keep(self, name: str, moves: bool = False) -> np.ndarray:
        """Keeps a picture of the window, and returns it once it is not blank and, unless something ``moves``, at
        rest."""
        def drawn() -> object:
            [(left, top, width, height)] = self.windows("Woodgrove Bank").values()
            right, bottom = left + width, top + height
            # The page draws a moment after the request: two pictures are alike once it has.
            first, second = (grab()[top:bottom, left:right] for _ in range(2))
            if not moves and not np.array_equal(first // 64, second // 64):
                return "no: it changes"
            write_png(self.folder / f"{name}.png", second)
            colours = count_colours(second)
            return (second,) if colours > 20 else f"no: {colours} colours"
        return wait_for(f"a picture of {name}", drawn)[0]

    def windows(self, title: str) -> dict[str, tuple[int, int, int, int]]:
        """Left, top, width and height of the windows of that title, by their numbers."""
        def ask(*words: str) -> list[str]:
            return subprocess.run(["xdotool", *words], capture_output=True, text=True).stdout.split()
        found = {}
        for window in ask("search", "--onlyvisible", "--name", f"^{title}$"):
            values = dict(line.split("=") for line in ask("getwindowgeometry", "--shell", window))
            if "HEIGHT" in values:
                found[window] = tuple(int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))
        return found

    def test_every_screen_is_drawn_and_takes_clicks(self) -> None:
        app = self.app
        app.do("see Woodgrove Bank")
        self.keep("login")
        app.do("press Settings", "see Skype for Business Online")
        self.keep("settings")
        app.do("press What do these settings mean?")
        self.keep("documentation")
        app.do("press Close", "press Cancel", "press Add meeting URL", f"fill Meeting URL = {self.server.url}/branch")
        self.keep("add-meeting-url")
        app.do("fill Meeting URL = meeting", "press Save")
        app.asks("Alert!")
        self.keep("add-meeting-url-refused")
        app.do("answer Close", f"fill Meeting URL = {self.server.url}/branch", "press Save")
        app.asks("SAVED!")
        self.keep("saved")
        app.do("answer OK", "see Woodgrove Bank")

        # A click of the mouse is as good as a step.
        middle = wait_for("the button", lambda: find(self.keep("login"), GREEN))
        def click() -> bool:
            subprocess.run(["xdotool", "mousemove", str(80 + middle[0]), str(middle[1]), "click", "1"], check=True)
            return "Savings account" in app.screen()["texts"]
        wait_for("the click on Sign in", click, every=1)
        subprocess.run(["xdotool", "mousemove", "799", "599"], check=True)
        self.keep("accounts")
        app.do("row Log off", "press Settings", "turn Skype for Business Online = off", "press Save", "press Sign in", "press Ask Agent")
        app.asks("Accounts")
        self.keep("ask-sheet")
        app.do("answer Cancel", "row Log off", "press Settings", "turn Skype for Business Online = on", "press Save", "press Sign in",
               "see Savings account")

        with TrustedApplication(500) as service:
            service.opened.clear()
            app.do("row Log off", "press Settings", f"fill Online meeting request API URL = {service.url}", "press Save", "press Sign in")
            app.do("press Ask Agent", "see Waiting for online meeting URL!")
            self.keep("online-meeting-waiting", moves=True)
            service.opened.set()
            app.asks("ERROR!", "Getting meeting URL failed")
            self.keep("error")
        app.do("answer Ok", "row Log off", "press Settings", f"fill Online meeting request API URL = {self.server.url}/GetAdhocMeetingJob",
               "press Save")
        room = self.online_meeting(app)
        self.keep("online-meeting")
        app.do("press Join online meeting")
        app.asks("Online meeting")
        self.keep("join-sheet")
        app.do("answer Join online video chat", f"see {LICENCE}")
        self.keep("licence")
        app.do("press Accept to have a video call with your agent")
        app.expect("canStart", value="true")
        app.shows("Waiting for an agent")
        self.keep("video-waiting", moves=True)
        ann = self.agent("Ann", room)
        app.shows("You talk to Ann")
        app.do("press Unmute")
        app.expect("muted", state="unmuted")
        wait_for("Ann's picture in the window", lambda: find(self.keep("video", moves=True), CAST["Ann"][0], 45))
        app.do("size 640x400")
        wait_for("the wide window", lambda: find(self.keep("video-wide", moves=True)[:, 450:], CAST["Ann"][0], 45))
        app.do("size 240x580")
        self.keep("video-narrow", moves=True)
        app.do("size 360x580", "press End", "see You have the token")
        self.join(app, "Join online chat")
        app.do("see now you can send a message", "fill Message to the agent = Good morning! Can you tell me what a loan of 20,000 dollars would cost?",
               "press Send")
        ann.page.keyboard.press("c")
        wait_for("the question on the page", lambda: ann.page.locator(".chat-text", has_text="what a loan").count() == 1)
        ann.page.get_by_label("Message", exact=True).press_sequentially("Good morning, Jake. 5.2 percent a year at the moment.")
        ann.page.keyboard.press("Enter")
        app.shows("5.2 percent")
        self.keep("chat")
        app.do("size 240x580")
        self.keep("chat-narrow")
        # A participant whose window is closed is gone at once.
        app.send("quit")
        wait_for("Ann to be alone", lambda: ann.names() == [] or f"no: {ann.names()}", 8)
        self.assertEqual(app.process.wait(10), 0)

    def test_on_a_dark_desktop_its_screens_are_as_on_a_light_one(self) -> None:
        def walk(app: Bank, theme: str) -> dict[str, np.ndarray]:
            seen = {}
            def keep(name: str) -> None:
                seen[name] = self.keep(f"{theme}-{name}")
            app.do("see Woodgrove Bank")
            keep("login")
            app.do("press Settings", "see Skype for Business Online")
            keep("settings")
            app.do("press What do these settings mean?")
            keep("documentation")
            app.do("press Close", "press Cancel", "press Add meeting URL", "fill Meeting URL = meeting")
            keep("add-meeting-url")
            app.do("press Save")
            app.asks("Alert!")
            keep("alert")
            app.do("answer Close", f"fill Meeting URL = {self.server.url}/branch", "press Save", "answer OK", "press Settings",
                   "turn Skype for Business Online = off", "press Save", "press Sign in", "see Savings account")
            keep("accounts")
            app.do("press Ask Agent")
            app.asks("Accounts")
            keep("sheet")
            app.do("answer Ask using Text Chat", "see Waiting for an agent", "see now you can send a message")
            keep("chat")
            app.do("press End", "see Savings account", "press Ask Agent", "answer Ask using Video Chat", f"see {LICENCE}")
            keep("licence")
            app.send("quit")
            app.process.wait(20)
            return seen
        light = walk(self.app, "light")
        for theme in ("Adwaita:dark", "Default:hc-dark"):
            for name, pixels in walk(self.open(GTK_THEME=theme), theme.replace(":", "-")).items():
                # Dark text on a light ground, in the shape that it has on a light desktop.
                self.assertGreater(np.median(pixels), 150 if name not in ("alert", "sheet") else 100, (theme, name))
                differing = np.mean(np.any(np.abs(pixels.astype(int) - light[name]) > 64, axis=2))
                self.assertLess(differing, 0.002 if theme == "Adwaita:dark" else 0.1, (theme, name))

    def test_the_lobby_and_every_alert_are_drawn(self) -> None:
        app = self.app
        run(self.server, "tenant", "set", "parley", "--access-level", "Locked")
        self.addCleanup(run, self.server, "tenant", "set", "parley", "--access-level", "Everyone")
        room = self.online_meeting(app)
        [made] = run(self.server, "token", "create", "--room", room, "--role", "moderator")
        ann = self.agent("Ann", f"{room}?jwt={made['token']}")
        # The lobby of the text chat, and the alert of who is not let in.
        self.join(app, "Join online chat")
        app.shows("You are in the lobby")
        self.keep("lobby-chat")
        press(ann, "Deny Jake")
        app.asks("Error: Conferencing", "(E3-9-47)")
        self.keep("alert")
        # That of the video chat, whose own picture waits, too.
        app.do("answer Ok", "see You have the token")
        self.join(app, "Join online video chat")
        app.do("press Accept to have a video call with your agent")
        app.shows("You are in the lobby")
        self.keep("lobby-video", moves=True)
        app.do("press End", "see You have the token", "fill Display name =")
        self.join(app, "Join online chat")
        app.asks("ERROR!", "Joining online meeting failed")
        self.keep("joining-failed")
        app.do("answer Ok", "row Log off")
        with TrustedApplication(400, Error="no") as service:
            app.do("press Settings", f"fill Token and discovery URI request API URL = {service.url}", "press Save", "press Sign in",
                   "press Ask Agent")
            app.asks("ERROR!", "Getting Discover URI failed")
            self.keep("discover-failed")
        app.do("answer Ok", "see Savings account")

    def test_what_goes_wrong_in_a_meeting_is_drawn(self) -> None:
        app = self.app
        server = self.enterContext(Server())

        def ask(token_service: str = f"{server.url}/GetAnonTokenJob") -> None:
            app.do("press Settings", f"fill Online meeting request API URL = {server.url}/GetAdhocMeetingJob",
                   f"fill Token and discovery URI request API URL = {token_service}", "press Save", "press Sign in", "press Ask Agent",
                   "see You have the token")
        ask()
        room = app.shows(f"{server.url}/").removeprefix(f"{server.url}/")
        [made] = run(server, "token", "create", "--room", room, "--role", "moderator")
        ann = self.enterContext(Person(self.driver, "Ann")).join(server.url, f"{room}?jwt={made['token']}")

        # The meeting's host mutes the customer, and removes them.
        self.join(app, "Join online video chat")
        app.do("press Accept to have a video call with your agent", "see You talk to Ann", "press Unmute")
        app.expect("muted", state="unmuted")
        ann.page.keyboard.press("p")
        press(ann, "More for Jake")
        ann.page.get_by_role("menuitem", name="Mute", exact=True).press("Enter")
        app.asks("Error: ParticipantMute", "muted you")
        self.keep("alert-muted", moves=True)
        app.do("answer Ok")
        press(ann, "More for Jake")
        ann.page.get_by_role("menuitem", name="Remove from meeting").press("Enter")
        ann.page.get_by_role("dialog", name="Remove Jake?").get_by_role("button", name="Remove", exact=True).click()
        app.asks("Error: ConferenceUnexpectedDisconnect", "(E2-3-20)")
        self.keep("alert-removed")
        app.do("answer Ok", "see You have the token")

        # A server that stops answering: the app reports the loss, and that nobody has heard the goodbye.
        before = self.join(app, "Join online video chat")
        # Before that a loss is a call that failed.
        app.expect("conversation", before, state="established")
        app.shows("You talk to Ann")
        server.process.send_signal(signal.SIGSTOP)
        self.addCleanup(server.process.send_signal, signal.SIGCONT)
        app.asks("Error: Connectivity", "(E2-3-20)")
        self.keep("alert-connectivity", moves=True)
        app.do("answer Ok", "press End")
        app.asks("Error: SignOut", "(E2-3-20)")
        # The app has already asked for the next token, and waits 20 s for it.
        server.process.send_signal(signal.SIGCONT)
        self.keep("alert-sign-out", moves=True)
        app.do("answer Ok", "see You have the token")

        # leave() throws while canLeave is false, and then nothing can be pressed: also not twice in a row.
        before = self.join(app, "Join online chat")
        app.do("see now you can send a message")
        middle = wait_for("the button", lambda: find(self.keep("chat-to-end"), RED))
        subprocess.run(["xdotool", "mousemove", str(80 + middle[0]), str(middle[1]), "click", "--repeat", "2", "--delay", "1", "1"], check=True)
        app.expect("conversation", before, state="idle")
        subprocess.run(["xdotool", "mousemove", "799", "599"], check=True)
        app.shows("You have the token")
        self.assertNotIn("alert", str([each for each in app.events[before:] if each["event"] == "screen"][1:]))

        # A discover address at which nobody is.
        app.do("press ‹ Back", "row Log off")
        with TrustedApplication(200, DiscoverUri="http://127.0.0.1:9/discover?anonymousMeetingJoinContext=psat%3dx", Token="psat=x") as tokens:
            ask(tokens.url)
            self.join(app, "Join online chat")
            app.asks("Error: SignIn", "(E2-3-20)")
            self.keep("alert-sign-in")
            app.do("answer Ok", "see You have the token")


GREEN, RED = (10, 89, 74), (179, 28, 36)


def grab() -> np.ndarray:
    """The pixels of the display."""
    with av.open(os.environ["DISPLAY"], format="x11grab", options={"video_size": "800x600", "draw_mouse": "0"}) as screen:
        return next(screen.decode(video=0)).to_ndarray(format="rgb24")


def find(pixels: np.ndarray, colour: tuple[int, int, int], most: int = 4) -> tuple[int, int] | None:
    """The middle of what has that colour, when that is more than a thousand points."""
    places = np.argwhere((np.abs(pixels.astype(int) - colour) < most).all(axis=2))
    return (int(np.median(places[:, 1])), int(np.median(places[:, 0]))) if len(places) > 1_000 else None


if __name__ == "__main__":
    unittest.main()
