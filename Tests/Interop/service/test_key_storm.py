"""A storm of keys over real sockets: 100 clients of an encrypted meeting of whom ten leave and ten come each second."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import threading
import unittest
import urllib.request

import aiohttp

from browser import FAR, Person, shared_driver, wait_for
from signaling_client import OFFER
from server import Server

CLIENTS, LEAVES, SECONDS = 100, 10, 6
#: A key, and its acknowledgement.
LENGTHS = (440, 180)


class Member:
    """A client without media, which sends envelopes of the length of real ones and counts those that it gets."""

    def __init__(self, session: aiohttp.ClientSession):
        self.session = session
        self.id = ""
        self.got = 0
        self.problems: list[str] = []

    async def join(self, server: Server, room: str, name: str) -> "Member":
        async with self.session.get(f"{server.url}/discover/{room}") as answer:
            token = (await answer.json())["token"]
        self.socket = await self.session.ws_connect(f"{server.url}/signal", origin=server.url, max_msg_size=0)
        await self.socket.send_json({"type": "join", "token": token, "name": name, "offer": OFFER, "tracks": [], "e2ee": True})
        welcomed = asyncio.get_running_loop().create_future()
        self.reader = asyncio.create_task(self._read(welcomed))
        self.id = await welcomed
        return self

    async def _read(self, welcomed: asyncio.Future) -> None:
        async for frame in self.socket:
            if frame.data.startswith('{"envelopes"') or '"type":"keyEnvelopes"' in frame.data:
                self.got += frame.data.count('"envelope"')
                continue
            message = json.loads(frame.data)
            if message["type"] == "welcome":
                welcomed.set_result(message["participant"])
            elif message["type"] == "error":
                self.problems.append(message["code"])
                if not welcomed.done():
                    welcomed.set_exception(AssertionError(message))
        if self.socket.close_code not in (None, 1000):
            self.problems.append(f"closed with {self.socket.close_code}")

    async def send(self, others: list["Member"], length: int) -> None:
        envelope = "A" * length
        await self.socket.send_json({"type": "keyEnvelopes", "envelopes": [{"to": each.id, "envelope": envelope} for each in others if each is not self]})

    async def leave(self) -> None:
        await self.socket.send_json({"type": "leave"})
        await self.reader


class KeyStorm(unittest.TestCase):
    def test_bad_input_17_a_hundred_clients_with_ten_leaves_a_second_get_every_envelope(self) -> None:
        # threat 47
        server = self.enterContext(Server())
        room = f"storm-{os.urandom(6).hex()}"
        secret = f"e2ee={base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=')}"
        ann = self.enterContext(Person(shared_driver(), "Ann")).join(server.url, room, secret)
        #: Set once the storm blows, so that a page joins in it.
        blows, outcome = threading.Event(), {}
        storm = threading.Thread(target=lambda: asyncio.run(self.blow(server, room, blows, outcome)), daemon=True)
        storm.start()
        wait_for("the storm", lambda: blows.is_set() or f"no: {outcome}")
        ben = self.enterContext(Person(shared_driver(), "Ben")).join(server.url, room, secret)
        storm.join()
        self.assertNotIn("error", outcome)
        self.assertEqual(outcome["problems"], [])
        self.assertEqual(outcome["lost"], [])
        # The keys of the pages have passed in the storm.
        opened = "async () => Object.values((await parley._encryption.report()).slots).reduce((sum, each) => sum + each.opened, 0)"
        for person in (ann, ben):
            wait_for(f"{person.name} to open frames", lambda: person.evaluate(opened) > 60 or f"no: {person.evaluate('() => parley._encryption.report()')}")
            self.assertEqual(person.state(), "connected")
        with urllib.request.urlopen(f"http://127.0.0.1:{server.admin_port}/metrics", timeout=20) as answer:
            lines = [line for line in answer.read().decode().splitlines() if "eyRate" in line or "tooFast" in line]
        self.assertEqual([line for line in lines if not line.endswith(" 0")], [])

    async def blow(self, server: Server, room: str, blows: threading.Event, outcome: dict) -> None:
        try:
            connector = aiohttp.TCPConnector(limit=0)
            async with aiohttp.ClientSession(connector=connector) as session:
                await self.storm(session, server, room, blows, outcome)
        except Exception as error:  # Reported by the test's own thread.
            outcome["error"] = repr(error)
            blows.set()

    async def storm(self, session: aiohttp.ClientSession, server: Server, room: str, blows: threading.Event, outcome: dict) -> None:
        members = [await Member(session).join(server, room, f"p{index}") for index in range(CLIENTS - 2)]
        everybody, lost = list(members), []
        for second in range(SECONDS):
            began = asyncio.get_running_loop().time()
            await asyncio.gather(*(each.leave() for each in members[:LEAVES]))
            members = members[LEAVES:]
            joined = [await Member(session).join(server, room, f"q{second}-{index}") for index in range(LEAVES)]
            members, everybody = members + joined, everybody + joined
            before = [each.got for each in members]
            for length in LENGTHS:
                for each in members:
                    await each.send(members, length)
            blows.set()
            wanted = len(LENGTHS) * (len(members) - 1)
            end = began + FAR
            while any(each.got - start < wanted for each, start in zip(members, before)) and asyncio.get_running_loop().time() < end:
                await asyncio.sleep(0.02)
            lost += [(second, each.got - start) for each, start in zip(members, before) if each.got - start != wanted]
            # The pace of the storm: a slower machine has a milder one.
            await asyncio.sleep(max(0.0, began + 1 - asyncio.get_running_loop().time()))
        outcome["lost"] = lost
        outcome["problems"] = [problem for each in everybody for problem in each.problems]
        for each in members:
            await each.leave()


if __name__ == "__main__":
    unittest.main()
