/** Carries the local participant's tracks into the connection, and reports mutes to the server. */
export class OwnMedia {
  #session;
  #local;

  /**
   * @param {import("./session.js").Session} session
   * @param {import("./local-participant.js").LocalParticipant} local
   */
  constructor(session, local) {
    this.#session = session;
    this.#local = local;
  }

  /** Sends an offer with the tracks as they are then. @returns {Promise<void>} when the server has answered */
  negotiate() { return this.#session.connection?.negotiate() ?? Promise.resolve(); }

  /** Negotiates in the background: a refusal is reported as an `error`. */
  renegotiate() { this.#session.connection?.renegotiate(); }

  /** Adds a track, for the next offer to carry. @param {import("./publication.js").Publication} publication */
  add(publication) { this.#session.addTrack(publication); }

  /**
   * Puts another browser track under a source, with an offer only if the connection doesn't have the source yet.
   *
   * @param {string} source
   * @param {MediaStreamTrack|null} track null sends nothing
   */
  async replace(source, track) {
    const { connection } = this.#session;
    if (!connection) { return; }
    const publication = this.#local.publication(source);
    if (track && publication && connection.midOf(source) === null) {
      // The source was off when this connection was made, so it has no m-section yet.
      this.add(publication);
      await this.negotiate();
      return;
    }
    await connection.replaceTrack(source, track);
  }

  /** Gives up a track, with the next offer. @param {string} source */
  remove(source) { this.#session.connection?.removeTrack(source); }

  /** Reports whether a source is muted. @param {string} source @param {boolean} muted */
  setMuted(source, muted) {
    const mid = this.#session.connection?.setMuted(source, muted) ?? null;
    if (mid !== null) { this.#session.send({ type: "mute", mid, muted }); }
  }
}
