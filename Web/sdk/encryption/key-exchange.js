import { announcementLimits, bindingOf, decodeAnnouncement, encodeAnnouncement, meetingField } from "./announcement.js";
import { areEqual, compareTexts, utf8, ByteWriter, KeyMessageError } from "./bytes.js";
import { digest } from "./derivation.js";
import { generateKeyPair } from "./hpke.js";
import { parseKeyID, tracks as trackLimit } from "./key-id.js";
import { FrameDrop, standardTiming } from "./key-timing.js";
import { PairChannel } from "./pair-channel.js";
import { PublisherKeys } from "./publisher-keys.js";
import { RemoteKeys } from "./remote-keys.js";
import { Roster } from "./roster.js";
import { RosterComparison } from "./roster-comparison.js";
import { safetyCode } from "./safety-code.js";
import { decodeHeader, SFrameError } from "./sframe-header.js";

const parkedPerSender = 4;
const parkedSenders = 64;
const parkedLength = 1_024;

/**
 * A request of a `KeyExchange` to its owner: `announce` sends `bytes` to everybody, and to those who come later; `send`
 * sends `envelopes` in one message where that is possible; `notify` passes `event` to the app.
 *
 * @typedef {{ type: "announce", bytes: Uint8Array } |
 *   { type: "send", envelopes: { recipient: string, bytes: Uint8Array }[] } |
 *   { type: "notify", event: KeyEvent }} KeyEffect
 */

/**
 * @typedef {{ type: "member" | "memberLeft" | "refused" | "safetyCodeChanged" | "waitingChanged" | "keyFrameNeeded" |
 *   "ownKeyFrameNeeded" | "rosterMismatch", participant?: string, name?: string, code?: string }} KeyEvent
 */

/**
 * The keys of an encrypted meeting, as one client has them: `KeyExchange` in Swift. Announcements, envelopes and the
 * time come in; effects, frames and the next deadline come out. Calls that change keys run one after the other, however
 * many are made at a time; frames wait for nothing.
 */
export class KeyExchange {
  #meeting;
  #participant;
  #timing;
  #local;
  #codeKey;
  #envelopeKey;
  #binding;
  #own;
  #ownBytes = new Uint8Array(0);
  #announcedAt = null;
  #roster = new Roster();
  #channels = new Map();
  #publisher;
  #remotes = new Map();
  #comparison;
  #parked = new Map();
  #effects = [];
  #waiting = "";
  #last = Promise.resolve();

  /** 30 digits that people compare, as soon as this client has announced itself. @type {string | null} */
  safetyCode = null;

  /**
   * @param {object} options
   * @param {string} options.meeting
   * @param {string} options.participant
   * @param {string} options.name
   * @param {import("./announcement.js").Identity} options.identity
   * @param {import("./link-secret.js").LinkSecret} options.secret
   * @param {import("./key-timing.js").KeyTiming} [options.timing]
   * @param {{ frames: number, blocks: number }} [options.limits] of a key
   * @returns {Promise<KeyExchange>}
   */
  static async make({ meeting, participant, name, identity, secret, timing = standardTiming, limits }) {
    const field = await meetingField(meeting);
    const texts = { meeting: field, participant, name };
    for (const [key, limit] of Object.entries(announcementLimits)) { if (utf8(texts[key]).length > limit) { throw new KeyMessageError("malformed"); } }
    const keys = new KeyExchange();
    const meetingKey = await generateKeyPair();
    keys.#meeting = field;
    keys.#participant = participant;
    keys.#timing = timing;
    keys.#local = { identity, meetingKey };
    keys.#codeKey = await secret.key("announcement", meeting);
    keys.#envelopeKey = await secret.key("envelope", meeting);
    keys.#own = { meeting: field, participant, name, identity: identity.publicKey, meetingKey: meetingKey.publicKey, senderIndex: 0, revision: 0 };
    keys.#binding = await bindingOf(keys.#own);
    keys.#publisher = new PublisherKeys(timing, limits);
    keys.#comparison = new RosterComparison(timing);
    return keys;
  }

