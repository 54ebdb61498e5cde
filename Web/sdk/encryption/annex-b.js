/** The start code before each NAL unit. */
export const startCode = Uint8Array.of(0, 0, 0, 1);

/**
 * The NAL units of an H.264 access unit in the byte stream format (H.264 annex B).
 *
 * @param {Uint8Array} bytes
 * @returns {number[]} the first byte of each, after its start code
 */
export function nalUnitsOf(bytes) {
  const units = [];
  for (let index = 0; index + 3 < bytes.length;) {
    if (bytes[index + 2] > 1) {
      index += 3;
    } else if (bytes[index] === 0 && bytes[index + 1] === 0 && bytes[index + 2] === 1) {
      units.push(index + 3);
      index += 3;
    } else {
      index += 1;
    }
  }
  return units;
}

/** The first byte of the first slice, or undefined. @param {Uint8Array} bytes @param {number[]} units */
export function firstSlice(bytes, units) { return units.find((unit) => (bytes[unit] & 0x1F) >= 1 && (bytes[unit] & 0x1F) <= 5); }

/** The parameter sets before a slice. @param {Uint8Array} bytes @param {number[]} units @param {number} slice */
export function parameterSets(bytes, units, slice) {
  return units.slice(0, -1).flatMap((start, index) => {
    const type = bytes[start] & 0x1F;
    if (start >= slice || (type !== 7 && type !== 8)) { return []; }
    // The next start code, with zeros that may precede it.
    let end = units[index + 1] - 3;
    while (end > start && bytes[end - 1] === 0) { end -= 1; }
    return [bytes.subarray(start, end)];
  });
}

/** Zeros that stand right before a byte, at most two. @param {Uint8Array} bytes @param {number} index */
export function zerosBefore(bytes, index) {
  let count = 0;
  while (count < 2 && bytes[index - 1 - count] === 0) { count += 1; }
  return count;
}

/**
 * Bytes without a start code in them (H.264 section 7.4.1).
 *
 * @param {Uint8Array} bytes
 * @param {number} zeros how many stand before them in the same NAL unit
 */
export function escape(bytes, zeros) {
  const output = new Uint8Array(bytes.length + Math.ceil(bytes.length / 2) + 1);
  let length = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte <= 3) {
      output[length++] = 3;
      zeros = 0;
    }
    output[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return output.slice(0, length);
}

/** Bytes as they were before `escape`. @param {Uint8Array} bytes @param {number} zeros */
export function unescape(bytes, zeros) {
  const output = new Uint8Array(bytes.length);
  let length = 0;
  for (const byte of bytes) {
    if (zeros >= 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    output[length++] = byte;
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return output.slice(0, length);
}
