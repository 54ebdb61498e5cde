import { generateIdentity } from "./announcement.js";
import { base64url } from "./bytes.js";
import { deviceIdentity } from "./device-identity.js";
import { openFrame, sealFrame } from "./frame-sealing.js";
import { ReceiveTransform, SendTransform } from "./frame-transforms.js";
import { KeyExchange } from "./key-exchange.js";
import { sources } from "./key-id.js";
import { FrameDrop } from "./key-timing.js";
import { LinkSecret } from "./link-secret.js";

/** The track of sealed texts: chat messages, signals and data messages. */
const textTrack = 15;
/** How long a text waits for the key of its sender, in milliseconds. */
const textPatience = 4_000;
/** Texts that may wait. */
const waitingTexts = 500;
const now = () => performance.now();
/** One for all sessions of a meeting, so that a client that joins again stays the same in the safety code. */
let own = null;

/** The lasting identity of this browser where it is wanted and can be kept, otherwise a guest's. */
async function makeIdentity(wanted) {
  if (wanted === "device") {
    try {
      return { kind: "device", identity: await deviceIdentity() };
    } catch {
      // Private windows, and browsers that keep no keys.
    }
  }
  return { kind: "guest", identity: await generateIdentity() };
}

/**
 * The keys and the transforms of one connection, in the worker. Methods without an underscore are called by the page
 * (`ConnectionEncryption`); `notify` reports to it.
 */
export class WorkerSession {
  #notify;
  #keys = null;
  #tracks = new Map();
  #hasTexts = false;
  #senders = new Map();
  #slots = new Map();
  #owners = new Map();
  #texts = [];
  #shown = "";
  #last = Promise.resolve();
  /** Those who were there before and have not announced themselves, until one of them has this client's secret. */
  #earlier = new Set();
  #hasOtherSecret = false;

