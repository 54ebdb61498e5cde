"""Pages of real Chromium in a meeting, and what they see and hear."""

from __future__ import annotations

import asyncio
import atexit
import base64
import functools
import os
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Callable, Coroutine

from playwright.sync_api import Browser, Page, Playwright, sync_playwright

import media
from pictures import DecodedPictures

#: Chromium as people have it, and the same engine without the window around it, which starts and opens a page for half
#: of the processor time.
CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
HEADLESS = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or CHROMIUM
FILES = Path(tempfile.gettempdir()) / f"parley-media-{os.getpid()}"

#: Browsers send a smaller picture when encoding is slow, which on a shared machine says nothing of the network. With
#: these arguments they do not: the measure of slowness says after a moment that all is well, for years.
UNHURRIED = ("--force-fieldtrials=WebRTC-ForceSimulatedOveruseIntervalMs/1-1-2000000000/",)

#: Has the browser decode videos and not draw them, which without a graphics card costs more than a third of all that it
#: does in a call. Statistics and the pictures that scripts read are the same. ``screenshot`` draws them.
UNDRAWN = """(() => {
  const sheet = window.undrawn = new CSSStyleSheet();
  sheet.replaceSync("video { opacity: 0 !important }");
  document.adoptedStyleSheets.push(sheet);
})()"""


#: How long a test waits for what never comes. It decides no test: it only ends those that have failed, and is far from
#: what a busy machine takes.
FAR = 150


def wait_for(what: str, condition: Callable[[], Any], seconds: float = FAR, every: float = 0.1,
             situation: Callable[[], str] | None = None) -> Any:
    """Polls ``condition`` until it is true and returns its value; says what was missing after ``seconds``, or ``FAR``
    where that is later, and the ``situation`` then.

    ``condition`` may return ``no`` to say that it waits, or ``no: …`` to name what is missing.
    """
    seconds = max(seconds, FAR)
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value and not (isinstance(value, str) and value.partition(":")[0] == "no"):
            return value
        if time.monotonic() > end:
            more = f"; {situation()}" if situation else ""
            raise AssertionError(f"waited {seconds} s for {what}; last seen: {value!r}{more}")
        time.sleep(every)


@functools.cache
def shared_driver() -> Playwright:
    """The driver of this process's main thread, which has room for one. It and its browsers end with the process."""
    manager = sync_playwright()
    atexit.register(manager.__exit__)
    return manager.__enter__()


