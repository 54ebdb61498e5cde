const segmenter = typeof Intl.Segmenter === "function" ? new Intl.Segmenter(undefined, { granularity: "grapheme" }) : null;
const encoder = new TextEncoder();

/**
 * The bounds of a text. No text has a bound in UTF-16 units, which is what `maxLength` of a field counts.
 *
 * @typedef {object} TextLimits
 * @property {number} [characters] grapheme clusters
 * @property {number} [codePoints] code points, as the REST interface counts
 * @property {number} [bytes] bytes of UTF-8
 */

/** The bounds of texts, as the server counts them. @type {Readonly<Record<string, TextLimits>>} */
export const textLimits = Object.freeze({
  chat: { characters: 4_000, bytes: 16_000 }, name: { characters: 80, bytes: 2_000 }, pollQuestion: { characters: 300, bytes: 1_200 },
  pollAnswer: { characters: 120, bytes: 480 }, subject: { codePoints: 250 }, passcode: { codePoints: 64 },
});

/**
 * The characters of a text as people count them: grapheme clusters (UAX #29); code points in browsers without a
 * segmenter.
 *
 * @param {string} text
 * @returns {string[]}
 */
export function characters(text) {
  return segmenter ? Array.from(segmenter.segment(text), ({ segment }) => segment) : [...text];
}

/**
 * The first characters of a text, none of them cut in two.
 *
 * @param {string} text
 * @param {number} most
 * @param {string} [more] what stands at the end of a text that was longer
 * @returns {string}
 */
export function shortened(text, most, more = "") {
  // Only a beginning is looked at: splitting costs, and no character that draws has more units.
  const start = characters(text.slice(0, most * 32));
  return start.length > most || start.join("").length < text.length ? start.slice(0, most).join("") + more : text;
}

/** Characters that draw nothing. No property says so of the last five. */
const blank = /[\p{C}\p{Z}\p{Mn}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}]/gu;

/** Unassigned here, and perhaps an emoji that is newer than the browser. */
const isUnassigned = /\p{Cn}/u;

/**
 * Whether anything of a text can be seen, as the server judges names.
 *
 * @param {string} text
 * @returns {boolean}
 */
export function isVisible(text) { return text.replace(blank, (each) => (isUnassigned.test(each) ? each : "")).length > 0; }

/**
 * Why a text is too long, as a sentence; null when it is not.
 *
 * @param {string} text
 * @param {TextLimits} limits
 * @param {string} noun what it is, at the beginning of a sentence
 * @returns {string|null}
 */
export function lengthProblem(text, limits, noun) {
  const say = (most, count, unit, why = "") => `${noun} has at most ${most.toLocaleString("en")} ${unit}. This one has ${count.toLocaleString("en")}${why}.`;
  const { characters: most = Infinity, codePoints = Infinity, bytes = Infinity } = limits;
  // No text has more of either than UTF-16 units, and counting them costs.
  const count = text.length > most ? characters(text).length : 0;
  if (count > most) { return say(most, count, "characters"); }
  const points = text.length > codePoints ? [...text].length : 0;
  if (points > codePoints) { return say(codePoints, points, "characters"); }
  const size = text.length * 3 > bytes ? encoder.encode(text).length : 0;
  return size > bytes ? say(bytes, size, "bytes", "; accents and emoji need several each") : null;
}

/** Bytes of an encrypted chat message as JSON, before it is encrypted. */
const longestSealedChat = 16_020;

/**
 * Why a chat message is too long, as a sentence; null when it is not.
 *
 * @param {string} text
 * @param {boolean} [isEncrypted] whether it goes out encrypted, where line breaks and quotation marks count twice
 * @returns {string|null}
 */
export function chatProblem(text, isEncrypted = false) {
  const problem = lengthProblem(text, textLimits.chat, "A message");
  if (problem !== null || !isEncrypted || text.length * 6 <= longestSealedChat) { return problem; }
  const size = encoder.encode(JSON.stringify({ t: text })).length;
  const { bytes } = textLimits.chat;
  return size > longestSealedChat ? `An encrypted message has at most ${bytes.toLocaleString("en")} bytes, and line breaks and quotation marks count twice.` : null;
}
