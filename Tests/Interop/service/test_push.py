"""Pushes of the messaging service: the domain's address hears that something waits, and nothing of what it is."""

from __future__ import annotations

import asyncio
import time
import unittest

import aiohttp

from administration import Receiver, verify
from browser import run_aside, wait_for
from command import run
from mailbox_endpoint import MailboxEndpoint
from server import Server


class Push(unittest.TestCase):
    def test_an_identity_without_a_connection_has_a_signed_push_and_one_with_has_none(self) -> None:
        server = self.enterContext(Server("--webhook-allow", "127.0.0.1"))
        receiver = self.enterContext(Receiver())
        [domain] = run(server, "domain", "create", "push", "--auth", "disabled", "--push-url", receiver.url)
        [shown] = run(server, "domain", "show", "push", "--show-secrets")

        async def write() -> tuple[str, str]:
            async with aiohttp.ClientSession() as session:
                ann, ben, cyd = (MailboxEndpoint(session, server.url) for _ in range(3))
                numbers = [(await each.hello(domain["id"], user))["regId"] for each, user in ((ann, "ann"), (ben, "ben"), (cyd, "cyd"))]
                await ben.socket.close()
                while server.metrics()["parley_messaging_endpoints"] > 2:
                    await asyncio.sleep(0.05)
                for other, cookie in ((numbers[1], "b"), (numbers[2], "c")):
                    chat = await ann.ask("chatStart", cookie=cookie, invitees=[other], isOneToOne=True, invitePolicy="adminsOnly", keys=[])
                    chat = chat["chat"]["chat"]["chatId"]
                    await ann.ask("messageSend", chatId=chat, cookie="1", body="Qk9E")
                await ann.ask("callStart", to=numbers[1], medium="voice", sealed="Qk9E")
                await cyd.socket.close()
                return numbers[1], numbers[2]

        ben, cyd = run_aside(write())
        wait_for("pushes of a message and a call", lambda: {each[0]["kind"] for each in receiver.posts} == {"message", "call"}
                 or f"no: {receiver.posts}")
        for fields, signature, body in receiver.posts:
            self.assertEqual(fields.keys(), {"domain", "regId", "kind", "time"})
            self.assertEqual((fields["domain"], fields["regId"]), (domain["id"], ben), f"and not Cyd's {cyd}")
            self.assertTrue(verify(shown["pushSecret"], signature, body, time.time()))
            self.assertFalse(verify("another", signature, body, time.time()))


if __name__ == "__main__":
    unittest.main()
