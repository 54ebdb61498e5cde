import { ParleyError } from "../errors.js";
import { LinkSecret } from "./link-secret.js";

const key = "e2ee=";

/**
 * The text of the link secret in the fragment of a meeting's address; null when there is none.
 *
 * @param {URL} address
 * @returns {string | null}
 */
export function secretTextOf(address) {
  return address.hash.replace(/^#/, "").split("&").find((part) => part.startsWith(key))?.slice(key.length) ?? null;
}

/**
 * The link secret in the fragment of a meeting's address.
 *
 * @param {URL} address
 * @returns {LinkSecret | null} null when there is none
 * @throws {ParleyError} `badSecret` for one that is cut or damaged: nobody is to join in clear for that
 */
export function secretOf(address) {
  const text = secretTextOf(address);
  return text === null ? null : parseSecret(text);
}

/** @param {string} text @returns {LinkSecret} @throws {ParleyError} `badSecret` */
export function parseSecret(text) {
  const secret = LinkSecret.parse(text);
  if (secret === null) { throw new ParleyError("badSecret", "The key in the address of this meeting is damaged. Open the whole address as you were given it."); }
  return secret;
}

/**
 * An address with a link secret in its fragment, next to what stands there.
 *
 * @param {string | URL} address
 * @param {LinkSecret | null} secret null takes it away
 * @returns {string}
 */
export function withSecret(address, secret) {
  const url = new URL(address, globalThis.location?.href);
  const parts = url.hash.replace(/^#/, "").split("&").filter((part) => part !== "" && !part.startsWith(key));
  url.hash = [...parts, ...(secret === null ? [] : [key + secret.text])].join("&");
  return url.href;
}
