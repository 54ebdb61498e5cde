"""People's audio and video of each other on bad networks: pages of real Chromium, as senders and as receivers, through
the impairment proxy."""

from __future__ import annotations

import contextlib
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Playwright, sync_playwright

import media
import quality
from browser import FILES, UNHURRIED, Person, shared_driver, wait_for
from impairment import ImpairmentProxy
from quality import Quality
from server import OUTPUT, Server

pytestmark = pytest.mark.alone


#: Those who only look on.
LISTENS = "config.startAudioOnly=true&config.startWithAudioMuted=true"


def person(driver: Playwright, name: str, size: tuple[int, int] = (640, 360), **options) -> Person:
    """A page whose camera needs the bits it may have, and that sends its layers however slow the machine is."""
    return Person(driver, name, camera=media.busy_camera(FILES, name, size), arguments=UNHURRIED, **options)


class Networks(unittest.TestCase):
    """Each is a call of two: Ann on a clean network, Ben behind the proxy, whose way is impaired in both directions.
    Ann's media of Ben shows him as sender, his of her shows him as receiver. One happens after the other, since two at
    a time leave a slow machine no moment to spare, and a browser that waits for its turn looks like a bad network."""

    CONDITIONS = {
        "3G": "rate=900k,delay=80ms,jitter=15ms,loss=0.5%,queue=600ms",
        "10 % loss": "loss=10%,delay=25ms",
        "300 kb/s": "rate=300k,delay=25ms,queue=400ms",
        "2 s outage": "rate=4M,delay=25ms,queue=400ms",
        "halves and returns": "rate=1600k,delay=25ms,queue=400ms",
    }

    #: The pages' words about each other at the end, by conditions, and by viewer and viewed.
    words: dict[str, dict[tuple[str, str], str]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        pool = ThreadPoolExecutor(1)
        cls.addClassCleanup(pool.shutdown)
        # One driver for all calls, and so their browsers too. It belongs to the thread that has started it.
        cls.driver = pool.submit(sync_playwright().start).result()
        cls.addClassCleanup(lambda: pool.submit(cls.driver.stop).result())
        act = {"2 s outage": cls.outage, "halves and returns": cls.halving}
        cls.calls = {name: pool.submit(act.get(name, cls.steady), conditions) for name, conditions in cls.CONDITIONS.items()}
        cls.addClassCleanup(lambda: [call.cancel() for call in cls.calls.values()])

    def tell(self, name: str) -> tuple[Quality, Quality, str]:
        """The result of the call on that network: for Ben as sender and as receiver."""
        sending, receiving, more = self.calls[name].result(400)
        print(f"\n  sending: {sending}\n  receiving: {receiving}\n  {more}", end=" … ")
        return sending, receiving, more

    def check(self, name: str, frozen: float, concealed: float) -> None:
        sending, receiving, _ = self.tell(name)
        for what, seen in (("sending", sending), ("receiving", receiving)):
            self.assertLess(seen.frozen, frozen, f"{what}: {seen}")
            self.assertLess(seen.concealed, concealed, f"{what}: {seen}")
            self.assertGreater(seen.rate, 3, f"{what}: {seen}")

    def test_a_call_on_3g_has_moving_pictures_and_whole_sound(self) -> None:
        self.check("3G", 0.2, 0.03)

    def test_a_call_with_ten_per_cent_loss_has_moving_pictures_and_whole_sound(self) -> None:
        self.check("10 % loss", 0.2, 0.03)
        words = self.words[self.CONDITIONS["10 % loss"]]
        for viewer in ("Ann", "Ben"):
            self.assertRegex(words[viewer, "Ben"], "(poor|fair) connection", f"what {viewer}'s page says of Ben")
            # Nobody blames Ann, whose path loses nothing.
            self.assertRegex(words[viewer, "Ann"], "very good connection", f"what {viewer}'s page says of Ann")

    def test_a_call_at_300_kilobits_has_moving_pictures_and_whole_sound(self) -> None:
        self.check("300 kb/s", 0.2, 0.04)

    def test_a_call_goes_on_within_ten_seconds_of_an_outage_of_two(self) -> None:
        sending, receiving, _ = self.tell("2 s outage")
        for what, seen in (("sending", sending), ("receiving", receiving)):
            self.assertLess(seen.concealed, 0.03, f"{what}, afterwards: {seen}")

    def test_a_call_whose_bandwidth_halves_goes_on_smaller_until_it_returns(self) -> None:
        # When the bandwidth halves, the packets fill the queue of 400 ms within a second; until it has drained,
        # pictures and sound of a second more are late or lost.
        self.check("halves and returns", 0.2, 0.04)
        for what, seen in zip(("sending", "receiving"), self.calls["halves and returns"].result()):
            self.assertLess(seen.longest, 3, f"{what}: {seen}")

    # The course of a call.

    @classmethod
    @contextlib.contextmanager
    def call(cls, conditions: str):
        """Ann and Ben in a meeting, each with a picture of the other, and both noting what they have."""
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(Server("--workers", "1"))
            proxy = stack.enter_context(ImpairmentProxy(server.media_port, "--both", conditions, "--seed", "7"))
            ann = stack.enter_context(person(cls.driver, "Ann")).join(server.url, "x")
            ben = proxy.carry(stack.enter_context(person(cls.driver, "Ben"))).join(server.url, "x")
            quality.begin(ann, "Ben")
            quality.begin(ben, "Ann")
            yield proxy, ann, ben

    @staticmethod
    def passed(viewer: Person, name: str, seconds: float) -> None:
        """Waits until pictures of ``name`` have come for so long."""
        def look():
            samples = quality.so_far(viewer, name)
            first = next((each["at"] for each in samples if each["frames"] > 0), None)
            return first is not None and samples[-1]["at"] - first >= seconds or f"no: {samples[-1:]}"
        wait_for(f"{seconds} s of {name}'s pictures", look, seconds + 60, 0.5)

    @classmethod
    def steady(cls, conditions: str) -> tuple[Quality, Quality, str]:
        with cls.call(conditions) as (proxy, ann, ben):
            cls.passed(ann, "Ben", 17)
            cls.passed(ben, "Ann", 17)
            sending, receiving = quality.finish(ann, "Ben", 15), quality.finish(ben, "Ann", 15)
            cls.words[conditions] = {
                (viewer.name, name): viewer.page.get_attribute(f"article.tile[aria-label^={name}]", "aria-label")
                for viewer in (ann, ben) for name in ("Ann", "Ben")}
            links = proxy.statistics()
            down = links["down"]
            return sending, receiving, (
                f"to Ben: {down['lost'] + down['dropped']} of {down['sent']} packets lost, queue {down['queueMillisecondsP95']:.0f} ms (p95)")

    @classmethod
    def outage(cls, conditions: str) -> tuple[Quality, Quality, str]:
        with cls.call(conditions) as (proxy, ann, ben):
            cls.passed(ann, "Ben", 8)
            cls.passed(ben, "Ann", 8)
            began = proxy.change("both", "outage")
            # The outage itself.
            time.sleep(max(0, began + 2 - time.monotonic()))
            proxy.change("both", conditions)
            ended = {viewer: viewer.page.evaluate("() => performance.now() / 1000") for viewer in (ann, ben)}
            back = {}
            for viewer, name in ((ann, "Ben"), (ben, "Ann")):
                def look() -> float | str:
                    samples = quality.so_far(viewer, name)
                    return quality.seconds_until_pictures(samples, ended[viewer]) or f"no: {samples[-1:]}"
                back[name] = wait_for(f"pictures of {name} after the outage", look, 15, 0.3)
            for name, seconds in back.items():
                if seconds > 10:
                    raise AssertionError(f"{name}'s picture came back after {seconds:.1f} s")
            # The listener's share of it: the sound of the next five seconds.
            since = time.monotonic()
            wait_for("five more seconds", lambda: time.monotonic() - since > 6, 10)
            sending, receiving = quality.finish(ann, "Ben", 5), quality.finish(ben, "Ann", 5)
            return sending, receiving, f"sender's picture back after {back['Ben']:.1f} s, receiver's after {back['Ann']:.1f} s"

    @classmethod
    def halving(cls, conditions: str) -> tuple[Quality, Quality, str]:
        half = conditions.replace("1600k", "800k")
        with cls.call(conditions) as (proxy, ann, ben):
            def wide(viewer: Person, name: str, width: int, seconds: float) -> float:
                """Waits until pictures of that width come, and returns how long it took."""
                began = time.monotonic()
                def look():
                    last = quality.so_far(viewer, name)[-1:]
                    return last and last[0]["width"] == width or f"no: {last}"
                wait_for(f"{viewer.name} to have {name} {width} wide", look, seconds, 0.3)
                return time.monotonic() - began
            wide(ben, "Ann", 640, 40)
            wide(ann, "Ben", 640, 40)
            def passes(seconds: float) -> None:
                since = time.monotonic()
                wait_for(f"{seconds} s more", lambda: time.monotonic() - since > seconds, seconds + 5)
            quality.begin(ann, "Ben")
            quality.begin(ben, "Ann")
            passes(3)
            proxy.change("both", half)
            down = wide(ben, "Ann", 320, 30)
            passes(6)
            proxy.change("both", conditions)
            # The server decides what Ben gets; what he sends is also up to his browser, which takes its time.
            up = wide(ben, "Ann", 640, 10)
            wide(ann, "Ben", 640, 40)
            passes(3)
            sending, receiving = quality.finish(ann, "Ben"), quality.finish(ben, "Ann")
            return sending, receiving, f"receiver's picture smaller after {down:.1f} s, whole {up:.1f} s after the bandwidth's return"


class OneSender(unittest.TestCase):
    """One camera in three layers, and receivers unlike each other."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()

    def setUp(self) -> None:
        self.server = self.enterContext(Server("--workers", "1"))

    def person(self, name: str, **options) -> Person:
        return self.enterContext(person(self.driver, name, **options))

    def metric(self, name: str) -> float:
        """One of the media workers' figures, summed over them."""
        return sum(value for each, value in self.server.metrics().items() if each.startswith(f"parley_media_{name}{{"))

    @staticmethod
    def width(viewer: Person, name: str) -> int:
        """The width that ``viewer`` decoded last."""
        return (quality.so_far(viewer, name)[-1:] or [{"width": 0}])[0]["width"]

    def impaired(self, person: Person, way: str) -> ImpairmentProxy:
        """Puts a network of its own before a page."""
        proxy = self.enterContext(ImpairmentProxy(self.server.media_port, "--both", way, "--seed", "7"))
        proxy.carry(person)
        return proxy

    def test_three_receivers_decode_what_suits_each_and_a_bad_one_disturbs_no_other(self) -> None:
        room = "simulcast"
        ann = self.person("Ann", size=(960, 540), viewport=(280, 240)).join(self.server.url, room)
        big, small, bad = (self.person(name, viewport=viewport)
                           for name, viewport in (("Ben", (1280, 720)), ("Cem", (280, 240)), ("Dan", (1280, 720))))
        # Each has a network of its own: one loses a little, one is far away and jitters, one will become narrow.
        self.impaired(big, "delay=25ms,loss=1%")
        self.impaired(small, "delay=60ms,jitter=15ms,loss=2%")
        narrow = self.impaired(bad, "delay=25ms")
        for viewer in (big, small, bad):
            viewer.join(self.server.url, room, LISTENS)
            viewer.page.dblclick("article.tile:not(.tile-self)[aria-label^=Ann]", position={"x": 20, "y": 40})
        for viewer in (big, small, bad):
            quality.begin(viewer, "Ann")
        for viewer, expected in ((big, 960), (small, 240), (bad, 960)):
            wait_for(f"{viewer.name} to decode {expected} pixels", lambda: self.width(viewer, "Ann") == expected or
                     f"no: {self.width(viewer, 'Ann')}", 60, 0.3)
        # Only now does the one network become bad.
        narrow.change("down", "rate=400k,delay=25ms,queue=400ms")
        for viewer in (big, small):
            quality.begin(viewer, "Ann")
        wait_for("Dan to decode less", lambda: 0 < self.width(bad, "Ann") < 960 or f"no: {self.width(bad, 'Ann')}", 40, 0.3)
        quality.begin(bad, "Ann")
        since = time.monotonic()
        wait_for("12 s", lambda: time.monotonic() - since > 12, 20)
        seen = {viewer.name: quality.finish(viewer, "Ann") for viewer in (big, small, bad)}
        print("".join(f"\n  {name}: {each}" for name, each in seen.items()), end=" … ")
        self.assertEqual(seen["Ben"].widths, [960], f"the good one has the best all the time: {seen['Ben']}")
        self.assertEqual(seen["Cem"].widths, [240], f"the small one has the smallest all the time: {seen['Cem']}")
        self.assertIn(seen["Dan"].width, (240, 480), f"the bad one goes on with less: {seen['Dan']}")
        # It may be paused for a moment while the queue that its network had built up drains.
        self.assertLess(seen["Dan"].frozen, 0.5, f"the bad one goes on: {seen['Dan']}")
        wait_for("Dan's pictures to go on", lambda: bad.frames("Ann", milliseconds=2000) > 4, 20)
        for name in ("Ben", "Cem"):
            # A busy machine alone makes some 5 %.
            self.assertLess(seen[name].frozen, 0.2, f"{name} notices nothing: {seen[name]}")
            self.assertLess(seen[name].longest, 2, f"{name} notices nothing: {seen[name]}")

    @staticmethod
    def rate(viewer: Person, name: str, seconds: float = 3) -> float:
        """Pictures a second that ``viewer`` decoded last."""
        samples = quality.so_far(viewer, name)
        recent = [each for each in samples if each["at"] >= samples[-1]["at"] - seconds] if samples else []
        return (recent[-1]["frames"] - recent[0]["frames"]) / (recent[-1]["at"] - recent[0]["at"]) if len(recent) > 5 else 0

    def test_of_one_av1_stream_a_narrow_receiver_gets_a_layer_a_wide_one_all_none_freezes(self) -> None:
        """Only from the dependency descriptor do the server and the browsers know which frame of AV1 is of which
        layer."""
        room = "av1"
        ann = self.person("Ann", viewport=(280, 240)).join(self.server.url, room, "config.preferredVideoCodec=AV1")
        wide, slow = (self.person(name) for name in ("Ben", "Cem"))
        narrow = self.impaired(slow, "delay=25ms")
        for viewer in (wide, slow):
            viewer.join(self.server.url, room, LISTENS)
            quality.begin(viewer, "Ann")
        for viewer in (wide, slow):
            wait_for(f"{viewer.name} to decode 640 pixels", lambda: self.width(viewer, "Ann") == 640 and self.rate(viewer, "Ann") > 5
                     or f"no: {self.width(viewer, 'Ann')}, {self.rate(viewer, 'Ann'):.1f} a second", 60, 0.5)
        [sent] = [each for each in ann.statistics()["outbound"] if each["kind"] == "video"]
        self.assertEqual(sent["codec"], "video/AV1")
        # The smaller layer takes 142 kb/s at most, sound 40 to 100.
        narrow.change("down", "rate=320k,delay=25ms,queue=400ms")
        wait_for("Cem to have the smaller layer", lambda: self.width(slow, "Ann") == 320 or f"no: {self.width(slow, 'Ann')}", 40, 0.5)
        for viewer in (wide, slow):
            quality.begin(viewer, "Ann")
        since = time.monotonic()
        wait_for("12 s", lambda: time.monotonic() - since > 12, 20)
        seen = {viewer.name: quality.finish(viewer, "Ann") for viewer in (wide, slow)}
        print("".join(f"\n  {name}: {each}" for name, each in seen.items()), end=" … ")
        self.assertEqual(seen["Ben"].width, 640, f"the wide one has the largest: {seen['Ben']}")
        self.assertEqual(seen["Cem"].width, 320, f"the narrow one has the smaller: {seen['Cem']}")
        # Making AV1 in two sizes takes a busy machine longer than it has, and the larger one goes first. The narrow one
        # may try once whether there is room for more, and stand while the queue drains.
        for name, most in (("Ben", 0.3), ("Cem", 0.5)):
            self.assertLess(seen[name].frozen, most, f"{name}'s picture goes on: {seen[name]}")
            self.assertGreater(seen[name].rate, 3, f"{name}'s picture goes on: {seen[name]}")
        self.assertLess(seen["Ben"].longest, 2, f"the wide one notices nothing: {seen['Ben']}")
        narrow.change("down", "delay=25ms")
        quality.begin(slow, "Ann")
        wait_for("Cem to have the largest again", lambda: self.width(slow, "Ann") == 640 or f"no: {self.width(slow, 'Ann')}", 30, 0.5)

    def test_a_picture_that_does_not_fit_is_paused_and_says_so_and_comes_back_by_itself(self) -> None:
        room = "pause"
        self.person("Ann", viewport=(280, 240)).join(self.server.url, room)
        self.person("Cem", viewport=(280, 240)).join(self.server.url, room)
        ben = self.person("Ben")
        proxy = self.impaired(ben, "delay=25ms")
        ben.join(self.server.url, room, LISTENS)
        for name in ("Ann", "Cem"):
            ben.sees(name, seconds=60)
        proxy.change("down", "rate=320k,delay=25ms,queue=400ms")
        began = time.monotonic()
        state = ".tile-state:not([hidden])"
        wait_for("one picture to be paused", lambda: ben.page.locator(state).all_inner_texts() == [
            "Paused: your connection is slow"] or f"no: {ben.page.locator(state).all_inner_texts()}", 40, 0.2)
        after = time.monotonic() - began
        # At once, since it may come back any moment.
        self.assertEqual((self.metric("slots_paused"), self.metric("receivers_limited")), (1, 1), "what the operator sees")
        paused = ben.page.evaluate("() => [...parley.participants.values()].filter((each) => each.publication('camera').paused)"
                                   ".map((each) => each.name)")
        self.assertEqual(len(paused), 1, paused)
        other = "Ann" if paused == ["Cem"] else "Cem"
        OUTPUT.mkdir(exist_ok=True)
        ben.page.screenshot(path=OUTPUT / "paused.png", animations="disabled")
        wait_for(f"{other}'s picture to go on", lambda: ben.frames(other, milliseconds=2000) > 4, 30)
        for name in ("Ann", "Cem"):
            ben.hears(name)
        proxy.change("down", "delay=25ms")
        mended = time.monotonic()
        wait_for("nothing to be paused", lambda: not ben.page.locator(state).all_inner_texts() or
                 f"no: {ben.page.locator(state).all_inner_texts()}", 40, 0.2)
        resumed = time.monotonic() - mended
        ben.sees(paused[0], seconds=30)
        wait_for("the operator to see nobody limited", lambda: (self.metric("slots_paused"), self.metric("receivers_limited")) == (0, 0), 30, 0.5)
        print(f"{paused[0]} paused after {after:.1f} s, {resumed:.1f} s to resume", end=" … ")


if __name__ == "__main__":
    unittest.main()
