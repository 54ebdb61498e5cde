"""Receivers that can't decode what somebody sends: both sides are notified, no slot claims it, and the sender goes over
to a codec that all can decode."""

from __future__ import annotations

import client_test
from aiortc_peer import AiortcPeer
from browser import UNHURRIED, Person, shared_driver, wait_for
from client import Client
from firefox import Firefox
from server import OUTPUT, Server

#: A browser that sends or receives video in one codec alone.
ONLY = """([direction, name]) => {
  const prefer = RTCRtpTransceiver.prototype.setCodecPreferences;
  RTCRtpTransceiver.prototype.setCodecPreferences = function (codecs) {
    const isMeant = this.receiver.track.kind === "video" && this.direction === direction;
    return prefer.call(this, isMeant ? codecs.filter(({ mimeType }) => [`video/${name}`, "video/rtx"].includes(mimeType)) : codecs);
  };
}"""

#: The codec and the counts of each stream that a page's camera sends.
SENT_STREAMS = """async () => {
  const sender = parley.connection.peerConnection.getTransceivers().find((each) => each.mid === parley.connection.midOf("camera"))?.sender;
  const reports = [...(await sender.getStats()).values()];
  const names = ["rid", "active", "framesSent", "packetsSent", "keyFramesEncoded", "pliCount", "frameWidth", "qualityLimitationReason"];
  return reports.filter(({ type }) => type === "outbound-rtp").map((stream) => [
    reports.find(({ id }) => id === stream.codecId)?.mimeType, ...names.map((name) => `${name} ${stream[name]}`)].join(", "));
}"""


def situation(server: Server, sender: Person | Firefox, receiver: AiortcPeer) -> str:
    """The streams that are sent, forwarded and received, for messages of failed tests."""
    return f"sent {sender.evaluate(SENT_STREAMS)}, forwarded {server.bandwidth()}, received {receiver.situation()}"


