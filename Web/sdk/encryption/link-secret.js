import { base64url, fromBase64url, utf8, ByteWriter } from "./bytes.js";
import { expand, extract } from "./derivation.js";

const length = 32;
const textLength = 43;

/** The secret in the fragment of an encrypted meeting's link, `#e2ee=` and 43 characters. The server never sees it. */
export class LinkSecret {
  #bytes;

  /** @param {Uint8Array} [bytes] 32 bytes; a new secret without them */
  constructor(bytes = globalThis.crypto.getRandomValues(new Uint8Array(length))) { this.#bytes = bytes; }

  /**
   * The secret that a link has; null when its text is cut, damaged or not the only form of its bytes.
   *
   * @param {string} text
   * @returns {LinkSecret | null}
   */
  static parse(text) {
    const bytes = text.length === textLength ? fromBase64url(text) : null;
    return bytes === null ? null : new LinkSecret(bytes);
  }

  /** The text of the fragment's `e2ee`. For links that people are shown and for nothing else. @type {string} */
  get text() { return base64url(this.#bytes); }

  /** Nothing of it gets into what is printed or sent as JSON. */
  toString() { return "<redacted>"; }
  /** As `toString`. */
  toJSON() { return "<redacted>"; }

  /**
   * A key of a meeting for one purpose.
   *
   * @param {string} purpose
   * @param {string} meeting
   * @returns {Promise<Uint8Array>}
   */
  async key(purpose, meeting) {
    const root = await extract(utf8("Parley link secret 1"), this.#bytes);
    return expand(root, new ByteWriter().text(purpose).text(meeting).result, 32);
  }
}
