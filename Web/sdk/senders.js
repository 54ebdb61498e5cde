import { cameraEncodings, sideOf, watchedLayers, watchedRate } from "./camera-layers.js";
import { preferCodecs } from "./codec-preferences.js";

const sendLimits = {
  camera: { maxBitrate: 1_700_000 },
  screen: { maxBitrate: 2_500_000, maxFramerate: 30 },
  microphone: { maxBitrate: 40_000 },
  screenAudio: { maxBitrate: 128_000 },
};

/** Codecs that carry several sizes of a video in one stream. */
const layered = new Set(["VP9", "AV1"]);

/** How often the size of a camera is read, in milliseconds: no event reports it. */
const sizeInterval = 1_000;

/** The `sendonly` m-sections of a connection: this client's tracks, each with the layers that somebody watches. */
export class Senders {
  #pc;
  #preferred;
  #simulcast;
  #encryption;
  #senders = new Map();
  #sizes;

  /**
   * @param {RTCPeerConnection} pc
   * @param {{preferredVideoCodec?: string, simulcast?: boolean,
   *   encryption?: import("./encryption/connection-encryption.js").ConnectionEncryption|null}} options
   */
  constructor(pc, { preferredVideoCodec, simulcast, encryption = null }) {
    this.#pc = pc;
    this.#encryption = encryption;
    this.#preferred = preferredVideoCodec;
    this.#simulcast = simulcast !== false;
    this.#sizes = setInterval(() => this.#followSize().catch(reportOwn), sizeInterval);
  }

  /**
   * Adds an own track, to be carried by the next offer.
   *
   * @param {string} source
   * @param {MediaStreamTrack} track
   * @param {boolean} muted
   * @param {string|null} name the name that others see; null for the participant's
   */
  add(source, track, muted, name = null) {
    const known = this.#senders.get(source);
    if (known) {
      if (this.#encryption?.maySend(source) === false) { return; }
      // A free m-section is reused, so that the offer doesn't grow with every screen share.
      known.active = true;
      known.muted = muted;
      known.name = name;
      if (known.codec) {
        known.codec = null;
        this.#preferCodecs(known.transceiver, track.kind);
      }
      known.transceiver.direction = "sendonly";
      known.replaced = this.#give(source, known, track);
      this.#encryption?.add(source);
      // Every layer of a new publication is wanted until the server says otherwise.
      if (known.wanted) { this.setWanted({ mid: known.transceiver.mid, active: true }); }
      return;
    }
    const encodings = this.#encodings(source, track);
    const transceiver = this.#addTransceiver(source, track, encodings);
    if (transceiver === null) { return; }
    this.#preferCodecs(transceiver, track.kind);
    this.#senders.set(source, { transceiver, encodings, muted, name, active: true, codec: null, replaced: Promise.resolve() });
    this.#encryption?.add(source);
  }

  /** The transceiver of a new source; null where it can't be encrypted. */
  #addTransceiver(source, track, encodings) {
    const options = { direction: "sendonly", sendEncodings: encodings.map((each) => ({ ...each })) };
    if (this.#encryption === null) { return this.#pc.addTransceiver(track, options); }
    const first = this.#encryption.firstTrack(track);
    try {
      return this.#encryption.protectSender(this.#pc.addTransceiver(first, options), source, track);
    } catch (error) {
      if (first !== track) { first.stop(); }
      throw error;
    }
  }

  #encodings(source, track) {
    const codec = this.#preferred;
    if (source !== "camera" || !this.#simulcast) { return [{ ...sendLimits[source] }]; }
    // These two carry their sizes in one stream.
    if (layered.has(codec)) { return [{ ...sendLimits.camera, scalabilityMode: "L3T3_KEY" }]; }
    const { width = 0, height = 0 } = track.getSettings?.() ?? {};
    return cameraEncodings(Math.max(width, height));
  }

  /** Sends a camera in the sizes that suit its present size. */
  async #followSize() {
    const camera = this.#senders.get("camera");
    if (!camera?.active || !camera.encodings[0].rid) { return; }
    const side = await sideOf(camera.transceiver.sender);
    if (side === 0) { return; }
    const encodings = cameraEncodings(side);
    const isSame = (a, b) => a.scaleResolutionDownBy === b.scaleResolutionDownBy && a.active === b.active;
    if (encodings.every((each, index) => isSame(each, camera.encodings[index]))) { return; }
    camera.encodings = encodings;
    this.#apply(camera);
  }

  /** Applies a `wanted` message: layers that nobody watches aren't sent. @param {object} message */
  setWanted(message) {
    for (const each of this.#senders.values()) {
      if (each.transceiver.mid !== message.mid) { continue; }
      each.wanted = message;
      this.#encryption?.expectFrames();
      this.#apply(each);
    }
  }

