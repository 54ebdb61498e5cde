import { numbered } from "./distinct-names.js";

/** The common part of local and remote participants. Their events are dispatched by `Meeting`. */
export class Participant {
  constructor(id, name) {
    /** The server's id. @type {string} */
    this.id = id;
    /** Display name, as text from outside: show it with `textContent` only. @type {string} */
    this.name = name;
    /**
     * The number among participants of this name, in the order in which they came: 1 for the first. It stays while they
     * are there.
     *
     * @type {number}
     */
    this.nameNumber = 1;
    /** @type {string} */
    this.role = "guest";
    /** The participant's permissions: names such as `publishAudio` and `moderate`. @type {string[]} */
    this.permissions = [];
    /**
     * Its position in the queue of raised hands: the smallest number was first. Null while the hand is down.
     *
     * @type {number|null}
     */
    this.hand = null;
    /** @type {"connected"|"reconnecting"} */
    this.connection = "connected";
    /** Network quality. @type {"excellent"|"good"|"poor"|"lost"|"unknown"} */
    this.quality = "unknown";
    /** Loudness while speaking, 0…1; 0 when silent. @type {number} */
    this.audioLevel = 0;
    /**
     * The join token's text about this participant, for the application; null without one.
     *
     * @type {string|null}
     */
    this.data = null;
    /** When this participant came, by the server's clock. @type {Date|null} */
    this.created = null;
    /** Publications in the order they came. @type {Publication[]} */
    this.publications = [];
  }

  /** The name that distinguishes people of one name: `Ann`, then `Ann (2)`. @type {string} */
  get displayName() { return numbered(this.name, this.nameNumber); }

  /** Whether the server counts this participant among the speakers now. @type {boolean} */
  get speaking() { return this.audioLevel > 0; }

  /** True for the local participant. @type {boolean} */
  get isLocal() { return false; }

  /**
   * The publication of a source.
   *
   * @param {"microphone"|"camera"|"screen"|"screenAudio"} source
   * @returns {Publication|undefined}
   */
  publication(source) { return this.publications.find((each) => each.source === source); }

  /** Takes what the server says once and for all. */
  _applyFacts({ data, created }) {
    this.data = typeof data === "string" ? data : null;
    this.created = typeof created === "string" ? new Date(created) : null;
  }

  /** Whether others hear this participant's microphone. @type {boolean} */
  get microphoneOn() { return this.publication("microphone")?.muted === false; }

  /** Whether others see this participant's camera. @type {boolean} */
  get cameraOn() { return this.publication("camera")?.muted === false; }

  /** Whether this participant shares a screen. @type {boolean} */
  get sharing() { return this.publication("screen")?.muted === false; }
}

/** Somebody else in the meeting. */
export class RemoteParticipant extends Participant {}
