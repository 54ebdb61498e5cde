import { isVisible, shortened, textLimits } from "./text.js";

/**
 * Settings in the fragment of a meeting's address, `#config.startWithAudioMuted=true&userInfo.displayName="Ann"`.
 * Each value is JSON, or plain text where it does not parse as JSON.
 *
 * Anybody can write an address. So a fragment can turn devices off, and nothing in it turns one on.
 */

const codecs = ["VP8", "VP9", "H264", "AV1"];

/** Reads fragment overrides (`docs/protocol.md`, "Overrides in the fragment"). */
export class Overrides {
  /**
   * @param {string} fragment with or without the leading `#`
   */
  constructor(fragment) {
    /** Every pair as it was read, known or not. @type {Map<string, unknown>} */
    this.values = Overrides.parse(fragment);
  }

  /**
   * Splits a fragment into its pairs. Never throws: a part that cannot be decoded is kept as it stands.
   *
   * @param {string} fragment
   * @returns {Map<string, unknown>}
   */
  static parse(fragment) {
    const values = new Map();
    for (const part of String(fragment).replace(/^#/, "").split("&")) {
      // The key of an encrypted meeting isn't a setting.
      if (part.length === 0 || part.startsWith("e2ee=")) { continue; }
      const equals = part.indexOf("=");
      const key = decode(equals < 0 ? part : part.slice(0, equals));
      const text = equals < 0 ? "true" : decode(part.slice(equals + 1));
      values.set(key, parseValue(text));
    }
    return values;
  }

  #flag(key) {
    const value = this.values.get(key);
    return typeof value === "boolean" ? value : undefined;
  }

  /** A value that turns something off counts in every spelling. */
  #turnsOff(key) { return ["true", "1"].includes(String(this.values.get(key)).toLowerCase()); }

  #text(key, limit) {
    const value = this.values.get(key);
    if (typeof value !== "string" && typeof value !== "number") { return undefined; }
    const text = shortened(String(value).trim(), limit);
    // A text that draws nothing is as absent: the server lets nobody in under such a name.
    return isVisible(text) ? text : undefined;
  }

  /** False when the page is to join at once. @type {boolean} */
  get prejoin() {
    return this.#flag("config.prejoinPageEnabled") !== false && this.#flag("config.prejoinConfig.enabled") !== false;
  }

  /** Whether the microphone stays off at first. False says nothing: it turns no microphone on. @type {boolean} */
  get startWithAudioMuted() { return this.#turnsOff("config.startWithAudioMuted"); }

  /** Whether the camera stays off at first. False says nothing: it turns no camera on. @type {boolean} */
  get startWithVideoMuted() { return this.#turnsOff("config.startWithVideoMuted"); }

  /** Start without a camera. @type {boolean} */
  get startAudioOnly() { return this.#turnsOff("config.startAudioOnly"); }

  /** Title to show instead of the room name. @type {string|undefined} */
  get subject() { return this.#text("config.subject", 200); }

  /** True when the invitation link is to be hidden. @type {boolean} */
  get disableInviteFunctions() { return this.#flag("config.disableInviteFunctions") === true; }

  /** Height of the requested camera video, in pixels. @type {number|undefined} */
  get resolution() {
    const value = Number(this.values.get("config.resolution"));
    return Number.isInteger(value) && value >= 90 && value <= 4320 ? value : undefined;
  }

  /** Codec to offer first: `VP8`, `VP9`, `H264` or `AV1`. @type {string|undefined} */
  get preferredVideoCodec() {
    const name = this.#text("config.preferredVideoCodec", 20)?.toUpperCase().replace("H.264", "H264");
    return codecs.includes(name) ? name : undefined;
  }

  /** `tcp` when only TCP candidates of the server may be used. @type {"tcp"|undefined} */
  get iceTransport() { return this.#text("config.iceTransport", 10)?.toLowerCase() === "tcp" ? "tcp" : undefined; }

  /** Display name. @type {string|undefined} */
  get displayName() { return this.#text("userInfo.displayName", textLimits.name.characters); }
}

function decode(text) {
  try { return decodeURIComponent(text); } catch { return text; }
}

function parseValue(text) {
  try { return JSON.parse(text); } catch { return text; }
}
