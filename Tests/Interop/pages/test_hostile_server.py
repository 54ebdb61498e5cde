"""A server that is hostile on purpose, as pages meet it: what it says to one of them is changed on its way."""

from __future__ import annotations

import base64
import os
import unittest

from browser import Person, shared_driver, wait_for
from server import Server

#: ``hostile`` gets each message of the server, and returns those that the page gets in its place.
HOSTILE = """
  const hostile = HOSTILE_FUNCTION;
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", (event) => {
        if (event.isHostile || typeof event.data !== "string") { return; }
        event.stopImmediatePropagation();
        for (const message of hostile(JSON.parse(event.data))) {
          this.dispatchEvent(Object.assign(new MessageEvent("message", { data: JSON.stringify(message) }), { isHostile: true }));
        }
      });
    }
  };
"""
#: Notes what the page's client says of the server's doings.
NOTE = """() => {
  window.told = [];
  for (const type of ["encryptionrefused", "rostermismatch", "hiddenmember"]) { parley.addEventListener(type, ({ detail }) => told.push([type, detail.code ?? null, detail.name ?? null])); }
}"""
REPORT = "async () => Object.values((await parley._encryption.report()).slots)"


class HostileServer(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.driver = shared_driver()
        cls.server = cls.enterClassContext(Server())

    def setUp(self) -> None:
        self.secret = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
        self.room = f"hostile-{os.urandom(6).hex()}"

    def join(self, name: str, hostile: str = "") -> Person:
        person = self.enterContext(Person(self.driver, name))
        if hostile:
            person.page.add_init_script(HOSTILE.replace("HOSTILE_FUNCTION", hostile))
        person.open(self.server.url, self.room, f"e2ee={self.secret}")
        person.page.wait_for_function("() => window.parley")
        person.page.evaluate(NOTE)
        return person

    def told(self, person: Person, kind: str, code: str | None = None) -> list:
        return wait_for(f"{person.name} to be told {kind} {code}", lambda: [each for each in person.page.evaluate("() => told") if each[:2] == [kind, code]]
                        or f"no: {person.page.evaluate('() => [told, parley.encryption]')}")

    def code(self, person: Person) -> str | None:
        return person.page.evaluate("() => parley.encryption.safetyCode")

    def test_bad_input_02_a_key_swapped_in_an_announcement_is_refused_and_gets_no_key(self) -> None:
        swap = """(message) => {
          for (const each of [message, ...(message.announcements ?? [])]) {
            if (typeof each.announcement === "string") { each.announcement = each.announcement.slice(0, -190) + (each.announcement.at(-190) === "A" ? "B" : "A") + each.announcement.slice(-189); }
          }
          return [message];
        }"""
        ben = self.join("Ben", swap).joined()
        ann = self.join("Ann").joined()
        self.told(ben, "encryptionrefused", "wrongSecret")
        wait_for("Ben to wait for Ann's key", lambda: len(ben.page.evaluate("() => parley.encryption.waitingFor")) == 1)
        self.assertTrue(all(each["opened"] == 0 for each in ben.evaluate(REPORT)))
        # Ann has Ben's true announcement, and Ben's key went to nobody.
        self.assertTrue(all(each["opened"] == 0 for each in ann.evaluate(REPORT)))

    def test_bad_input_04_a_meeting_that_is_said_to_be_plain_is_not_joined(self) -> None:
        ann = self.join("Ann", "(message) => { if (message.meeting) { delete message.meeting.e2ee; } return [message]; }")
        wait_for("the end", lambda: ann.state() == "ended" or f"no: {ann.state()}")
        wait_for("the words", lambda: ann.page.locator(".notice h1").inner_text() == "This meeting is not encrypted")
        self.assertEqual(ann.page.evaluate("() => parley.encryption.state"), "refused")

    def test_bad_input_05_a_hidden_participant_is_named_and_stands_in_the_code(self) -> None:
        # threat 30
        hide = """(message) => {
          if (message.type === "participantJoined" && message.participant.name === "Eve") { return []; }
          return [message];
        }"""
        ann, ben = self.join("Ann", hide).joined(), self.join("Ben").joined()
        wait_for("one code", lambda: (code := self.code(ann)) and code == self.code(ben))
        before = self.code(ann)
        eve = self.enterContext(Person(self.driver, "Cem"))
        eve.name = "Eve"
        eve.join(self.server.url, self.room, f"e2ee={self.secret}")
        [told] = self.told(ann, "hiddenmember")
        self.assertEqual(told[2], "Eve")
        ann.says("Eve can see and hear this meeting and is not shown")
        self.assertEqual(ann.names(), ["Ben"])
        wait_for("one code of three", lambda: before != (code := self.code(ann)) and code == self.code(ben) == self.code(eve) or "no")
        ann.page.locator(".lock").click()
        wait_for("Eve in the list", lambda: ann.page.locator(".encryption-people", has_text="Eve").count() == 1)
        self.assertEqual(ben.page.evaluate("() => told"), [])

    def test_bad_input_06_two_rosters_for_two_people_have_two_codes_and_are_said(self) -> None:
        ann = self.join("Ann", """(message) => (message.type === "announcement" && message.participant === window.eve ? [] : [message])""").joined()
        # Cem is hidden from Ann with all that he announces, and Ben gives them both his key.
        ann.page.evaluate("() => parley.addEventListener('participantJoined', ({ detail }) => { if (detail.participant.name === 'Cem') { window.eve = detail.participant.id; } })")
        self.join("Cem").joined()
        ben = self.join("Ben").joined()
        self.told(ann, "rostermismatch")
        self.assertNotEqual(self.code(ann), self.code(ben))


if __name__ == "__main__":
    unittest.main()
