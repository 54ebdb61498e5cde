"""Writers that keep what the server has acknowledged, and the check that it is all there after the server was
killed."""

from __future__ import annotations

import asyncio
import base64
import datetime as dt
import http.client
import json
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import aiohttp

from browser import run_aside
from mailbox_endpoint import MailboxEndpoint
from signaling_client import Gone, SignalingClient
from server import BINARY, ROOT, Server

# A tenant may have no more than ten: these, the one that hears of meetings, and those whose making was not answered.
WEBHOOKS = 7
# The event that begins and the one that ends, for every sort of thing that has an end.
CHANGES = {"participant.joined": ("people", 1), "participant.left": ("people", -1), "publication.added": ("tracks", 1), "publication.removed": ("tracks", -1),
           "lobby.knocked": ("waiting", 1), "lobby.admitted": ("waiting", -1), "lobby.denied": ("waiting", -1), "lobby.left": ("waiting", -1)}


class Unanswered(Exception):
    """The server was killed before it answered: what was asked may be done or not."""


class Door:
    """One connection to one port of a server, used by one thread."""

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "application/json",
            token: str | None = None) -> tuple[int, dict]:
        headers = {"Content-Type": kind} if body is not None else {}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read()
            return answer.status, json.loads(text) if text else {}
        except (OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise Unanswered(str(error)) from error

    def api(self, method: str, path: str, body: object = None, token: str | None = None) -> tuple[int, dict]:
        return self.ask(method, f"/api/v1/{path}", json.dumps(body).encode() if body is not None else None, token=token)

    def all(self, path: str, is_enough=lambda items: False) -> list[dict]:
        """Every entry of a list, page by page, the newest first; or no more when there are enough."""
        items: list[dict] = []
        after = ""
        while True:
            status, page = self.api("GET", f"{path}?limit=200{after}")
            assert status == 200, page
            items += page["items"]
            if not page.get("next") or is_enough(items):
                return items
            after = f"&after={page['next']}"


@dataclass
class Live:
    """A meeting that runs when its server is killed, as far as the server has said that something is done."""

    host: str  # tokens
    guest: str
    demoted: str
    is_demoted: bool = False
    is_locked: bool = False
    asks_to_lock: str = ""  # the participant who asked for the lock
    polls: dict[int, tuple[str, bool]] = field(default_factory=dict)  # number → question, whether it is open
    vote: tuple[int, int] | None = None  # poll and answer of the one who votes
    voter: str = ""  # token
    texts: dict[int, str] = field(default_factory=dict)  # number → text, empty where it was deleted
    unsure: set[int] = field(default_factory=set)
    files: dict[str, bytes] = field(default_factory=dict)
    is_over: bool | None = False  # None when the end was asked for and not answered


@dataclass
class Mail:
    """A chat of the messaging service, as far as the server has said that its messages are sent."""

    domain: str
    endpoint: str
    secret: str
    messages: dict[int, str] = field(default_factory=dict)  # number → cookie


@dataclass
class Kept:
    """The requests that the server has acknowledged."""

    rooms: dict[str, str] = field(default_factory=dict)  # meeting's id → room
    removed: set[str] = field(default_factory=set)  # ids of meetings
    addresses: set[str] = field(default_factory=set)  # ad-hoc meetings' addresses
    revoked: dict[str, str] = field(default_factory=dict)  # token's id → token
    issued: dict[str, str] = field(default_factory=dict)
    tenants: dict[str, int] = field(default_factory=dict)  # name → capacity
    keys: dict[str, set[str]] = field(default_factory=dict)  # tenant → ids of its secrets
    retired: dict[str, str] = field(default_factory=dict)  # id of a secret out of use → tenant
    personal: dict[str, str] = field(default_factory=dict)  # owner → id of their room
    subjects: dict[str, str] = field(default_factory=dict)  # meeting's id → the title that it was given
    webhooks: set[str] = field(default_factory=set)
    gone_webhooks: set[str] = field(default_factory=set)
    events: dict[str, list[str]] = field(default_factory=dict)  # webhook → the events that it subscribes to
    hearers: set[str] = field(default_factory=set)  # webhooks that get meetings' events
    deliveries: dict[str, str] = field(default_factory=dict)  # id → webhook
    # room → title, start, sequence, called off
    planned: dict[str, tuple[str, str, int, bool]] = field(default_factory=dict)
    banned: dict[str, tuple[str, str]] = field(default_factory=dict)  # token's id → room, token
    # the same and the participant, of unanswered requests
    asked_bans: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    heard: dict[str, tuple[str, Counter]] = field(default_factory=dict)  # meeting's id → webhook, events for it
    live: dict[str, Live] = field(default_factory=dict)  # room → what holds in it
    mail: dict[str, Mail] = field(default_factory=dict)  # chat → what is in it
    changes: int = 0  # of planned meetings
    audit: list[tuple[str, str]] = field(default_factory=list)  # action, target
    # Requests that weren't answered, whose results may be there or not.
    unsure: set[str] = field(default_factory=set)

    def add(self, other: Kept) -> None:
        for name in ("rooms", "revoked", "issued", "tenants", "keys", "deliveries", "removed", "addresses", "webhooks", "unsure", "planned", "banned", "heard", "hearers", "live", "mail",
                     "retired", "personal", "subjects", "gone_webhooks", "events", "asked_bans"):
            getattr(self, name).update(getattr(other, name))
        self.audit += other.audit
        self.changes += other.changes

    @property
    def writes(self) -> int:
        """How much was acknowledged."""
        return len(self.audit) + len(self.addresses) + len(self.planned) + self.changes + len(self.banned) + self.messages + self.chat_files + self.mails

    @property
    def messages(self) -> int:
        """How many chat messages were acknowledged."""
        return sum(len(live.texts) for live in self.live.values())

    @property
    def mails(self) -> int:
        """How many messages in mailboxes were acknowledged."""
        return sum(len(mail.messages) for mail in self.mail.values())

    @property
    def chat_files(self) -> int:
        return sum(len(live.files) for live in self.live.values())


class Writers:
    """Threads that write through both ports until the server is gone."""

    def __init__(self, server: Server, kept: Kept, total: Kept, seed: int):
        self.kept = kept
        self.server = server
        self.seed = seed
        self.lock = threading.Lock()
        self.problems: list[str] = []
        self.webhook_list = sorted(total.webhooks - total.hearers)
        self.hearer = next(iter(total.hearers), None)
        works = [self.meetings, self.meetings, self.adhoc, self.tokens, self.tokens, self.tenants, self.webhooks, self.planning, self.bans, self.hosts, self.live, self.mailboxes]
        self.threads = [threading.Thread(target=self.run, args=(work, index), daemon=True) for index, work in enumerate(works)]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def join(self) -> None:
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive(), "a writer still waits for the killed server"

    def run(self, work, index: int) -> None:
        dice = random.Random(f"{self.seed} {index}")
        admin, public = Door(self.server.admin_port), Door(self.server.port)
        try:
            while True:
                work(admin, public, dice)
        except (Unanswered, Gone):
            pass
        except AssertionError as error:
            self.problems.append(f"{work.__name__}: {error}")

    def done(self, action: str, target: str) -> None:
        self.kept.audit.append((action, target))

    # Each of these makes something, and notes it only when the server has answered that it is done.

    def meetings(self, admin: Door, _: Door, dice: random.Random) -> None:
        room = f"room-{dice.getrandbits(64):x}"
        status, made = admin.api("POST", "meetings", {"room": room, "summary": "s" * dice.randrange(1_000)})
        assert status == 201, made
        with self.lock:
            self.kept.rooms[made["id"]] = room
            self.done("meeting.create", made["id"])
        if dice.random() < 0.3:
            subject = f"title {dice.random()}"
            with self.lock:
                self.kept.unsure.add(made["id"])
            status, answer = admin.api("PATCH", f"meetings/{made['id']}", {"subject": subject})
            assert status == 200, answer
            with self.lock:
                self.kept.unsure.discard(made["id"])
                self.kept.subjects[made["id"]] = subject
                self.done("meeting.change", made["id"])
        if dice.random() < 0.2:
            owner = f"owner-{dice.getrandbits(48):x}"
            status, own = admin.api("POST", "meetings", {"owner": owner})
            assert status == 201, own
            with self.lock:
                self.kept.personal[owner] = own["id"]
                self.done("meeting.create", own["id"])
        if dice.random() < 0.2:
            with self.lock:
                self.kept.unsure.add(made["id"])
            status, answer = admin.api("DELETE", f"meetings/{made['id']}")
            assert status == 204, answer
            with self.lock:
                self.kept.unsure.discard(made["id"])
                del self.kept.rooms[made["id"]]
                self.kept.subjects.pop(made["id"], None)
                self.kept.removed.add(made["id"])
                self.done("meeting.remove", made["id"])

    def mailboxes(self, admin: Door, _: Door, dice: random.Random) -> None:
        """Two users of the messaging service, and what one writes to the other."""
        status, answer = admin.api("POST", "domains", {"name": "mail", "authentication": "disabled"})
        assert status in (201, 409), answer
        if status == 201:
            with self.lock:
                self.done("domain.create", "mail")
        domain = admin.api("GET", "domains/mail")[1]["id"]

        async def write() -> None:
            async with aiohttp.ClientSession() as session:
                ann, bob = MailboxEndpoint(session, self.server.url), MailboxEndpoint(session, self.server.url)
                hello = await ann.hello(domain, f"ann-{dice.getrandbits(64):x}")
                other = (await bob.hello(domain, f"bob-{dice.getrandbits(64):x}"))["regId"]
                made = await ann.ask("chatStart", cookie="c", invitees=[other], isOneToOne=True, invitePolicy="adminsOnly", keys=[])
                chat, mail = made["chat"]["chat"]["chatId"], Mail(domain, hello["endpoint"], hello["secret"])
                with self.lock:
                    self.kept.mail[chat] = mail
                for number in range(dice.randrange(5, 60)):
                    sent = await ann.ask("messageSend", chatId=chat, cookie=f"m{number}", body="SGVsbG8")
                    with self.lock:
                        mail.messages[int(sent["sent"]["number"])] = f"m{number}"

        asyncio.run(write())

    def adhoc(self, _: Door, public: Door, dice: random.Random) -> None:
        form = urlencode({"Subject": f"kill {dice.random()}"}).encode()
        status, made = public.ask("POST", "/GetAdhocMeetingJob", form, "application/x-www-form-urlencoded")
        assert status == 200, made
        with self.lock:
            self.kept.addresses.add(made["JoinUrl"].rsplit("/", 1)[1])

    def planning(self, _: Door, public: Door, dice: random.Random) -> None:
        def note(answer: dict) -> None:
            schedule = answer["schedule"]
            self.kept.planned[answer["room"]] = (answer["subject"], schedule["start"][:16], schedule["sequence"], schedule["cancelled"])

        def day() -> str:
            return (dt.date.today() + dt.timedelta(days=dice.randrange(2, 14))).isoformat() + "T10:00"

        status, made = public.api("POST", "meetings", {"subject": "first", "schedule": {"start": day(), "rule": "FREQ=DAILY;COUNT=3"}})
        assert status == 201, made
        room = made["room"]
        with self.lock:
            note(made)
        changes = [("PATCH", {"subject": f"title {dice.random()}", "schedule": {"start": day()}}) for _ in range(dice.randrange(3))]
        for method, body in changes + [("DELETE", None)] * (dice.random() < 0.3):
            with self.lock:
                self.kept.unsure.add(room)
            status, answer = public.api(method, f"meetings/{room}", body, made["hostToken"])
            assert status == 200, answer
            with self.lock:
                self.kept.unsure.discard(room)
                self.kept.changes += 1
                note(answer)

    def bans(self, admin: Door, _: Door, dice: random.Random) -> None:
        room = f"ban-{dice.getrandbits(64):x}"

        async def meet() -> None:
            async with aiohttp.ClientSession() as session:
                host = SignalingClient(session, self.server.url)
                await host.join(self.token(admin, room, "moderator")["token"], "Host")
                for number in range(1, 6):
                    made = self.token(admin, room, "publisher")
                    place = await SignalingClient(session, self.server.url).join(made["token"], "Guest")
                    with self.lock:
                        self.kept.unsure.add(made["id"])
                        self.kept.asked_bans[made["id"]] = (room, made["token"], place["participant"])
                    await host.send(type="removeParticipant", participant=place["participant"], ban=True, id=-number)
                    await host.expect("done", id=-number)
                    with self.lock:
                        self.kept.unsure.discard(made["id"])
                        self.kept.banned[made["id"]] = (room, self.kept.issued.pop(made["id"]))
                        self.done("meeting.ban", place["participant"])

        asyncio.run(meet())

    def token(self, admin: Door, room: str, role: str, **more: str) -> dict:
        status, made = admin.api("POST", "tokens", {"room": room, "role": role, "expiresIn": 86_400, **more})
        assert status == 201, made
        with self.lock:
            self.kept.issued[made["id"]] = made["token"]
            self.done("token.create", made["id"])
        return made

    def hosts(self, admin: Door, _: Door, dice: random.Random) -> None:
        """A meeting from its beginning to its end. An action that was acknowledged to a host is in the audit log; and
        the meeting's events before it are those that webhooks get, since all of it is written in its order."""
        if self.hearer is None:
            # Nobody is at that address, so that its events wait and can be counted. One whose making was not answered
            # is as good.
            hearing = {"url": "http://127.0.0.1:1/events"}
            there = [hook["id"] for hook in admin.api("GET", "webhooks")[1]["items"] if hook["url"] == hearing["url"]]
            if not there:
                status, made = admin.api("POST", "webhooks", hearing)
                assert status == 201, made
                there = [made["id"]]
                with self.lock:
                    self.done("webhook.create", made["id"])
            self.hearer = there[0]
            with self.lock:
                self.kept.webhooks.add(self.hearer)
                self.kept.hearers.add(self.hearer)
        room = f"host-{dice.getrandbits(64):x}"
        status, made = admin.api("POST", "meetings", {"room": room, "accessLevel": "Locked"})
        assert status == 201, made
        with self.lock:
            self.kept.rooms[made["id"]] = room
            self.done("meeting.create", made["id"])
        story: Counter = Counter()

        async def meet() -> None:
            async with aiohttp.ClientSession() as session:
                host = SignalingClient(session, self.server.url)

                async def ask(number: int, action: str, target: str = "", **message: object) -> None:
                    await host.send(id=-number, **message)
                    await host.expect("done", id=-number)
                    with self.lock:
                        self.done(f"meeting.{action}", target)
                        self.kept.heard[made["id"]] = (self.hearer, Counter(story))

                async def knock() -> tuple[SignalingClient, str]:
                    guest = SignalingClient(session, self.server.url)
                    await guest.join(self.token(admin, room, "publisher")["token"], "Guest", "waiting")
                    while not (waiting := (await host.expect("lobby"))["waiting"]):
                        pass
                    story["lobby.knocked"] += 1
                    return guest, waiting[0]["id"]

                await host.join(self.token(admin, room, "moderator")["token"], "Host")
                story.update(["meeting.started", "participant.joined"])
                guest, name = await knock()
                story["lobby.admitted"] += 1
                await ask(1, "admit", name, type="admit", ids=[name])
                await guest.expect("welcome")
                story["participant.joined"] += 1
                _, name = await knock()
                story["lobby.denied"] += 1
                await ask(2, "deny", name, type="deny", all=True)
                await ask(3, "lock", type="lock", locked=True)
                story.update({"participant.left": 2, "meeting.ended": 1})
                await ask(4, "endMeeting", type="endMeeting")

        asyncio.run(meet())

    def live(self, admin: Door, _: Door, dice: random.Random) -> None:
        """A meeting in which a host locks, demotes and writes. Most are killed in the middle, some end before."""
        room = f"live-{dice.getrandbits(64):x}"
        # Nobody but the writer knows of it while it runs.
        live = Live(*(self.token(admin, room, role)["token"] for role in ("moderator", "publisher", "moderator")))
        live.voter = self.token(admin, room, "publisher", user=f"voter of {room}")["token"]
        with self.lock:
            self.kept.live[room] = live

        async def meet() -> None:
            async with aiohttp.ClientSession() as session:
                host, other = SignalingClient(session, self.server.url), SignalingClient(session, self.server.url)
                welcome = await host.join(live.host, "Host")
                demoted = (await other.join(live.demoted, "Other"))["participant"]
                number = 0

                async def ask(action: str | None = None, target: str = "", **message: object) -> None:
                    nonlocal number
                    number -= 1
                    await host.send(id=number, **message)
                    await host.expect("done", id=number)
                    if action:
                        with self.lock:
                            self.done(f"meeting.{action}", target)

                async def change(message: int, kind: str, text: str) -> None:
                    live.unsure.add(message)
                    await ask(type=kind, message=message, **({"text": text} if text else {}))
                    live.unsure.discard(message)
                    live.texts[message] = text

                async def upload() -> None:
                    content = dice.randbytes(dice.randrange(1, 50_000))
                    headers = {"Authorization": f"Bearer {welcome['resumeToken']}", "Parley-File-Name": "a.bin"}
                    try:
                        async with session.post(f"{self.server.url}/api/chat/files", data=content, headers=headers) as answer:
                            made = await answer.json()
                            assert answer.status == 201, made
                    except (aiohttp.ClientError, OSError) as error:
                        raise Gone(str(error)) from error
                    live.files[made["message"]["file"]["id"]] = content

                await ask("setRole", demoted, type="setRole", participant=demoted, role="guest")
                live.is_demoted = True
                # Before the lock, which keeps this one out.
                voter = SignalingClient(session, self.server.url)
                await voter.join(live.voter, "Voter")
                live.asks_to_lock = welcome["participant"]
                await ask("lock", type="lock", locked=True)
                live.is_locked = True
                for poll, question in ((1, "Tea?"), (2, "Rain?")):
                    await ask("createPoll", f"poll {poll}", type="createPoll", poll={"question": question, "options": ["yes", "no"], "multiple": False, "results": "always"})
                    live.polls[poll] = (question, True)
                choice = dice.randrange(2)
                await voter.send(type="vote", poll=1, options=[choice], id=-1)
                await voter.expect("done", id=-1)
                live.vote = (1, choice)
                live.polls.pop(2)
                await ask("closePoll", "poll 2", type="setPoll", poll=2, open=False)
                live.polls[2] = ("Rain?", False)
                for batch in range(dice.randrange(1, 36)):
                    # The other writers are to get their turns.
                    await asyncio.sleep(0.02)
                    # Some at once, which share one synchronisation.
                    texts = [f"{batch} {index} {dice.random()}" for index in range(5)]
                    for text in texts:
                        await host.send(type="chat", text=text)
                    for text in texts:
                        message = await host.expect("chat")
                        while message["message"].get("file"):
                            message = await host.expect("chat")
                        assert message["message"]["text"] == text, message
                        live.texts[message["message"]["id"]] = text
                    if batch < 5:
                        numbers = sorted(live.texts)
                        await change(numbers[-1], "editChat", f"changed {dice.random()}")
                        await change(numbers[-2], "deleteChat", "")
                        await upload()
                live.is_over = None
                await ask("endMeeting", type="endMeeting")
                live.is_over = True

        asyncio.run(meet())

    def tokens(self, admin: Door, _: Door, dice: random.Random) -> None:
        status, made = admin.api("POST", "tokens", {"room": f"t-{dice.getrandbits(32):x}", "expiresIn": 86_400})
        assert status == 201, made
        with self.lock:
            self.kept.issued[made["id"]] = made["token"]
            self.done("token.create", made["id"])
        if dice.random() < 0.7:
            with self.lock:
                self.kept.unsure.add(made["id"])
            status, answer = admin.api("DELETE", f"tokens/{made['id']}")
            assert status == 204, answer
            with self.lock:
                self.kept.unsure.discard(made["id"])
                self.kept.revoked[made["id"]] = self.kept.issued.pop(made["id"])
                self.done("token.revoke", made["id"])

    def tenants(self, admin: Door, _: Door, dice: random.Random) -> None:
        name = f"tenant-{dice.getrandbits(48):x}"
        status, made = admin.api("POST", "tenants", {"name": name})
        assert status == 201, made
        with self.lock:
            self.kept.tenants[name] = 0
            self.kept.keys[name] = {made["key"]["id"]}
            self.done("tenant.create", name)
        # Making the keys of a tenant takes a while; changes to it do not.
        for _ in range(8):
            capacity = dice.randrange(1, 10_000)
            with self.lock:
                self.kept.unsure.add(name)
            status, answer = admin.api("PATCH", f"tenants/{name}", {"capacity": capacity})
            assert status == 200, answer
            with self.lock:
                self.kept.unsure.discard(name)
                self.kept.tenants[name] = capacity
                self.done("tenant.change", name)
        status, key = admin.api("POST", f"tenants/{name}/keys", {})
        assert status == 201, key
        with self.lock:
            self.kept.keys[name].add(key["id"])
            self.done("key.create", key["id"])
        old = made["key"]["id"]
        status, answer = admin.api("DELETE", f"tenants/{name}/keys/{old}" + dice.choice(("", "?endSessions=true")))
        assert status == 204, answer
        with self.lock:
            self.kept.retired[old] = name
            self.done("key.retire", old)

    def webhooks(self, admin: Door, _: Door, dice: random.Random) -> None:
        address = "https://hooks.example.com/a"
        if len(self.webhook_list) < WEBHOOKS:
            # Those whose making was not answered are as good, and count among the ten.
            self.webhook_list = [hook["id"] for hook in admin.api("GET", "webhooks")[1]["items"] if hook["url"] == address]
            with self.lock:
                self.kept.webhooks.update(self.webhook_list)
        if len(self.webhook_list) < WEBHOOKS:
            # Switched off, so that its events wait and can be counted.
            status, made = admin.api("POST", "webhooks", {"url": address, "enabled": False})
            assert status == 201, made
            self.webhook_list.append(made["id"])
            with self.lock:
                self.kept.webhooks.add(made["id"])
                self.done("webhook.create", made["id"])
        if dice.random() < 0.1:
            self.other_webhook(admin, dice)
        hook = dice.choice(self.webhook_list)
        status, made = admin.api("POST", f"webhooks/{hook}/test", {})
        assert status == 202, made
        with self.lock:
            self.kept.deliveries[made["id"]] = hook
            self.done("webhook.test", hook)


    def other_webhook(self, admin: Door, dice: random.Random) -> None:
        """One that is changed and then taken away, most times."""
        address = "https://hooks.example.com/b"
        there = [hook["id"] for hook in admin.api("GET", "webhooks")[1]["items"] if hook["url"] == address]
        if there:
            hook = there[0]
        else:
            status, made = admin.api("POST", "webhooks", {"url": address, "enabled": False})
            assert status == 201, made
            hook = made["id"]
            with self.lock:
                self.done("webhook.create", hook)
        events = sorted(dice.sample(["meeting.started", "meeting.ended", "participant.joined", "chat.file"], 2))
        with self.lock:
            self.kept.events.pop(hook, None)
        status, answer = admin.api("PATCH", f"webhooks/{hook}", {"events": events})
        assert status == 200, answer
        with self.lock:
            self.kept.events[hook] = events
            self.done("webhook.change", hook)
        if dice.random() < 0.6:
            with self.lock:
                self.kept.events.pop(hook)
            status, answer = admin.api("DELETE", f"webhooks/{hook}")
            assert status == 204, answer
            with self.lock:
                self.kept.gone_webhooks.add(hook)
                self.done("webhook.remove", hook)


def check_files(data: str) -> list[str]:
    """The findings of the database's own checks in the files as the killed server left them."""
    with tempfile.TemporaryDirectory(prefix="parley-killed-") as folder:
        for path in Path(data).glob("parley.sqlite*"):
            # The shared memory is of no use without its process, and SQLite makes a new one.
            if not path.name.endswith("-shm"):
                shutil.copy(path, folder)
        with sqlite3.connect(Path(folder, "parley.sqlite")) as database:
            found = [row[0] for row in database.execute("PRAGMA integrity_check")]
            problems = [] if found == ["ok"] else found
            problems += [f"foreign key: {row}" for row in database.execute("PRAGMA foreign_key_check")]
            problems += [f"a tenant without a secret: {row[0]}" for row in database.execute(
                "SELECT name FROM tenants WHERE id NOT IN (SELECT tenant FROM api_keys)")]
        database.close()
    return problems


def check_lists(server: Server, kept: Kept, whole: bool) -> list[str]:
    """Entries that the server has acknowledged and doesn't list any more. Without ``whole`` the lists aren't walked,
    and all entries must be among the newest ones."""
    admin = Door(server.admin_port)
    problems: list[str] = []

    def missing(what: str, wanted: set[str], found: set[str]) -> None:
        lost = wanted - found
        if lost:
            problems.append(f"{len(lost)} of {len(wanted)} {what} lost, such as {sorted(lost)[:3]}")

    rooms = set(kept.rooms) - kept.unsure
    meetings = admin.all("meetings", lambda items: not whole and rooms <= {entry["id"] for entry in items}
                         and kept.addresses | set(kept.planned) <= {entry["room"] for entry in items})
    missing("meetings", rooms, {entry["id"] for entry in meetings})
    missing("removals of meetings", kept.removed, kept.removed - {entry["id"] for entry in meetings})
    missing("ad-hoc meetings", kept.addresses, {entry["room"] for entry in meetings})
    missing("planned meetings", set(kept.planned), {entry["room"] for entry in meetings})
    if kept.tenants:
        tenants = {entry["name"]: entry.get("capacity") for entry in admin.all("tenants")}
        missing("tenants", set(kept.tenants), set(tenants))
        for name, capacity in kept.tenants.items():
            if capacity and name not in kept.unsure and tenants.get(name) != capacity:
                problems.append(f"the capacity of {name} is {tenants.get(name)} instead of {capacity}")
    for entry in meetings:
        wished = kept.subjects.get(entry["id"])
        if wished and entry["id"] not in kept.unsure and entry["subject"] != wished:
            problems.append(f"the title of {entry['id']} is {entry['subject']!r} instead of {wished!r}")
    missing("personal rooms", set(kept.personal.values()), {entry["id"] for entry in meetings} if whole or not kept.personal else
            {entry["id"] for entry in admin.all("personal-rooms")})
    hooks = {entry["id"]: entry for entry in admin.api("GET", "webhooks")[1]["items"]}
    missing("webhooks", kept.webhooks, set(hooks))
    missing("removals of webhooks", kept.gone_webhooks, kept.gone_webhooks - set(hooks))
    wanted = Counter(kept.audit)

    def lost(items: list[dict]) -> Counter:
        return wanted - Counter((entry["action"], entry["target"]) for entry in items)

    gone = lost(admin.all("audit", lambda items: not whole and not lost(items)))
    if gone:
        problems.append(f"{gone.total()} of {wanted.total()} audit entries lost, such as {list(gone)[:3]}")
    return problems


def check_each(server: Server, kept: Kept) -> list[str]:
    """As ``check_lists``, for what costs a request each: tokens, secrets, deliveries, what was planned, bans."""
    admin, public = Door(server.admin_port), Door(server.port)
    problems: list[str] = []
    for what, wanted, tokens in (("revoked", 401, kept.revoked), ("good", 200, kept.issued)):
        for token_id, token in tokens.items():
            room = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))["room"]
            address = f"/discover/{room}?" + urlencode({"anonymousMeetingJoinContext": "psat=" + token})
            status, answer = public.ask("GET", address)
            if status != wanted and token_id not in kept.unsure:
                problems.append(f"a {what} token is answered {status} {answer}")
    for room, planned in kept.planned.items():
        status, answer = public.api("GET", f"meetings/{room}")
        schedule = answer.get("schedule", {})
        found = (answer.get("subject"), schedule.get("start", "")[:16], schedule.get("sequence"), schedule.get("cancelled"))
        if status != 200 or (found != planned and room not in kept.unsure):
            problems.append(f"a planned meeting is answered {status} {found} instead of {planned}")
    for hook, events in kept.events.items():
        status, answer = admin.api("GET", f"webhooks/{hook}")
        if status != 200 or sorted(answer["events"]) != events:
            problems.append(f"a changed webhook is answered {status} {answer.get('events')} instead of {events}")
    for token_id, (room, token, participant) in kept.asked_bans.items():
        if token_id not in kept.unsure:
            continue
        # It was not said to be done: but nobody is banned without an entry that says by whom.
        status, answer = public.ask("GET", f"/discover/{room}?" + urlencode({"anonymousMeetingJoinContext": "psat=" + token}))
        if answer.get("code") == "banned" and not has_entry(admin, "meeting.ban", participant):
            problems.append(f"{participant} is banned, and no entry of the audit log says by whom")
    for room, token in kept.banned.values():
        status, answer = public.ask("GET", f"/discover/{room}?" + urlencode({"anonymousMeetingJoinContext": "psat=" + token}))
        if (status, answer.get("code")) != (403, "banned"):
            problems.append(f"who was banned is answered {status} {answer.get('code')}")
    for name, keys in kept.keys.items():
        _, found = admin.api("GET", f"tenants/{name}/keys")
        states = {key["id"]: key["state"] for key in found.get("items", [])}
        if keys - set(states):
            problems.append(f"a secret of {name} is lost")
        problems += [f"a retired secret of {name} is {states.get(key)}" for key, whose in kept.retired.items()
                     if whose == name and states.get(key) != "retired"]
    for hook in {hook for hook, _ in kept.heard.values()}:
        def untold(items: list[dict]) -> dict[str, Counter]:
            found: dict[str, Counter] = {}
            for entry in items:
                found.setdefault(entry["meeting"], Counter())[entry["type"]] += 1
            return {meeting: lost for meeting, (whose, wanted) in kept.heard.items()
                    if whose == hook and (lost := wanted - found.get(meeting, Counter()))}

        def unended(items: list[dict]) -> dict[str, Counter]:
            """Begun and not ended, by the events of webhooks, in meetings in which nobody is."""
            found: dict[str, Counter] = {}
            for entry in items:
                if kept.heard.get(entry["meeting"], ("",))[0] == hook and (change := CHANGES.get(entry["type"])):
                    found.setdefault(entry["meeting"], Counter())[change[0]] += change[1]
            return {meeting: +counts for meeting, counts in found.items() if +counts}

        deliveries = admin.all(f"webhooks/{hook}/deliveries", lambda items: not untold(items))
        if lost := untold(deliveries):
            problems.append(f"webhooks would not be told of {list(lost.items())[:3]}")
        # The next server has sent the events that the killed one could not, right after its start.
        end = time.monotonic() + 10
        while (still := unended(deliveries)) and time.monotonic() < end:
            time.sleep(0.1)
            deliveries = admin.all(f"webhooks/{hook}/deliveries", lambda items: not untold(items))
        if still:
            problems.append(f"webhooks would not be told the end of {list(still.items())[:3]}")
    for delivery, hook in kept.deliveries.items():
        status, answer = admin.api("GET", f"webhooks/{hook}/deliveries/{delivery}")
        if status != 200:
            problems.append(f"a delivery is answered {status} {answer}")
    return problems


