import { ParleyError } from "./errors.js";

/** The parts of every configuration of the browser's connection. */
export const policies = { bundlePolicy: "max-bundle", rtcpMuxPolicy: "require" };

/**
 * The offers and answers of one peer connection. The client always offers, and there is never more than one offer under
 * way: a change during one goes into the next.
 */
export class Negotiator {
  #pc;
  #policies;
  #send;
  #senders;
  #answerFilter;
  #onRefused;
  #wanted = null;
  #pending = null;
  #prepared = null;
  #servers = null;
  #lastId = 0;
  #running = false;
  #closed = false;
  #reported = null;

  /**
   * @param {RTCPeerConnection} pc
   * @param {object} options
   * @param {import("./senders.js").Senders} options.senders
   * @param {(message: object) => boolean} options.send
   * @param {"tcp"} [options.iceTransport]
   * @param {object} [options.configuration] further parts of every configuration
   * @param {(error: Error) => void} options.onRefused an offer that nobody waits for was refused
   */
  constructor(pc, { senders, send, iceTransport, configuration = {}, onRefused }) {
    this.#pc = pc;
    this.#policies = { ...policies, ...configuration };
    this.#senders = senders;
    this.#send = send;
    this.#answerFilter = iceTransport === "tcp" ? withoutUDP : (sdp) => sdp;
    this.#onRefused = onRefused;
  }

  /** Starts making the first offer, before the server's address is known. */
  prepare() {
    this.#prepared = this.#pc.createOffer();
    this.#prepared.catch(() => {});
  }

  /**
   * The first offer, for `join`.
   *
   * @param {RTCIceServer[]} iceServers
   * @returns {Promise<{offer: string, tracks: object[]}>}
   */
  async firstOffer(iceServers) {
    // Candidates are gathered from the moment the offer is in place, so the servers must be known by then.
    if (iceServers.length > 0) { this.#pc.setConfiguration({ ...this.#policies, iceServers }); }
    await this.#pc.setLocalDescription(await this.#prepared);
    return this.#description;
  }

  /** Applies the answer to the first offer. @param {string} sdp */
  async firstAnswer(sdp) {
    await this.#setAnswer(sdp);
    if (this.#wanted) { this.#run(); }
  }

  /** Sets the ICE servers for later restarts. @param {RTCIceServer[]} iceServers */
  useServers(iceServers) { this.#servers = iceServers; }

  /**
   * Sends an offer with the state as it is then. Calls during one share the next.
   *
   * @param {{iceRestart?: boolean}} [options]
   * @returns {Promise<void>} when the answer is in place
   */
  negotiate({ iceRestart = false } = {}) {
    if (this.#closed) { return Promise.resolve(); }
    this.#wanted ??= withResolvers({ iceRestart: false });
    this.#wanted.iceRestart ||= iceRestart;
    const { promise } = this.#wanted;
    this.#run();
    return promise;
  }

  /** Negotiates in the background: a refusal is reported. @param {{iceRestart?: boolean}} [options] */
  renegotiate(options) { this.negotiate(options).catch((error) => this.report(error)); }

  /** Reports a refusal once, however many asked for its offer. @param {Error} error */
  report(error) {
    if (this.#reported === error || this.#closed) { return; }
    this.#reported = error;
    this.#onRefused(error);
  }

  /**
   * Applies an `answer` message.
   *
   * @param {{id: number, answer: string}} message
   * @returns {Promise<boolean>} whether it belongs to the offer under way
   */
  async receiveAnswer({ id, answer }) {
    const pending = this.#pending;
    if (pending?.id !== id) { return false; }
    try {
      await this.#setAnswer(answer);
      this.#pending = null;
      pending.resolve();
    } catch (error) {
      await this.#rollBack(pending, error);
    }
    return true;
  }

  /**
   * Applies an `error` message about an offer.
   *
   * @param {{id?: number, code: string, message: string}} message
   * @returns {Promise<boolean>} whether it belongs to the offer under way
   */
  async receiveRefusal({ id, code, message }) {
    if (!this.#pending || this.#pending.id !== id) { return false; }
    await this.#rollBack(this.#pending, new ParleyError(code, message));
    return true;
  }

  /** Sends the offer under way again, after signalling was lost. */
  resend() {
    if (this.#pending) { this.#send(this.#pending.message); }
  }

  /** Ends the negotiation; every caller's wait ends too. */
  close() {
    this.#closed = true;
    this.#pending?.resolve();
    this.#wanted?.resolve();
    this.#pending = this.#wanted = null;
  }

  get #description() { return { offer: withoutCandidates(this.#pc.localDescription.sdp), tracks: this.#senders.tracks }; }

  async #run() {
    if (this.#running || this.#closed || this.#pc.signalingState !== "stable" || !this.#pc.remoteDescription) { return; }
    this.#running = true;
    while (this.#wanted && !this.#closed) {
      const wanted = this.#wanted;
      this.#wanted = null;
      try {
        await this.#senders.settled();
        // With other servers the browser restarts ICE, so they come with a restart only.
        if (wanted.iceRestart && this.#servers !== null) { this.#pc.setConfiguration({ ...this.#policies, iceServers: this.#servers }); }
        await this.#pc.setLocalDescription(await this.#pc.createOffer({ iceRestart: wanted.iceRestart }));
        await new Promise((resolve, reject) => {
          const id = this.#lastId += 1;
          const message = { type: "offer", id, ...this.#description };
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

  async #setAnswer(sdp) {
    await this.#pc.setRemoteDescription({ type: "answer", sdp: this.#answerFilter(sdp) });
    this.#senders.applyWanted();
  }

  async #rollBack(pending, error) {
    this.#pending = null;
    try { await this.#pc.setLocalDescription({ type: "rollback" }); } catch { /* already stable */ }
    pending.reject(error);
  }
}

/**
 * The server waits for the client's checks and reads no candidates, and a machine with dozens of addresses would send
 * hundreds of them with each offer.
 */
function withoutCandidates(sdp) {
  return sdp.split("\r\n").filter((line) => !line.startsWith("a=candidate:")).join("\r\n");
}

function withoutUDP(sdp) {
  return sdp.split("\r\n").filter((line) => !/^a=candidate:\S+ \d+ udp /i.test(line)).join("\r\n");
}

function withResolvers(fields) {
  const result = { ...fields };
  result.promise = new Promise((resolve, reject) => { result.resolve = resolve; result.reject = reject; });
  result.promise.catch(() => {});
  return result;
}
