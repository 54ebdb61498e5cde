import { cameraEncodings, rateOfLayers, sideOf } from "./camera-layers.js";
import { ParleyError } from "./errors.js";
import { Stats } from "./stats.js";

const initialSlots = 4;
const maximumSlots = { audio: 16, video: 48 };
const disconnectedPatience = 3_000;
const restartPatience = 6_000;
const maximumRestarts = 3;

/** What every configuration of the browser's connection says. */
const policies = { bundlePolicy: "max-bundle", rtcpMuxPolicy: "require" };

/** AOM, RTP payload format for AV1, appendix A. */
const dependencyDescriptor = "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension";

const sendLimits = {
  camera: { maxBitrate: 1_700_000 },
  screen: { maxBitrate: 2_500_000, maxFramerate: 30 },
  microphone: { maxBitrate: 40_000 },
  screenAudio: { maxBitrate: 128_000 },
};

/** Codecs that carry several sizes of a picture in one stream. */
const layered = new Set(["VP9", "AV1"]);

/** How often the size of a camera is looked at, in milliseconds: no event tells of it. */
const sizePace = 1_000;

/**
 * The one peer connection of a client. The client always offers: `sendonly` m-sections for its own tracks, `recvonly` ones as slots that
 * the server fills as it likes. There is never more than one offer under way.
 *
 * Dispatches `statechange`, `interrupted` (media stopped; an ICE restart is being tried), `recovered`, `failed` (restarts did not help) and
 * `refused` (an offer that nobody waits for was refused; `detail` is the error).
 */
export class Connection extends EventTarget {
  #pc;
  #send;
  #options;
  #senders = new Map();
  #slots = { audio: [], video: [] };
  #stats;
  #wanted = null;
  #running = false;
  #pending = null;
  #prepared = null;
  #nextId = 1;
  #restarts = 0;
  #servers = null;
  #timer = null;
  #sizes;
  #interrupted = false;
  #everConnected = false;
  #closed = false;
  #told = null;

