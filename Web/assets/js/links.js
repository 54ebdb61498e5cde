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
const lookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u;

/**
 * Whether a host reads as another one: ebаy.com with a Cyrillic letter in a Latin label, or bank.example∕x.evil.example
 * with a sign that looks like a slash. Browsers show the first as xn--…, a page can't.
 */
function disguisesHost(address) {
  const [, host] = address.match(/^https?:\/\/([^/?#]*)/iu);
  if (!/^(?:\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}\p{So}\u200d._-]+)(?::\d*)?$/iu.test(host)) { return true; }
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
