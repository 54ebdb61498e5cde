"""``Examples/OpenTokHello``, an app written for OpenTok's iOS SDK, and the demo page of the same session."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import av
from playwright.sync_api import sync_playwright

from browser import Person, wait_for
from media import CAST
from server import BINARY, Server


class App:
    """The app without a window; what happens in it comes as JSON lines."""

    def __init__(self, *options: str):
        self.binary = BINARY.with_name("OpenTokHello")
        self.options = options
        self.events: list[dict[str, str]] = []

    def __enter__(self) -> "App":
        self.process = subprocess.Popen([str(self.binary), "--headless", *self.options], text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.events.append(json.loads(line))

    def names(self) -> list[str]:
        return [each["event"] for each in self.events]

    def expect(self, event: str, seconds: float = 40) -> dict[str, str]:
        wait_for(f"{event} in the app", lambda: event in self.names() or f"no: {self.events[-5:]}", seconds)
        return next(each for each in self.events if each["event"] == event)


class Hello(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server("--development"))

    def test_the_app_and_the_demo_page_see_hear_and_signal_each_other(self) -> None:
        picture = Path(self.enterContext(tempfile.TemporaryDirectory())) / "seen.png"
        app = self.enterContext(App("--server", self.server.url, "--snapshot", str(picture)))
        own = app.expect("connected")["connection"]
        app.expect("publishing")
        self.assertEqual(app.names()[:3], ["connected", "publishing", "received"])

        ann = self.enterContext(Person(self.enterContext(sync_playwright()), "Ann"))
        page = ann.page
        page.goto(f"{self.server.url}/browser_demo.html?name=Ann")
        wait_for("the session to be filled in", lambda: page.input_value("#token"))
        page.click("#connectLink")
        wait_for("the page to be connected", lambda: page.text_content("#status") == "Connected." or f"no: {page.text_content('#status')}")
        page.click("#publishLink")
        name = wait_for("the app's stream", lambda: page.evaluate(
            "(id) => [...session.streams.values()].find((each) => each.connection.connectionId === id)?.name", own))

        # Both directions, recognised.
        ann.hears_tone(name, 440)
        ann.sees_test_picture(name, rate=8)
        app.expect("picture")
        app.expect("sound")
        colour = CAST["Ann"][0]

        def looks_like_ann() -> object:
            if not picture.exists():
                return "no: not written"
            with av.open(str(picture)) as file:
                pixels = next(file.decode(video=0)).to_ndarray(format="rgb24")
            middle = pixels[pixels.shape[0] // 4:pixels.shape[0] * 3 // 4, pixels.shape[1] // 4:pixels.shape[1] * 3 // 4]
            mean = middle.reshape(-1, 3).mean(axis=0)
            near = sum(abs(float(mean[index]) - colour[index]) for index in range(3)) < 150
            return near or f"no: {mean} of {pixels.shape}, expected about {colour}"
        wait_for("Ann's picture in the app", looks_like_ann, 20)

        # Signals both ways.
        page.evaluate("() => { window.heard = []; session.on('signal:hello', (event) => heard.push(event.data)); }")
        page.evaluate("() => session.signal({ type: 'hello', data: 'from the page' })")
        self.assertEqual(app.expect("signal")["data"], "from the page")
        wait_for("the app's answer", lambda: "Back from the app: from the page" in page.evaluate("() => heard"))

        # The page stops: the app drops the stream, and takes it up again when it is back.
        page.click("#unpublishLink")
        app.expect("dropped")
        page.click("#publishLink")
        wait_for("a second subscription", lambda: app.names().count("subscribed") == 2 or f"no: {app.names()}", 20)


if __name__ == "__main__":
    unittest.main()
