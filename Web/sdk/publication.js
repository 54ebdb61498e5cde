/**
 * A track that a participant offers to the others. It has a `track` while this client sends it or receives it.
 */
export class Publication {
  /**
   * @param {{id: string|null, kind: "audio"|"video", source: string, muted: boolean, name?: string}} value as in the protocol
   * @param {import("./participant.js").Participant} participant
   */
  constructor(value, participant) {
    /** The server's id; null for an own track until the server has told it. @type {string|null} */
    this.id = value.id;
    /** @type {"audio"|"video"} */
    this.kind = value.kind;
    /** @type {"microphone"|"camera"|"screen"|"screenAudio"} */
    this.source = value.source;
    /** The name that its sender gave it; null where it goes by the participant's. @type {string|null} */
    this.name = value.name ?? null;
    /** @type {boolean} */
    this.muted = value.muted === true;
    /** Whether it was a host, not the sender, who muted it. @type {boolean} */
    this.mutedByHost = value.mutedByHost === true;
    /** Whether the server does not send it for now because this client's network has no room; it goes on by itself. @type {boolean} */
    this.paused = false;
    /** Why it is paused; null while it is not. @type {"bandwidth"|null} */
    this.pauseReason = null;
    /** Who publishes it. @type {import("./participant.js").Participant} */
    this.participant = participant;
    /** @type {import("./track.js").LocalTrack|import("./track.js").RemoteTrack|null} */
    this.track = null;
  }

  /** Whether the track is received (or, for an own one, sent). @type {boolean} */
  get subscribed() { return this.track !== null; }
}
