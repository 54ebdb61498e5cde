"""The live screen of ``parley join``, as a person sees it on a terminal."""

from __future__ import annotations

import unittest

from client import Client
from screen import Screen
from server import Server


class LiveScreen(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def test_it_shows_who_is_there_what_flows_and_what_happens_and_sends_what_is_typed(self) -> None:
        with Client(self.server.url, "screen", "Ann", "--publish", "testsrc") as ann, \
                Screen(f"{self.server.url}/screen", "--name", "Bob") as bob:
            ann.joined()
            bob.expect("Bob (you)")
            bob.expect("640×360")
            bob.expect("█")
            bob.expect("b/s")
            bob.type("hello all\r")
            self.assertEqual(ann.expect("chat")["text"], "hello all")
            bob.expect("Bob: hello all")
            ann.command("mute", source="microphone", muted=True)
            bob.expect("Ann has turned the microphone off")
            ann.command("mute", source="microphone", muted=False)
            bob.expect("Ann has turned the microphone on again")
            ann.leave()
            bob.expect("Ann left")
            bob.type("/leave\r")
            self.assertEqual(bob.process.wait(10), 0)
        # The terminal is given back as it was.
        self.assertIn("\x1b[?1049l", bob.text)


if __name__ == "__main__":
    unittest.main()
