"""A server whose files change while it runs, seen from outside: certificate files, the configuration file, SIGHUP."""

from __future__ import annotations

import hashlib
import os
import pty
import signal
import socket
import ssl
import subprocess
import tempfile
import unittest
from pathlib import Path

from browser import wait_for
from server import Server


def make_pair(folder: Path, days: int = 90) -> Path:
    """A certificate for localhost and its key, made by OpenSSL, in a folder of their own."""
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", str(days), "-subj",
         "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(folder / "key.pem"), "-out",
         str(folder / "chain.pem")], check=True, capture_output=True, timeout=60)
    return folder


def fingerprint(pair: Path, name: str = "chain.pem") -> str:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert((pair / name).read_text())).hexdigest()


def connect(port: int, session: ssl.SSLSession | None = None, version: ssl.TLSVersion | None = None) -> ssl.SSLSocket:
    context = connect.context
    if version:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = context.maximum_version = version
    return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10), server_hostname="localhost", session=session)


connect.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
connect.context.check_hostname, connect.context.verify_mode = False, ssl.CERT_NONE
connect.context.set_alpn_protocols(["h2", "http/1.1"])


def served(port: int) -> str:
    """The certificate that a new handshake shows."""
    with connect(port) as connection:
        return hashlib.sha256(connection.getpeercert(True)).hexdigest()


def get(connection: ssl.SSLSocket) -> bytes:
    connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = b""
    while not answer.endswith(b"ok\n"):
        piece = connection.recv(4096)
        if not piece:
            break
        answer += piece
    return answer.split(b"\r\n")[0]


class Reload(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="parley-reload-")))

    def serves(self, server: Server, pair: Path, name: str = "chain.pem") -> None:
        wait_for("the certificate to be served", lambda: served(server.port) == fingerprint(pair, name)
                 or f"no: {server.log()[-500:]}", 30)

    def test_renewed_certificates_are_served_without_a_restart_and_broken_ones_are_not(self) -> None:
        live = make_pair(self.folder / "live")
        first = fingerprint(live)
        pairs = [make_pair(self.folder / name) for name in "abc"]
        server = self.enterContext(
            Server("--tls-cert", str(live / "chain.pem"), "--tls-key", str(live / "key.pem")))
        self.assertEqual(served(server.port), first)
        with self.assertRaises(ssl.SSLError):
            connect(server.port, version=ssl.TLSVersion.TLSv1_1)
        with connect(server.port) as old:
            self.assertIn(b"200", get(old))
            self.assertEqual(old.selected_alpn_protocol(), "http/1.1")
            session = old.session
            with connect(server.port, session=session) as again:
                self.assertIn(b"200", get(again))
                self.assertTrue(again.session_reused)
            # As certbot does: links that lead elsewhere.
            for name in ("chain.pem", "key.pem"):
                os.symlink(pairs[0] / name, live / "next")
                os.replace(live / "next", live / name)
            self.serves(server, pairs[0])
            self.assertIn(b"200", get(old))
            # Sessions of the old certificate aren't resumed, so that everybody sees the new one.
            with connect(server.port, session=session) as again:
                get(again)
                self.assertFalse(again.session_reused)
        # Renamed over it, the key some time after the certificate.
        for name in ("chain.pem", "key.pem"):
            (live / "next").write_bytes((pairs[1] / name).read_bytes())
            os.replace(live / "next", live / name)
        self.serves(server, pairs[1])
        # A pair that doesn't fit is reported once, and changes nothing.
        (live / "chain.pem").write_bytes((pairs[2] / "chain.pem").read_bytes())
        wait_for("the log to say so", lambda: "is not the key of" in server.log() or f"no: {server.log()[-500:]}", 30)
        self.assertEqual(served(server.port), fingerprint(pairs[1]))
        # Half of it.
        (live / "chain.pem").write_bytes((pairs[2] / "chain.pem").read_bytes()[:-60])
        wait_for("the log to say so", lambda: "holds no PEM certificate" in server.log() or f"no: {server.log()[-500:]}", 30)
        self.assertEqual(served(server.port), fingerprint(pairs[1]))
        # In place.
        (live / "chain.pem").write_bytes((pairs[2] / "chain.pem").read_bytes())
        (live / "key.pem").write_bytes((pairs[2] / "key.pem").read_bytes())
        self.serves(server, pairs[2])
        self.assertEqual(server.log().count("tls.certificateKept"), 2, server.log())

    def test_a_self_made_certificate_is_renewed_before_it_ends(self) -> None:
        data = self.folder / "data"
        server = self.enterContext(Server("--tls", "self-signed", data=str(data)))
        first = served(server.port)
        ending = make_pair(self.folder / "ending", days=20)
        (data / "tls-key.pem").write_bytes((ending / "key.pem").read_bytes())
        (data / "tls-certificate.pem").write_bytes((ending / "chain.pem").read_bytes())
        wait_for("another certificate", lambda: served(server.port) not in (first, fingerprint(ending))
                 or f"no: {server.log()[-500:]}", 30)
        self.serves(server, data, "tls-certificate.pem")

    def test_a_hangup_reads_the_settings_again_and_ends_nothing(self) -> None:
        settings = self.folder / "parley.conf"
        settings.write_text("turn-user = ann:one\nice-server = turn:turn.example\n")
        server = self.enterContext(Server("--config", str(settings)))

        def hangup(words: str) -> None:
            server.process.send_signal(signal.SIGHUP)
            wait_for(words, lambda: words in server.log() or f"no: {server.log()[-500:]}", 20)

        hangup("changed=none needsRestart=none")
        settings.write_text("turn-user = ann:two\nice-server = turn:turn.example\nmax-participants = 7\n")
        hangup("changed=turn-user needsRestart=max-participants")
        settings.write_text("turn-usr = ann:three\n")
        hangup("Did you mean 'turn-user'?")
        self.assertIsNone(server.process.poll())

    def test_a_server_ends_with_its_terminal_and_not_by_a_hangup_while_that_is_there(self) -> None:
        for outlives in (False, True):
            outer, inner = pty.openpty()
            within = ("setsid", "--ctty", "env", *([] if outlives else ["--default-signal=HUP"]))
            if outlives:
                within = (*within, "--ignore-signal=HUP")
            server = Server(within=("sh", "-c", f'exec "$@" < {os.ttyname(inner)}', "sh", *within))
            with server:
                server.process.send_signal(signal.SIGHUP)
                wait_for("the settings to be read again", lambda: "event=reload" in server.log() or f"no: {server.log()}", 20)
                os.close(inner)
                os.close(outer)
                if not outlives:
                    self.assertEqual(server.process.wait(20), 0, server.log())
                    continue
                server.process.send_signal(signal.SIGHUP)
                wait_for("the settings to be read once more", lambda: server.log().count("event=reload") > 1 or "no", 20)
                self.assertIsNone(server.process.poll())


if __name__ == "__main__":
    unittest.main()
