import { areEqual, KeyMessageError } from "./bytes.js";
import { epochs, keyIDOf } from "./key-id.js";
import { FrameDrop } from "./key-timing.js";
import { ratchet, SFrameError, SFrameOpener } from "./sframe.js";

/** Frames in a row that a key may fail to open before its sender is asked. */
const toleratedFailures = 10;

class RemoteKey {
  #openers = new Map();
  expiry = Infinity;

  constructor(epoch, baseKey, isGiven) {
    this.epoch = epoch;
    this.baseKey = baseKey;
    this.isGiven = isGiven;
  }

  /** A promise is kept, so that frames that come together share one opener and its window. */
  opener(sender, track) {
    const id = keyIDOf(sender, track, this.epoch);
    if (!this.#openers.has(id)) { this.#openers.set(id, SFrameOpener.make(this.baseKey, id)); }
    return this.#openers.get(id);
  }
}

/**
 * The keys of what one other participant publishes. `RemoteKeys` in Swift does the same, and says why. `open` may be
 * called for several frames at a time.
 */
export class RemoteKeys {
  #timing;
  // By epoch, at most as many as epochs have bits for.
  #keys = [];
  #candidates = new Map();
  #newestUsed = 0;
  #requestAt = Infinity;
  #lastMissing = -Infinity;
  // An envelope may be lost although there is a key: the sender is asked, and the state stays as it is.
  #isInDoubt = false;
  #doubtRequestAt = Infinity;
  #lastDoubtRequest = -Infinity;
  #failures = 0;
  #hasRatcheted = false;
  /** @type {Map<number, number>} */
  tracks = new Map();
  /** Since when frames lack a key; null where none do. @type {number | null} */
  missingSince = null;

