const encoder = new TextEncoder();
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Why a message about keys was refused. `code` is the name that the Swift SDK has for it. */
export class KeyMessageError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(`The message about keys was refused: ${code}.`);
    this.code = code;
  }
}

/** @param {string} text @returns {Uint8Array} */
export const utf8 = (text) => encoder.encode(text);

/** @param {...Uint8Array} parts @returns {Uint8Array} */
export function concat(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/**
 * Whether two byte strings are equal, in a time that depends on their lengths.
 *
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @returns {boolean}
 */
export function areEqual(a, b) {
  if (a.length !== b.length) { return false; }
  let difference = 0;
  for (let index = 0; index < a.length; index++) { difference |= a[index] ^ b[index]; }
  return difference === 0;
}

/** The order of bytes, as Swift sorts. @param {Uint8Array} a @param {Uint8Array} b @returns {number} */
export function compareBytes(a, b) {
  const count = Math.min(a.length, b.length);
  for (let index = 0; index < count; index++) { if (a[index] !== b[index]) { return a[index] - b[index]; } }
  return a.length - b.length;
}

/** Halves of code points above U+FFFF sort behind the units that stand for themselves. */
const rank = (unit) => unit >= 0xE000 ? unit - 0x800 : unit >= 0xD800 ? unit + 0x2000 : unit;

/**
 * The order of texts by their UTF-8, as Swift sorts ids; that of `<` is another.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function compareTexts(a, b) {
  const count = Math.min(a.length, b.length);
  for (let index = 0; index < count; index++) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x !== y) { return rank(x) - rank(y); }
  }
  return a.length - b.length;
}

/** Base 64 in the letters of URLs, without padding (RFC 4648 section 5). @param {Uint8Array} bytes @returns {string} */
export function base64url(bytes) {
  let text = "";
  for (const byte of bytes) { text += String.fromCharCode(byte); }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes of such a text; null when it is none, or not the only one of its bytes.
 *
 * @param {string} text
 * @returns {Uint8Array | null}
 */
export function fromBase64url(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) { return null; }
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
  return base64url(bytes) === text ? bytes : null;
}

/** Writes the fields of a message, numbers in network order. */
export class ByteWriter {
  #parts = [];

  /** @param {number | bigint} value @param {number} width bytes */
  number(value, width) {
    const bytes = new Uint8Array(width);
    let rest = BigInt(value);
    for (let index = width - 1; index >= 0; index--) {
      bytes[index] = Number(rest & 0xFFn);
      rest >>= 8n;
    }
    this.#parts.push(bytes);
    return this;
  }

  /** @param {Uint8Array} bytes */
  bytes(bytes) {
    this.#parts.push(bytes);
    return this;
  }

  /** A text behind its length in two bytes. @param {string} text */
  text(text) {
    const bytes = utf8(text);
    return this.number(bytes.length, 2).bytes(bytes);
  }

  /** @returns {Uint8Array} */
  get result() { return concat(...this.#parts); }
}

/** Reads the fields of a message that may be anybody's. */
export class ByteReader {
  #bytes;
  offset = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) { this.#bytes = bytes; }

  /** @param {number} width bytes, at most 6 @returns {number} */
  number(width) { return Number(this.bigint(width)); }

  /** @param {number} width bytes @returns {bigint} */
  bigint(width) {
    let value = 0n;
    for (const byte of this.bytes(width)) { value = value << 8n | BigInt(byte); }
    return value;
  }

  /** @param {number} count @returns {Uint8Array} */
  bytes(count) {
    if (this.#bytes.length - this.offset < count) { throw new KeyMessageError("malformed"); }
    this.offset += count;
    return this.#bytes.slice(this.offset - count, this.offset);
  }

  /** A text of at most `limit` bytes behind its length in two. @param {number} limit @returns {string} */
  text(limit) {
    const count = this.number(2);
    if (count > limit) { throw new KeyMessageError("malformed"); }
    const bytes = this.bytes(count);
    try {
      return strictDecoder.decode(bytes);
    } catch {
      throw new KeyMessageError("malformed");
    }
  }

  /** The bytes that are left. @returns {Uint8Array} */
  get rest() { return this.#bytes.slice(this.offset); }

  /** Throws where bytes are left: what is signed has one form only. */
  finish() { if (this.offset !== this.#bytes.length) { throw new KeyMessageError("malformed"); } }
}
