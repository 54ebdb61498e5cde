"""Signing in at a real provider, canaille, with a real browser."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from browser import Person, shared_driver, wait_for
from client import Client
from command import run
from identity_provider import CLIENT, PASSWORD, SECRET, IdentityProvider
from ports import free_port
from server import Server


class SignIn(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())
        cls.provider = cls.enterClassContext(IdentityProvider(free_port(), f"{cls.server.url}/signin/callback"))
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="parley-"))
        secret = Path(folder) / "secret"
        secret.write_text(SECRET + "\n")
        [told] = run(
            cls.server, "tenant", "set", "parley", "--sign-in", "oidc", "--oidc-issuer", cls.provider.issuer, "--oidc-client-id", CLIENT,
            "--oidc-client-secret-file", str(secret), "--oidc-scope", "profile", "--oidc-scope", "email", "--oidc-scope", "groups",
            "--oidc-role-claim", "groups", "--oidc-moderator", "hosts")
        assert told["signIn"] == "oidc" and told["provider"]["hasSecret"] and SECRET not in str(told), told

    def heading(self, person: Person, text: str) -> None:
        def seen() -> object:
            found = person.page.locator("h1").first
            return found.count() == 1 and (found.inner_text() == text or f"no: {found.inner_text()} {person.page.url} {person.console[-3:]}")
        wait_for(f"the page to say {text!r}", seen)

    def log_in(self, person: Person, name: str) -> None:
        """At the provider's own pages: name, then password."""
        page = person.page
        page.locator("input[name=login]").fill(name)
        page.locator("input[name=login]").press("Enter")
        page.locator("input[name=password]").fill(PASSWORD)
        page.locator("input[name=password]").press("Enter")

    def answer(self, person: Person, value: str) -> None:
        """Answers the provider's question whether Parley may know who signs in."""
        button = person.page.locator(f"button[name=answer][value={value}]")
        wait_for("the provider's question", lambda: button.is_visible()
                 or f"no: {person.page.url.partition('?')[0]} {person.page.locator('body').inner_text()[:300]!r} {self.provider.lines[-3:]}")
        button.click()

    def test_signing_in_leads_into_the_meeting_under_the_providers_name_and_out_again(self) -> None:
        ada = self.enterContext(Person(self.driver, "Ada"))
        page = ada.page
        page.goto(f"{self.server.url}/daily")
        self.heading(ada, "Sign in to join")
        link = page.get_by_role("link", name="Sign in", exact=True)
        link.focus()
        link.press("Enter")
        page.wait_for_url(f"{self.provider.issuer}/**")

        # No at the provider leads back, with words and a way on.
        self.log_in(ada, "ada")
        self.answer(ada, "deny")
        self.heading(ada, "You are not signed in")
        self.assertEqual(page.url, f"{self.server.url}/daily")

        page.get_by_role("link", name="Sign in", exact=True).click()
        self.answer(ada, "accept")
        page.get_by_text("Signed in as Ada Lovelace").wait_for()
        name = page.locator("#display-name")
        self.assertEqual((name.input_value(), name.get_attribute("readonly")), ("Ada Lovelace", ""))
        self.assertEqual(page.evaluate("() => document.cookie"), "")
        page.get_by_role("button", name="Join now").press("Enter")
        wait_for("the meeting", lambda: ada.evaluate("() => window.parley?.state") == "connected")
        self.assertEqual(ada.evaluate("() => window.parley.localParticipant.name"), "Ada Lovelace")
        # Only hosts see the lobby, and her group makes her one.
        self.assertTrue(ada.evaluate("() => window.parley.lobby !== null"))

        page.goto(f"{self.server.url}/daily")
        page.get_by_role("button", name="Sign out").press("Enter")
        self.heading(ada, "Sign in to join")

        # The provider signs with another key from now on, first next to the old one and then without it; people come in
        # all the same, and the server runs on.
        old = self.provider.active["kid"]
        for change, published in ((self.provider.rotate, 2), (self.provider.forget, 1)):
            change()
            new = self.provider.active["kid"]
            self.assertEqual(self.provider.published(), [new, old][:published])
            self.assertNotEqual(new, old)
            ada.context.clear_cookies()
            page.goto(f"{self.server.url}/daily")
            page.get_by_role("link", name="Sign in", exact=True).click()
            self.log_in(ada, "ben")
            self.answer(ada, "accept")
            page.get_by_text("Signed in as Ben Field").wait_for()
        log = self.server.log()
        self.assertIn("event=signin.done", log)
        for cookie in ada.context.cookies(self.server.url):
            self.assertNotIn(cookie["value"], log)
        for secret in (SECRET, "code=", "state="):
            self.assertNotIn(secret, log)

    def test_the_swift_client_joins_as_whoever_signs_in_with_a_browser(self) -> None:
        client = self.enterContext(Client(self.server.url, "board", "Nobody", "--sign-in", "60"))
        address = client.expect("signIn")["url"]
        self.assertTrue(address.startswith(f"{self.server.url}/signin?room=board&app=http%3A%2F%2F127.0.0.1%3A"), address)
        ben = self.enterContext(Person(self.driver, "Ben"))
        page = ben.page
        page.goto(address)
        self.log_in(ben, "ben")
        answer = page.locator("button[name=answer][value=accept]")
        consent = page.get_by_role("link", name="Let it join")
        wait_for("the provider's or the server's question", lambda: answer.count() or consent.count())
        if answer.count():
            answer.click()
        page.get_by_text("You are signed in as Ben Field").wait_for()
        consent.click()
        page.get_by_text("You are signed in. Go back to the app").wait_for()
        client.joined()

        # The provider's name, whatever the client calls itself; and the token is good for the page's renewal too.
        ada = self.enterContext(Person(self.driver, "Ada"))
        ada.page.goto(f"{self.server.url}/board")
        ada.page.get_by_role("link", name="Sign in", exact=True).click()
        self.log_in(ada, "ada")
        wait_for("the provider's question or the room", lambda: ada.page.get_by_text("Signed in as Ada Lovelace").count()
                 or ada.page.locator("button[name=answer][value=accept]").count())
        if ada.page.locator("button[name=answer][value=accept]").count():
            ada.self.answer(ada, "accept")
        ada.page.get_by_role("button", name="Join now").press("Enter")
        wait_for("Ada to see Ben", lambda: ada.evaluate("() => [...(window.parley?.participants.values() ?? [])].map((each) => each.name).join()") == "Ben Field")

        # With a token that ends, the page fetches another one with the session, and says so when that has ended.
        expiring = "() => window.parley.dispatchEvent(new CustomEvent('tokenExpiring', { detail: { seconds: 60, leaves: true } }))"
        ada.evaluate(expiring)
        wait_for("the page to renew its token", lambda: "event=token.renewed" in self.server.log())
        self.assertTrue(ada.page.locator(".token-notice").is_hidden())
        ada.context.clear_cookies()
        ada.evaluate(expiring)
        ada.page.get_by_text("Your sign-in has ended. You leave the meeting").wait_for()
        self.assertEqual(ada.page.get_by_role("link", name="Sign in again").get_attribute("href"), "/signin?room=board")
        self.assertEqual(ada.evaluate("() => window.parley.state"), "connected")


if __name__ == "__main__":
    unittest.main()
