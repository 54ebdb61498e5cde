import { concat, utf8 } from "./bytes.js";

const lengths = Object.freeze({ "SHA-256": 32, "SHA-512": 64 });
const { subtle } = globalThis.crypto;

/** @typedef {"SHA-256" | "SHA-512"} Hash */

/** @param {Hash} hash @returns {number} bytes of a digest */
export const hashLength = (hash) => lengths[hash];

/** @param {Uint8Array} bytes @param {Hash} [hash] @returns {Promise<Uint8Array>} */
export async function digest(bytes, hash = "SHA-256") { return new Uint8Array(await subtle.digest(hash, bytes)); }

/**
 * The code of a message (RFC 2104). An empty key is one of zeros, which WebCrypto gets explicitly.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @param {Hash} [hash]
 * @returns {Promise<Uint8Array>}
 */
export async function hmac(key, message, hash = "SHA-256") {
  const imported = await subtle.importKey("raw", key.length > 0 ? key : new Uint8Array(1), { name: "HMAC", hash }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, message));
}

/**
 * HKDF-Extract (RFC 5869).
 *
 * @param {Uint8Array} salt
 * @param {Uint8Array} secret
 * @param {Hash} [hash]
 * @returns {Promise<Uint8Array>}
 */
export const extract = (salt, secret, hash = "SHA-256") => hmac(salt, secret, hash);

/**
 * HKDF-Expand (RFC 5869). WebCrypto has it only together with HKDF-Extract.
 *
 * @param {Uint8Array} key
 * @param {Uint8Array} info
 * @param {number} count
 * @param {Hash} [hash]
 * @returns {Promise<Uint8Array>}
 */
export async function expand(key, info, count, hash = "SHA-256") {
  if (count > 255 * hashLength(hash)) { throw new RangeError("HKDF gives at most 255 digests."); }
  let out = new Uint8Array(0);
  let block = new Uint8Array(0);
  for (let number = 1; out.length < count; number++) {
    block = await hmac(key, concat(block, info, Uint8Array.of(number)), hash);
    out = concat(out, block);
  }
  return out.slice(0, count);
}

/**
 * Extract and expand with an empty salt, for a text.
 *
 * @param {Uint8Array} secret
 * @param {string} label
 * @param {number} count
 * @param {Hash} [hash]
 */
export async function derive(secret, label, count, hash = "SHA-256") {
  return expand(await extract(new Uint8Array(0), secret, hash), utf8(label), count, hash);
}
