"""Key vaults in the hands of others: a stolen database, many who guess at once, a server that is killed between
guesses, and one that brings an old record back."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command import run
from ports import free_port
from server import BINARY, Server

PASSCODE, OTHER = "seven green kettles", "nine quiet lanterns"


class HostileVaults(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-vault-")))
        self.data = str(self.folder / "data")
        # Devices know a server by its address.
        self.port = free_port()

    def start(self, data: str | None = None) -> Server:
        server = Server(data=data or self.data, port=self.port)
        server.__enter__()
        self.addCleanup(self.kill, server)
        return server

    @staticmethod
    def kill(server: Server) -> None:
        """Ends a server as a crash does, if it still runs."""
        server.process.kill()
        server.process.wait()

    def token(self, server: Server) -> str:
        return run(server, "token", "create", "--room", "*", "--user", "ann@example.com")[0]["token"]

    def vault(self, server: Server, *words: str, lines: tuple[str, ...] = (PASSCODE,), device: str = "laptop", status: int = 0) -> dict | str:
        """``parley vault`` on a device: what it printed, or why it refused."""
        done = subprocess.run(
            [str(BINARY), "vault", *words, "--server", server.url, "--token", self.token(server), "--state", str(self.folder / f"{device}.json"), "--json"],
            capture_output=True, text=True, input="".join(f"{line}\n" for line in lines), timeout=120)
        self.assertEqual(done.returncode == 0, status == 0, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1]) if status == 0 else done.stderr

    def guess(self, server: Server, token: str) -> str:
        """A try with another passcode, by somebody with the login: the code of its refusal."""
        body = json.dumps({"token": base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")}).encode()
        request = urllib.request.Request(f"{server.url}/api/v1/vault/open", body, {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return f"opened {answer.status}"
        except urllib.error.HTTPError as error:
            return json.load(error)["code"]

    def test_bad_input_16_guesses_at_once_and_over_kills_get_ten_tries_and_then_a_lock(self) -> None:
        # threat 52
        server = self.start()
        self.vault(server, "create")
        token = self.token(server)
        left = []
        for _ in range(4):
            self.assertEqual(self.guess(server, token), "wrongPasscode")
            self.kill(server)
            server = self.start()
            left.append(self.vault(server, "status")["triesLeft"])
        self.assertEqual(left, [9, 8, 7, 6])
        with ThreadPoolExecutor(20) as pool:
            codes = list(pool.map(lambda _: self.guess(server, token), range(20)))
        # The tenth one locks.
        self.assertEqual((codes.count("wrongPasscode"), codes.count("vaultLocked")), (5, 15), codes)
        self.kill(server)
        server = self.start()
        # The right one doesn't open it either.
        self.assertIn("is locked for", self.vault(server, "open", status=1))
        self.assertEqual(self.vault(server, "status")["state"], "locked")
        self.kill(server)

    def test_bad_input_16_a_database_without_its_pepper_opens_with_no_passcode(self) -> None:
        # threat 51
        server = self.start()
        recovery = self.vault(server, "create")["recoveryKey"]
        opened = self.vault(server, "open")
        subprocess.run([str(BINARY), "backup", str(self.folder / "copy.sqlite"), "--data", self.data], check=True, capture_output=True, timeout=120)
        self.kill(server)
        stolen = self.folder / "stolen"
        shutil.copytree(self.data, stolen, ignore=shutil.ignore_patterns("vault-pepper", "socket"))
        pepper = Path(self.data, "vault-pepper").read_bytes()
        texts = [pepper, base64.b64encode(pepper).rstrip(b"="), base64.urlsafe_b64encode(pepper).rstrip(b"="), PASSCODE.encode(), recovery.encode()]
        files = [path for path in [*stolen.rglob("*"), self.folder / "copy.sqlite"] if path.is_file()]
        self.assertEqual([path.name for path in files if any(text in path.read_bytes() for text in texts)], [])
        thief = self.start(str(stolen))
        self.assertIn("pepper", self.vault(thief, "open", status=1) + thief.log())
        self.assertFalse((stolen / "vault-pepper").exists())
        self.kill(thief)
        # With a pepper of the thief's own the right passcode opens nothing.
        (stolen / "vault-pepper").write_bytes(os.urandom(32))
        (stolen / "vault-pepper").chmod(0o600)
        thief = self.start(str(stolen))
        self.assertIn("has lost its part", self.vault(thief, "open", status=1))
        self.assertNotIn("opened", self.guess(thief, self.token(thief)))
        self.kill(thief)
        server = self.start()
        self.assertEqual(self.vault(server, "open"), opened)
        server.__exit__()

    def test_bad_input_16_a_device_refuses_the_older_record_of_a_restored_database(self) -> None:
        # threat 53
        server = self.start()
        self.vault(server, "create")
        code = self.vault(server, "open")["code"]
        server.__exit__()
        old = self.folder / "old"
        shutil.copytree(self.data, old)
        server = self.start()
        self.vault(server, "change", lines=(PASSCODE, OTHER))
        self.assertEqual(self.vault(server, "open", lines=(OTHER,))["code"], code)
        server.__exit__()
        hostile = self.start(str(old))
        self.assertIn("an older vault", self.vault(hostile, "open", status=1))
        # A device that has seen nothing yet can't notice.
        self.assertEqual(self.vault(hostile, "open", device="phone")["code"], code)
        hostile.__exit__()


if __name__ == "__main__":
    unittest.main()
