"""Transforms that are missing on purpose: of a sender that doesn't encrypt nothing leaves, in Chromium and Firefox."""

from __future__ import annotations

import base64
import os
import unittest

from aiortc_peer import AiortcPeer
from browser import Person, shared_driver, wait_for
from firefox import Firefox
from server import Server

#: Sets the transform of each sender half a second after it is asked to, and says that it is set. ``SEEMS`` also has the
#: browser say that it has taken the transform.
LATE = """(() => {
  const own = Object.getOwnPropertyDescriptor(RTCRtpSender.prototype, "transform");
  const other = Object.getOwnPropertyDescriptor(RTCRtpReceiver.prototype, "transform");
  const given = new Map();
  Object.defineProperty(RTCRtpSender.prototype, "transform", {
    get() { return given.get(this) ?? null; },
    set(transform) {
      given.set(this, transform);
      setTimeout(() => { try { own.set.call(this, transform); } catch { /* the sender has ended */ } }, 500);
    },
  });
  if (SEEMS) {
    Object.defineProperty(RTCRtpReceiver.prototype, "transform", {
      get() { return other.get.call(this); },
      set(transform) {
        if ([...given.values()].includes(transform)) { throw new DOMException("taken", "InvalidStateError"); }
        other.set.call(this, transform);
      },
    });
  }
})()"""
#: Counts what leaves of each kind, and notes what the page's client says.
COUNT = """(() => {
  window.problems = [];
  window.left = { audio: 0, video: 0 };
  window.looks = 0;
  const OwnConnection = RTCPeerConnection;
  window.RTCPeerConnection = class extends OwnConnection {
    constructor(...given) {
      super(...given);
      setInterval(async () => {
        for (const each of (await this.getStats()).values()) {
          if (each.type !== "outbound-rtp") { continue; }
          const count = each.kind === "audio" ? each.packetsSent : each.bytesSent > 0 ? each.framesSent : 0;
          left[each.kind] = Math.max(left[each.kind], count ?? 0);
        }
        window.looks += 1;
      }, 20);
    }
  };
  const look = setInterval(() => {
    if (!window.parley) { return; }
    clearInterval(look);
    parley.addEventListener("error", ({ detail }) => problems.push(detail.error.code));
  }, 1);
})()"""
#: Keeps the tracks of camera and microphone, and all that senders got.
TRACKS = """(() => {
  window.own = [];
  window.given = [];
  const { getUserMedia } = MediaDevices.prototype;
  MediaDevices.prototype.getUserMedia = async function (...options) {
    const stream = await getUserMedia.apply(this, options);
    own.push(...stream.getTracks());
    return stream;
  };
  const { addTransceiver } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.addTransceiver = function (track, ...options) {
    given.push(track);
    return addTransceiver.call(this, track, ...options);
  };
  const { replaceTrack } = RTCRtpSender.prototype;
  RTCRtpSender.prototype.replaceTrack = function (track) {
    given.push(track);
    return replaceTrack.call(this, track);
  };
})()"""
#: Notes every transceiver that has no transform once the statement that made it is over, and every configuration.
BARE = """(() => {
  window.made = [];
  window.bare = [];
  window.flags = [];
  const { addTransceiver, setConfiguration } = RTCPeerConnection.prototype;
  RTCPeerConnection.prototype.addTransceiver = function (...given) {
    const transceiver = addTransceiver.apply(this, given);
    const { direction } = transceiver;
    const end = direction === "sendonly" ? "sender" : "receiver";
    queueMicrotask(() => { (transceiver[end].transform ? made : bare).push(direction); });
    return transceiver;
  };
  RTCPeerConnection.prototype.addTrack = () => { bare.push("addTrack"); throw new TypeError("not this way"); };
  RTCPeerConnection.prototype.setConfiguration = function (configuration) {
    flags.push(configuration.encodedInsertableStreams === true);
    return setConfiguration.call(this, configuration);
  };
  const OwnConnection = RTCPeerConnection;
  window.RTCPeerConnection = class extends OwnConnection {
    constructor(configuration) {
      super(configuration);
      flags.push(configuration?.encodedInsertableStreams === true);
    }
  };
})()"""


