"""An endpoint of the messaging service (`docs/protocol/messaging.md`), without encryption."""

from __future__ import annotations

import base64
import json
import time

import aiohttp

from signaling_client import Gone


def unsigned(user: str) -> str:
    """The token of an app without an identity provider."""
    now = int(time.time())
    parts = ({"alg": "none"}, {"jti": user, "sub": user, "iat": now, "exp": now + 3_600})
    return ".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts) + "."


class MailboxEndpoint:
    """One socket of the messaging service."""

    def __init__(self, session: aiohttp.ClientSession, url: str):
        self.session = session
        self.url = url.replace("http", "ws", 1) + "/messaging/v1"
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.welcome: dict = {}
        self.number = 0

    async def hello(self, domain: str, user: str, token: str | None = None, description: str = "") -> dict:
        """Registers a new installation, with an unsigned token where none is given."""
        return await self.enter("hello", self.greeting(domain, user, token, description))

    async def refusal(self, domain: str, user: str, token: str) -> str:
        """The code with which a new installation is refused; \"\" when it is not."""
        message = await self.first("hello", self.greeting(domain, user, token))
        await self.socket.close()
        return message.get("refused", {}).get("code", "")

    @staticmethod
    def greeting(domain: str, user: str, token: str | None = None, description: str = "") -> dict:
        return {"domain": domain, "token": token or unsigned(user), "userId": user, "isPersistent": True, "description": description, "nickname": ""}

    async def resume(self, domain: str, endpoint: str, secret: str, acknowledged: int = 0) -> dict:
        """Comes back."""
        return await self.enter("resume", {"domain": domain, "endpoint": endpoint, "secret": secret, "acknowledged": str(acknowledged)})

    async def enter(self, name: str, content: dict) -> dict:
        message = await self.first(name, content)
        assert "welcome" in message, message
        self.welcome = message["welcome"]
        return self.welcome

    async def first(self, name: str, content: dict) -> dict:
        """The service's answer to the first message."""
        try:
            self.socket = await self.session.ws_connect(self.url, max_msg_size=8 << 20)
        except (aiohttp.ClientError, OSError) as error:
            raise Gone(str(error)) from error
        await self.send({name: content})
        return await self.next()

    async def ask(self, request: str, **content: object) -> dict:
        """The answer to a request; events that come before it are dropped."""
        self.number += 1
        await self.send({"request": {"id": self.number, request: content}})
        while True:
            message = await self.next()
            assert "failed" not in message, message
            if message.get("answer", {}).get("id") == self.number:
                return message["answer"]

    async def send(self, message: dict) -> None:
        try:
            await self.socket.send_json(message)
        except (aiohttp.ClientError, OSError) as error:
            raise Gone(str(error)) from error

    async def next(self) -> dict:
        message = await self.socket.receive(timeout=20)
        if message.type != aiohttp.WSMsgType.TEXT:
            raise Gone(str(message.type))
        return json.loads(message.data)
