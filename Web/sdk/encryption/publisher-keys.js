import { compareTexts } from "./bytes.js";
import { keyIDOf } from "./key-id.js";
import { FrameDrop } from "./key-timing.js";
import { RatchetPace } from "./ratchet-pace.js";
import { ratchet, SFrameError, SFrameSealer } from "./sframe.js";

/** @typedef {{ recipient: string, epoch: number, baseKey: Uint8Array }} Delivery a key that somebody is to be sent */

/**
 * The keys of what this client publishes: one base key per epoch, from which each track has its own. `PublisherKeys` in
 * Swift does the same, and says why.
 *
 * Calls that return a promise must follow each other: one at a time. `seal` may be called at any time.
 */
export class PublisherKeys {
  #timing;
  #limits;
  #senderIndex = 0;
  /** The source of each track; empty before anything is published. @type {Map<number, number>} */
  tracks = new Map();
  // By key id, for as long as the base key is in use: a track that ends and comes back goes on counting.
  #sealers = new Map();
  #current = null;
  #pending = null;
  #lastEpoch = 0;
  #joined = new Set();
  #ratchetAt = Infinity;
  #pace;
  #evictions = [];
  #rotateAt = Infinity;
  #lastRotation = -Infinity;
  #answers = new Map();
  #hasNewReaders = false;

  /** @param {import("./key-timing.js").KeyTiming} timing @param {{ frames: number, blocks: number }} [limits] */
  constructor(timing, limits) {
    this.#timing = timing;
    this.#pace = new RatchetPace(timing);
    this.#limits = limits;
  }

