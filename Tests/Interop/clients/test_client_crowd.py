"""`parley load` and `parley demo`, as people run them."""

from __future__ import annotations

import json
import subprocess
import unittest

from browser import Person, shared_driver, wait_for
from server import BINARY, OUTPUT, ROOT, Server


class Load(unittest.TestCase):
    def test_two_publishers_and_six_subscribers_lose_nothing(self) -> None:
        with Server() as server:
            result = subprocess.run(
                [str(BINARY), "load", f"{server.url}/load", "--publishers", "2", "--subscribers", "6", "--duration", "8", "--json"],
                capture_output=True, text=True, timeout=90, cwd=ROOT)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        summary = lines[-1]
        self.assertEqual((summary["event"], summary["joined"], summary["failed"]), ("summary", 8, 0))
        self.assertEqual(summary["lossPercent"], 0)
        # 2 publishers see each other, 6 subscribers see both: 14 pictures of 25 frames a second.
        self.assertGreater(summary["framesPerSecond"], 14 * 25 * 0.9)
        print(f"joined p50 {summary['joinMilliseconds']['p50']:.0f} ms, {summary['packetsPerSecond']:.0f} packets/s, "
              f"{summary['framesPerSecond']:.0f} frames/s, loss {summary['lossPercent']} %, own CPU {summary['ownCPUPercent']:.0f} %",
              end=" … ")

    def test_a_server_that_is_not_there_is_exit_1(self) -> None:
        result = subprocess.run([str(BINARY), "load", "http://localhost:1/x", "--publishers", "1", "--subscribers", "1", "--json"],
                                capture_output=True, text=True, timeout=60, cwd=ROOT)
        self.assertEqual(result.returncode, 1)
        self.assertEqual(json.loads(result.stdout.splitlines()[-1])["failed"], 2)


class Demo(unittest.TestCase):
    NAMES = ["Ada", "Björn", "Chiyo"]

    def test_a_fresh_demo_has_three_live_participants(self) -> None:
        with Server(command="demo") as server, \
                Person(shared_driver(), "You", viewport=(1280, 800)) as you:
            you.join(server.url, "hello")
            wait_for("the three", lambda: you.names() == self.NAMES or f"no: {you.names()}", 30)
            for name, style in zip(self.NAMES, range(3)):
                # Three encoders, a server and a browser that draws three videos in software may share two cores with
                # other tests.
                seen = you.sees_test_picture(name, rate=3)
                self.assertEqual(seen["sources"], [style])
                print(f"{name} {seen['rate']:.0f} frames/s", end=" … ")
            wait_for("everybody to have spoken", lambda: self.heard(you) == set(self.NAMES) or f"no: {self.heard(you)}", 40)
            wait_for("a welcome in the chat", lambda: you.evaluate(
                "() => window.parley.chat.some((each) => each.name === 'Ada' && each.text.includes('Welcome'))"))
            OUTPUT.mkdir(exist_ok=True)
            you.page.screenshot(path=OUTPUT / "demo.png")
            self.assertEqual([line for line in you.console if line.startswith(("error", "uncaught"))], [])

    @staticmethod
    def heard(person: Person) -> set[str]:
        """Participants who have been named as speaking."""
        return set(person.evaluate("""() => {
            if (!window.spoke) {
                window.spoke = new Set();
                window.parley.addEventListener("speakers", ({ detail }) => { for (const each of detail.speakers) { spoke.add(each.name); } });
            }
            return [...window.spoke].filter((name) => name !== "You");
        }"""))


if __name__ == "__main__":
    unittest.main()
