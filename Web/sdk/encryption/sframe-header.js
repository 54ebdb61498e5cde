/** Why a frame was not encrypted or decrypted. `code` is the name that the Swift SDK has for it. */
export class SFrameError extends Error {
  /** @param {string} code */
  constructor(code) {
    super(`The frame was refused: ${code}.`);
    this.code = code;
  }
}

const largest = 0xFFFF_FFFF_FFFF_FFFFn;

/** @param {bigint} value @returns {number} bytes that follow the first one */
function width(value) {
  if (value < 8n) { return 0; }
  let count = 0;
  for (let rest = value; rest > 0n; rest >>= 8n) { count++; }
  return count;
}

/**
 * The header of an SFrame ciphertext (RFC 9605 section 4.3). Its numbers have 64 bits, so they are `bigint`s.
 *
 * @param {bigint} keyID
 * @param {bigint} counter
 * @returns {Uint8Array}
 */
export function encodeHeader(keyID, counter) {
  if (keyID < 0n || keyID > largest || counter < 0n || counter > largest) { throw new RangeError("A number of a header has 64 bits."); }
  const keyWidth = width(keyID);
  const counterWidth = width(counter);
  const bytes = new Uint8Array(1 + keyWidth + counterWidth);
  const keyBits = keyWidth === 0 ? Number(keyID) : 8 | (keyWidth - 1);
  const counterBits = counterWidth === 0 ? Number(counter) : 8 | (counterWidth - 1);
  bytes[0] = keyBits << 4 | counterBits;
  for (let index = keyWidth, rest = keyID; index > 0; index--, rest >>= 8n) { bytes[index] = Number(rest & 0xFFn); }
  for (let index = counterWidth, rest = counter; index > 0; index--, rest >>= 8n) { bytes[keyWidth + index] = Number(rest & 0xFFn); }
  return bytes;
}

/**
 * Reads the header at the start of a ciphertext. A number that is longer than it needs to be is refused.
 *
 * @param {Uint8Array} bytes
 * @returns {{ keyID: bigint, counter: bigint, length: number }}
 */
export function decodeHeader(bytes) {
  if (bytes.length === 0) { throw new SFrameError("malformedHeader"); }
  let length = 1;
  const number = (bits) => {
    if ((bits & 8) === 0) { return BigInt(bits & 7); }
    const count = (bits & 7) + 1;
    if (length + count > bytes.length) { throw new SFrameError("malformedHeader"); }
    let value = 0n;
    for (let index = length; index < length + count; index++) { value = value << 8n | BigInt(bytes[index]); }
    if (width(value) !== count) { throw new SFrameError("malformedHeader"); }
    length += count;
    return value;
  };
  const keyID = number(bytes[0] >> 4);
  const counter = number(bytes[0] & 15);
  return { keyID, counter, length };
}
