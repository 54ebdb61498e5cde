"""A real OpenID Connect provider, canaille, with two people, a group and Parley as its client.

Run it as ``python identity_provider.py PORT REDIRECT KEY-ID``; each start makes a new signing key. The class runs it for a test.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

CLIENT, SECRET, PASSWORD = "parley", "the provider's secret", "correct horse battery staple"


class IdentityProvider:
    """The provider in a process of its own. Use it in a ``with`` block; ``restart`` changes its signing key."""

    def __init__(self, port: int, redirect: str):
        self.port = port
        self.redirect = redirect
        self.issuer = f"http://localhost:{port}"
        self.lines: list[str] = []

    def __enter__(self) -> "IdentityProvider":
        self._start("key-1")
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def restart(self, key: str) -> None:
        self._stop()
        self._start(key)

    def _start(self, key: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), str(self.port), self.redirect, key],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1)
        ready = threading.Event()

        def read(process: subprocess.Popen) -> None:
            for line in process.stdout:
                self.lines.append(line.rstrip("\n"))
                if line.startswith("ready"):
                    ready.set()
            ready.set()

        threading.Thread(target=read, args=(self.process,), daemon=True).start()
        if not ready.wait(30) or self.process.poll() is not None:
            self._stop()
            raise AssertionError("the provider did not start within 30 s; it printed:\n" + "\n".join(self.lines[-20:]))

    def _stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()


def serve(port: int, redirect: str, key_id: str) -> None:
    from canaille import create_app
    from canaille.app import models
    from canaille.backends import Backend
    from joserfc.jwk import RSAKey
    from werkzeug.serving import make_server

    key = RSAKey.generate_key(2048, parameters={"kid": key_id, "use": "sig", "alg": "RS256"})
    app = create_app(config={
        "SECRET_KEY": "only for this test, in memory only", "SERVER_NAME": f"localhost:{port}", "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": [key.as_dict(private=True)]},
    })
    with app.app_context():
        def save(record: object) -> object:
            Backend.instance.save(record)
            return record

        ada = save(models.User(user_name="ada", password=PASSWORD, given_name="Ada", family_name="Lovelace",
                               formatted_name="Ada Lovelace", emails=["ada@example.com"]))
        save(models.User(user_name="ben", password=PASSWORD, given_name="Ben", family_name="Field",
                         formatted_name="Ben Field", emails=["ben@example.com"]))
        save(models.Group(display_name="hosts", members=[ada]))
        client = models.Client(
            client_id=CLIENT, client_secret=SECRET, client_name="Parley", client_uri="http://elsewhere.example",
            redirect_uris=[redirect], grant_types=["authorization_code"], response_types=["code"],
            token_endpoint_auth_method="client_secret_basic", scope=["openid", "profile", "email", "groups"])
        save(client)
        client.audience = [client]
        save(client)
    server = make_server("127.0.0.1", port, app, threaded=True)
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2], sys.argv[3])
