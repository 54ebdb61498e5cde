import { compareBytes, utf8, ByteWriter } from "./bytes.js";
import { digest } from "./derivation.js";

/** Groups of five digits, of five bytes each. */
function groups(bytes, count) {
  return Array.from({ length: count }, (_, group) => {
    const value = bytes.slice(group * 5, group * 5 + 5).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(value % 100_000).padStart(5, "0");
  }).join("");
}

function write(writer, identities) {
  for (const key of identities.toSorted(compareBytes)) { writer.bytes(key); }
  return digest(writer.result, "SHA-512");
}

/**
 * 30 digits that stand for everybody who holds keys, and for their number.
 *
 * @param {Uint8Array[]} identities
 * @returns {Promise<string>}
 */
export async function safetyCode(identities) {
  return groups(await write(new ByteWriter().bytes(utf8("Parley safety code 1\0")).number(identities.length, 4), identities), 6);
}

/**
 * 60 digits that stand for two people, the same on both sides.
 *
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 * @returns {Promise<string>}
 */
export async function pairCode(a, b) { return groups(await write(new ByteWriter().bytes(utf8("Parley pair code 1\0")), [a, b]), 12); }