  /**
   * Applies the last `wanted` messages again. A browser takes from an answer which layers it sends, and the answer
   * doesn't know of messages that came after the offer.
   */
  applyWanted() {
    for (const each of this.#senders.values()) {
      if (each.active && each.wanted) { this.#apply(each); }
    }
  }

  /**
   * Applies a `sendCodec` message: a track is sent in another codec, since not everybody can decode the preferred one.
   *
   * @param {{mid: string, codec: {name: string, parameters?: string}|null}} message
   * @param {() => Promise<void>} negotiate
   * @returns {Promise<void>} rejects if the offer is refused
   */
  async setCodec({ mid, codec }, negotiate) {
    for (const each of this.#senders.values()) {
      if (each.transceiver.mid !== mid || !each.active) { continue; }
      each.codec = typeof codec?.name === "string" ? codec : null;
      this.#preferCodecs(each.transceiver, "video", each.codec);
      // Browsers send the first codec of the answer, which has the order of the offer.
      await negotiate();
      this.#apply(each);
    }
  }

  /**
   * Puts another browser track under a source, without an offer.
   *
   * @param {string} source
   * @param {MediaStreamTrack|null} track null sends nothing
   */
  async replace(source, track) {
    const known = this.#senders.get(source);
    if (!known || (track !== null && this.#encryption?.maySend(source) === false)) { return; }
    await this.#give(source, known, track);
  }

  /**
   * Gives up an own track; the next offer says so.
   *
   * @param {string} source
   */
  remove(source) {
    const known = this.#senders.get(source);
    if (!known) { return; }
    known.active = false;
    this.#encryption?.remove(source);
    known.transceiver.direction = "inactive";
    known.replaced = this.#give(source, known, null);
  }

  /**
   * Remembers whether a source is muted and gives its m-section.
   *
   * @param {string} source
   * @param {boolean} muted
   * @returns {string|null} mid, or null before the first offer
   */
  setMuted(source, muted) {
    const known = this.#senders.get(source);
    if (!known) { return null; }
    known.muted = muted;
    return known.transceiver.mid;
  }

  /** The `tracks` of the protocol. @type {{mid: string, source: string, muted: boolean, name?: string}[]} */
  get tracks() {
    return [...this.#senders]
      .filter(([, each]) => each.active && each.transceiver.mid !== null)
      .map(([source, each]) => ({ mid: each.transceiver.mid, source, muted: each.muted, ...(each.name ? { name: each.name } : {}) }));
  }

  /**
   * The m-section of a source, or null.
   *
   * @param {string} source
   * @returns {string|null}
   */
  midOf(source) { return this.#senders.get(source)?.transceiver.mid ?? null; }

  /** Resolves when the browser has taken over every changed track. */
  async settled() { await Promise.all([...this.#senders.values()].map((each) => each.replaced)); }

  /** Ends the reading of sizes. */
  close() { clearInterval(this.#sizes); }

  #give(source, { transceiver }, track) { return this.#encryption?.replaceTrack(source, track) ?? transceiver.sender.replaceTrack(track); }

  #preferCodecs(transceiver, kind, requested = null) {
    preferCodecs(transceiver, kind, { isSending: true, preferred: this.#preferred, requested, isEncrypted: this.#encryption !== null });
  }

  #apply(each) { each.changing = (each.changing ?? Promise.resolve()).then(() => this.#applyParameters(each)).catch(reportOwn); }

  async #applyParameters(each) {
    const { transceiver, encodings, wanted = { active: true } } = each;
    const codec = each.codec?.name ?? this.#preferred;
    const parameters = transceiver.sender.getParameters();
    let differs = false;
    for (const [index, encoding] of (parameters.encodings ?? []).entries()) {
      const own = encodings[index];
      const active = own?.active !== false && wanted.active === true
        && (!encoding.rid || !Array.isArray(wanted.rids) || wanted.rids.includes(encoding.rid));
      const changes = { active, maxFramerate: watchedRate(own, wanted) };
      if (own?.rid) { Object.assign(changes, { scaleResolutionDownBy: own.scaleResolutionDownBy, maxBitrate: own.maxBitrate }); }
      // A browser without layers in one stream doesn't say how many it sends.
      each.knowsLayers ||= Boolean(encoding.scalabilityMode);
      if (active && each.knowsLayers && own?.scalabilityMode) {
        Object.assign(changes, layered.has(codec) ? watchedLayers(own, wanted) : { maxBitrate: own.maxBitrate, scaleResolutionDownBy: 1 });
      }
      for (const [name, value] of Object.entries(changes)) {
        differs ||= encoding[name] !== value;
        encoding[name] = value;
      }
    }
    if (differs) { await transceiver.sender.setParameters(parameters); }
  }
}

/**
 * A browser's refusal leaves everything as it was, as for a sender that has just stopped. Other errors are the SDK's
 * own.
 */
function reportOwn(error) {
  if (!(error instanceof DOMException)) { globalThis.reportError?.(error); }
}