def run_aside(work: Coroutine) -> Any:
    """``asyncio.run`` on a thread of its own: the driver holds the event loop of this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


#: Browsers that nobody uses just now, by the driver that started them and their arguments; those used last at the end.
#: Starting one takes a second of processor time and more.
IDLE: dict[tuple[Playwright, tuple[str, ...]], list[Browser]] = {}

#: How many are kept.
IDLE_LIMIT = 6


def take_browser(playwright: Playwright, arguments: tuple[str, ...]) -> Browser:
    """A browser with those arguments that nobody else uses."""
    idle = IDLE.get((playwright, arguments), [])
    while idle:
        if (browser := idle.pop()).is_connected():
            return browser
    return playwright.chromium.launch(executable_path=HEADLESS, headless=True, args=list(arguments))


def give_back(browser: Browser, playwright: Playwright, arguments: tuple[str, ...]) -> None:
    """Keeps a browser for the next that wants those arguments. When there are too many, it ends the one that has been
    idle longest."""
    IDLE[playwright, arguments] = IDLE.pop((playwright, arguments), []) + [browser]
    own = [browsers for (driver, _), browsers in IDLE.items() if driver is playwright and browsers]
    if sum(map(len, own)) > IDLE_LIMIT:
        own[0].pop(0).close()


#: Keeps the texts of toasts, which are gone after seconds: a machine that is busy looks later.
KEEP_TOASTS = """
window.toastsSaid = [];
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) {
    for (const node of addedNodes) {
      if (node.parentElement?.matches(".toasts")) { window.toastsSaid.push(node.textContent); }
    }
  }
}).observe(document, { childList: true, subtree: true });
"""
#: Takes out the first toast with a text; whether there was one.
TAKE_TOAST = """(text) => {
  const index = window.toastsSaid.findIndex((toast) => toast.includes(text));
  if (index >= 0) { window.toastsSaid.splice(index, 1); }
  return index >= 0;
}"""


class Person:
    """One browser that nobody else uses at the same time, as if it was new, with a known picture for camera and a known
    tone for microphone."""

    def __init__(self, playwright: Playwright, name: str, *, arguments: tuple[str, ...] = (), viewport=(960, 640),
                 devices: bool = True, camera: Path | None = None, **context: Any):
        if not (FILES / f"{name}.y4m").exists():
            media.make(FILES)
        self.name = name
        flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
                 "--use-fake-ui-for-media-stream", "--auto-select-desktop-capture-source=Entire screen",
                 "--disable-gpu", *arguments]
        if devices:
            flags += ["--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={camera or FILES / f'{name}.y4m'}",
                      f"--use-file-for-fake-audio-capture={FILES}/{name}.wav"]
        self._home = (playwright, tuple(flags))
        self.browser = take_browser(*self._home)
        self.context = self.browser.new_context(viewport={"width": viewport[0], "height": viewport[1]},
                                                ignore_https_errors=True, **context)
        self.context.set_default_timeout(FAR * 1_000)
        self.page: Page = self.context.new_page()
        self.page.add_init_script(KEEP_TOASTS)
        self.page.add_init_script(UNDRAWN)
        self.page.screenshot = functools.partial(self._screenshot, self.page.screenshot)
        self.console: list[str] = []
        self.page.on("console", lambda m: self.console.append(f"{m.type}: {m.text}"))
        self.page.on("pageerror", lambda e: self.console.append(f"uncaught: {e}"))

    def __enter__(self) -> "Person":
        return self

    def __exit__(self, *_: object) -> None:
        # All that a page leaves behind (storage, cookies, permissions, connections) belongs to its context.
        self.context.close()
        give_back(self.browser, *self._home)

    def join(self, url: str, room: str, overrides: str = "") -> "Person":
        """Opens the room without the prejoin page and waits until the page says it is connected."""
        return self.open(url, room, overrides).joined()

    def open(self, url: str, room: str, overrides: str = "") -> "Person":
        """Opens the room without the prejoin page, and waits for nothing: several can come at once."""
        fragment = f'config.prejoinPageEnabled=false&userInfo.displayName="{self.name}"'
        self.page.goto(f"{url}/{room}#{fragment}{'&' + overrides if overrides else ''}", wait_until="commit")
        return self

    def joined(self) -> "Person":
        """Waits until the page says that it is connected."""
        wait_for(f"{self.name} to be connected", lambda: self.state() == "connected" or f"no: {self.state()} {self.console[-5:]}")
        return self

    def _screenshot(self, take: Callable[..., bytes], **options: Any) -> bytes:
        self.page.evaluate("() => { undrawn.disabled = true; }")
        try:
            return take(**options)
        finally:
            self.page.evaluate("() => { undrawn.disabled = false; }")

    def state(self) -> str:
        """The meeting's own word for its state."""
        return self.page.evaluate("() => window.parley ? window.parley.state : 'no meeting'")

    # The page's audio and video

    def untouched(self, expression: str) -> Any:
        """The value of an expression, as if nobody had touched the page: whatever Playwright does itself counts as a
        person's click."""
        self._session = getattr(self, "_session", None) or self.context.new_cdp_session(self.page)
        answer = self._session.send("Runtime.evaluate", {"expression": expression, "awaitPromise": True, "returnByValue": True})
        return answer["result"].get("value")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Runs a script with ``senses`` at hand."""
        if not self.page.evaluate("() => Boolean(window.senses)"):
            self.page.evaluate(SENSES)
        return self.page.evaluate(script, argument)

    def says(self, text: str) -> None:
        """Waits until the page has said something to its user, each toast once."""
        wait_for(f"{self.name} to be told {text!r}", lambda: self.page.evaluate(TAKE_TOAST, text)
                 or self.page.get_by_text(text).count() > 0 or f"no: {self.page.evaluate('() => window.toastsSaid')}")

    def names(self) -> list[str]:
        """Everybody else in the meeting, sorted."""
        return sorted(self.page.evaluate("() => [...window.parley.participants.values()].map((each) => each.name)"))

    def sees(self, name: str, source: str = "camera", seconds: float = 25, known: str | None = None) -> dict:
        """Waits until this page shows ``name``'s known moving picture, or with ``known`` that of somebody else, and
        returns what was measured."""
        def look() -> Any:
            seen = self.evaluate("([name, source]) => senses.watch(name, source, 1500)", [name, source])
            problem = picture_problem(seen, media.CAST[known or name][0])
            return f"no: {problem}" if problem else seen
        return wait_for(f"{self.name} to see {name}", look, seconds)

    def hears(self, name: str, seconds: float = 25) -> dict:
        """Waits until the loudest frequency in ``name``'s sound is the known one."""
        expected = media.CAST[name][1]

        def listen() -> Any:
            heard = self.evaluate("(name) => senses.listen(name, 1500)", name)
            problem = sound_problem(heard, expected)
            return f"no: {problem}" if problem else heard
        return wait_for(f"{self.name} to hear {name}", listen, seconds)

    def sees_test_picture(self, name: str, seconds: float = 40, rate: float = 20) -> dict:
        """Waits until this page shows the Swift client's moving test picture, with so many frames a second, and returns
        what was measured."""
        def look() -> Any:
            seen = self.evaluate("(name) => senses.markers(name, 'camera', 2000)", name)
            if "problem" in seen:
                return f"no: {seen['problem']}"
            read = [mark for mark in seen["marks"] if mark["milliseconds"] is not None]
            times = [mark["milliseconds"] for mark in read]
            steps = [after - before for before, after in zip(times, times[1:])]
            summary = {"frames": len(seen["marks"]), "read": len(read), "rate": seen["rate"], "width": seen["width"],
                       "sources": sorted({mark["source"] for mark in read}), "rising": all(step > 0 for step in steps),
                       "delay": sorted(mark["delay"] for mark in read)[len(read) // 2] if read else None}
            good = len(read) > rate and len(read) >= 0.95 * len(seen["marks"]) and summary["rising"] and rate < summary["rate"] < 30
            return summary if good else f"no: {summary}"
        return wait_for(f"{self.name} to see {name}'s test picture", look, seconds)

    def decoded_pictures(self, name: str, count: int, source: str = "camera", seconds: float = 20) -> DecodedPictures:
        """The next pictures of ``name`` that this page shows, as the browser's decoder put them out."""
        seen = self.evaluate("(given) => senses.pictures(...given)", [name, source, count, seconds * 1000])
        if "problem" in seen:
            raise AssertionError(f"{self.name}: {seen['problem']}")
        taken = seen["pictures"]
        kinds = {(each["format"], each["width"], each["height"]) for each in taken}
        if len(taken) < count or len(kinds) != 1 or (kind := kinds.pop())[0] != "I420":
            raise AssertionError(f"{self.name} saw {len(taken)} of {count} pictures of {name} in {seconds} s, of {kinds or kind}, "
                                 "expected one size in I420")
        return DecodedPictures(kind[1], kind[2], [base64.b64decode(each["data"]) for each in taken])

    def hears_tone(self, name: str, frequency: float, seconds: float = 30) -> float:
        """Waits until ``name``'s sound is a tone of that frequency, within 2 Hz, and returns what was measured."""
        def listen() -> Any:
            heard = self.evaluate("(name) => senses.tone(name)", name)
            if "problem" in heard:
                return f"no: {heard['problem']}"
            good = (heard["level"] or -999) > -60 and abs(heard["frequency"] - frequency) < 2
            return heard["frequency"] if good else f"no: {heard}, expected {frequency} Hz"
        return wait_for(f"{self.name} to hear {frequency} Hz from {name}", listen, seconds)

    def hears_silence(self, name: str, seconds: float = 15) -> None:
        """Waits until nothing audible comes from ``name``."""
        def listen() -> Any:
            heard = self.evaluate("(name) => senses.listen(name, 1200)", name)
            level = heard.get("level")
            return "problem" in heard or level is None or level < -80 or f"no: {heard}"
        wait_for(f"{self.name} to hear nothing from {name}", listen, seconds)

    def statistics(self) -> dict:
        """A digest of the page's own statistics."""
        return self.evaluate("() => senses.statistics()")

    def frames_sent(self) -> int:
        """Video frames that this page has encoded since it joined."""
        return sum(each["framesEncoded"] for each in self.statistics()["outbound"])

    def frames(self, name: str, source: str = "camera", milliseconds: int = 1000) -> int:
        """How many frames of ``name`` were shown in that time."""
        seen = self.evaluate("([name, source, time]) => senses.watch(name, source, time)", [name, source, milliseconds])
        return seen.get("frames", 0)


SENSES = (Path(__file__).parent / "senses.js").read_text()


def see_and_hear(*pairs: tuple[Person, str], seconds: float = 25) -> dict[tuple[str, str], tuple[dict, dict]]:
    """Waits until each page sees and hears the one it is paired with, all of them at once. Returns what was measured,
    by viewer and viewed: what ``sees`` and what ``hears`` would say."""
    measured: dict[tuple[str, str], tuple[dict, dict]] = {}

    def look() -> Any:
        wanted: dict[Person, list[str]] = {}
        for viewer, name in pairs:
            if (viewer.name, name) not in measured:
                wanted.setdefault(viewer, []).append(name)
        for viewer, names in wanted.items():
            viewer.evaluate("(names) => { window.meeting = senses.meet(names, 1500); }", names)
        problems = []
        for viewer in wanted:
            for name, (seen, heard) in viewer.page.evaluate("() => window.meeting").items():
                colour, frequency = media.CAST[name]
                problem = picture_problem(seen, colour) or sound_problem(heard, frequency)
                if problem:
                    problems.append(f"{viewer.name} of {name}: {problem}")
                else:
                    measured[viewer.name, name] = (seen, heard)
        return f"no: {problems}" if problems else measured
    return wait_for(f"{', '.join(f'{viewer.name} to see and hear {name}' for viewer, name in pairs)}", look, seconds)


def sound_problem(heard: dict, expected: float) -> str | None:
    """Why what was heard is not that tone; None when it is."""
    if "problem" in heard:
        return heard["problem"]
    if (heard["level"] or -999) < -60 or abs(heard["frequency"] - expected) > 12:
        return f"{heard}, expected {expected} Hz"
    return None


def picture_problem(seen: dict, colour: tuple[int, int, int]) -> str | None:
    """Why what was seen is not the moving picture of that colour; None when it is."""
    if "problem" in seen:
        return seen["problem"]
    if seen["frames"] < 8:
        return f"only {seen['frames']} frames in 1.5 s"
    if seen["paused"]:
        return "the <video> is paused"
    if any(abs(a - b) > 45 for a, b in zip(seen["colour"], colour)):
        return f"background {seen['colour']} is not {colour}"
    steps = [(x2 - x1, (t2 - t1) / 1000) for (t1, x1), (t2, x2) in zip(seen["bars"], seen["bars"][1:])]
    moved = sum(dx for dx, dt in steps if dx >= 0 and dt < 0.3)
    time_taken = sum(dt for dx, dt in steps if dx >= 0 and dt < 0.3)
    if time_taken < 0.4:
        return f"the bar was seen for {time_taken:.2f} s only"
    speed = moved / time_taken * media.SWEEP
    if not 0.7 < speed < 1.3:
        return f"the bar moves at {speed:.2f} of its speed"
    return None
