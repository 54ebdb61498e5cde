"""`parley meeting change`, option by option, without a server and next to a running one; actions on people in running
meetings; and the command line's entries in the audit log."""

from __future__ import annotations

import datetime as dt
import fcntl
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from browser import wait_for
from client import Client
from server import BINARY, Server

START = (dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=7)).strftime("%Y-%m-%dT10:00:00")
SECOND = (dt.datetime.fromisoformat(START) + dt.timedelta(days=1)).isoformat()
THIRD = (dt.datetime.fromisoformat(START) + dt.timedelta(days=2)).isoformat()
LATER = (dt.datetime.fromisoformat(START) + dt.timedelta(days=5, hours=3)).isoformat()

# Options, where the administration shows what they change, and what it shows then. Nothing is shown of what is not set.
SET = [
    (["--subject", "Crew"], "subject", "Crew"),
    (["--summary", "All about it"], "summary", "All about it"),
    (["--access-level", "invited"], "accessLevel", "Invited"),
    (["--capacity", "7"], "capacity", 7),
    (["--passcode", "1234"], "passcode", True),
    (["--wait-for-host", "yes"], "waitForHost", True),
    (["--announce", "no"], "announce", False),
    (["--lobby-timeout", "90s"], "lobbySeconds", 90),
    (["--chat", "hosts"], "chat.writers", "hosts"),
    (["--chat-history", "no"], "chat.history", False),
    (["--chat-keep", "5"], "chat.messages", 5),
    (["--chat-keep-for", "30m"], "chat.seconds", 1_800),
    (["--chat-file-limit", "5"], "chat.fileLimit", 5_120),
    (["--start", START], "schedule.start", START),
    (["--zone", "Europe/Berlin"], "schedule.timeZone", "Europe/Berlin"),
    (["--duration", "45m"], "schedule.duration", 2_700),
    (["--repeat", "FREQ=DAILY;COUNT=3"], "schedule.rule", "FREQ=DAILY;COUNT=3"),
    (["--except", SECOND], "schedule.excluded", [SECOND]),
    (["--move", f"{THIRD}/{LATER}"], "schedule.moved", [f"{THIRD}/{LATER}"]),
    (["--organizer", "Ann Lee <ann@example.com>"], "schedule.organizer", "Ann Lee <ann@example.com>"),
    (["--invite", "bob@example.com", "--invite", "Cem <cem@example.com>"], "schedule.attendees", ["bob@example.com", "Cem <cem@example.com>"]),
    (["--early", "refuse"], "schedule.early", "refuse"),
    (["--opens-before", "5m"], "schedule.opensBefore", 300),
    (["--closes-after", "1h"], "schedule.closesAfter", 3_600),
]
UNSET = [
    (["--subject", "Board"], "subject", "Board"),
    (["--summary", ""], "summary", ""),
    (["--access-level", "Everyone"], "accessLevel", "Everyone"),
    (["--capacity", "none"], "capacity", None),
    (["--passcode", "none"], "passcode", False),
    (["--wait-for-host", "no"], "waitForHost", False),
    (["--announce", "yes"], "announce", True),
    (["--lobby-timeout", "none"], "lobbySeconds", None),
    (["--chat", "everyone"], "chat.writers", "everyone"),
    (["--chat-history", "yes"], "chat.history", True),
    (["--chat-keep", "none"], "chat.messages", None),
    (["--chat-keep-for", "none"], "chat.seconds", None),
    (["--chat-file-limit", "none"], "chat.fileLimit", None),
    (["--except", "none"], "schedule.excluded", []),
    (["--move", "none"], "schedule.moved", []),
    (["--repeat", "never"], "schedule.rule", None),
    (["--organizer", "none"], "schedule.organizer", None),
    (["--invite", "none"], "schedule.attendees", []),
    (["--early", "wait"], "schedule.early", "wait"),
    (["--closes-after", "never"], "schedule.closesAfter", None),
]


