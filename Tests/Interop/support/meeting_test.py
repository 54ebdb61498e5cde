"""Fixtures of the tests of meetings between pages."""

from __future__ import annotations

import unittest

from browser import Person, shared_driver, wait_for
from server import Server

#: Gathers a page's data messages; the digest tells bytes apart without carrying them all.
GATHER = """() => {
    window.got = [];
    window.errors = [];
    window.parley.addEventListener("data", ({ detail }) => {
        window.got.push({
            from: detail.participant?.name ?? null, topic: detail.topic, reliable: detail.reliable, length: detail.bytes.length,
            text: new TextDecoder().decode(detail.bytes.subarray(0, 64)),
            sum: detail.bytes.reduce((sum, byte, index) => (sum * 31 + byte + index) % 1000000007, 7),
        });
    });
    window.parley.addEventListener("error", ({ detail }) => window.errors.push(detail.error.code));
}"""


class MeetingTest(unittest.TestCase):
    """One server and one driver for all tests of a class; each test has a room of its own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())

    def person(self, name: str, **options) -> Person:
        return self.enterContext(Person(self.driver, name, **options))

    def meet(self, *names: str, overrides: str = "") -> list[Person]:
        room = self.id().rsplit(".", 1)[-1]
        people = [self.person(name).open(self.server.url, room, overrides) for name in names]
        for person in people:
            person.joined()
        for person in people:
            others = sorted(each.name for each in people if each is not person)
            wait_for(f"{person.name} to list {others}", lambda: person.names() == others or f"no: {person.names()}")
        return people
