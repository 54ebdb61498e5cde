"""Bad input, servers that are not there or vanish, and outages: the Swift client ends in bounded time with words for
people, or comes back."""

from __future__ import annotations

import array
import base64
import contextlib
import fcntl
import http.server
import json
import os
import signal
import socket
import sqlite3
import subprocess
import tempfile
import termios
import threading
import time
import unittest
import urllib.parse
import urllib.request
import wave
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

import av
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from browser import wait_for
from client import Client
from ports import free_port
from proxy import CuttableProxy
from server import BINARY, ROOT, Server

#: The longest wait for an answer; joining has its own limit of 30 s.
PATIENCE = 40


def join(*arguments: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess:
    """Runs ``parley join`` to its end."""
    return subprocess.run([str(BINARY), "join", *arguments, "--json"], capture_output=True, text=True, timeout=seconds, cwd=ROOT,
                          stdin=subprocess.DEVNULL)


class Page(http.server.BaseHTTPRequestHandler):
    """Somebody else's web server."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<title>Cats</title>")

    def log_message(self, *_: object) -> None:
        pass


def end(frame: av.AudioFrame | av.VideoFrame) -> float:
    """When the frame ends, or for a picture begins, in seconds: the last frame of a sound may be long or short."""
    return float(frame.time) + (frame.samples / frame.sample_rate if isinstance(frame, av.AudioFrame) else 0)


@contextlib.contextmanager
def small_disk(kilobytes: int):
    """A folder on a file system of that size; only root can make one."""
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", folder], capture_output=True).returncode:
            raise unittest.SkipTest("mounting a small file system needs root")
        try:
            yield folder
        finally:
            subprocess.run(["umount", folder], check=True)


def waiting(reading: int) -> int:
    """How many bytes a pipe holds."""
    count = array.array("i", [0])
    fcntl.ioctl(reading, termios.FIONREAD, count)
    return count[0]


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())

    def refuse(self, *arguments: str, words: tuple[str, ...], status: int = 1, seconds: float = PATIENCE) -> None:
        """That joining fails with these words, one line of them, and says nothing else."""
        result = join(*arguments, seconds=seconds)
        self.assertEqual(result.returncode, status, (arguments, result.stderr, result.stdout))
        for word in words:
            self.assertIn(word, result.stderr, arguments)
        self.assertTrue(result.stderr.startswith("parley: "), result.stderr)
        self.assertEqual(result.stderr.strip().count("\n"), 0, result.stderr)
        self.assertRegex(result.stderr, r"[.\w]\n$")
        self.assertNotIn("joined", result.stdout)
        print(result.stderr.strip().removeprefix("parley: "), end=" … ")

    def test_a_server_that_is_not_there(self) -> None:
        self.refuse(f"http://localhost:{free_port()}/x", words=("cannot be reached", "Check the address"))

    def test_a_name_that_nobody_has(self) -> None:
        self.refuse("http://nowhere.invalid/x", words=("no server named nowhere.invalid",))

    def test_a_server_that_never_answers(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.refuse(f"http://127.0.0.1:{silent.getsockname()[1]}/x", words=("did not answer in time",))

    def test_a_server_that_is_no_parley_server(self) -> None:
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page) as other:
            threading.Thread(target=other.serve_forever, daemon=True).start()
            self.refuse(f"http://127.0.0.1:{other.server_port}/x", words=("not answer as a Parley server",))
            other.shutdown()

    def test_a_certificate_that_nobody_vouches_for(self) -> None:
        with Server("--tls", "self-signed") as server:
            self.refuse(f"https://localhost:{server.port}/x", words=("certificate", "not trusted"))
            with Client(server.url, "x", "Swift", "--insecure") as trusting:
                trusting.joined()

    def test_https_to_a_server_that_speaks_only_http(self) -> None:
        self.refuse(f"https://localhost:{self.server.port}/x", words=("HTTPS",))

    def token(self) -> tuple[str, str]:
        """A meeting and a token for it, as the trusted application gets them."""
        def post(path: str, body: str) -> dict:
            with urllib.request.urlopen(urllib.request.Request(self.server.url + path, body.encode()), timeout=10) as answer:
                return json.loads(answer.read())
        meeting = post("/GetAdhocMeetingJob", "Subject=private")["JoinUrl"]
        token = post("/GetAnonTokenJob", f"ApplicationSessionId=s&AllowedOrigins=http://localhost/&MeetingUrl={meeting}")["Token"]
        return meeting, token

    def test_a_token_opens_its_meeting_and_a_forged_one_opens_nothing(self) -> None:
        meeting, token = self.token()
        with Client(meeting, "", "Swift", "--token", token) as swift:
            swift.joined()
        head, body, signature = token.removeprefix("psat=").split(".")
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        forged = base64.urlsafe_b64encode(json.dumps(claims | {"exp": claims["exp"] + 1}).encode()).rstrip(b"=").decode()
        for bad in (f"psat={head}.{forged}.{signature}", "psat=nonsense", "x"):
            self.refuse(meeting, "--token", bad, words=("token",))

    def signed(self, **changes) -> tuple[str, str]:
        """A meeting and a token for it with other claims, signed by the server's own key."""
        meeting, token = self.token()
        head, body, _ = token.removeprefix("psat=").split(".")
        claims = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))) | changes
        with contextlib.closing(sqlite3.connect(Path(self.server.data) / "parley.sqlite")) as store:
            jwk = json.loads(store.execute("SELECT signing_key FROM tenants WHERE is_default = 1").fetchone()[0])
        number = lambda name: int.from_bytes(base64.urlsafe_b64decode(jwk[name] + "=="), "big")
        key = rsa.RSAPrivateNumbers(
            number("p"), number("q"), number("d"), number("dp"), number("dq"), number("qi"),
            rsa.RSAPublicNumbers(number("e"), number("n"))).private_key()
        text = f"{head}.{base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b'=').decode()}"
        signature = key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return meeting, f"psat={text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"

    def test_an_expired_token(self) -> None:
        meeting, token = self.signed()
        with Client(meeting, "", "Swift", "--token", token) as swift:
            swift.joined()
        old = int(time.time()) - 86_400
        meeting, token = self.signed(iat=old, nbf=old, exp=old + 3_600)
        self.refuse(meeting, "--token", token, words=("token", "expired"))

    def test_a_meeting_that_is_not_there_any_more(self) -> None:
        meeting, token = self.token()
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
        own = next(key for key, value in claims.items() if isinstance(value, str) and value.startswith("m_"))
        meeting, token = self.signed(**{own: "m_" + "a" * 24})
        self.refuse(meeting, "--token", token, words=("meeting",))

    def test_a_token_of_another_server(self) -> None:
        _, token = self.token()
        with Server() as other:
            self.refuse(f"{other.url}/x", "--token", token, words=("token",))

    def test_a_token_of_another_meeting_than_the_address_names(self) -> None:
        meeting, token = self.token()
        name = meeting.rsplit("/", 1)[1]
        for arguments in ((f"{self.server.url}/weekly", "--token", token), (f"{self.server.url}/weekly?jwt={token}",)):
            self.refuse(*arguments, words=("token is for the meeting", name, "weekly"))
        with Client(f"{meeting}?jwt={token}", "", "Swift") as swift:
            swift.joined()

    def test_an_address_that_is_none_of_a_meeting(self) -> None:
        self.refuse(f"{self.server.url}/weekly/notes", words=("/weekly/notes", "<room> is expected"))
        self.refuse(f"{self.server.url}/discover/weekly", words=("--discover",))

    def test_a_file_that_is_no_media(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "noise.mp4")
            path.write_bytes(os.urandom(100_000))
            self.refuse(f"{self.server.url}/x", "--publish", str(path), words=(str(path), "no audio or video"))

    def test_a_file_that_is_not_there(self) -> None:
        self.refuse(f"{self.server.url}/x", "--publish", "/nonexistent.mp4", words=("/nonexistent.mp4", "No such file"))

    def test_a_fifo_that_nobody_writes_to(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "fifo")
            os.mkfifo(path)
            self.refuse(f"{self.server.url}/x", "--publish", str(path), words=(str(path), "it is a FIFO"), seconds=10)

    def test_a_signal_while_a_file_is_being_opened(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            client = subprocess.Popen(
                [str(BINARY), "join", f"{self.server.url}/x", "--json", "--publish", f"http://127.0.0.1:{silent.getsockname()[1]}/film.webm"],
                cwd=ROOT, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            silent.settimeout(20)
            connection, _ = silent.accept()
            with connection:
                client.send_signal(signal.SIGINT)
                _, errors = client.communicate(timeout=5)
            self.assertEqual((client.returncode, errors), (1, "parley: The meeting was left before it was joined.\n"))

    def test_options_that_belong_together(self) -> None:
        for arguments, word in ((("--raw",), "--record"), (("--server", self.server.url), "One meeting")):
            self.refuse(f"{self.server.url}/x", *arguments, words=(word,), status=2)
        self.refuse("--server", self.server.url, words=("--token",), status=2)
        self.refuse("--token", "psat=x", words=("address of one meeting",), status=2)

    def test_a_token_alone_opens_its_meeting(self) -> None:
        meeting, token = self.token()
        with Client(f"--server={self.server.url}", "", "Swift", "--token", token) as swift:
            joined = swift.joined().expect("joined")
            self.assertEqual(joined["url"], meeting)
        self.refuse("--server", self.server.url, "--token", "psat=nonsense", words=("token",))

    def test_a_discover_document_opens_its_meeting(self) -> None:
        body = urllib.request.Request(self.server.url + "/GetAdhocMeetingJob", b"Subject=found")
        with urllib.request.urlopen(body, timeout=10) as answer:
            meeting = json.loads(answer.read())
        with Client(f"--discover={meeting['DiscoverUri']}", "", "Swift") as swift:
            joined = swift.joined().expect("joined")
            self.assertEqual(joined["url"], meeting["JoinUrl"])
        # The anonymous token's document brings no token of its own: it is in the address, encoded as the service does
        # it or once more.
        form = urllib.parse.urlencode(
            {"ApplicationSessionId": "1", "AllowedOrigins": "https://app.example", "MeetingUrl": meeting["JoinUrl"]})
        with urllib.request.urlopen(self.server.url + "/GetAnonTokenJob", form.encode(), timeout=10) as answer:
            anonymous = json.loads(answer.read())
        for uri in (anonymous["DiscoverUri"], anonymous["DiscoverUri"].replace("%3d", "%253d")):
            with Client(f"--discover={uri}", "", "Swift") as swift:
                self.assertEqual(swift.joined().expect("joined")["url"], meeting["JoinUrl"])

    def test_output_that_nobody_reads_or_that_has_no_room_ends_it(self) -> None:
        for way in ("gone", "full"):
            with Client(self.server.url, way, "Witness") as witness:
                witness.joined()
                command = [str(BINARY), "join", f"{self.server.url}/{way}", "--json", "--name", "Blind"]
                with open("/dev/full", "w") as full, subprocess.Popen(
                        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=full if way == "full" else subprocess.PIPE,
                        stderr=subprocess.PIPE) as client:
                    if way == "gone":
                        client.stdout.readline()
                        client.stdout.close()
                    # Its standard input stays open: that is not what ends it.
                    self.assertEqual(client.wait(20), 1, way)
                    self.assertRegex(client.stderr.read(), r"^parley: Standard output cannot be written: .+\n$")
                witness.expect("participantLeft", 5, reason="left")

    def test_a_pipe_that_nobody_reads_stops_neither_the_meeting_nor_the_recording(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Client(self.server.url, "unread", "Ann", "--publish", "testsrc") as ann:
            ann.joined()
            reading, writing = os.pipe()
            # One page, which the first lines fill.
            fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4_096)
            command = [str(BINARY), "join", f"{self.server.url}/unread", "--json", "--name", "Unread", "--record", folder]
            with subprocess.Popen(command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE) as unread, \
                    contextlib.ExitStack() as stack:
                stack.callback(unread.kill)
                os.close(writing)
                ann.expect("participantJoined")
                for number in range(50):
                    ann.command("chat", text=f"{number} " + "x" * 200)
                wait_for("a full pipe", lambda: waiting(reading) > 3_000 or f"no: {waiting(reading)} bytes")
                # Long after that it still hears, records and obeys.
                file = Path(folder, "Ann-microphone.webm")
                size = file.stat().st_size
                wait_for("the recording to go on", lambda: file.stat().st_size > size + 30_000 or f"no: {file.stat().st_size} after {size}")
                unread.stdin.write('{"command":"chat","text":"I am here"}\n{"command":"leave"}\n')
                unread.stdin.flush()
                ann.expect("chat", text="I am here")
                ann.expect("participantLeft", reason="left")
                self.assertEqual(unread.wait(60), 1)
                self.assertRegex(unread.stderr.read(), r"^parley: Standard output was not read: \d+ lines are lost.\n$")
            os.close(reading)
            with av.open(str(file)) as recording:
                self.assertGreater(max(end(frame) for frame in recording.decode(audio=0)), 4)

    def test_commands_that_come_faster_than_the_network_takes_them_wait(self) -> None:
        with Client(self.server.url, "flood", "Swift") as swift, Client(self.server.url, "flood", "Other") as other:
            swift.joined(), other.joined()
            lines = 0
            def flood() -> None:
                nonlocal lines
                with contextlib.suppress(OSError, ValueError):
                    while True:
                        swift.process.stdin.write('{"command":"data","bytes":65536}\n' * 100)
                        swift.process.stdin.flush()
                        lines += 100
            threading.Thread(target=flood, daemon=True).start()
            time.sleep(6)
            taken = lines
            status = Path(f"/proc/{swift.process.pid}/status").read_text()
            resident = int(next(line for line in status.splitlines() if line.startswith("VmRSS:")).split()[1])
            self.assertGreater(taken, 0)
            self.assertLess(resident, 300_000, f"{resident} kB after {taken} commands")
            print(f"{resident} kB after {taken} commands", end=" … ")
            swift.process.send_signal(signal.SIGINT)
            self.assertEqual(swift.end(20), 0, swift.errors[:5])

    def test_a_source_that_is_not_published(self) -> None:
        with Client(self.server.url, "nothing", "Swift") as swift:
            swift.joined()
            swift.command("mute", source="screen")
            swift.command("unpublish", source="nonsense")
            wait_until = time.monotonic() + 10
            while len(swift.errors) < 2 and time.monotonic() < wait_until:
                time.sleep(0.05)
            self.assertEqual([line.rsplit(" ", 1)[1] for line in swift.errors], ["screen.", "nonsense."])

    def test_a_recording_that_cannot_be_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Client(self.server.url, "record", "Ann", "--publish", "testsrc") as ann:
            ann.joined()
            # The file would be where nothing can be.
            Path(folder, "Ann-camera.webm").symlink_to("/proc/nothing/here.webm")
            with Client(self.server.url, "record", "Bob", "--record", folder) as bob:
                bob.joined().expect("trackSubscribed", kind="video")
                bob.sees("Ann")
                # At once, not at the end.
                self.assertRegex(bob.expect("problem")["message"], "Ann-camera.webm cannot be written: No such file")
                bob.command("leave")
                self.assertEqual(bob.end(20), 1)
            self.assertIn("Ann-camera.webm", "\n".join(bob.errors))

    def test_an_earlier_recording_is_kept(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Client(self.server.url, "again", "Ann", "--publish", "testsrc") as ann:
            ann.joined()
            Path(folder, "Ann-camera.webm").write_text("the first")
            with Client(self.server.url, "again", "Bob", "--record", folder) as bob:
                bob.joined().sees("Ann")
                bob.command("leave")
                self.assertEqual(bob.end(20), 0)
            self.assertEqual(Path(folder, "Ann-camera.webm").read_text(), "the first")
            self.assertGreater(Path(folder, "Ann-camera-2.webm").stat().st_size, 0)

    def test_a_recording_on_a_full_disk_is_readable_as_far_as_it_goes(self) -> None:
        # The raw one holds a second or so, since pictures come some time before the sound does, or after it.
        for options, kilobytes, names in (((), 1_400, ("Ann-camera.webm",)), (("--raw",), 12_000, ("Ann-camera.y4m", "Ann-microphone.wav"))):
            with small_disk(kilobytes) as folder, Client(self.server.url, "disk", "Ann", "--publish", "testsrc", "--style", "1") as ann:
                ann.joined()
                with Client(self.server.url, "disk", "Bob", "--record", folder, *options) as bob:
                    bob.joined()
                    self.assertIn("recording stops", bob.expect("problem", 60)["message"])
                    bob.command("leave")
                    self.assertEqual(bob.end(30), 1)
                self.assertIn(f"{folder}/{names[0]} is not whole", " ".join(bob.errors))
                for name in names:
                    with av.open(f"{folder}/{name}") as file:
                        seconds = max(end(frame) for frame in file.decode(file.streams[0]))
                    print(f"{name} {Path(folder, name).stat().st_size} bytes, {seconds:.1f} s", end=" … ")
                    self.assertGreater(seconds, 0.05, name)
                    if name.endswith(".wav"):
                        with wave.open(f"{folder}/{name}") as file:
                            self.assertAlmostEqual(file.getnframes() / 48_000, seconds, delta=0.001)

    def test_a_recording_that_reaches_the_limit_of_a_files_size_is_told_as_a_full_disk_is(self) -> None:
        limit = ("prlimit", f"--fsize={1 << 20}")
        with tempfile.TemporaryDirectory() as folder, Client(self.server.url, "limit", "Ann", "--publish", "testsrc") as ann:
            ann.joined()
            with Client(self.server.url, "limit", "Bob", "--record", folder, "--raw", within=limit) as bob:
                bob.joined()
                self.assertIn("File too large", bob.expect("problem", 60)["message"])
                bob.command("leave")
                self.assertEqual(bob.end(30), 1)
            with av.open(f"{folder}/Ann-camera.y4m") as file:
                self.assertGreater(sum(1 for _ in file.decode(video=0)), 1)

    def test_one_wish_to_end_that_comes_as_two_signals_is_one_wish(self) -> None:
        # Different ones, since the system makes one of equal ones that wait.
        for pair in ((signal.SIGTERM, signal.SIGINT), (signal.SIGHUP, signal.SIGTERM)):
            with Client(self.server.url, "twice", "Witness") as witness, Client(self.server.url, "twice", "Swift") as swift:
                witness.joined(), swift.joined()
                for number in pair:
                    swift.process.send_signal(number)
                self.assertEqual(swift.end(10), 0, swift.errors)
                witness.expect("participantLeft", 5, reason="left")

    def test_a_second_wish_ends_at_once_what_does_not_end_by_itself(self) -> None:
        # Nobody reads what it writes, so that it stands still.
        reading, writing = os.pipe()
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, 4_096)
        try:
            with Client(self.server.url, "stuck", "Ann", "--publish", "testsrc") as ann, subprocess.Popen(
                    [str(BINARY), "join", f"{self.server.url}/stuck", "--json"], cwd=ROOT, stdin=subprocess.PIPE, stdout=writing) as client:
                ann.joined()
                # write(1, …), in the order of the system's registers.
                waits = lambda: any(call.read_text().startswith("1 0x1 ") for call in Path(f"/proc/{client.pid}/task").glob("*/syscall"))
                wait_for("a line that does not get out", lambda: waits() or "no: it writes", 60)
                client.send_signal(signal.SIGTERM)
                time.sleep(0.5)
                client.send_signal(signal.SIGTERM)
                time.sleep(1)
                self.assertIsNone(client.poll(), "a signal half a second after the first ended it")
                client.send_signal(signal.SIGTERM)
                self.assertEqual(client.wait(5), 128 + signal.SIGTERM)
        finally:
            os.close(reading), os.close(writing)

    def test_a_camera_that_is_not_there(self) -> None:
        self.refuse(f"{self.server.url}/x", "--camera", "No such camera", words=("No such camera", "camera"))

    def test_a_folder_that_cannot_be_written(self) -> None:
        self.refuse(f"{self.server.url}/x", "--record", "/proc/parley", words=("/proc/parley",))

    def test_wrong_use_is_told_from_failure(self) -> None:
        self.refuse(f"{self.server.url}/x", "--codec", "VP10", words=("VP8, VP9 or H264",), status=2)
        self.refuse(words=("address",), status=2)


class Outages(unittest.TestCase):
    """Each has servers of its own and mostly waits, so two run at the same time; each test shows the result of one. All
    four at once, next to other tests, would be too much: eight clients with video to start and join at one moment."""

    @classmethod
    def setUpClass(cls) -> None:
        pool = ThreadPoolExecutor(2)
        cls.addClassCleanup(pool.shutdown)
        # Those that wait for twenty seconds come first, together.
        cls.scenarios = {name: pool.submit(getattr(cls, name)) for name in ("without_signalling", "frozen", "killed", "stopped")}

    def tell(self, name: str) -> None:
        # Each of their own waits has an end.
        print(self.scenarios[name].result(), end=" … ")

    def test_a_server_that_is_killed_ends_the_call_in_bounded_time(self) -> None:
        self.tell("killed")

    def test_a_server_that_stops_ends_the_call_well(self) -> None:
        self.tell("stopped")

    def test_a_meeting_survives_20_s_without_signalling(self) -> None:
        self.tell("without_signalling")

    def test_a_meeting_survives_20_s_without_the_server(self) -> None:
        self.tell("frozen")

    @staticmethod
    def killed() -> str:
        check = unittest.TestCase()
        with contextlib.ExitStack() as stack:
            server = stack.enter_context(running(Server("--resume-window", "3")))
            swift = stack.enter_context(Client(server.url, "x", "Swift", "--publish", "testsrc", "--patience", "3"))
            other = stack.enter_context(Client(server.url, "x", "Other", "--patience", "3"))
            swift.joined(), other.joined()
            other.sees("Swift")
            server.process.kill()
            killed = time.monotonic()
            server.process.wait()
            for client in (swift, other):
                check.assertEqual(client.end(60), 1)
                check.assertTrue(client.all("reconnecting"))
                check.assertEqual(client.all("left")[-1]["reason"], "connectionLost")
                check.assertIn("cannot be reached", " ".join(client.errors))
                check.assertEqual(len(client.errors), 1, client.errors)
                check.assertFalse(Path(f"/proc/{client.process.pid}").exists())
            return f"over after {time.monotonic() - killed:.0f} s: {swift.errors[0]}"

    @staticmethod
    def stopped() -> str:
        check = unittest.TestCase()
        with Server() as server, Client(server.url, "x", "Swift", "--publish", "testsrc") as swift:
            swift.joined()
            server.stop()
            check.assertEqual(swift.end(20), 0)
            check.assertEqual(swift.all("left")[-1]["reason"], "shutdown")
            return swift.all("left")[-1]["message"]

    @staticmethod
    def without_signalling() -> str:
        check = unittest.TestCase()
        with Server() as server:
            proxy = CuttableProxy(server.port)
            try:
                with outage(proxy.url, server, proxy.cut, proxy.mend) as (near, far, flowed, story):
                    check.assertGreater(flowed, 100, "media must go on while signalling is away")
                    check.assertEqual(len(near.all("joined")), 1)
                    check.assertEqual(far.all("participantLeft"), [])
                    return story
            finally:
                proxy.close()

    @staticmethod
    def frozen() -> str:
        with Server() as server:
            freeze = lambda: server.process.send_signal(signal.SIGSTOP)
            thaw = lambda: server.process.send_signal(signal.SIGCONT)
            try:
                with outage(server.url, server, freeze, thaw) as (_, _, _, story):
                    return story
            finally:
                thaw()


@contextlib.contextmanager
def outage(url: str, server: Server, begin: Callable[[], None], finish: Callable[[], None]):
    """Two participants, one of them behind what fails for 20 s; goes on when it has said that it is back and media
    flows again."""
    with Client(server.url, "x", "Far", "--publish", "testsrc", "--style", "1") as far, \
            Client(url, "x", "Near", "--publish", "testsrc") as near:
        far.joined(), near.joined()
        far.sees("Near"), near.sees("Far")
        decoded = lambda client: sum(each["framesDecoded"] for each in client.received("video"))
        near.statistics("pictures before", lambda: decoded(near) > 25)
        begin()
        began = time.monotonic()
        near.expect("reconnecting", 30)
        before = decoded(near)
        # The outage itself: twenty seconds are what is promised.
        time.sleep(max(0, began + 20 - time.monotonic()))
        flowed = decoded(near) - before
        finish()
        finished = time.monotonic()
        back = near.expect("reconnected", 40)["seen"]
        for client in (near, far):
            client.statistics("pictures afterwards", lambda: (lines := [
                each for each in client.all("stats") if each["seen"] > max(back, finished) + 2])
                and sum(each["framesPerSecond"] for each in lines[-1]["received"] if each["kind"] == "video") > 10, 40)
        if near.all("left"):
            raise AssertionError(f"it was put out: {near.all('left')}")
        yield near, far, flowed, (
            f"reconnecting by {[each['step'] for each in near.all('reconnecting')]}, back {back - finished:.1f} s after the outage, "
            f"{flowed} pictures during it")


@contextlib.contextmanager
def running(server: Server):
    """A server that the test itself kills."""
    server.__enter__()
    try:
        yield server
    finally:
        server.process.kill()
        server.process.wait()
        server._folder.cleanup()


if __name__ == "__main__":
    unittest.main()
