"""The administration's pages for domains, identities and endpoints: what they do, by keyboard, narrow and dark."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import unittest
from collections.abc import Coroutine, Iterator

import aiohttp

from administration import ask
from browser import Person, shared_driver, wait_for
from command import run
from keyboard import Keyboard
from mailbox_endpoint import MailboxEndpoint
from server import OUTPUT, Server

TOKEN = "a-token-for-tests-only"

#: Texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3), each with its ratio.
FAINT = """() => {
  const parse = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
  const light = ({ r, g, b }) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, index) => sum + v * [0.2126, 0.7152, 0.0722][index], 0);
  const behind = (element) => {
    for (let each = element; each; each = each.parentElement) {
      const color = parse(getComputedStyle(each).backgroundColor);
      if (color.a === 1) { return color; }
    }
    return { r: 255, g: 255, b: 255 };
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const text = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join("");
    if (!text || !element.checkVisibility() || element.matches(":disabled, :disabled *, .visually-hidden, option, noscript")) { continue; }
    const [one, other] = [light(parse(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (ratio < 4.5) { faint.push(`${text}: ${ratio.toFixed(2)}`); }
  }
  return faint;
}"""


class DomainPages(unittest.TestCase):
    @contextlib.contextmanager
    def registered(self, server: Server, domain: str, *endpoints: tuple[str, str]) -> Iterator[None]:
        """Endpoints of users with their descriptions, connected until the end."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()

        async def listen(endpoint: MailboxEndpoint) -> None:
            async for _ in endpoint.socket:
                pass

        async def register() -> tuple[aiohttp.ClientSession, list[asyncio.Task]]:
            session, tasks = aiohttp.ClientSession(), []
            for user, description in endpoints:
                endpoint = MailboxEndpoint(session, server.url)
                await endpoint.hello(domain, user, description=description)
                tasks.append(asyncio.create_task(listen(endpoint)))
            return session, tasks

        async def leave(session: aiohttp.ClientSession, tasks: list[asyncio.Task]) -> None:
            await session.close()
            await asyncio.gather(*tasks, return_exceptions=True)

        def do(work: Coroutine) -> object:
            return asyncio.run_coroutine_threadsafe(work, loop).result(30)

        try:
            known = do(register())
            try:
                yield
            finally:
                do(leave(*known))
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()

    def sign_in(self, operator: Person, server: Server) -> None:
        page = operator.page
        page.goto(f"http://127.0.0.1:{server.admin_port}/admin#/domains")
        page.get_by_label("Admin token").fill(TOKEN)
        page.keyboard.press("Enter")
        page.get_by_role("heading", level=1, name="Domains").wait_for()

    def test_an_operator_makes_a_domain_changes_sign_in_and_deregisters_an_endpoint(self) -> None:
        with Server("--admin-token", TOKEN) as server, Person(shared_driver(), "Ann", devices=False) as operator:
            page = operator.page
            self.sign_in(operator, server)
            page.get_by_text("There are none. An app of the messaging service needs one.").wait_for()

            # Without authentication it is the sandbox, and nothing of a provider is asked for.
            page.get_by_label("Name", exact=True).fill("mail")
            page.get_by_label("Users prove who they are by").select_option("disabled")
            environment = page.get_by_label("Environment")
            self.assertTrue(environment.is_disabled())
            self.assertEqual(environment.input_value(), "sandbox")
            self.assertFalse(page.get_by_label("Client ids").is_visible())
            page.get_by_role("button", name="Make the domain").click()
            page.get_by_role("heading", level=1, name="Domain mail").wait_for()
            page.get_by_text("Nobody has signed in to this domain yet.").wait_for()
            [made] = run(server, "domain", "show", "mail")
            self.assertEqual([made[key] for key in ("auth", "environment", "keyManagement")], ["disabled", "sandbox", True])

            users = [("ann", "Ann's phone"), ("ann", "Ann's tablet"), ("anna", ""), ("bob", "Bob <b>'s phone")]
            with self.registered(server, made["id"], *users):
                identities = ask(server, "GET", "domains/mail/identities", token=TOKEN)[1]["items"]
                number = {each["user"]: each["regId"] for each in identities}
                page.reload()

                def rows() -> list[str]:
                    return page.get_by_role("region", name="Identities").locator("tbody tr td:first-child").all_inner_texts()

                wait_for("all identities", lambda: rows() == ["ann", "anna", "bob"] or f"no: {rows()}")
                search = page.get_by_role("searchbox", name="User id or number")
                for text, found in (("ann", ["ann", "anna"]), (number["bob"], ["bob"]), ("", ["ann", "anna", "bob"])):
                    search.fill(text)
                    search.press("Enter")
                    wait_for(f"what is found by {text!r}", lambda: rows() == found or f"no: {rows()}")
                search.fill("zoe")
                page.get_by_role("button", name="Search").click()
                page.get_by_text("No identity matches.").wait_for()
                search.fill("ann")
                search.press("Enter")

                page.get_by_role("link", name="ann", exact=True).click()
                page.get_by_role("heading", level=1, name="Identity ann").wait_for()
                page.get_by_text(number["ann"], exact=True).wait_for()
                self.assertEqual(page.locator(".badge", has_text="connected").count(), 2)
                page.screenshot(path=str(OUTPUT / "admin-identity.png"), full_page=True)
                remove = page.get_by_role("button", name="Deregister Ann's phone", exact=True)
                remove.click()
                question = page.get_by_role("dialog", name="Deregister Ann's phone?")
                question.get_by_text("This can't be undone.").wait_for()
                question.get_by_role("button", name="Cancel").click()
                self.assertEqual(len(self.endpoints(server, number["ann"])), 2)
                remove.click()
                question.get_by_role("button", name="Deregister").click()
                page.get_by_text("Ann's phone is deregistered.").first.wait_for()
                self.assertEqual(self.endpoints(server, number["ann"]), [("Ann's tablet", True)])

            # A provider's signed tokens from now on.
            page.get_by_role("link", name="Domain mail").click()
            page.get_by_role("heading", level=1, name="Domain mail").wait_for()
            page.get_by_text("Change the domain", exact=True).click()
            page.get_by_label("Users prove who they are by").select_option("jwt")
            page.get_by_role("button", name="Save").click()
            page.get_by_text("“Address of the provider's keys (JWKS)” is missing.").wait_for()
            page.get_by_label("Address of the provider's keys (JWKS)").fill("https://id.example/keys")
            page.get_by_label("Client ids").fill("app\nother-app")
            page.get_by_label("Environment").select_option("production")
            page.get_by_label("Claim with the user id").fill("oid")
            page.screenshot(path=str(OUTPUT / "admin-domain.png"), full_page=True)
            page.get_by_role("button", name="Save").click()
            page.locator(".notice.good", has_text="Saved.").wait_for()
            changed = ask(server, "GET", "domains/mail", token=TOKEN)[1]
            self.assertEqual([changed[key] for key in ("authentication", "environment", "jwks", "clientIds", "userClaim", "clientClaim")],
                             ["jwt", "production", "https://id.example/keys", ["app", "other-app"], "oid", "aud"])

            # Opaque tokens; the client's secret is not shown again.
            page.get_by_label("Users prove who they are by").select_option("oauth")
            page.get_by_label("Address of token information").fill("https://id.example/introspect")
            page.get_by_label("Address of user information").fill("https://id.example/userinfo")
            page.get_by_label("Client secret").fill("a secret of the client")
            page.get_by_role("button", name="Save").click()
            wait_for("the change", lambda: ask(server, "GET", "domains/mail", token=TOKEN)[1]["authentication"] == "oauth")
            page.reload()
            page.get_by_text("Change the domain", exact=True).click()
            page.get_by_text("There is one. It stays when left empty; none takes it away.").wait_for()
            self.assertNotIn("a secret of the client", page.content())

            page.get_by_role("button", name="Remove the domain").click()
            question = page.get_by_role("dialog", name="Remove mail?")
            question.get_by_role("button", name="Cancel").click()
            self.assertEqual(len(run(server, "domain", "list")), 1)
            page.get_by_role("button", name="Remove the domain").click()
            question.get_by_role("button", name="Remove the domain").click()
            page.get_by_role("heading", level=1, name="Domains").wait_for()
            self.assertEqual(run(server, "domain", "list"), [])
            actions = [entry["action"] for entry in ask(server, "GET", "audit", token=TOKEN)[1]["items"]]
            for action in ("domain.create", "endpoint.remove", "domain.change", "domain.remove"):
                self.assertIn(action, actions)
            wrong = [line for line in operator.console if not ("401" in line or "Unauthorized" in line or "404" in line)]
            self.assertEqual(wrong, [])

    @staticmethod
    def endpoints(server: Server, number: str) -> list[tuple[str, bool]]:
        found = ask(server, "GET", f"domains/mail/identities/{number}", token=TOKEN)[1]["endpoints"]
        return [(each["description"], each["connected"]) for each in found]

    def test_the_pages_have_keyboard_names_and_contrast_in_both_themes_at_each_width(self) -> None:
        with Server("--admin-token", TOKEN) as server, Person(shared_driver(), "Ann", devices=False) as operator:
            page, keys = operator.page, Keyboard(operator)
            status, made = ask(server, "POST", "domains", {"name": "mail", "authentication": "disabled"}, TOKEN)
            self.assertEqual(status, 201, made)
            with self.registered(server, made["id"], ("ann", "Ann's phone"), ("bob", "a" * 200)):
                self.sign_in(operator, server)
                number = {each["user"]: each["regId"] for each in ask(server, "GET", "domains/mail/identities", token=TOKEN)[1]["items"]}
                for address, heading in (("#/domains", "Domains"), ("#/domains/mail", "Domain mail"), (f"#/domains/mail/{number['bob']}", "Identity bob")):
                    page.goto(f"http://127.0.0.1:{server.admin_port}/admin{address}")
                    page.get_by_role("heading", level=1, name=heading).wait_for()
                    page.evaluate("() => document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                    self.assertEqual(keys.nameless(), [], heading)
                    for theme in ("light", "dark"):
                        page.emulate_media(color_scheme=theme)
                        self.assertEqual(page.evaluate(FAINT), [], f"{heading}, {theme}")
                        for width in (1280, 390, 320):
                            page.set_viewport_size({"width": width, "height": 900})
                            self.assertLessEqual(page.evaluate("() => document.documentElement.scrollWidth"), width, f"{heading} in {width} pixels")
                            page.screenshot(path=str(OUTPUT / f"admin-{heading.split()[0].lower()}-{theme}-{width}.png"), full_page=True)
                    page.set_viewport_size({"width": 1280, "height": 900})

                # The way from the list to an endpoint that is deregistered, without a mouse.
                page.goto(f"http://127.0.0.1:{server.admin_port}/admin#/domains")
                keys.at("heading Domains")
                keys.go("link mail")
                keys.press("Enter").at("heading Domain mail")
                keys.go("searchbox User id or number")
                keys.type("ann").press("Enter")
                wait_for("one identity", lambda: page.get_by_role("link", name="bob", exact=True).count() == 0)
                keys.go("link ann")
                keys.press("Enter").at("heading Identity ann")
                keys.go("button Deregister Ann's phone")
                keys.press("Enter").at("button Cancel")
                keys.press("Escape").at("button Deregister Ann's phone")
                keys.press("Enter").at("button Cancel")
                keys.walk("button Deregister")
                keys.press("Enter")
                page.get_by_text("It has no endpoints.").wait_for()
                self.assertEqual(self.endpoints(server, number["ann"]), [])


if __name__ == "__main__":
    unittest.main()
