import { characters } from "../text.js";
import { fromBase64url, utf8 } from "./bytes.js";

/** Bytes of a name that announcements have room for. */
const longestName = 640;

/** A name that announcements have room for. @param {string} name @returns {string} */
export function shortName(name) {
  let short = name;
  for (let parts = characters(name); utf8(short).length > longestName; short = parts.join("")) { parts = parts.slice(0, -1); }
  return short;
}

/** The objects of a list in a server's message. @param {unknown} value @returns {object[]} */
export const list = (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : []);

const bytesOf = (text) => (typeof text === "string" ? fromBase64url(text) : null);

/**
 * The readable announcements of a server's message, with their senders.
 *
 * @param {unknown} values
 * @returns {{ participant: string, bytes: Uint8Array }[]}
 */
export function announcementsOf(values) {
  return list(values).map(({ participant, announcement }) => ({ participant, bytes: bytesOf(announcement) }))
    .filter(({ participant, bytes }) => typeof participant === "string" && bytes !== null);
}

/**
 * The readable envelopes of a server's message, with their senders.
 *
 * @param {unknown} values
 * @returns {{ participant: string, bytes: Uint8Array }[]}
 */
export function envelopesOf(values) {
  return list(values).map(({ from, envelope }) => ({ participant: from, bytes: bytesOf(envelope) }))
    .filter(({ participant, bytes }) => typeof participant === "string" && bytes !== null);
}
