"""Meetings and records of people without a credential end, and the database stays as large as it is."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import aiohttp
from administration import ask
from browser import run_aside, wait_for
from signaling_client import SignalingClient
from server import SUPPORT, Server

#: A month and a day: no meeting that a stranger makes is kept for longer.
KEPT = 32 * 86_400
#: The meetings that a stranger makes between two purges.
COUNT = 60


def request(url: str, method: str = "GET", body: object = None, token: str | None = None) -> tuple[int, Any]:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    asked = urllib.request.Request(url, json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(asked, timeout=20) as answer:
            return answer.status, json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


async def enter(url: str, meetings: list[dict]) -> None:
    """Its host comes into each meeting, changes a rule, and leaves."""
    async with aiohttp.ClientSession() as session:
        for meeting in meetings:
            client = SignalingClient(session, url)
            await client.join(meeting["hostToken"], "Host")
            await client.send(type="lock", locked=True, id=1)
            await client.expect("done", id=1)
            await client.send(type="leave")
            await client.socket.close()


class Strangers(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="parley-strangers-"))
        self.clock = os.path.join(self.folder, "clock_ahead.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", self.clock, str(SUPPORT / "clock_ahead.c")],
                       check=True, timeout=60)
        self.data = os.path.join(self.folder, "data")

    def server(self, ahead: int) -> Server:
        return Server(data=self.data, within=("env", f"LD_PRELOAD={self.clock}", f"CLOCK_AHEAD={ahead}"))

    def rows(self, query: str) -> Iterator[tuple]:
        with closing(sqlite3.connect(f"file:{self.data}/parley.sqlite?mode=ro", uri=True)) as database:
            yield from database.execute(query)

    def meetings(self) -> int:
        return next(self.rows("SELECT count(*) FROM meetings WHERE anonymous = 1"))[0]

    @staticmethod
    def spread(server: Server) -> list[dict]:
        """Meetings as a stranger makes them: unused, changed, planned, joined and changed, with a passcode."""
        made = []
        for number in range(COUNT):
            status, meeting = request(f"{server.url}/api/v1/meetings", "POST", {"subject": f"Meeting {number}", "summary": "€" * 2_000})
            assert status in (200, 201), meeting
            made.append(meeting)
        for meeting in made[::3]:
            change = {"subject": "changed", "passcode": "1234"}
            status, answer = request(f"{server.url}/api/v1/meetings/{meeting['room']}", "PATCH", change, meeting["hostToken"])
            assert status == 200, answer
        run_aside(enter(server.url, made[1::3]))
        return made

    def test_what_strangers_make_is_gone_after_a_month_and_the_file_does_not_grow(self) -> None:
        sizes = []
        for round in range(3):
            with self.server(round * KEPT) as server:
                # The purge of the start takes what the round before left.
                wait_for("the meetings of the month before to go", lambda: self.meetings() == 0 or f"no: {self.meetings()}")
                if round == 0:
                    _, kept = ask(server, "POST", "meetings", {"subject": "The operator's", "expiresIn": 31_536_000})
                else:
                    self.assertEqual(request(f"{server.url}/api/v1/meetings/{made[0]['room']}", token=made[0]["hostToken"])[0], 401)
                    self.assertEqual(ask(server, "GET", f"meetings/{kept['id']}")[0], 200, "what the operator made stays")
                made = self.spread(server)
                self.assertEqual(self.meetings(), COUNT)
            sizes.append(os.path.getsize(os.path.join(self.data, "parley.sqlite")))
        print(f"sizes of the file: {sizes}", end=" … ")
        self.assertLess(sizes[-1], sizes[0] * 1.1, f"the file grows: {sizes}")
