import { h } from "./dom.js";

/**
 * Text with its web addresses as links. Only `http` and `https` become links; everything else stays text.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function linkify(text) {
  const nodes = [];
  let rest = 0;
  for (const match of text.matchAll(/\bhttps?:\/\/[^\s<>"'`{}|\\^]+/giu)) {
    const address = match[0].replace(/[.,;:!?)\]]+$/u, "");
    const url = safeURL(address);
    if (!url) { continue; }
    nodes.push(text.slice(rest, match.index));
    nodes.push(h("a", { href: url.href, target: "_blank", rel: "noopener noreferrer", text: address }));
    rest = match.index + address.length;
  }
  nodes.push(text.slice(rest));
  return nodes.filter((node) => node !== "").map((node) => (typeof node === "string" ? document.createTextNode(node) : node));
}

function safeURL(address) {
  try {
    const url = new URL(address);
    // A user name before the host is a known way to disguise where a link goes.
    return (url.protocol === "http:" || url.protocol === "https:") && url.username === "" && url.password === "" ? url : null;
  } catch {
    return null;
  }
}
