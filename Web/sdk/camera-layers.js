/**
 * The names of a camera's sizes, smallest first. They are offered once, whatever the camera's size is then: that may be
 * unknown, and change.
 */
const rids = ["q", "h", "f"];

/**
 * The sizes that a camera is sent in, smallest first, by its longer side in pixels, so that each receiver can have what
 * suits it. Browsers leave out the largest ones when there are more than they find worth it: below 960 pixels two,
 * below 480 one.
 */
const sizes = [
  { from: 960, layers: [{ scale: 4, maxBitrate: 150_000 }, { scale: 2, maxBitrate: 500_000 }, { scale: 1, maxBitrate: 1_700_000 }] },
  { from: 480, layers: [{ scale: 2, maxBitrate: 180_000 }, { scale: 1, maxBitrate: 1_000_000 }] },
  { from: 0, layers: [{ scale: 1, maxBitrate: 500_000 }] },
];

/**
 * The encodings of a camera: always three, of which those that its size isn't worth are off.
 *
 * @param {number} side the longer side of its video in pixels; 0 while it is unknown, which counts as large
 * @returns {RTCRtpEncodingParameters[]}
 */
export function cameraEncodings(side) {
  const { layers } = side > 0 ? sizes.find(({ from }) => side >= from) : sizes[0];
  return rids.map((rid, index) => ({
    rid, active: index < layers.length, scaleResolutionDownBy: layers[index]?.scale ?? 1, maxBitrate: (layers[index] ?? layers.at(-1)).maxBitrate,
  }));
}

/**
 * The highest rate of so many sizes of a camera together, in bits a second, if it is worth `count` of them.
 *
 * @param {number} kept how many, from the smallest on
 * @param {number} count 1 to 3
 * @returns {number}
 */
export function rateOfLayers(kept, count) {
  const layers = sizes.find((each) => each.layers.length === count)?.layers ?? [];
  return layers.slice(0, kept).reduce((sum, each) => sum + each.maxBitrate, 0);
}

/**
 * The longer side of what a sender's track shows now, in pixels; 0 when nobody knows.
 *
 * @param {RTCRtpSender} sender
 * @returns {Promise<number>}
 */
export async function sideOf(sender) {
  const { width = 0, height = 0 } = sender.track?.getSettings?.() ?? {};
  if (Math.max(width, height) > 0) { return Math.max(width, height); }
  // Tracks of generators and of other connections have no settings in some browsers.
  for (const each of (await sender.getStats()).values()) {
    if (each.type === "media-source" && each.width > 0) { return Math.max(each.width, each.height); }
  }
  return 0;
}

/**
 * The changes of an encoding with several spatial layers that leave out the largest ones, which nobody watches. The
 * others keep their sizes: the server takes other sizes for another camera.
 *
 * @param {RTCRtpEncodingParameters} whole the encoding with all its layers
 * @param {{spatialLayers?: number, spatialLayerCount?: number}} wanted
 * @returns {RTCRtpEncodingParameters}
 */
export function watchedLayers(whole, { spatialLayers: kept, spatialLayerCount: count }) {
  const { scalabilityMode, maxBitrate } = whole ?? {};
  const [, most, temporal] = /^L([23])(T[123])_KEY$/.exec(scalabilityMode ?? "") ?? [];
  if (!most) { return {}; }
  // The browser may send fewer layers than it was asked for, so the server says how many there are.
  if (!(Number.isInteger(kept) && Number.isInteger(count) && kept >= 1 && kept < count && count <= Number(most))) {
    return { scalabilityMode, maxBitrate, scaleResolutionDownBy: 1 };
  }
  return {
    scalabilityMode: kept === 1 ? `L1${temporal}` : `L${kept}${temporal}_KEY`,
    maxBitrate: Math.min(maxBitrate, rateOfLayers(kept, count)),
    scaleResolutionDownBy: 2 ** (count - kept),
  };
}

/** The frame rate to send: no more than anybody watches; undefined for all. */
export function watchedRate(whole, { maxFrameRate: most }) {
  const own = whole?.maxFramerate;
  return Number.isFinite(most) && most >= 1 ? Math.min(own ?? most, most) : own;
}
