import { ConnectionEncryption } from "./encryption/connection-encryption.js";
import { ParleyError } from "./errors.js";
import { IceRecovery } from "./ice-recovery.js";
import { Negotiator, policies } from "./negotiator.js";
import { ReceiveSlots } from "./receive-slots.js";
import { Senders } from "./senders.js";
import { Stats } from "./stats.js";

const initialSlots = 4;
const connectTimeout = 12_000;

/**
 * The one peer connection of a client: `sendonly` m-sections for its own tracks, `recvonly` ones as slots, the offers,
 * and the recovery of a lost path.
 *
 * Dispatches `statechange`, `interrupted` (media stopped; an ICE restart is being tried), `recovered`, `failed` (no
 * restart helped), `refused` (an offer that nobody waits for was refused; `detail` is the error) and `closed`.
 */
export class Connection extends EventTarget {
  #pc;
  #encryption;
  #stats;
  #senders;
  #slots;
  #negotiator;
  #recovery;

  /**
   * @param {object} options
   * @param {string} [options.preferredVideoCodec] `VP8`, `VP9`, `H264` or `AV1`
   * @param {boolean} [options.simulcast] false sends a camera in one size
   * @param {"tcp"} [options.iceTransport] use only TCP candidates of the server
   * @param {import("./data-channels.js").DataChannels} [options.data] the channels that this connection carries
   * @param {ConnectionEncryption|null} [options.encryption] encrypts what is sent, and decrypts what is received
   * @param {(message: object) => boolean} send sends an `offer` message; false if it can't be sent now, then `resend`
   *   follows
   */
  constructor(options, send) {
    super();
    const encryption = this.#encryption = options.encryption ?? null;
    const configuration = encryption === null ? {} : ConnectionEncryption.configuration;
    this.#pc = new RTCPeerConnection({ ...policies, ...configuration });
    this.#stats = new Stats(this.#pc);
    this.#senders = new Senders(this.#pc, options);
    this.#slots = new ReceiveSlots(this.#pc, options.preferredVideoCodec, encryption);
    this.#negotiator = new Negotiator(this.#pc, {
      senders: this.#senders, send, iceTransport: options.iceTransport, configuration,
      onRefused: (detail) => this.dispatchEvent(new CustomEvent("refused", { detail })),
    });
    this.#recovery = new IceRecovery(this.#pc, () => this.restartIce().catch((error) => this.#negotiator.report(error)));
    for (const type of ["interrupted", "recovered", "failed"]) { this.#recovery.addEventListener(type, () => this.dispatchEvent(new Event(type))); }
    this.#pc.addEventListener("connectionstatechange", () => {
      if (this.connected) { encryption?.expectFrames(); }
      this.dispatchEvent(new Event("statechange"));
    });
    options.data?.attach(this.#pc);
  }

  /** The browser's object, for statistics and tests. @type {RTCPeerConnection} */
  get peerConnection() { return this.#pc; }

  /** Whether media can flow now. @type {boolean} */
  get connected() { return this.#pc.connectionState === "connected"; }

  /** Whether media could flow at any time. @type {boolean} */
  get everConnected() { return this.#recovery.everConnected; }

  /**
   * Waits until media flows. After some time it tries an ICE restart, and gives up after twice that time.
   *
   * @returns {Promise<void>}
   * @throws {ParleyError} `mediaFailed`, or `cancelled` when the connection is closed
   */
  untilConnected() {
    return new Promise((resolve, reject) => {
      let timer;
      const done = (settle, value) => {
        clearTimeout(timer);
        this.removeEventListener("statechange", check);
        this.removeEventListener("closed", gone);
        settle(value);
      };
      const check = () => { if (this.connected) { done(resolve); } };
      const gone = () => done(reject, new ParleyError("cancelled", "The meeting was left."));
      const giveUp = () => done(reject, new ParleyError("mediaFailed", "No way for audio and video was found through this network."));
      this.addEventListener("statechange", check);
      this.addEventListener("closed", gone);
      timer = setTimeout(() => {
        this.renegotiate({ iceRestart: true });
        timer = setTimeout(giveUp, connectTimeout);
      }, connectTimeout);
      check();
    });
  }

  /** Statistics of this connection. @type {Stats} */
  get stats() { return this.#stats; }

  /**
   * Applies a message about what this client sends or how many slots it has.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "wanted": this.setWanted(message); return true;
      case "sendCodec": this.setSendCodec(message); return true;
      case "needSlots": if (this.ensureSlots(message)) { this.renegotiate(); } return true;
      default: return false;
    }
  }

  // MARK: Own tracks

  /**
   * Adds an own track, for the next offer to carry. A closed connection takes none, nor another track: its successor
   * begins with all publications.
   *
   * @param {string} source
   * @param {MediaStreamTrack} track
   * @param {boolean} muted
   * @param {string|null} [name] the name that others see; null for the participant's
   */
  addTrack(source, track, muted, name = null) {
    if (!this.#isClosed) { this.#senders.add(source, track, muted, name); }
  }

  /**
   * Puts another browser track under a source, without an offer.
   *
   * @param {string} source
   * @param {MediaStreamTrack|null} track null sends nothing
   */
  async replaceTrack(source, track) { if (!this.#isClosed) { await this.#senders.replace(source, track); } }

  get #isClosed() { return this.#pc.signalingState === "closed"; }

  /** Gives up an own track, with the next offer. @param {string} source */
  removeTrack(source) { this.#senders.remove(source); }

  /**
   * Stores whether a source is muted and gives its m-section.
   *
   * @param {string} source
   * @param {boolean} muted
   * @returns {string|null} mid, or null before the first offer
   */
  setMuted(source, muted) { return this.#senders.setMuted(source, muted); }

  /** The `tracks` of the protocol. @type {{mid: string, source: string, muted: boolean, name?: string}[]} */
  get tracks() { return this.#senders.tracks; }

  /** The m-section of a source, or null. @param {string} source @returns {string|null} */
  midOf(source) { return this.#senders.midOf(source); }

  /**
   * Applies a `wanted` message: layers that nobody watches aren't sent.
   *
   * @param {{mid: string, active: boolean, rids?: string[]|null, spatialLayers?: number, spatialLayerCount?: number,
   *   maxFrameRate?: number}} message
   */
  setWanted(message) { this.#senders.setWanted(message); }

  /**
   * Applies a `sendCodec` message: a track is sent in another codec, since not everybody can decode the preferred one.
   *
   * @param {{mid: string, codec: {name: string, parameters?: string}|null}} message
   */
  setSendCodec(message) {
    this.#senders.setCodec(message, () => this.negotiate()).catch((error) => this.#negotiator.report(error));
  }

  // MARK: Slots

  /**
   * Makes sure that there are at least so many receive slots.
   *
   * @param {{audio?: number, video?: number}} count
   * @returns {boolean} whether some were added, so that an offer is needed
   */
  ensureSlots(count) { return this.#slots.ensure(count); }

  /** The browser track that a slot receives. @param {string} mid @returns {MediaStreamTrack|null} */
  slotTrack(mid) { return this.#slots.track(mid); }

  /**
   * A slot carries a publication from now on, whose frames are to be decrypted.
   *
   * @param {string} mid
   * @param {import("./publication.js").Publication|null} publication null for nothing
   */
  assignSlot(mid, publication) { this.#slots.assign(mid, publication); }

  // MARK: Offers

  /** Starts making the first offer, of this client's tracks and some slots, before the server's address is known. */
  prepareOffer() {
    this.ensureSlots({ audio: initialSlots, video: initialSlots });
    this.#negotiator.prepare();
  }

  /**
   * The first offer, which travels inside `join`; see `prepareOffer`.
   *
   * @param {RTCIceServer[]} iceServers
   * @returns {Promise<{offer: string, tracks: object[]}>}
   */
  firstOffer(iceServers) { return this.#negotiator.firstOffer(iceServers); }

  /**
   * Sets the servers with credentials for the time in the meeting. An ICE restart uses them; the present path stays.
   *
   * @param {RTCIceServer[]} iceServers
   */
  useServers(iceServers) { this.#negotiator.useServers(iceServers); }

  /** Applies the server's answer to the first offer. @param {string} sdp */
  firstAnswer(sdp) { return this.#negotiator.firstAnswer(sdp); }

  /**
   * Sends an offer with the state as it is then. Calls during one share the next.
   *
   * @param {{iceRestart?: boolean}} [options]
   * @returns {Promise<void>} when the answer is in place
   */
  negotiate(options) { return this.#negotiator.negotiate(options); }

  /**
   * Negotiates in the background: `refused` reports a refusal.
   *
   * @param {{iceRestart?: boolean}} [options]
   */
  renegotiate(options) { this.#negotiator.renegotiate(options); }

  /** Applies an `answer` message. @returns {Promise<boolean>} whether it belongs to the offer under way */
  receiveAnswer(message) { return this.#negotiator.receiveAnswer(message); }

  /**
   * Applies an `error` message about an offer.
   *
   * @returns {Promise<boolean>} whether it belongs to the offer under way
   */
  receiveRefusal(message) { return this.#negotiator.receiveRefusal(message); }

  /** Sends the offer under way again, after signalling was lost. */
  resend() { this.#negotiator.resend(); }

  /** Restarts ICE: new credentials on both sides, while media goes on as long as it can. @returns {Promise<void>} */
  restartIce() { return this.negotiate({ iceRestart: true }); }

  /** Ends the connection. */
  close() {
    this.#recovery.close();
    this.#senders.close();
    this.#pc.close();
    this.#encryption?.close();
    this.#negotiator.close();
    this.dispatchEvent(new Event("closed"));
  }
}
