const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
const encoder = new TextEncoder();

/** The bounds of a chat message, as the server counts them: characters are grapheme clusters, bytes are those of UTF-8. */
export const chatLimits = Object.freeze({ characters: 4_000, bytes: 16_000 });

/**
 * The characters of a text as people count them: grapheme clusters (UAX #29); code points in browsers that cannot tell them.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function characters(text) {
  return segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];
}

/**
 * Why a chat message is too long, as a sentence; null when it is not.
 *
 * @param {string} text
 * @returns {string|null}
 */
export function chatProblem(text) {
  // No text has more clusters than UTF-16 units, and counting them costs.
  const count = text.length > chatLimits.characters ? characters(text).length : 0;
  if (count > chatLimits.characters) {
    return `A message has at most ${chatLimits.characters.toLocaleString("en")} characters. This one has ${count.toLocaleString("en")}.`;
  }
  const bytes = text.length * 3 > chatLimits.bytes ? encoder.encode(text).length : 0;
  return bytes > chatLimits.bytes
    ? `A message has at most ${chatLimits.bytes.toLocaleString("en")} bytes. This one has ${bytes.toLocaleString("en")}; accents and emoji need several each.` : null;
}