  /**
   * @param {object} options
   * @param {string} [options.preferredVideoCodec] `VP8`, `VP9`, `H264` or `AV1`
   * @param {boolean} [options.simulcast] false sends a camera in one size
   * @param {"tcp"} [options.iceTransport] use only TCP candidates of the server
   * @param {import("./data-channels.js").DataChannels} [options.data] whose channels this connection is to carry
   * @param {(message: object) => boolean} send sends an `offer` message; false when it cannot be sent now, then `resend` follows later
   */
  constructor(options, send) {
    super();
    this.#options = options;
    this.#send = send;
    this.#pc = new RTCPeerConnection(policies);
    this.#stats = new Stats(this.#pc);
    options.data?.attach(this.#pc);
    this.#pc.addEventListener("connectionstatechange", () => this.dispatchEvent(new Event("statechange")));
    this.#pc.addEventListener("iceconnectionstatechange", () => this.#iceChanged());
    this.#sizes = setInterval(() => this.#followSize().catch(reportOwn), sizePace);
  }

  /** The browser's object, for statistics and tests. @type {RTCPeerConnection} */
  get peerConnection() { return this.#pc; }

  /** Whether media can flow now. @type {boolean} */
  get connected() { return this.#pc.connectionState === "connected"; }

  /** Whether media could flow at any time. @type {boolean} */
  get everConnected() { return this.#everConnected; }

  /** Statistics of this connection. @type {Stats} */
  get stats() { return this.#stats; }

  // MARK: Own tracks

  /**
   * Adds an own track, to be carried by the next offer.
   *
   * @param {string} source
   * @param {MediaStreamTrack} track
   * @param {boolean} muted
   * @param {string|null} name what the others see as its name; null for the participant's
   */
  addTrack(source, track, muted, name = null) {
    const known = this.#senders.get(source);
    if (known) {
      // An m-section given up earlier is taken again, so that the offer does not grow with every screen share.
      known.active = true;
      known.muted = muted;
      known.name = name;
      if (known.codec) {
        known.codec = null;
        this.#preferCodecs(known.transceiver, track.kind, true);
      }
      known.transceiver.direction = "sendonly";
      known.replaced = known.transceiver.sender.replaceTrack(track);
      // A new publication: everything of it is wanted until the server says otherwise.
      if (known.wanted) { this.setWanted({ mid: known.transceiver.mid, active: true }); }
      return;
    }
    const encodings = this.#encodings(source, track);
    const transceiver = this.#pc.addTransceiver(track, { direction: "sendonly", sendEncodings: encodings.map((each) => ({ ...each })) });
    this.#preferCodecs(transceiver, track.kind, true);
    this.#senders.set(source, { transceiver, encodings, muted, name, active: true, codec: null, replaced: Promise.resolve() });
  }

  #encodings(source, track) {
    const codec = this.#options.preferredVideoCodec;
    if (source !== "camera" || this.#options.simulcast === false) { return [{ ...sendLimits[source] }]; }
    // These two carry their sizes in one stream.
    if (layered.has(codec)) { return [{ ...sendLimits.camera, scalabilityMode: "L3T3_KEY" }]; }
    const { width = 0, height = 0 } = track.getSettings?.() ?? {};
    return cameraEncodings(Math.max(width, height));
  }

  /** Sends a camera in the sizes that suit the size that it has by now. */
  async #followSize() {
    const camera = this.#senders.get("camera");
    if (!camera?.active || !camera.encodings[0].rid) { return; }
    const side = await sideOf(camera.transceiver.sender);
    if (side === 0) { return; }
    const encodings = cameraEncodings(side);
    if (encodings.every((each, index) => each.scaleResolutionDownBy === camera.encodings[index].scaleResolutionDownBy && each.active === camera.encodings[index].active)) { return; }
    camera.encodings = encodings;
    this.#apply(camera);
  }

  /**
   * Takes a `wanted` message: what nobody watches is not sent.
   *
   * @param {{mid: string, active: boolean, rids?: string[]|null, spatialLayers?: number, spatialLayerCount?: number, maxFrameRate?: number}} message
   */
  setWanted(message) {
    for (const each of this.#senders.values()) {
      if (each.transceiver.mid !== message.mid) { continue; }
      each.wanted = message;
      this.#apply(each);
    }
  }

  /**
   * Takes a `sendCodec` message: a track is sent in another codec, since not everybody can decode the one that this client prefers.
   *
   * @param {{mid: string, codec: {name: string, parameters?: string}|null}} message
   */
  setSendCodec({ mid, codec }) {
    for (const each of this.#senders.values()) {
      if (each.transceiver.mid !== mid || !each.active) { continue; }
      each.codec = typeof codec?.name === "string" ? codec : null;
      this.#preferCodecs(each.transceiver, "video", true, each.codec);
      // Browsers send the first codec of the answer, which keeps the order of the offer.
      this.negotiate().then(() => this.#apply(each)).catch((error) => this.#tell(error));
    }
  }

  #apply(each) { each.changing = (each.changing ?? Promise.resolve()).then(() => this.#applyParameters(each)).catch(reportOwn); }

  async #applyParameters(each) {
    const { transceiver, encodings, wanted = { active: true } } = each;
    const codec = each.codec?.name ?? this.#options.preferredVideoCodec;
    const parameters = transceiver.sender.getParameters();
    let differs = false;
    for (const [index, encoding] of (parameters.encodings ?? []).entries()) {
      const own = encodings[index];
      const active = own?.active !== false && wanted.active === true
        && (!encoding.rid || !Array.isArray(wanted.rids) || wanted.rids.includes(encoding.rid));
      const changes = { active, maxFramerate: watchedRate(own, wanted) };
      if (own?.rid) { Object.assign(changes, { scaleResolutionDownBy: own.scaleResolutionDownBy, maxBitrate: own.maxBitrate }); }
      // Browsers that know no layers in one stream do not say how many they send.
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

  /**
   * Puts another browser track under a source, without an offer.
   *
   * @param {string} source
   * @param {MediaStreamTrack|null} track null sends nothing
   */
  async replaceTrack(source, track) {
    const known = this.#senders.get(source);
    if (known) { await known.transceiver.sender.replaceTrack(track); }
  }

  /**
   * Gives up an own track; the next offer says so.
   *
   * @param {string} source
   */
  removeTrack(source) {
    const known = this.#senders.get(source);
    if (!known) { return; }
    known.active = false;
    known.transceiver.direction = "inactive";
    known.replaced = known.transceiver.sender.replaceTrack(null);
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

  /** What the protocol calls `tracks`. @type {{mid: string, source: string, muted: boolean, name?: string}[]} */
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

  // MARK: Slots

  /**
   * Makes sure that there are at least so many receive slots.
   *
   * @param {{audio?: number, video?: number}} count
   * @returns {boolean} whether some were added, so that an offer is needed
   */
  ensureSlots(count) {
    let added = false;
    for (const kind of ["audio", "video"]) {
      const wanted = Math.min(maximumSlots[kind], Number(count[kind]) || 0);
      while (this.#slots[kind].length < wanted) {
        const transceiver = this.#pc.addTransceiver(kind, { direction: "recvonly" });
        this.#preferCodecs(transceiver, kind, false);
        if (kind === "video") { receiveDescriptors(transceiver); }
        this.#slots[kind].push(transceiver);
        added = true;
      }
    }
    return added;
  }

  /**
   * The browser track that a slot receives.
   *
   * @param {string} mid
   * @returns {MediaStreamTrack|null}
   */
  slotTrack(mid) {
    for (const transceiver of [...this.#slots.audio, ...this.#slots.video]) {
      if (transceiver.mid === mid) { return transceiver.receiver.track; }
    }
    return null;
  }

  // MARK: Offers

  /** Begins to make the first offer, of the own tracks and some slots, before it is known where the server is. */
  prepareOffer() {
    this.ensureSlots({ audio: initialSlots, video: initialSlots });
    this.#prepared = this.#pc.createOffer();
    this.#prepared.catch(() => {});
  }

  /**
   * The first offer, which travels inside `join`; see `prepareOffer`.
   *
   * @param {RTCIceServer[]} iceServers
   * @returns {Promise<{offer: string, tracks: object[]}>}
   */
  async firstOffer(iceServers) {
    // Candidates are gathered from the moment the offer is in place, so the servers must be known by then.
    if (iceServers.length > 0) { this.#pc.setConfiguration({ ...policies, iceServers }); }
    await this.#pc.setLocalDescription(await this.#prepared);
    return { offer: withoutCandidates(this.#pc.localDescription.sdp), tracks: this.tracks };
  }

  /**
   * The servers with credentials for the time in the meeting: an ICE restart uses them, what stands goes on as it is.
   *
   * @param {RTCIceServer[]} iceServers
   */
  useServers(iceServers) { this.#servers = iceServers; }

  /**
   * Takes the server's answer to the first offer.
   *
   * @param {string} sdp
   */
  async firstAnswer(sdp) {
    await this.#setAnswer(sdp);
    if (this.#wanted) { this.#run(); }
  }

  /**
   * Sends an offer with the state as it is then. Calls that come while one is under way share the next one.
   *
   * @param {{iceRestart?: boolean}} [options]
   * @returns {Promise<void>} when the answer is in place
   */
  negotiate(options = {}) {
    if (this.#closed) { return Promise.resolve(); }
    this.#wanted ??= withResolvers({ iceRestart: false });
    this.#wanted.iceRestart ||= options.iceRestart === true;
    const { promise } = this.#wanted;
    this.#run();
    return promise;
  }

  /**
   * Takes an `answer` message.
   *
   * @param {{id: number, answer: string}} message
   * @returns {Promise<boolean>} whether it belongs to the offer under way
   */
  async receiveAnswer(message) {
    if (this.#pending?.id !== message.id) { return false; }
    const pending = this.#pending;
    try {
      await this.#setAnswer(message.answer);
      this.#pending = null;
      pending.resolve();
    } catch (error) {
      await this.#rollBack(pending, error);
    }
    return true;
  }

  /**
   * Takes an `error` message about an offer.
   *
   * @param {{id?: number, code: string, message: string}} message
   * @returns {Promise<boolean>} whether it belongs to the offer under way
   */
  async receiveRefusal(message) {
    if (!this.#pending || this.#pending.id !== message.id) { return false; }
    await this.#rollBack(this.#pending, new ParleyError(message.code, message.message));
    return true;
  }

  /** Sends the offer under way again, after the signalling was lost. */
  resend() {
    if (this.#pending) { this.#send(this.#pending.message); }
  }

  /**
   * Restarts ICE: new credentials on both sides, while media goes on as long as it can.
   *
   * @returns {Promise<void>}
   */
  restartIce() { return this.negotiate({ iceRestart: true }); }

  /** Ends the connection. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#sizes);
    this.#pc.close();
    this.#pending?.resolve();
    this.#wanted?.resolve();
    this.#pending = this.#wanted = null;
  }

  async #run() {
    if (this.#running || this.#closed || this.#pc.signalingState !== "stable" || !this.#pc.remoteDescription) { return; }
    this.#running = true;
    while (this.#wanted && !this.#closed) {
      const wanted = this.#wanted;
      this.#wanted = null;
      try {
        await Promise.all([...this.#senders.values()].map((each) => each.replaced));
        // Other servers have the browser restart ICE with the next offer, so they come with a restart only.
        if (wanted.iceRestart && this.#servers !== null) { this.#pc.setConfiguration({ ...policies, iceServers: this.#servers }); }
        await this.#pc.setLocalDescription(await this.#pc.createOffer({ iceRestart: wanted.iceRestart }));
        await new Promise((resolve, reject) => {
          const id = this.#nextId++;
          const message = { type: "offer", id, offer: withoutCandidates(this.#pc.localDescription.sdp), tracks: this.tracks };
          this.#pending = { id, message, resolve, reject };
          this.#send(message);
        });
        wanted.resolve();
      } catch (error) {
        wanted.reject(error);
      }
    }
    this.#running = false;
  }

  /**
   * Negotiates for nobody who waits for it: that it was refused is told by `refused`.
   *
   * @param {{iceRestart?: boolean}} [options]
   */
  renegotiate(options = {}) { this.negotiate(options).catch((error) => this.#tell(error)); }

  /** Tells of a refusal, once, however many have asked for that offer. */
  #tell(error) {
    if (this.#told === error || this.#closed) { return; }
    this.#told = error;
    this.dispatchEvent(new CustomEvent("refused", { detail: error }));
  }

  async #rollBack(pending, error) {
    this.#pending = null;
    try { await this.#pc.setLocalDescription({ type: "rollback" }); } catch { /* already stable */ }
    pending.reject(error);
  }

  async #setAnswer(sdp) {
    const text = this.#options.iceTransport === "tcp" ? withoutUDP(sdp) : sdp;
    await this.#pc.setRemoteDescription({ type: "answer", sdp: text });
  }

  #preferCodecs(transceiver, kind, sending, first = null) {
    if (typeof transceiver.setCodecPreferences !== "function") { return; }
    const codecs = RTCRtpReceiver.getCapabilities?.(kind)?.codecs;
    if (!codecs) { return; }
    const usual = kind === "audio" ? audioRank : videoRank(this.#options.preferredVideoCodec, sending);
    const rank = first === null ? usual : (codec) => requestedRank(codec, first) ?? usual(codec);
    const chosen = codecs.filter((codec) => rank(codec) < 100);
    const sorted = chosen.map((codec, index) => ({ codec, index }))
      .sort((a, b) => rank(a.codec) - rank(b.codec) || a.index - b.index)
      .map(({ codec }) => codec);
    try { transceiver.setCodecPreferences(sorted); } catch { /* the browser's own order is as good */ }
  }

  // MARK: Losing and finding the path

  #iceChanged() {
    const state = this.#pc.iceConnectionState;
    clearTimeout(this.#timer);
    if (state === "connected" || state === "completed") {
      this.#everConnected = true;
      this.#restarts = 0;
      if (this.#interrupted) {
        this.#interrupted = false;
        this.dispatchEvent(new Event("recovered"));
      }
    } else if (state === "disconnected") {
      this.#timer = setTimeout(() => this.#restart(), disconnectedPatience);
    } else if (state === "failed") {
      this.#restart();
    }
  }

  #restart() {
    if (this.#closed) { return; }
    if (!this.#interrupted) {
      this.#interrupted = true;
      this.dispatchEvent(new Event("interrupted"));
    }
    if (this.#restarts >= maximumRestarts) { this.dispatchEvent(new Event("failed")); return; }
    this.#restarts += 1;
    clearTimeout(this.#timer);
    this.restartIce().catch((error) => this.#tell(error)).finally(() => {
      clearTimeout(this.#timer);
      if (this.#interrupted && !this.#closed) { this.#timer = setTimeout(() => this.#restart(), restartPatience); }
    });
  }
}

/** What a browser refuses is as it was before, such as parameters of a sender that has just stopped; any other error is one of this SDK, and is shown as such. */
function reportOwn(error) {
  if (!(error instanceof DOMException)) { globalThis.reportError?.(error); }
}

/**
 * Asks for the header extension that says which frames a frame needs. Chromium offers it by itself for what it sends in layers only, and cannot put
 * pictures of AV1 in several spatial layers together without it.
 *
 * @param {RTCRtpTransceiver} transceiver
 */
function receiveDescriptors(transceiver) {
  try {
    const extensions = transceiver.getHeaderExtensionsToNegotiate();
    for (const each of extensions) { if (each.uri === dependencyDescriptor) { each.direction = "sendrecv"; } }
    transceiver.setHeaderExtensionsToNegotiate(extensions);
  } catch { /* other browsers have no such choice */ }
}

/**
 * What to change in an encoding of one stream with several spatial layers, so that the largest ones, which nobody watches, are left out. The others
 * keep their sizes: the server takes other sizes for another camera.
 *
 * @param {RTCRtpEncodingParameters} whole the encoding with all its layers
 * @param {{spatialLayers?: number, spatialLayerCount?: number}} wanted
 * @returns {RTCRtpEncodingParameters}
 */
function watchedLayers(whole, { spatialLayers: kept, spatialLayerCount: count }) {
  const { scalabilityMode, maxBitrate } = whole ?? {};
  const [, most, temporal] = /^L([23])(T[123])_KEY$/.exec(scalabilityMode ?? "") ?? [];
  if (!most) { return {}; }
  // The browser may send fewer layers than it was asked for, so the server says how many there are.
  if (!(Number.isInteger(kept) && Number.isInteger(count) && kept >= 1 && kept < count && count <= Number(most))) {
    return { scalabilityMode, maxBitrate, scaleResolutionDownBy: 1 };
  }
  return {
    scalabilityMode: kept === 1 ? `L1${temporal}` : `L${kept}${temporal}_KEY`,
    maxBitrate: Math.min(maxBitrate, rateOfLayers(kept, count)),
    scaleResolutionDownBy: 2 ** (count - kept),
  };
}

/** The most pictures a second to send: no more than anybody watches; undefined for all. */
function watchedRate(whole, { maxFrameRate: most }) {
  const own = whole?.maxFramerate;
  return Number.isFinite(most) && most >= 1 ? Math.min(own ?? most, most) : own;
}

/** A server waits for this side's checks and reads no candidates; a machine with dozens of addresses would send hundreds of them with each offer. */
function withoutCandidates(sdp) {
  return sdp.split("\r\n").filter((line) => !line.startsWith("a=candidate:")).join("\r\n");
}

function withoutUDP(sdp) {
  return sdp.split("\r\n").filter((line) => !/^a=candidate:\S+ \d+ udp /i.test(line)).join("\r\n");
}

function audioRank(codec) {
  switch (codec.mimeType.toLowerCase()) {
    case "audio/red": return 0;
    case "audio/opus": return 1;
    default: return 100;
  }
}

/** Before all others comes what the server asks for: just this profile, and then others of the codec. */
function requestedRank(codec, { name, parameters }) {
  if (codec.mimeType.toLowerCase() !== `video/${name}`.toLowerCase()) { return null; }
  return (codec.sdpFmtpLine ?? "") === (parameters ?? "") ? -2 : -1;
}

function videoRank(preferred, sending) {
  return (codec) => {
    const name = codec.mimeType.slice(codec.mimeType.indexOf("/") + 1).toUpperCase();
    if (name === "RTX") { return 50; }
    if (!["VP8", "VP9", "H264", "AV1"].includes(name)) { return 100; }
    // Dozens of slots with every profile would make an offer of hundreds of kilobytes.
    const parameters = codec.sdpFmtpLine ?? "";
    if (name === "VP9" && /profile-id=[1-9]/.test(parameters)) { return 100; }
    if (name === "AV1" && /profile=[1-9]/.test(parameters)) { return 100; }
    if (name === "H264" && (/packetization-mode=0/.test(parameters) || !/profile-level-id=42/i.test(parameters))) {
      return sending ? 40 : 100;
    }
    if (name === preferred) { return 0; }
    return 10;
  };
}

function withResolvers(fields) {
  const result = { ...fields };
  result.promise = new Promise((resolve, reject) => { result.resolve = resolve; result.reject = reject; });
  result.promise.catch(() => {});
  return result;
}
