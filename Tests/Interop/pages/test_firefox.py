"""The tests of ``test_codecs`` with Firefox: it receives what it cannot decode, and sends what others cannot."""

from __future__ import annotations

import client_test
import test_codecs
from aiortc_peer import AiortcPeer
from browser import UNHURRIED, Person, shared_driver, wait_for
from firefox import Firefox


class FirefoxCodecs(client_test.ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.driver = shared_driver()
        test_codecs.OUTPUT.mkdir(exist_ok=True)

    def chromium(self, name: str, only: tuple[str, str], prefers: str) -> Person:
        person = self.enterContext(Person(self.driver, name, arguments=UNHURRIED))
        person.context.add_init_script(f"({test_codecs.ONLY})({list(only)})")
        return person.join(self.server.url, self.room, f"config.preferredVideoCodec={prefers}")

    def firefox(self, name: str, only: tuple[str, str] | None = None, overrides: str = "") -> Firefox:
        firefox = self.enterContext(Firefox(name))
        if only:
            firefox.add_init_script(f"({test_codecs.ONLY})({list(only)})")
        return firefox.join(self.server.url, self.room, overrides)

    def sends(self, firefox: Firefox, codec: str) -> None:
        wait_for(f"{firefox.name} to send {codec}", lambda: (sent := firefox.sent_codec()) == codec or f"no: {sent} {firefox.console[-5:]}")

    def assert_is_quiet(self, firefox: Firefox) -> None:
        self.assertEqual([line for line in firefox.console if "uncaught" in line], [])

    def test_firefox_says_in_words_what_it_cannot_play(self) -> None:
        ann = self.chromium("Ann", only=("sendonly", "VP9"), prefers="VP9")
        fay = self.firefox("Fay", only=("recvonly", "VP8"))
        words = "This browser cannot play this video (VP9)"
        # They are drawn after a moment only, since a sender may go over to another codec.
        wait_for("the words", lambda: words in fay.texts(".tile:not(.tile-self) .tile-state") and fay.evaluate(
            "() => getComputedStyle(document.querySelector('.tile:not(.tile-self) .tile-state')).opacity") == "1"
            or f"no: {fay.texts('.tile-state')} {fay.console[-5:]}")
        self.assertIn(words, fay.evaluate("() => document.querySelector('.tile:not(.tile-self)').getAttribute('aria-label')"))
        self.assertEqual(fay.evaluate("async () => (await parley.stats()).undecodable.map(({ codec }) => codec)"), ["VP9"])
        self.assertEqual(fay.frames("inbound"), 0)
        own = wait_for("Ann to be told", lambda: ann.evaluate("() => parley.localParticipant.publication('camera').undecodableFor"))
        self.assertEqual((own["count"], own["codec"]["name"]), (1, "VP9"))
        fay.screenshot(test_codecs.OUTPUT / "undecodable-firefox.png")
        self.assert_is_quiet(fay)

    def test_firefox_says_that_it_holds_sound_back(self) -> None:
        ann = self.chromium("Ann", only=("sendonly", "VP8"), prefers="VP8")
        fay = self.enterContext(Firefox("Fay", {"media.autoplay.default": 1, "media.autoplay.blocking_policy": 0}))
        fay.join(self.server.url, self.room, "config.startAudioOnly=true&config.startWithAudioMuted=true")
        wait_for("the button", lambda: fay.texts(".hear") == ["Click to hear the others"] or f"no: {fay.texts('.hear')}")
        blocked = "() => [...parley.participants.values()][0]?.publication('microphone')?.track?.blocked ?? null"
        self.assertIs(fay.evaluate(blocked), True)
        # Sound of somebody who has gone isn't held back.
        ann.page.evaluate("() => parley.leave()")
        wait_for("the button to go", lambda: fay.texts(".hear") == [])
        self.assert_is_quiet(fay)

    def test_firefox_says_who_cannot_see_its_camera(self) -> None:
        fay = self.firefox("Fay", only=("sendonly", "VP8"))
        self.sends(fay, "VP8")
        ben = self.enterContext(AiortcPeer(self.server.url, self.room, "Ben", codec="H264"))
        told = wait_for("Ben to be told", lambda: (ben.last("undecodable") or {}).get("publications") or f"no: {ben.failure}")
        self.assertEqual([each["codec"]["name"] for each in told], ["VP8"])
        self.assertNotIn(told[0]["publication"], [each["publication"] for each in ben.slots.values()])
        own = wait_for("Fay to be told", lambda: fay.evaluate("() => parley.localParticipant.publication('camera').undecodableFor"))
        self.assertEqual((own["count"], own["codec"]["name"]), (1, "VP8"))
        words = "Ben cannot see your camera: their device cannot play VP8"
        wait_for("the words", lambda: words in (seen := fay.texts(".toast")) or f"no: {seen}")
        fay.screenshot(test_codecs.OUTPUT / "undecodable-firefox-sender.png")
        self.assertIn("1 cannot see it", fay.evaluate("() => document.querySelector('.tile-self').getAttribute('aria-label')"))
        self.assert_is_quiet(fay)

    def test_firefox_goes_over_to_what_all_can_play_and_back(self) -> None:
        fay = self.firefox("Fay", overrides="config.preferredVideoCodec=VP9")
        # A camera without a viewer is not sent.
        self.chromium("Ann", only=("sendonly", "VP8"), prefers="VP8")
        self.sends(fay, "VP9")
        with AiortcPeer(self.server.url, self.room, "Ben", codec="VP8") as ben:
            self.sends(fay, "VP8")
            wait_for("Ben's pictures of Fay", lambda: ben.failure or ben.video_frames.get("Fay", 0) > 30,
                     situation=lambda: test_codecs.situation(self.server, fay, ben))
            self.assertEqual(ben.last("undecodable")["publications"], [])
        self.sends(fay, "VP9")
        seen = fay.frames("inbound")
        wait_for("more of Ann's pictures", lambda: fay.frames("inbound") > seen + 30)
        self.assert_is_quiet(fay)
