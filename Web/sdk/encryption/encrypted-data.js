import { dataLimits, encodeData } from "../data-channels.js";
import { ParleyError } from "../errors.js";

/** Bytes that a seal adds: header of SFrame and tag. */
const overhead = 40;
/** Reliable messages that wait to be sealed. */
const mostWaiting = 1_000;

/** The data messages of an encrypted meeting: sealed one after the other, in both directions. Topics stay in clear. */
export class EncryptedData {
  #data;
  #encryption;
  #last = Promise.resolve();
  #waiting = 0;
  #authors = new Map();

  /**
   * @param {import("../data-channels.js").DataChannels} data
   * @param {import("./meeting-encryption.js").MeetingEncryption} encryption
   */
  constructor(data, encryption) {
    this.#data = data;
    this.#encryption = encryption;
  }

  /**
   * As `DataChannels.send`, for 40 bytes less.
   *
   * @param {string|ArrayBuffer|ArrayBufferView} data
   * @param {{topic?: string, reliable?: boolean, to?: string|string[]}} [options]
   * @returns {boolean} false when it was dropped
   * @throws {ParleyError} `tooLarge` or `badMessage`
   */
  send(data, options = {}) {
    const isReliable = options.reliable !== false;
    const limit = dataLimits[isReliable ? "reliable" : "lossy"] - overhead;
    const bytes = encodeData(data).slice();
    if (bytes.length > limit) { throw new ParleyError("tooLarge", `An encrypted message of this kind has at most ${limit} bytes.`); }
    const isDropped = isReliable ? this.#waiting >= mostWaiting || !this.#data.accepts(bytes.length) : !this.#data.isOpen(false);
    if (isDropped) { return false; }
    this.#waiting += 1;
    this.#last = this.#last.then(async () => { this.#data.send(await this.#encryption.texts.sealData(bytes), options); })
      .catch((error) => { if (error.code !== "encryptionFailed") { globalThis.reportError?.(error); } })
      .finally(() => { this.#waiting -= 1; });
    return true;
  }

  /**
   * Opens a message that came; one that can't be opened is dropped.
   *
   * @param {{ from: string, bytes: Uint8Array }} message
   * @param {(message: object) => void} emit
   */
  receive(message, emit) {
    const { from, bytes } = message;
    const before = this.#authors.get(from) ?? Promise.resolve();
    const after = before.then(async () => {
      const plain = await this.#encryption.texts.openData(from, bytes);
      if (plain) { emit({ ...message, bytes: plain }); }
    }).catch((error) => globalThis.reportError?.(error)).finally(() => { if (this.#authors.get(from) === after) { this.#authors.delete(from); } });
    this.#authors.set(from, after);
  }
}
