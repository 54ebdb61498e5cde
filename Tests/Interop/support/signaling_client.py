"""A client of signalling without any media, for tests of what happens over signalling alone."""

from __future__ import annotations

import json
from typing import Any

import aiohttp

#: An offer to receive one track, from a client that is never heard of again.
OFFER = "\r\n".join((
    "v=0", "o=- 1 1 IN IP4 0.0.0.0", "s=-", "t=0 0", "a=group:BUNDLE 0", "a=ice-options:trickle",
    "m=audio 9 UDP/TLS/RTP/SAVPF 111", "c=IN IP4 0.0.0.0", "a=mid:0", "a=recvonly", "a=rtcp-mux", "a=ice-ufrag:user",
    "a=ice-pwd:0123456789abcdefghijkl", "a=fingerprint:sha-256 " + ":".join(["5A"] * 32), "a=setup:actpass", "a=rtpmap:111 opus/48000/2",
    ""))


class Gone(Exception):
    """The server closed the socket, or was never there."""


class SignalingClient:
    """One participant over a WebSocket of ``session``."""

    def __init__(self, session: aiohttp.ClientSession, url: str):
        self.session, self.url = session, url

    async def join(self, token: str, name: str, answer: str = "welcome") -> dict[str, Any]:
        """Joins, and returns the ``welcome``; or asks to be let in, where the ``answer`` is ``waiting``."""
        try:
            self.socket = await self.session.ws_connect(f"{self.url}/signal", origin=self.url)
        except (aiohttp.ClientError, OSError) as error:
            raise Gone(str(error)) from error
        await self.send(type="join", token=token, name=name, offer=OFFER, tracks=[])
        return await self.expect(answer)

    async def send(self, **message: Any) -> None:
        try:
            await self.socket.send_json(message)
        except (aiohttp.ClientError, OSError) as error:
            raise Gone(str(error)) from error

    async def expect(self, kind: str, **values: Any) -> dict[str, Any]:
        """The next message of that kind with these values; an ``error`` fails."""
        while True:
            frame = await self.socket.receive(20)
            if frame.type is not aiohttp.WSMsgType.TEXT:
                raise Gone(str(frame))
            message = json.loads(frame.data)
            if message["type"] == kind and all(message.get(key) == value for key, value in values.items()):
                return message
            assert message["type"] != "error", message