  /** @param {import("./key-timing.js").KeyTiming} timing */
  constructor(timing) { this.#timing = timing; }

  /** When `handleTimeout` is to be called next. @type {number} */
  get deadline() { return Math.min(this.#requestAt, this.#doubtRequestAt, ...this.#keys.map(({ expiry }) => expiry)); }

  /** The sender has another index. */
  resetCandidates() { this.#candidates = new Map(); }

  /**
   * Takes a key from an envelope.
   *
   * @param {import("./pair-message.js").PairMessage & { type: "key" }} message
   * @returns {boolean} whether frames were waiting for it
   */
  receive(message) {
    if (message.epoch < this.#newestUsed) { return false; }
    const wasInDoubt = this.#isInDoubt;
    this.#isInDoubt = false;
    this.#doubtRequestAt = Infinity;
    this.#failures = 0;
    if (message.epoch >= (this.#keys.at(-1)?.epoch ?? 0)) { this.tracks = message.tracks; }
    const known = this.#keys.find(({ epoch }) => epoch === message.epoch);
    if (known) {
      if (areEqual(known.baseKey, message.baseKey)) { return wasInDoubt; }
      if (known.isGiven) { throw new KeyMessageError("replayed"); }
    }
    this.#insert(new RemoteKey(message.epoch, message.baseKey, true));
    this.#candidates = new Map();
    const wasMissing = this.missingSince !== null;
    this.missingSince = null;
    this.#requestAt = Infinity;
    return wasMissing || wasInDoubt;
  }

  #insert(key) {
    this.#keys = [...this.#keys.filter(({ epoch }) => epoch % epochs !== key.epoch % epochs), key].toSorted((a, b) => a.epoch - b.epoch);
  }

  /**
   * The plain form of a frame.
   *
   * @param {Uint8Array} frame
   * @param {{ sender: number, track: number, epochBits: number }} keyID
   * @param {number} source
   * @param {Uint8Array | undefined} metadata
   * @param {number} now
   * @returns {Promise<Uint8Array>}
   */
  async open(frame, { sender, track, epochBits }, source, metadata, now) {
    if (this.#keys.length === 0) {
      this.#noteMissing(now);
      throw new FrameDrop("noKey");
    }
    if (!this.tracks.has(track)) { this.#noteDoubt(now); }
    if (this.tracks.get(track) !== source) { throw new FrameDrop("wrongTrack"); }
    const find = () => this.#keys.findLast(({ epoch }) => epoch % epochs === epochBits);
    const known = find();
    if (known) {
      try {
        const plain = await (await known.opener(sender, track)).open(frame, metadata);
        this.#noteUsed(known.epoch, now);
        return plain;
      } catch (error) {
        // After many joins and leaves within the grace, an earlier key has the bits of the next epoch.
        // It may have come into use during this; then its window counts.
        if (find() !== known) { return this.open(frame, { sender, track, epochBits }, source, metadata, now); }
        const plain = known.epoch < this.#newestUsed ? await this.#openWithNext(frame, { sender, track, epochBits }, metadata, now) : null;
        if (plain !== null) { return plain; }
        // Another key counts its frames from the beginning, so most of them look replayed.
        if (["authenticationFailed", "replayed", "tooOld"].includes(error.code)) {
          this.#failures += 1;
          if (this.#failures > toleratedFailures) { this.#noteDoubt(now); }
        }
        throw new FrameDrop(error instanceof SFrameError ? error.code : "cipherFailed");
      }
    }
    const plain = await this.#openWithNext(frame, { sender, track, epochBits }, metadata, now);
    if (plain !== null) { return plain; }
    this.#noteMissing(now);
    throw new FrameDrop("noKey");
  }

  /** The plain form of a frame that a key opens which is derived from those in use; null where none does. */
  async #openWithNext(frame, { sender, track, epochBits }, metadata, now) {
    try {
      const candidate = await this.#candidate(epochBits);
      const plain = await (await candidate.opener(sender, track)).open(frame, metadata);
      // An envelope that came during this wins.
      if (!this.#keys.some(({ epoch }) => epoch === candidate.epoch)) {
        this.#insert(candidate);
        this.#candidates = new Map();
        this.#hasRatcheted = true;
      }
      this.#noteUsed(candidate.epoch, now);
      return plain;
    } catch {
      return null;
    }
  }

  /** Whether a ratchet step has come into use since the last call. @returns {boolean} */
  takeRatchet() {
    const result = this.#hasRatcheted;
    this.#hasRatcheted = false;
    return result;
  }

  /**
   * A key ratcheted to the next epoch with these bits. The promise is kept, so that frames that come together share its
   * window.
   */
  #candidate(bits) {
    if (!this.#candidates.has(bits)) { this.#candidates.set(bits, this.#derive(bits)); }
    return this.#candidates.get(bits);
  }

  async #derive(bits) {
    const keys = this.#keys;
    for (const [index, { epoch, baseKey }] of keys.entries()) {
      const steps = ((bits - epoch) % epochs + epochs) % epochs;
      if (epoch < this.#newestUsed || (index + 1 < keys.length && keys[index + 1].epoch <= epoch + steps)) { continue; }
      let next = baseKey;
      for (let step = 0; step < steps; step++) { next = await ratchet(next); }
      return new RemoteKey(epoch + steps, next, false);
    }
    throw new SFrameError("unknownKey");
  }

  #noteUsed(epoch, now) {
    this.missingSince = null;
    this.#requestAt = Infinity;
    this.#failures = 0;
    if (epoch <= this.#newestUsed) { return; }
    this.#newestUsed = epoch;
    for (const key of this.#keys) { if (key.epoch < epoch && key.expiry === Infinity) { key.expiry = now + this.#timing.grace; } }
  }

  #noteMissing(now) {
    this.#lastMissing = now;
    if (this.missingSince !== null) { return; }
    this.missingSince = now;
    this.#requestAt = now + this.#timing.requestDelay;
  }

  #noteDoubt(now) {
    this.#isInDoubt = true;
    if (this.#doubtRequestAt !== Infinity) { return; }
    this.#doubtRequestAt = Math.max(now + this.#timing.requestDelay, this.#lastDoubtRequest + this.#timing.requestSpacing);
  }

  /**
   * Lets keys go whose time is over.
   *
   * @param {number} now
   * @returns {boolean} whether the sender is to be asked for its key
   */
  handleTimeout(now) {
    this.#keys = this.#keys.filter(({ expiry }) => now < expiry);
    let asks = false;
    if (now >= this.#doubtRequestAt) {
      // The next frame of the kind brings it back.
      [this.#doubtRequestAt, this.#lastDoubtRequest, asks] = [Infinity, now, true];
    }
    if (now >= this.#requestAt) {
      // A sender that has stopped has no key to give, and nothing is lacking.
      const isOver = now - this.#lastMissing > this.#timing.missingEnd;
      if (isOver) { this.missingSince = null; }
      this.#requestAt = isOver ? Infinity : now + this.#timing.requestSpacing;
      asks ||= !isOver;
    }
    return asks;
  }
}
