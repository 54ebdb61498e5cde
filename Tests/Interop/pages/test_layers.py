"""Pages and Swift participants send, and pages receive, what is shown: layers by tile size, and nothing for nobody."""

from __future__ import annotations

import unittest

import pytest

import media
import quality
from browser import FILES, UNHURRIED, Person, shared_driver, wait_for
from client import Client
from server import Server

pytestmark = pytest.mark.alone


#: Those who only look on.
LISTENS = "config.startAudioOnly=true&config.startWithAudioMuted=true"


class Layers(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())

    def person(self, name: str, room: str, settings: str = "", **options) -> Person:
        return self.enterContext(Person(self.driver, name, arguments=UNHURRIED, **options)).join(self.server.url, room, settings)

    @staticmethod
    def width(viewer: Person, name: str) -> int:
        """How wide the picture of ``name`` arrives at a page, in pixels."""
        return viewer.evaluate(
            """(name) => {
              const participant = [...parley.participants.values()].find((each) => each.name === name);
              return participant?.publication("camera")?.track?.elements[0]?.videoWidth ?? 0;
            }""", name)

    @classmethod
    def widths(cls, *viewers: Person) -> list[int]:
        return [cls.width(viewer, "Ann") for viewer in viewers]

    @staticmethod
    def rate(sender: Person) -> int:
        """How many frames a page encodes in a second, of all its layers."""
        before = sender.frames_sent()
        sender.page.wait_for_timeout(1_000)
        return sender.frames_sent() - before

    def test_a_tile_gets_the_layer_that_fills_it(self) -> None:
        ann, ben = self.person("Ann", "tiles", camera=media.quick_camera(FILES, "Ann")), self.person("Ben", "tiles")
        ben.sees("Ann")
        ann.sees("Ben")

        def large() -> None:
            """Waits until Ann gets Ben's large layer: a page that a slow machine starves starts with the small one, or
            falls to it for a while."""
            wait_for("Ann's picture of Ben 640 pixels wide", lambda: self.width(ann, "Ben") == 640 or f"no: {self.width(ann, 'Ben')}", 25)
        large()
        sizes = []
        for viewport, expected in (((960, 640), 640), ((280, 240), 320), ((960, 640), 640)):
            ben.page.set_viewport_size({"width": viewport[0], "height": viewport[1]})
            wait_for(f"Ben's picture of Ann {expected} pixels wide in a window of {viewport[0]}",
                     lambda: self.width(ben, "Ann") == expected or f"no: {self.width(ben, 'Ann')}", 25)
            sizes.append(self.width(ben, "Ann"))
        print(sizes, end=" … ")
        # Changes of Ben's window are nothing to Ann.
        large()
        self.rates(ann, ben)

    def rates(self, ann: Person, ben: Person) -> None:
        """Ben asks for fewer pictures of Ann, whose camera comes in temporal layers, and then for all; and a page that
        learns how many are wanted keeps to it."""
        def limit(rate: str) -> None:
            ben.evaluate(f"() => [...parley.participants.values()].find((each) => each.name === 'Ann').publication('camera').setFrameRate({rate})")

        def rate() -> float:
            return ben.frames("Ann", milliseconds=1_500) / 1.5
        whole = wait_for("Ben's picture of Ann at its whole rate", lambda: seen if (seen := rate()) > 12 else f"no: {seen}", 40)
        keyframes = self.keyframes(ben)
        limit("8")
        slow = wait_for("fewer pictures at Ben's", lambda: seen if 2 < (seen := rate()) < 9 else f"no: {seen}", 20)
        limit("null")
        fast = wait_for("all pictures at Ben's again", lambda: seen if (seen := rate()) > 12 else f"no: {seen}", 20)
        print(f"{whole:.1f} pictures a second, {slow:.1f}, {fast:.1f} with {self.keyframes(ben) - keyframes} key frames", end=" … ")

        # Chromium sends its camera in temporal layers, so the server never says this of it.
        for told, expected in (({"maxFrameRate": 5}, [5]), ({}, [None])):
            rates = ann.evaluate("""async (told) => {
              const [camera] = parley.connection.peerConnection.getTransceivers().filter(({ sender }) => sender.track?.kind === "video");
              parley.connection.setWanted({ mid: camera.mid, active: true, ...told });
              for (let tries = 0; tries < 40; tries += 1) {
                await new Promise((resolve) => setTimeout(resolve, 50));
                const rates = camera.sender.getParameters().encodings.map(({ maxFramerate }) => maxFramerate ?? null);
                if (rates.every((rate) => rate === (told.maxFrameRate ?? null))) { return rates; }
              }
              return "never";
            }""", told)
            self.assertEqual(set(rates), set(expected))

    def test_video_of_unknown_size_that_grows_is_sent_in_the_sizes_that_suit_it(self) -> None:
        ann, ben = self.person("Ann", "growing", LISTENS), self.person("Ben", "growing", LISTENS, viewport=(1280, 720))
        cem = self.person("Cem", "growing", LISTENS, viewport=(280, 240))
        ann.evaluate("""async () => {
          const canvas = window.growing = Object.assign(document.createElement("canvas"), { width: 320, height: 180 });
          const context = canvas.getContext("2d");
          let hue = 0;
          setInterval(() => {
            context.fillStyle = `hsl(${hue += 5} 80% 50%)`;
            context.fillRect(0, 0, canvas.width, canvas.height);
          }, 66);
          const [track] = canvas.captureStream(15).getVideoTracks();
          // So it is with generators, and with what comes from another connection.
          track.getSettings = () => ({});
          await parley.localParticipant._publish(track, "camera");
        }""")
        ben.page.dblclick("article.tile:not(.tile-self)[aria-label^=Ann]", position={"x": 20, "y": 40})
        wait_for("Ben's and Cem's pictures of Ann 320 pixels wide", lambda: self.widths(ben, cem) == [320, 320] or f"no: {self.widths(ben, cem)}", 60)
        ann.evaluate("() => Object.assign(growing, { width: 1280, height: 720 })")
        wait_for("Ben's picture of Ann 1280 and Cem's 320 pixels wide at once", lambda: self.widths(ben, cem) == [1280, 320]
                 or f"no: {self.widths(ben, cem)}", 60)
        ann.evaluate("() => Object.assign(growing, { width: 320, height: 180 })")
        wait_for("all of them 320 pixels wide again", lambda: self.widths(ben, cem) == [320, 320] or f"no: {self.widths(ben, cem)}", 60)

    def layers_of_one_stream(self, codec: str) -> None:
        """One stream in spatial layers, which the server takes apart by its dependency descriptor."""
        ann = self.person("Ann", f"layers-{codec}", f"config.preferredVideoCodec={codec}")
        ben = self.person("Ben", f"layers-{codec}", LISTENS)
        cem = self.person("Cem", f"layers-{codec}", LISTENS, viewport=(280, 240))
        # At the same time; the sender's encoder leaves its largest layer out while it is slow.
        wait_for("Ben's picture of Ann 640 and Cem's 320 pixels wide at once", lambda: self.widths(ben, cem) == [640, 320]
                 or f"no: {self.widths(ben, cem)}", 60)
        for viewer in (ben, cem):
            self.assertGreater(viewer.frames("Ann", milliseconds=2_000), 10, viewer.name)
        self.assertEqual(self.sent(ann)["codec"], f"video/{codec}")
        # Browsers leave out layers that would be too small.
        self.assertRegex(self.sent(ann)["scalabilityMode"], "^L[23]T3_KEY$")

    def test_two_receivers_get_the_layer_that_fills_their_tile_of_one_vp9_stream(self) -> None:
        self.layers_of_one_stream("VP9")

    def test_two_receivers_get_the_layer_that_fills_their_tile_of_one_av1_stream(self) -> None:
        self.layers_of_one_stream("AV1")

    def test_unwatched_layers_of_one_stream_stop_within_2_s_and_return_with_a_keyframe(self) -> None:
        """By the sender's own statistics: its encoder has fewer layers to make, and the one left keeps its size."""
        ann = self.person("Ann", "unwatched", "config.preferredVideoCodec=VP9", camera=media.busy_camera(FILES, "Ann", (960, 540)),
                          viewport=(280, 240))
        ben, cem = (self.person(name, "unwatched", LISTENS, viewport=viewport) for name, viewport in (("Ben", (1280, 720)), ("Cem", (280, 240))))
        ben.page.dblclick("article.tile:not(.tile-self)[aria-label^=Ann]", position={"x": 20, "y": 40})
        wait_for("Ben's picture of Ann 960 and Cem's 240 pixels wide at once", lambda: self.widths(ben, cem) == [960, 240]
                 or f"no: {self.widths(ben, cem)}", 60)
        self.assertEqual(self.sent(ann)["scalabilityMode"], "L3T3_KEY")
        ann.evaluate(NOTE_SENT)
        quality.begin(cem, "Ann")
        ben.evaluate("() => { window.hiding = new CSSStyleSheet(); document.adoptedStyleSheets.push(hiding); }")
        wait_for("two seconds of all layers", lambda: len(self.noted(ann)) > 20, 10)
        whole = self.kilobits(self.noted(ann))

        def becomes(width: int, mode: str, since: float) -> dict:
            """The first moment in which Ann's encoder makes pictures of that width."""
            def look() -> dict | str:
                notes = self.noted(ann)
                return next((each for each in notes if each["at"] > since and each["width"] == width and each["mode"] == mode), None) or f"no: {notes[-1]}"
            return wait_for(f"Ann to send {width} pixels in {mode}", look, 20)

        hidden = ben.page.evaluate(f"() => {{ hiding.replaceSync('article.tile:not(.tile-self) {{ display: none }}'); return {NOW}; }}")
        less = becomes(240, "L1T3", hidden)
        wait_for("two seconds of the smallest layer", lambda: self.noted(ann)[-1]["at"] - less["at"] > 2_500, 10)
        rate = self.kilobits(self.noted(ann)[-20:])
        before = self.noted(ann)[-1]
        keyframes = self.keyframes(ben)
        shown = ben.page.evaluate(f"() => {{ hiding.replaceSync(''); return {NOW}; }}")
        more = becomes(960, "L3T3_KEY", shown)
        wait_for("Ben's picture of Ann 960 pixels wide again", lambda: self.width(ben, "Ann") == 960 or f"no: {self.width(ben, 'Ann')}", 20)
        seen = quality.finish(cem, "Ann")
        print(f"{whole:.0f} kb/s with all layers; smallest after {less['at'] - hidden:.0f} ms, {rate:.0f} kb/s; all again after {more['at'] - shown:.0f} ms, "
              f"{more['keyframes'] - before['keyframes']} key frames, {more['asked'] - before['asked']} asked for, Ben {self.keyframes(ben) - keyframes}; "
              f"Cem: {seen}", end=" … ")
        self.assertLess(less["at"] - hidden, 2_000)
        self.assertLess(rate, whole / 3)
        self.assertLess(more["at"] - shown, 1_000)
        self.assertLessEqual(more["asked"] - before["asked"], 1, "who had nothing asks for one key frame; the layers come with it")
        self.assertEqual(seen.widths, [240], "who had the smallest layer keeps it")
        self.assertLess(seen.longest, 1, f"and its picture goes on: {seen}")

    def test_unwatched_simulcast_layers_stop_within_2_s_and_return_with_one_keyframe(self) -> None:
        """By the statistics of both pages: what Ann encodes and sends of each layer, and what Ben decodes."""
        ann = self.person("Ann", "simulcast", camera=media.busy_camera(FILES, "Ann", (960, 540)), viewport=(280, 240))
        ben = self.person("Ben", "simulcast", LISTENS)
        ann.evaluate(NOTE_LAYERS)
        self.shows(ben, 960)
        ben.evaluate(NOTE_DECODED)

        def whole() -> bool | str:
            """Whether Ben has had the largest layer for two seconds, while Ann made all of them."""
            decoded, layers = self.decoded(ben, 2_000), self.layers(ann, 2_000)
            grown = [self.grown(layers, rid) for rid in ("q", "h", "f")]
            return {each["width"] for each in decoded} == {960} and min(grown) > 5 or f"no: {decoded[-1:]}, {grown}"
        wait_for("two seconds of all layers, of which Ben has the largest", whole, 60, 0.5)

        told = []
        for width, stopped, back in ((240, "hf", ""), (480, "f", "h"), (960, "", "f"), (480, "f", ""), (960, "", "f")):
            before, had = self.layers(ann, 500)[-1], self.decoded(ben, 500)[-1]
            asked = self.shows(ben, width)

            def settled() -> dict | str:
                """The first moment with pictures of that width, once it is two seconds ago and nothing has come of what
                nobody watches in the second one."""
                layers = self.layers(ann, 1_000)
                first = next((each for each in self.decoded(ben) if each["at"] > asked and each["width"] == width), None)
                if not first or layers[-1]["at"] < max(first["at"], asked) + 2_000 or any(self.grown(layers, rid) for rid in stopped):
                    return f"no: {first}, {[(rid, self.grown(layers, rid)) for rid in 'qhf']}"
                return first
            first = wait_for(f"Ben's picture of Ann {width} pixels wide, and the larger layers to stop", settled, 20, 0.2)
            notes = [each for each in self.layers(ann) if each["at"] > asked]
            last, now = {rid: self.last_growth(notes, rid) for rid in stopped}, self.layers(ann, 500)[-1]
            told.append(f"{width} after {first['at'] - asked:.0f} ms" + "".join(f", {rid} stopped after {at - asked:.0f} ms" for rid, at in last.items())
                        + f", key frames {[now[rid]['keyframes'] - before[rid]['keyframes'] for rid in 'qhf']}, asked for {[now[rid]['asked'] - before[rid]['asked'] for rid in 'qhf']}, Ben {self.decoded(ben)[-1]['keyframes'] - had['keyframes']}")
            print(f"\n  {told[-1]}", end="")
            for rid, at in last.items():
                self.assertLess(at - asked, 2_000, f"{rid} stops within two seconds; {told}")
                recent = self.layers(ann, 900)
                self.assertEqual(recent[-1][rid]["bytes"], recent[0][rid]["bytes"], f"nothing is sent of {rid}")
            for rid in back:
                self.assertEqual(now[rid]["keyframes"] - before[rid]["keyframes"], 1, f"one key frame brings {rid} back; {told}")
                self.assertLess(first["at"] - asked, 1_000, f"{rid} comes back; {told}")
        print("", end=" … ")

    def test_a_page_decodes_each_of_a_swift_participants_layers_and_what_nobody_watches_stops(self) -> None:
        ben = self.person("Ben", "swift-layers", LISTENS)
        swift = self.enterContext(Client(self.server.url, "swift-layers", "Ann", "--publish", "testsrc", "--simulcast")).joined()
        self.shows(ben, 640)
        ben.evaluate(NOTE_DECODED)
        seen = []
        for width, layers in ((640, "qhf"), (160, "q"), (320, "qh"), (640, "qhf")):
            asked = self.shows(ben, width)

            def settled() -> float | str:
                notes = [each for each in self.decoded(ben, 1_000) if each["at"] > asked]
                flowing = "".join(sorted((each["rid"] for each in swift.sent("video") if each["framesPerSecond"] > 3), key="qhf".index))
                if len(notes) > 5 and {each["width"] for each in notes} == {width} and notes[-1]["frames"] - notes[0]["frames"] > 5 and flowing == layers:
                    return next(each["at"] for each in self.decoded(ben) if each["at"] > asked and each["width"] == width) - asked
                return f"no: {notes[-1:]}, {flowing}"
            seen.append(f"{width} after {wait_for(f'a second of pictures {width} wide, and only {layers} to flow', settled, 40, 0.2):.0f} ms")
        print(seen, end=" … ")

    @staticmethod
    def shows(viewer: Person, width: int) -> float:
        """Has a page show everybody else that wide, and says when, on the clock of ``NOW``."""
        return viewer.page.evaluate(f"""(width) => {{
          if (!window.sizing) {{ window.sizing = new CSSStyleSheet(); document.adoptedStyleSheets.push(sizing); }}
          sizing.replaceSync(`article.tile:not(.tile-self) video {{ width: ${{width}}px !important; height: ${{Math.round(width * 9 / 16)}}px !important; }}`);
          return {NOW};
        }}""", width)

    @staticmethod
    def last_growth(notes: list[dict], rid: str) -> float:
        """When the last picture of a layer was encoded."""
        return max((after["at"] for before, after in zip(notes, notes[1:]) if after[rid]["frames"] > before[rid]["frames"]), default=notes[0]["at"])

    @staticmethod
    def grown(notes: list[dict], rid: str) -> int:
        """How many pictures of a layer were encoded in these notes."""
        return notes[-1][rid]["frames"] - notes[0][rid]["frames"] if notes else 0

    @classmethod
    def layers(cls, sender: Person, milliseconds: float | None = None) -> list[dict]:
        """The notes of a page about its layers, all of them or those of the last moment."""
        return cls.recent(sender.page.evaluate("() => layerNotes"), milliseconds)

    @classmethod
    def decoded(cls, viewer: Person, milliseconds: float | None = None) -> list[dict]:
        """The notes of a page about the pictures that it decodes."""
        return cls.recent(viewer.page.evaluate("() => decodedNotes"), milliseconds)

    @staticmethod
    def recent(notes: list[dict], milliseconds: float | None) -> list[dict]:
        return [each for each in notes if milliseconds is None or each["at"] >= notes[-1]["at"] - milliseconds]

    @staticmethod
    def sent(sender: Person) -> dict:
        [sent] = [each for each in sender.statistics()["outbound"] if each["kind"] == "video"]
        return sent

    @staticmethod
    def noted(sender: Person) -> list[dict]:
        return sender.page.evaluate("() => sentNotes")

    @staticmethod
    def kilobits(notes: list[dict]) -> float:
        return (notes[-1]["bytes"] - notes[0]["bytes"]) * 8 / (notes[-1]["at"] - notes[0]["at"])

    def test_a_picture_in_av1_goes_on(self) -> None:
        """It stood still after its first pictures as long as pages did not ask for the dependency descriptors of what
        they receive."""
        self.person("Ann", "av1", "config.preferredVideoCodec=AV1")
        ben = self.person("Ben", "av1", LISTENS)
        ben.sees("Ann")
        for _ in range(4):
            self.assertGreater(ben.frames("Ann", milliseconds=2_000), 10)

    def test_what_nobody_watches_is_not_sent(self) -> None:
        ann = self.person("Ann", "alone")
        wait_for("Ann to stop sending what nobody watches", lambda: self.rate(ann) == 0 or "no: she sends", 15)
        with Person(self.driver, "Ben") as ben:
            ben.join(self.server.url, "alone")
            ben.sees("Ann")
            self.assertGreater(self.rate(ann), 10)
            ben.page.evaluate("() => parley.leave()")
        wait_for("Ann to stop again", lambda: self.rate(ann) == 0 or "no: she sends", 60)

    def test_what_is_hidden_stops_within_two_seconds_and_comes_back_with_one_key_frame(self) -> None:
        ann, ben = self.person("Ann", "hidden"), self.person("Ben", "hidden")
        ben.sees("Ann")
        # The picture grows in its first moments, each time with a key frame; those are not the ones that count here.
        wait_for("Ben's picture of Ann 640 pixels wide", lambda: self.width(ben, "Ann") == 640 or f"no: {self.width(ben, 'Ann')}", 25)
        ann.evaluate(NOTE_ENCODED)
        ben.evaluate("() => { window.hiding = new CSSStyleSheet(); document.adoptedStyleSheets.push(hiding); }")
        keyframes = self.keyframes(ben)
        hidden = ben.page.evaluate(f"() => {{ hiding.replaceSync('article.tile:not(.tile-self) {{ display: none }}'); return {NOW}; }}")

        def stopped() -> float | str:
            """When Ann encoded her last picture, once there was none for a second."""
            last, now = ann.page.evaluate(f"() => [encoded.at(-1)?.at ?? 0, {NOW}]")
            return last if now - last > 1_000 else f"no: {now - last:.0f} ms ago"
        last = wait_for("Ann to stop sending what Ben hides", stopped, 15)
        shown = ben.page.evaluate(f"() => {{ hiding.replaceSync(''); return {NOW}; }}")
        first = wait_for("Ann to encode again", lambda: next(
            (each["at"] for each in ann.page.evaluate("() => encoded") if each["at"] > shown), None), 10)
        ben.sees("Ann")
        print(f"stopped after {last - hidden:.0f} ms, encoded again after {first - shown:.0f} ms", end=" … ")
        self.assertLess(last - hidden, 2_000)
        self.assertLess(first - shown, 1_000)
        self.assertEqual(self.keyframes(ben), keyframes + 1, "one key frame is enough")

    @staticmethod
    def keyframes(viewer: Person) -> int:
        """How many key frames a page has decoded."""
        return viewer.page.evaluate("""async () => [...(await parley.connection.peerConnection.getStats()).values()]
            .filter((each) => each.type === "inbound-rtp" && each.kind === "video")
            .reduce((sum, each) => sum + each.keyFramesDecoded, 0)""")


