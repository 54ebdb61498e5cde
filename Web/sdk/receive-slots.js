import { preferCodecs } from "./codec-preferences.js";

const maximumCount = { audio: 16, video: 48 };

/** AOM, RTP payload format for AV1, appendix A. */
const dependencyDescriptor = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension";

/** The `recvonly` m-sections of a connection, which the server fills with publications. */
export class ReceiveSlots {
  #pc;
  #preferred;
  #encryption;
  #numbers = new Map();
  #transceivers = { audio: [], video: [] };

  /**
   * @param {RTCPeerConnection} pc
   * @param {string} [preferred] the app's video codec
   * @param {import("./encryption/connection-encryption.js").ConnectionEncryption|null} [encryption]
   */
  constructor(pc, preferred, encryption = null) {
    this.#pc = pc;
    this.#encryption = encryption;
    this.#preferred = preferred;
  }

  /**
   * Makes sure that there are at least so many slots.
   *
   * @param {{audio?: number, video?: number}} count
   * @returns {boolean} whether some were added, so that an offer is needed
   */
  ensure(count) {
    let added = false;
    for (const [kind, transceivers] of Object.entries(this.#transceivers)) {
      const wanted = Math.min(maximumCount[kind], Number(count[kind]) || 0);
      while (transceivers.length < wanted) {
        transceivers.push(this.#add(kind));
        added = true;
      }
    }
    return added;
  }

  /** The browser track that a slot receives. @param {string} mid @returns {MediaStreamTrack|null} */
  track(mid) { return this.#transceiver(mid)?.receiver.track ?? null; }

  /**
   * Notes the content of a slot, for its decryption.
   *
   * @param {string} mid
   * @param {import("./publication.js").Publication|null} publication
   */
  assign(mid, publication) {
    const number = this.#numbers.get(this.#transceiver(mid));
    if (number !== undefined) { this.#encryption.assign(number, publication); }
  }

  #transceiver(mid) { return Object.values(this.#transceivers).flat().find((each) => each.mid === mid); }

  #add(kind) {
    const transceiver = this.#make(kind);
    preferCodecs(transceiver, kind, { isSending: false, preferred: this.#preferred, isEncrypted: this.#encryption !== null });
    if (kind === "video") { receiveDescriptors(transceiver); }
    return transceiver;
  }

  #make(kind) {
    if (this.#encryption === null) { return this.#pc.addTransceiver(kind, { direction: "recvonly" }); }
    const { transceiver, slot } = this.#encryption.protectReceiver(this.#pc.addTransceiver(kind, { direction: "recvonly" }), kind);
    this.#numbers.set(transceiver, slot);
    return transceiver;
  }
}

/**
 * Asks for the header extension that says which frames a frame depends on. Chromium offers it only for video that it
 * sends in layers, and needs it to decode AV1 in several spatial layers.
 */
function receiveDescriptors(transceiver) {
  try {
    const extensions = transceiver.getHeaderExtensionsToNegotiate();
    for (const each of extensions) { if (each.uri === dependencyDescriptor) { each.direction = "sendrecv"; } }
    transceiver.setHeaderExtensionsToNegotiate(extensions);
  } catch { /* other browsers have no such choice */ }
}
