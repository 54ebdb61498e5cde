import { discover, tokenOf } from "./discover.js";

/** The join token of one client: the one that it came with, or what has replaced that since. */
export class JoinToken {
  #options;
  #newer = null;

  /** @param {import("./join-options.js").JoinOptions} options */
  constructor(options) { this.#options = options; }

  /** Whether the client came with a token of its own, and not with one from the discover document. @type {boolean} */
  get isOwn() {
    const { token, signaling, discover: document, url } = this.#options;
    if (this.#newer !== null || token !== undefined || signaling !== undefined || document !== undefined) { return true; }
    return url !== undefined && tokenOf(new URL(url, globalThis.location?.href)) !== undefined;
  }

  /** Another token is to be used from now on. @param {string} token */
  replace(token) { this.#newer = token; }

  /**
   * The address and the way to join now.
   *
   * @returns {Promise<import("./discover.js").DiscoverDocument>}
   */
  async document() {
    const { url, discover: document, signaling, token: given } = this.#options;
    const token = this.#newer ?? given;
    if (signaling) { return { signaling, token, iceServers: [] }; }
    return discover({ url, discover: document, token });
  }
}
