"""Data messages between real browsers, and between a browser and aiortc, through the real server."""

from __future__ import annotations

import time
import unittest

import meeting_test
from aiortc_peer import AiortcPeer
from browser import Person, wait_for
from meeting_test import GATHER
from proxy import CuttableProxy
from server import Server


class Data(meeting_test.MeetingTest):
    def talk(self, *names: str) -> list[Person]:
        people = self.meet(*names)
        for person in people:
            self.gather(person)
        return people

    @staticmethod
    def gather(person: Person) -> None:
        person.evaluate(GATHER)
        wait_for(f"{person.name}'s channels", lambda: person.evaluate(
            "() => window.parley.data.isOpen(true) && window.parley.data.isOpen(false)"))

    @staticmethod
    def got(person: Person) -> list[dict]:
        return person.evaluate("() => window.got")

    @staticmethod
    def identity(person: Person) -> str:
        return person.evaluate("() => window.parley.localParticipant.id")

    def test_messages_go_to_all_and_to_one_over_both_channels(self) -> None:
        ann, ben, cem = self.talk("Ann", "Ben", "Cem")
        sent = ann.evaluate("""(cem) => [
            window.parley.sendData("to all", { topic: "greeting" }),
            window.parley.sendData("to all, lossy", { reliable: false }),
            window.parley.sendData("to Cem", { to: cem }),
            window.parley.sendData(new Uint8Array([1, 2, 3, 0, 255]), { to: [cem], topic: "é \\"quoted\\"", reliable: false }),
        ]""", self.identity(cem))
        self.assertEqual(sent, [True] * 4)
        wait_for("four messages at Cem", lambda: len(self.got(cem)) == 4 or f"no: {self.got(cem)}")
        wait_for("two messages at Ben", lambda: len(self.got(ben)) == 2 or f"no: {self.got(ben)}")
        reliable = [each for each in self.got(cem) if each["reliable"]]
        self.assertEqual([(each["from"], each["text"], each["topic"]) for each in reliable],
                         [("Ann", "to all", "greeting"), ("Ann", "to Cem", "")])
        lossy = {each["topic"]: each for each in self.got(cem) if not each["reliable"]}
        self.assertEqual(lossy[""]["text"], "to all, lossy")
        self.assertEqual(lossy['é "quoted"']["length"], 5)
        self.assertEqual(sorted(each["text"] for each in self.got(ben)), ["to all", "to all, lossy"])
        cem.evaluate("(ann) => window.parley.sendData('back', { to: ann })", self.identity(ann))
        wait_for("the answer at Ann", lambda: [each["text"] for each in self.got(ann)] == ["back"] or f"no: {self.got(ann)}")

    def test_a_message_of_64_kib_arrives_whole_and_larger_ones_are_refused(self) -> None:
        ann, ben = self.talk("Ann", "Ben")
        expected = ann.evaluate("""() => {
            const bytes = Uint8Array.from({ length: 65536 }, (_, index) => (index * 7) % 251);
            for (const each of [bytes, bytes.subarray(1), new ArrayBuffer(0)]) { window.parley.sendData(each); }
            return bytes.reduce((sum, byte, index) => (sum * 31 + byte + index) % 1000000007, 7);
        }""")
        wait_for("three messages", lambda: len(self.got(ben)) == 3 or f"no: {len(self.got(ben))}")
        first, second, third = self.got(ben)
        self.assertEqual((first["length"], second["length"], third["length"]), (65_536, 65_535, 0))
        self.assertEqual(first["sum"], expected)
        for arguments in ("new Uint8Array(65537)", "new Uint8Array(1025), { reliable: false }", "'x', { topic: 'é'.repeat(65) }",
                          "5", "'x', { to: Array(101).fill('p') }"):
            code = ann.evaluate(
                "() => { try { window.parley.sendData(" + arguments + "); return null; } catch (error) { return error.code; } }")
            self.assertIn(code, ("tooLarge", "badMessage"), arguments)

    def test_many_small_messages_arrive_in_order_at_the_rate_the_server_takes(self) -> None:
        ann, ben = self.talk("Ann", "Ben")
        started = time.monotonic()
        ann.evaluate("() => { for (let i = 0; i < 900; i += 1) { window.parley.sendData(`number ${i}`); } }")
        wait_for("900 messages", lambda: len(self.got(ben)) == 900 or f"no: {len(self.got(ben))}", 30)
        print(f"900 messages in {time.monotonic() - started:.1f} s", end=" … ")
        self.assertEqual([each["text"] for each in self.got(ben)], [f"number {i}" for i in range(900)])
        self.assertEqual(ann.evaluate("() => window.errors"), [])
        ann.evaluate("""async () => {
            for (let i = 0; i < 100; i += 1) {
                window.parley.sendData(`position ${i}`, { reliable: false });
                await new Promise((go) => setTimeout(go, 20));
            }
        }""")
        wait_for("lossy messages on a path that loses nothing", lambda: sum(not each["reliable"] for each in self.got(ben)) >= 98)

    def test_a_page_that_sends_faster_than_it_may_is_told(self) -> None:
        ann, ben = self.talk("Ann", "Ben")

        def dropped(reason: str = "") -> int:
            """How many messages the server has thrown away."""
            return int(sum(value for name, value in self.server.metrics().items()
                           if name.startswith("parley_media_data_dropped_total") and f'reason="{reason}' in name))
        before, too_fast = dropped(), dropped("tooFast")
        ann.evaluate("""() => {
            const channel = window.parley.connection.peerConnection.createDataChannel("parley-reliable");
            channel.addEventListener("open", () => {
                const message = new Uint8Array([1, 0, 2, 123, 125, 88]);
                for (let i = 0; i < 1000; i += 1) { channel.send(message); }
            });
        }""")
        wait_for("the error", lambda: "dataTooFast" in ann.evaluate("() => window.errors"))
        # The error leaves with the first drop, when much of what was let through is still on its way.
        wait_for("each message at Ben or thrown away", lambda: len(self.got(ben)) + dropped() - before == 1_000
                 or f"no: {len(self.got(ben))} at Ben, {dropped() - before} thrown away")
        print(f"{len(self.got(ben))} of 1,000 were let through", end=" … ")
        self.assertGreaterEqual(len(self.got(ben)), 400)
        self.assertGreater(dropped("tooFast"), too_fast)
        self.assertEqual(ann.state(), "connected")

    def test_the_delay_of_a_message_is_small(self) -> None:
        ann, ben = self.talk("Ann", "Ben")
        ben.evaluate("""() => window.parley.addEventListener("data", ({ detail }) => {
            window.parley.sendData(detail.bytes, { reliable: detail.reliable, to: detail.from, topic: "echo" });
        })""")
        for reliable in (True, False):
            times = ann.evaluate("""async (reliable) => {
                const times = [];
                for (let i = 0; i < 100; i += 1) {
                    const start = performance.now();
                    const back = new Promise((resolve) => window.parley.addEventListener("data", resolve, { once: true }));
                    window.parley.sendData("ping", { reliable });
                    await back;
                    times.push(performance.now() - start);
                }
                return times.sort((a, b) => a - b);
            }""", reliable)
            print(f"{'reliable' if reliable else 'lossy'} there and back p50 {times[50]:.2f} ms, p95 {times[95]:.2f} ms", end=" … ")
            self.assertLess(times[50], 100)

    def test_threat_29_another_meeting_hears_nothing(self) -> None:
        ann, ben = self.talk("Ann", "Ben")
        cem = self.person("Cem").join(self.server.url, "another")
        self.gather(cem)
        ann.evaluate("(cem) => { window.parley.sendData('to a stranger', { to: cem }); window.parley.sendData('to all'); }",
                     self.identity(cem))
        wait_for("Ben's message", lambda: len(self.got(ben)) == 1)
        time.sleep(0.5)
        self.assertEqual(self.got(cem), [])

    def test_data_survives_an_ice_restart_and_a_lost_websocket(self) -> None:
        proxy = CuttableProxy(self.server.port)
        self.addCleanup(proxy.close)
        room = "test_data_survives"
        ben = self.person("Ben").join(self.server.url, room)
        ann = self.person("Ann").join(proxy.url, room)
        for person in (ann, ben):
            self.gather(person)
        before = ann.statistics()["ufrag"]
        ann.evaluate("() => window.parley.restartIce()")
        wait_for("new ICE credentials", lambda: ann.statistics()["ufrag"] != before)
        ann.evaluate("() => window.parley.sendData('after the restart')")
        wait_for("the first message", lambda: len(self.got(ben)) == 1)
        proxy.cut()
        wait_for("Ann's page to say that it reconnects", lambda: ann.state() == "reconnecting" or f"no: {ann.state()}")
        ann.evaluate("() => window.parley.sendData('without signalling')")
        ben.evaluate("() => window.parley.sendData('to you')")
        wait_for("the second message", lambda: len(self.got(ben)) == 2)
        wait_for("Ben's message", lambda: len(self.got(ann)) == 1)
        proxy.mend()
        wait_for("Ann to be connected again", lambda: ann.state() == "connected" or f"no: {ann.state()}", 20)
        ann.evaluate("() => window.parley.sendData('again')")
        wait_for("the third message", lambda: [each["text"] for each in self.got(ben)] == [
            "after the restart", "without signalling", "again"] or f"no: {self.got(ben)}")

    def test_what_was_said_while_joining_anew_is_sent_afterwards(self) -> None:
        with Server("--resume-window", "2") as server:
            proxy = CuttableProxy(server.port)
            self.addCleanup(proxy.close)
            ben = self.person("Ben").join(server.url, "room")
            ann = self.person("Ann").join(proxy.url, "room")
            for person in (ann, ben):
                self.gather(person)
            before = self.identity(ann)
            proxy.cut()
            wait_for("Ann to be gone", lambda: ben.names() == [] or f"no: {ben.names()}", 20)
            # Her connection was closed by the server, so that this has to wait for the next one.
            wait_for("Ann's channels to be gone", lambda: not ann.evaluate("() => window.parley.data.isOpen(true)"))
            ann.evaluate("() => window.parley.sendData('patience')")
            proxy.mend()
            wait_for("Ann to be back", lambda: ben.names() == ["Ann"] and ann.state() == "connected", 30)
            self.assertNotEqual(self.identity(ann), before)
            wait_for("the message", lambda: [each["text"] for each in self.got(ben)] == ["patience"] or f"no: {self.got(ben)}")

    def test_aiortc_and_a_page_exchange_data(self) -> None:
        room = "test_aiortc_data"
        ann = self.person("Ann").join(self.server.url, room)
        self.gather(ann)
        with AiortcPeer(self.server.url, room, "Ben", data=True) as ben:
            wait_for("Ann to list Ben", lambda: ann.names() == ["Ben"])
            wait_for("aiortc's channels", lambda: ben.failure or ben.data_is_open)
            ann.evaluate("""() => {
                window.parley.sendData("hello aiortc", { topic: "greeting" });
                window.parley.sendData(new Uint8Array(65536).fill(9));
                window.parley.sendData("quick", { reliable: false });
            }""")
            wait_for("three messages at aiortc", lambda: ben.failure or len(ben.data) == 3 or f"no: {ben.data!r:.300}")
            reliable = [each for each in ben.data if each[0]]
            self.assertEqual(reliable[0][1:], ("Ann", "greeting", b"hello aiortc"))
            self.assertEqual(reliable[1][3], b"\x09" * 65_536)
            self.assertEqual([each[1:] for each in ben.data if not each[0]], [("Ann", "", b"quick")])
            ben.send(b"hello page", topic="answer")
            ben.send(bytes(range(256)) * 256)
            ben.send(b"one packet", reliable=False, to=[self.identity(ann)])
            wait_for("three messages at Ann", lambda: ben.failure or len(self.got(ann)) == 3 or f"no: {self.got(ann)}")
            self.assertEqual([(each["from"], each["topic"], each["length"]) for each in self.got(ann) if each["reliable"]],
                             [("Ben", "answer", 10), ("Ben", "", 65_536)])
            self.assertEqual([each["text"] for each in self.got(ann) if not each["reliable"]], ["one packet"])


if __name__ == "__main__":
    unittest.main()
