/**
 * The publication that each slot carries, and the pauses of the server. It does no I/O: `receive` gives the track of a
 * slot, and events come out through `emit`.
 */
export class Slots {
  #roster;
  #receive;
  #emit;
  #slots = [];
  #paused = { publications: new Set(), reason: null };

  /**
   * @param {import("./roster.js").Roster} roster
   * @param {(publication: import("./publication.js").Publication, mid: string) =>
   *   import("./track.js").RemoteTrack|null} receive the track of a slot; null if the connection has no such slot of
   *   the publication's kind
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(roster, receive, emit) {
    this.#roster = roster;
    this.#receive = receive;
    this.#emit = emit;
  }

  /**
   * Applies a message about slots.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "slots": this.applyAll(message.slots); return true;
      case "paused": this.#applyPaused(message.slots, message.reason); return true;
      default: return false;
    }
  }

  /** Applies the content of every slot. @param {{mid: string, publication: string|null}[]} slots */
  applyAll(slots) {
    if (!Array.isArray(slots)) { return; }
    this.#slots = slots;
    this.refresh();
  }

  /** Matches tracks with slots again, after a publication was added. */
  refresh() {
    const mids = new Map();
    for (const { mid, publication } of this.#slots) {
      if (typeof publication === "string") { mids.set(publication, String(mid)); }
    }
    const publications = this.#roster.remotePublications;
    for (const publication of publications) {
      if (publication.track && publication.track.mid !== mids.get(publication.id)) { this.release(publication); }
    }
    for (const publication of publications) {
      const mid = mids.get(publication.id);
      if (mid === undefined || publication.track) { continue; }
      publication.track = this.#receive(publication, mid);
      if (!publication.track) { continue; }
      this.#emit("trackSubscribed", { participant: publication.participant, publication, track: publication.track });
    }
    // A pause may arrive before the publication that it is about.
    this.#showPaused();
  }

  /**
   * Ends the track of a publication that no slot carries.
   *
   * @param {import("./publication.js").Publication} publication
   */
  release(publication) {
    const { track, participant } = publication;
    if (!track || participant.isLocal) { return; }
    publication.track = null;
    publication.paused = false;
    publication.pauseReason = null;
    this.#emit("trackUnsubscribed", { participant, publication, track });
    track._end();
  }

  /** The connection is gone, and every slot with it. */
  reset() {
    this.#slots = [];
    this.#paused = { publications: new Set(), reason: null };
    for (const publication of this.#roster.remotePublications) { this.release(publication); }
  }

  #applyPaused(slots, reason) {
    const mids = new Set(Array.isArray(slots) ? slots.map(String) : []);
    const paused = this.#slots.filter(({ mid }) => mids.has(String(mid)));
    this.#paused = { publications: new Set(paused.map(({ publication }) => publication)), reason: String(reason) };
    this.#showPaused();
  }

  #showPaused() {
    const { publications, reason } = this.#paused;
    for (const publication of this.#roster.remotePublications) {
      const paused = publication.kind === "video" && publication.track !== null && publications.has(publication.id);
      if (publication.paused === paused) { continue; }
      publication.paused = paused;
      publication.pauseReason = paused ? reason : null;
      const { participant } = publication;
      this.#emit(paused ? "trackPaused" : "trackResumed", { participant, publication, reason: publication.pauseReason });
    }
  }
}
