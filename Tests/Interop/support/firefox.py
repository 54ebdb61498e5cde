"""Pages of real Firefox in a meeting, driven by WebDriver BiDi, which Firefox speaks itself."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

import aiohttp

from browser import FAR, wait_for

#: The extended support release, Debian's package.
FIREFOX = shutil.which("firefox-esr") or "/usr/bin/firefox-esr"

#: A camera and a microphone of test signals without a question, sound without a click, and no calls home.
PREFERENCES = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "media.autoplay.default": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "remote.prefs.recommended": True,
    "toolkit.telemetry.enabled": False,
}


class Firefox:
    """One Firefox with a profile of its own, with further preferences, and one page. Use it in a ``with`` block."""

    def __init__(self, name: str, preferences: dict[str, Any] | None = None):
        self.name = name
        self._preferences = PREFERENCES | (preferences or {})
        #: The lines of the page's console, and its uncaught errors.
        self.console: list[str] = []
        self._profile = tempfile.TemporaryDirectory(prefix="parley-firefox-")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._waiting: dict[int, asyncio.Future] = {}
        self._number = 0
        self._log: list[str] = []

    def __enter__(self) -> "Firefox":
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in self._preferences.items()]
        (Path(self._profile.name) / "user.js").write_text("\n".join(lines))
        self._process = subprocess.Popen(
            [FIREFOX, "--headless", "--no-remote", "--profile", self._profile.name, "--remote-debugging-port", "0", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "HOME": self._profile.name})
        threading.Thread(target=lambda: self._log.extend(self._process.stderr), daemon=True).start()
        self._thread.start()
        try:
            address = wait_for("Firefox to listen", self._address)
            self._run(self._connect(f"{address}/session"))
            self._call("session.new", capabilities={})
            self._call("session.subscribe", events=["log.entryAdded"])
            self._context = self._call("browsingContext.getTree")["contexts"][0]["context"]
            self.resize(960, 640)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if hasattr(self, "_http"):
            self._run(self._http.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._profile.cleanup()

    def _address(self) -> str | None:
        if self._process.poll() is not None:
            raise AssertionError(f"Firefox ended with {self._process.returncode}: {''.join(self._log[-20:])}")
        found = re.search(r"WebDriver BiDi listening on (ws://\S+)", "".join(self._log))
        return found and found.group(1)

    # The protocol.

    def _run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(FAR)

    async def _connect(self, url: str) -> None:
        self._http = aiohttp.ClientSession()
        self._socket = await self._http.ws_connect(url, max_msg_size=0)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            answer = json.loads(message.data)
            if answer.get("type") == "event":
                entry = answer["params"]
                self.console.append(f"{'uncaught' if entry['type'] == 'javascript' else entry['level']}: {entry['text']}")
            elif waiting := self._waiting.pop(answer.get("id"), None):
                waiting.set_result(answer)
        for waiting in self._waiting.values():
            waiting.set_exception(ConnectionError("Firefox has closed the connection"))

    async def _send(self, method: str, params: dict) -> dict:
        self._number += 1
        waiting = self._waiting[self._number] = self._loop.create_future()
        await self._socket.send_json({"id": self._number, "method": method, "params": params})
        return await waiting

    def _call(self, method: str, **params: Any) -> dict:
        answer = self._run(self._send(method, params))
        if answer["type"] == "error":
            raise AssertionError(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    # The page.

    def add_init_script(self, script: str) -> None:
        """Has every page from now on run a function before its own scripts."""
        self._call("script.addPreloadScript", functionDeclaration=f"() => {{ ({script}); }}")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Calls a function in the page, waits for its promise and returns the result as JSON has it."""
        wrapped = f"async () => JSON.stringify((await ({script})({json.dumps(argument)})) ?? null)"
        result = self._call(
            "script.callFunction", functionDeclaration=wrapped, awaitPromise=True, target={"context": self._context})
        if result["type"] == "exception":
            raise AssertionError(f"{self.name}: {result['exceptionDetails']['text']}")
        return json.loads(result["result"]["value"])

    def resize(self, width: int, height: int) -> None:
        """Gives the page another size, in CSS pixels."""
        self._call("browsingContext.setViewport", context=self._context, viewport={"width": width, "height": height})

    def screenshot(self, path: Path) -> None:
        """Writes what the page shows as a PNG."""
        path.write_bytes(base64.b64decode(self._call("browsingContext.captureScreenshot", context=self._context)["data"]))

    def texts(self, selector: str) -> list[str]:
        """The texts of the visible elements that a selector finds."""
        return self.evaluate(
            "(selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).map((each) => each.innerText)",
            selector)

    # The meeting.

    def join(self, url: str, room: str, overrides: str = "") -> "Firefox":
        """Opens the room without the prejoin page and waits until the page says it is connected."""
        fragment = f'config.prejoinPageEnabled=false&userInfo.displayName="{self.name}"'
        self._call("browsingContext.navigate", context=self._context, wait="complete",
                   url=f"{url}/{room}#{fragment}{'&' + overrides if overrides else ''}")
        wait_for(f"{self.name} to be connected", lambda: self.state() == "connected" or f"no: {self.state()} {self.console[-5:]}")
        return self

    def state(self) -> str:
        """The meeting's own word for its state."""
        return self.evaluate("() => window.parley ? window.parley.state : 'no meeting'")

    def frames(self, direction: str) -> int:
        """How many frames of video this page has decoded (``inbound``) or encoded (``outbound``) so far."""
        return self.evaluate("""async (direction) => (await parley.stats()).streams
          .filter((each) => each.direction === direction && each.kind === "video").reduce((sum, each) => sum + (each.frames ?? 0), 0)""", direction)

    def sent_codec(self) -> str | None:
        """The codec of the camera."""
        return self.evaluate("""async () => (await parley.stats()).streams
          .find((each) => each.direction === "outbound" && each.kind === "video" && each.frames > 0)?.codec""")
