"""End-to-end encryption in JavaScript: the format of frames and the keys, with the vectors of the Swift tests."""

from __future__ import annotations

import base64
import hmac
import json
import re

from module_page import ROOT, ModulePage

VECTORS = ROOT / "Tests/Client/EncryptionTests/Vectors"
HELPERS = """
    const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    const codeOf = async (step) => { try { await step(); return null; } catch (error) { return error.code ?? error.name; } };
"""
#: A meeting in virtual time, with a server that a test may put something in the place of.
ROOM = """
    const { KeyExchange } = await import("/sdk/encryption/key-exchange.js");
    const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
    const { generateIdentity } = await import("/sdk/encryption/announcement.js");
    class Room {
      now = 0; clients = new Map(); announcements = new Map(); queue = []; secret = new LinkSecret(); envelopes = 0; sent = [];
      server = (message) => [message];
      constructor(seed) { this.state = seed; }
      random(limit) { this.state = (this.state * 1103515245 + 12345) % 2147483648; return Math.floor(this.state / 2147483648 * limit); }
      async join(id, { publishes = true, secret = this.secret, limits } = {}) {
        const keys = await KeyExchange.make({ meeting: "daily", participant: id, name: id.toUpperCase(), identity: await generateIdentity(), secret, limits });
        const client = { id, keys, isThere: true, events: [], opened: new Set(), drops: [] };
        for (const [other, bytes] of this.announcements) { await keys.receiveAnnouncement(bytes, other, this.now); }
        this.clients.set(id, client);
        await keys.announce(this.now);
        if (publishes) { await keys.publish(new Map([[1, 2], [2, 1]]), this.now); }
        await this.drain(client);
        return client;
      }
      get present() { return [...this.clients.values()].filter(({ isThere }) => isThere); }
      leave(id, isRemoved = false) {
        this.clients.get(id).isThere = false;
        this.announcements.delete(id);
        for (const other of this.present) { this.pass({ type: "left", from: id, to: other.id, isRemoved }); }
      }
      async send(id, source = 2) {
        const client = this.clients.get(id);
        const number = this.sent.length;
        this.sent.push(this.now);
        const frame = await client.keys.seal(new TextEncoder().encode(`frame ${number} of ${id}`), source === 2 ? 1 : 2, undefined, this.now);
        for (const other of this.clients.values()) { if (other !== client) { this.pass({ type: "frame", from: id, to: other.id, source, number, bytes: frame }); } }
        return number;
      }
      pass(message) { for (const each of this.server(message)) { this.queue.push({ ...each, at: this.now + (each.delay ?? 30) }); } }
      async drain(client) {
        for (const effect of client.keys.takeEffects()) {
          if (effect.type === "notify") { client.events.push(effect.event); continue; }
          if (!client.isThere) { continue; }
          if (effect.type === "announce") {
            this.announcements.set(client.id, effect.bytes);
            for (const other of this.present) { if (other !== client) { this.pass({ type: "announcement", from: client.id, to: other.id, bytes: effect.bytes }); } }
          } else {
            this.envelopes += effect.envelopes.length;
            for (const { recipient, bytes } of effect.envelopes) { this.pass({ type: "envelope", from: client.id, to: recipient, bytes }); }
          }
        }
      }
      async run(milliseconds) {
        const end = this.now + milliseconds;
        for (;;) {
          const next = Math.min(...this.queue.map(({ at }) => at), ...this.present.map(({ keys }) => keys.deadline));
          if (next > end) { break; }
          this.now = Math.max(this.now, next);
          const due = this.queue.filter(({ at }) => at <= this.now);
          this.queue = this.queue.filter(({ at }) => at > this.now);
          for (const message of due) { await this.receive(message); }
          for (const client of this.present) { if (client.keys.deadline <= this.now) { await client.keys.handleTimeout(this.now); await this.drain(client); } }
        }
        this.now = end;
      }
      async receive({ type, from, to, bytes, isRemoved, source, number }) {
        const client = this.clients.get(to);
        if (type === "frame") {
          try {
            const plain = new TextDecoder().decode(await client.keys.open(bytes, from, source, undefined, this.now));
            if (plain !== `frame ${number} of ${from}`) { throw new Error("A wrong key was used."); }
            client.opened.add(number);
          } catch (error) {
            if (error.name !== "Error" || error.code === undefined) { throw error; }
            client.drops.push(error.code);
          }
        } else if (type === "envelope") { await client.keys.receiveEnvelope(bytes, from, this.now);
        } else if (client.isThere) {
          if (type === "announcement") { await client.keys.receiveAnnouncement(bytes, from, this.now); } else { await client.keys.remove(from, isRemoved, this.now); }
        }
        await this.drain(client);
      }
    }
"""


def frames() -> dict:
    # Numbers beyond 2^53 stay texts: JSON.parse would round them.
    return json.loads(re.sub(r'"(kid|ctr)": (\d+)', r'"\1": "\2"', (VECTORS / "sframe.json").read_text()))


