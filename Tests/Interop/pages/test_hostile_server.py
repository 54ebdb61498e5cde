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
      window.sockets = [...window.sockets ?? [], this];
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
#: Has the server say something of its own, to a page with ``HOSTILE``.
SAY = """(message) => sockets.at(-1).dispatchEvent(Object.assign(new MessageEvent("message", { data: JSON.stringify(message) }), { isHostile: true }))"""
#: Notes what the page's client says of the server's doings.
NOTE = """() => {
  window.told = [];
  for (const type of ["encryptionrefused", "rostermismatch", "hiddenmember"]) { parley.addEventListener(type, ({ detail }) => told.push([type, detail.code ?? null, detail.name ?? null])); }
}"""
REPORT = "async () => Object.values((await parley._encryption.report()).slots)"
#: Goes before the worker's script: every frame that comes in a slot comes again twenty frames later.
OLD_FRAMES = """
  const listen = self.addEventListener.bind(self);
  self.addEventListener = (type, listener) => listen(type, type !== "rtctransform" ? listener : (event) => {
    const { transformer } = event;
    if (transformer.options.role !== "receive") { listener(event); return; }
    const old = [];
    const readable = transformer.readable.pipeThrough(new TransformStream({ transform(frame, output) {
      old.push(new frame.constructor(frame));
      output.enqueue(frame);
      if (old.length > 20) { output.enqueue(old.shift()); }
    } }));
    const { options, writable } = transformer;
    listener({ transformer: { options, readable, writable, sendKeyFrameRequest: () => transformer.sendKeyFrameRequest() } });
  });
"""
#: Goes before the worker's script: before each frame that comes in a slot, it comes with the key id of nobody.
NOBODY = """
  const listen = self.addEventListener.bind(self);
  const claim = (frame) => {
    const forged = new frame.constructor(frame), bytes = new Uint8Array(frame.data.slice());
    // Behind the clear bytes of VP8, by the form, and the byte that says how long the key id is.
    const at = { 2: 10, 3: 1 }[bytes.at(-1)] ?? 0;
    bytes[at + 1] = (bytes[at + 1] ^ 0x55) || 0x56;
    forged.data = bytes.buffer;
    return forged;
  };
  self.addEventListener = (type, listener) => listen(type, type !== "rtctransform" ? listener : (event) => {
    const { transformer } = event;
    if (transformer.options.role !== "receive") { listener(event); return; }
    const readable = transformer.readable.pipeThrough(new TransformStream({ transform(frame, output) {
      if (frame.data.byteLength > 20) { output.enqueue(claim(frame)); }
      output.enqueue(frame);
    } }));
    const { options, writable } = transformer;
    listener({ transformer: { options, readable, writable, sendKeyFrameRequest: () => transformer.sendKeyFrameRequest() } });
  });
"""
#: Has two cameras, or the camera and the screen of one participant, change places.
SWAP = """(message) => {
  window.roster = Array.isArray(message.participants) ? message.participants : window.roster ?? [];
  if (!Array.isArray(message.slots)) { return [message]; }
  const known = [...(window.parley?.participants.values() ?? [])];
  const others = (known.length > 0 ? known : roster).map(({ publications }) => ["camera", "screen"].map((source) => publications?.find((each) => each.source === source)?.id));
  const ids = PEOPLE ? others.map(([camera]) => camera) : others.find(([, screen]) => screen) ?? [];
  const slots = message.slots.filter(({ publication }) => publication && ids.includes(publication));
  if (slots.length === 2) { [slots[0].publication, slots[1].publication] = [slots[1].publication, slots[0].publication]; }
  return [message];
}"""


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

    def test_bad_input_03_old_announcements_and_envelopes_change_nothing(self) -> None:
        again = """(message) => {
          if (message.type !== "announcement" && message.type !== "keyEnvelopes") { return [message]; }
          window.old ??= [];
          const all = [message, ...old];
          old.push(message);
          return all;
        }"""
        ben, ann, cem = self.join("Ben", again).joined(), self.join("Ann").joined(), self.join("Cem").joined()
        wait_for("one code", lambda: (code := self.code(ann)) and code == self.code(ben) == self.code(cem))
        before, epoch = self.code(ann), ann.evaluate("async () => (await parley._encryption.report()).epoch")
        cem.page.evaluate("() => parley.leave()")
        wait_for("Ann's next key", lambda: ann.evaluate("async () => (await parley._encryption.report()).epoch") > epoch)
        # Each of those keys brings all that came before with it, Cem's announcement too.
        self.told(ben, "encryptionrefused", "replayed")
        wait_for("one code of two", lambda: before != (code := self.code(ann)) and code == self.code(ben) or "no")
        self.assertEqual((ben.names(), len(ben.evaluate("async () => (await parley._encryption.report()).members"))), (["Ann"], 1))
        opened = "async () => Object.values((await parley._encryption.report()).slots).reduce((sum, each) => sum + each.opened, 0)"
        wait_for("more of Ann", lambda since=ben.evaluate(opened): ben.evaluate(opened) > since + 60)
        self.assertEqual(ben.page.evaluate("() => parley.encryption.state"), "encrypted")

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

    def dropped(self, person: Person, code: str) -> list[dict]:
        """The slots of which frames were dropped for a reason, once two have lost some."""
        def look() -> list[dict] | str:
            slots = person.evaluate(REPORT)
            found = [each for each in slots if each["drops"].get(code, 0) > 20]
            return found if len(found) == 2 else f"no: {slots}"
        return wait_for(f"{person.name} to drop frames for {code}", look)

    def test_bad_input_07_a_camera_in_anothers_slot_or_a_screens_is_dropped(self) -> None:
        ann = self.join("Ann").joined()
        ann.page.evaluate("() => parley.localParticipant.setScreenShare(true)")
        cem = self.join("Cem", SWAP.replace("PEOPLE", "false")).joined()
        ben = self.join("Ben", SWAP.replace("PEOPLE", "true")).joined()
        for person, code in ((ben, "wrongSender"), (cem, "wrongTrack")):
            with self.subTest(code=code):
                before = self.dropped(person, code)
                wait_for("more to be dropped", lambda: all(now["drops"][code] > then["drops"][code] + 20 for now, then in zip(self.dropped(person, code), before)))
                self.assertEqual([each["opened"] for each in self.dropped(person, code)], [each["opened"] for each in before])

    def join_changed(self, name: str, file: str, old: str, new: str) -> Person:
        """A page of which one script of the encryption is another: ``new`` stands where ``old`` was, or at its
        beginning."""
        person = self.enterContext(Person(self.driver, name))

        def change(route) -> None:
            answer = route.fetch()
            self.assertIn(old, answer.text())
            route.fulfill(response=answer, body=answer.text().replace(old, new, 1))
        # Scripts that a worker imports belong to no page.
        person.context.route(f"**/sdk/encryption/{file}", change)
        person.open(self.server.url, self.room, f"e2ee={self.secret}")
        person.page.wait_for_function("() => window.parley")
        person.page.evaluate(NOTE)
        return person.joined()

    def test_bad_input_07_old_frames_are_dropped_and_the_picture_goes_on(self) -> None:
        self.join("Ann").joined()
        ben = self.join_changed("Ben", "worker.js", "", OLD_FRAMES)
        wait_for("old frames", lambda: len([each for each in ben.evaluate(REPORT) if each["drops"].get("replayed", 0) > 60 and each["opened"] > 60]) == 2
                 or f"no: {ben.evaluate(REPORT)}")
        ben.sees("Ann")
        self.assertEqual(ben.page.evaluate("() => parley.encryption.state"), "encrypted")

    def test_bad_input_08_an_index_claimed_twice_stays_with_its_owner_and_is_refused(self) -> None:
        # Somebody who has announced an index within 5 s would pick another instead.
        ann, ben = self.join_changed("Ann", "key-timing.js", "indexTrial: 5_000", "indexTrial: 0"), self.join("Ben").joined()
        ben.sees("Ann")
        self.join_changed("Cem", "key-exchange.js", "await this.#publisher.setSenderIndex(index);", """
          index = [...this.#roster.members.values()].find(({ announcement }) => announcement.name === "Ann").announcement.senderIndex;
          await this.#publisher.setSenderIndex(index);""")
        self.told(ann, "encryptionrefused", "indexTaken")
        drops = self.dropped(ben, "wrongSender")
        self.assertEqual([each["opened"] for each in drops], [0, 0])
        self.dropped(ann, "wrongSender")
        ben.sees("Ann")
        ann.sees("Ben")
        self.assertEqual([each["opened"] for each in self.dropped(ben, "wrongSender")], [0, 0])

    def test_bad_input_08_a_key_id_of_nobody_is_dropped_and_the_picture_goes_on(self) -> None:
        self.join("Ann").joined()
        ben = self.join_changed("Ben", "worker.js", "", NOBODY)
        wait_for("frames of nobody", lambda: len([each for each in ben.evaluate(REPORT) if each["drops"].get("wrongSender", 0) > 60 and each["opened"] > 60]) == 2
                 or f"no: {ben.evaluate(REPORT)}")
        ben.sees("Ann")
        self.assertEqual(ben.page.evaluate("() => [parley.encryption.state, parley.encryption.waitingFor]"), ["encrypted", []])

    def test_bad_input_08_a_key_near_its_end_is_followed_by_another_and_no_frame_is_lost(self) -> None:
        ben = self.join("Ben").joined()
        # A key is worn at half of it: every few seconds of video.
        ann = self.join_changed("Ann", "worker-session.js", "secret: LinkSecret.parse(secret) }", "secret: LinkSecret.parse(secret), limits: { frames: 1_200, blocks: 2 ** 36 } }")
        ben.sees("Ann")
        epoch = "async () => (await parley._encryption.report()).epoch"
        wait_for("three more keys", lambda since=ann.evaluate(epoch): ann.evaluate(epoch) >= since + 3)
        ben.sees("Ann")
        senders = ann.evaluate("async () => Object.values((await parley._encryption.report()).senders)")
        self.assertEqual([each["drops"].get("keyExhausted", 0) for each in senders], [0, 0])
        self.assertEqual(ben.page.evaluate("() => parley.encryption.state"), "encrypted")

    def test_bad_input_10_who_was_removed_and_still_gets_packets_opens_nothing_after_2_s(self) -> None:
        # The server only says that Eve was removed, and goes on forwarding to her.
        hide = """(message) => (JSON.stringify(message).includes(window.eve ?? "nobody") ? [] : [message])"""
        ann, ben = self.join("Ann", hide).joined(), self.join("Ben", hide).joined()
        eve = self.join("Cem").joined()
        eve.sees("Ann")
        eve.sees("Ben")
        id = eve.page.evaluate("() => parley.localParticipant.id")
        remove = f"""async (id) => {{
          const epoch = async () => (await parley._encryption.report()).epoch;
          const before = await epoch(), began = performance.now();
          ({SAY})({{ type: "participantLeft", id, reason: "removed" }});
          window.eve = id;
          while (await epoch() === before && performance.now() < began + 60_000) {{ await new Promise((done) => setTimeout(done, 20)); }}
          return performance.now() - began;
        }}"""
        for person in (ann, ben):
            self.assertLess(person.evaluate(remove, id), 2_500)
            self.assertEqual(person.names(), ["Ben" if person is ann else "Ann"])

        def slots() -> list[tuple[int, int]]:
            """The frames of both that Eve has opened, and those that she couldn't, by slot."""
            return [(each["opened"], each["held"] + sum(each["drops"].values())) for each in eve.evaluate(REPORT) if each["opened"] > 0]

        def lost(since: list[tuple[int, int]], count: int) -> list[tuple[int, int]] | str:
            found = slots()
            return found if len(found) == 4 and all(now > then + count for (_, now), (_, then) in zip(found, since)) else f"no: {found}"
        start = wait_for("Eve's losses", lambda since=slots(): lost(since, 20))
        end = wait_for("more losses", lambda: lost(start, 60))
        self.assertEqual([opened for opened, _ in end], [opened for opened, _ in start])
        ben.sees("Ann")
        ann.sees("Ben")


if __name__ == "__main__":
    unittest.main()
