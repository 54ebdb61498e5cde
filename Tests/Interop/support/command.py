"""The command line on the data of a running server, and tokens as other programs sign them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import subprocess
import time
import urllib.parse

from server import BINARY, Server


def run(server: Server, *words: str, status: int = 0, text: str | None = None) -> list[dict]:
    """Runs the command line on the server's data, and returns the JSON objects that it printed."""
    done = subprocess.run(
        [str(BINARY), *words, "--data", server.data, "--json"], capture_output=True, text=True, input=text, timeout=60)
    assert done.returncode == status, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    if status:
        assert done.stderr.startswith("parley: "), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def part(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def jwt(secret: str, **claims: object) -> str:
    text = part(b'{"alg":"HS256","typ":"JWT"}') + "." + part(json.dumps(claims).encode())
    return text + "." + part(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest())


def t1(key: str, secret: str, session: str, role: str = "publisher") -> str:
    now = int(time.time())
    payload = urllib.parse.urlencode({
        "session_id": session, "create_time": now, "expire_time": now + 3600, "role": role, "nonce": 7,
        "connection_data": "name=Bob Ö"})
    code = hmac.new(secret.encode(), payload.encode(), hashlib.sha1).hexdigest()
    return "T1==" + base64.b64encode(f"partner_id={key}&sig={code}:{payload}".encode()).decode()
