"""Nothing that the server acknowledges leaves it before it is on the disk: what ``kill -9`` cannot show, since the
kernel keeps what a dead process has written.

A library that is loaded before all others notes each write to a file of the data folder, each synchronisation, and each
send on a socket, in their order.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import subprocess
import tempfile
import unittest
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Awaitable, Callable, NamedTuple

import aiohttp

from administration import Receiver, ask
from browser import run_aside, wait_for
from signaling_client import SignalingClient
from server import SUPPORT, Server

SOURCE = SUPPORT / "write_order.c"
LOG = "/parley.sqlite-wal"


class Record(NamedTuple):
    """One call: ``write`` or ``sync`` of a file, or ``send``."""

    what: str
    path: str
    content: bytes


class WriteOrder:
    """The calls of a server whose data are in ``folder``."""

    def __init__(self, folder: str):
        self.folder = folder
        self.data = os.path.join(folder, "new", "data")
        self.path = os.path.join(folder, "order")
        library = os.path.join(folder, "write_order.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, str(SOURCE), "-ldl"], check=True, timeout=60)
        Path(self.path).touch()
        self.within = ("env", f"LD_PRELOAD={library}", f"WRITE_ORDER={self.path}", f"WRITE_ORDER_FOLDER={folder}")

    @property
    def place(self) -> int:
        return os.path.getsize(self.path)

    def since(self, place: int) -> list[Record]:
        """Every call after a place."""
        with open(self.path, "rb") as file:
            file.seek(place)
            rest = file.read()
        records = []
        while b"\n" in rest:
            line, rest = rest.split(b"\n", 1)
            what, place = line.decode().split(" ", 1)
            path, count = place.rsplit(" ", 1)
            records.append(Record(what, path, rest[:int(count)]))
            rest = rest[int(count) + 1:]
        return records


def unwritten(records: list[Record], is_answer: Callable[[bytes], bool], kept: dict[str, bytes]) -> str | None:
    """The fault in the order of calls up to an answer; nil when each text was on the disk by then, in the file whose
    path ends or begins so."""
    answer = next((index for index, each in enumerate(records) if each.what == "send" and is_answer(each.content)), None)
    if answer is None:
        return "the answer is not among what was sent"
    for text, place in kept.items():
        written = next((index for index, each in enumerate(records[:answer]) if each.what == "write" and place in each.path and text in each.content), None)
        if written is None:
            return f"{text!r} was not written to {place} before the answer left"
        if not any(each.what == "sync" and each.path == records[written].path for each in records[written:answer]):
            return f"{text!r} was written to {records[written].path}, and not synchronised before the answer left"
    return None


class Durability(unittest.TestCase):
    def setUp(self) -> None:
        self.order = WriteOrder(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-order-")))

    def check(self, what: str, place: int, is_answer: Callable[[bytes], bool], *texts: str, files: dict[bytes, str] | None = None) -> None:
        with self.subTest(what):
            kept = {text.encode(): LOG for text in texts} | (files or {})
            self.assertIsNone(unwritten(self.order.since(place), is_answer, kept))
        self.checked += 1

    def test_no_answer_leaves_before_what_it_acknowledges_is_synchronised_to_the_disk(self) -> None:
        self.checked = 0
        with Receiver() as receiver, Server("--webhook-allow", "127.0.0.1", data=self.order.data, within=self.order.within) as server:
            # The folders were made by the server, and their names are on the disk too.
            folders = {each.path for each in self.order.since(0) if each.what == "sync"}
            self.assertLessEqual({self.order.folder, os.path.dirname(self.order.data), self.order.data}, folders)
            self.administration(server, receiver)
            self.public(server)
            run_aside(self.meeting(server, receiver))
        self.assertEqual(self.checked, 25)

    # MARK: Requests over HTTP

    def administration(self, server: Server, receiver: Receiver) -> None:
        def call(method: str, path: str, body: object, status: int, *texts: str | Callable[[dict], str]) -> dict:
            place = self.order.place
            found, answer = ask(server, method, path, body)
            self.assertEqual(found, status, answer)
            self.check(f"{method} {path}", place, lambda sent: sent.startswith(b"HTTP/1.1 %d" % status),
                       *(text if isinstance(text, str) else text(answer) for text in texts))
            return answer

        token = call("POST", "tokens", {"room": "daily", "name": "durable-token"}, 201, "durable-token", lambda made: "token.create" + made["id"])
        call("DELETE", f"tokens/{token['id']}", None, 204, "token.revoke" + token["id"])
        meeting = call("POST", "meetings", {"room": "plan", "subject": "durable-meeting"}, 201, "durable-meeting", lambda made: "meeting.create" + made["id"])
        call("PATCH", f"meetings/{meeting['id']}", {"subject": "durable-change"}, 200, "durable-change", "meeting.change" + meeting["id"])
        call("DELETE", f"meetings/{meeting['id']}", None, 204, "meeting.remove" + meeting["id"])
        call("POST", "tenants", {"name": "durable-tenant"}, 201, "tenant.createdurable-tenant")
        key = call("POST", "tenants/durable-tenant/keys", {}, 201, lambda made: "key.create" + made["id"])
        call("DELETE", f"tenants/durable-tenant/keys/{key['id']}", None, 204, "key.retire" + key["id"])
        call("DELETE", "tenants/durable-tenant", None, 204, "tenant.removedurable-tenant")
        hook = call("POST", "webhooks", {"url": receiver.url + "?durable-hook"}, 201, "durable-hook", lambda made: "webhook.create" + made["id"])
        call("PATCH", f"webhooks/{hook['id']}", {"enabled": True}, 200, "webhook.change" + hook["id"])

    def public(self, server: Server) -> None:
        def post(path: str, kind: str, body: bytes, status: int, text: str) -> None:
            place = self.order.place
            request = urllib.request.Request(f"{server.url}/{path}", body, {"Content-Type": kind})
            with urllib.request.urlopen(request, timeout=10) as answer:
                self.assertEqual(answer.status, status)
            self.check(f"POST {path}", place, lambda sent: sent.startswith(b"HTTP/1.1 %d" % status), text)

        post("GetAdhocMeetingJob", "application/x-www-form-urlencoded", urllib.parse.urlencode({"Subject": "durable-adhoc"}).encode(), 200, "durable-adhoc")
        planned = {"subject": "durable-plan", "schedule": {"start": f"{dt.date.today() + dt.timedelta(days=2)}T10:00"}}
        post("api/v1/meetings", "application/json", json.dumps(planned).encode(), 201, "durable-plan")

    # MARK: Requests in a meeting

    async def meeting(self, server: Server, receiver: Receiver) -> None:
        def token(**fields: object) -> str:
            status, made = ask(server, "POST", "tokens", {"room": "crew", **fields})
            self.assertEqual(status, 201, made)
            return made["token"]

        tokens = [token(role="moderator"), token(role="publisher", user="durable-ben"), token(role="publisher", user="durable-cat")]
        async with aiohttp.ClientSession() as session:
            host, ben, cat = (SignalingClient(session, server.url) for _ in tokens)
            welcome = await host.join(tokens[0], "Host")
            number = 0

            async def ask_for(*texts: str, client: SignalingClient = host, **message: object) -> None:
                nonlocal number
                number -= 1
                place = self.order.place
                await client.send(id=number, **message)
                await client.expect("done", id=number)
                self.check(str(message["type"]), place, lambda sent: b'"done"' in sent and b'"id":%d' % number in sent, *texts)

            async def heard(what: str, texts: tuple[str, ...], act: Callable[[], Awaitable[object]], files: dict[bytes, str] | None = None) -> dict:
                place = self.order.place
                await act()
                told = await host.expect("chat")
                self.check(what, place, lambda sent: b'"type":"chat"' in sent and texts[0].encode() in sent, *texts, files=files)
                return told["message"]

            # Webhooks get no event that the server could forget again.
            place = self.order.place
            people = [(await client.join(ticket, name))["participant"] for client, ticket, name in ((ben, tokens[1], "durable-joined"), (cat, tokens[2], "Cat"))]
            await asyncio.to_thread(wait_for, "the webhook to be told", lambda: receiver.types().count("participant.joined") == 3 or f"no: {receiver.types()}")
            self.check("participant.joined", place, lambda sent: b'"participant.joined"' in sent and b"durable-joined" in sent, '"name":"durable-joined"')

            message = await heard("chat", ("durable-message",), lambda: host.send(type="chat", text="durable-message"))
            await ask_for("durable-edited", type="editChat", message=message["id"], text="durable-edited")

            async def upload() -> None:
                headers = {"Authorization": f"Bearer {welcome['resumeToken']}", "Parley-File-Name": "durable-file.txt"}
                async with session.post(f"{server.url}/api/chat/files", data=b"durable-content", headers=headers) as answer:
                    self.assertEqual(answer.status, 201, await answer.text())

            place = self.order.place
            await heard("a file, to who is there", ("durable-file.txt",), upload, {b"durable-content": "/chat-files/"})
            self.check("a file, to who sent it", place, lambda sent: sent.startswith(b"HTTP/1.1 201"), "durable-file.txt", files={b"durable-content": "/chat-files/"})

            await ask_for('"durable-cat":{', "meeting.setRole" + people[1], type="setRole", participant=people[1], role="guest")
            await ask_for('"question":"durable-poll"', type="createPoll",
                          poll={"question": "durable-poll", "options": ["yes", "no"], "multiple": False, "results": "always"})
            await ask_for('"durable-ben"', client=ben, type="vote", poll=1, options=[1])
            await ask_for('"muteAll":{', "meeting.muteAll", type="muteAll", sources=["microphone"], includingLater=True)
            await ask_for('"isLocked":true', "meeting.lock", type="lock", locked=True)
            await ask_for("ban " + welcome["meeting"]["id"], "meeting.ban" + people[0], type="removeParticipant", participant=people[0], ban=True)
            await ask_for("meeting.endMeeting", type="endMeeting")


if __name__ == "__main__":
    unittest.main()
