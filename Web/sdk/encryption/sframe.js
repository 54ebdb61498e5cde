import { concat, utf8, ByteWriter } from "./bytes.js";
import { derive, expand, extract, hashLength } from "./derivation.js";
import { ReplayWindow } from "./replay-window.js";
import { decodeHeader, encodeHeader, SFrameError } from "./sframe-header.js";

export { SFrameError } from "./sframe-header.js";

const { subtle } = globalThis.crypto;

/** The cipher suites of RFC 9605 section 4.5 that WebCrypto has as one call, by their numbers. */
export const suites = Object.freeze({
  4: Object.freeze({ number: 4, keyLength: 16, hash: "SHA-256" }),
  5: Object.freeze({ number: 5, keyLength: 32, hash: "SHA-512" }),
});
const tagLength = 16;
const none = new Uint8Array(0);

/**
 * The key and salt of one base key and key id (section 4.4.2).
 *
 * @param {Uint8Array} baseKey
 * @param {bigint} keyID
 * @param {4 | 5} suite
 */
export async function deriveKeys(baseKey, keyID, suite = 4) {
  const { keyLength, hash, number } = suites[suite];
  if (baseKey.length < 16) { throw new SFrameError("keyTooShort"); }
  const secret = await extract(none, baseKey, hash);
  const label = (text) => concat(utf8(text), new ByteWriter().number(keyID, 8).number(number, 2).result);
  return {
    key: await expand(secret, label("SFrame 1.0 Secret key "), keyLength, hash),
    salt: await expand(secret, label("SFrame 1.0 Secret salt "), 12, hash),
  };
}

/**
 * The base key after `baseKey` (section 5.1).
 *
 * @param {Uint8Array} baseKey
 * @param {4 | 5} suite
 * @returns {Promise<Uint8Array>}
 */
export function ratchet(baseKey, suite = 4) { return derive(baseKey, "SFrame 1.0 Ratchet", hashLength(suites[suite].hash), suites[suite].hash); }

function nonceOf(salt, counter) {
  const nonce = salt.slice();
  for (let index = 11, rest = counter; rest > 0n; index--, rest >>= 8n) { nonce[index] ^= Number(rest & 0xFFn); }
  return nonce;
}

/** Encrypts the frames of one key, numbered from zero (section 4.4.3). */
export class SFrameSealer {
  #key;
  #salt;
  #counter;
  #blocks = 0;
  #limits;

  /** The key's number. @type {bigint} */
  keyID;

  constructor(key, salt, keyID, limits, firstCounter) {
    this.#key = key;
    this.#salt = salt;
    this.#limits = limits;
    this.#counter = firstCounter;
    this.keyID = keyID;
  }

  /**
   * @param {Uint8Array} baseKey
   * @param {bigint} keyID
   * @param {{ suite?: 4 | 5, limits?: { frames: number, blocks: number }, firstCounter?: bigint }} [options] a first
   *   counter is for test vectors
   * @returns {Promise<SFrameSealer>}
   */
  static async make(baseKey, keyID, { suite = 4, limits = { frames: 2 ** 25, blocks: 2 ** 36 }, firstCounter = 0n } = {}) {
    const { key, salt } = await deriveKeys(baseKey, keyID, suite);
    const imported = await subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
    return new SFrameSealer(imported, salt, keyID, limits, firstCounter);
  }

  /** How many frames there were. @type {bigint} */
  get counter() { return this.#counter; }

  /** Whether half of a limit is used up. @type {boolean} */
  get isWorn() { return this.#counter >= BigInt(this.#limits.frames) / 2n || this.#blocks >= this.#limits.blocks / 2; }

  /**
   * Header, ciphertext and tag of a frame; `metadata` is authenticated with it and not sent.
   *
   * The number is taken before anything is awaited, so that no two frames have one.
   *
   * @param {Uint8Array} frame
   * @param {Uint8Array} [metadata]
   * @returns {Promise<Uint8Array>}
   */
  async seal(frame, metadata = none) {
    const counter = this.#counter;
    const header = encodeHeader(this.keyID, counter);
    const blocks = Math.floor((frame.length + metadata.length + header.length) / 16) + 4;
    if (counter >= BigInt(this.#limits.frames) || this.#blocks + blocks > this.#limits.blocks) { throw new SFrameError("keyExhausted"); }
    this.#counter = counter + 1n;
    this.#blocks += blocks;
    const sealed = await subtle.encrypt(
      { name: "AES-GCM", iv: nonceOf(this.#salt, counter), additionalData: concat(header, metadata), tagLength: 8 * tagLength }, this.#key, frame);
    return concat(header, new Uint8Array(sealed));
  }
}

/** Decrypts the frames of one key, each once (section 4.4.4). However many do not fit, the key stays in use. */
export class SFrameOpener {
  #key;
  #salt;
  #window = new ReplayWindow();

  /** The key's number. @type {bigint} */
  keyID;

  constructor(key, salt, keyID) {
    this.#key = key;
    this.#salt = salt;
    this.keyID = keyID;
  }

  /**
   * @param {Uint8Array} baseKey
   * @param {bigint} keyID
   * @param {{ suite?: 4 | 5 }} [options]
   * @returns {Promise<SFrameOpener>}
   */
  static async make(baseKey, keyID, { suite = 4 } = {}) {
    const { key, salt } = await deriveKeys(baseKey, keyID, suite);
    return new SFrameOpener(await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]), salt, keyID);
  }

  /**
   * The frame that a ciphertext holds.
   *
   * @param {Uint8Array} ciphertext
   * @param {Uint8Array} [metadata]
   * @returns {Promise<Uint8Array>}
   */
  async open(ciphertext, metadata = none) {
    const { keyID, counter, length } = decodeHeader(ciphertext);
    if (keyID !== this.keyID) { throw new SFrameError("unknownKey"); }
    if (ciphertext.length - length < tagLength) { throw new SFrameError("authenticationFailed"); }
    this.#check(counter);
    let plain;
    try {
      plain = await subtle.decrypt(
        { name: "AES-GCM", iv: nonceOf(this.#salt, counter), additionalData: concat(ciphertext.subarray(0, length), metadata), tagLength: 8 * tagLength },
        this.#key, ciphertext.subarray(length));
    } catch {
      throw new SFrameError("authenticationFailed");
    }
    // A copy of the frame may have been opened while this one was.
    this.#check(counter);
    this.#window.accept(counter);
    return new Uint8Array(plain);
  }

  #check(counter) {
    const verdict = this.#window.check(counter);
    if (verdict !== "fresh") { throw new SFrameError(verdict); }
  }
}
