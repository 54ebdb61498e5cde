"""Requests to the administration's interface, and a receiver of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from server import Server


def ask(server: Server, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, dict]:
    """Status and answer of a request to the administration's interface."""
    headers = {"Content-Type": "application/json"} if body is not None else {}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"http://127.0.0.1:{server.admin_port}/api/v1/{path}",
                                     json.dumps(body).encode() if body is not None else None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def verify(secret: str, header: str, body: bytes, now: float) -> bool:
    """As docs/webhooks.md shows it to receivers."""
    fields = dict(part.split("=", 1) for part in header.split(","))
    expected = hmac.new(secret.encode(), fields["t"].encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(expected, fields["v1"]) and abs(now - int(fields["t"])) < 300


class Receiver:
    """An HTTP server that notes what webhooks post to it, and answers with ``status``."""

    def __init__(self) -> None:
        self.posts: list[tuple[dict, str, bytes]] = []
        self.status = 204
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.posts.append((json.loads(body), self.headers["Parley-Signature"], body))
                self.send_response(outer.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/events"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)

    def __enter__(self) -> "Receiver":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()

    def types(self) -> list[str]:
        return [post["type"] for post, _, _ in self.posts]

    def events(self) -> list[dict]:
        """Each event once: a server that is killed before it has noted a delivery sends it again."""
        events: dict[str, dict] = {}
        for post, _, _ in self.posts:
            events.setdefault(post["id"], post)
        return list(events.values())
