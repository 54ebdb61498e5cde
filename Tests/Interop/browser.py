"""Pages of real Chromium in a meeting, and what they see and hear."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from playwright.sync_api import Page, Playwright

import media

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
FILES = Path(tempfile.gettempdir()) / f"parley-media-{os.getpid()}"


def wait_for(what: str, condition: Callable[[], Any], seconds: float = 20, every: float = 0.1) -> Any:
    """Polls ``condition`` until it is true and returns its value; says what was missing when time runs out.

    ``condition`` may return a string that starts with ``no:`` to tell what it still misses.
    """
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value and not (isinstance(value, str) and value.startswith("no:")):
            return value
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s for {what}; last seen: {value!r}")
        time.sleep(every)


class Person:
    """One browser of its own, with a known picture for camera and a known tone for microphone."""

    def __init__(self, playwright: Playwright, name: str, *, arguments: tuple[str, ...] = (), viewport=(960, 640),
                 devices: bool = True, **context: Any):
        if not (FILES / f"{name}.y4m").exists():
            media.make(FILES)
        self.name = name
        flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
                 "--use-fake-ui-for-media-stream", "--auto-select-desktop-capture-source=Entire screen",
                 "--disable-gpu", *arguments]
        if devices:
            flags += ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={FILES}/{name}.y4m",
                      f"--use-file-for-fake-audio-capture={FILES}/{name}.wav"]
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=flags)
        self.context = self.browser.new_context(viewport={"width": viewport[0], "height": viewport[1]},
                                                ignore_https_errors=True, **context)
        self.page: Page = self.context.new_page()
        self.console: list[str] = []
        self.page.on("console", lambda m: self.console.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.console.append(f"uncaught: {e}"))

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.close()

    def join(self, url: str, room: str, overrides: str = "") -> "Person":
        """Opens the room without the prejoin page and waits until the page says it is connected."""
        fragment = f'config.prejoinPageEnabled=false&userInfo.displayName="{self.name}"'
        self.page.goto(f"{url}/{room}#{fragment}{'&' + overrides if overrides else ''}")
        wait_for(f"{self.name} to be connected", lambda: self.state() == "connected" or f"no: {self.state()} {self.console[-5:]}")
        return self

    def state(self) -> str:
        """The meeting's own word for its state."""
        return self.page.evaluate("() => window.parley ? window.parley.state : 'no meeting'")
