"""Tenants, keys and tokens, from the command line next to a running server, with tokens that Python signs."""

from __future__ import annotations

import json
import subprocess
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

from browser import wait_for
from client import Client
from command import jwt, part, run, t1
from server import BINARY, Server


def discover(server: Server, token: str, room: str | None = None) -> tuple[int, dict]:
    """The status and the answer of the discover address with that token."""
    path = f"/discover/{room}" if room else "/discover"
    query = urllib.parse.urlencode({"anonymousMeetingJoinContext": token})
    try:
        with urllib.request.urlopen(f"{server.url}{path}?{query}", timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class Tenants(unittest.TestCase):
    def test_every_form_of_token_opens_its_meeting_and_keys_rotate_under_a_running_server(self):
        with Server() as server:
            [made] = run(server, "tenant", "create", "acme", "--max-participants", "9")
            key, secret = made["apiKey"], made["keys"][0]["secret"]
            end = int(time.time()) + 600
            session = "2_" + part(f"1~{key}~~{int(time.time() * 1000)}~0.5~".encode())
            tokens = [
                (jwt(secret, iss=key, exp=end, room="daily", role="moderator"), "daily"),
                (jwt(secret, iss=key, exp=end, aud="jitsi", sub="*", room="*", context={"user": {"moderator": True}}), "daily"),
                (jwt(secret, iss=key, ist="project", iat=end - 600, exp=end, session_id=session, role="publisher"), session),
                (t1(key, secret, session), session),
            ]
            for token, room in tokens:
                status, document = discover(server, token, room)
                self.assertEqual((status, document.get("meeting")), (200, room), document)
            self.assertEqual([discover(server, token, "another")[0] for token, _ in tokens], [403, 200, 403, 403])
            self.assertEqual(discover(server, tokens[3][0][:-8] + "AAAAAAA=")[0], 401)

            # Revoked: this one, and no other. A participant who is in with it is out, and gets the reason.
            with Client(server.url, session, "Tia", "--publish", "none", "--token", tokens[3][0]) as out, \
                    Client(server.url, session, "Jo", "--publish", "none", "--token", tokens[2][0]) as stays:
                for client in (out, stays):
                    client.joined()
                run(server, "token", "revoke", "-", text=tokens[3][0] + "\n")
                self.assertIn("revoked", out.expect("left", reason="tokenRevoked")["message"])
                out.end(20)
                self.assertIsNone(stays.process.poll(), "whoever has another token stays")
            self.assertEqual(discover(server, tokens[3][0])[0], 401)
            self.assertEqual(discover(server, tokens[2][0])[0], 200)

            # A new secret; both are good, until the old one is retired.
            [rotated] = run(server, "tenant", "rotate-key", "acme")
            secrets = [entry["secret"] for entry in rotated["keys"] if "secret" in entry]
            self.assertEqual(len(secrets), 1)
            fresh = jwt(secrets[0], iss=key, exp=end, room="daily")
            self.assertEqual([discover(server, token)[0] for token in (fresh, tokens[0][0])], [200, 200])
            run(server, "tenant", "rotate-key", "acme", status=1)
            run(server, "tenant", "retire-key", "acme", made["keys"][0]["id"])
            self.assertEqual([discover(server, token)[0] for token in (fresh, tokens[0][0])], [200, 401])
            [shown] = run(server, "tenant", "show", "acme")
            self.assertNotIn("secret", json.dumps(shown))
            self.assertEqual([entry["state"] for entry in shown["keys"]], ["live", "retired"])

            log = "\n".join(server.lines)
            for token, _ in tokens:
                self.assertNotIn(token, log)
            self.assertIn("event=token.refused", log)

    def test_a_server_is_closed_and_opened_by_its_operator_while_it_runs(self):
        with Server() as server:
            # It comes after the line that says where the server is.
            wait_for("the server to say that it is open", lambda: any(
                "THIS SERVER IS OPEN" in line and "--sign-in token" in line for line in server.lines))
            with urllib.request.urlopen(server.url + "/discover/daily", timeout=20) as answer:
                self.assertEqual(answer.status, 200)
            run(server, "tenant", "set", "parley", "--sign-in", "token")
            with self.assertRaises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(server.url + "/discover/daily", timeout=20)
            self.assertEqual((refused.exception.code, json.load(refused.exception)["code"]), (401, "tokenRequired"))
            [made] = run(server, "token", "create", "--room", "daily", "--role", "subscriber", "--expires", "10m", "--server", server.url)
            joined = subprocess.run(
                [str(BINARY), "join", made["address"], "--json", "--publish", "none", "--duration", "1"],
                capture_output=True, text=True, timeout=60)
            self.assertEqual(joined.returncode, 0, joined.stderr)
            self.assertIn('"role":"subscriber"', joined.stdout)
            [grant] = run(server, "token", "inspect", made["token"])
            self.assertEqual((grant["room"], grant["role"], grant["permissions"]), ("daily", "subscriber", ["subscribe"]))
            run(server, "token", "revoke", "--id", made["id"])
            run(server, "token", "inspect", made["token"], status=1)
            joined = subprocess.run(
                [str(BINARY), "join", made["address"], "--json", "--duration", "1"], capture_output=True, text=True, timeout=60)
            self.assertEqual(joined.returncode, 1)
            run(server, "tenant", "set", "parley", "--sign-in", "open")
            with urllib.request.urlopen(server.url + "/discover/daily", timeout=20) as answer:
                self.assertEqual(answer.status, 200)

    def test_meetings_are_made_listed_and_removed_and_wrong_words_are_told(self):
        with Server() as server:
            [meeting] = run(server, "meeting", "create", "Board", "--subject", "The board", "--capacity", "3")
            self.assertEqual((meeting["room"], meeting["capacity"], meeting["kind"]), ("Board", 3, "named"))
            run(server, "meeting", "create", "board", status=1)
            self.assertEqual([entry["room"] for entry in run(server, "meeting", "list")], ["Board"])
            run(server, "meeting", "remove", "board")
            self.assertEqual(run(server, "meeting", "list"), [])
            run(server, "meeting", "remove", "board", status=1)
            run(server, "meeting", "create", "signal", status=2)
            run(server, "token", "create", "--room", "r", "--role", "king", status=2)
            run(server, "token", "create", "--room", "r", "--expires", "31d", status=2)
            run(server, "tenant", "create", "Not a name", status=2)
            run(server, "tenant", "set", "nobody", status=1)
            run(server, "tenant", "create", "acme")
            run(server, "tenant", "create", "acme", status=1)
            run(server, "tenant", "set", "acme", "--sign-in", "open", status=1)
            run(server, "tenant", "dance", status=2)


if __name__ == "__main__":
    unittest.main()
