"""Offers as other stacks write them: an optional line of an odd form refuses neither the meeting nor a track."""

from __future__ import annotations

import json
import re

from aiortc_peer import AiortcPeer
from browser import wait_for
from meeting_test import MeetingTest

#: Lines without a use for this server, or with nothing behind their names.
USELESS = (
    "a=fmtp:96", "a=fmtp:96 ", "a=fmtp:200 x=1", "a=fmtp:", "a=rtcp-fb:96", "a=rtcp-fb:200 nack", "a=rtcp-fb:* x-feedback", "a=rtpmap:",
    "a=x-vendor", "a=x-vendor:", "a=x-vendor:1 2 3", "a=ptime:abc", "a=maxptime:", "a=framerate:29.97", "a=imageattr:96 send [x=640,y=360]",
    "a=extmap:", "a=extmap:0 urn:x", "a=extmap:77 urn:x", "a=ssrc:1", "a=ssrc:x cname:y", "a=ssrc-group:FID", "a=rid:", "a=simulcast:",
    "a=candidate:", "a=candidate:1 1 udp 1 host.invalid 9 typ host", "a=candidate:1 1 sctp 1 127.0.0.1 9 typ host", "a=rtcp:9",
    "a=ice-options:", "a=msid-semantic:", "a=label:7", "a=content:slides", "a=lang:en", "a=quality:10", "a=sendonly-not",
    "a=key-mgmt:mikey AQAFgM0XflABAAAAAAAAAAAAAAsAyO", "a=rtcp-xr:rcvr-rtt=all", "a=bundle-only:", "a=ts-refclk:ntp=/traceable/",
)
#: A machine with many addresses.
MANY = tuple(f"a=candidate:{number} 1 udp {number} 10.0.{number}.7 {40_000 + number} typ host" for number in range(1, 46))
#: The same before the first section.
USELESS_OF_SESSION = ("a=group:LS", "a=group:LS 0", "a=group:FID", "a=tool:other", "a=x-session:", "a=identity:", "a=type:meeting", "a=charset:UTF-8")


def odd(sdp: str) -> str:
    """An offer with a blank at the end of each attribute line, with useless lines in each section, line feeds alone,
    and further kinds of lines that RFC 8866 has."""
    head, *sections = re.split(r"(?=^m=)", sdp.replace("\r\n", "\n"), flags=re.MULTILINE)
    head = head.replace("s=-\n", "s=-\ni=a title\nu=http://example.org/\ne=ann@example.org\np=+1\n") + "\n".join(USELESS_OF_SESSION) + "\n"
    written = []
    for section in sections:
        lines = section.splitlines()
        media = lines[0].startswith(("m=audio", "m=video"))
        at = next(place for place, line in enumerate(lines) if line.startswith("c=")) + 1
        lines[at:at] = ["b=AS:500", "b=TIAS:500000", "b=X-FOO:1", *((*USELESS, *MANY) if media else ())]
        written.append("\n".join(lines) + "\n")
    return re.sub(r"^(a=.*)$", r"\1 ", head + "".join(written), flags=re.MULTILINE)


def without_packetization_mode(sdp: str) -> str:
    """H.264 as stacks offer it that know the single packetization mode only (RFC 6184 section 8.1)."""
    return re.sub(r"packetization-mode=1;?|;packetization-mode=1", "", sdp)


#: The same for a page: what goes out as its offer.
REWRITTEN = """(() => {
  const send = WebSocket.prototype.send;
  window.offers = 0;
  WebSocket.prototype.send = function (text) {
    if (typeof text !== "string" || !text.includes('"offer"')) { return send.call(this, text); }
    const message = JSON.parse(text);
    const useless = %s, session = %s;
    const lines = message.offer.split("\\r\\n").filter((line) => line);
    const first = lines.findIndex((line) => line.startsWith("m="));
    const out = [...lines.slice(0, first), ...session];
    let isMedia = false;
    for (const line of lines.slice(first)) {
      if (line.startsWith("m=")) { isMedia = !line.startsWith("m=application"); }
      out.push(line);
      if (line.startsWith("c=") && isMedia) { out.push("b=X-FOO:1", ...useless); }
    }
    message.offer = out.map((line) => line.startsWith("a=") ? `${line} ` : line).join("\\n") + "\\n";
    window.offers += 1;
    return send.call(this, JSON.stringify(message));
  };
})()"""


class OddOffers(MeetingTest):
    @property
    def room(self) -> str:
        return self.id().rsplit(".", 1)[-1]

    def peer(self, name: str, **options) -> AiortcPeer:
        return self.enterContext(AiortcPeer(self.server.url, self.room, name, **options))

    def sees_and_hears(self, peer: AiortcPeer, name: str) -> None:
        wait_for(f"{peer.name} to see {name}", lambda: peer.failure or peer.video_frames.get(name, 0) > 20 or f"no: {peer.video_frames}")
        wait_for(f"{peer.name} to hear {name}", lambda: peer.failure or peer.tones.get(name) or f"no: {peer.tones}")
        self.assertIsNone(peer.failure)

    def test_useless_and_empty_lines_of_another_stack_cost_nothing(self) -> None:
        ann, = self.meet("Ann")
        ben = self.peer("Ben", writes=odd)
        ann.sees("Ben")
        ann.hears("Ben")
        self.sees_and_hears(ben, "Ann")

    def test_useless_and_empty_lines_of_a_page_cost_nothing(self) -> None:
        ann = self.person("Ann")
        ann.context.add_init_script(REWRITTEN % (json.dumps(USELESS), json.dumps(USELESS_OF_SESSION)))
        ann.join(self.server.url, self.room)
        ben = self.person("Ben").join(self.server.url, self.room)
        ben.sees("Ann")
        ben.hears("Ann")
        ann.sees("Ben")
        self.assertGreater(ann.evaluate("() => window.offers"), 0)

    def test_h264_without_packetization_mode_is_taken_both_ways(self) -> None:
        ann, = self.meet("Ann")
        # aiortc itself takes no answer of another mode than its own.
        ben = self.peer("Ben", codec="H264", writes=without_packetization_mode,
                        reads=lambda answer: answer.replace(";profile-level-id", ";packetization-mode=1;profile-level-id"))
        ann.sees("Ben")
        answer = ben.last("welcome")["answer"]
        self.assertEqual(re.findall(r"^m=\w+ 0 ", answer, re.MULTILINE), [], "no section is rejected")
        self.assertNotIn("packetization-mode=1", answer)
        self.sees_and_hears(ben, "Ann")