class Commands(unittest.TestCase):
    def setUp(self) -> None:
        self.data = self.enterContext(tempfile.TemporaryDirectory(prefix="parley-commands-"))

    def run_parley(self, *words: str, status: int = 0, text: str | None = None) -> list[dict]:
        """Runs the command line on the data folder, with ``text`` on standard input, and returns the JSON objects that
        it printed."""
        done = subprocess.run([str(BINARY), *words, "--data", self.data], capture_output=True, text=True, input=text, timeout=60)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout}\n{done.stderr}")
        self.message = done.stderr
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def printed(self, *words: str) -> str:
        """The command line's output in words."""
        done = subprocess.run([str(BINARY), *words, "--data", self.data], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def shown(self, server: Server, meeting: str, path: str) -> object:
        """A running server's administration of a meeting."""
        with urllib.request.urlopen(f"http://127.0.0.1:{server.admin_port}/api/v1/meetings/{meeting}", timeout=20) as answer:
            value = json.load(answer)
        for name in path.split("."):
            value = value.get(name)
        return value

    def test_each_option_of_meeting_change_holds_without_a_server_and_beside_one(self) -> None:
        meeting = self.run_parley("meeting", "create", "board", "--json")[0]["id"]
        for options, _, _ in SET:
            self.run_parley("meeting", "change", "board", *options, "--json")
        with Server(data=self.data) as server:
            for options, path, value in SET:
                self.assertEqual(self.shown(server, meeting, path), value, options)
            for changes in (UNSET, SET):
                for options, path, value in changes:
                    self.run_parley("meeting", "change", "board", *options, "--json")
                    self.assertEqual(self.shown(server, meeting, path), value, options)

    def test_an_end_that_was_set_stays_when_other_things_are_changed(self) -> None:
        self.run_parley("meeting", "schedule", "board", "--start", START, "--json")
        end = self.run_parley("meeting", "change", "board", "--expires", "720h", "--json")[0]["expires"]
        for options in (["--subject", "Crew"], ["--invite", "bob@example.com"], ["--early", "open"], ["--chat", "hosts"]):
            self.assertEqual(self.run_parley("meeting", "change", "board", *options, "--json")[0]["expires"], end, options)
        # Another time has another end.
        self.assertNotEqual(self.run_parley("meeting", "change", "board", "--start", SECOND, "--json")[0]["expires"], end)
        self.assertIsNone(self.run_parley("meeting", "change", "board", "--expires", "never", "--json")[0]["expires"])

    def test_what_cannot_be_is_told_and_changes_nothing(self) -> None:
        before = self.run_parley("meeting", "create", "board", "--json")
        for options, word in (
            (["--capacity", "0"], "--capacity"), (["--access-level", "friends"], "Everyone"), (["--passcode", "1"], "--passcode"),
            (["--wait-for-host", "maybe"], "yes or no"), (["--lobby-timeout", "25h"], "24h"), (["--chat", "friends"], "hosts or nobody"),
            (["--chat-keep", "-1"], "2000"), (["--chat-file-limit", "x"], "none or a number"), (["--start", "soon"], "a date and a time"),
            (["--start", START, "--zone", "Nowhere/Town"], "Nowhere"), (["--start", START, "--repeat", "FREQ=HOURLY"], "FREQ"),
            (["--start", START, "--early", "never"], "--early"), (["--start", START, "--invite", "nobody"], "nobody"), (["--expires", "x"], "--expires"),
        ):
            self.run_parley("meeting", "change", "board", *options, "--json", status=2)
            self.assertIn(word, self.message, options)
        self.run_parley("meeting", "change", "elsewhere", "--subject", "x", "--json", status=1)
        self.assertEqual(self.run_parley("meeting", "list", "--json"), before)

    def test_none_is_no_passcode_wherever_it_is_written_but_on_standard_input(self) -> None:
        for room, *words in (["made", "create", "made"], ["planned", "schedule", "planned", "--start", START]):
            self.assertFalse(self.run_parley("meeting", *words, "--passcode", "none", "--json")[0]["passcode"], room)
            for passcode, text, expected in (("1234", None, True), ("none", None, False), ("-", "none\n", True), ("none", "1234\n", False)):
                changed = self.run_parley("meeting", "change", room, "--passcode", passcode, "--json", text=text)
                self.assertEqual(changed[0]["passcode"], expected, (room, passcode, text))
        for command in ("create", "schedule", "change"):
            help = subprocess.run([str(BINARY), "meeting", command, "--help"], capture_output=True, text=True, timeout=60).stdout
            self.assertIn("--passcode TEXT|none", help)
        self.assertTrue(self.run_parley("meeting", "create", "other", "--passcode", "-", "--json", text="none\n")[0]["passcode"])

    def test_a_token_can_name_its_user_whose_own_room_is_theirs(self) -> None:
        self.run_parley("user", "room", "ann@example.com", "--room", "anns", "--json")
        token = self.run_parley("token", "create", "--room", "*", "--user", "ann@example.com", "--json")[0]["token"]
        self.assertEqual(self.run_parley("token", "inspect", token, "--json")[0]["user"], "ann@example.com")
        self.assertEqual(self.run_parley("token", "list", "--json")[0]["user"], "ann@example.com")
        self.assertIsNone(self.run_parley("token", "inspect", self.run_parley("token", "create", "--room", "*", "--json")[0]["token"], "--json")[0]["user"])
        for user in ("", "x" * 257):
            self.run_parley("token", "create", "--room", "*", "--user", user, status=2)
            self.assertIn("--user", self.message)

    def test_who_is_in_a_running_meeting_is_listed_taken_out_banned_and_sent_home_by_commands(self) -> None:
        # No admin port: the commands have a socket of their own.
        with Server("--ban-addresses", "yes", data=self.data) as server:
            with Client(server.url, "board", "Ann", "--publish", "testsrc") as ann, Client(server.url, "board", "Ben", "--publish", "none") as ben, \
                    Client(server.url, "board", "Ben", "--publish", "none") as other:
                for each in (ann, ben, other):
                    each.joined()
                ann.command("chat", text="Good <b>morning</b>\nall")
                ben.expect("chat")
                people = self.run_parley("meeting", "people", "board", "--json")
                self.assertEqual({person["id"] for person in people}, {ann.id, ben.id, other.id})

                def seen() -> dict:
                    return next(person for person in self.run_parley("meeting", "people", "board", "--json") if person["id"] == ann.id)

                first = wait_for("what Ann sends", lambda: (now := seen())["sends"] and now)
                self.assertEqual((first["name"], first["role"], first["connection"]), ("Ann", "publisher", "connected"))
                self.assertEqual(set(first["sends"]), {"camera", "microphone"})
                since = dt.datetime.fromisoformat(first["since"])
                self.assertLess(abs((dt.datetime.now(dt.timezone.utc) - since).total_seconds()), 120)
                wait_for("a judged connection", lambda: seen()["quality"] in ("excellent", "good") or f"no: {seen()}", 40)
                # The chat as everybody saw it, for people and for programs.
                self.assertIn("Ann: Good <b>morning</b>\n    all\n", self.printed("meeting", "chat", "board"))
                exported = self.run_parley("meeting", "chat", "board", "--json")[0]
                self.assertEqual([message["text"] for message in exported["messages"]], ["Good <b>morning</b>\nall"])
                # A name that two have is none; an id is.
                self.run_parley("meeting", "remove-person", "board", "Ben", status=1)
                self.assertIn("2 people there are called Ben", self.message)
                self.assertIn(other.id, self.message)
                self.run_parley("meeting", "remove-person", "board", "Cem", status=1)
                self.assertIn("Cem is not in the meeting", self.message)
                self.run_parley("meeting", "remove-person", "board", status=2)
                out = self.run_parley("meeting", "remove-person", "board", other.id, "--json")
                self.assertEqual(out, [{"removed": other.id, "name": "Ben", "banned": False}])
                other.expect("left", reason="removed")
                other.end(20)
                self.run_parley("meeting", "remove-person", "board", "Ben", "--ban", "--json")
                ben.expect("left", reason="removed")
                ben.end(20)
                with Client(server.url, "board", "Ben", "--publish", "none") as again:
                    self.assertEqual(again.end(30), 1)
                    self.assertTrue(any("removed" in line for line in again.errors), again.errors)
                self.assertEqual([person["name"] for person in self.run_parley("meeting", "people", "board", "--json")], ["Ann"])
                ended = self.run_parley("meeting", "end", "board", "--json")[0]
                self.assertEqual(ended["room"], "board")
                ann.expect("left", reason="removed")
                ann.end(20)
            self.assertEqual(self.printed("meeting", "people", "board"), "Nobody is in the meeting board.\n")
            for words in (["end", "board"], ["chat", "board"], ["remove-person", "board", "Ann"]):
                self.run_parley("meeting", *words, status=1)
                self.assertIn("Nobody is in the meeting", self.message)
            self.run_parley("meeting", "end", "elsewhere", status=1)
            self.assertIn("There is no meeting elsewhere", self.message)
        entries = [(entry["action"], entry["target"]) for entry in self.run_parley("audit", "list", "--json")[::-1] if entry["actor"].startswith("cli ")]
        self.assertEqual(entries, [("meeting.exportChat", ended["ended"])] * 2 + [
            ("participant.remove", other.id), ("participant.ban", ben.id), ("meeting.end", ended["ended"])])

    def test_a_removed_meeting_ends_and_the_next_join_makes_no_second_room_next_to_it(self) -> None:
        with Server(data=self.data) as server:
            for words in (["meeting", "remove", "board"], ["user", "remove-room", "ann"]):
                if words[0] == "user":
                    self.run_parley("user", "room", "ann", "--room", "board", "--json")
                host = self.run_parley("token", "create", "--room", "board", "--user", "ann", "--json")[0]["token"]
                with Client(server.url, "board", "Ann", "--publish", "none", "--token", host) as ann:
                    ann.joined()
                    self.run_parley(*words, "--json")
                    ann.expect("left", reason="removed")
                    ann.end(20)
                self.assertEqual(self.run_parley("meeting", "list", "--json"), [])
                with Client(server.url, "board", "Ben", "--publish", "none") as ben:
                    ben.joined()
                    self.assertEqual([person["name"] for person in self.run_parley("meeting", "people", "board", "--json")], ["Ben"])
                self.run_parley("meeting", "remove", "board", "--json")

    def test_a_tenant_is_removed_under_a_running_server_but_not_during_its_meeting(self) -> None:
        self.run_parley("tenant", "create", "acme", "--json")
        self.run_parley("meeting", "create", "board", "--tenant", "acme", "--json")
        token = self.run_parley("token", "create", "--room", "board", "--tenant", "acme", "--json")[0]["token"]
        with Server(data=self.data) as server:
            with Client(server.url, "board", "Ann", "--publish", "none", "--token", token) as ann:
                ann.joined()
                self.run_parley("tenant", "remove", "acme", status=1)
                self.assertIn("Meetings of acme are running. End them first", self.message)
            self.run_parley("tenant", "remove", "parley", status=1)
            self.assertIn("parley is the default tenant", self.message)
            running = f"http://127.0.0.1:{server.admin_port}/api/v1/meetings?running=true"
            wait_for("the meeting to end", lambda: json.load(urllib.request.urlopen(running, timeout=20))["items"] == [])
            self.assertEqual(self.run_parley("tenant", "remove", "acme", "--json"), [{"removed": "acme"}])
            self.assertEqual([each["tenant"] for each in self.run_parley("tenant", "list", "--json")], ["parley"])
            self.assertEqual(self.run_parley("meeting", "list", "--json"), [])
            self.run_parley("token", "inspect", token, "--json", status=1)
        # Without a server as well.
        self.run_parley("tenant", "create", "acme", "--json")
        self.run_parley("tenant", "remove", "acme", "--json")
        self.run_parley("tenant", "remove", "acme", status=1)
        self.assertIn("There is no tenant acme.", self.message)
        self.run_parley("tenant", "remove", "parley", status=1)
        self.assertEqual([each["action"] for each in self.run_parley("audit", "list", "--tenant", "acme", "--json")].count("tenant.remove"), 2)

    def test_commands_that_need_a_server_say_that_none_runs_also_after_one_was_killed(self) -> None:
        self.run_parley("meeting", "create", "board", "--json")

        def refused() -> None:
            for words in (["people", "board"], ["end", "board"], ["chat", "board"], ["remove-person", "board", "Ann"]):
                self.run_parley("meeting", *words, status=1)
                self.assertIn(f"No server runs on the data in {self.data}", self.message)

        refused()
        with Server(data=self.data):
            self.assertEqual(self.printed("meeting", "people", "board"), "Nobody is in the meeting board.\n")
        refused()
        killed = Server(data=self.data).__enter__()
        killed.process.kill()
        killed.process.wait()
        refused()
        # A change that needs no server is made without one.
        self.run_parley("meeting", "remove", "board", "--json")

    def test_a_token_is_revoked_while_the_server_is_silent_and_the_command_says_who_stays(self) -> None:
        self.run_parley("meeting", "create", "board", "--json")
        token = self.run_parley("token", "create", "--room", "board", "--json")[0]["token"]
        folder = Path(self.data, "control")
        folder.mkdir(mode=0o700, exist_ok=True)
        with (folder / "lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.run_parley("token", "revoke", token, status=1)
            self.assertIn("is refused from now on, but who is in a meeting with it stays there.", self.message)
        self.assertIn("revoked", str(self.run_parley("token", "inspect", token, "--json", status=1)) + self.message)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_threat_34_no_other_user_reaches_the_control_socket_but_this_one_on_any_network(self) -> None:
        self.run_parley("meeting", "create", "board", "--json")
        os.chmod(self.data, 0o755)
        with Server(data=self.data):
            script = f"import os, socket; os.listdir({self.data!r}); socket.socket(socket.AF_UNIX).connect({str(Path(self.data, 'control/socket'))!r})"
            for user, problem in ((0, ""), (65534, "PermissionError")):
                done = subprocess.run([f"{sys.base_prefix}/bin/python3", "-c", script], user=user, extra_groups=[], capture_output=True, text=True, timeout=20)
                self.assertEqual(done.returncode == 0, not problem, done.stderr)
                self.assertIn(problem, done.stderr.splitlines()[-1] if problem else "")
            done = subprocess.run(["unshare", "-n", str(BINARY), "meeting", "people", "board", "--data", self.data], capture_output=True, text=True, timeout=20)
            self.assertEqual(done.stdout, "Nobody is in the meeting board.\n", done.stderr)

    def test_each_command_that_uses_a_right_leaves_an_entry_in_the_audit_log(self) -> None:
        actions = []

        def use(action: str, *words: str) -> dict:
            actions.append(action)
            lines = self.run_parley(*words)
            return lines[0] if lines else {}

        use("tenant.create", "tenant", "create", "acme", "--json")
        use("tenant.change", "tenant", "set", "acme", "--capacity", "5", "--json")
        use("key.show", "tenant", "show", "acme", "--show-secrets", "--json")
        use("key.create", "tenant", "rotate-key", "acme", "--json")
        keys = self.run_parley("tenant", "show", "acme", "--json")[0]["keys"]
        use("key.retire", "tenant", "retire-key", "acme", keys[-1]["id"], "--json")
        use("meeting.create", "meeting", "create", "board", "--json")
        use("meeting.schedule", "meeting", "schedule", "team", "--start", START, "--json")
        use("meeting.change", "meeting", "change", "board", "--passcode", "secret-word", "--json")
        use("meeting.cancel", "meeting", "cancel", "team", "--json")
        use("meeting.remove", "meeting", "remove", "board", "--json")
        token = use("token.create", "token", "create", "--room", "board", "--json")
        use("token.revoke", "token", "revoke", token["token"], "--json")
        use("token.revoke", "token", "revoke", "--id", "t_other", "--json")
        use("meeting.create", "user", "room", "ann", "--json")
        use("meeting.remove", "user", "remove-room", "ann", "--json")
        hook = use("webhook.create", "webhook", "create", "http://127.0.0.1:1/", "--json")
        use("webhook.change", "webhook", "set", hook["id"], "--enabled", "no", "--json")
        use("webhook.change", "webhook", "set", hook["id"], "--enabled", "yes", "--json")
        use("webhook.secret", "webhook", "rotate-secret", hook["id"], "--json")
        use("webhook.test", "webhook", "test", hook["id"], "--json")
        delivery = self.run_parley("webhook", "deliveries", hook["id"], "--json")[0]["id"]
        use("webhook.replay", "webhook", "replay", hook["id"], delivery, "--json")
        use("webhook.remove", "webhook", "remove", hook["id"], "--json")
        use("tenant.remove", "tenant", "remove", "acme", "--json")
        use("data.backup", "backup", str(Path(self.data, "copy.sqlite")))
        entries = self.run_parley("audit", "list", "--json")[::-1]
        self.assertEqual([entry["action"] for entry in entries], actions)
        self.assertTrue(all(entry["actor"].startswith("cli ") for entry in entries))
        for secret in (token["token"], hook["secret"], "secret-word"):
            self.assertNotIn(secret, json.dumps(entries))


if __name__ == "__main__":
    unittest.main()
