"""Every command in the guides for operators runs as it is written there."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

import aiohttp

from signaling_client import SignalingClient
from server import BINARY, ROOT, Server

# In the order of their tasks: a tenant is made before a command is about it.
TASKS = [f"docs/operating/{task}.md" for task in ("data", "tenants", "meetings", "administration")]
PAGES = [path.relative_to(ROOT).as_posix() for folder in ("operating", "protocol") for path in sorted((ROOT / "docs" / folder).glob("*.md"))]
GUIDES = ("README.md", "docs/operating.md", *TASKS, *(page for page in PAGES if page not in TASKS), "docs/webhooks.md", "docs/protocol.md")
# Commands that aren't a single run next to a server: the server itself, building, and a live meeting.
APART = ("parley serve", ".build/release/parley", "make ")


def blocks(guide: str) -> list[str]:
    """The commands in the guide's blocks of shell, one line each, without comments."""
    text = (ROOT / guide).read_text()
    lines: list[str] = []
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if command := re.sub(r"\s+#.*", "", line).strip():
                lines.append(command)
    return lines


def mentions(guide: str) -> list[str]:
    """Commands within sentences, which are often parts of one."""
    return re.findall(r"`(parley [^`]*)`", (ROOT / guide).read_text())


def parley(*arguments: str, data: str | None = None) -> subprocess.CompletedProcess:
    environment = {**os.environ, **({"PARLEY_DATA": data} if data else {})}
    return subprocess.run([BINARY, *arguments], text=True, capture_output=True, timeout=30, env=environment)


class Guests:
    """People in a meeting, until the block ends."""

    def __init__(self, server: Server, token: str, *names: str):
        self.server, self.token, self.names = server, token, names
        self.ready, self.over = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.stay()), daemon=True)

    async def stay(self) -> None:
        async with aiohttp.ClientSession() as session:
            clients = [SignalingClient(session, self.server.url) for _ in self.names]
            for client, name in zip(clients, self.names):
                await client.join(self.token, name)
            self.ready.set()
            await asyncio.to_thread(self.over.wait, 60)

    def __enter__(self) -> Guests:
        self.thread.start()
        assert self.ready.wait(20), "nobody came into the meeting"
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join(20)


class Guides(unittest.TestCase):
    def test_every_command_of_the_guides_runs_as_it_is_written(self) -> None:
        with tempfile.TemporaryDirectory(prefix="parley-guides-") as folder, Server() as server:
            def listed(*arguments: str) -> list[dict]:
                done = parley(*arguments, "--json", data=server.data)
                self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
                return [json.loads(line) for line in done.stdout.splitlines()]

            places = {"/var/lib/parley": server.data, "/backups": f"{folder}/backups", "http://127.0.0.1:9090": f"http://127.0.0.1:{server.admin_port}"}
            Path(folder, "backups").mkdir()
            Path(folder, "bin").mkdir()
            Path(folder, "bin/parley").symlink_to(BINARY)
            environment = {**os.environ, "PARLEY_DATA": server.data, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
            token = listed("token", "create", "--room", "daily")[0]["token"]
            ran = 0
            with Guests(server, token, "Ben", "Eve"):
                # A tenant is removed last: later commands are about it.
                commands = sorted((line for guide in GUIDES for line in blocks(guide)), key=lambda line: line.startswith("parley tenant remove"))
                for command in commands:
                    if command.startswith(APART):
                        continue
                    for written, here in places.items():
                        command = command.replace(written, here)
                    if " restore " in command:
                        command = command.replace(server.data, f"{folder}/restored")
                    # Names that only this run has.
                    if "k_" in command:
                        oldest = listed("tenant", "show", "acme")[0]["keys"][-1]["id"]
                        command = re.sub(r"k_[0-9a-z]+", oldest, command)
                    if "w_" in command:
                        hook = listed("webhook", "list", "--tenant", "acme")[0]["id"]
                        if not listed("webhook", "deliveries", hook):
                            self.assertEqual(parley("webhook", "test", hook, data=server.data).returncode, 0)
                        command = re.sub(r"w_[0-9a-z]+", hook, command)
                        command = re.sub(r"d_[0-9a-z]+", listed("webhook", "deliveries", hook)[0]["id"], command)
                    command = re.sub(r"\bTOKEN\b", listed("token", "create", "--room", "other")[0]["token"], command)
                    done = subprocess.run(["bash", "-c", command], input="12345678\n", text=True, capture_output=True, timeout=60,
                                          env=environment, cwd=folder)
                    self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
                    if command.startswith("curl"):
                        self.assertNotIn("Error", json.loads(done.stdout), command)
                    ran += 1
            self.assertGreater(ran, 30, "the guides have hardly any commands")
            self.assertTrue(Path(folder, "restored/parley.sqlite").exists())
            self.assertIn("BEGIN:VCALENDAR", Path(folder, "invitation.ics").read_text())

    def test_every_command_and_option_that_the_guides_name_is_there(self) -> None:
        help_of: dict[tuple[str, ...], str] = {}
        named = 0
        for guide in GUIDES:
            for command in mentions(guide) + [line for line in blocks(guide) if line.startswith("parley ")]:
                words = command.split()[1:]
                path = tuple(word for word in words[:2] if re.fullmatch(r"[a-z][a-z-]+", word))
                # The second word may be an operand.
                if len(path) == 2 and f"  {path[1]} " not in parley(path[0], "--help").stdout:
                    path = path[:1]
                if path not in help_of:
                    done = parley(*path, "--help")
                    self.assertEqual((done.returncode, done.stderr), (0, ""), f"{guide}: {command}")
                    help_of[path] = done.stdout
                for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", command):
                    named += 1
                    if option != "--help" and len(path) == 2 or path == ("serve",):
                        self.assertIn(option, help_of[path], f"{guide}: {command}")
        self.assertGreater(named, 40, "the guides name hardly any options")


if __name__ == "__main__":
    unittest.main()
