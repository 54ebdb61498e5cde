"""The secret of an encrypted meeting's link stays with those who have the link."""

from __future__ import annotations

import base64
import signal
import subprocess
import unittest
from pathlib import Path

from administration import Receiver, ask
from browser import Person, shared_driver, wait_for
from server import BINARY, Server


class LinkSecret(unittest.TestCase):
    def test_addresses_logs_calendar_files_webhooks_and_crashes_have_no_secret(self) -> None:
        receiver = self.enterContext(Receiver())
        server = self.enterContext(Server("--log-level", "debug"))
        status, made = ask(server, "POST", "webhooks", {"url": receiver.url})
        self.assertEqual(status, 201, made)
        ann = self.enterContext(Person(shared_driver(), "Ann", devices=False))
        page, requests = ann.page, []
        page.on("request", lambda request: requests.append(f"{request.url} {request.headers} {request.post_data}"))

        page.goto(server.url)
        page.get_by_role("button", name="Plan").click()
        page.locator("#plan-encrypted").check()
        page.locator("dialog button[type=submit]").click()
        link = page.get_by_label("Send this address to everybody").input_value()
        address, _, secret = link.partition("#e2ee=")
        self.assertEqual(len(secret), 43)
        with page.expect_download() as download:
            page.get_by_role("link", name="Add to calendar").click()
        calendar = Path(download.value.path()).read_text()

        # The planned meeting is tomorrow; the secret is as good for another.
        link = f"{server.url}/now#e2ee={secret}"
        page.goto(link)
        page.get_by_label("Your name").fill("Ann")
        page.get_by_role("button", name="Join now").click()
        ann.joined()
        client = subprocess.Popen([str(BINARY), "join", link, "--name", "Ben", "--json"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(client.communicate)
        self.addCleanup(client.kill)
        # The client prints both in any order, and is ended after the second.
        output, expected = [], {'"state":"encrypted"', '"now"'}
        for line in client.stdout:
            output.append(line)
            expected -= {word for word in expected if word in line}
            if not expected:
                break
        wait_for("both to be encrypted", lambda: ann.evaluate("() => parley.encryption.state") == "encrypted" and ann.evaluate("() => parley.participants.size") == 1)
        client.send_signal(signal.SIGSEGV)
        output.append(client.communicate()[0])
        page.evaluate("() => parley.leave()")
        wait_for("the webhooks", lambda: "meeting.ended" in receiver.types() or f"no: {receiver.types()}")

        texts = {
            "calendar": calendar.replace("\r\n ", ""), "webhooks": "".join(body.decode() for _, _, body in receiver.posts), "requests": "\n".join(requests),
            "client": "".join(output), "log": "\n".join(server.lines), "console": "\n".join(ann.console),
        }
        # The search sees these texts: the names of the rooms are in them.
        self.assertIn(address.rpartition("/")[2], texts["calendar"])
        for name, word in (("webhooks", '"now"'), ("requests", f"{server.url}/now"), ("client", '"now"')):
            self.assertIn(word, texts[name])
        hexadecimal = base64.urlsafe_b64decode(secret + "=").hex()
        self.assertEqual([name for name, text in texts.items() if secret in text or secret[:20] in text or hexadecimal in text.lower()], [])


if __name__ == "__main__":
    unittest.main()
