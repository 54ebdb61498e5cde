import { concat, utf8, ByteWriter } from "./bytes.js";
import { expand, extract } from "./derivation.js";

const { subtle } = globalThis.crypto;
const none = new Uint8Array(0);
const version = utf8("HPKE-v1");
const suites = Object.freeze({
  kem: concat(utf8("KEM"), Uint8Array.of(0, 0x20)), hpke: concat(utf8("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 1)),
});
/** The bytes before the 32 of a private key in PKCS #8 (RFC 8410 section 7); WebCrypto does not take them bare. */
const privateKeyPrefix = Uint8Array.of(0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x6e, 0x04, 0x22, 0x04, 0x20);

const labeledExtract = (suite, salt, label, input) => extract(salt, concat(version, suite, utf8(label), input));
const labeledExpand = (suite, key, label, info, count) =>
  expand(key, concat(new ByteWriter().number(count, 2).result, version, suite, utf8(label), info), count);

/**
 * A key pair of X25519 (RFC 7748).
 *
 * @typedef {object} KeyPair
 * @property {CryptoKey} privateKey not extractable
 * @property {Uint8Array} publicKey 32 bytes
 */

/** A new pair. @returns {Promise<KeyPair>} */
export async function generateKeyPair() {
  const { privateKey, publicKey } = await subtle.generateKey("X25519", false, ["deriveBits"]);
  return { privateKey, publicKey: new Uint8Array(await subtle.exportKey("raw", publicKey)) };
}

/** The pair of a private key's 32 bytes. @param {Uint8Array} bytes @returns {Promise<KeyPair>} */
export async function importKeyPair(bytes) {
  // Only a key that can be exported says its public half.
  const visible = await subtle.importKey("pkcs8", concat(privateKeyPrefix, bytes), "X25519", true, ["deriveBits"]);
  const { x } = await subtle.exportKey("jwk", visible);
  const privateKey = await subtle.importKey("pkcs8", concat(privateKeyPrefix, bytes), "X25519", false, ["deriveBits"]);
  return { privateKey, publicKey: Uint8Array.from(atob(x.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0)) };
}

/**
 * The pair that follows from secret input (RFC 9180 section 7.1.3).
 *
 * @param {Uint8Array} input
 * @returns {Promise<KeyPair>}
 */
export async function deriveKeyPair(input) {
  const key = await labeledExtract(suites.kem, none, "dkp_prk", input);
  return importKeyPair(await labeledExpand(suites.kem, key, "sk", none, 32));
}

async function agree(privateKey, publicKey) {
  const peer = await subtle.importKey("raw", publicKey, "X25519", false, []);
  const shared = new Uint8Array(await subtle.deriveBits({ name: "X25519", public: peer }, privateKey, 256));
  // Browsers refuse keys of small order; those of before 2024 gave zeros.
  if (shared.every((byte) => byte === 0)) { throw new TypeError("The public key has a small order."); }
  return shared;
}

async function sharedSecret(agreed, context) {
  const key = await labeledExtract(suites.kem, none, "eae_prk", agreed);
  return labeledExpand(suites.kem, key, "shared_secret", context, 32);
}

/** @typedef {{ secret: Uint8Array, id: Uint8Array }} PresharedKey at least 32 bytes and 1 byte */

async function schedule(mode, shared, info, psk) {
  if (psk && (psk.secret.length < 32 || psk.id.length === 0)) { throw new TypeError("A preshared key has at least 32 bytes, and a name."); }
  const idHash = await labeledExtract(suites.hpke, none, "psk_id_hash", psk?.id ?? none);
  const infoHash = await labeledExtract(suites.hpke, none, "info_hash", info);
  const context = concat(Uint8Array.of(mode), idHash, infoHash);
  const secret = await labeledExtract(suites.hpke, shared, "secret", psk?.secret ?? none);
  return {
    key: await labeledExpand(suites.hpke, secret, "key", context, 16),
    baseNonce: await labeledExpand(suites.hpke, secret, "base_nonce", context, 12),
    exporterSecret: await labeledExpand(suites.hpke, secret, "exp", context, 32),
  };
}

const modeOf = (hasKey, psk) => (hasKey ? 2 : 0) + (psk ? 1 : 0);

function nonceOf(baseNonce, number) {
  const nonce = baseNonce.slice();
  for (let index = 11, rest = number; rest > 0n; index--, rest >>= 8n) { nonce[index] ^= Number(rest & 0xFFn); }
  return nonce;
}

class Context {
  key;
  baseNonce;
  #exporterSecret;
  /** The number of the next message, or the lowest that one may have. @type {bigint} */
  sequence = 0n;

  constructor({ key, baseNonce, exporterSecret }, cipherKey) {
    this.key = cipherKey;
    this.baseNonce = baseNonce;
    this.#exporterSecret = exporterSecret;
  }

  /**
   * A secret that both ends can export.
   *
   * @param {Uint8Array} context
   * @param {number} count
   * @returns {Promise<Uint8Array>}
   */
  export(context, count) { return labeledExpand(suites.hpke, this.#exporterSecret, "sec", context, count); }
}

/** The sending end of a context (RFC 9180 with DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM). */
export class HPKESender extends Context {
  /** The key from which the recipient sets up its end, 32 bytes. @type {Uint8Array} */
  encapsulatedKey;

  /**
   * @param {Uint8Array} recipient
   * @param {Uint8Array} info
   * @param {{ psk?: PresharedKey, key?: KeyPair, ephemeral?: KeyPair }} [options] `key` is the sender's, for the modes
   *   that authenticate it
   * @returns {Promise<HPKESender>}
   */
  static async make(recipient, info, { psk, key, ephemeral } = {}) {
    const pair = ephemeral ?? await generateKeyPair();
    const agreed = [await agree(pair.privateKey, recipient)];
    if (key) { agreed.push(await agree(key.privateKey, recipient)); }
    const shared = await sharedSecret(concat(...agreed), concat(pair.publicKey, recipient, key?.publicKey ?? none));
    const keys = await schedule(modeOf(key, psk), shared, info, psk);
    const sender = new HPKESender(keys, await subtle.importKey("raw", keys.key, "AES-GCM", false, ["encrypt"]));
    sender.encapsulatedKey = pair.publicKey;
    return sender;
  }

  /**
   * The number is taken before anything is awaited.
   *
   * @param {Uint8Array} plaintext
   * @param {Uint8Array} [aad]
   * @returns {Promise<Uint8Array>}
   */
  async seal(plaintext, aad = none) {
    const number = this.sequence++;
    return new Uint8Array(await subtle.encrypt({ name: "AES-GCM", iv: nonceOf(this.baseNonce, number), additionalData: aad }, this.key, plaintext));
  }
}

/** The receiving end of a context. */
export class HPKERecipient extends Context {
  /**
   * @param {Uint8Array} encapsulatedKey
   * @param {KeyPair} key the recipient's
   * @param {Uint8Array} info
   * @param {{ psk?: PresharedKey, sender?: Uint8Array }} [options] `sender` is the key that the sender must have
   * @returns {Promise<HPKERecipient>}
   */
  static async make(encapsulatedKey, key, info, { psk, sender } = {}) {
    const agreed = [await agree(key.privateKey, encapsulatedKey)];
    if (sender) { agreed.push(await agree(key.privateKey, sender)); }
    const shared = await sharedSecret(concat(...agreed), concat(encapsulatedKey, key.publicKey, sender ?? none));
    const keys = await schedule(modeOf(sender, psk), shared, info, psk);
    return new HPKERecipient(keys, await subtle.importKey("raw", keys.key, "AES-GCM", false, ["decrypt"]));
  }

  /**
   * A message; numbers only rise, so nothing opens twice. Calls must follow each other: one at a time.
   *
   * @param {Uint8Array} sealed
   * @param {Uint8Array} [aad]
   * @param {bigint} [number] where messages say their own
   * @returns {Promise<Uint8Array>}
   */
  async open(sealed, aad = none, number = this.sequence) {
    if (number < this.sequence) { throw new RangeError("The message was there before."); }
    const plain = await subtle.decrypt({ name: "AES-GCM", iv: nonceOf(this.baseNonce, number), additionalData: aad }, this.key, sealed);
    this.sequence = number + 1n;
    return new Uint8Array(plain);
  }
}
