"""Domains of the messaging service at a real identity provider, canaille: signed and opaque tokens, good and bad."""

from __future__ import annotations

import hashlib
import hmac
import json
import tempfile
import time
import unittest
from pathlib import Path

import aiohttp
import jwt
import requests
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from browser import run_aside
from command import part, run
from identity_provider import CLIENT, SECRET, IdentityProvider
from mailbox_endpoint import MailboxEndpoint, unsigned
from ports import free_port
from server import Server


def private_key(key: dict) -> object:
    return jwt.PyJWK(key, algorithm="RS256").key


class Domains(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = cls.enterClassContext(Server())
        cls.provider = cls.enterClassContext(IdentityProvider(free_port(), f"{cls.server.url}/signin/callback"))
        folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="parley-")))
        cls.secret = folder / "secret"
        cls.secret.write_text(SECRET + "\n")
        cls.tokens = {user: cls.provider.sign_in(user) for user in ("ada", "ben")}
        cls.signed = cls.domain("signed", "--auth", "jwt", "--jwks", cls.provider.keys, "--issuer", cls.provider.issuer, "--client-id", CLIENT)

    @classmethod
    def domain(cls, name: str, *options: str) -> str:
        """A new domain's id."""
        [made] = run(cls.server, "domain", "create", name, *options)
        return made["id"]

    def opaque(self, name: str, *options: str) -> str:
        issuer = self.provider.issuer
        return self.domain(name, "--auth", "oauth", "--token-info", f"{issuer}/oauth/introspect", "--user-info", f"{issuer}/oauth/userinfo",
                           "--client-id", CLIENT, *options)

    def refusals(self, domain: str, *attempts: tuple[str, str]) -> list[str]:
        """The codes with which users with tokens are refused, "" for those that get in."""
        async def ask() -> list[str]:
            async with aiohttp.ClientSession() as session:
                return [await MailboxEndpoint(session, self.server.url).refusal(domain, user, token) for user, token in attempts]
        return run_aside(ask())

    def refused(self, domain: str, user: str, token: str) -> str:
        [code] = self.refusals(domain, (user, token))
        return code

    def claims(self) -> dict:
        """The claims of a token that the provider gave Ada."""
        return jwt.decode(self.tokens["ada"]["id_token"], options={"verify_signature": False})

    def kid(self) -> str:
        return jwt.get_unverified_header(self.tokens["ada"]["id_token"])["kid"]

    def sign(self, **changes: object) -> str:
        """A token that the provider's own key has signed, with other claims; None takes one away."""
        claims = {name: value for name, value in (self.claims() | changes).items() if value is not None}
        return jwt.encode(claims, private_key(self.provider.active), "RS256", {"kid": self.kid()})

    def test_a_users_own_token_opens_the_domain_and_its_identity_stays_the_same(self) -> None:
        async def numbers() -> list[str]:
            async with aiohttp.ClientSession() as session:
                found = []
                for user in ("ada", "ben", "ada"):
                    endpoint = MailboxEndpoint(session, self.server.url)
                    welcome = await endpoint.hello(self.signed, user, self.tokens[user]["id_token"])
                    self.assertEqual(welcome["appUserId"], user)
                    found.append(welcome["regId"])
                return found
        ada, ben, again = run_aside(numbers())
        self.assertEqual(ada, again)
        self.assertNotEqual(ada, ben)

    def test_threat_54_tokens_of_other_issuers_audiences_times_and_algorithms_are_refused(self) -> None:
        now, good = int(time.time()), self.tokens["ada"]["id_token"]
        head, body, signature = good.split(".")
        public = jwt.PyJWK({name: self.provider.active[name] for name in ("kty", "n", "e")}, algorithm="RS256").key
        pem = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        kid = self.kid()

        def confused(secret: bytes) -> str:
            """Signed with HS256 and a text that everybody knows: the public key."""
            text = part(json.dumps({"alg": "HS256", "kid": kid}).encode()) + "." + body
            return text + "." + part(hmac.new(secret, text.encode(), hashlib.sha256).digest())

        own = rsa.generate_private_key(65537, 2048)
        claims = self.claims()
        bad = {
            "another user's": ("ben", good), "for another user id of the same letters": ("Ada", good),
            "another audience": ("ada", self.sign(aud=["another"])), "no audience": ("ada", self.sign(aud=None)),
            "another issuer": ("ada", self.sign(iss="http://localhost:1")), "expired": ("ada", self.sign(exp=now - 120, iat=now - 600)),
            "without an end": ("ada", self.sign(exp=None)), "an end that is text": ("ada", self.sign(exp=str(now + 600))),
            "not yet": ("ada", self.sign(nbf=now + 3_600)), "without a user": ("ada", self.sign(sub=None)),
            "unsigned": ("ada", unsigned("ada")), "unsigned with its claims": ("ada", part(b'{"alg":"none"}') + "." + body + "."),
            "its signature cut off": ("ada", f"{head}.{body}."), "its signature changed": ("ada", good[:-6] + ("AAAAAA" if good[-6:] != "AAAAAA" else "BBBBBB")),
            "its claims changed": ("ben", f"{head}.{part(json.dumps(claims | {'sub': 'ben'}).encode())}.{signature}"),
            "HS256 with the public key (PEM)": ("ada", confused(pem)), "HS256 with the modulus": ("ada", confused(self.provider.active["n"].encode())),
            "a stranger's key under the known name": ("ada", jwt.encode(claims, own, "RS256", {"kid": kid})),
            "a stranger's key in the header": ("ada", jwt.encode(claims, own, "RS256", {"kid": kid, "jwk": json.loads(
                jwt.algorithms.RSAAlgorithm.to_jwk(own.public_key()))})),
            "no token": ("ada", "x"), "three dots": ("ada", "..."),
        }
        found = dict(zip(bad, self.refusals(self.signed, *bad.values())))
        self.assertEqual(found, dict.fromkeys(bad, "tokenRejected"))
        self.assertEqual(self.refused(self.signed, "ada", self.sign()), "", "the same, unchanged, is taken")

    def test_another_domain_another_client_a_scope_and_a_domain_that_is_not_there(self) -> None:
        token = self.tokens["ada"]["id_token"]
        rules = ("--auth", "jwt", "--jwks", self.provider.keys)
        other = self.domain("other-client", *rules, "--client-id", "another")
        scoped = self.domain("scoped", *rules, "--client-id", CLIENT, "--scope", "chat")
        claim = self.domain("claimed", *rules, "--client-id", CLIENT, "--user-claim", "name")
        self.assertEqual(self.refused(other, "ada", token), "tokenRejected")
        self.assertEqual(self.refused(scoped, "ada", token), "tokenRejected")
        self.assertEqual(self.refused(scoped, "ada", self.sign(scope="openid chat")), "")
        self.assertEqual(self.refused(claim, "ada", token), "tokenRejected")
        self.assertEqual(self.refused(claim, "Ada Lovelace", token), "")
        self.assertEqual(self.refused("5e5ba4d0-0000-4000-8000-000000000000", "ada", token), "unknownDomain")

    def test_opaque_tokens_count_as_long_as_the_provider_knows_them(self) -> None:
        domain = self.opaque("opaque", "--client-secret-file", str(self.secret))
        ada, ben = (self.provider.sign_in(user)["access_token"] for user in ("ada", "ben"))
        self.assertEqual(self.refusals(domain, ("ada", ada), ("ben", ben)), ["", ""])
        self.assertEqual(self.refusals(domain, ("ben", ada), ("ada", "never-issued"), ("ada", unsigned("ada"))), ["tokenRejected"] * 3)
        self.provider.revoke(ada)
        self.assertEqual(self.refusals(domain, ("ada", ada), ("ben", ben)), ["tokenRejected", ""])
        # Without the secret this provider says nothing about tokens.
        self.assertEqual(self.refused(self.opaque("nameless"), "ben", ben), "tokenRejected")
        scoped = self.opaque("opaque-scope", "--client-secret-file", str(self.secret), "--scope", "profile")
        self.assertEqual(self.refused(scoped, "ben", ben), "")
        run(self.server, "domain", "set", "opaque-scope", "--scope", "payments")
        self.assertEqual(self.refused(scoped, "ben", ben), "tokenRejected")
        self.assertNotIn(SECRET, "\n".join(self.server.lines))
        self.assertNotIn(ben, "\n".join(self.server.lines))

    def test_key_storage_gives_users_their_own_keys_and_others_the_public_part(self) -> None:
        domain = self.domain("keys", "--auth", "jwt", "--jwks", self.provider.keys, "--client-id", CLIENT, "--key-management", "off")
        base = f"{self.server.url}/messaging/v1/kms/{domain}/"

        def ask(method: str, owner: str, user: str | None, body: object = None) -> tuple[int, dict]:
            headers = {"Authorization": f"Bearer {self.tokens[user]['id_token']}"} if user else {}
            answer = requests.request(method, base + owner, headers=headers, json=body, timeout=10)
            return answer.status_code, answer.json()

        leaf = {"payload": "cA", "nonce": "bg", "mac": "bQ"}
        keys = {"public": {"sign": {"key": "c2ln"}, "encrypt": {"key": "ZW5j"}},
                "private": {"manage": {"sign": leaf, "encrypt": leaf}, "profile": {"sign": leaf, "encrypt": leaf}, "mailboxes": {"bTE": leaf}}}
        self.assertEqual(ask("GET", "ada", "ada")[0], 404)
        self.assertEqual(ask("PUT", "ada", "ada", {"keys": keys, "replace": True}), (200, keys))
        self.assertEqual(ask("GET", "ada", "ada"), (200, keys))
        self.assertEqual(ask("GET", "ada", "ben"), (200, {"public": keys["public"]}))
        # Mailboxes are merged, and null deletes one.
        self.assertEqual(ask("PUT", "ada", "ada", {"keys": {"private": {"mailboxes": {"bTI": leaf}}}, "replace": False})[0], 200)
        self.assertEqual(set(ask("GET", "ada", "ada")[1]["private"]["mailboxes"]), {"bTE", "bTI"})
        ask("PUT", "ada", "ada", {"keys": {"private": {"mailboxes": {"bTE": None}}}})
        self.assertEqual(set(ask("GET", "ada", "ada")[1]["private"]["mailboxes"]), {"bTI"})
        self.assertEqual(ask("GET", "ada", "ada")[1]["private"]["profile"], keys["private"]["profile"])
        # Starting again with nothing is how a forgotten password ends.
        self.assertEqual(ask("PUT", "ada", "ada", {"keys": {"public": keys["public"]}, "replace": True}), (200, {"public": keys["public"]}))
        refused = [ask("PUT", "ada", "ben", {"keys": keys}), ask("GET", "ada", None), ask("PUT", "ada", "ada", {"replace": True}),
                   ask("PUT", "ada", "ada", {"keys": keys, "replace": "yes"}), ask("PUT", "ada", "ada", {"keys": keys, "owner": "ben"}), ask("PUT", "ada", "ada", ["keys"]), ask("GET", "zoe", "ada")]
        self.assertEqual([status for status, _ in refused], [401, 401, 400, 400, 400, 400, 404])
        self.assertEqual(ask("GET", "ada", "ada"), (200, {"public": keys["public"]}))


