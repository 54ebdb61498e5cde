"""The Swift client and aiortc, and data between the Swift client, a browser and aiortc, through the real server."""

from __future__ import annotations

import unittest

import client_test
from aiortc_peer import AiortcPeer, KnownPicture
from browser import Person, shared_driver, wait_for
from media import CAST
from meeting_test import GATHER


class SwiftAndAiortc(client_test.ClientTest):
    def meet(self, codec: str) -> None:
        swift = self.client("Swift", "--publish", "testsrc", "--style", "2", "--codec", codec, records=True).joined()
        with AiortcPeer(self.server.url, self.room, "Ben", codec=codec, picture=KnownPicture()) as ben:
            marks = lambda: ben.markers.get("Swift", [])
            wait_for("aiortc to read 60 pictures", lambda: ben.failure or len(marks()) > 60 or f"no: {ben.situation()}", 40)
            wait_for("aiortc to hear 660 Hz", lambda: ben.failure or abs(ben.tones.get("Swift", 0) - 660) < 2 or f"no: {ben.tones}")
            self.assertEqual({mark.source for mark in marks()}, {2})
            times = [mark.milliseconds for mark in marks()]
            self.assertEqual(times, sorted(times))
            swift.statistics("120 pictures of aiortc", lambda: ben.failure or any(
                each["framesDecoded"] > 120 and each["codec"] == codec for each in swift.received("video")), 40)
            heard = ben.tones["Swift"]
            swift.leave()
        picture = self.assert_known_picture(swift.video("Ben"), 60)
        tone = swift.sound("Ben").frequency()
        self.assertAlmostEqual(tone, CAST["Ben"][1], delta=1)
        print(f"aiortc: {len(times)} pictures, {heard:.1f} Hz; Swift: {picture}, {tone:.2f} Hz", end=" … ")

    def test_swift_and_aiortc_see_and_hear_each_other_in_vp8(self) -> None:
        self.meet("VP8")

    def test_swift_and_aiortc_see_and_hear_each_other_in_h264(self) -> None:
        self.meet("H264")


class DataOfThreeStacks(client_test.ClientTest):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.driver = shared_driver()

    def test_data_goes_between_swift_a_page_and_aiortc_to_all_and_to_one(self) -> None:
        ann = self.enterContext(Person(self.driver, "Ann")).join(self.server.url, self.room)
        ann.evaluate(GATHER)
        wait_for("Ann's channels", lambda: ann.evaluate("() => parley.data.isOpen(true) && parley.data.isOpen(false)"))
        swift = self.client("Swift").joined()
        with AiortcPeer(self.server.url, self.room, "Ben", data=True) as ben:
            wait_for("aiortc's channels", lambda: ben.failure or ben.data_is_open)
            wait_for("everybody to be listed", lambda: ann.names() == ["Ben", "Swift"] or f"no: {ann.names()}")
            people = {each["participant"]["name"]: each["participant"]["id"] for each in swift.all("participantJoined")}
            ann_id = ann.evaluate("() => parley.localParticipant.id")
            self.assertEqual(people.get("Ann"), ann_id)

            # From Swift.
            swift.command("data", text="hello all", topic="greeting")
            swift.command("data", text="quick", reliable=False)
            swift.command("data", text="only Ben", to=people["Ben"])
            swift.command("data", bytes=65_536, to=ann_id)
            at_ann = lambda: ann.evaluate("() => window.got")
            wait_for("three messages at Ann", lambda: len(at_ann()) == 3 or f"no: {at_ann()}")
            self.assertEqual([(each["from"], each["topic"], each["length"]) for each in at_ann() if each["reliable"]],
                             [("Swift", "greeting", 9), ("Swift", "", 65_536)])
            self.assertEqual([each["text"] for each in at_ann() if not each["reliable"]], ["quick"])
            wait_for("three messages at aiortc", lambda: ben.failure or len(ben.data) == 3 or f"no: {ben.data!r:.300}")
            self.assertEqual([each[1:] for each in ben.data if each[0]], [
                ("Swift", "greeting", b"hello all"), ("Swift", "", b"only Ben")])
            self.assertEqual([each[1:] for each in ben.data if not each[0]], [("Swift", "", b"quick")])

            # To Swift.
            ann.evaluate("""(swift) => {
                parley.sendData("from a page", { topic: "ä" });
                parley.sendData("lossy from a page", { reliable: false, to: swift });
                parley.sendData(new Uint8Array(65536).fill(98), { to: swift });
            }""", swift.id)
            ben.send(b"from aiortc", topic="t")
            ben.send(b"lossy from aiortc", reliable=False, to=[swift.id])
            wait_for("five messages at Swift", lambda: len(swift.all("data")) == 5 or f"no: {swift.all('data')}")
            got = [(people_by(swift, each["from"]), each["reliable"], each["topic"], each["bytes"], each["text"][:20])
                   for each in swift.all("data")]
            self.assertEqual(sorted(got), sorted([
                ("Ann", True, "ä", 11, "from a page"), ("Ann", False, "", 17, "lossy from a page"),
                ("Ann", True, "", 65_536, "b" * 20), ("Ben", True, "t", 11, "from aiortc"),
                ("Ben", False, "", 17, "lossy from aiortc")]))
            # Nobody of that name: not sent to all instead.
            swift.command("data", text="to nobody", to="p_nobody")
            wait_for("the words about it", lambda: any("p_nobody" in line for line in swift.errors))
            swift.command("data", text="last")
            wait_for("the last message", lambda: at_ann()[-1]["text"] == "last")
            self.assertNotIn("to nobody", [each["text"] for each in at_ann()])


def people_by(client: "client_test.Client", identity: str) -> str | None:
    """The name of a participant by the id."""
    return next((each["participant"]["name"] for each in client.all("participantJoined")
                 if each["participant"]["id"] == identity), None)


if __name__ == "__main__":
    unittest.main()