def has_entry(admin: Door, action: str, target: str, detail: str = "") -> bool:
    """Whether the audit log says so, in its last entries."""
    found = admin.api("GET", "audit?limit=200")[1]["items"]
    return any(entry["action"] == action and entry["target"] == target and detail in entry["detail"] for entry in found) or any(
        entry["action"] == action and entry["target"] == target and detail in entry["detail"] for entry in admin.all("audit"))


async def check_meetings(server: Server, kept: Kept) -> list[str]:
    """The differences of the meetings that ran to their state when the server was killed, for those who come back to
    them."""
    problems: list[str] = []

    async def first(session: aiohttp.ClientSession, token: str) -> tuple[dict, aiohttp.ClientWebSocketResponse]:
        client = SignalingClient(session, server.url)
        try:
            return await client.join(token, "Back"), client.socket
        except AssertionError as refused:
            return refused.args[0], client.socket

    for room, live in kept.live.items():
        if live.is_over is None:
            continue
        async with aiohttp.ClientSession() as session:
            if live.is_over:
                answer, _ = await first(session, live.guest)
                if answer["type"] != "welcome" or answer["chat"]:
                    problems.append(f"{room} has ended, and yet who comes is answered {answer}")
                continue
            if live.asks_to_lock and not live.is_locked:
                # It was not said to be done: but no meeting is locked without an entry that says by whom.
                answer, socket = await first(session, live.guest)
                await socket.close()
                if answer.get("code") == "meetingLocked" and not has_entry(Door(server.admin_port), "meeting.lock", "", f"in {room} "):
                    problems.append(f"{room} is locked, and no entry of the audit log says by whom")
            # A guest opens the room, and leaves it empty behind.
            for what, token in [("a guest", live.guest)] * live.is_locked + [("a demoted host", live.demoted)] * live.is_demoted:
                answer, socket = await first(session, token)
                await socket.close()
                if live.is_locked and answer.get("code") != "meetingLocked":
                    problems.append(f"{what} at the locked {room} is answered {answer}")
                elif not live.is_locked and "moderate" in answer.get("permissions", []):
                    problems.append(f"{what} of {room} is a host again")
            answer, socket = await first(session, live.host)
            if answer["type"] != "welcome":
                problems.append(f"the host of {room} is answered {answer}")
                continue
            polls = {poll["id"]: poll for poll in (answer.get("state") or {}).get("polls", [])}
            for number, wanted in live.polls.items():
                poll = polls.get(number, {})
                if (poll.get("question"), poll.get("open")) != wanted:
                    problems.append(f"poll {number} of {room} is {poll} instead of {wanted}")
            if live.vote:
                number, choice = live.vote
                # It waits for its owner, and counts once they are back.
                if polls.get(number, {}).get("voters") != 0:
                    problems.append(f"a vote of {room} counts, and its owner is not back: {polls.get(number)}")
                if live.is_locked:
                    await socket.send_json({"type": "lock", "locked": False, "id": -1})
                    while (await socket.receive_json(timeout=10)) != {"type": "done", "id": -1}:
                        pass
                back, _ = await first(session, live.voter)
                poll = next((poll for poll in (back.get("state") or {}).get("polls", []) if poll["id"] == number), {})
                votes = [option.get("votes") for option in poll.get("options", [])]
                if votes != [int(choice == 0), int(choice == 1)] or poll.get("mine") != [choice]:
                    problems.append(f"the votes of {room} are {votes} for who is back ({back['type']}), and {choice} was chosen")
            found = {message["id"]: message for message in answer["chat"]}
            # No more than the last 200 are sent.
            for number, text in list(live.texts.items())[-150:]:
                if number not in live.unsure and found.get(number, {}).get("text") != text:
                    problems.append(f"message {number} of {room} is {found.get(number)} instead of {text!r}")
            for name, content in live.files.items():
                headers = {"Authorization": f"Bearer {answer['resumeToken']}"}
                async with session.get(f"{server.url}/api/chat/files/{name}", headers=headers) as file:
                    if file.status != 200 or await file.read() != content:
                        problems.append(f"a file of {room} is answered {file.status}")
    return problems