  /** @param {(message: object) => void} notify */
  constructor(notify) { this.#notify = notify; }

  /**
   * Begins the exchange of keys: takes the announcements of those who are there, and announces this client.
   *
   * Those of `present` who announce themselves later decide later, by a message `wrongSecret`: when all have another
   * secret, this client's is wrong.
   *
   * @param {{ meeting: string, participant: string, name: string, secret: string, identity: "device" | "guest",
   *   present?: string[], announcements: { participant: string, bytes: Uint8Array }[] }} options
   * @returns {Promise<{ announced: number, wrongSecret: number, isRefused: boolean, identity: "device" | "guest",
   *   key: string }>} how many announced themselves before, how many of them have another link secret, and the key that
   *   others know this client by
   */
  start({ meeting, participant, name, secret, announcements, present = [], identity: wanted }) {
    return this.#enqueue(async () => {
      own ??= await makeIdentity(wanted);
      const { identity } = own;
      const keys = await KeyExchange.make({ meeting, participant, name, identity, secret: LinkSecret.parse(secret) });
      this.#keys = keys;
      const others = announcements.filter((each) => each.participant !== participant);
      for (const each of others) { await keys.receiveAnnouncement(each.bytes, each.participant, now()); }
      const refused = this.#drain().filter(({ type, code }) => type === "refused" && code === "wrongSecret");
      const isRefused = others.length > 0 && keys.members.length === 0 && refused.length >= others.length;
      if (!isRefused) {
        const silent = present.filter((id) => id !== participant && !others.some((each) => each.participant === id));
        if (keys.members.length === 0) { this.#earlier = new Set(silent); }
        this.#hasOtherSecret = refused.length > 0;
        await keys.announce(now());
        await keys.publish(this.#published, now());
      }
      this.#drain();
      return { announced: others.length, wrongSecret: refused.length, isRefused, identity: own.kind, key: base64url(identity.publicKey) };
    });
  }

  /** @param {{ participant: string, bytes: Uint8Array }} announcement */
  announcement({ participant, bytes }) {
    return this.#step(async (keys) => {
      await keys.receiveAnnouncement(bytes, participant, now());
      return this.#keysChanged([participant]);
    });
  }

  /** Signalling goes on. @param {boolean} isAnnounced whether the server has the announcement of this client */
  resume(isAnnounced) { return this.#step((keys) => keys.resume(isAnnounced, now())); }

  /** @param {{ participant: string, bytes: Uint8Array }[]} envelopes */
  envelopes(envelopes) {
    return this.#step(async (keys) => {
      for (const { participant, bytes } of envelopes) { await keys.receiveEnvelope(bytes, participant, now()); }
      return this.#keysChanged(envelopes.map(({ participant }) => participant));
    });
  }

  /** @param {{ participant: string, isRemoved: boolean }} departure */
  remove({ participant, isRemoved }) {
    return this.#step(async (keys) => {
      await keys.remove(participant, isRemoved, now());
      if (this.#earlier.delete(participant)) { this.#judgeSecret(); }
    });
  }

  /** @param {string} name */
  rename(name) { return this.#step((keys) => keys.rename(name, now())); }

  /** The tracks that this client sends. @param {[number, number][]} tracks index and source */
  tracks(tracks) {
    this.#tracks = new Map(tracks);
    return this.#step((keys) => keys.publish(this.#published, now()));
  }

  /** Notes the content of a slot. @param {{ slot: number, participant: string | null, source: number }} content */
  assign({ slot, participant, source }) {
    const owner = participant === null ? null : { participant, source };
    this.#owners.set(slot, owner);
    return this.#slots.get(slot)?.assign(owner);
  }

  /**
   * Seals a text. The first one makes the key for it.
   *
   * @param {Uint8Array} bytes
   * @returns {Promise<Uint8Array>}
   */
  seal(bytes) {
    return this.#step(async (keys) => {
      if (!this.#hasTexts) {
        this.#hasTexts = true;
        await keys.publish(this.#published, now());
      }
      const sealed = await sealFrame(bytes, "opaque", (content, metadata) => keys.seal(content, textTrack, metadata, now()));
      // Envelopes first: whoever gets the text should have the key.
      this.#drain();
      return sealed;
    });
  }

  /**
   * Opens a text; null for one that this client can't read.
   *
   * @param {{ from: string, bytes: Uint8Array, waits: boolean }} text
   * @returns {Promise<Uint8Array | null>}
   */
  async open(text) {
    const found = await this.#openText(text);
    if (found !== undefined) { return found; }
    if (!text.waits || this.#texts.length >= waitingTexts) { return null; }
    return new Promise((resolve) => { this.#texts.push({ text, resolve, until: now() + textPatience }); });
  }

  /** Counts of every transform, for the watchdog and for tests. */
  report() {
    const entries = (transforms) => Object.fromEntries([...transforms].map(([key, each]) => [key, each.report]));
    return { senders: entries(this.#senders), slots: entries(this.#slots), members: this.#keys?.members ?? [], epoch: this.#keys?.epoch ?? null };
  }

  /** A transform of a sender or receiver begins. @param {RTCRtpScriptTransformer} transformer */
  _attach(transformer) {
    const { role, track, slot, kind, rids = [] } = transformer.options;
    const keys = () => this.#keys;
    let transform;
    if (role === "send") {
      // An own way to ask the encoder in Firefox and Safari; the page asks in Chromium.
      const wantKeyFrame = (rid) => {
        if (typeof transformer.generateKeyFrame !== "function") { this.#notify({ type: "keyFrameWanted", track }); return; }
        // Without a rid it would be a key frame of the first encoding alone.
        const wanted = rid !== undefined || rids.length === 0 ? [rid] : rids;
        for (const each of wanted) { transformer.generateKeyFrame(each).catch(() => {}); }
      };
      transform = new SendTransform({ keys, track, kind, wantKeyFrame, begin: () => this.#notify({ type: "senderSeen", track }) });
      this.#senders.set(track, transform);
    } else {
      transform = new ReceiveTransform({ keys, kind, requestKeyFrame: () => { transformer.sendKeyFrameRequest?.().catch(() => {}); } });
      this.#slots.set(slot, transform);
      transform.assign(this.#owners.get(slot) ?? null);
    }
    const stream = new TransformStream({ transform: (frame, output) => transform.transform(frame, output) });
    transformer.readable.pipeThrough(stream).pipeTo(transformer.writable).catch((error) => {
      this.#notify({ type: "transformFailed", role, track, slot, problem: String(error?.message ?? error) });
    });
  }

  /** Does what is due. */
  _tick() {
    const keys = this.#keys;
    if (keys === null) { return; }
    if (now() >= keys.deadline) { this.#step((each) => each.handleTimeout(now())); } else { this.#drain(); }
    const over = this.#texts.filter(({ until }) => until <= now());
    if (over.length === 0) { return; }
    this.#texts = this.#texts.filter(({ until }) => until > now());
    for (const { resolve } of over) { resolve(null); }
  }

  /** The connection is gone. Frames that still come are left out. */
  _close() {
    this.#keys = null;
    for (const { resolve } of this.#texts.splice(0)) { resolve(null); }
  }

  get #published() { return this.#hasTexts ? new Map([...this.#tracks, [textTrack, sources.chat]]) : this.#tracks; }

  #enqueue(step) {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }

  /** A step that needs keys; without them it does nothing. */
  #step(body) {
    return this.#enqueue(async () => {
      if (this.#keys === null) { return undefined; }
      const result = await body(this.#keys);
      this.#drain();
      return result;
    });
  }

  #keysChanged(participants) {
    this.#drain();
    const changed = new Set(participants);
    for (const each of this.#slots.values()) { if (changed.has(each.participant)) { each.retry(); } }
    const waiting = this.#texts.filter(({ text }) => changed.has(text.from));
    for (const each of waiting) {
      this.#openText(each.text).then((found) => {
        if (found === undefined || !this.#texts.includes(each)) { return; }
        this.#texts = this.#texts.filter((other) => other !== each);
        each.resolve(found);
      });
    }
  }

  /** The text, null where it can't be read, undefined where its key may still come. */
  async #openText({ from, bytes }) {
    const keys = this.#keys;
    if (keys === null) { return null; }
    try {
      return await openFrame(bytes, "opaque", (content, metadata) => keys.open(content, from, sources.chat, metadata, now()));
    } catch (error) {
      const code = error instanceof FrameDrop ? error.code : "failed";
      const mayCome = code === "noKey" || code === "wrongTrack" || (code === "wrongSender" && keys.announcement(from) === undefined);
      return mayCome ? undefined : null;
    }
  }

  /** Learns from the announcement of somebody who was there before whether this client's secret is the meeting's. */
  #judge({ type, participant, code }) {
    if (!this.#earlier.has(participant)) { return; }
    if (type === "member") { this.#earlier.clear(); }
    if (type === "refused" && code === "wrongSecret") {
      this.#earlier.delete(participant);
      this.#hasOtherSecret = true;
      this.#judgeSecret();
    }
  }

  #judgeSecret() {
    if (this.#hasOtherSecret && this.#earlier.size === 0) { this.#notify({ type: "wrongSecret" }); }
  }

  /** Passes on what came up: messages to the page, which sends them, and events. Returns the events. */
  #drain() {
    const keys = this.#keys;
    if (keys === null) { return []; }
    const events = [];
    for (const effect of keys.takeEffects()) {
      switch (effect.type) {
        case "announce": this.#notify({ type: "announce", bytes: effect.bytes }); break;
        case "send": this.#notify({ type: "send", envelopes: effect.envelopes }); break;
        case "notify": events.push(effect.event); break;
      }
    }
    for (const event of events) {
      this.#judge(event);
      if (event.type === "keyFrameNeeded") {
        for (const each of this.#slots.values()) { if (each.participant === event.participant) { each.keyArrived(); } }
      } else if (event.type === "ownKeyFrameNeeded") {
        for (const each of this.#senders.values()) { each.makeKeyFrame(); }
      } else {
        const member = event.type === "member" ? keys.announcement(event.participant) : undefined;
        this.#notify({ type: "event", event: member ? { ...event, key: base64url(member.identity) } : event });
      }
    }
    const state = { safetyCode: keys.safetyCode, waitingFor: keys.waitingFor };
    const text = JSON.stringify(state);
    if (text !== this.#shown) {
      this.#shown = text;
      this.#notify({ type: "state", ...state });
    }
    return events;
  }
}
