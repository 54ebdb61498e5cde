"""The bots of ``Examples``, as people run them."""

from __future__ import annotations

import signal
import subprocess
import unittest

import av

import client_test
from browser import Person, shared_driver, wait_for
from media import CAST
from pictures import read_marker
from ports import free_port
from server import APPS

BOTS = {"echo-bot": "Echo", "chat-bot": "Chatty", "snapshot-bot": "Photographer"}


class Examples(client_test.ClientTest):
    def bot(self, program: str, *arguments: str) -> subprocess.Popen:
        binary = APPS / program
        if not binary.exists():
            self.fail(f"{binary} is not built; `make test-interop` builds it")
        bot = subprocess.Popen([str(binary), *arguments], cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               # Under nohup the tests inherit that it is ignored, and so would the bots.
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
        self.addCleanup(lambda: bot.poll() is None and bot.kill())
        return bot

    def test_a_server_that_is_not_there_is_a_sentence_and_exit_1(self) -> None:
        for program in BOTS:
            bot = self.bot(program, f"http://127.0.0.1:{free_port()}/x")
            output, errors = bot.communicate(timeout=40)
            self.assertEqual(bot.returncode, 1, (program, output, errors))
            self.assertRegex(errors, rf"^{program}: [^\n]*cannot be reached[^\n]*\n$")

    def test_without_an_address_they_say_how_they_are_used(self) -> None:
        for program in BOTS:
            bot = self.bot(program)
            output, _ = bot.communicate(timeout=10)
            self.assertEqual(bot.returncode, 2)
            self.assertIn(f"usage: {program} URL", output)

    def test_help_says_what_they_do_and_other_options_are_told_from_it(self) -> None:
        for program in BOTS:
            output, errors = (bot := self.bot(program, "--help")).communicate(timeout=10)
            self.assertEqual((bot.returncode, errors), (0, ""), program)
            self.assertRegex(output, rf"^[A-Z][^\n]+\.\n\nusage: {program} URL")
            for wrong in (["--halp"], ["http://localhost:1/x", "--json"], ["http://localhost:1/x", "a", "b"]):
                output, _ = (bot := self.bot(program, *wrong)).communicate(timeout=10)
                self.assertEqual(bot.returncode, 2, (program, wrong))
                self.assertIn(f"usage: {program}", output)

    def test_a_signal_makes_them_leave_and_everybody_sees_it(self) -> None:
        witness = self.client("Witness").joined()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for program, name in BOTS.items():
                since = len(witness.events)
                bot = self.bot(program, f"{self.server.url}/{self.room}")
                met = wait_for(f"{name} in the meeting", lambda: [
                    each["participant"] for each in witness.events[since:]
                    if each["event"] == "participantJoined" and each["participant"]["name"] == name] or "no:", 30)[0]
                bot.send_signal(number)
                output, errors = bot.communicate(timeout=10)
                gone = wait_for(f"{name}'s leaving", lambda: [
                    each for each in witness.events[since:]
                    if each["event"] == "participantLeft" and each["participant"]["id"] == met["id"]] or "no:", 5)[0]
                # Left, rather than lost and given up on after a while.
                self.assertEqual(gone["reason"], "left", (program, output, errors))
                self.assertEqual((bot.returncode, errors), (0, ""), (program, number, output))

    def test_one_wish_to_end_that_comes_as_two_signals_makes_them_leave(self) -> None:
        for program in BOTS:
            bot = self.bot(program, f"{self.server.url}/{self.room}")
            witness = self.client(f"Witness of {program}").joined()
            met = witness.expect("participantJoined", 30)["participant"]
            # Different ones, since the system makes one of equal ones that wait.
            for number in (signal.SIGTERM, signal.SIGINT):
                bot.send_signal(number)
            output, errors = bot.communicate(timeout=10)
            self.assertEqual((bot.returncode, errors), (0, ""), (program, output))
            witness.expect("participantLeft", 5, reason="left", participant=met)
            witness.leave()

    def test_the_echo_bot_echoes_data(self) -> None:
        self.bot("echo-bot", f"{self.server.url}/{self.room}")
        swift = self.client("Swift").joined()
        swift.expect("participantJoined")
        def echo() -> object:
            # Said again, since what is sent before its channels are open is lost.
            swift.command("data", text="hello", topic="again")
            return swift.all("data", text="hello", topic="again") or "no:"
        wait_for("the echo", echo, 20, every=0.5)

    def test_the_echo_bot_sends_a_page_its_own_picture_and_tone(self) -> None:
        driver = shared_driver()
        ann = self.enterContext(Person(driver, "Ann")).join(self.server.url, self.room)
        self.bot("echo-bot", f"{self.server.url}/{self.room}")
        wait_for("the bot in the meeting", lambda: "Echo" in ann.names() or f"no: {ann.names()}")
        seen = ann.sees("Echo", known="Ann", seconds=40)
        heard = ann.hears_tone("Echo", CAST["Ann"][1])
        print(f"{seen['frames']} frames, colour {seen['colour']}, {heard:.2f} Hz", end=" … ")

    def test_the_snapshot_bot_writes_a_picture_of_everybody_and_leaves(self) -> None:
        self.client("Swift", "--publish", "testsrc", "--style", str(client_test.STYLE)).joined()
        bot = self.bot("snapshot-bot", f"{self.server.url}/{self.room}", str(self.folder))
        output, errors = bot.communicate(timeout=40)
        self.assertEqual((bot.returncode, errors), (0, ""), output)
        path, = self.folder.glob("Swift-*.png")
        with av.open(str(path)) as file:
            picture = next(file.decode(video=0)).to_ndarray(format="gray")
        self.assertEqual(read_marker(picture).source, client_test.STYLE, output)

    def test_a_picture_that_cannot_be_written_is_a_sentence_and_exit_1(self) -> None:
        self.client("Swift", "--publish", "testsrc").joined()
        bot = self.bot("snapshot-bot", f"{self.server.url}/{self.room}", str(self.folder / "missing"))
        output, errors = bot.communicate(timeout=40)
        self.assertEqual(bot.returncode, 1, (output, errors))
        self.assertRegex(errors, r"^snapshot-bot: [^\n]*missing[^\n]*\n$")

    def test_the_chat_bot_answers(self) -> None:
        swift = self.client("Swift").joined()
        self.bot("chat-bot", f"{self.server.url}/{self.room}")
        swift.expect("participantJoined")
        swift.command("chat", text="who is here?")
        wait_for("the answer", lambda: [each for each in swift.all("chat") if "Here are: " in str(each)] or f"no: {swift.all('chat')}")


if __name__ == "__main__":
    unittest.main()