async def check_mailboxes(server: Server, kept: Kept) -> list[str]:
    """Chats that aren't as they were acknowledged. A message that is sent again must not be there twice."""
    problems: list[str] = []
    async with aiohttp.ClientSession() as session:
        for chat, mail in kept.mail.items():
            endpoint = MailboxEndpoint(session, server.url)
            await endpoint.resume(mail.domain, mail.endpoint, mail.secret)
            for number, cookie in list(mail.messages.items())[-1:]:
                again = await endpoint.ask("messageSend", chatId=chat, cookie=cookie, body="SGVsbG8")
                if int(again["sent"]["number"]) != number:
                    problems.append(f"message {number} of {chat} is sent again as {again['sent']['number']}")
            history = (await endpoint.ask("history", chatId=chat, **{"from": "1", "through": "1000"}))["messages"]["messages"]
            found = {int(message["number"]): message["cookie"] for message in history}
            if sorted(found) != list(range(1, len(found) + 1)) or not mail.messages.items() <= found.items():
                problems.append(f"the chat {chat} has {found} instead of {mail.messages}")
            await endpoint.socket.close()
    return problems


def kill_while_starting(data: str, dice: random.Random) -> None:
    """Starts the server and kills it before, while or just after it begins to serve."""
    process = subprocess.Popen([str(BINARY), "serve", "--port", "0", "--data", data, "--media-port", "0", "--admin-port", "0"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    time.sleep(dice.uniform(0, 0.15))
    process.kill()
    process.wait()


def kill_while_writing(data: str, last: Kept, total: Kept, seed: int, dice: random.Random,
                       longest: float = 1) -> tuple[Kept, list[str]]:
    """Starts the server, checks that it has what was acknowledged ``last``, writes, and kills it at a moment that the
    dice choose, at most ``longest`` seconds later. Returns what it has acknowledged then, and everything that is
    wrong."""
    server = Server("--log-level", "warning", data=data).__enter__()
    problems = check_lists(server, last, whole=False) + check_each(server, last) + run_aside(check_meetings(server, last)) + run_aside(check_mailboxes(server, last))
    fresh = Kept()
    writers = Writers(server, fresh, total, seed)
    writers.start()
    time.sleep(dice.uniform(0.02, longest))
    server.process.kill()
    server.process.wait()
    writers.join()
    return fresh, problems + writers.problems + check_files(data)