class Codecs(client_test.ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.driver = shared_driver()
        OUTPUT.mkdir(exist_ok=True)

    def person(self, name: str, only: tuple[str, str] | None = None, prefers: str = "", **options) -> Person:
        person = self.enterContext(Person(self.driver, name, arguments=UNHURRIED, **options))
        if only:
            person.context.add_init_script(f"({ONLY})({list(only)})")
        return person.join(self.server.url, self.room, f"config.preferredVideoCodec={prefers}" if prefers else "")

    def peer(self, **options) -> AiortcPeer:
        return self.enterContext(AiortcPeer(self.server.url, self.room, "Ben", **options))

    @staticmethod
    def sent(person: Person) -> dict:
        """The codec and the layers of what a page's camera sends."""
        return person.evaluate("""async () => {
          const sender = parley.connection.peerConnection.getTransceivers().find((each) => each.mid === parley.connection.midOf("camera"))?.sender;
          const reports = [...(await sender.getStats()).values()];
          const stream = reports.filter(({ type, framesEncoded }) => type === "outbound-rtp" && framesEncoded > 0).sort((a, b) => b.framesEncoded - a.framesEncoded)[0];
          return { codec: reports.find(({ id }) => id === stream?.codecId)?.mimeType ?? null, mode: stream?.scalabilityMode ?? null };
        }""")

    def sends_layers_of_vp9(self, person: Person) -> None:
        """Waits until a page's camera goes out in VP9, several sizes in one stream; how many depends on who watches."""
        wait_for("layers of VP9", lambda: self.sent(person) in ({"codec": "video/VP9", "mode": mode} for mode in ("L2T3_KEY", "L3T3_KEY"))
                 or f"no: {self.sent(person)}")

    def test_a_sender_without_a_common_codec_is_told_and_so_is_the_receiver(self) -> None:
        ann = self.person("Ann", only=("sendonly", "VP9"), prefers="VP9")
        wait_for("Ann to send VP9", lambda: self.sent(ann)["codec"] == "video/VP9" or f"no: {self.sent(ann)}")
        ben = self.peer(codec="H264")
        told = wait_for("Ben to be told", lambda: (ben.last("undecodable") or {}).get("publications") or f"no: {ben.failure}")
        self.assertEqual([each["codec"]["name"] for each in told], ["VP9"])
        video = {each["mid"]: each["publication"] for each in ben.slots.values() if each["publication"] == told[0]["publication"]}
        self.assertEqual(video, {}, "no slot is said to carry it")
        own = wait_for("Ann to be told", lambda: ann.evaluate("() => parley.localParticipant.publication('camera').undecodableFor"))
        self.assertEqual((own["count"], own["codec"]["name"]), (1, "VP9"))
        statistics = wait_for("Ann's statistics", lambda: ann.evaluate(
            "async () => (await parley.stats()).streams.filter(({ undecodableFor }) => undecodableFor > 0)"))
        self.assertEqual({(each["direction"], each["kind"], each["undecodableFor"]) for each in statistics}, {("outbound", "video", 1)})
        ann.says("Ben cannot see your camera: their device cannot play VP9")
        ann.page.screenshot(path=OUTPUT / "undecodable-sender.png", animations="disabled")
        self.assertIn("1 cannot see it", ann.page.locator(".tile-self").get_attribute("aria-label"))
        wait_for("sound all the same", lambda: ben.failure or ben.tones.get("Ann") or f"no: {ben.tones}")

    def test_a_page_says_in_words_what_it_cannot_play(self) -> None:
        ann = self.person("Ann", only=("sendonly", "VP9"), prefers="VP9")
        cem = self.person("Cem", only=("recvonly", "VP8"))
        state = cem.page.locator(".tile:not(.tile-self) .tile-state")
        wait_for("the words", lambda: state.is_visible() and state.inner_text() == "This browser cannot play this video (VP9)" or f"no: {state.all_inner_texts()}")
        label = cem.page.locator(".tile:not(.tile-self)").get_attribute("aria-label")
        self.assertIn("This browser cannot play this video (VP9)", label)
        self.assertEqual(cem.evaluate("async () => (await parley.stats()).undecodable.map(({ codec }) => codec)"), ["VP9"])
        # The words come after a moment only, since a sender may go over to another codec.
        wait_for("the words to be drawn", lambda: state.evaluate("(each) => getComputedStyle(each).opacity") == "1")
        for name, size in (("wide", (960, 640)), ("narrow", (390, 760)), ("small", (280, 240))):
            cem.page.set_viewport_size({"width": size[0], "height": size[1]})
            cem.page.wait_for_timeout(600)
            cem.page.screenshot(path=OUTPUT / f"undecodable-{name}.png", animations="disabled")
        cem.page.set_viewport_size({"width": 960, "height": 640})
        cem.hears("Ann")
        ann.sees("Cem")

    def test_a_preferred_codec_that_the_browser_cannot_send_costs_nobody_the_video(self) -> None:
        without_av1 = """(() => {
          for (const type of [RTCRtpSender, RTCRtpReceiver]) {
            const known = type.getCapabilities.bind(type);
            type.getCapabilities = (kind) => ({ ...known(kind), codecs: known(kind).codecs.filter(({ mimeType }) => mimeType !== "video/AV1") });
          }
        })()"""
        dan = self.person("Dan", devices=False)
        for preferred in ("AV1", "H265", "nonsense"):
            with Person(self.driver, "Ann", arguments=UNHURRIED) as ann:
                ann.context.add_init_script(without_av1)
                ann.join(self.server.url, self.room, f"config.preferredVideoCodec={preferred}")
                dan.sees("Ann")
                self.assertIn(self.sent(ann)["codec"], ("video/VP8", "video/VP9", "video/H264"))
                ann.page.evaluate("() => parley.leave()")
            wait_for("Ann to go", lambda: dan.evaluate("() => parley.participants.size") == 0)

    def test_sound_is_heard_where_the_browser_refuses_the_chosen_speaker(self) -> None:
        self.person("Ann")
        dan = self.enterContext(Person(self.driver, "Dan", devices=False, arguments=UNHURRIED))
        dan.context.add_init_script("HTMLMediaElement.prototype.setSinkId = () => Promise.reject(new DOMException('A user gesture is required', 'NotAllowedError'))")
        dan.join(self.server.url, self.room)
        choose = """async () => {
          const { playback } = await import("/sdk/parley.js");
          return playback.setSpeaker("one").then(() => null, ({ code }) => code);
        }"""
        self.assertEqual(dan.evaluate(choose), "deviceNotFound")
        dan.hears("Ann")
        self.assertEqual([line for line in dan.console if "uncaught" in line], [])

    def test_a_page_goes_over_to_what_all_can_play_and_back(self) -> None:
        ann = self.person("Ann", prefers="VP9")
        dan = self.person("Dan", devices=False)
        dan.sees("Ann")
        self.sends_layers_of_vp9(ann)
        with AiortcPeer(self.server.url, self.room, "Ben", codec="H264") as ben:
            wait_for("Ben's pictures of Ann", lambda: ben.failure or ben.video_frames.get("Ann", 0) > 30,
                     situation=lambda: situation(self.server, ann, ben))
            self.assertEqual(self.sent(ann)["codec"], "video/H264")
            self.assertEqual(ben.last("undecodable")["publications"], [])
            self.assertIsNone(ann.evaluate("() => parley.localParticipant.publication('camera').undecodableFor"))
            dan.sees("Ann")
        self.sends_layers_of_vp9(ann)
        dan.sees("Ann")
        self.assertEqual([line for line in ann.console + dan.console if "uncaught" in line], [])

    def test_swift_goes_over_to_what_aiortc_can_play_and_back(self) -> None:
        swift = self.client("Swift", "--publish", "testsrc", "--style", "2", "--codec", "VP9").joined()
        # A track that nobody watches isn't encoded.
        self.client("Watcher").joined()
        codec = lambda name: lambda: any(each["codec"] == name for each in swift.sent("video"))
        swift.statistics("VP9", codec("VP9"), 40)
        with AiortcPeer(self.server.url, self.room, "Ben", codec="H264") as ben:
            wait_for("60 pictures", lambda: ben.failure or len(ben.markers.get("Swift", [])) > 60 or f"no: {ben.situation()}")
            swift.statistics("H264", codec("H264"), 40)
        swift.statistics("VP9 again", codec("VP9"), 40)
        swift.leave()

    def test_a_page_goes_over_for_a_swift_client_without_its_decoder_and_back(self) -> None:
        # A track that nobody watches isn't encoded.
        self.client("Watcher").joined()
        for preferred in ("VP9", "H264", "AV1"):
            with Person(self.driver, "Ann", arguments=UNHURRIED) as ann:
                ann.join(self.server.url, self.room, f"config.preferredVideoCodec={preferred}")

                def sends(codec: str) -> None:
                    wait_for(f"Ann to send {codec}", lambda: self.sent(ann)["codec"] == f"video/{codec}" or f"no: {self.sent(ann)}")

                sends(preferred)
                with Client(self.server.url, self.room, "Eve", "--decoders", "VP8") as eve:
                    told = eve.joined().expect("undecodable", source="camera", codec=preferred)
                    eve.expect("decodable", publication=told["publication"])
                    eve.sees("Ann")
                    sends("VP8")
                sends(preferred)
                ann.page.evaluate("() => parley.leave()")

    def test_a_swift_client_and_the_sender_are_told_of_a_missing_decoder(self) -> None:
        ann = self.person("Ann", only=("sendonly", "VP9"), prefers="VP9")
        eve = self.client("Eve", "--decoders", "H264,VP8").joined()
        told = eve.expect("undecodable", source="camera", codec="VP9")
        own = wait_for("Ann to be told", lambda: ann.evaluate("() => parley.localParticipant.publication('camera').undecodableFor"))
        self.assertEqual((own["count"], own["codec"]["name"]), (1, "VP9"))
        eve.expect("firstFrame", name="Ann", kind="audio")
        self.assertEqual(eve.all("trackSubscribed", publication=told["publication"]), [], "no slot is said to carry it")
        eve.leave()

    def test_who_takes_no_sound_that_is_forwarded_is_told_of_it(self) -> None:
        swift = self.client("Swift", "--publish", "testsrc").joined()
        ben = self.peer(codec="H264", hears="PCMU")
        told = wait_for("Ben to be told", lambda: (ben.last("undecodable") or {}).get("publications") or f"no: {ben.failure}")
        self.assertIn("opus", [each["codec"]["name"] for each in told])
        swift.expect("undecodableFor", source="microphone", count=1, codec="opus")
        swift.leave()