  /** The epoch in use; null while nothing is published. @type {number | null} */
  get epoch() { return this.#current?.epoch ?? null; }

  /**
   * Whether a key has come into use since the last call that opens frames for somebody who had none before: their video
   * begins with a key frame of this key.
   *
   * @returns {boolean}
   */
  takeNewReaders() {
    const result = this.#hasNewReaders;
    this.#hasNewReaders = false;
    return result;
  }

  /** When `handleTimeout` is to be called next. @type {number} */
  get deadline() {
    const lifetime = this.#current && !this.#pending ? this.#current.since + this.#timing.lifetime : Infinity;
    return Math.min(this.#ratchetAt, this.#rotateAt, this.#pending?.activation ?? Infinity, lifetime);
  }

  /**
   * Tracks start or end.
   *
   * @param {Map<number, number>} tracks
   * @param {string[]} members
   * @param {number} now
   * @returns {Promise<Delivery[]>}
   */
  async setTracks(tracks, members, now) {
    if (tracks.size === this.tracks.size && [...tracks].every(([track, source]) => this.tracks.get(track) === source)) { return []; }
    this.tracks = new Map(tracks);
    if (tracks.size === 0) {
      this.#discardKeys();
      return [];
    }
    if (!this.#current) {
      const key = this.#makeKey(members, now);
      await this.#use(key);
      return this.#deliveries(key, members);
    }
    await this.#makeSealers(this.#current);
    const again = this.#deliveries(this.#current, this.#current.holders);
    return this.#pending ? [...again, ...this.#deliveries(this.#pending.key, this.#pending.key.holders)] : again;
  }

  /** Without tracks there is no key; the next one has a later epoch. */
  #discardKeys() {
    this.#current = null;
    this.#pending = null;
    this.#sealers = new Map();
    this.#joined = new Set();
    this.#evictions = [];
    this.#ratchetAt = Infinity;
    this.#rotateAt = Infinity;
  }

  /** Another index: the tracks get other key ids of the same base key. @param {number} index */
  async setSenderIndex(index) {
    this.#senderIndex = index;
    if (this.#current) { await this.#makeSealers(this.#current); }
  }

  /** @param {string} id @param {number} now @returns {Delivery[]} */
  memberJoined(id, now) {
    if (!this.#current) { return []; }
    if (this.#pending) {
      this.#pending.key.holders.add(id);
      this.#pending.awaited.add(id);
      return this.#deliveries(this.#pending.key, [id]);
    }
    this.#joined.add(id);
    if (this.#ratchetAt === Infinity) { this.#ratchetAt = this.#pace.earliest(now); }
    return [];
  }

  /** @param {string} id @param {boolean} isRemoved @param {number} now */
  async memberLeft(id, isRemoved, now) {
    this.#joined.delete(id);
    if (this.#joined.size === 0) { this.#ratchetAt = Infinity; }
    this.#answers.delete(id);
    let held = null;
    if (this.#current?.holders.delete(id)) { held = this.#current.epoch; }
    if (this.#pending?.key.holders.delete(id)) { held = this.#pending.key.epoch; }
    this.#pending?.awaited.delete(id);
    // Somebody who was given no key takes none along.
    if (held !== null) {
      const wait = isRemoved ? 0 : this.#timing.leaveBatch;
      this.#evictions.push({ epoch: held, deadline: now + this.#timing.acknowledgements + wait });
      this.#scheduleRotation(now + wait);
    }
    await this.#activateIfAcknowledged();
  }

  /** @param {string} id @param {number} epoch */
  async acknowledged(id, epoch) {
    if (this.#pending?.key.epoch !== epoch) { return; }
    this.#pending.awaited.delete(id);
    await this.#activateIfAcknowledged();
  }

  /**
   * The answer to a participant that lacks a key; empty for those that must not have one yet.
   *
   * @param {string} id
   * @param {number} now
   * @returns {Delivery[]}
   */
  requested(id, now) {
    if (now - (this.#answers.get(id) ?? -Infinity) < this.#timing.requestSpacing) { return []; }
    const keys = [this.#current, this.#pending?.key].filter((key) => key?.holders.has(id));
    if (keys.length > 0) { this.#answers.set(id, now); }
    return keys.flatMap((key) => this.#deliveries(key, [id]));
  }

  /** @param {string[]} members @param {number} now @returns {Promise<Delivery[]>} */
  async handleTimeout(members, now) {
    if (this.#pending && now >= this.#pending.activation) { await this.#activate(this.#pending); }
    if (!this.#pending && this.#current && now - this.#current.since >= this.#timing.lifetime) { this.#scheduleRotation(now); }
    const out = [];
    if (now >= this.#rotateAt) { out.push(...await this.#rotate(members, now)); }
    if (now >= this.#ratchetAt) { out.push(...await this.#ratchet(now)); }
    return out;
  }

  /**
   * The encrypted form of a frame.
   *
   * @param {Uint8Array} frame
   * @param {number} track
   * @param {Uint8Array | undefined} metadata
   * @param {number} now
   * @returns {Promise<Uint8Array>}
   */
  async seal(frame, track, metadata, now) {
    const sealer = this.#current && this.tracks.has(track) && this.#sealers.get(keyIDOf(this.#senderIndex, track, this.#current.epoch));
    if (!sealer) { throw new FrameDrop("noKey"); }
    if (sealer.isWorn && !this.#pending) { this.#scheduleRotation(now); }
    try {
      return await sealer.seal(frame, metadata);
    } catch (error) {
      throw new FrameDrop(error instanceof SFrameError ? error.code : "cipherFailed");
    }
  }

  #scheduleRotation(wanted) { this.#rotateAt = Math.min(this.#rotateAt, Math.max(wanted, this.#lastRotation + this.#timing.rotationSpacing)); }

  #makeKey(holders, now) {
    this.#lastEpoch++;
    return { epoch: this.#lastEpoch, baseKey: globalThis.crypto.getRandomValues(new Uint8Array(32)), since: now, holders: new Set(holders) };
  }

  /** A new key for all who are there. One that is pending was never used and goes. */
  async #rotate(members, now) {
    this.#rotateAt = Infinity;
    this.#lastRotation = now;
    this.#joined = new Set();
    this.#ratchetAt = Infinity;
    const key = this.#makeKey(members, now);
    const activation = Math.min(now + this.#timing.acknowledgements, ...this.#evictions.map(({ deadline }) => deadline));
    this.#pending = { key, awaited: new Set(members), activation };
    await this.#activateIfAcknowledged();
    return this.#deliveries(key, members);
  }

  async #activateIfAcknowledged() { if (this.#pending?.awaited.size === 0) { await this.#activate(this.#pending); } }

  async #activate({ key }) {
    this.#pending = null;
    // Those who left later have this key too: their turn comes.
    this.#evictions = this.#evictions.filter(({ epoch }) => epoch >= key.epoch);
    await this.#use(key);
  }

  async #ratchet(now) {
    this.#ratchetAt = Infinity;
    this.#pace.noteStep(now);
    if (!this.#current || this.#joined.size === 0) { return []; }
    const recipients = this.#joined;
    this.#joined = new Set();
    this.#lastEpoch++;
    const { baseKey, since, holders } = this.#current;
    const key = { epoch: this.#lastEpoch, baseKey: await ratchet(baseKey), since, holders: new Set([...holders, ...recipients]) };
    await this.#use(key);
    return this.#deliveries(key, recipients);
  }

  /** The sealers are there before the key is, so that no frame finds a key without them. */
  async #use(key) {
    const sealers = new Map();
    await this.#makeSealers(key, sealers);
    this.#sealers = sealers;
    if (this.#current && [...key.holders].some((id) => !this.#current.holders.has(id))) { this.#hasNewReaders = true; }
    this.#current = key;
  }

  async #makeSealers(key, sealers = this.#sealers) {
    if (this.#senderIndex === 0) { return; }
    for (const track of this.tracks.keys()) {
      const id = keyIDOf(this.#senderIndex, track, key.epoch);
      if (!sealers.has(id)) { sealers.set(id, await SFrameSealer.make(key.baseKey, id, { limits: this.#limits })); }
    }
  }

  #deliveries(key, recipients) { return [...recipients].toSorted(compareTexts).map((recipient) => ({ recipient, epoch: key.epoch, baseKey: key.baseKey })); }
}