class Rotation(unittest.TestCase):
    def test_a_key_changed_under_a_running_server_counts_and_an_absent_provider_is_named(self) -> None:
        with Server() as server, IdentityProvider(free_port(), f"{server.url}/signin/callback") as provider:
            def domain(name: str, keys: str) -> str:
                [made] = run(server, "domain", "create", name, "--auth", "jwt", "--jwks", keys, "--client-id", CLIENT)
                return made["id"]

            def refused(domain: str, token: str) -> str:
                async def ask() -> str:
                    async with aiohttp.ClientSession() as session:
                        return await MailboxEndpoint(session, server.url).refusal(domain, "ada", token)
                return run_aside(ask())

            app = domain("app", provider.keys)

            first = provider.sign_in("ada")["id_token"]
            self.assertEqual(refused(app, first), "")
            provider.rotate()
            second = provider.sign_in("ada")["id_token"]
            self.assertNotEqual(*(jwt.get_unverified_header(each)["kid"] for each in (first, second)))
            self.assertEqual(refused(app, second), "")
            self.assertEqual(refused(app, first), "", "the key before is still published")
            # Without the provider's keys nobody gets in, and no token counts as bad.
            self.assertEqual(refused(domain("away", f"http://localhost:{free_port()}/keys"), second), "providerUnavailable")


if __name__ == "__main__":
    unittest.main()
