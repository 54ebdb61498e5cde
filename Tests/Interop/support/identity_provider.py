"""A real OpenID Connect provider, canaille, with two people, a group and Parley as its client.

Run it as ``python identity_provider.py PORT REDIRECT ACTIVE-KEYS INACTIVE-KEYS``, the keys as JSON lists. The class
runs it for a test.
"""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import threading
import urllib.parse
import urllib.request
from pathlib import Path

import requests

CLIENT, SECRET, PASSWORD = "parley", "the provider's secret", "correct horse battery staple"


class IdentityProvider:
    """The provider in a process of its own. Use it in a ``with`` block.

    Its keys are made by its own command, and it reads them when it starts. ``rotate`` changes them as its settings mean
    it: a new one signs from now on (``ACTIVE_JWKS``), and the one before is still published (``INACTIVE_JWKS``) until
    ``forget``."""

    def __init__(self, port: int, redirect: str):
        self.port = port
        self.redirect = redirect
        self.issuer = f"http://localhost:{port}"
        self.lines: list[str] = []
        self.active = self._new_key()
        self.inactive: list[dict] = []

    def __enter__(self) -> "IdentityProvider":
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def rotate(self) -> None:
        self._stop()
        self.inactive = [self.active]
        self.active = self._new_key()
        self._start()

    def forget(self) -> None:
        self._stop()
        self.inactive = []
        self._start()

    def published(self) -> list[str]:
        """The ids of the keys that it publishes now, that of the one that signs first."""
        with urllib.request.urlopen(f"{self.issuer}/.well-known/openid-configuration", timeout=20) as answer:
            address = json.load(answer)["jwks_uri"]
        with urllib.request.urlopen(address, timeout=20) as answer:
            return [key["kid"] for key in json.load(answer)["keys"]]

    @property
    def keys(self) -> str:
        """The address of its keys."""
        return f"{self.issuer}/oauth/jwks.json"

    def sign_in(self, user: str) -> dict:
        """The tokens that an app gets for a user, who signs in and agrees on the provider's own pages."""
        asked = {"response_type": "code", "client_id": CLIENT, "redirect_uri": self.redirect, "scope": "openid profile email", "nonce": "n"}
        typed = {"login": user, "password": PASSWORD, "answer": "accept"}
        with requests.Session() as session:
            answer = self._follow(session, session.get(f"{self.issuer}/oauth/authorize", params=asked, allow_redirects=False, timeout=20))
            # Name, password and, the first time, the question whether the app may.
            for _ in typed:
                if answer.is_redirect:
                    break
                fields = dict(re.findall(r'<(?:input|button)\b[^>]*?\bname="([^"]+)"(?:[^>]*?\bvalue="([^"]*)")?', answer.text))
                name = next(each for each in typed if each in fields)
                form = {"csrf_token": html.unescape(fields["csrf_token"]), name: typed[name]}
                answer = self._follow(session, session.post(answer.url, form, allow_redirects=False, timeout=20))
            [code] = urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)["code"]
        answer = requests.post(f"{self.issuer}/oauth/token", {"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect},
                               auth=(CLIENT, SECRET), timeout=20)
        answer.raise_for_status()
        return answer.json()

    def revoke(self, token: str) -> None:
        requests.post(f"{self.issuer}/oauth/revoke", {"token": token}, auth=(CLIENT, SECRET), timeout=20).raise_for_status()

    def _follow(self, session: requests.Session, answer: requests.Response) -> requests.Response:
        """Follows redirections on the provider. That to the app has the code, and is not followed."""
        while answer.is_redirect:
            address = urllib.parse.urljoin(answer.url, answer.headers["Location"])
            if not address.startswith(self.issuer + "/"):
                break
            answer = session.get(address, allow_redirects=False, timeout=20)
        return answer

    @staticmethod
    def _new_key() -> dict:
        made = subprocess.run([Path(sys.executable).with_name("canaille"), "jwk", "create", "rsa"], capture_output=True, text=True, timeout=60, check=True)
        return json.loads(made.stdout.splitlines()[-1])

    def _start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), str(self.port), self.redirect, json.dumps([self.active]), json.dumps(self.inactive)],
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


def serve(port: int, redirect: str, active: list[dict], inactive: list[dict]) -> None:
    from canaille import create_app
    from canaille.app import models
    from canaille.backends import Backend
    from werkzeug.serving import make_server

    app = create_app(config={
        "SECRET_KEY": "only for this test, in memory only", "SERVER_NAME": f"localhost:{port}", "PREFERRED_URL_SCHEME": "http",
        "CANAILLE": {"DATABASE": "memory"},
        "CANAILLE_OIDC": {"ACTIVE_JWKS": active, "INACTIVE_JWKS": inactive},
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
            token_endpoint_auth_method="client_secret_basic", scope=["openid", "profile", "email", "groups"],
            # As registering one there does; without it the provider takes another algorithm for each kind of key.
            id_token_signed_response_alg="RS256")
        save(client)
        client.audience = [client]
        save(client)
    server = make_server("127.0.0.1", port, app, threaded=True)
    print("ready", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3]), json.loads(sys.argv[4]))
