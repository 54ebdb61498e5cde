"""A server that is killed again and again while it writes loses nothing that it has acknowledged.

    KILL_ROUNDS=200 KILL_SEED=1 .venv/bin/python Tests/Interop/run.py test_kill        (or `make kill-loop`)

``kill -9`` ends the process and not the machine: what the kernel has taken it keeps. That bytes are on the disk before
they are acknowledged, which matters when the power fails, this cannot show.
"""

from __future__ import annotations

import os
import random
import tempfile
import unittest

from browser import run_aside
from kill_loop import Kept, Server, check_each, check_lists, check_mailboxes, check_meetings, kill_while_starting, kill_while_writing

ROUNDS = int(os.environ.get("KILL_ROUNDS", "4"))
SEED = int(os.environ.get("KILL_SEED", "1"))


def ended(kept: Kept) -> int:
    """How many meetings hosts have ended."""
    return sum(action == "meeting.endMeeting" for action, _ in kept.audit)


def locked(kept: Kept) -> int:
    """How many locked meetings were killed."""
    return sum(live.is_locked and live.is_over is False for live in kept.live.values())


def missing(kept: Kept) -> list[str]:
    """Counts that are still too low for the kills to show anything."""
    done = {"ten writes a round": kept.writes > ROUNDS * 10, "a planned meeting": kept.planned, "a ban": kept.banned, "a meeting ended by a host": ended(kept),
            "something for a webhook": kept.heard}
    # A few rounds may not come that far.
    if ROUNDS >= 20:
        done |= {"a locked meeting that was killed": locked(kept), "a chat message": kept.messages, "a file in a chat": kept.chat_files, "a message in a mailbox": kept.mails,
                 "a killed meeting with a vote": any(live.vote is not None and live.is_over is False for live in kept.live.values())}
        done |= {what: getattr(kept, what) for what in ("personal", "subjects", "retired", "events", "gone_webhooks")}
    return [what for what, is_done in done.items() if not is_done]


class Killed(unittest.TestCase):
    def test_a_server_that_is_killed_under_load_loses_nothing_that_it_acknowledged(self) -> None:
        dice = random.Random(SEED)
        total, last = Kept(), Kept()
        number = 0
        with tempfile.TemporaryDirectory(prefix="parley-kill-") as data:
            # How much a server has done when it is killed is a matter of the machine: it is killed until everything was
            # among it, and later and later where it gets less far.
            while number < ROUNDS or number < 50 * ROUNDS and missing(total):
                if dice.random() < 0.3:
                    kill_while_starting(data, dice)
                longest = 1 + max(number - ROUNDS, 0) / ROUNDS
                last, problems = kill_while_writing(data, last, total, SEED * 1_000_000 + number, dice, longest)
                number += 1
                self.assertEqual(problems, [], f"in round {number} of seed {SEED}")
                total.add(last)
            with Server("--log-level", "warning", data=data) as server:
                self.assertEqual(check_lists(server, total, whole=True) + check_each(server, last), [])
                self.assertEqual(run_aside(check_meetings(server, last)), [])
                self.assertEqual(run_aside(check_mailboxes(server, last)), [])
        self.assertEqual(missing(total), [], f"never done in {number} rounds")
        print(f"{number} kills, {total.writes} acknowledged writes ({len(total.planned)} planned meetings, {len(total.banned)} bans, {ended(total)} whole meetings; "
              f"{locked(total)} locked ones killed, {total.messages} chat messages, {total.chat_files} files, {total.mails} messages in mailboxes), none lost", end=" … ")


if __name__ == "__main__":
    unittest.main()
