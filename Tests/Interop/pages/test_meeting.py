"""Real browsers meet through the real server."""

from __future__ import annotations

import time
import unittest

import media
from aiortc_peer import AiortcPeer
from browser import FILES, see_and_hear, wait_for
from media import CAST
from meeting_test import MeetingTest
from ports import free_port
from proxy import CuttableProxy
from server import Server


class TwoAndThreePages(MeetingTest):
    def test_two_pages_see_and_hear_each_other(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        for (one, _), (seen, heard) in see_and_hear((ann, "Ben"), (ben, "Ann")).items():
            print(f"{one} sees {seen['frames']} frames in 1.5 s, hears {heard['frequency']:.0f} Hz", end=" … ")

    def test_three_pages_see_and_hear_each_other(self) -> None:
        people = self.meet("Ann", "Ben", "Cem")
        see_and_hear(*((one, other.name) for one in people for other in people if one is not other))

    def test_mute_is_heard_and_shown_and_taken_back(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ben.hears("Ann")
        ann.evaluate("() => window.parley.localParticipant.setMicrophone(false)")
        wait_for("Ben's page to show Ann muted", lambda: ben.evaluate(
            "() => senses.participant('Ann').publication('microphone').muted"))
        ben.hears_silence("Ann")
        ann.evaluate("() => window.parley.localParticipant.setMicrophone(true)")
        ben.hears("Ann")

    def test_camera_goes_off_and_on(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ben.sees("Ann")
        ann.evaluate("() => window.parley.localParticipant.setCamera(false)")
        wait_for("Ben's page to know that Ann's camera is off", lambda: ben.evaluate(
            "() => senses.participant('Ann').publication('camera').muted"))
        wait_for("no more frames", lambda: ben.frames("Ann") == 0)
        ann.evaluate("() => window.parley.localParticipant.setCamera(true)")
        ben.sees("Ann")

    def test_screen_share_arrives_beside_the_camera_and_ends(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ben.sees("Ann")
        ann.evaluate("() => window.parley.localParticipant.setScreenShare(true)")
        wait_for("Ben to see frames of Ann's screen", lambda: ben.frames("Ann", "screen", 1500) > 2, 30)
        ben.sees("Ann")
        ann.evaluate("() => window.parley.localParticipant.setScreenShare(false)")
        wait_for("Ann's screen to be gone", lambda: not ben.evaluate("() => senses.participant('Ann').publication('screen')"))

    def test_chat_goes_both_ways_as_text(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ann.evaluate("() => window.parley.sendChat('hello <b>Ben</b>')")
        ben.evaluate("() => window.parley.sendChat('hello Ann')")
        for person in (ann, ben):
            wait_for(f"both messages at {person.name}", lambda: sorted(
                person.evaluate("() => window.parley.chat.map((each) => `${each.name}: ${each.text}`)")
            ) == ["Ann: hello <b>Ben</b>", "Ben: hello Ann"])

    def test_chat_that_is_refused_is_named(self) -> None:
        ann, _ = self.meet("Ann", "Ben")
        ann.evaluate("""() => {
            window.failed = [];
            window.parley.addEventListener("chatFailed", ({ detail }) => window.failed.push(detail));
            window.parley.sendChat("to all");
            window.refused = window.parley.sendChat("to nobody", { to: "p_nobody" });
            window.parley.sendChat("to all");
        }""")
        wait_for("the refusal", lambda: ann.evaluate("() => window.failed.length") == 1)
        self.assertEqual(
            ann.evaluate("() => { const { message, error } = window.failed[0]; return [message.id === window.refused, message, error.code]; }"),
            [True, {"id": ann.evaluate("() => window.refused"), "text": "to nobody", "to": "p_nobody"}, "badMessage"])
        wait_for("the other two", lambda: ann.evaluate("() => window.parley.chat.length") == 2)

    def test_leaving_and_returning(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ben.sees("Ann")
        ann.evaluate("() => window.parley.leave()")
        wait_for("Ben to be alone", lambda: ben.names() == [])
        ann.page.goto("about:blank")
        ann.join(self.server.url, "test_leaving_and_returning")
        see_and_hear((ann, "Ben"), (ben, "Ann"))


class Networks(MeetingTest):
    def test_a_lost_websocket_keeps_the_place_and_the_media(self) -> None:
        proxy = CuttableProxy(self.server.port)
        self.addCleanup(proxy.close)
        room = "test_a_lost_websocket"
        ben = self.person("Ben").join(self.server.url, room)
        ann = self.person("Ann", camera=media.quick_camera(FILES, "Ann")).join(proxy.url, room)
        ben.sees("Ann")
        before = ann.evaluate("() => window.parley.localParticipant.id")
        ben.evaluate("() => { window.left = 0; window.parley.addEventListener('participantLeft', () => { window.left += 1; }); }")
        proxy.cut()
        end = time.monotonic() + 10
        wait_for("Ann's page to say that it reconnects", lambda: ann.state() == "reconnecting" or f"no: {ann.state()}")
        while time.monotonic() < end:
            self.assertGreater(ben.frames("Ann"), 4, "media must go on while signalling is away")
        proxy.mend()
        wait_for("Ann to be connected again", lambda: ann.state() == "connected" or f"no: {ann.state()}", 20)
        self.assertEqual(ann.evaluate("() => window.parley.localParticipant.id"), before)
        self.assertEqual(ben.evaluate("() => window.left"), 0, "Ben must not have seen Ann leave")
        ann.evaluate("() => window.parley.sendChat('back again')")
        wait_for("Ann's message", lambda: ben.evaluate("() => window.parley.chat.some((each) => each.text === 'back again')"))

    def test_ice_restart_keeps_pictures_flowing(self) -> None:
        ann, ben = self.meet("Ann", "Ben")
        ben.sees("Ann")
        before = ann.statistics()["ufrag"]
        ann.evaluate("() => window.parley.restartIce()")
        wait_for("new ICE credentials", lambda: ann.statistics()["ufrag"] != before)
        wait_for("the restarted path", lambda: ann.evaluate(
            "() => ['connected', 'completed'].includes(window.parley.connection.peerConnection.iceConnectionState)"))
        see_and_hear((ann, "Ben"), (ben, "Ann"))

    def test_an_ice_restart_takes_the_meetings_turn_password_and_no_other_offer_restarts(self) -> None:
        with Server("--ice-server", f"turn:127.0.0.1:{free_port()}", "--turn-secret", "north") as server:
            ann = self.person("Ann").join(server.url, "relay")

            def lasts() -> float:
                name = ann.evaluate("() => window.parley.connection.peerConnection.getConfiguration().iceServers[0].username")
                return int(name.split(":")[0]) - time.time()

            self.assertLessEqual(lasts(), 600)
            before = ann.statistics()["ufrag"]
            ann.evaluate("() => window.parley.connection.negotiate()")
            self.assertEqual(ann.statistics()["ufrag"], before)
            self.assertLessEqual(lasts(), 600)
            ann.evaluate("() => window.parley.restartIce()")
            wait_for("new ICE credentials", lambda: ann.statistics()["ufrag"] != before)
            self.assertGreater(lasts(), 11 * 3_600)
            wait_for("the restarted path", lambda: ann.evaluate(
                "() => ['connected', 'completed'].includes(window.parley.connection.peerConnection.iceConnectionState)"))

    def test_a_page_without_udp_meets_over_tcp(self) -> None:
        room = "test_tcp"
        ben = self.person("Ben").join(self.server.url, room)
        ann = self.person("Ann", arguments=("--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
                                            "--webrtc-ip-handling-policy=disable_non_proxied_udp"))
        ann.join(self.server.url, room)
        see_and_hear((ann, "Ben"), (ben, "Ann"))
        self.assertEqual(ann.statistics()["protocol"], "tcp")
        self.assertEqual(ben.statistics()["protocol"], "udp")

    def test_aiortc_meets_a_page(self) -> None:
        room = "test_aiortc"
        ann = self.person("Ann").join(self.server.url, room)
        with AiortcPeer(self.server.url, room, "Ben") as ben:
            see_and_hear((ann, "Ben"))
            wait_for("aiortc to decode 20 frames of Ann", lambda: ben.failure or ben.video_frames.get("Ann", 0) > 20)
            wait_for("aiortc to see Ann's colour", lambda: ben.failure or all(
                abs(a - b) < 45 for a, b in zip(ben.colours.get("Ann", (0, 0, 0)), CAST["Ann"][0])) or f"no: {ben.colours}")
            wait_for("aiortc to hear Ann's tone", lambda: ben.failure or abs(ben.tones.get("Ann", 0) - CAST["Ann"][1]) < 12
                     or f"no: {ben.tones}")
        wait_for("Ann to be alone", lambda: ann.names() == [])

    def test_aiortc_gets_lost_packets_of_video_back_and_sees_on(self) -> None:
        room = "test_aiortc_loss"
        self.person("Ann").join(self.server.url, room)
        with AiortcPeer(self.server.url, room, "Ben") as ben:
            wait_for("Ann's first pictures", lambda: ben.failure or ben.video_frames.get("Ann", 0) > 5)
            seen = ben.video_frames["Ann"]
            ben.router.losing = 3
            wait_for("three retransmissions", lambda: ben.failure or ben.router.retransmissions >= 3 or f"no: {ben.situation()}")
            # Without one of them all later ones wait for it.
            wait_for("20 more pictures", lambda: ben.failure or ben.video_frames["Ann"] > seen + 20 or f"no: {ben.situation()}")


class Codecs(MeetingTest):
    def check(self, codec: str) -> None:
        ann, ben = self.meet("Ann", "Ben", overrides=f"config.preferredVideoCodec={codec}")
        ben.sees("Ann", seconds=40)
        inbound = [each for each in ben.statistics()["inbound"] if each["kind"] == "video" and each["framesDecoded"]]
        self.assertEqual([each["codec"] for each in inbound], [f"video/{codec}"])

    def test_vp8(self) -> None:
        self.check("VP8")

    def test_vp9(self) -> None:
        self.check("VP9")

    def test_h264(self) -> None:
        self.check("H264")

    def test_av1(self) -> None:
        self.check("AV1")


if __name__ == "__main__":
    unittest.main()
