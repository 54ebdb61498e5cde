const disconnectedTimeout = 3_000;
const restartTimeout = 6_000;
const maximumRestarts = 3;

/**
 * Notices that the media path of a connection is lost and restarts ICE, a few times.
 *
 * Dispatches `interrupted` (media stopped), `recovered`, and `failed` (no restart helped).
 */
export class IceRecovery extends EventTarget {
  #pc;
  #restartIce;
  #restarts = 0;
  #timer = null;
  #interrupted = false;
  #closed = false;

  /** Whether media could flow at any time. */
  everConnected = false;

  /**
   * @param {RTCPeerConnection} pc
   * @param {() => Promise<void>} restartIce resolves when the offer is settled, however it ended
   */
  constructor(pc, restartIce) {
    super();
    this.#pc = pc;
    this.#restartIce = restartIce;
    pc.addEventListener("iceconnectionstatechange", () => this.#changed());
  }

  /** Ends the watching. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #changed() {
    const state = this.#pc.iceConnectionState;
    clearTimeout(this.#timer);
    if (state === "connected" || state === "completed") {
      this.everConnected = true;
      this.#restarts = 0;
      if (!this.#interrupted) { return; }
      this.#interrupted = false;
      this.dispatchEvent(new Event("recovered"));
    } else if (state === "disconnected") {
      this.#timer = setTimeout(() => this.#restart(), disconnectedTimeout);
    } else if (state === "failed") {
      this.#restart();
    }
  }

  async #restart() {
    if (this.#closed) { return; }
    if (!this.#interrupted) {
      this.#interrupted = true;
      this.dispatchEvent(new Event("interrupted"));
    }
    if (this.#restarts >= maximumRestarts) { this.dispatchEvent(new Event("failed")); return; }
    this.#restarts += 1;
    clearTimeout(this.#timer);
    await this.#restartIce();
    clearTimeout(this.#timer);
    if (this.#interrupted && !this.#closed) { this.#timer = setTimeout(() => this.#restart(), restartTimeout); }
  }
}
