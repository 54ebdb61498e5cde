"""Scarce things that a few addresses can take from everybody else: connections, the TCP port of media, the queue of
passcodes; and heads that are read in two ways."""

from __future__ import annotations

import asyncio
import json
import socket
import unittest
import urllib.request

import aiohttp

from browser import run_aside
from signaling_client import OFFER
from server import Server

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
UPGRADE = (b"GET /signal HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
           b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")

#: Joins of one network: more than wait for their passcodes to be checked.
FLOOD = 100


def connect(port: int, source: str, send: bytes = b"") -> socket.socket:
    """A connection from an address of this machine's loopback network."""
    client = socket.create_connection(("127.0.0.1", port), 20, (source, 0))
    if send:
        client.sendall(send)
    return client


def answer(client: socket.socket) -> bytes:
    """The bytes until the server closes or an answer is whole."""
    text = b""
    while b"\r\n\r\n" not in text or len(text.split(b"\r\n\r\n", 1)[1]) < length(text):
        piece = client.recv(65_536)
        if not piece:
            break
        text += piece
    return text


def length(text: bytes) -> int:
    for line in text.split(b"\r\n\r\n")[0].lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


def call(method: str, url: str, body: dict | None = None, **headers: str) -> dict:
    """A request with a JSON body, and its JSON answer."""
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers}, method=method)
    with urllib.request.urlopen(request, timeout=20) as reply:
        return json.loads(reply.read())


class Shares(unittest.TestCase):
    def test_threat_38_four_addresses_do_not_shut_the_others_out(self) -> None:
        for options in ([], ["--address-connections", "1024"]):
            with self.subTest(options=options), Server("--connections", "256", *options) as server:
                held = []
                try:
                    for attacker in range(1, 5):
                        for number in range(100):
                            try:
                                held.append(connect(server.port, f"127.{attacker}.0.1", (b"", REQUEST, UPGRADE)[number % 3]))
                            except OSError:
                                continue
                    for other in range(20):
                        client = connect(server.port, f"127.{100 + other}.0.1", REQUEST)
                        held.append(client)
                        self.assertTrue(answer(client).startswith(b"HTTP/1.1 200"), other)
                finally:
                    for client in held:
                        client.close()

    def test_threat_38_silent_tcp_connections_do_not_close_the_media_port(self) -> None:
        with Server() as server:
            held = [connect(server.media_port, "127.0.1.1") for _ in range(300)]
            try:
                for source in ("127.0.1.1", "127.9.0.1"):
                    client = connect(server.media_port, source)
                    held.append(client)
                    # It stays open while nothing is said, which one that is refused does not.
                    client.settimeout(1)
                    with self.assertRaises(TimeoutError):
                        client.recv(1)
            finally:
                for client in held:
                    client.close()

    def test_threat_32_a_flood_of_passcodes_from_one_network_delays_its_own(self) -> None:
        with Server() as server:
            rooms = []
            for passcode in ("attacker-code", "victim-code"):
                made = call("POST", f"{server.url}/api/v1/meetings", {"subject": "x"})
                call("PATCH", f"{server.url}/api/v1/meetings/{made['room']}", {"passcode": passcode},
                     Authorization=f"Bearer {made['hostToken']}")
                rooms.append((call("GET", f"{server.url}/discover/{made['room']}")["token"], passcode))
            answered, first = run_aside(self.flood(server.url, rooms))
            self.assertEqual(first["type"], "welcome", first)
            # Half of those that found a place in the queue still wait.
            self.assertLess(answered, FLOOD - 32)

    async def flood(self, url: str, rooms: list[tuple[str, str]]) -> tuple[int, dict]:
        """More joins from one network than the queue has places, then one from another: how many of them were answered
        before it, and its answer."""
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=("127.2.0.1", 0), limit=0)) as many, \
                aiohttp.ClientSession(connector=aiohttp.TCPConnector(local_addr=("127.3.0.1", 0))) as one:
            address = url.replace("localhost", "127.0.0.1") + "/signal"
            sockets = [await many.ws_connect(address) for _ in range(FLOOD)]
            victim = await one.ws_connect(address)
            for flooder in sockets:
                await flooder.send_json({"type": "join", "token": rooms[0][0], "name": "A", "offer": OFFER, "tracks": [], "passcode": rooms[0][1]})
            await victim.send_json({"type": "join", "token": rooms[1][0], "name": "V", "offer": OFFER, "tracks": [], "passcode": rooms[1][1]})
            waiting = {asyncio.create_task(flooder.receive()) for flooder in sockets}
            first = json.loads((await victim.receive(60)).data)
            answered = sum(task.done() for task in waiting)
            for task in waiting:
                task.cancel()
            return answered, first

    def test_threat_37_heads_that_two_readers_read_differently_are_refused(self) -> None:
        body = b"GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with Server() as server:
            for line in (b"Transfer-Encoding : chunked", b" folded: 1", b"X-A: 1\nTransfer-Encoding: chunked", b"X-A: \0", b"Host: other",
                         b"Content-Length: 0", b"Transfer-Encoding: chunked"):
                request = b"POST /GetAdhocMeetingJob HTTP/1.1\r\nHost: localhost\r\n%s\r\nContent-Length: %d\r\n\r\n%s" % (line, len(body), body)
                for pieces in (len(request), 1):
                    client = connect(server.port, "127.0.0.1")
                    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    try:
                        for start in range(0, len(request), pieces):
                            client.sendall(request[start:start + pieces])
                    except OSError:
                        pass
                    text = answer(client)
                    self.assertTrue(text.startswith(b"HTTP/1.1 400") and b"badHeader" in text, (line, pieces, text))
                    client.close()


if __name__ == "__main__":
    unittest.main()
