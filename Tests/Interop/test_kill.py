"""A server that is killed again and again while it writes loses nothing that it has acknowledged.

    KILL_ROUNDS=200 KILL_SEED=1 .venv/bin/python Tests/Interop/run.py test_kill        (or `make kill-loop`)

``kill -9`` ends the process and not the machine: what the kernel has taken it keeps. That bytes are on the disk before they are acknowledged,
which matters when the power fails, this cannot show.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import unittest

from kill_loop import Kept, Server, check_each, check_lists, check_meetings, kill_while_starting, kill_while_writing

ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
SEED = int(os.environ.get("KILL_SEED", "1"))


class Killed(unittest.TestCase):
    def test_a_server_that_is_killed_under_load_loses_nothing_that_it_acknowledged(self) -> None:
        dice = random.Random(SEED)
        total, last = Kept(), Kept()
        with tempfile.TemporaryDirectory(prefix="parley-kill-") as data:
            for number in range(ROUNDS):
                if dice.random() < 0.3:
                    kill_while_starting(data, dice)
                last, problems = kill_while_writing(data, last, total, SEED * 1_000_000 + number, dice)
                self.assertEqual(problems, [], f"in round {number + 1} of seed {SEED}")
                total.add(last)
            with Server("--log-level", "warning", data=data) as server:
                self.assertEqual(check_lists(server, total, whole=True) + check_each(server, last), [])
                self.assertEqual(asyncio.run(check_meetings(server, last)), [])
        self.assertGreater(total.writes, ROUNDS * 10, "hardly anything was written")
        self.assertGreater(len(total.planned), 0, "nothing was planned")
        self.assertGreater(len(total.banned), 0, "nobody was banned")
        ended = sum(action == "meeting.endMeeting" for action, _ in total.audit)
        self.assertGreater(ended, 0, "no host has ended a meeting")
        self.assertGreater(len(total.heard), 0, "nothing was to be told to webhooks")
        locked = sum(live.is_locked and live.is_over is False for live in total.live.values())
        # A few rounds on a busy machine may not come that far.
        if ROUNDS >= 20:
            self.assertGreater(locked, 0, "no locked meeting was killed")
            self.assertGreater(total.messages, 0, "nobody wrote in a chat")
            self.assertGreater(total.chat_files, 0, "no file was sent")
            self.assertGreater(sum(live.vote is not None and live.is_over is False for live in total.live.values()), 0, "no meeting with a vote was killed")
            for what in ("personal", "subjects", "retired", "events", "gone_webhooks"):
                self.assertGreater(len(getattr(total, what)), 0, f"nothing of {what} was written")
        print(f"{ROUNDS} kills, {total.writes} acknowledged writes ({len(total.planned)} planned meetings, {len(total.banned)} bans, {ended} whole meetings; "
              f"{locked} locked ones killed, {total.messages} chat messages, {total.chat_files} files), none lost", end=" … ")


if __name__ == "__main__":
    unittest.main()