#: Milliseconds on a clock that all pages of this machine share.
NOW = "(performance.timeOrigin + performance.now())"

#: Notes, ten times a second, when more pictures of the camera have been encoded.
NOTE_ENCODED = f"""() => {{
  window.encoded = [];
  let before = -1;
  setInterval(async () => {{
    const report = await parley.connection.peerConnection.getStats();
    const now = [...report.values()].filter((each) => each.type === "outbound-rtp" && each.kind === "video")
      .reduce((sum, each) => sum + each.framesEncoded, 0);
    if (before >= 0 && now > before) {{ encoded.push({{ at: {NOW}, count: now }}); }}
    before = now;
  }}, 100);
}}"""


#: Notes, ten times a second, what the camera's encoder makes.
NOTE_SENT = f"""() => {{
  window.sentNotes = [];
  setInterval(async () => {{
    const report = await parley.connection.peerConnection.getStats();
    for (const each of report.values()) {{
      if (each.type !== "outbound-rtp" || each.kind !== "video") {{ continue; }}
      sentNotes.push({{ at: {NOW}, width: each.frameWidth, mode: each.scalabilityMode, bytes: each.bytesSent, keyframes: each.keyFramesEncoded, asked: each.pliCount }});
    }}
  }}, 100);
}}"""

#: Notes, ten times a second, what is encoded and sent of each simulcast layer.
NOTE_LAYERS = f"""() => {{
  window.layerNotes = [];
  setInterval(async () => {{
    const report = await parley.connection.peerConnection.getStats();
    const note = {{ at: {NOW} }};
    for (const each of report.values()) {{
      if (each.type !== "outbound-rtp" || each.kind !== "video") {{ continue; }}
      note[each.rid] = {{ frames: each.framesEncoded, bytes: each.bytesSent, keyframes: each.keyFramesEncoded, width: each.frameWidth, asked: each.pliCount }};
    }}
    if (note.q && note.h && note.f) {{ layerNotes.push(note); }}
  }}, 100);
}}"""


#: Notes, ten times a second, what is decoded of the one picture that comes.
NOTE_DECODED = f"""() => {{
  window.decodedNotes = [];
  setInterval(async () => {{
    const report = await parley.connection.peerConnection.getStats();
    for (const each of report.values()) {{
      if (each.type !== "inbound-rtp" || each.kind !== "video" || !each.framesDecoded) {{ continue; }}
      decodedNotes.push({{ at: {NOW}, frames: each.framesDecoded, keyframes: each.keyFramesDecoded, width: each.frameWidth }});
    }}
  }}, 100);
}}"""


if __name__ == "__main__":
    unittest.main()