class LateTransforms(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())

    def setUp(self) -> None:
        self.room = f"late-{os.urandom(6).hex()}"
        self.key = f"e2ee={base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip('=')}"

    def viewer(self) -> AiortcPeer:
        """A participant without keys, who sees whatever comes in clear."""
        return self.enterContext(AiortcPeer(self.server.url, self.room, "Dan", codec="VP8", joins={"e2ee": True}))

    def open(self, page: Person | Firefox, *scripts: str) -> Person | Firefox:
        for script in scripts:
            (page.page if isinstance(page, Person) else page).add_init_script(script)
        return page.join(self.server.url, self.room, self.key)

    def stopped(self, page: Person | Firefox) -> dict:
        """The packets and frames that have left when camera and microphone are stopped."""
        # The page repeats the errors of its join.
        state = "() => [parley.localParticipant.publications.map(({ source }) => source), [...new Set(problems)], problems.length > 1]"
        wait_for("the end of both", lambda: page.evaluate(state) == [[], ["encryptionFailed"], True] or f"no: {page.evaluate(state)} {page.console[-5:]}")
        return page.evaluate("() => left")

    def assert_nothing_left(self, page: Person | Firefox, dan: AiortcPeer) -> None:
        self.assertEqual(self.stopped(page), {"audio": 0, "video": 0})
        wait_for("Dan to know of the page", lambda: page.name in dan.participants.values() or f"no: {dan.participants} {dan.failure}")
        self.assertEqual((page.state(), page.evaluate("() => left")), ("connected", {"audio": 0, "video": 0}))
        self.assertNotIn(page.name, dan.video_frames)

    def test_bad_input_12_of_a_late_transform_in_chromium_nothing_leaves(self) -> None:
        dan = self.viewer()
        self.assert_nothing_left(self.open(self.enterContext(Person(self.driver, "Ann")), COUNT, LATE.replace("SEEMS", "false")), dan)

    def test_bad_input_12_of_a_late_transform_in_firefox_nothing_leaves(self) -> None:
        dan = self.viewer()
        self.assert_nothing_left(self.open(self.enterContext(Firefox("Fay")), COUNT, LATE.replace("SEEMS", "false")), dan)

    def test_bad_input_12_a_transform_that_only_seems_set_is_stopped_by_the_watchdog(self) -> None:
        dan = self.viewer()
        fay = self.open(self.enterContext(Firefox("Fay")), COUNT, TRACKS, LATE.replace("SEEMS", "true").replace("500", "3_600_000"))
        self.stopped(fay)
        looks = fay.evaluate("() => looks")
        # Packets that were on their way have left by now.
        left = wait_for("a count", lambda: fay.evaluate("() => looks") > looks + 20 and fay.evaluate("() => [looks, left]"))
        wait_for("more counts", lambda: fay.evaluate("() => looks") > left[0] + 50)
        self.assertEqual(fay.evaluate("() => left"), left[1])
        # All that had left until then was black, and no sound.
        self.assertEqual(fay.evaluate("() => [own.length, given.filter((each) => own.includes(each)).length]"), [2, 0])
        self.assertLess(max(dan.colours.get("Fay", (0,))), 20)
        self.assertNotIn("Fay", dan.tones)

    def test_every_transceiver_gets_its_transform_in_the_statement_that_makes_it(self) -> None:
        for page in (self.enterContext(Person(self.driver, "Ann")), self.enterContext(Firefox("Fay"))):
            with self.subTest(page=page.name):
                self.open(page, BARE)
                if page.name == "Ann":
                    page.page.evaluate("() => parley.localParticipant.setScreenShare(true)")
                made = page.evaluate("() => made")
                # A screen is shared with its sound.
                self.assertEqual(made.count("sendonly"), 4 if page.name == "Ann" else 2, made)
                self.assertGreaterEqual(made.count("recvonly"), 8)
                self.assertEqual(page.evaluate("() => [bare, [...new Set(flags)]]"), [[], [True]])


if __name__ == "__main__":
    unittest.main()
