"""``Examples/SimpleChat`` at a service that lies: each lie is a security warning, or a message marked as unverified."""

from __future__ import annotations

import base64
import itertools
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from bbm_app import BBMApp, make_domain
from browser import wait_for
from lying_service import LyingService
from server import Server


def public_key(kind: type) -> str:
    raw = kind.generate().public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def stored(message: dict) -> dict | None:
    """The chat message in an event; None for everything else."""
    return message.get("event", {}).get("message", {}).get("message")


class LiesToAnEndpoint(unittest.TestCase):
    numbers = itertools.count(1)

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def setUp(self) -> None:
        self.domain = make_domain(self.server, f"lies-{next(self.numbers)}")
        self.service = self.enterContext(LyingService(self.server.url))
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.ben = self.app("Ben", self.server)
        self.ann = self.app("Ann", self.service)
        self.ann.send("newChat", users=["Ben"])
        self.ann.wait_for("chat", users=["Ben"])
        # He writes into his first chat, which is this one once he has it.
        self.ben.wait_for("chat", users=["Ann"])
        self.say("hello")

    def app(self, user: str, server: object, *options: str) -> BBMApp:
        app = self.enterContext(BBMApp("SimpleChat", server, self.domain, user, self.home / user, *options))
        app.wait_for("regId")
        return app

    def say(self, text: str) -> None:
        """Ben says something, and Ann hears it."""
        self.ben.send("send", text=text)
        self.ann.wait_for("message", content=text, isUnverified=False)

    def warned(self, since: int, kind: str) -> dict:
        return self.ann.wait_for("securityWarning", since, kind=kind)

    def test_replayed_dropped_moved_and_changed_messages_are_noticed(self) -> None:
        heard: list[dict] = []

        def listen(message: dict) -> list[dict]:
            if stored(message):
                heard.append(message)
            return [message]

        self.service.lie = listen
        self.say("one")
        self.assertEqual(self.ann.all("securityWarning"), [])

        # An earlier message comes in place of the next one.
        since = len(self.ann.events)
        body = stored(heard[0])["body"]

        def replay(message: dict) -> list[dict]:
            if found := stored(message):
                found["body"] = body
            return [message]

        self.service.lie = replay
        self.ben.send("send", text="two")
        self.warned(since, "replayed")
        self.service.lie = listen
        self.say("three")
        self.warned(since, "missing")

        # A message of Ben's never comes.
        since = len(self.ann.events)
        lost: list[dict] = []

        def drop(message: dict) -> list[dict]:
            if not stored(message):
                return [message]
            lost.append(message)
            return []

        self.service.lie = drop
        self.ben.send("send", text="four")
        wait_for("the dropped message", lambda: bool(lost))
        self.service.lie = listen
        self.say("five")
        self.warned(since, "missing")

        # Two come in each other's place.
        since = len(self.ann.events)
        held: list[dict] = []

        def exchange(message: dict) -> list[dict]:
            if not stored(message):
                return [message]
            held.append(message)
            if len(held) < 2:
                return []
            first, second = (stored(each) for each in held)
            first["number"], second["number"] = second["number"], first["number"]
            events = [each["event"] for each in held]
            events[0]["message"], events[1]["message"] = events[1]["message"], events[0]["message"]
            self.service.lie = listen
            return held

        self.service.lie = exchange
        self.ben.send("send", text="six")
        self.ben.send("send", text="seven")
        self.warned(since, "reordered")

        # A changed one is shown, and marked.
        since = len(self.ann.events)

        def change(message: dict) -> list[dict]:
            if found := stored(message):
                raw = bytearray(base64.urlsafe_b64decode(found["body"] + "=="))
                raw[-1] ^= 1
                found["body"] = base64.urlsafe_b64encode(raw).decode().rstrip("=")
            return [message]

        self.service.lie = change
        self.ben.send("send", text="eight")
        self.ann.wait_for("message", since, isUnverified=True, isIncoming=True)
        self.warned(since, "wrongSignature")
        self.assertEqual(self.ben.all("securityWarning"), [])

    def test_messages_of_one_member_that_are_withheld_in_a_group_are_noticed(self) -> None:
        cleo = self.app("Cleo", self.server)
        self.ann.send("newChat", users=["Ben", "Cleo"], subject="Three")
        chats = {app.name: app.wait_for("chat", subject="Three", isOneToOne=False)["chatId"] for app in (self.ann, self.ben, cleo)}
        [chat] = set(chats.values())
        ben = self.ben.wait_for("regId")["regId"]

        def say(speaker: BBMApp, text: str, *listeners: BBMApp) -> None:
            speaker.send("send", chatId=chat, text=text)
            for listener in listeners:
                listener.wait_for("message", chatId=chat, content=text)

        for speaker in (self.ben, cleo):
            say(speaker, f"hello from {speaker.name}", self.ann, self.ben, cleo)
        self.assertEqual(self.ann.all("securityWarning"), [])

        # Ann alone gets nothing more of Ben's.
        lost: list[dict] = []

        def withhold(message: dict) -> list[dict]:
            found = stored(message)
            if not found or str(found["sender"]) != str(ben):
                return [message]
            lost.append(message)
            return []

        self.service.lie = withhold
        say(self.ben, "not for Ann", cleo)
        wait_for("the withheld message", lambda: bool(lost))
        self.assertEqual(self.ann.all("securityWarning"), [])
        # Cleo has seen it, and her next message says so.
        say(cleo, "as Ben said", self.ann, self.ben)
        warning = self.warned(0, "withheld")
        self.assertEqual((warning["chatId"], str(warning["regId"])), (chat, str(ben)))
        self.assertEqual(self.ann.all("message", content="not for Ann"), [])

        # Somebody who is lied to loses nothing else, and the others hear of nothing.
        self.service.lie = lambda message: [message]
        say(self.ben, "are you there?", self.ann, cleo)
        self.assertEqual([app.all("securityWarning") for app in (self.ben, cleo)], [[], []])

    def test_other_keys_of_somebody_are_reported(self) -> None:
        ben = self.ben.wait_for("regId")["regId"]
        keys = {"signing": public_key(Ed25519PrivateKey), "encryption": public_key(X25519PrivateKey), "generation": 2}

        def swap(message: dict) -> list[dict]:
            if stored(message):
                del message["event"]["message"]
                message["event"]["keysChanged"] = {"regId": ben, "keys": keys}
            return [message]

        self.service.lie = swap
        self.ben.send("send", text="not for Ann")
        self.assertEqual(self.warned(0, "keysChanged")["regId"], ben)

    def test_an_older_vault_is_reported_by_an_endpoint_that_has_seen_a_newer_one(self) -> None:
        self.assertEqual(self.ann.stop(), 0)

        def roll_back(message: dict) -> list[dict]:
            if vault := message.get("welcome", {}).get("vault"):
                vault["version"] -= 1
            return [message]

        self.service.lie = roll_back
        self.ann = self.app("Ann", self.service, "--silent")
        self.warned(0, "vaultRolledBack")


if __name__ == "__main__":
    unittest.main()
