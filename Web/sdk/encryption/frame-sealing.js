import { escape, firstSlice, nalUnitsOf, parameterSets, startCode, unescape, zerosBefore } from "./annex-b.js";
import { concat } from "./bytes.js";
import { FrameDrop } from "./key-timing.js";
import { leb128, obuTypes, unitsOf } from "./obu-sequence.js";

/**
 * The codecs, by what of their frames has to stay readable for packetizers and the server. Opus, VP9, data and chat are
 * `opaque`.
 */
export const frameCodecs = Object.freeze(["opaque", "vp8", "av1", "h264"]);
/** The forms of an encrypted frame, by its last byte. */
const layouts = Object.freeze({
  1: { codec: "opaque", clear: 0 }, 2: { codec: "vp8", clear: 10 }, 3: { codec: "vp8", clear: 1 }, 4: { codec: "av1", clear: 0 }, 5: { codec: "h264", clear: 0 },
});
const maximumLength = 8 << 20;
const sliceHeader = 4;

/** @param {string} mimeType as `getMetadata()` has it @returns {string} one of `frameCodecs` */
export function codecOf(mimeType) {
  const name = mimeType.split("/")[1]?.toLowerCase();
  return frameCodecs.includes(name) ? name : "opaque";
}

function layoutOf(frame, codec) {
  switch (codec) {
    case "opaque": return 1;
    case "vp8":
      if (frame[0] & 1) { return 3; }
      if (frame.length < layouts[2].clear) { throw new FrameDrop("malformed"); }
      return 2;
    case "av1": return 4;
    case "h264": return 5;
    default: throw new FrameDrop("malformed");
  }
}

/**
 * The encrypted form of a frame that the same packetizers and receivers take: `FrameSealing` in Swift.
 *
 * VP8 keeps its clear bytes in front of SFrame, which authenticates them. With AV1 and H.264 SFrame holds the whole
 * frame, since packetizers rewrite headers: the clear part is a copy for the SFU, which receivers drop.
 *
 * @param {Uint8Array} frame
 * @param {string} codec one of `frameCodecs`
 * @param {(content: Uint8Array, metadata: Uint8Array) => Promise<Uint8Array>} seal
 * @returns {Promise<Uint8Array>}
 */
export async function sealFrame(frame, codec, seal) {
  if (frame.length === 0 || frame.length > maximumLength) { throw new FrameDrop("malformed"); }
  const layout = layoutOf(frame, codec);
  const clear = frame.subarray(0, layouts[layout].clear);
  const shown = codec === "av1" ? sequenceHeaders(frame) : codec === "h264" ? sliceBeginning(frame) : clear;
  const tail = Uint8Array.of(layout);
  const sealed = concat(await seal(frame.subarray(clear.length), concat(clear, tail)), tail);
  switch (codec) {
    case "av1": return concat(shown, Uint8Array.of((obuTypes.frame << 3) | 0x02, ...leb128(sealed.length)), sealed);
    case "h264": return concat(shown, escape(sealed, zerosBefore(shown, shown.length)));
    default: return concat(shown, sealed);
  }
}

/**
 * The plain form of what `sealFrame` made.
 *
 * @param {Uint8Array} frame
 * @param {string} codec one of `frameCodecs`
 * @param {(content: Uint8Array, metadata: Uint8Array) => Promise<Uint8Array>} open
 * @returns {Promise<Uint8Array>}
 */
export async function openFrame(frame, codec, open) {
  const last = frame[frame.length - 1];
  const layout = layouts[last];
  if (frame.length < 2 || frame.length > maximumLength || layout?.codec !== codec) { throw new FrameDrop("malformed"); }
  const metadata = concat(frame.subarray(0, layout.clear), Uint8Array.of(last));
  switch (codec) {
    case "av1": {
      const unit = unitsOf(frame)?.at(-1);
      if (unit?.type !== obuTypes.frame || unit.to - unit.from < 2) { throw new FrameDrop("malformed"); }
      return open(frame.subarray(unit.from, unit.to - 1), metadata);
    }
    case "h264": {
      const slice = firstSlice(frame, nalUnitsOf(frame));
      if (slice === undefined || slice + sliceHeader >= frame.length) { throw new FrameDrop("malformed"); }
      const sealed = unescape(frame.subarray(slice + sliceHeader), zerosBefore(frame, slice + sliceHeader));
      if (sealed.length < 2) { throw new FrameDrop("malformed"); }
      return open(sealed.subarray(0, sealed.length - 1), metadata);
    }
    default: {
      // A key frame stays one: the bit is authenticated, and the layout has to agree with it.
      if (frame.length <= layout.clear + 1 || (codec === "vp8" && ((frame[0] & 1) === 0) !== (last === 2))) { throw new FrameDrop("malformed"); }
      return concat(frame.subarray(0, layout.clear), await open(frame.subarray(layout.clear, frame.length - 1), metadata));
    }
  }
}

function sequenceHeaders(frame) {
  const units = unitsOf(frame);
  if (units === null) { throw new FrameDrop("malformed"); }
  return concat(...units.filter(({ type }) => type === obuTypes.sequenceHeader).map(({ start, header, from, to }) => concat(
    Uint8Array.of(header | 0x02, ...(header & 0x04 ? [frame[start + 1]] : []), ...leb128(to - from)), frame.subarray(from, to))));
}

function sliceBeginning(frame) {
  const units = nalUnitsOf(frame);
  const slice = firstSlice(frame, units);
  if (slice === undefined || slice + sliceHeader > frame.length) { throw new FrameDrop("malformed"); }
  // Other units, such as supplemental information, stay inside.
  return concat(...[...parameterSets(frame, units, slice), frame.subarray(slice, slice + sliceHeader)].flatMap((unit) => [startCode, unit]));
}
