import { codecOf, openFrame, sealFrame } from "./frame-sealing.js";
import { FrameDrop } from "./key-timing.js";

/** How often a sender is asked for a key frame at most, in milliseconds. */
const requestSpacing = 1_000;
/**
 * Limits of the frames that a slot holds while their key is lacking: a second of video, since a picture starts with its
 * first frame.
 */
const heldLimits = Object.freeze({ frames: 90, bytes: 2 << 20, age: 2_000 });
/** The key, or the table of tracks, may be on its way. */
const passing = new Set(["noKey", "wrongTrack"]);
const now = () => performance.now();

/** Counts of what a transform has left out, by code. */
class Drops {
  #counts = new Map();
  add(code) { this.#counts.set(code, (this.#counts.get(code) ?? 0) + 1); }
  get all() { return Object.fromEntries(this.#counts); }
}

const codeOf = (error) => (error instanceof FrameDrop ? error.code : "failed");

/** The encoding of a frame that is sent. Not every browser gives its rid; each encoding has an SSRC of its own. */
function encodingOf(frame) {
  const { rid, synchronizationSource } = frame.getMetadata();
  return rid ?? synchronizationSource;
}

/** Encrypts the frames of one sender. Frames that can't be encrypted don't leave. */
export class SendTransform {
  #keys;
  #track;
  #isVideo;
  #wantKeyFrame;
  #begin;
  #drops = new Drops();
  /** Encodings of which frames were left out since their last key frame. */
  #gaps = new Set();
  /** By rid: when a key frame was asked for. */
  #requestedAt = new Map();

  /** Frames that came here, which the page compares with those that the browser has sent. */
  seen = 0;
  /** Frames that left here, empty ones of silence not among them: those make no packet. */
  written = 0;

  /**
   * @param {object} options
   * @param {() => import("./key-exchange.js").KeyExchange | null} options.keys null before the session has begun
   * @param {number} options.track
   * @param {"audio" | "video"} options.kind
   * @param {(rid?: string) => void} options.wantKeyFrame asks for a key frame of one encoding, or of all
   * @param {() => void} [options.begin] called at the first frame
   */
  constructor({ keys, track, kind, wantKeyFrame, begin = () => {} }) {
    this.#keys = keys;
    this.#track = track;
    this.#isVideo = kind === "video";
    this.#wantKeyFrame = wantKeyFrame;
    this.#begin = begin;
  }

  /** @type {object} */
  get report() { return { seen: this.seen, written: this.written, drops: this.#drops.all }; }

  /** @param {RTCEncodedVideoFrame | RTCEncodedAudioFrame} frame @param {{ enqueue(frame: object): void }} output */
  async transform(frame, output) {
    this.seen += 1;
    if (this.seen === 1) { this.#begin(); }
    if (frame.data.byteLength === 0) { output.enqueue(frame); return; }
    try {
      const sealed = await this.#seal(frame);
      frame.data = sealed.buffer;
    } catch (error) {
      this.#drops.add(codeOf(error));
      if (this.#isVideo) { this.#gaps.add(encodingOf(frame)); }
      return;
    }
    if (this.#gaps.size > 0) { this.#closeGap(frame); }
    this.written += 1;
    output.enqueue(frame);
  }

  /** Somebody who joined can open frames from now on, and begins with a key frame. */
  makeKeyFrame() { if (this.#isVideo) { this.#wantKeyFrame(); } }

  #seal(frame) {
    const keys = this.#keys();
    if (keys === null) { throw new FrameDrop("noKey"); }
    const { mimeType } = frame.getMetadata();
    // Without the codec nobody knows what must stay readable; redundant audio can't be forwarded as ciphertext.
    if ((this.#isVideo && !mimeType) || /\/red$/i.test(mimeType ?? "")) { throw new FrameDrop("malformed"); }
    const codec = this.#isVideo ? codecOf(mimeType) : "opaque";
    return sealFrame(new Uint8Array(frame.data), codec, (content, metadata) => keys.seal(content, this.#track, metadata, now()));
  }

  /** Receivers can't use what comes after frames that were left out, until a key frame. */
  #closeGap(frame) {
    const encoding = encodingOf(frame);
    if (!this.#gaps.has(encoding)) { return; }
    if (frame.type === "key") { this.#gaps.delete(encoding); return; }
    const { rid } = frame.getMetadata();
    if (now() - (this.#requestedAt.get(rid) ?? -Infinity) < requestSpacing) { return; }
    this.#requestedAt.set(rid, now());
    this.#wantKeyFrame(rid);
  }
}

/**
 * Decrypts the frames of one slot. Frames that don't open aren't played, silence included. Video whose key is on its
 * way is held for a moment, so that the picture is there with the key.
 */
export class ReceiveTransform {
  #keys;
  #isVideo;
  #requestKeyFrame;
  #drops = new Drops();
  #owner = null;
  #held = [];
  #heldBytes = 0;
  // A picture begins with a key frame.
  #hasGap = true;
  #requestedAt = -Infinity;
  #output = null;
  #last = Promise.resolve();

  /** Frames that were opened. */
  opened = 0;

  /**
   * @param {object} options
   * @param {() => import("./key-exchange.js").KeyExchange | null} options.keys
   * @param {"audio" | "video"} options.kind
   * @param {() => void} options.requestKeyFrame
   */
  constructor({ keys, kind, requestKeyFrame }) {
    this.#keys = keys;
    this.#isVideo = kind === "video";
    this.#requestKeyFrame = requestKeyFrame;
  }

  /** The participant whose publication the slot carries, by the server's word; null for none. @type {string | null} */
  get participant() { return this.#owner?.participant ?? null; }

  /** @type {object} */
  get report() { return { opened: this.opened, participant: this.participant, held: this.#held.length, drops: this.#drops.all }; }

  /** @param {{ participant: string, source: number } | null} owner */
  assign(owner) {
    if (owner?.participant !== this.#owner?.participant || owner?.source !== this.#owner?.source) { this.#hasGap = true; }
    this.#owner = owner;
    return this.retry();
  }

  /** @param {RTCEncodedVideoFrame | RTCEncodedAudioFrame} frame @param {{ enqueue(frame: object): void }} output */
  transform(frame, output) {
    this.#output = output;
    return this.#enqueue(() => this.#receive(frame));
  }

  /** Something of the keys has changed: held frames may open. */
  retry() { return this.#enqueue(() => this.#flush()); }

  /** A key has come that frames were lacking. */
  keyArrived() {
    return this.#enqueue(async () => {
      await this.#flush();
      if (this.#hasGap) { this.#request(); }
    });
  }

  #enqueue(step) {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }

  async #receive(frame) {
    if (frame.data.byteLength === 0) { this.#drops.add("empty"); return; }
    const code = await this.#open(frame);
    if (code !== null) { this.#keep(frame, code); return; }
    await this.#flush();
    // A decoder takes nothing of before any more.
    this.#discard("noKey");
    this.#play(frame);
  }

  #play(frame) {
    this.opened += 1;
    if (this.#isVideo && this.#hasGap) {
      if (frame.type === "key") { this.#hasGap = false; } else { this.#request(); }
    }
    this.#output.enqueue(frame);
  }

  /** Opens a frame in its place; null when it is plain now, otherwise why it isn't. */
  async #open(frame) {
    const keys = this.#keys();
    if (keys === null || this.#owner === null) { return "noKey"; }
    const { participant, source } = this.#owner;
    try {
      const { mimeType } = frame.getMetadata();
      const codec = this.#isVideo ? codecOf(mimeType ?? "") : "opaque";
      const plain = await openFrame(new Uint8Array(frame.data), codec, (content, metadata) => keys.open(content, participant, source, metadata, now()));
      frame.data = plain.buffer;
      return null;
    } catch (error) {
      const code = codeOf(error);
      return code === "wrongSender" && keys.announcement(participant) === undefined ? "noKey" : code;
    }
  }

  #keep(frame, code) {
    if (!passing.has(code)) { this.#drops.add(code); return; }
    if (!this.#isVideo) { this.#drops.add(code); return; }
    const isOld = this.#held.length > 0 && now() - this.#held[0].since > heldLimits.age;
    if (isOld || this.#held.length >= heldLimits.frames || this.#heldBytes + frame.data.byteLength > heldLimits.bytes) { this.#discard(code); }
    if (frame.data.byteLength > heldLimits.bytes) { return; }
    this.#held.push({ frame, since: now() });
    this.#heldBytes += frame.data.byteLength;
  }

  #discard(code) {
    if (this.#held.length === 0) { return; }
    for (let count = this.#held.length; count > 0; count--) { this.#drops.add(code); }
    this.#held = [];
    this.#heldBytes = 0;
    this.#hasGap = true;
  }

  async #flush() {
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    for (const each of held) {
      const code = await this.#open(each.frame);
      if (code === null) {
        this.#discard("noKey");
        this.#play(each.frame);
      } else if (passing.has(code) && now() - each.since <= heldLimits.age) {
        // It may be of an epoch before this client came, which never opens: what comes after it doesn't wait for it.
        this.#held.push(each);
        this.#heldBytes += each.frame.data.byteLength;
      } else {
        this.#drops.add(code);
        this.#hasGap = true;
      }
    }
  }

  #request() {
    if (!this.#isVideo || now() - this.#requestedAt < requestSpacing) { return; }
    this.#requestedAt = now();
    this.#requestKeyFrame();
  }
}
