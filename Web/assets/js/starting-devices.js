/**
 * The devices that a visit begins with. Nothing in an address opens one: an address can be written by anybody, and
 * browsers remember the permission for the whole server. It can turn one off.
 */

const sources = ["microphone", "camera"];

/**
 * The devices that the person chose here before, less those that the address turns off.
 *
 * @param {import("/sdk/parley.js").Overrides} overrides
 * @param {import("./storage.js").Choices} stored
 * @returns {{microphone: boolean, camera: boolean}}
 */
export function wantedDevices(overrides, stored) {
  return {
    microphone: stored.microphone && !overrides.startWithAudioMuted,
    camera: stored.camera && !overrides.startWithVideoMuted && !overrides.startAudioOnly,
  };
}

/**
 * The devices of somebody whose link skips the page before joining. They are asked about each one when the server has
 * answered.
 */
export class LinkedDevices {
  #wanted;
  #always;
  #withheld = new Set();

  /**
   * @param {import("/sdk/parley.js").Overrides} overrides
   * @param {import("./storage.js").Choices} stored
   */
  constructor(overrides, stored) {
    this.#wanted = wantedDevices(overrides, stored);
    this.#always = stored.linkDevices === true;
  }

  /** Devices that stay off, although the person wants them, until they say so with a click. @type {string[]} */
  get withheld() { return sources.filter((source) => this.#withheld.has(source)); }

  /**
   * Whether a device may be opened without a click: by the person's own choice for this server, or by the word of the
   * server, which says what its operator and a signed token allow.
   *
   * @param {"microphone"|"camera"} source
   * @param {import("/sdk/discover.js").DiscoverDocument} document
   * @returns {boolean}
   */
  opens(source, document) {
    if (!this.#wanted[source]) { return false; }
    const may = this.#always || (Array.isArray(document.linkDevices) && document.linkDevices.includes(source));
    if (may) { this.#withheld.delete(source); } else { this.#withheld.add(source); }
    return may;
  }
}
