"""A messaging service that lies to one endpoint: what the real one says to it is changed on its way."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable

import aiohttp
from aiohttp import web

from ports import free_port

#: Gets each message of the service, and returns those that the endpoint gets in its place.
Lie = Callable[[dict], list[dict]]


class LyingService:
    """A proxy before the server. ``lie`` can be exchanged at any time. Use it in a ``with`` block."""

    def __init__(self, server_url: str):
        self.lie: Lie = lambda message: [message]
        self._target = server_url
        self._port = free_port()
        self.url = f"http://localhost:{self._port}"
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> LyingService:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    def _run(self) -> None:
        async def start() -> None:
            app = web.Application()
            app.router.add_get("/messaging/v1", self._relay)
            runner = web.AppRunner(app)
            await runner.setup()
            await web.TCPSite(runner, "localhost", self._port).start()
            self._ready.set()
        self._loop.run_until_complete(start())
        self._loop.run_forever()

    async def _relay(self, request: web.Request) -> web.WebSocketResponse:
        front = web.WebSocketResponse(max_msg_size=0, compress=False)
        await front.prepare(request)
        async with aiohttp.ClientSession() as session, session.ws_connect(f"{self._target}/messaging/v1", max_msg_size=0) as back:
            async def ask() -> None:
                async for frame in front:
                    await back.send_str(frame.data)
                await back.close()
            asking = asyncio.ensure_future(ask())
            async for frame in back:
                for message in self.lie(json.loads(frame.data)):
                    await front.send_str(json.dumps(message))
            await front.close()
            asking.cancel()
        return front