  /** Participants whose keys have been accepted, this client not among them. @type {string[]} */
  get members() { return [...this.#roster.members.keys()].toSorted(compareTexts); }

  /** @param {string} id @returns {import("./announcement.js").Announcement | undefined} */
  announcement(id) { return this.#roster.members.get(id)?.announcement; }

  /** Those whose frames come and whose key is lacking. @type {string[]} */
  get waitingFor() { return [...this.#remotes].filter(([, keys]) => keys.missingSince !== null).map(([id]) => id).toSorted(compareTexts); }

  /** The epoch of this client's key in use; null while nothing is published. @type {number | null} */
  get epoch() { return this.#publisher.epoch; }

  /** The effects since the last call, in the order in which they came up. @returns {KeyEffect[]} */
  takeEffects() {
    if (this.#publisher.takeNewReaders()) { this.#notify({ type: "ownKeyFrameNeeded" }); }
    return this.#effects.splice(0);
  }

  /** When `handleTimeout` is to be called next; Infinity is never. @type {number} */
  get deadline() { return Math.min(this.#publisher.deadline, this.#comparison.deadline, ...[...this.#remotes.values()].map((keys) => keys.deadline)); }

  /** Announces this client, after the announcements of those who are there were received. @param {number} now */
  announce(now) {
    return this.#enqueue(async () => {
      await this.#pickIndex(now);
      await this.#rosterChanged(now);
    });
  }

  /**
   * Signalling goes on after it was lost; the announcements of those who are there follow. This client's own goes out
   * again unless the server has it, and gives way to others who have claimed its index by now.
   *
   * @param {boolean} isAnnounced
   * @param {number} now
   */
  resume(isAnnounced, now) {
    return this.#enqueue(async () => {
      if (this.#announcedAt === null) { return; }
      this.#announcedAt = now;
      this.#comparison.resume(now);
      if (!isAnnounced) { this.#effects.push({ type: "announce", bytes: this.#ownBytes }); }
    });
  }

  /** Announces this client under another name; its keys and index stay. @param {string} name @param {number} now */
  rename(name, now) {
    return this.#enqueue(async () => {
      if (utf8(name).length > announcementLimits.name) { throw new KeyMessageError("malformed"); }
      if (this.#announcedAt === null || name === this.#own.name) { return; }
      await this.#sign({ ...this.#own, name });
      await this.#rosterChanged(now);
    });
  }

  /** Tracks start or end; `tracks` says what each carries. @param {Map<number, number>} tracks @param {number} now */
  publish(tracks, now) {
    return this.#enqueue(async () => {
      if ([...tracks.keys()].some((track) => track >= trackLimit)) { throw new KeyMessageError("malformed"); }
      await this.#deliver(await this.#publisher.setTracks(tracks, this.members, now));
    });
  }

  /**
   * A participant has left or was removed, as signalling says.
   *
   * @param {string} id
   * @param {boolean} isRemoved
   * @param {number} now
   */
  remove(id, isRemoved, now) {
    return this.#enqueue(async () => {
      this.#parked.delete(id);
      if (!this.#roster.remove(id, this.#own.senderIndex)) { return; }
      this.#channels.delete(id);
      this.#remotes.delete(id);
      this.#comparison.remove(id);
      this.#notify({ type: "memberLeft", participant: id });
      await this.#publisher.memberLeft(id, isRemoved, now);
      await this.#rosterChanged(now);
      await this.#handleTimeout(now);
    });
  }

  /** Does what is due. @param {number} now */
  handleTimeout(now) { return this.#enqueue(() => this.#handleTimeout(now)); }

  /**
   * An announcement that came from `sender`, as signalling says. A refused one is notified and changes nothing.
   *
   * @param {Uint8Array} bytes
   * @param {string} sender
   * @param {number} now
   */
  receiveAnnouncement(bytes, sender, now) {
    return this.#enqueue(() => this.#guarded(sender, () => this.#acceptAnnouncement(bytes, sender, now)));
  }

  /**
   * An envelope that came from `sender`, as signalling says.
   *
   * @param {Uint8Array} envelope
   * @param {string} sender
   * @param {number} now
   */
  receiveEnvelope(envelope, sender, now) {
    return this.#enqueue(async () => {
      await this.#guarded(sender, () => this.#openEnvelope(envelope, sender, now));
      this.#noteWaiting();
    });
  }

  /**
   * The encrypted form of a frame; throws a `FrameDrop` when it must not leave.
   *
   * @param {Uint8Array} frame
   * @param {number} track
   * @param {Uint8Array | undefined} metadata
   * @param {number} now
   */
  seal(frame, track, metadata, now) { return this.#publisher.seal(frame, track, metadata, now); }

  /**
   * The plain form of a frame; throws a `FrameDrop` when it must not be played. `sender` and `source` are what the
   * server says of the slot that it came in.
   *
   * @param {Uint8Array} frame
   * @param {string} sender
   * @param {number} source
   * @param {Uint8Array | undefined} metadata
   * @param {number} now
   * @returns {Promise<Uint8Array>}
   */
  async open(frame, sender, source, metadata, now) {
    let keyID;
    try {
      keyID = parseKeyID(decodeHeader(frame).keyID);
    } catch (error) {
      throw new FrameDrop(error instanceof SFrameError ? error.code : "malformedHeader");
    }
    const remote = this.#remotes.get(sender);
    if (keyID === null || remote === undefined || this.#roster.owner(keyID.sender) !== sender) { throw new FrameDrop("wrongSender"); }
    const wasMissing = remote.missingSince !== null;
    try {
      const plain = await remote.open(frame, keyID, source, metadata, now);
      if (remote.takeRatchet()) { this.#comparison.noteRatchet(sender, now); }
      this.#comparison.noteFrame(sender);
      return plain;
    } finally {
      if (wasMissing !== (remote.missingSince !== null)) { this.#noteWaiting(); }
    }
  }

  /** Each step of the keys is done when the one before is. */
  #enqueue(step) {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }

  async #guarded(sender, step) {
    try {
      await step();
    } catch (error) {
      this.#notify({ type: "refused", participant: sender, code: error instanceof KeyMessageError ? error.code : "failed" });
    }
  }

  #notify(event) { this.#effects.push({ type: "notify", event }); }

  async #acceptAnnouncement(bytes, sender, now) {
    const announcement = await decodeAnnouncement(bytes, this.#codeKey);
    if (announcement.meeting !== this.#meeting || announcement.participant !== sender) { throw new KeyMessageError("misdirected"); }
    if (sender === this.#participant) {
      if (!areEqual(announcement.identity, this.#own.identity) || !areEqual(announcement.meetingKey, this.#own.meetingKey)) { throw new KeyMessageError("identityChanged"); }
      return;
    }
    const change = this.#roster.accept(announcement, bytes, this.#own.senderIndex);
    switch (change) {
      case "nothing": return;
      case "joined":
        this.#channels.set(sender, await PairChannel.make(this.#local, this.#binding, announcement, this.#envelopeKey));
        this.#remotes.set(sender, new RemoteKeys(this.#timing));
        break;
      case "indexChanged": this.#remotes.get(sender)?.resetCandidates(); break;
      case "updated": break;
    }
    this.#notify({ type: "member", participant: sender, name: announcement.name });
    await this.#resolveIndices(announcement, now);
    await this.#rosterChanged(now);
    if (change !== "joined") { return; }
    this.#comparison.noteJoin(now);
    await this.#deliver(this.#publisher.memberJoined(sender, now));
    await this.#handleTimeout(now);
    const parked = this.#parked.get(sender) ?? [];
    this.#parked.delete(sender);
    for (const envelope of parked) { await this.#guarded(sender, () => this.#openEnvelope(envelope, sender, now)); }
  }

  /** Two have one index: those who announced it just now pick another, those who have had it for longer keep it. */
  async #resolveIndices({ participant, senderIndex }, now) {
    if (senderIndex !== this.#own.senderIndex || this.#announcedAt === null) { return; }
    if (now - this.#announcedAt < this.#timing.indexTrial) {
      await this.#pickIndex(now);
      this.#roster.assignIndices(this.#own.senderIndex, participant);
    } else {
      this.#notify({ type: "refused", participant, code: "indexTaken" });
    }
  }

  async #openEnvelope(envelope, sender, now) {
    const channel = this.#channels.get(sender);
    if (channel === undefined) {
      if (sender === this.#participant) { throw new KeyMessageError("unknownSender"); }
      if (envelope.length > parkedLength) { throw new KeyMessageError("malformed"); }
      const parked = this.#parked.get(sender) ?? [];
      // The oldest go: those of senders who never announce themselves must not keep others out.
      if (parked.length === 0 && this.#parked.size >= parkedSenders) { this.#parked.delete(this.#parked.keys().next().value); }
      this.#parked.set(sender, [...parked, envelope].slice(-parkedPerSender));
      return;
    }
    const message = await channel.open(envelope);
    switch (message.type) {
      case "key":
        this.#comparison.receive(message.rosterHash, sender, now);
        if (this.#remotes.get(sender)?.receive(message)) { this.#notify({ type: "keyFrameNeeded", participant: sender }); }
        this.#send([{ recipient: sender, bytes: await channel.seal({ type: "acknowledgement", epoch: message.epoch }) }]);
        break;
      case "acknowledgement": await this.#publisher.acknowledged(sender, message.epoch); break;
      case "request": await this.#deliver(this.#publisher.requested(sender, now)); break;
    }
  }

  async #handleTimeout(now) {
    await this.#deliver(await this.#publisher.handleTimeout(this.members, now));
    const { asked, alarms } = this.#comparison.handleTimeout(now);
    for (const participant of alarms) { this.#notify({ type: "rosterMismatch", participant }); }
    const wanted = new Set(asked);
    for (const [id, remote] of this.#remotes) { if (remote.handleTimeout(now)) { wanted.add(id); } }
    const requests = [];
    for (const id of [...wanted].toSorted(compareTexts)) {
      const channel = this.#channels.get(id);
      if (channel) { requests.push({ recipient: id, bytes: await channel.seal({ type: "request" }) }); }
    }
    this.#send(requests);
    this.#noteWaiting();
  }

  #send(envelopes) { if (envelopes.length > 0) { this.#effects.push({ type: "send", envelopes }); } }

  async #pickIndex(now) {
    let [index] = await digest(new ByteWriter().bytes(this.#binding).number(this.#own.revision, 4).result);
    // Up to 255 the key id has 16 bits, above 24.
    for (let attempts = 1; index === 0 || this.#roster.isClaimed(index); attempts++) { index = attempts < 256 ? (index + 1) % 256 : attempts; }
    await this.#publisher.setSenderIndex(index);
    this.#announcedAt = now;
    await this.#sign({ ...this.#own, senderIndex: index });
  }

  /** Makes the next announcement of this client. */
  async #sign(own) {
    this.#own = { ...own, revision: this.#own.revision + 1 };
    this.#ownBytes = await encodeAnnouncement(this.#own, this.#local.identity, this.#codeKey);
    this.#effects.push({ type: "announce", bytes: this.#ownBytes });
  }

  /** Seals keys for those who are to have them, all in one effect. */
  async #deliver(deliveries) {
    if (deliveries.length === 0) { return; }
    const rosterHash = await this.#roster.hash(this.#own);
    const envelopes = [];
    for (const { recipient, epoch, baseKey } of deliveries) {
      const channel = this.#channels.get(recipient);
      if (channel === undefined) { continue; }
      envelopes.push({ recipient, bytes: await channel.seal({ type: "key", epoch, baseKey, rosterHash, tracks: this.#publisher.tracks }) });
    }
    this.#send(envelopes);
  }

  async #rosterChanged(now) {
    this.#comparison.update(await this.#roster.hash(this.#own), now);
    const identities = [...this.#roster.members.values()].map(({ announcement }) => announcement.identity);
    const code = await safetyCode([this.#own.identity, ...identities]);
    if (code !== this.safetyCode) {
      this.safetyCode = code;
      this.#notify({ type: "safetyCodeChanged" });
    }
    this.#noteWaiting();
  }

  #noteWaiting() {
    const waiting = JSON.stringify(this.waitingFor);
    if (waiting !== (this.#waiting || "[]")) {
      this.#waiting = waiting;
      this.#notify({ type: "waitingChanged" });
    }
  }
}
