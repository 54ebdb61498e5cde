"""The administration: its interface against its description, its pages, and webhooks through a killed server."""

from __future__ import annotations

import contextlib
import json
import os
import re
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import aiohttp

from administration import Receiver, ask, verify
from browser import Person, run_aside, shared_driver, wait_for
from client import Client
from command import jwt, run
from keyboard import Keyboard
from mailbox_endpoint import MailboxEndpoint
from ports import free_port
from server import BINARY, OUTPUT, Server

TOKEN = "a-token-for-tests-only"
# Meetings with somebody in them: one that is ended, one that is looked at, one from which somebody is removed.
ROOMS = ("ended", "talking", "thinning")



class Webhooks(unittest.TestCase):
    def test_a_killed_server_tells_what_it_had_kept_once_it_runs_again_in_order_and_signed(self) -> None:
        with tempfile.TemporaryDirectory() as data, Receiver() as receiver:
            receiver.status = 503
            first = Server(data=data).__enter__()
            status, made = ask(first, "POST", "webhooks", {"url": receiver.url})
            self.assertEqual(status, 201, made)
            joined = subprocess.run([str(BINARY), "join", first.url + "/daily", "--name", "Ann", "--publish", "none", "--duration", "1"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(joined.returncode, 0, joined.stderr)
            path = f"webhooks/{made['id']}/deliveries"
            story = ["meeting.started", "participant.joined", "participant.left", "meeting.ended"]
            wait_for("every event to be kept", lambda: len(ask(first, "GET", path)[1]["items"]) == len(story)
                     or f"no: {ask(first, 'GET', path)}")
            first.process.kill()
            first.process.wait()
            # Nothing but the first event was tried, since it was never taken.
            self.assertEqual(set(receiver.types()), {"meeting.started"})
            receiver.posts.clear()
            receiver.status = 200
            with Server(data=data) as second:
                wait_for("the end of the meeting", lambda: "meeting.ended" in receiver.types() or f"no: {receiver.types()}", 30)
                self.assertEqual(receiver.types(), story)
                self.assertTrue(all(verify(made["secret"], header, body, time.time()) for _, header, body in receiver.posts))
                self.assertFalse(verify("another secret", *receiver.posts[0][1:], time.time()))
                wait_for("every delivery to be done", lambda: {each["state"] for each in ask(second, "GET", path)[1]["items"]} == {"delivered"})
                # The command line shows the same, and sends one again.
                listed = subprocess.run([str(BINARY), "webhook", "deliveries", made["id"], "--data", data, "--json"],
                                        capture_output=True, text=True, timeout=60)
                newest = json.loads(listed.stdout.splitlines()[0])
                self.assertEqual((newest["type"], newest["state"]), ("meeting.ended", "delivered"))
                subprocess.run([str(BINARY), "webhook", "replay", made["id"], newest["id"], "--data", data], check=True, capture_output=True, timeout=60)
                wait_for("the event once more", lambda: receiver.types()[-2:] == ["meeting.ended"] * 2 or f"no: {receiver.types()}")
                # A copy that was made next to the running server is a server's data too.
                copy, restored = os.path.join(data, "copy.db"), os.path.join(data, "restored")
                for words in (["backup", copy, "--data", data], ["restore", copy, "--data", restored]):
                    subprocess.run([str(BINARY), *words], check=True, capture_output=True, timeout=60)
                again = subprocess.run([str(BINARY), "webhook", "list", "--data", restored, "--json"],
                                       capture_output=True, text=True, timeout=60)
                self.assertEqual(json.loads(again.stdout)["id"], made["id"])
                self.assertEqual(subprocess.run([str(BINARY), "restore", copy, "--data", restored], capture_output=True).returncode, 1)
                # A file in the place where a restore works isn't its own to remove.
                kept = os.path.join(data, "third.restoring")
                os.mkdir(kept)
                Path(kept, "mine").write_text("x")
                refused = subprocess.run([str(BINARY), "restore", copy, "--data", os.path.join(data, "third")], capture_output=True, text=True)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("is there already", refused.stderr)
                self.assertTrue(os.path.exists(os.path.join(kept, "mine")))
                self.assertNotIn(made["secret"], "\n".join(second.lines))
                audit = subprocess.run([str(BINARY), "audit", "list", "--data", data], capture_output=True, text=True, timeout=60)
                self.assertIn("webhook.replay", audit.stdout)
                self.assertIn("admin at 127.0.0.1", audit.stdout)
                self.assertNotIn(made["secret"], audit.stdout)

    def test_a_killed_server_tells_after_its_restart_who_has_left_and_then_who_comes_back(self) -> None:
        with tempfile.TemporaryDirectory() as data, Receiver() as receiver:
            first = Server("--resume-window", "5", data=data).__enter__()
            self.assertEqual(ask(first, "POST", "webhooks", {"url": receiver.url})[0], 201)

            def told() -> list[tuple[str, str]]:
                """The events, and their participants."""
                return [(post["type"], post["data"].get("participant", {}).get("name", "")) for post in receiver.events()]

            with Client(first.url, "daily", "Ann", "--publish", "none") as ann, Client(first.url, "daily", "Bob", "--publish", "none") as bob:
                for client in (ann, bob):
                    client.joined()
                wait_for("both to be told of", lambda: len(told()) == 3 or f"no: {told()}")
                # Bob's machine is gone together with the server.
                first.process.kill()
                first.process.wait()
                bob.process.kill()
                bob.status = bob.process.wait()
                with Server("--resume-window", "5", data=data, port=first.port):
                    back = [("participant.joined", "Ann")]
                    wait_for("Ann to come back", lambda: told()[5:] == back or f"no: {told()}", 60)
                    self.assertEqual(sorted(told()[3:-1]), [("participant.left", "Ann"), ("participant.left", "Bob")])
                    details = [post["data"] for post in receiver.events()]
                    self.assertEqual([detail["reason"] for detail in details[3:-1]], ["interrupted"] * 2)
                    self.assertTrue(all(detail["lastSeen"] <= post["time"] for detail, post in zip(details[3:-1], receiver.events()[3:-1])))
                    ids = [detail["participant"]["id"] for detail in details[1:]]
                    self.assertEqual((sorted(ids[:2]), ids[-1] in ids[:2]), (sorted(ids[2:4]), False))
                    ann.leave()
                    wait_for("the end of the meeting", lambda: told()[-2:] == [("participant.left", "Ann"), ("meeting.ended", "")] or f"no: {told()}", 30)
                    self.assertEqual(len(told()), 8)


class Backups(unittest.TestCase):
    def test_a_running_server_takes_over_a_restored_copy_and_participants_stay(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Server() as server:
            def run(*words: str) -> subprocess.CompletedProcess:
                return subprocess.run([str(BINARY), *words, "--data", server.data], capture_output=True, text=True, timeout=60)

            kept, gone = (ask(server, "POST", "meetings", {"room": room, "subject": "Before"})[1]["id"] for room in ("kept", "gone"))
            token = ask(server, "POST", "tokens", {"room": "kept"})[1]
            copy = os.path.join(folder, "copy.db")
            self.assertEqual(run("backup", copy).returncode, 0)
            self.assertEqual(ask(server, "PATCH", f"meetings/{kept}", {"subject": "After"})[0], 200)
            self.assertEqual(ask(server, "DELETE", f"meetings/{gone}")[0], 204)
            self.assertEqual(ask(server, "DELETE", f"tokens/{token['id']}")[0], 204)
            later = ask(server, "POST", "meetings", {"room": "later"})[1]["id"]
            with Client(server.url, "hall", "Ann", "--publish", "none") as ann:
                ann.joined()
                refused = run("restore", copy)
                self.assertEqual(refused.returncode, 1)
                self.assertIn("--replace", refused.stderr)
                replaced = run("restore", copy, "--replace")
                self.assertEqual(replaced.returncode, 0, replaced.stderr)
                self.assertEqual([ask(server, "GET", f"meetings/{each}")[1].get("subject") for each in (kept, gone)], ["Before"] * 2)
                self.assertEqual(ask(server, "GET", f"meetings/{later}")[0], 404)
                # Ann is where whoever comes now comes.
                with Client(server.url, "hall", "Bob", "--publish", "none") as bob:
                    bob.joined()
                    self.assertEqual(ann.expect("participantJoined")["participant"]["name"], "Bob")
            joined = subprocess.run([str(BINARY), "join", server.url + "/kept", "--token", token["token"], "--duration", "1"],
                                    capture_output=True, text=True, timeout=60)
            self.assertEqual(joined.returncode, 1, joined.stdout)
            self.assertIn("The join token is not valid", joined.stderr)
            actions = [entry["action"] for entry in ask(server, "GET", "audit?limit=200")[1]["items"]]
            self.assertEqual((actions[0], actions.count("meeting.create"), actions.count("token.revoke"), actions.count("data.backup")), ("data.restore", 3, 1, 1))

    def test_a_copy_has_the_self_made_certificate_and_a_server_that_has_one_keeps_it(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            copy, restored, other = (os.path.join(folder, name) for name in ("copy.db", "restored", "other"))

            def run(*words: str) -> None:
                subprocess.run([str(BINARY), *words], check=True, capture_output=True, timeout=60)

            def shown(server: Server) -> str:
                return ssl.get_server_certificate(("localhost", server.port))

            with Server("--tls", "self-signed") as server:
                first = shown(server)
                run("backup", copy, "--data", server.data)
            run("restore", copy, "--data", restored)
            self.assertEqual({name: stat.S_IMODE(os.stat(os.path.join(restored, name)).st_mode) for name in os.listdir(restored)},
                             {"parley.sqlite": 0o600, "tls-key.pem": 0o600, "tls-certificate.pem": 0o644})
            for file in ("parley.sqlite", "tls-certificate.pem"):
                self.assertNotIn(b"PRIVATE KEY", Path(restored, file).read_bytes())
            with Server("--tls", "self-signed", data=restored) as server:
                self.assertEqual(shown(server), first)
            with Server("--tls", "self-signed", data=other) as server:
                own = shown(server)
                self.assertNotEqual(own, first)
                run("restore", copy, "--data", other, "--replace")
            with Server("--tls", "self-signed", data=other) as server:
                self.assertEqual(shown(server), own)

    def test_a_server_on_a_copy_made_during_writes_keeps_tokens_and_revocations(self) -> None:
        with tempfile.TemporaryDirectory() as folder, Server() as server:
            start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 120))
            status, plan = ask(server, "POST", "meetings", {"room": "plan", "subject": "Budget", "schedule": {"start": start, "opensBefore": 3600}})
            self.assertEqual(status, 201, plan)
            good, revoked = (ask(server, "POST", "tokens", {"room": "plan", "role": role})[1] for role in ("subscriber", "publisher"))
            self.assertEqual(ask(server, "DELETE", f"tokens/{revoked['id']}")[0], 204)

            stop, made, problems = threading.Event(), [], []

            def write(writer: int) -> None:
                while not stop.is_set():
                    status, answer = ask(server, "POST", "meetings", {"room": f"written-{writer}-{len(made)}"})
                    (made if status == 201 else problems).append(answer)

            writers = [threading.Thread(target=write, args=(index,)) for index in range(3)]
            for writer in writers:
                writer.start()
            try:
                wait_for("writers that work", lambda: len(made) > 20 or f"no: {problems[:3]}")
                before = [each["id"] for each in made]
                copy, restored = os.path.join(folder, "copy.db"), os.path.join(folder, "restored")
                subprocess.run([str(BINARY), "backup", copy, "--data", server.data], check=True, capture_output=True, timeout=60)
            finally:
                stop.set()
                for writer in writers:
                    writer.join(20)
            self.assertEqual(problems, [])
            subprocess.run([str(BINARY), "restore", copy, "--data", restored], check=True, capture_output=True, timeout=60)
            with Server(data=restored) as second:
                with Client(second.url, "plan", "Ann", "--publish", "none", "--token", good["token"]) as ann:
                    self.assertEqual(ann.joined().expect("joined")["role"], "subscriber")
                refused = subprocess.run([str(BINARY), "join", second.url + "/plan", "--json", "--token", revoked["token"], "--duration", "1"],
                                         capture_output=True, text=True, timeout=60)
                self.assertEqual(refused.returncode, 1, refused.stdout)
                self.assertIn("The join token is not valid", refused.stderr)
                # A meeting that was answered before the copy began is in it, and nothing twice or by half.
                ids, page = [], "meetings?limit=200"
                while page:
                    answer = ask(second, "GET", page)[1]
                    ids += [each["id"] for each in answer["items"]]
                    page = f"meetings?limit=200&after={answer['next']}" if "next" in answer else ""
                self.assertEqual([each for each in [plan["id"], *before] if each not in ids], [])
                self.assertEqual(len(ids), len(set(ids)))
                entries, page = [], "audit?limit=200"
                while page:
                    answer = ask(second, "GET", page)[1]
                    entries += answer["items"]
                    page = f"audit?limit=200&after={answer['next']}" if "next" in answer else ""
                # Each with its entry, and no entry without its meeting.
                noted = {each["target"] for each in entries if each["action"] == "meeting.create"}
                self.assertEqual(noted, set(ids))


class Description(unittest.TestCase):
    def make(self, server: Server, path: str, **body: object) -> dict:
        """Something that the interface is to find."""
        status, made = ask(server, "POST", path, body, token=TOKEN)
        self.assertIn(status, (201, 202), made)
        return made

    def examples(self, server: Server, meetings: dict[str, tuple[str, str]]) -> dict[tuple[str, str], dict]:
        """For each operation that is about one thing: a thing of its own, so that none finds what another one has taken
        away. ``meetings`` are running ones by room: the id, and that of somebody in it."""
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 86_400))
        tenants = {name: self.make(server, "tenants", name=name) for name in ("shown", "changed", "keyed", "more-keys", "fewer-keys", "gone")}
        planned = {name: self.make(server, "meetings", room=name, schedule={"start": start})["id"]
                   for name in ("seen", "moved", "gone", "off", "repeated", "invited")}
        self.make(server, "meetings", owner="ann")
        hooks = {name: self.make(server, "webhooks", url="http://127.0.0.1:1/")["id"]
                 for name in ("shown", "changed", "gone", "secret", "tried", "told", "looked", "again")}
        sent = {name: self.make(server, f"webhooks/{hooks[name]}/test")["id"] for name in ("told", "looked", "again")}
        token = self.make(server, "tokens", room="daily")["id"]
        tenant, meeting, webhook = "/api/v1/tenants/{tenant}", "/api/v1/meetings/{meeting}", "/api/v1/webhooks/{webhook}"
        running = {name: {"meeting": id, "participant": person} for name, (id, person) in meetings.items()}
        domain = self.make(server, "domains", name="mail", authentication="disabled")["id"]
        shown, gone = run_aside(self.endpoints(server, domain, "ann", "ben"))
        return {
            ("get", "/api/v1/domains/{domain}/identities/{identity}"): {"domain": domain, "identity": shown["regId"]},
            ("delete", "/api/v1/domains/{domain}/endpoints/{endpoint}"): {"domain": domain, "endpoint": gone["endpoint"]},
            ("post", "/api/v1/tenants"): {"body": {"name": "new"}},
            ("get", tenant): {"tenant": "shown"},
            ("patch", tenant): {"tenant": "changed", "body": {"capacity": 5}},
            ("delete", tenant): {"tenant": "gone"},
            ("get", tenant + "/keys"): {"tenant": "keyed"},
            ("post", tenant + "/keys"): {"tenant": "more-keys", "body": {"expireOthersAfter": 60}},
            ("delete", tenant + "/keys/{key}"): {"tenant": "fewer-keys", "key": tenants["fewer-keys"]["key"]["id"]},
            ("post", "/api/v1/meetings"): {"body": {"room": "new"}},
            ("get", meeting): {"meeting": planned["seen"]},
            ("patch", meeting): {"meeting": planned["moved"], "body": {"subject": "Another"}},
            ("delete", meeting): {"meeting": planned["gone"]},
            ("post", meeting + "/cancel"): {"meeting": planned["off"], "body": {}},
            ("get", meeting + "/occurrences"): {"meeting": planned["repeated"], "limit": 5},
            ("get", meeting + "/calendar"): {"meeting": planned["invited"], "server": "https://meet.example.com"},
            ("post", meeting + "/end"): running["ended"] | {"body": {}},
            ("get", meeting + "/chat"): running["talking"] | {"format": "text"},
            ("get", meeting + "/participants"): running["talking"],
            ("delete", meeting + "/participants/{participant}"): running["thinning"] | {"ban": True},
            ("post", "/api/v1/tokens"): {"body": {"room": "daily"}},
            ("delete", "/api/v1/tokens/{token}"): {"token": token, "tenant": "parley"},
            ("post", "/api/v1/webhooks"): {"body": {"url": "http://127.0.0.1:1/"}},
            ("get", webhook): {"webhook": hooks["shown"]},
            ("patch", webhook): {"webhook": hooks["changed"], "body": {"enabled": False}},
            ("delete", webhook): {"webhook": hooks["gone"]},
            ("post", webhook + "/secret"): {"webhook": hooks["secret"], "body": {}},
            ("post", webhook + "/test"): {"webhook": hooks["tried"], "body": {}},
            ("get", webhook + "/deliveries"): {"webhook": hooks["told"], "limit": 5},
            ("get", webhook + "/deliveries/{delivery}"): {"webhook": hooks["looked"], "delivery": sent["looked"]},
            ("post", webhook + "/deliveries/{delivery}/replay"): {"webhook": hooks["again"], "delivery": sent["again"], "body": {}},
        }

    @staticmethod
    async def endpoints(server: Server, domain: str, *users: str) -> list[dict]:
        """The welcomes of endpoints, one for each user."""
        async with aiohttp.ClientSession() as session:
            return [await MailboxEndpoint(session, server.url).hello(domain, user) for user in users]

    @staticmethod
    def with_examples(description: dict, examples: dict[tuple[str, str], dict]) -> dict:
        """The description with these values as the examples of parameters and bodies."""
        for (method, path), values in examples.items():
            operation = description["paths"][path][method]
            for index, parameter in enumerate(operation.get("parameters", [])):
                if "$ref" in parameter:
                    parameter = description["components"]["parameters"][parameter["$ref"].rsplit("/", 1)[1]]
                if parameter["name"] in values:
                    operation["parameters"][index] = parameter | {"example": values[parameter["name"]]}
            if "body" in values:
                operation["requestBody"]["content"]["application/json"]["example"] = values["body"]
        return description

    @staticmethod
    def succeeded(report: Path, description: dict) -> set[tuple[str, str]]:
        """The operations that were answered with success at least once, as a report of all requests (HAR) has it."""
        patterns = {path: re.compile("^" + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$") for path in description["paths"]}
        found = set()
        for entry in json.loads(report.read_text())["log"]["entries"]:
            path = urllib.parse.urlsplit(entry["request"]["url"]).path
            # A path that the description has word by word comes before one with a name in it.
            names = sorted((name for name, pattern in patterns.items() if pattern.match(path)), key=lambda name: name.count("{"))
            if names and 200 <= entry["response"]["status"] < 300:
                found.add((entry["request"]["method"].lower(), names[0]))
        return found

    def test_the_interface_keeps_to_its_description_and_each_operation_succeeds(self) -> None:
        with Server("--admin-token", TOKEN, "--log-level", "warning", "--webhook-allow", "127.0.0.1") as server, \
                tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
            # People in meetings, so that what is done to running ones can be done.
            people = [stack.enter_context(Client(server.url, room, "Ann", "--publish", "none")) for room in ROOMS]
            for person in people:
                person.joined()
            running = {each["room"]: each["id"] for each in ask(server, "GET", "meetings?running=true", token=TOKEN)[1]["items"]}
            examples = self.examples(server, {room: (running[room], person.id) for room, person in zip(ROOMS, people)})
            with urllib.request.urlopen(f"http://127.0.0.1:{server.admin_port}/api/openapi.json", timeout=10) as answer:
                description = json.load(answer)
            schema, report = Path(folder, "openapi.json"), Path(folder, "requests.har")
            schema.write_text(json.dumps(self.with_examples(description, examples)))
            config = Path(folder, "schemathesis.toml")
            # 422 is for what keeps to the description and is refused by a rule that it cannot say, such as a reserved
            # name.
            config.write_text(f'''
headers = {{ Authorization = "Bearer {TOKEN}" }}
request-timeout = 10.0
# 429: a tenant may get a limit of no meetings at all.
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422", "429"]
[phases.coverage]
unexpected-methods = ["PUT", "PATCH", "DELETE", "POST", "OPTIONS"]
''')
            done = subprocess.run(
                [str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config), "run",
                 str(schema), "--url", f"http://127.0.0.1:{server.admin_port}", "--max-examples", "10", "--seed", "1",
                 "--checks", "all", "--no-color", "--suppress-health-check", "all", "--report", "har", "--report-har-path", str(report)],
                capture_output=True, text=True, timeout=900, cwd=folder, env={**os.environ, "SCHEMATHESIS_HOOKS": ""})
            (OUTPUT / "schemathesis.txt").write_text(done.stdout + done.stderr)
            self.assertEqual(done.returncode, 0, done.stdout[-6000:] + done.stderr[-1000:])
            self.assertIsNone(server.process.poll(), "the server still runs")
            operations = {(method, path) for path, item in description["paths"].items() for method in item if method in ("get", "post", "patch", "delete")}
            self.assertEqual(operations - self.succeeded(report, description), set(), "operations that were never answered with success")
            for person in people:
                # A person who was removed or whose meeting ended is out by themselves, or leaves now.
                if person.process.poll() is None:
                    person.leave()
                else:
                    person.end(20)


class Pages(unittest.TestCase):
    def test_an_operator_signs_in_sees_a_live_meeting_and_removes_somebody(self) -> None:
        with Server("--admin-token", TOKEN) as server, \
                Person(shared_driver(), "Ann", devices=False) as operator:
            guest = subprocess.Popen([str(BINARY), "join", server.url + "/daily", "--name", "Ben <b>", "--publish", "testsrc", "--json"],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            try:
                page = operator.page
                page.goto(f"http://127.0.0.1:{server.admin_port}/")
                page.get_by_label("Admin token").fill("wrong")
                page.keyboard.press("Enter")
                page.get_by_text("That is not the admin token.").wait_for()
                page.get_by_label("Admin token").fill(TOKEN)
                page.keyboard.press("Enter")
                page.get_by_role("heading", name="Meetings", exact=True).wait_for()
                page.get_by_role("link", name="daily").first.wait_for(timeout=15_000)
                page.get_by_role("link", name="daily").first.focus()
                page.keyboard.press("Enter")
                # The name is text, not markup.
                page.get_by_text("Ben <b>", exact=True).wait_for()
                page.locator("svg.quality-line path.curve[d^=M]").wait_for(timeout=30_000, state="attached")
                page.get_by_role("button", name="Remove Ben <b>").click()
                page.get_by_role("dialog").get_by_role("button", name="Remove").click()
                page.get_by_text("Nobody is in the meeting.").wait_for()
                out, _ = guest.communicate(timeout=15)
                self.assertIn("removed", out)
                page.get_by_role("link", name="Audit log").click()
                page.get_by_text("participant.remove").wait_for()
                wrong = [line for line in operator.console if not ("401" in line or "Unauthorized" in line)]
                self.assertEqual(wrong, [])
            finally:
                if guest.poll() is None:
                    guest.terminate()
                    guest.wait(10)

    def test_an_operator_ends_a_leaked_secrets_sessions_and_nobody_elses(self) -> None:
        with Server("--admin-token", TOKEN) as server, Person(shared_driver(), "Ann", devices=False) as operator, \
                Person(shared_driver(), "Bob", devices=False) as leaked, contextlib.ExitStack() as stack:
            status, tenant = ask(server, "POST", "tenants", {"name": "acme"}, TOKEN)
            self.assertEqual(status, 201, tenant)
            key, first = tenant["apiKey"], tenant["key"]
            made = ask(server, "POST", "tenants/acme/keys", {}, TOKEN)[1]

            def token(secret: str) -> str:
                return jwt(secret, iss=key, exp=int(time.time()) + 600, room="daily", role="publisher")

            leaked.page.goto(f'{server.url}/daily?jwt={token(made["secret"])}#config.prejoinPageEnabled=false&userInfo.displayName="Bob"')
            leaked.joined()
            other = stack.enter_context(Client(server.url, "daily", "Cem", "--publish", "none", "--token", token(first["secret"])))
            other.joined()

            page = operator.page
            page.goto(f"http://127.0.0.1:{server.admin_port}/admin")
            page.get_by_label("Admin token").fill(TOKEN)
            page.keyboard.press("Enter")
            page.get_by_role("link", name="Tenants").click()
            page.get_by_role("link", name="acme").click()
            end = page.get_by_role("button", name=f"End the sessions of {made['id']}", exact=True)
            end.click()
            question = page.get_by_role("dialog", name=f"Retire {made['id']} and end its sessions?")
            question.get_by_role("button", name="Cancel").click()
            self.assertEqual(page.locator(".badge", has_text="live").count(), 2)
            self.assertEqual(leaked.state(), "connected")
            end.click()
            question.get_by_role("button", name="End its sessions").click()

            # The page of who came with it says why; who came with the other secret stays.
            wait_for("Bob to be out", lambda: leaked.page.locator("h1").first.inner_text() == "Your invitation was withdrawn" or f"no: {leaked.state()}")
            wait_for("the secret to be retired", lambda: page.locator(".badge", has_text="retired").count() == 1)
            self.assertEqual(page.locator(".badge", has_text="live").count(), 1)
            self.assertIsNone(other.process.poll(), "whoever came with another secret stays")

            def entries() -> list[tuple[str, str, str]]:
                return [(entry["action"], entry["target"], entry["tenant"]) for entry in ask(server, "GET", "audit", token=TOKEN)[1]["items"]
                        if entry["target"] == made["id"]]

            self.assertEqual(entries()[0], ("key.retire", made["id"], "acme"))

            # Once more for one that is out of use already, by keyboard: nobody has come with it since.
            keys = Keyboard(operator)
            page.get_by_role("link", name="All tenants").focus()
            keys.go(f"button End the sessions of {made['id']}")
            keys.press("Enter").at("button Cancel")
            self.assertEqual(page.get_by_role("dialog").get_by_role("heading").inner_text(), f"End the sessions of {made['id']}?")
            keys.walk("button End its sessions")
            keys.press("Enter").at("heading Tenant acme")
            wait_for("an entry of it", lambda: entries()[0] == ("key.endSessions", made["id"], "acme") or f"no: {entries()}")
            self.assertIsNone(other.process.poll(), "whoever came with another secret stays")
            wrong = [line for line in operator.console if not ("401" in line or "Unauthorized" in line)]
            self.assertEqual(wrong, [])

    def test_the_pages_say_of_meetings_tenants_and_tokens_what_the_command_line_does(self) -> None:
        with Server("--admin-token", TOKEN) as server, Person(shared_driver(), "Ann", devices=False) as operator:
            page = operator.page

            def link(name: str) -> None:
                page.get_by_role("link", name=name, exact=True).click()
                page.get_by_role("heading", level=1, name=name).wait_for()

            def fill(**values: str) -> None:
                for name, value in values.items():
                    page.get_by_label(name.replace("_", " "), exact=True).fill(value)

            page.goto(f"http://127.0.0.1:{server.admin_port}/admin")
            fill(Admin_token=TOKEN)
            page.keyboard.press("Enter")
            page.get_by_role("heading", level=1, name="Meetings").wait_for()

            # A meeting with a passcode, a lobby and a time.
            for summary in ("Make a meeting", "More about who gets in", "Chat", "Plan it"):
                page.get_by_text(summary, exact=True).click()
            page.set_viewport_size({"width": 900, "height": 1500})
            fill(Room="weekly", Title="The week", Passcode="blue 42", Minutes_that_one_waits_to_be_let_in="5", Most_people="20", First_start="2027-01-04T10:00",
                 Time_zone="Europe/Berlin", Minutes_that_it_lasts="45", Repeats="FREQ=WEEKLY;COUNT=3", Who_is_invited="Bob Roe <bob@example.com>")
            page.get_by_label("Nobody gets in before a host").select_option("Yes")
            page.get_by_label("Tell the others who comes and goes").select_option("No")
            fill(Most_chat_messages_that_are_kept="50", Minutes_that_a_chat_message_is_kept="90", Most_bytes_of_one_chat_file="1000")
            page.get_by_label("Who writes in the chat").select_option("hosts")
            page.screenshot(path=str(OUTPUT / "admin-new-meeting.png"), full_page=True, animations="disabled")
            page.get_by_role("button", name="Make the meeting").click()
            page.get_by_role("heading", level=1, name="The week").wait_for()
            path = "meetings/" + page.url.rsplit("/", 1)[1]
            made = ask(server, "GET", path, token=TOKEN)[1]
            self.assertEqual([made[key] for key in ("room", "passcode", "waitForHost", "announce", "lobbySeconds", "capacity")],
                             ["weekly", True, True, False, 300, 20])
            self.assertEqual(made["chat"], {"writers": "hosts", "history": True, "messages": 50, "seconds": 5400, "fileLimit": 1000})
            self.assertEqual([made["schedule"][key] for key in ("start", "timeZone", "duration", "rule", "attendees")],
                             ["2027-01-04T10:00:00", "Europe/Berlin", 2700, "FREQ=WEEKLY;COUNT=3", ["Bob Roe <bob@example.com>"]])

            # Changed: what is left as it is stays, the schedule too.
            page.get_by_text("Change the meeting").click()
            page.get_by_text("Chat", exact=True).click()
            fill(Title="Our week", Passcode="none", Most_chat_messages_that_are_kept="", Most_bytes_of_one_chat_file="0")
            page.get_by_label("Who gets in without waiting").select_option("Locked")
            page.screenshot(path=str(OUTPUT / "admin-change-meeting.png"), full_page=True, animations="disabled")
            page.get_by_role("button", name="Save").click()
            wait_for("the change", lambda: ask(server, "GET", path, token=TOKEN)[1]["subject"] == "Our week")
            changed = ask(server, "GET", path, token=TOKEN)[1]
            self.assertEqual([changed[key] for key in ("passcode", "accessLevel", "waitForHost", "lobbySeconds")], [False, "Locked", True, 300])
            self.assertEqual(changed["chat"], {"writers": "hosts", "history": True, "seconds": 5400, "fileLimit": 0})
            # Calendars hear of the new title; the time is the same.
            moving = {"changed", "sequence"}
            self.assertEqual(*({key: value for key, value in each["schedule"].items() if key not in moving} for each in (changed, made)))
            page.get_by_role("button", name="Call off weekly").click()
            page.get_by_role("dialog").get_by_role("button", name="Call off").click()
            wait_for("the end of it", lambda: ask(server, "GET", path, token=TOKEN)[1]["schedule"]["cancelled"])

            # Somebody's own room.
            link("Meetings")
            for summary in ("Make a meeting", "More about who gets in"):
                page.get_by_text(summary, exact=True).click()
            fill(Room="anns-place", Own_room_of="ann")
            page.get_by_role("button", name="Make the meeting").click()
            page.get_by_text("The own room of ann").wait_for()

            # A guest's token with fewer rights than its role has.
            link("Tokens")
            fill(Room="weekly")
            page.get_by_label("Whose people they are").select_option("true")
            page.get_by_text("Other permissions than the role's").click()
            page.get_by_label("May", exact=True).select_option(["subscribe", "chat"])
            page.screenshot(path=str(OUTPUT / "admin-new-token.png"), full_page=True, animations="disabled")
            page.get_by_role("button", name="Make the token").click()
            token = page.get_by_role("dialog").locator("code").inner_text()
            page.keyboard.press("Escape")
            says, = run(server, "token", "inspect", token)
            self.assertEqual((says["guest"], says["permissions"]), (True, ["subscribe", "chat"]))

            # The pages say what it is good for as well, with the line breaks of whoever copied it, and show neither it
            # nor one that is none.
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            for text, title, words in ((token[:40] + "\n" + token[40:], "The token is good", ("weekly", "subscribe, chat", "A guest")),
                                       (token[:-4] + "AAAA", "The token is not good", ("its signature was not made",))):
                fill(Token=text)
                page.get_by_role("button", name="Look at it").click()
                dialog = page.get_by_role("dialog", name=title, exact=True)
                dialog.wait_for()
                for word in words:
                    dialog.get_by_text(word).first.wait_for()
                page.screenshot(path=str(OUTPUT / f"admin-token-{'good' if 'is good' in title else 'bad'}.png"), animations="disabled")
                page.keyboard.press("Escape")
                self.assertEqual(page.get_by_label("Token", exact=True).input_value(), "")
                self.assertNotIn(token[-30:-4], page.content())
            self.assertEqual([url for url in asked if token[:20] in url], [])
            self.assertNotIn(token[-30:-4], "\n".join(server.lines))

            # The default tenant's rules, and its provider.
            link("Tenants")
            page.get_by_role("link", name="parley", exact=True).click()
            page.get_by_role("heading", level=1, name="Tenant parley").wait_for()
            for summary in ("Lobby, chat and tokens of new meetings", "Provider at which people sign in"):
                page.get_by_text(summary, exact=True).click()
            fill(Minutes_that_one_waits_to_be_let_in="10", Issuer="https://id.example.com", Client="parley", Client_secret="a secret of the client",
                 Only_with_email_addresses_of="example.com")
            page.get_by_label("When somebody's token ends in a meeting").select_option("leave")
            page.get_by_label("Who writes in the chat").select_option("hosts")
            fill(Most_chat_messages_that_are_kept="100", Minutes_that_a_chat_message_is_kept="60", Most_bytes_of_one_chat_file="2048")
            page.get_by_label("Sign-in").select_option("oidc")
            page.screenshot(path=str(OUTPUT / "admin-tenant.png"), full_page=True, animations="disabled")
            page.get_by_role("button", name="Save").click()
            page.locator(".notice.good", has_text="Saved. It holds from the next join on.").wait_for()
            tenant, = run(server, "tenant", "show", "parley")
            self.assertEqual([tenant[key] for key in ("signIn", "lobbyTimeout", "tokenExpiry", "chat")], ["oidc", 600, "leave", "hosts"])
            self.assertEqual([tenant["provider"][key] for key in ("issuer", "clientId", "hasSecret", "emailDomains")],
                             ["https://id.example.com", "parley", True, ["example.com"]])
            self.assertNotIn("a secret of the client", page.content())

            def chat() -> dict:
                return ask(server, "GET", "tenants/parley", token=TOKEN)[1]["chat"]

            self.assertEqual(chat(), {"writers": "hosts", "history": True, "messages": 100, "seconds": 3600, "fileLimit": 2048})
            # A setting that was saved a moment ago can be taken back.
            fill(Most_chat_messages_that_are_kept="", Minutes_that_a_chat_message_is_kept="", Most_bytes_of_one_chat_file="")
            page.get_by_role("button", name="Save").click()
            wait_for("the limits to be gone", lambda: chat() == {"writers": "hosts", "history": True} or f"no: {chat()}")

            # Another tenant, removed permanently; the default one has no button for it.
            self.assertEqual(page.get_by_role("button", name="Remove the tenant").count(), 0)
            run(server, "tenant", "create", "acme")
            link("Tenants")
            page.get_by_role("link", name="acme", exact=True).click()
            remove = page.get_by_role("button", name="Remove the tenant", exact=True)
            remove.click()
            question = page.get_by_role("dialog", name="Remove acme?")
            question.get_by_role("button", name="Cancel").click()
            self.assertEqual(len(run(server, "tenant", "list")), 2)
            remove.click()
            question.get_by_role("button", name="Remove the tenant").click()
            page.get_by_role("heading", level=1, name="Tenants").wait_for()
            self.assertEqual([each["tenant"] for each in run(server, "tenant", "list")], ["parley"])
            wrong = [line for line in operator.console if not ("401" in line or "Unauthorized" in line)]
            self.assertEqual(wrong, [])

    def test_an_operator_makes_reads_and_replays_webhooks_and_their_secret_by_keyboard(self) -> None:
        with Server("--admin-token", TOKEN) as server, Receiver() as receiver, \
                Person(shared_driver(), "Ann", devices=False) as operator:
            page, keys = operator.page, Keyboard(operator)

            def deliveries(hook: str) -> list[dict]:
                return ask(server, "GET", f"webhooks/{hook}/deliveries", token=TOKEN)[1]["items"]

            def rows() -> list[str]:
                return page.locator("tbody tr").all_inner_texts()

            def make(url: str) -> tuple[str, str]:
                """The form by keyboard: the new webhook's id and its secret, which is shown once."""
                keys.go("combobox Tenant")
                keys.walk("textbox Address")
                keys.type(url).press("Enter")
                dialog = page.get_by_role("dialog", name="The webhook's secret")
                dialog.wait_for()
                self.assertEqual(keys.nameless(), [])
                secret = dialog.locator("code").inner_text()
                keys.press("Escape").at("heading Webhook")
                page.locator(".address", has_text=url).wait_for()
                return page.url.rsplit("/", 1)[1], secret

            def send_test() -> None:
                keys.go("button Send a test")
                keys.press("Enter").at("button Send a test")

            def show(state: str, *rest: str) -> None:
                """The deliveries in the next state of the choice above them."""
                keys.go("combobox Show")
                keys.press("ArrowDown")
                wait_for(f"what is {state}", lambda: [row for row in rows() if state in row] or f"no: {rows()}")
                for text in rest:
                    self.assertIn(text, rows()[0])

            page.goto(f"http://127.0.0.1:{server.admin_port}/admin")
            keys.at("textbox Admin token")
            keys.type(TOKEN).press("Enter").at("heading Meetings")
            keys.walk("button Sign out", "link Audit log", "link Webhooks", key="Shift+Tab")
            keys.press("Enter").at("heading Webhooks")

            # A receiver that isn't there: its events wait, and the reason is shown.
            dead, _ = make(f"http://127.0.0.1:{free_port()}/events")
            send_test()
            wait_for("an attempt", lambda: deliveries(dead)[0]["attempts"] >= 1 or f"no: {deliveries(dead)}")
            show("pending", "webhook.test", deliveries(dead)[0]["problem"])
            self.assertEqual(keys.nameless(), [])

            # One that is there. The fault of an address without http is shown next to the form.
            keys.person.page.get_by_role("link", name="All webhooks").focus()
            keys.press("Enter").at("heading Webhooks")
            keys.go("DisclosureTriangle Make a webhook")
            keys.press("Enter")
            hook, secret = make(receiver.url)
            send_test()
            wait_for("the event to be taken", lambda: deliveries(hook)[0]["state"] == "delivered" or f"no: {deliveries(hook)}")
            keys.go("combobox Show")
            keys.press("ArrowDown")
            page.get_by_text("Nothing was sent yet.").wait_for()
            show("delivered", "webhook.test")
            self.assertTrue(verify(secret, *receiver.posts[0][1:], time.time()))

            # A delivered event, whole; and once more.
            keys.go("button Look at webhook.test")
            keys.press("Enter")
            whole = page.get_by_role("dialog", name="webhook.test")
            whole.wait_for()
            self.assertEqual(json.loads(whole.locator("pre").inner_text()), receiver.posts[0][0])
            self.assertEqual(keys.nameless(), [])
            keys.press("Escape").at("button Look at webhook.test")
            keys.walk("button Send webhook.test again")
            keys.press("Enter").at("combobox Show")
            wait_for("the event once more", lambda: len(receiver.posts) == 2)
            self.assertEqual(receiver.posts[1][0], receiver.posts[0][0])

            # Another secret: what is sent from now on is signed with it alone. Cancel changes nothing.
            keys.walk("button Forget", "button New secret", key="Shift+Tab")
            keys.press("Enter").at("button Cancel")
            keys.press("Enter").at("button New secret")
            keys.press("Enter").at("button Cancel")
            keys.walk("button New secret")
            keys.press("Enter")
            dialog = page.get_by_role("dialog", name="The new secret")
            dialog.wait_for()
            changed = dialog.locator("code").inner_text()
            keys.press("Escape").at("button New secret")
            keys.walk("button Switch off", "button Send a test", key="Shift+Tab")
            keys.press("Enter")
            wait_for("an event under the new secret", lambda: len(receiver.posts) == 3)
            self.assertTrue(verify(changed, *receiver.posts[2][1:], time.time()))
            self.assertFalse(verify(secret, *receiver.posts[2][1:], time.time()))

            # Forgotten, and the other one stays.
            keys.at("button Send a test")
            keys.walk("button Switch off", "button New secret", "button Forget")
            keys.press("Enter").at("button Cancel")
            keys.walk("button Forget")
            keys.press("Enter").at("heading Webhooks")
            wait_for("the list", lambda: len(rows()) == 1 or f"no: {rows()}")
            self.assertEqual(ask(server, "GET", f"webhooks/{hook}", token=TOKEN)[0], 404)
            self.assertEqual(ask(server, "GET", f"webhooks/{dead}", token=TOKEN)[0], 200)
            actions = [entry["action"] for entry in ask(server, "GET", "audit", token=TOKEN)[1]["items"]][::-1]
            self.assertEqual(actions, ["webhook.create", "webhook.test", "webhook.create", "webhook.test", "webhook.replay", "webhook.secret",
                                       "webhook.test", "webhook.remove"])
            wrong = [line for line in operator.console if not ("401" in line or "Unauthorized" in line)]
            self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
