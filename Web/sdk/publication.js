/**
 * A track that a participant offers to the others. It has a `track` while this client sends it or receives it.
 */
export class Publication {
  #frameRate = null;
  #preferredSize = null;

  /**
   * @param {{id: string|null, kind: "audio"|"video", source: string, muted: boolean, name?: string, created?: string}}
   *   value as in the protocol
   * @param {import("./participant.js").Participant} participant
   */
  constructor(value, participant) {
    /** The server's id; null for this client's track until the server has sent it. @type {string|null} */
    this.id = value.id;
    /** @type {"audio"|"video"} */
    this.kind = value.kind;
    /** @type {"microphone"|"camera"|"screen"|"screenAudio"} */
    this.source = value.source;
    /** The name that its sender gave it; null where it goes by the participant's. @type {string|null} */
    this.name = typeof value.name === "string" ? value.name : null;
    /**
     * When it was published, by the server's clock; null for this client's track until the
     * server has sent it.
     *
     * @type {Date|null}
     */
    this.created = null;
    this._applyFacts(value);
    /** @type {boolean} */
    this.muted = value.muted === true;
    /** Whether it was a host, not the sender, who muted it. @type {boolean} */
    this.mutedByHost = value.mutedByHost === true;
    /**
     * Whether the server does not send it for now because this client's network has no room; it goes on by itself.
     *
     * @type {boolean}
     */
    this.paused = false;
    /** Why it is paused; null while it is not. @type {"bandwidth"|null} */
    this.pauseReason = null;
    /**
     * The codec of somebody else's track, while this browser can't decode it and so isn't sent it.
     *
     * @type {{name: string, parameters?: string}|null}
     */
    this.undecodableCodec = null;
    /**
     * Receivers who can't decode this client's track, and so aren't sent it: the ids of the first ones, and how many
     * there are. Null if everybody can.
     *
     * @type {{codec: {name: string, parameters?: string}, participants: string[], count: number}|null}
     */
    this.undecodableFor = null;
    /** The publisher. @type {import("./participant.js").Participant} */
    this.participant = participant;
    /** @type {import("./track.js").LocalTrack|import("./track.js").RemoteTrack|null} */
    this.track = null;
  }

  /** Takes what the server says once and for all. */
  _applyFacts({ id, created }) {
    this.id = id;
    this.created = typeof created === "string" ? new Date(created) : null;
  }

  /** Whether the track is received (or, for an own one, sent). @type {boolean} */
  get subscribed() { return this.track !== null; }

  /** The requested frame rate; null for all frames. @type {number|null} */
  get frameRate() { return this.#frameRate; }

  /**
   * Limits the frame rate of somebody else's video. The server leaves out temporal layers, which browsers send with
   * cameras, so the video comes with a half or a quarter of its rate, and never with less than the lowest layer.
   *
   * @param {number|null} rate 1 to 240 frames a second; null for all
   * @throws {RangeError} for anything else
   */
  setFrameRate(rate) {
    if (rate !== null && !(Number.isFinite(rate) && rate >= 1 && rate <= 240)) {
      throw new RangeError(`A frame rate is 1 to 240 frames a second, or null for all, not ${rate}.`);
    }
    this.#frameRate = rate === null ? null : Math.round(rate);
    this.track?._viewChanged?.();
  }

  /**
   * The requested size; null for that of the elements that show it.
   *
   * @type {{width: number, height: number}|null}
   */
  get preferredSize() { return this.#preferredSize; }

  /**
   * Asks for somebody else's video at a size of its own, for as long as an element shows it. If the sender sends
   * several sizes, the server forwards the smallest that fills this one.
   *
   * @param {{width: number, height: number}|null} size in pixels of the video, 1 to 16,384; null for that of the
   *   elements that show it
   * @throws {RangeError} for anything else
   */
  setPreferredSize(size) {
    const isLength = (value) => Number.isInteger(value) && value >= 1 && value <= 16_384;
    if (size !== null && !(isLength(size?.width) && isLength(size?.height))) {
      throw new RangeError("A preferred size has a width and a height of 1 to 16,384 pixels, or is null for that of the elements that show it.");
    }
    this.#preferredSize = size;
    this.track?._viewChanged?.();
  }
}
