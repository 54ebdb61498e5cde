import { ByteReader, ByteWriter, KeyMessageError } from "./bytes.js";
import { sources, tracks as trackLimit } from "./key-id.js";

const known = new Set(Object.values(sources));

/**
 * A message between two clients, inside an envelope.
 *
 * @typedef {{ type: "key", epoch: number, baseKey: Uint8Array, rosterHash: Uint8Array, tracks: Map<number, number> }
 *   | { type: "acknowledgement", epoch: number } | { type: "request" }} PairMessage
 */

/** @param {PairMessage} message @returns {Uint8Array} */
export function encodePairMessage(message) {
  const writer = new ByteWriter();
  switch (message.type) {
    case "key":
      writer.number(1, 1).number(message.epoch, 8).bytes(message.baseKey).bytes(message.rosterHash).number(message.tracks.size, 1);
      for (const [index, source] of [...message.tracks].toSorted(([a], [b]) => a - b)) { writer.number(index, 1).number(source, 1); }
      break;
    case "acknowledgement": writer.number(2, 1).number(message.epoch, 8); break;
    case "request": writer.number(3, 1); break;
  }
  return writer.result;
}

/** Epochs rise by one with each key, so one beyond 2^53 isn't an epoch. */
function epochOf(reader) {
  const epoch = reader.bigint(8);
  if (epoch > BigInt(Number.MAX_SAFE_INTEGER)) { throw new KeyMessageError("malformed"); }
  return Number(epoch);
}

/** @param {Uint8Array} bytes @returns {PairMessage} */
export function decodePairMessage(bytes) {
  const reader = new ByteReader(bytes);
  const message = decode(reader);
  reader.finish();
  return message;
}

function decode(reader) {
  switch (reader.number(1)) {
    case 1: {
      const message = { type: "key", epoch: epochOf(reader), baseKey: reader.bytes(32), rosterHash: reader.bytes(32), tracks: new Map() };
      const seen = new Set();
      for (let count = reader.number(1); count > 0; count--) {
        const [index, source] = reader.bytes(2);
        if (index >= trackLimit || seen.has(index)) { throw new KeyMessageError("malformed"); }
        seen.add(index);
        // A source of a later version is none of this one: its frames are dropped, and the others play.
        if (known.has(source)) { message.tracks.set(index, source); }
      }
      return message;
    }
    case 2: return { type: "acknowledgement", epoch: epochOf(reader) };
    case 3: return { type: "request" };
    default: throw new KeyMessageError("malformed");
  }
}
