"""Actions of an operator, and the server's bad days."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

from browser import Person, shared_driver, wait_for
from ports import free_port
from server import BINARY, ROOT, Server


def fetch(url: str, form: dict[str, str] | None = None, method: str | None = None, **headers: str) -> tuple[int, str]:
    """Status and body of a request."""
    body = urllib.parse.urlencode(form).encode() if form is not None else None
    request = urllib.request.Request(url, body, headers, method=method)
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with urllib.request.urlopen(request, timeout=10, context=context if url.startswith("https") else None) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def run(*arguments: str, seconds: float = 10) -> subprocess.CompletedProcess:
    """Runs ``parley`` to its end."""
    return subprocess.run([str(BINARY), *arguments], capture_output=True, text=True, timeout=seconds, cwd=ROOT)


class CommandLine(unittest.TestCase):
    def test_help_and_version_exit_with_0(self) -> None:
        for arguments in (["--help"], ["help"], ["version"]):
            self.assertEqual(run(*arguments).returncode, 0, arguments)
        for command in ("serve", "demo", "join", "load"):
            help = run(command, "--help")
            self.assertEqual((help.returncode, help.stderr), (0, ""), command)
            self.assertIn(f"Usage: parley {command}", help.stdout)
            self.assertEqual(run("help", command).stdout, help.stdout)
            self.assertEqual(run(command, "-h").stdout, help.stdout)

    def test_wrong_use_exits_with_2_and_says_what_was_expected(self) -> None:
        for arguments, words in ((["serve", "--prot", "1"], "--port"), (["serve", "--port", "http"], "0 to 65535"),
                                 (["sirve"], "help"), (["serve", "--tls", "yes"], "self-signed")):
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr)

    def test_a_port_in_use_is_named_with_what_to_do(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other, tempfile.TemporaryDirectory() as data:
            port = other.getsockname()[1]
            result = run("serve", "--host", "127.0.0.1", "--port", str(port), "--media-port", "0", "--data", data)
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(port), result.stderr)
        self.assertIn("--port", result.stderr)

    def test_a_data_folder_that_cannot_be_written_is_named(self) -> None:
        result = run("serve", "--port", "0", "--media-port", "0", "--data", "/proc/parley")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/proc/parley", result.stderr)

    def test_a_full_disk_is_an_error_and_not_a_crash(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True)
            if mounted.returncode:
                self.skipTest("mounting a small file system needs root")
            try:
                Path(folder, "filler").write_bytes(b"x" * 60_000)
                result = run("serve", "--port", "0", "--media-port", "0", "--data", folder)
            finally:
                subprocess.run(["umount", folder], check=True)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("No space is left", result.stderr)


class Endpoints(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def test_health_readiness_and_metrics(self) -> None:
        self.assertEqual(fetch(self.server.url + "/healthz")[0], 200)
        self.assertEqual(fetch(self.server.url + "/readyz")[0], 200)
        self.assertIn("parley_joins_total", " ".join(self.server.metrics()))

    def test_threat_34_metrics_are_not_on_the_public_port(self) -> None:
        self.assertNotIn("parley_joins_total", fetch(self.server.url + "/metrics")[1])

    def test_the_service_applications_two_steps_lead_to_a_discover_document(self) -> None:
        status, text = fetch(self.server.url + "/GetAdhocMeetingJob", {"Subject": "adhoc", "Description": "d", "AccessLevel": ""})
        meeting = json.loads(text)
        self.assertEqual(status, 200)
        self.assertEqual(set(meeting), {"JoinUrl", "OnlineMeetingUri", "OrganizerUri", "DiscoverUri", "ExpireTime"})
        # As the seed's app sends it: the origin percent-encoded in lower case, the meeting's address raw.
        body = f"ApplicationSessionId=AnonMeeting&AllowedOrigins=http%3a%2f%2flocalhost%2f&MeetingUrl={meeting['JoinUrl']}"
        request = urllib.request.Request(self.server.url + "/GetAnonTokenJob", body.encode())
        with urllib.request.urlopen(request, timeout=10) as answer:
            token = json.loads(answer.read())
        self.assertEqual(set(token), {"DiscoverUri", "Token", "ExpireTime", "TenantEndpointId"})
        for value in [*meeting.values(), *token.values()]:
            self.assertIsInstance(value, str)
        self.assertTrue(token["Token"].startswith("psat=ey"))
        status, text = fetch(token["DiscoverUri"])
        self.assertEqual(status, 200, text)
        self.assertIn("/signal", json.loads(text)["signaling"])

    def test_wrong_requests_are_400_with_an_error(self) -> None:
        good = json.loads(fetch(self.server.url + "/GetAdhocMeetingJob", {"Subject": "a"})[1])["JoinUrl"]
        session = {"ApplicationSessionId": "s", "AllowedOrigins": "http://localhost/", "MeetingUrl": good}
        for change in ({"ApplicationSessionId": ""}, {"AllowedOrigins": "javascript:1"}, {"MeetingUrl": "http://elsewhere.example/x"},
                       {"MeetingUrl": self.server.url + "/" + "z" * 26 + "%00"}, {"MeetingUrl": "nonsense"}):
            status, text = fetch(self.server.url + "/GetAnonTokenJob", session | change)
            self.assertEqual((status, "Error" in json.loads(text)), (400, True), (change, text))

    def test_threat_28_a_foreign_host_name_is_not_believed(self) -> None:
        status, text = fetch(self.server.url + "/GetAdhocMeetingJob", {"Subject": "a"}, Host="evil.example")
        self.assertEqual((status, json.loads(text)["code"]), (421, "unknownHost"))

    def test_errors_of_the_transport_are_json_too(self) -> None:
        status, text = fetch(self.server.url + "/GetAdhocMeetingJob", {"Subject": "a" * 300_000})
        self.assertEqual((status, json.loads(text)["code"]), (413, "tooLarge"))

    def test_reserved_names_are_no_rooms(self) -> None:
        status, text = fetch(self.server.url + "/discover/admin")
        self.assertIn(status, (400, 404), text)
        self.assertIn("Error", json.loads(text))

    def test_kill_9_loses_no_meeting(self) -> None:
        with tempfile.TemporaryDirectory() as data:
            port = free_port()
            first = Server(data=data, port=port).__enter__()
            meeting = json.loads(fetch(first.url + "/GetAdhocMeetingJob", {"Subject": "kept"})[1])
            first.process.kill()
            first.process.wait()
            with Server(data=data, port=port) as second:
                status, text = fetch(second.url + "/GetAnonTokenJob", {
                    "ApplicationSessionId": "s", "AllowedOrigins": "http://localhost/", "MeetingUrl": meeting["JoinUrl"]})
                self.assertEqual(status, 200, text)


class Ends(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()

    def test_shutdown_is_told_to_pages(self) -> None:
        with Server() as server, Person(self.driver, "Ann") as ann:
            ann.join(server.url, "room")
            ann.evaluate("() => window.parley.addEventListener('ended', (event) => { window.ended = event.detail.reason; })")
            server.stop()
            wait_for("the page to learn of the end", lambda: ann.page.evaluate("() => window.ended") == "shutdown")
            self.assertEqual(server.process.wait(10), 0)

    def test_https_with_a_self_made_certificate(self) -> None:
        with Server("--tls", "self-signed") as server, Person(self.driver, "Ann") as ann, Person(self.driver, "Ben") as ben:
            self.assertTrue(server.url.startswith("https://"), server.url)
            ann.join(server.url, "room")
            ben.join(server.url, "room")
            ben.sees("Ann")

    def test_threat_10_a_silent_peer_gets_no_media_and_leaves(self) -> None:
        with Server("--resume-window", "5") as server, Person(self.driver, "Ann") as ann, \
                Person(self.driver, "Ben", arguments=("--parley-test-silent",)) as ben:
            ann.join(server.url, "room")
            ben.join(server.url, "room")
            ben.sees("Ann")
            self.assertGreater(sent_in(server, 2), 60, "two people's media are dozens of packets a second")
            processes = descendants("--parley-test-silent")
            self.assertTrue(processes)
            for process in processes:
                os.kill(process, signal.SIGSTOP)
            stopped = time.monotonic()
            try:
                time.sleep(10)
                self.assertEqual(ann.names(), ["Ben"], "ten silent seconds are not enough to be gone")
                wait_for("Ben to be gone from Ann's page", lambda: ann.names() == [] or f"no: {ann.names()}", 75, 1)
                print(f"gone after {time.monotonic() - stopped:.0f} s", end=" … ")
                # Checks and feedback still go to Ann.
                self.assertLess(sent_in(server, 2), 60)
            finally:
                for process in processes:
                    os.kill(process, signal.SIGCONT)


def sent_in(server: Server, seconds: float) -> float:
    """Datagrams that the media workers send in that time."""

    def sent() -> float:
        return sum(value for name, value in server.metrics().items() if name.startswith("parley_media_datagrams_sent_total"))

    before = sent()
    time.sleep(seconds)
    return sent() - before


def descendants(flag: str) -> list[int]:
    """The browser with that flag, and every process below it."""
    parents: dict[int, int] = {}
    roots = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            pid = int(folder.name)
            parents[pid] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            if flag in (folder / "cmdline").read_text():
                roots.add(pid)
        except OSError:
            continue
    found = {pid for pid in roots if "chromium" in (Path(f"/proc/{pid}/cmdline").read_text())}
    while True:
        more = {pid for pid, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found)
        found |= more


if __name__ == "__main__":
    unittest.main()
