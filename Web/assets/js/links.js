import { h } from "./dom.js";

/**
 * Web addresses. Beyond ASCII, quotation marks, brackets and what ends a sentence (”, 」, 。) end an address too:
 * browsers write them percent-encoded. So do direction marks, under which a link would read as another, and invisible
 * places to break a line.
 */
const addresses = /\bhttps?:\/\/(?:[!#-;=?-[\]_a-{}~]|(?![\p{Quotation_Mark}\p{Terminal_Punctuation}\p{Ps}\p{Pe}\p{Pi}\p{Pf}\p{Bidi_Control}\s\u200B\u2060])[^\0-\x7f])+/giu;

/**
 * An address without the punctuation behind it. A bracket that closes one of the address belongs to it, and so does an
 * apostrophe inside. Each character is looked at once or twice: somebody else wrote the text, and thousands of brackets
 * must not keep a page busy.
 */
function withoutEnd(found) {
  const counts = new Map();
  for (const sign of found) { if ("()[]{}".includes(sign)) { counts.set(sign, (counts.get(sign) ?? 0) + 1); } }
  let end = found.length;
  for (; end > 0; end -= 1) {
    const last = found[end - 1];
    const opening = { ")": "(", "]": "[", "}": "{" }[last];
    const isSurplus = opening !== undefined && counts.get(last) > (counts.get(opening) ?? 0);
    if (!isSurplus && !".,;:!?'…‥".includes(last)) { break; }
    if (opening !== undefined) { counts.set(last, counts.get(last) - 1); }
  }
  return found.slice(0, end);
}

/**
 * Text with its web addresses as links. Only `http` and `https` become links; everything else stays text.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function linkify(text) {
  const nodes = [];
  let rest = 0;
  for (const match of text.matchAll(addresses)) {
    const address = withoutEnd(match[0]);
    const url = safeURL(address);
    if (!url) { continue; }
    nodes.push(text.slice(rest, match.index));
    nodes.push(h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer", text: address }));
    rest = match.index + address.length;
  }
  nodes.push(text.slice(rest));
  return nodes.filter((node) => node !== "").map((node) => (typeof node === "string" ? document.createTextNode(node) : node));
}

/** Scripts with letters that look like Latin ones. */
const lookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Coptic}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;

/**
 * Letters that look like a slash. Japanese words have ノ, but not between letters of other scripts, and not next to one
 * where what stands before it could be a host (bank.exampleノート.evil.example).
 */
const strokes = (() => {
  const other = String.raw`[^.\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]`;
  const no = String.raw`[\u30ce\uff89]`;
  return new RegExp(String.raw`[\u3033\u3034\u4e3f]|${other}${no}(?=${other})|\.[^.]*(?:${other}${no}|${no}(?=${other}))`, "u");
})();

/**
 * Signs that IDNA allows next to certain letters (RFC 5892, appendix A): the dot of Catalan l·l, the dot of Katakana,
 * the signs of Hebrew and Greek numbers, and the joiners. A joiner is invisible elsewhere: only a letter that would
 * join the next one, or a virama, comes before it here.
 */
const signsInContext = [
  String.raw`(?<=l)\u00b7(?=l)`,
  String.raw`(?<=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])\u30fb(?=[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}])`,
  String.raw`(?<=\p{Script=Hebrew})[\u05f3\u05f4]`,
  String.raw`\u0375(?=\p{Script=Greek})`,
  String.raw`(?<=[\u0626\u0628\u062a-\u062e\u0633-\u063a\u0641-\u0647\u0649\u064a\u0679\u067e\u0686\u06a9\u06ad\u06af\u06ba\u06be\u06c1\u06cc\u06d0])\u200c(?=[\u0622-\u063f\u0641-\u064a\u0671-\u0673\u0675-\u06d3])`,
  String.raw`(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d](?=\p{Lo})`,
].join("|");
const characters = String.raw`(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}._-]|\ufe0f`;
const hostOf = (parts) => new RegExp(String.raw`^(?:\[[\da-f:.]+\]|(?:${parts})+)(?::\d*)?$`, "iu");
const plainHost = (() => {
  // Safari before 16.4 has no lookbehind, and the page would not load: there hosts with these signs stay text.
  try { return hostOf(`${characters}|${signsInContext}`); } catch { return hostOf(characters); }
})();

/**
 * Whether a host reads as another one: ebаy.com with a Cyrillic letter in a Latin label, or bank.example∕x.evil.example
 * with a sign that looks like a slash. Browsers show the first as xn--…, a page can't.
 */
function disguisesHost(address) {
  const [, host] = address.match(/^https?:\/\/([^/?#]*)/iu);
  if (!plainHost.test(host) || strokes.test(host)) { return true; }
  return host.split(".").some((label) => /\p{Script=Latin}/u.test(label) && lookalikes.test(label));
}

function safeURL(address) {
  try {
    const url = new URL(address);
    if (disguisesHost(address)) { return null; }
    // A user name before the host is a known way to disguise where a link goes.
    return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "" ? url : null;
  } catch {
    return null;
  }
}
