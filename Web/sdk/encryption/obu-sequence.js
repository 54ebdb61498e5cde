/** Types of open bitstream units (AV1 section 6.2.2). */
export const obuTypes = Object.freeze({ sequenceHeader: 1, temporalDelimiter: 2, frame: 6 });

/**
 * A unit with its payload from `from` up to `to`.
 *
 * @typedef {{ type: number, start: number, header: number, from: number, to: number }} Unit
 */

/**
 * The open bitstream units of an AV1 temporal unit (AV1 section 5.3). A last unit without a size reaches to the end.
 *
 * @param {Uint8Array} bytes
 * @returns {Unit[] | null} null when the bytes are not a sequence of them
 */
export function unitsOf(bytes) {
  const units = [];
  let offset = 0;
  while (offset < bytes.length) {
    const start = offset;
    const header = bytes[offset];
    if (header & 0x80) { return null; }
    offset += header & 0x04 ? 2 : 1;
    if (offset > bytes.length) { return null; }
    let to = bytes.length;
    if (header & 0x02) {
      const size = sizeAt(bytes, offset);
      if (size === null || size.value > bytes.length - offset - size.length) { return null; }
      offset += size.length;
      to = offset + size.value;
    }
    units.push({ type: (header >> 3) & 15, start, header, from: offset, to });
    offset = to;
  }
  return units.length > 0 ? units : null;
}

/** A size in LEB128 (AV1 section 4.10.5). Four bytes hold more than any frame that is taken. */
function sizeAt(bytes, offset) {
  let value = 0;
  for (let index = 0; index < 4 && offset + index < bytes.length; index++) {
    const byte = bytes[offset + index];
    value |= (byte & 0x7F) << (7 * index);
    if (!(byte & 0x80)) { return { value, length: index + 1 }; }
  }
  return null;
}

/** @param {number} size @returns {number[]} its shortest LEB128 */
export function leb128(size) {
  const bytes = [];
  let rest = size;
  for (; rest > 0x7F; rest >>>= 7) { bytes.push((rest & 0x7F) | 0x80); }
  return [...bytes, rest];
}
