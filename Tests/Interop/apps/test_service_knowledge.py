"""Keys, passcodes and contents are planted, and sought in the service's memory, log, database and traffic."""

from __future__ import annotations

import base64
import json
import os
import tempfile
import unittest
from pathlib import Path

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from bbm_app import BBMApp, make_domain
from browser import wait_for
from identity_envelope import IdentityKeys
from memory import memory_has
from server import Server
from wire_tap import WireTap


def spellings(secret: bytes) -> list[bytes]:
    """A secret as it is, in hexadecimal digits, and in base64 wherever it begins in a longer value."""
    found = [secret, secret.hex().encode()]
    for offset, skipped in ((0, 0), (1, 2), (2, 3)):
        text = base64.urlsafe_b64encode(bytes(offset) + secret)[skipped:-4]
        found += [text, text.replace(b"-", b"+").replace(b"_", b"/")]
    return found


def private_keys(data: Path) -> list[bytes]:
    """The identity's two private keys, from the sealed record in the folder of its endpoint."""
    key = next(data.rglob("device.key"))
    stored = (key.parent / "identity").read_bytes()
    record = stored[4:4 + int.from_bytes(stored[:4])]
    plain = AESGCM(key.read_bytes()).decrypt(record[:12], record[12:], b"identity")
    length = int.from_bytes(plain[1:5])
    assert json.loads(plain[5:5 + length])["generation"] == 1
    keys = plain[5 + length:5 + length + 64]
    return [keys[:32], keys[32:]]


def link_secret(traffic: bytes, homes: dict[int, Path]) -> bytes | None:
    """The secret of the call that passed, opened as the callee does; None when there was no offer."""
    keys = {number: IdentityKeys(*private_keys(home)) for number, home in homes.items()}
    for line in traffic.split(b"\n"):
        if not line.startswith(b'{"passing":{"callOffer"'):
            continue
        offer = json.loads(line)["passing"]["callOffer"]
        sender = int(offer["from"])
        [recipient] = keys.keys() - {sender}
        envelope = base64.urlsafe_b64decode(offer["sealed"] + "==")
        content = json.loads(keys[recipient].open_call(envelope, offer["medium"], recipient, keys[sender]))
        return base64.urlsafe_b64decode(content["secret"] + "=")
    return None


class ServiceKnowledge(unittest.TestCase):
    def test_the_service_has_no_keys_passcodes_texts_files_or_names_of_them(self) -> None:
        server = self.enterContext(Server())
        tap = WireTap(server.port)
        self.addCleanup(tap.close)
        domain = make_domain(server, "knowledge")
        home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        mark = os.urandom(8).hex()
        # The service knows the users, so the search has to find them.
        users = [f"ann-{mark}", f"ben-{mark}"]
        passcode, text, name = f"violet {mark} anchors", f"a text {mark}", f"minutes-{mark}.bin"
        content = os.urandom(48)
        (home / name).write_bytes(content * 2_000)

        def app(user: str) -> BBMApp:
            made = self.enterContext(BBMApp("SimpleChat", tap, domain, user, home / user, passcode=passcode))
            made.wait_for("regId")
            return made

        ann, ben = (app(user) for user in users)
        ann.send("newChat", users=[users[1]])
        ann.wait_for("chat", users=[users[1]])
        ann.send("send", text=text)
        ben.wait_for("message", content=text)
        ann.send("sendFile", path=str(home / name))
        ben.wait_for("file", state="Done", size=96_000)
        secrets = [passcode.encode(), text.encode(), name.encode(), content]
        for user in users:
            secrets += private_keys(home / user)
        sought = [spelling for secret in secrets for spelling in spellings(secret)]

        known = [user.encode() for user in users]
        self.assertEqual(memory_has(server.process.pid, *known), sorted(known))
        self.assertEqual(memory_has(server.process.pid, *sought), [])
        for app_of_user in (ann, ben):
            self.assertEqual(app_of_user.stop(), 0)
        traffic = tap.traffic()
        disk = b"".join(path.read_bytes() for path in Path(server.data).rglob("*") if path.is_file())
        log = server.log().encode()
        self.assertEqual([user for user in known if user not in traffic or user not in disk], [])
        for place, what in (("traffic", traffic), ("disk", disk), ("log", log)):
            self.assertEqual([each for each in sought if each in what], [], place)

    def test_the_service_does_not_have_the_secret_of_a_calls_meeting(self) -> None:
        server = self.enterContext(Server())
        tap = WireTap(server.port)
        self.addCleanup(tap.close)
        domain = make_domain(server, "secret")
        home = Path(self.enterContext(tempfile.TemporaryDirectory()))
        users = [f"{name}-{os.urandom(8).hex()}" for name in ("ann", "ben")]
        homes: dict[int, Path] = {}

        def phone(user: str) -> BBMApp:
            made = self.enterContext(BBMApp("SoftPhone", tap, domain, user, home / user, PARLEY_TEST_DEVICES="1"))
            homes[int(made.wait_for("regId")["regId"])] = home / user
            return made

        ann, ben = (phone(user) for user in users)
        ann.send("call", user=users[1], video=True)
        ben.wait_for("call", state="incoming")
        ben.send("accept", video=True)
        for each in (ann, ben):
            each.wait_for("call", state="connected")
        secret = wait_for("the offer in the traffic", lambda: link_secret(tap.traffic(), homes) or "no: there is none")
        self.assertEqual(len(secret), 32)
        # Both phones have it, or the search would prove nothing.
        for each in (ann, ben):
            self.assertIn(secret, memory_has(each.process.pid, secret))
        sought = spellings(secret)
        self.assertEqual(memory_has(server.process.pid, *sought), [])
        ben.send("end")
        for each in (ann, ben):
            each.wait_for("call", state="ended", reason="Ended")
            self.assertEqual(each.stop(), 0)
        self.assertEqual(memory_has(server.process.pid, *sought), [])
        disk = b"".join(path.read_bytes() for path in Path(server.data).rglob("*") if path.is_file())
        for place, what in (("traffic", tap.traffic()), ("disk", disk), ("log", server.log().encode())):
            self.assertEqual([each for each in sought if each in what], [], place)


if __name__ == "__main__":
    unittest.main()