class EncryptionTests(ModulePage):
    def run_js(self, body: str, argument: object = None) -> object:
        return super().run_js(HELPERS + body, argument)

    # MARK: Frames

    def test_frames_of_each_codec_leave_as_packetizers_take_them_and_come_back_as_they_were(self) -> None:
        vectors = json.loads((VECTORS / "frames.json").read_text())
        self.assertGreater(len(vectors["frames"]), 10)
        found = self.run_js("""
            const { sealFrame, openFrame } = await import("/sdk/encryption/frame-sealing.js");
            const tailOf = (metadata) => [metadata.reduce((sum, byte) => sum + byte, 0) & 255, metadata.length];
            const seal = async (content, metadata) => Uint8Array.of(0x11, 7, ...[...content].reverse().map((byte) => byte ^ 0x5A), ...tailOf(metadata));
            const open = async (sealed, metadata) => {
              if (sealed.slice(-2).join() !== tailOf(metadata).join()) { throw new Error("other metadata"); }
              return sealed.slice(2, -2).reverse().map((byte) => byte ^ 0x5A);
            };
            const results = { frames: [], refused: [], unsealable: [] };
            for (const { codec, frame, sealed } of argument.frames) {
              results.frames.push([hex(await sealFrame(bytes(frame), codec, seal)), hex(await openFrame(bytes(sealed), codec, open))]);
            }
            for (const { codec, sealed } of argument.refused) { results.refused.push(await codeOf(() => openFrame(bytes(sealed), codec, open))); }
            for (const { codec, frame } of argument.unsealable) { results.unsealable.push(await codeOf(() => sealFrame(bytes(frame), codec, seal))); }
            return results;
        """, vectors)
        self.assertEqual(found["frames"], [[each["sealed"], each["frame"]] for each in vectors["frames"]])
        self.assertEqual(found["refused"], ["malformed"] * len(vectors["refused"]))
        self.assertEqual(found["unsealable"], ["malformed"] * len(vectors["unsealable"]))

    def test_bad_input_01_headers_of_rfc_9605_are_written_and_read_beyond_2_to_53(self) -> None:
        found = self.run_js("""
            const { encodeHeader, decodeHeader } = await import("/sdk/encryption/sframe-header.js");
            return argument.map(({ kid, ctr, encoded }) => {
              const read = decodeHeader(bytes(encoded + "0102"));
              return [hex(encodeHeader(BigInt(kid), BigInt(ctr))), String(read.keyID), String(read.counter), read.length];
            });
        """, frames()["header"])
        self.assertEqual(len(found), 289)
        self.assertEqual(found, [[each["encoded"], each["kid"], each["ctr"], len(each["encoded"]) // 2] for each in frames()["header"]])

    def test_bad_input_01_headers_that_are_cut_or_longer_than_needed_are_refused(self) -> None:
        longer = ["8007", "0807", "900008", "0900ff", "8000", "0f0000000000000001", "a000ffff", "880901"]
        cut = [each["encoded"][:end] for each in frames()["header"][::17] for end in range(0, len(each["encoded"]), 2)]
        found = self.run_js("""
            const { decodeHeader } = await import("/sdk/encryption/sframe-header.js");
            return Promise.all(argument.map((text) => codeOf(() => decodeHeader(bytes(text)))));
        """, longer + cut)
        self.assertEqual(set(found), {"malformedHeader"})

    def test_bad_input_01_frames_of_suites_4_and_5_agree_with_rfc_9605(self) -> None:
        cases = [each for each in frames()["sframe"] if each["cipher_suite"] in (4, 5)]
        found = self.run_js("""
            const { deriveKeys, SFrameSealer, SFrameOpener } = await import("/sdk/encryption/sframe.js");
            return Promise.all(argument.map(async (each) => {
              const [baseKey, keyID, suite] = [bytes(each.base_key), BigInt(each.kid), each.cipher_suite];
              const { key, salt } = await deriveKeys(baseKey, keyID, suite);
              const sealer = await SFrameSealer.make(baseKey, keyID, { suite, firstCounter: BigInt(each.ctr) });
              const opener = await SFrameOpener.make(baseKey, keyID, { suite });
              const sealed = await sealer.seal(bytes(each.pt), bytes(each.metadata));
              return [hex(key), hex(salt), hex(sealed), hex(await opener.open(bytes(each.ct), bytes(each.metadata)))];
            }));
        """, cases)
        self.assertEqual(found, [[each["sframe_key"], each["sframe_salt"], each["ct"], each["pt"]] for each in cases])

    def test_bad_input_11_a_frame_opens_once_and_10_000_forged_ones_change_nothing(self) -> None:
        found = self.run_js("""
            const { SFrameSealer, SFrameOpener } = await import("/sdk/encryption/sframe.js");
            const baseKey = crypto.getRandomValues(new Uint8Array(32));
            const sealer = await SFrameSealer.make(baseKey, 0x110n);
            const opener = await SFrameOpener.make(baseKey, 0x110n);
            const frames = await Promise.all(Array.from({ length: 1100 }, (_, index) => sealer.seal(Uint8Array.of(index & 255))));
            const together = await Promise.all([0, 0, 0].map(() => codeOf(() => opener.open(frames[0]))));
            const forged = new Set();
            for (let round = 0; round < 100; round++) {
              const codes = await Promise.all(Array.from({ length: 100 }, (_, index) => {
                const frame = frames[1].slice();
                frame[4 + (index % (frame.length - 4))] ^= 1 << (round % 8);
                return codeOf(() => opener.open(frame));
              }));
              codes.forEach((code) => forged.add(code));
            }
            const genuine = hex(await opener.open(frames[1]));
            await opener.open(frames[1099]);
            const old = [await codeOf(() => opener.open(frames[75])), hex(await opener.open(frames[76])), await codeOf(() => opener.open(frames[76]))];
            const plain = await Promise.all([[0xf8, 0xff, 0xfe], [], [0x99, 1]].map((each) => codeOf(() => opener.open(Uint8Array.from(each)))));
            const numbers = new Set(frames.map((frame) => hex(frame.slice(0, 6)))).size;
            return { together, forged: [...forged], genuine, old, plain, numbers };
        """)
        self.assertEqual(sorted(found["together"], key=str), [None, "replayed", "replayed"])
        self.assertEqual((found["forged"], found["genuine"], found["numbers"]), (["authenticationFailed"], "01", 1100))
        self.assertEqual(found["old"], ["tooOld", "4c", "replayed"])
        self.assertNotIn(None, found["plain"])

    def test_a_key_ends_before_its_limits(self) -> None:
        self.assertEqual(self.run_js("""
            const { SFrameSealer, SFrameOpener } = await import("/sdk/encryption/sframe.js");
            const baseKey = crypto.getRandomValues(new Uint8Array(32));
            const few = await SFrameSealer.make(baseKey, 1n, { limits: { frames: 4, blocks: 1000 } });
            const worn = [];
            for (let index = 0; index < 4; index++) { worn.push(few.isWorn); await few.seal(new Uint8Array(1)); }
            const small = await SFrameSealer.make(baseKey, 1n, { limits: { frames: 1000, blocks: 1000 } });
            await small.seal(new Uint8Array(9000));
            return [worn, await codeOf(() => few.seal(new Uint8Array(1))), small.isWorn, await codeOf(() => small.seal(new Uint8Array(9000))),
              await codeOf(() => SFrameOpener.make(new Uint8Array(15), 1n))];
        """), [[False, False, True, True], "keyExhausted", True, "keyExhausted", "keyTooShort"])

    # MARK: Keys

    def test_hpke_agrees_with_rfc_9180_in_all_four_modes(self) -> None:
        setups = json.loads((ROOT / "Tests/Base/CryptoTests/Vectors/hpke.json").read_text())["cases"]
        found = self.run_js("""
            const { deriveKeyPair, HPKESender, HPKERecipient } = await import("/sdk/encryption/hpke.js");
            return Promise.all(argument.map(async (setup) => {
              const [recipient, ephemeral] = [await deriveKeyPair(bytes(setup.ikmR)), await deriveKeyPair(bytes(setup.ikmE))];
              const key = setup.ikmS && await deriveKeyPair(bytes(setup.ikmS));
              const psk = setup.psk && { secret: bytes(setup.psk), id: bytes(setup.psk_id) };
              const sender = await HPKESender.make(recipient.publicKey, bytes(setup.info), { psk, key, ephemeral });
              const receiver = await HPKERecipient.make(bytes(setup.enc), recipient, bytes(setup.info), { psk, sender: key?.publicKey });
              const messages = [];
              for (const { sequence, pt, aad } of setup.encryptions) {
                sender.sequence = BigInt(sequence);
                const sealed = await sender.seal(bytes(pt), bytes(aad));
                messages.push([hex(sealed), hex(await receiver.open(sealed, bytes(aad), BigInt(sequence)))]);
              }
              const again = await receiver.open(bytes(setup.encryptions[0].ct), bytes(setup.encryptions[0].aad), 0n).then(() => "opened", () => "refused");
              return { enc: hex(sender.encapsulatedKey), messages, again, exports: await Promise.all(setup.exports.map(async (each) => hex(await receiver.export(bytes(each.context), each.L)))) };
            }));
        """, setups)
        for setup, each in zip(setups, found, strict=True):
            with self.subTest(mode=setup["mode"]):
                self.assertEqual((each["enc"], each["again"]), (setup["enc"], "refused"))
                self.assertEqual(each["messages"], [[one["ct"], one["pt"]] for one in setup["encryptions"]])
                self.assertEqual(each["exports"], [one["value"] for one in setup["exports"]])

    def test_keys_announcements_codes_and_envelopes_are_those_of_the_swift_client(self) -> None:
        expected = json.loads((VECTORS / "keys.json").read_text())
        found = self.run_js("""
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const { decodeAnnouncement, bindingOf } = await import("/sdk/encryption/announcement.js");
            const { importKeyPair } = await import("/sdk/encryption/hpke.js");
            const { PairChannel } = await import("/sdk/encryption/pair-channel.js");
            const { Roster } = await import("/sdk/encryption/roster.js");
            const { safetyCode, pairCode } = await import("/sdk/encryption/safety-code.js");
            const { ratchet } = await import("/sdk/encryption/sframe.js");
            const secret = LinkSecret.parse(argument.secret);
            const [code, envelopeKey] = [await secret.key("announcement", argument.meeting), await secret.key("envelope", argument.meeting)];
            const [ann, ben] = await Promise.all(argument.announcements.map((text) => decodeAnnouncement(bytes(text), code)));
            const roster = new Roster();
            roster.accept(ben, bytes(argument.announcements[1]), ann.senderIndex);
            const own = { meetingKey: await importKeyPair(bytes(argument.meetingKeyOfBen)) };
            const channel = await PairChannel.make(own, await bindingOf(ben), ann, envelopeKey);
            const message = await channel.open(bytes(argument.envelope));
            return { code: hex(code), envelopeKey: hex(envelopeKey), names: [ann.name, ben.name], indices: [ann.senderIndex, ben.senderIndex], binding: hex(await bindingOf(ann)),
              rosterHash: hex(await roster.hash(ann)), safetyCode: await safetyCode([ann.identity, ben.identity]), pairCode: await pairCode(ann.identity, ben.identity),
              ratcheted: hex(await ratchet(bytes(argument.baseKey))), message: [message.type, message.epoch, hex(message.baseKey), hex(message.rosterHash), [...message.tracks]] };
        """, expected)
        for name, value in found.items():
            with self.subTest(name=name):
                self.assertEqual(value, expected["found"][name])

    def test_a_long_name_of_a_meeting_goes_into_announcements_as_the_hash_of_the_swift_client(self) -> None:
        found = self.run_js(ROOM + """
            // threat 48
            const { meetingField } = await import("/sdk/encryption/announcement.js");
            const { KeyExchange: Keys } = await import("/sdk/encryption/key-exchange.js");
            const name = "会".repeat(128);
            const make = async (participant, secret) => Keys.make({ meeting: name, participant, name: participant, identity: await generateIdentity(), secret });
            const secret = new LinkSecret();
            const [ann, ben] = [await make("ann", secret), await make("ben", secret)];
            await ann.announce(0);
            const announcement = ann.takeEffects().find(({ type }) => type === "announce").bytes;
            await ben.receiveAnnouncement(announcement, "ann", 0);
            return [await meetingField(name), await meetingField("daily"), ben.members, announcement.length < 300];
        """)
        self.assertEqual(found, ["#jg4EBuFc0qN88VvTutkyi8cg-ywSQBUg9laO_UxVwJE", "daily", ["ann"], True])

    def test_a_link_secret_has_43_characters_and_exactly_one_text(self) -> None:
        found = self.run_js("""
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const secret = new LinkSecret();
            const wrong = ["", secret.text.slice(1), secret.text + "A", secret.text.slice(1) + "=", "A".repeat(42) + "B", "A".repeat(42) + "+"];
            return [secret.text.length, LinkSecret.parse(secret.text).text === secret.text, wrong.map((text) => LinkSecret.parse(text)), `${secret}`, JSON.stringify({ secret })];
        """)
        self.assertEqual(found, [43, True, [None] * 6, "<redacted>", '{"secret":"<redacted>"}'])

    def test_texts_are_sorted_by_their_utf_8_as_in_swift(self) -> None:
        texts = ["", "a", "ab", "b", "Z", "\u00e9", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0001f600", "a\uffff", "a\U00010000"]
        found = self.run_js("""
            const { compareTexts } = await import("/sdk/encryption/bytes.js");
            return argument.toSorted(compareTexts);
        """, texts[::-1])
        self.assertEqual(found, sorted(texts, key=lambda text: text.encode()))

    def test_everybody_opens_frames_newcomers_none_of_before_and_those_who_left_none_of_later(self) -> None:
        found = self.run_js(ROOM + """
            const room = new Room(1);
            const [ann, ben, eve] = [await room.join("ann"), await room.join("ben"), await room.join("eve")];
            await room.run(3000);
            const early = await room.send("ann");
            await room.run(100);
            const cem = await room.join("cem");
            await room.run(200);
            const late = [];
            for (let index = 0; index < 20; index++) { late.push(await room.send("ann"), await room.send("cem", 1)); await room.run(20); }
            await room.run(1000);
            room.leave("eve", true);
            const leftAt = room.now;
            const after = [];
            for (let index = 0; index < 200; index++) { after.push(await room.send("ann")); await room.run(20); }
            await room.run(1000);
            return {
              ben: [early, ...late, ...after].every((number) => ben.opened.has(number)), cem: [cem.opened.has(early), after.every((number) => cem.opened.has(number))],
              eve: after.some((number) => eve.opened.has(number) && room.sent[number] >= leftAt + 2000), eveBefore: after.some((number) => eve.opened.has(number)),
              keyFrames: ann.events.filter(({ type }) => type === "ownKeyFrameNeeded").length,
              codes: new Set([ann, ben, cem].map(({ keys }) => keys.safetyCode)).size, digits: /^[0-9]{30}$/.test(ann.keys.safetyCode), waiting: ben.keys.waitingFor, drops: ben.drops };
        """)
        self.assertEqual((found["ben"], found["cem"]), (True, [False, True]))
        self.assertEqual((found["eve"], found["eveBefore"]), (False, True))
        # One for each who joined and could open nothing of before; the key after Eve's leave is for those who remain.
        self.assertEqual(found["keyFrames"], 3)
        self.assertEqual((found["codes"], found["digits"], found["waiting"], found["drops"]), (1, True, [], []))

    def test_people_who_join_in_turn_do_not_wait_and_a_storm_costs_two_steps_a_second(self) -> None:
        found = self.run_js("""
            const { PublisherKeys } = await import("/sdk/encryption/publisher-keys.js");
            const { standardTiming } = await import("/sdk/encryption/key-timing.js");
            const outcome = async (apart) => {
              const keys = new PublisherKeys(standardTiming);
              await keys.setSenderIndex(1);
              await keys.setTracks(new Map([[1, 2]]), ["ann"], 0);
              const [members, steps, since] = [["ann"], [], new Map()];
              let longest = 0;
              for (let now = 100_000; now < 122_000; now += 10) {
                if (now < 120_000 && now % apart === 100_000 % apart) {
                  const guest = `guest${now}`;
                  members.push(guest);
                  since.set(guest, now);
                  keys.memberJoined(guest, now);
                }
                if (keys.deadline > now) { continue; }
                steps.push(now);
                for (const { recipient } of await keys.handleTimeout(members, now)) {
                  longest = Math.max(longest, now - since.get(recipient));
                  since.delete(recipient);
                }
              }
              const spacing = Math.min(...steps.slice(1).map((step, index) => step - steps[index]));
              return { steps: steps.length, longest, spacing, waiting: since.size };
            };
            return [await outcome(600), await outcome(10)];
        """)
        self.assertEqual(found[0], {"steps": 34, "longest": 0, "spacing": 600, "waiting": 0})
        self.assertTrue(found[1]["steps"] <= 45 and found[1]["longest"] <= 500 and found[1]["spacing"] >= 100, found)
        self.assertEqual(found[1]["waiting"], 0)

    def test_more_than_16_joins_within_the_grace_cost_no_frame_and_open_none_twice(self) -> None:
        found = self.run_js("""
            const { PublisherKeys } = await import("/sdk/encryption/publisher-keys.js");
            const { RemoteKeys } = await import("/sdk/encryption/remote-keys.js");
            const { standardTiming } = await import("/sdk/encryption/key-timing.js");
            const { decodeHeader } = await import("/sdk/encryption/sframe-header.js");
            const [keys, remote, tracks, members] = [new PublisherKeys(standardTiming), new RemoteKeys(standardTiming), new Map([[1, 2]]), ["ann"]];
            await keys.setSenderIndex(1);
            const [{ epoch, baseKey }] = await keys.setTracks(tracks, members, 0);
            remote.receive({ epoch, baseKey, tracks });
            const result = { opened: 0, again: 0 };
            for (let now = 100_000; now < 120_000; now += 20) {
              if (now % 500 === 0) {
                members.push(`guest${now}`);
                keys.memberJoined(`guest${now}`, now);
              }
              if (keys.deadline <= now) { await keys.handleTimeout(members, now); }
              const frames = [];
              for (let index = 0; index < 3; index++) { frames.push(await keys.seal(Uint8Array.of(1, 2, 3), 1, undefined, now)); }
              const open = async () => {
                const ids = frames.map((frame) => Number(decodeHeader(frame).keyID));
                const opening = frames.map((frame, index) => remote.open(frame, { sender: 1, track: 1, epochBits: ids[index] & 15 }, 2, undefined, now));
                return (await Promise.allSettled(opening)).filter(({ status }) => status === "fulfilled").length;
              };
              result.opened += await open();
              result.again += await open();
              remote.handleTimeout(now);
            }
            return { ...result, epoch: keys.epoch };
        """)
        self.assertEqual(found, {"opened": 3_000, "again": 0, "epoch": 41})

    def test_bad_input_09_storms_of_people_end_with_everybody_opening_everybody(self) -> None:
        for seed in (1, 2):
            found = self.run_js(ROOM + """
                const room = new Room(argument);
                let number = 0;
                for (let step = 0; step < 40; step++) {
                  const present = room.present;
                  const what = room.random(3);
                  if (present.length < 5 || (what === 0 && present.length < 12)) { number += 1; await room.join(`p${number}`, { publishes: number % 3 !== 0 });
                  } else if (what === 1) { room.leave(present[room.random(present.length)].id, room.random(2) === 0); }
                  for (const client of room.present) { if (client.keys.epoch !== null && room.random(3) === 0) { await room.send(client.id); } }
                  await room.run(room.random(400));
                }
                await room.run(4000);
                const lacking = [];
                for (const sender of room.present) {
                  if (sender.keys.epoch === null) { continue; }
                  const sent = await room.send(sender.id);
                  await room.run(100);
                  for (const other of room.clients.values()) { if (other !== sender && other.opened.has(sent) !== other.isThere) { lacking.push([sender.id, other.id]); } }
                }
                return [lacking, new Set(room.present.map(({ keys }) => keys.safetyCode)).size, room.present.flatMap(({ events }) => events.filter(({ type }) => type === "rosterMismatch"))];
            """, seed)
            with self.subTest(seed=seed):
                self.assertEqual(found, [[], 1, []])

    def test_bad_input_06_two_rosters_give_two_codes_and_an_alarm_after_10_s(self) -> None:
        found = self.run_js(ROOM + """
            const room = new Room(1);
            room.server = (message) => (message.to === "ann" && message.from === "eve" ? [] : [message]);
            await room.join("eve");
            const announcement = room.announcements.get("eve");
            room.announcements.delete("eve");
            const ann = await room.join("ann");
            room.announcements.set("eve", announcement);
            const ben = await room.join("ben");
            const alarm = () => ann.events.some(({ type, participant }) => type === "rosterMismatch" && participant === "ben");
            await room.run(9000);
            const early = alarm();
            await room.run(4000);
            return [early, alarm(), ann.keys.safetyCode !== ben.keys.safetyCode];
        """)
        self.assertEqual(found, [False, True, True])

    def test_bad_input_06_a_join_that_only_the_sender_sees_is_an_alarm_in_13_s(self) -> None:
        found = self.run_js(ROOM + """
            const room = new Room(2);
            room.server = (message) => (message.to === "ben" && message.from === "eve" ? [] : [message]);
            const [, ben] = [await room.join("ann"), await room.join("ben")];
            const alarm = () => ben.events.some(({ type }) => type === "rosterMismatch");
            const talk = async (seconds) => { for (let step = 0; step < seconds * 2; step++) { await room.send("ann"); await room.run(500); } };
            await talk(5);
            await room.join("cem");
            await talk(3);
            const before = room.envelopes;
            await talk(20);
            const honest = [alarm(), room.envelopes - before];
            await room.join("eve");
            await talk(9);
            const early = alarm();
            await talk(4);
            return [honest, early, alarm()];
        """)
        self.assertEqual(found, [[False, 0], False, True])

    def test_only_answers_kept_back_are_an_alarm_about_rosters(self) -> None:
        found = self.run_js("""
            const { RosterComparison } = await import("/sdk/encryption/roster-comparison.js");
            const { standardTiming } = await import("/sdk/encryption/key-timing.js");
            const [own, other] = [Uint8Array.of(1), Uint8Array.of(9)];
            const play = (answer, { framesUntil = 60_000, resumedAt } = {}) => {
              const comparison = new RosterComparison(standardTiming), answers = [], requests = [], alarms = [];
              comparison.update(own, 0);
              comparison.receive(other, "ben", 0);
              for (let now = 50; now <= 60_000; now += 50) {
                if (now === resumedAt) { comparison.resume(now); }
                if (now < framesUntil) { comparison.noteFrame("ben"); }
                for (const { at, hash } of answers) { if (at === now) { comparison.receive(hash, "ben", now); } }
                if (comparison.deadline > now) { continue; }
                const due = comparison.handleTimeout(now);
                alarms.push(...due.alarms.map(() => now));
                for (const _ of due.asked) {
                  requests.push(now);
                  const hash = answer(requests.length);
                  if (hash) { answers.push({ at: now + 100, hash }); }
                }
              }
              return [requests.slice(0, 3), alarms];
            };
            const ahead = new RosterComparison(standardTiming);
            let early = 0;
            // In a storm of joins this client is always two rosters behind.
            for (let step = 1; step <= 80; step++) {
              ahead.receive(Uint8Array.of(step + 2), "ben", step * 500);
              ahead.update(Uint8Array.of(step), step * 500);
              early += ahead.handleTimeout(step * 500).alarms.length;
            }
            return [play(() => other), play((request) => (request < 3 ? null : own)), play(() => null, { framesUntil: 4_000 }), play(() => null),
              play((request) => (request < 4 ? null : own), { resumedAt: 9_000 }), early];
        """)
        asked = [5_000, 7_500, 10_000]
        self.assertEqual(found, [[asked, [10_100]], [asked, []], [asked, []], [asked, [40_000]], [[5_000, 7_500, 14_000], []], 0])

    def test_a_hostile_server_gets_no_key_and_is_seen(self) -> None:
        found = self.run_js(ROOM + """
            const room = new Room(1);
            const [ann, ben] = [await room.join("ann"), await room.join("ben")];
            await room.run(2000);
            // Somebody without the link, and an announcement whose key was swapped.
            const outsider = await room.join("outsider", { secret: new LinkSecret() });
            const swapped = room.announcements.get("ann").slice();
            swapped[swapped.length - 140] ^= 1;
            await ben.keys.receiveAnnouncement(swapped, "ann", room.now);
            await ben.keys.receiveAnnouncement(room.announcements.get("ann"), "mallory", room.now);
            await room.run(2000);
            // Frames in another's slot, as another source, plain ones.
            const frame = await ann.keys.seal(Uint8Array.of(1), 1, undefined, room.now);
            const drops = [await codeOf(() => ben.keys.open(frame, "outsider", 2, undefined, room.now)), await codeOf(() => ben.keys.open(frame, "ann", 3, undefined, room.now)),
              await codeOf(() => ben.keys.open(Uint8Array.of(0xf8, 0xff, 0xfe), "ann", 1, undefined, room.now)), await codeOf(() => ben.keys.open(new Uint8Array(0), "ann", 1, undefined, room.now))];
            // Somebody who was removed, brought back.
            await room.join("dan");
            const dan = room.announcements.get("dan");
            await room.run(500);
            room.leave("dan", true);
            await room.run(500);
            await ben.keys.receiveAnnouncement(dan, "dan", room.now);
            // Everything a second time.
            room.server = (message) => [message, { ...message, delay: 500 }];
            await room.join("cem");
            await room.run(3000);
            const last = await room.send("ann");
            await room.run(1000);
            const refusals = (client) => [...new Set(client.events.filter(({ type }) => type === "refused").map(({ participant, code }) => `${participant} ${code}`))];
            return { opened: outsider.opened.size, members: outsider.keys.members, ann: refusals(ann), ben: refusals(ben), drops, last: ben.opened.has(last), replayed: ben.drops.includes("replayed") };
        """)
        self.assertEqual((found["opened"], found["members"], found["last"], found["replayed"]), (0, [], True, True))
        self.assertIn("outsider wrongSecret", found["ann"])
        self.assertIn("ann wrongSecret", found["ben"])
        self.assertIn("mallory misdirected", found["ben"])
        self.assertIn("cem replayed", found["ben"])
        self.assertIn("dan replayed", found["ben"])
        self.assertEqual(found["drops"], ["wrongSender", "wrongTrack", "malformedHeader", "malformedHeader"])

    # MARK: In a meeting

    def test_the_worker_seals_what_one_sends_and_another_plays_only_that(self) -> None:
        found = self.run_js("""
            const { WorkerSession } = await import("/sdk/encryption/worker-session.js");
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const secret = new LinkSecret().text;
            const clients = new Map(), announced = new Map(), asked = [];
            const join = async (id, text = secret) => {
              const notify = (message) => {
                if (message.type === "announce") {
                  announced.set(id, message.bytes);
                  for (const [other, session] of clients) { if (other !== id) { session.announcement({ participant: id, bytes: message.bytes }); } }
                } else if (message.type === "send") {
                  for (const { recipient, bytes } of message.envelopes) { clients.get(recipient)?.envelopes([{ participant: id, bytes }]); }
                }
              };
              const session = new WorkerSession(notify);
              clients.set(id, session);
              const result = await session.start({ meeting: "daily", participant: id, name: id, secret: text,
                announcements: [...announced].map(([participant, bytes]) => ({ participant, bytes })) });
              return { session, result };
            };
            const frame = (content, type = "delta") => ({ data: Uint8Array.from(content).buffer, type, getMetadata: () => ({ mimeType: "video/VP9" }) });
            const pipe = (session, options, more = {}) => {
              const [input, output] = [new TransformStream(), new TransformStream()];
              session._attach({ options, readable: input.readable, writable: output.writable, ...more });
              const [writer, reader] = [input.writable.getWriter(), output.readable.getReader()];
              return { write: (each) => { writer.write(each); }, read: async () => (await reader.read()).value };
            };
            const { session: ann } = await join("ann");
            await ann.tracks([[1, 2]]);
            const sends = pipe(ann, { role: "send", track: 1, kind: "video" });
            const { session: ben } = await join("ben");
            const plays = pipe(ben, { role: "receive", slot: 3, kind: "video" }, { sendKeyFrameRequest: async () => { asked.push("key frame"); } });
            await new Promise((done) => setTimeout(done, 200));
            sends.write(frame([])), sends.write(frame([1, 2, 3], "key")), sends.write(frame([4, 5]));
            const empty = (await sends.read()).data.byteLength;
            const sealed = [await sends.read(), await sends.read()];
            const isSealed = sealed.every(({ data }) => new Uint8Array(data).at(-1) === 1 && data.byteLength > 20);
            // Before the server has said whose slot it is, frames wait. Frames in clear, and silence, never play.
            plays.write(sealed[0]);
            await new Promise((done) => setTimeout(done, 50));
            await ben.assign({ slot: 3, participant: "ann", source: 2 });
            plays.write(frame([9, 9, 9])), plays.write(frame([])), plays.write(sealed[1]);
            const opened = [await plays.read(), await plays.read()].map(({ data }) => [...new Uint8Array(data)]);
            const drops = ben.report().slots[3].drops;
            const text = await ben.seal(new TextEncoder().encode("hello"));
            const read = await Promise.all([ann.open({ from: "ben", bytes: text, waits: true }), ann.open({ from: "ben", bytes: text.slice(0, -1), waits: true })]);
            const again = await ann.open({ from: "ben", bytes: text, waits: true });
            const { result } = await join("eve", new LinkSecret().text);
            return { empty, isSealed, opened, drops, asked, counts: ann.report().senders[1], read: [new TextDecoder().decode(read[0]), read[1]], again, eve: result.isRefused };
        """)
        self.assertEqual((found["empty"], found["isSealed"], found["opened"]), (0, True, [[1, 2, 3], [4, 5]]))
        self.assertEqual((found["drops"], found["asked"]), ({"malformed": 1, "empty": 1}, []))
        self.assertEqual((found["counts"]["seen"], found["counts"]["written"], found["eve"]), (3, 2, True))
        self.assertEqual((found["read"], found["again"]), (["hello", None], None))

    def test_an_opentok_secret_gives_the_link_secret_of_hkdf(self) -> None:
        session, secret = "2_MX4xMDB-fjE3Mzk1Mzg4OTQ5NTl-", "sesame öffne dich"
        found = self.run_js("""
            const { sharedSecret } = await import("/sdk/encryption/shared-secret.js");
            return (await sharedSecret(argument[1], argument[0])).text;
        """, [session, secret])
        key = hmac.digest(session.encode(), secret.encode(), "sha256")
        expected = hmac.digest(key, b"parley opentok link secret\x01", "sha256")
        self.assertEqual(found, base64.urlsafe_b64encode(expected).decode().rstrip("="))

    def test_texts_have_forms_of_their_own_and_a_seal_is_for_one_message(self) -> None:
        found = self.run_js("""
            const { SealedTexts } = await import("/sdk/encryption/sealed-texts.js");
            // Seals that are none, each of which opens once.
            const used = new Set();
            const call = async (method, argument) => {
              if (method === "seal") { return argument; }
              const text = hex(argument.bytes);
              return used.has(text) ? null : used.add(text) && argument.bytes;
            };
            const [ann, ben] = [new SealedTexts(call), new SealedTexts(call)];
            const chat = await ann.sealChat("hello", "p_1");
            const signal = await ann.sealSignal("note", "data", "p_1");
            const data = await ann.sealData(new TextEncoder().encode('{"t":"hello"}'));
            const file = await ann.sealFile({ i: "f_1", n: "a.txt" }, "p_1");
            const { base64url } = await import("/sdk/encryption/bytes.js");
            const open = async (texts, id, from, text) => { const content = await texts.openChat({ id, from, text }); return content?.text ?? content?.file?.i ?? null; };
            const both = base64url(new TextEncoder().encode('{"t":"hello","f":{}}'));
            return {
              own: [await open(ann, 4, "p_1", chat), await open(ann, 4, "p_1", chat), await open(ann, 5, "p_1", chat), await open(ann, 8, "p_1", file)],
              other: [await open(ben, 4, "p_1", chat), await open(ben, 4, "p_1", chat), await open(ben, 9, "p_1", chat), await open(ben, 4, "p_2", chat), await open(ben, 8, "p_1", file)],
              mixed: [await open(ben, 6, "p_1", base64url(data)), await open(ben, 7, "p_1", "plain text"), await open(ben, 10, "p_1", both)],
              signals: [await ann.openSignal("p_1", "note", signal), await ben.openSignal("p_1", "note", signal), await ben.openSignal("p_1", "note", signal)],
              otherType: await ben.openSignal("p_1", "other", await ann.sealSignal("note", "two", "p_1")),
            };
        """)
        self.assertEqual(found["own"], ["hello", "hello", None, "f_1"])
        self.assertEqual(found["other"], ["hello", "hello", None, None, "f_1"])
        self.assertEqual((found["mixed"], found["otherType"]), ([None, None, None], None))
        self.assertEqual(found["signals"], ["data", "data", None])

    def test_files_and_polls_have_the_form_of_the_swift_client(self) -> None:
        vectors = json.loads((VECTORS / "contents.json").read_text())
        found = self.run_js("""
            const { sealFile, FileOpener, sealedLength } = await import("/sdk/encryption/file-sealing.js");
            const { SealedPolls } = await import("/sdk/encryption/sealed-polls.js");
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const { cleanFileName } = await import("/sdk/encryption/file-name.js");
            const content = (size) => Uint8Array.from({ length: size }, (_, index) => index * 7 + Math.floor(index / 256));
            const seal = async (size) => new Uint8Array(await (await sealFile(new Blob([content(size)]), bytes(argument.key))).arrayBuffer());
            const open = async (sealed, size, step = 9_973) => {
              const opener = new FileOpener(bytes(argument.key), size), parts = [];
              for (let start = 0; start < sealed.length; start += step) { parts.push(...await opener.open(sealed.slice(start, start + step))); }
              opener.finish();
              return hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer())));
            };
            const files = [];
            for (const { size } of argument.files) {
              const sealed = await seal(size);
              files.push([hex(new Uint8Array(await crypto.subtle.digest("SHA-256", sealed))), sealed.length === sealedLength(size),
                await open(sealed, size) === hex(new Uint8Array(await crypto.subtle.digest("SHA-256", content(size))))]);
            }
            const whole = await seal(150_000), chunk = 65_552;
            const join = (...parts) => new Uint8Array(parts.flatMap((part) => [...part]));
            const [a, b, c] = [whole.slice(0, chunk), whole.slice(chunk, 2 * chunk), whole.slice(2 * chunk)];
            const flipped = whole.slice();
            flipped[70_000] ^= 1;
            // threat 61: cut, without its end, longer, reordered, repeated, changed, of another size.
            const damaged = [];
            for (const each of [whole.slice(0, -1), join(a, b), join(whole, [0]), join(b, a, c), join(a, a, c), flipped]) { damaged.push(await codeOf(() => open(each, 150_000))); }
            for (const size of [149_999, 150_001, 131_072]) { damaged.push(await codeOf(() => open(whole, size))); }
            const { secret, meeting, question, options, rules, sealed } = argument.poll;
            const [multiple, results] = [rules.startsWith("multiple"), rules.split(" ")[1]];
            const poll = (change) => ({ id: 1, question: sealed, options: options.map(() => ({ text: "", votes: 1 })), multiple, results, open: true, ...change });
            const polls = new SealedPolls(LinkSecret.parse(secret), meeting);
            const opened = await polls.open(poll({}));
            // threat 62: shown as another one, with other rules, with fewer answers, invented, of odd types, or with another key.
            const odd = [{ results: [results] }, { multiple: Number(multiple) }, { question: ["Your password?"] }, { options: ["a", "b"] }, { options: { length: 2 } }];
            const hostile = [...odd.map(poll), poll({ id: 2 }), poll({ multiple: !multiple }), poll({ results: "always" }), poll({ options: [{}] }), poll({ id: 3, question: "Your password?" })];
            const refused = await Promise.all(hostile.map(async (each) => (await polls.open(each)).unreadable));
            refused.push((await new SealedPolls(new LinkSecret(), meeting).open(poll({}))).unreadable);
            const again = await polls.open({ id: 9, ...await polls.seal({ question: "Q", options: ["x", "y"], multiple: false, results: "always" }).then((draft) => ({ ...draft, options: draft.options.map((text) => ({ text })) })) });
            return { first: hex(await seal(5)), files, damaged, opened, refused, again, names: argument.names.map(cleanFileName) };
        """, vectors | {"names": ["../../etc/passwd", "C:\\a\\notes.txt", "..", "a\u202egpj.exe", "CON.txt", "👩‍👩‍👧.png", "ä" * 300 + ".png"]})
        self.assertEqual(found["first"], vectors["firstFile"])
        self.assertEqual(found["files"], [[each["sha256"], True, True] for each in vectors["files"]])
        self.assertEqual(set(found["damaged"]), {"damagedFile"})
        self.assertEqual((found["opened"]["question"], [each["text"] for each in found["opened"]["options"]]), (vectors["poll"]["question"], vectors["poll"]["options"]))
        self.assertEqual(found["refused"], [True] * 11)
        self.assertEqual(([each["text"] for each in found["again"]["options"]], found["again"]["question"]), (["x", "y"], "Q"))
        *names, long = found["names"]
        self.assertEqual(names, ["passwd", "notes.txt", "file", "agpj.exe", "_CON.txt", "👩‍👩‍👧.png"])
        self.assertTrue(long.endswith(".png") and len(long.encode()) <= 180, long)

    def test_the_identity_of_a_browser_lasts_and_a_name_with_another_lasting_key_is_told(self) -> None:
        found = self.run_js("""
            // threat 63
            const { deviceIdentity } = await import("/sdk/encryption/device-identity.js");
            const { KnownPeople } = await import("/sdk/encryption/known-people.js");
            const [first, second] = [await deviceIdentity(), await deviceIdentity()];
            const exported = await crypto.subtle.exportKey("pkcs8", first.privateKey).then(() => "readable", () => "refused");
            const meeting = async (...people) => {
              const known = new KnownPeople(), told = [];
              for (const [name, key] of people) { told.push(await known.meet(`p_${key}`, name, key)); }
              return [told, people.map(([, key]) => known.recognition(`p_${key}`)), known.recognition("p_nobody")];
            };
            return {
              same: hex(first.publicKey) === hex(second.publicKey), exported,
              meetings: [await meeting(["Ann", "a"], ["Ben", "guest1"]), await meeting(["Ann", "a"], ["Ann", "a"], ["Ben", "guest2"]), await meeting(["Ann", "x"], ["Cem", "y"])],
            };
        """)
        self.assertEqual((found["same"], found["exported"]), (True, "refused"))
        self.assertEqual(found["meetings"], [
            [["newDevice", "newDevice"], ["newDevice", "newDevice"], None],
            [["sameDevice", None, "newDevice"], ["sameDevice", "sameDevice", "newDevice"], None],
            [["changed", "newDevice"], ["changed", "newDevice"], None],
        ])

    def test_tabs_that_make_a_lasting_key_at_once_or_replace_a_broken_one_have_the_same(self) -> None:
        found = self.run_js("""
            // threat 63
            const { deviceIdentity } = await import("/sdk/encryption/device-identity.js");
            const { generateIdentity, sign, verifies } = await import("/sdk/encryption/announcement.js");
            const { IdentityStore } = await import("/sdk/encryption/identity-store.js");
            const store = new IdentityStore();
            const rounds = [];
            const [one, other] = [await generateIdentity(), await generateIdentity()];
            for (const broken of [undefined, { privateKey: one.privateKey, publicKey: other.publicKey }, {}]) {
              await store.run("own", "readwrite", (each) => (broken === undefined ? each.delete("device") : each.put(broken, "device")));
              const made = await Promise.all(Array.from({ length: 5 }, () => deviceIdentity()));
              const works = await verifies(made[0].publicKey, await sign(made[0], new Uint8Array(3)), new Uint8Array(3));
              rounds.push([new Set(made.map(({ publicKey }) => hex(publicKey))).size, works, hex((await deviceIdentity()).publicKey) === hex(made[0].publicKey)]);
            }
            return rounds;
        """)
        self.assertEqual(found, [[1, True, True]] * 3)

    def test_a_large_file_streams_to_the_disk_and_without_a_place_nothing_is_fetched(self) -> None:
        found = self.run_js("""
            // threat 61
            const { Chatting } = await import("/sdk/chat.js");
            const { newFileKey, sealFile } = await import("/sdk/encryption/file-sealing.js");
            const content = new Uint8Array(9_000_000).map((_, index) => index % 251);
            const key = newFileKey();
            const sealed = new Uint8Array(await (await sealFile(new Blob([content]), key)).arrayBuffer());
            let fetched = 0, answer = sealed;
            const ownFetch = globalThis.fetch;
            globalThis.fetch = async () => { fetched += 1; return new Response(answer); };
            const meeting = { encrypted: true, signaling: { url: "wss://h/signal", _resumeToken: "t" }, addEventListener() {},
              _encryption: { fileSecret: () => ({ key, size: content.length }) } };
            const chatting = new Chatting(meeting);
            const place = () => {
              const parts = [], state = { end: "" };
              return { parts, state, writable: new WritableStream({ write(part) { parts.push(part); }, close() { state.end = "closed"; }, abort() { state.end = "aborted"; } }) };
            };
            const file = { id: "f", type: "video/mp4", size: content.length };
            const good = place();
            const none = await chatting.fetchFile(file, { writable: good.writable });
            const written = new Uint8Array(await new Blob(good.parts).arrayBuffer());
            answer = sealed.slice();
            answer[8_500_000] ^= 1;
            const bad = place();
            const problem = await codeOf(() => chatting.fetchFile(file, { writable: bad.writable }));
            const before = fetched;
            const large = await codeOf(() => chatting.fetchFile({ ...file, size: 2 ** 31 + 1 }));
            globalThis.fetch = ownFetch;
            return [none, hex(await digestOf(written)) === hex(await digestOf(content)), good.parts.length > 1, good.state.end, problem, bad.state.end, large, fetched - before];
        """.replace("digestOf", "((bytes) => crypto.subtle.digest('SHA-256', bytes).then((each) => new Uint8Array(each)))"))
        self.assertEqual(found, [None, True, True, "closed", "damagedFile", "aborted", "downloadTooLarge", 0])

    def test_a_known_key_under_another_name_is_told_and_a_changed_one_is_not_trusted_silently(self) -> None:
        found = self.run_js("""
            // threat 63
            const { KnownPeople } = await import("/sdk/encryption/known-people.js");
            let stored;
            const store = { async update(name, key, change) { stored = structuredClone(change(structuredClone(stored))); } };
            const page = async (meeting, ...people) => {
              const known = new KnownPeople(store), told = [];
              for (const [name, key] of people) { told.push([await known.meet(`p_${key}`, name, key, meeting), known.earlierName(`p_${key}`)]); }
              return told;
            };
            // A page that is loaded again is in the same meeting, where a guest's key stays.
            const told = [await page("m_1", ["Ann", "a"], ["Ben", "g1"], ["Mallory", "m"]), await page("m_1", ["Ann", "a"], ["Ben", "g1"]),
              await page("m_2", ["Ann", "a"], ["Ben", "g2"]), await page("m_3", ["Ann", "m"], ["Mallory", "m"], ["Cem", "m"], ["Ann", "x"]), await page("m_4", ["Ann", "x"])];
            const counts = Object.fromEntries(stored.map(({ key, name, meetings }) => [key, [name, meetings]]));
            const known = new KnownPeople(store);
            await known.meet("p_1", "Ann", "x", "m_5");
            const trusted = [await known.trust("p_2", "m_5"), await known.trust("p_1", "m_5"), known.recognition("p_1"), await page("m_6", ["Ann", "x"], ["Ann", "a"])];
            await page("m_7", ...Array.from({ length: 1_100 }, (_, index) => ["\\u0007" + "é".repeat(300), `k${index}`]));
            return { told, counts, trusted, kept: [stored.length, stored.some(({ key }) => key === "a"), stored.at(-1).name] };
        """)
        self.assertEqual(found["told"], [
            [["newDevice", None]] * 3, [["sameDevice", None]] * 2, [["sameDevice", None], ["newDevice", None]],
            [["changed", None], ["sameDevice", None], ["renamed", "Mallory"], ["changed", None]], [["changed", None]],
        ])
        self.assertEqual(found["counts"], {"a": ["Ann", 2], "g1": ["Ben", 1], "g2": ["Ben", 1], "m": ["Cem", 2]})
        self.assertEqual(found["trusted"], [False, True, "newDevice", [["sameDevice", None], ["sameDevice", None]]])
        self.assertEqual(found["kept"], [1000, True, "é" * 50])

    def test_only_a_deletion_is_one_and_nothing_stands_in_its_place(self) -> None:
        found = self.run_js("""
            // threat 62: a text that passes for a deleted message, and a poll before the welcome.
            const { ChatMessages, deletedForm } = await import("/sdk/chat-messages.js");
            const { MeetingEncryption } = await import("/sdk/encryption/meeting-encryption.js");
            const message = (deleted) => ({ id: 1, from: "p_1", text: "pay me", file: { id: "f_1" }, deleted });
            const encryption = new MeetingEncryption({}, {});
            const chat = new ChatMessages(() => {});
            chat.apply({ type: "chat", message: message("author") });
            return {
              forms: [true, 1, "nobody", ["author"], undefined, "author"].map((each) => deletedForm(message(each))),
              opened: [await encryption._openChat(message("host")), encryption._recallChat(message("host"))], shown: chat.all,
              polls: [await encryption._openPoll({ id: 1 }), (await encryption._openState({ polls: [{ id: 1 }] })).polls],
            };
        """)
        gone = {"id": 1, "from": "p_1", "text": "", "deleted": "author"}
        self.assertEqual(found["forms"], [None] * 5 + [gone])
        self.assertEqual((found["opened"], found["shown"]), ([gone | {"deleted": "host"}] * 2, [gone | {"to": None}]))
        self.assertEqual(found["polls"], [None, [None]])

    def test_messages_are_sealed_in_their_order_and_again_for_other_keys(self) -> None:
        found = self.run_js("""
            const { SendQueue } = await import("/sdk/send-queue.js");
            const sent = [], failed = [];
            let keys = 1, wait = Promise.resolve();
            const seal = (message) => (message.type === "chat" ? wait.then(() => { if (message.text === "bad") { throw new Error("no"); } return { ...message, text: `${keys}:${message.text}` }; }) : null);
            const queue = new SendQueue((message) => sent.push(message.text), () => true, seal);
            const add = (text, type = "chat") => queue.add({ type, text }, { kind: "messages", repeats: true }).answer.catch((error) => failed.push([text, error.message]));
            add("a"), add("bad"), add("b", "plain"), add("c");
            const settle = () => new Promise((done) => setTimeout(done, 20));
            await settle();
            const first = [...sent];
            // The connection is lost with its keys.
            queue.lost();
            queue.unseal();
            keys = 2;
            queue.flush();
            await settle();
            queue.close();
            return [first, sent.slice(first.length), failed.filter(([text]) => text === "bad")];
        """)
        self.assertEqual(found, [["1:a", "b", "1:c"], ["2:a", "b", "2:c"], [["bad", "no"]]])

    def test_bad_input_12_a_sender_past_the_worker_is_reported_a_slow_one_is_not(self) -> None:
        found = self.run_js("""
            const { SendWatchdog } = await import("/sdk/encryption/watchdog.js");
            const watch = async (step, bytes = 0) => {
              let sent = 0, seen = 0;
              const reported = [];
              const sender = { track: { kind: "video" }, getStats: async () => { [sent, seen] = step(sent, seen); return new Map([["o", { type: "outbound-rtp", kind: "video", framesSent: sent, bytesSent: sent * bytes }]]); } };
              const dog = new SendWatchdog({ senders: () => new Map([["camera", { sender, track: 1 }]]), counts: async () => ({ 1: { seen, written: seen } }), onBypass: (source) => { reported.push([source, sent]); dog.close(); } });
              dog.alert();
              await new Promise((done) => setTimeout(done, 1_200));
              dog.close();
              return reported;
            };
            let turn = 0;
            const bare = watch((sent) => [sent + 3, 0], 1);
            return Promise.all([watch((sent) => [sent + 3, 0]), watch((sent, seen) => [sent + 3, sent]), watch((sent, seen) => [sent + 12, ++turn % 2 ? seen : sent + 12]), bare]);
        """)
        self.assertEqual([each[0] for each in found[0]], ["camera"])
        self.assertLess(found[0][0][1], 30)
        self.assertEqual(found[1:3], [[], []])
        # Bytes have left of which no frame has come through the worker: there is nothing to wait for.
        self.assertEqual(found[3], [["camera", 3]])

    def test_bad_input_04_neither_server_nor_link_takes_the_encryption_back(self) -> None:
        found = self.run_js("""
            const { MeetingEncryption } = await import("/sdk/encryption/meeting-encryption.js");
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const text = new LinkSecret().text;
            const results = [];
            for (const fragment of [`e2ee=${text}`, `config.e2ee=false&config.encryption=%22off%22&e2ee=${text}`, `e2ee=${text}&config.e2ee.disabled=true&e2ee=`]) {
              const hooks = { send: () => true, emit() {}, refuse() {}, stopSource() {}, participants: () => [] };
              const encryption = new MeetingEncryption({ url: `https://h/daily#${fragment}` }, hooks);
              await encryption._prepare();
              const welcome = (meeting) => codeOf(() => encryption._begin({ participant: "p", participants: [], meeting }, "daily", "Ann"));
              results.push([encryption.isOn, await codeOf(() => encryption._check(false)), await welcome({}), await welcome({ e2ee: false }), await welcome({ e2ee: "true" })]);
              encryption._close();
            }
            return results;
        """)
        self.assertEqual(found, [[True, "notEncrypted", "notEncrypted", "notEncrypted", "notEncrypted"]] * 3)

    def test_the_secret_stays_in_the_fragment_and_a_damaged_one_joins_nothing(self) -> None:
        found = self.run_js("""
            const { secretOf, withSecret } = await import("/sdk/encryption/link.js");
            const { withToken } = await import("/assets/js/address.js");
            const { Overrides } = await import("/sdk/overrides.js");
            const { Meeting } = await import("/sdk/meeting.js");
            const { LinkSecret } = await import("/sdk/encryption/link-secret.js");
            const secret = new LinkSecret(new Uint8Array(32));
            const address = withSecret("https://h/daily#config.subject=x", secret);
            const meeting = new Meeting({ url: address.slice(0, -1), name: "Ann" });
            const problem = await meeting.join().catch((error) => error.code);
            return [address, withToken(address, "a.b"), secretOf(new URL(withToken(address, "a.b"))).text === secret.text, withSecret(address, null),
              new Overrides(new URL(address).hash).values.has("e2ee"), problem, meeting.encryption];
        """)
        text = "A" * 43
        self.assertEqual(found, [f"https://h/daily#config.subject=x&e2ee={text}", f"https://h/daily#jwt=a.b&e2ee={text}", True, "https://h/daily#config.subject=x",
                                 False, "badSecret", {"state": "refused", "safetyCode": None, "waitingFor": []}])
