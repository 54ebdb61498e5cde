/**
 * The states of a meeting.
 *
 * - `idle`: not joined yet
 * - `connecting`: joining; media doesn't flow yet
 * - `waiting`: in the lobby, or waiting for a host (`meeting.waiting` has the reason); nothing of the meeting is known
 *   yet
 * - `connected`: joined, and the media connection works
 * - `reconnecting`: the signalling or the media connection was lost and is being restored
 * - `ended`: over for this client
 */
export const MeetingState = Object.freeze({
  idle: "idle", connecting: "connecting", waiting: "waiting", connected: "connected", reconnecting: "reconnecting", ended: "ended",
});

/**
 * The state machine behind `meeting.state`. It holds which parts of the connection are down and what the client waits
 * for. It does no I/O: `emit` gets `statechanged`, `reconnecting`, `reconnected` and `waiting`.
 */
export class Lifecycle {
  #emit;
  #state = MeetingState.idle;
  #waiting = null;
  #end = null;

  /** Whether the client was in the meeting at any time. */
  joinedOnce = false;
  /** Whether the client is joining again after it lost its session. */
  rejoining = false;
  /** Whether the socket is lost. */
  signalingDown = false;
  /** Whether the connection has reported that media stopped. */
  mediaDown = false;
  /** Whether the connection was lost in the lobby. */
  waitingLost = false;
  /** Whether the join that goes on went through the lobby. */
  hasWaited = false;

  /** @param {(type: string, detail: object) => void} emit */
  constructor(emit) { this.#emit = emit; }

  /** One of `MeetingState`. @type {string} */
  get state() { return this.#state; }

  /** Why the client waits: `lobby`, `host`, `start`, or null. @type {string|null} */
  get waiting() { return this.#waiting; }

  /** Whether the meeting is over for this client. @type {boolean} */
  get isOver() { return this.#state === MeetingState.ended; }

  /** Why it is over; null before. @type {{reason: string, message: string}|null} */
  get endReason() { return this.#end; }

  /** Joining starts. */
  start() { this.#enter(MeetingState.connecting); }

  /** The server has the client wait. @param {string} reason */
  beginWaiting(reason) {
    if (this.#waiting === reason && !this.waitingLost) { return; }
    this.#waiting = reason;
    this.waitingLost = false;
    this.hasWaited = true;
    this.#enter(MeetingState.waiting);
    this.#emit("waiting", { reason, lost: false });
  }

  /** The connection was lost in the lobby. */
  loseWaiting() {
    this.waitingLost = true;
    this.#emit("waiting", { reason: this.#waiting, lost: true });
  }

  /** The client is admitted, or gives up waiting. */
  endWaiting() {
    if (this.#waiting === null) { return; }
    this.#waiting = null;
    this.waitingLost = false;
    if (this.#state === MeetingState.waiting) { this.#enter(this.joinedOnce ? MeetingState.reconnecting : MeetingState.connecting); }
  }

  /** The rejoin worked: every part of the connection is new. */
  endRejoin() { this.rejoining = this.mediaDown = this.signalingDown = false; }

  /**
   * Works out the state of a joined meeting.
   *
   * @param {RTCPeerConnectionState|undefined} media the state of the media connection
   */
  refresh(media) {
    if (this.isOver || !this.joinedOnce || this.#waiting !== null) { return; }
    const isDown = this.rejoining || this.signalingDown || this.mediaDown;
    // A short gap in the checks isn't an interruption yet; the connection reports one that lasts.
    if (!isDown && media === "disconnected") { return; }
    this.#enter(!isDown && media === "connected" ? MeetingState.connected : MeetingState.reconnecting);
  }

  /**
   * The meeting is over for this client; `end` follows once everything is released.
   *
   * @param {string} reason
   * @param {string} message
   */
  beginEnd(reason, message) {
    this.#end = { reason, message };
    this.#waiting = null;
  }

  /** Everything is released. */
  end() { this.#enter(MeetingState.ended); }

  #enter(state) {
    const before = this.#state;
    if (before === state) { return; }
    this.#state = state;
    this.#emit("statechanged", { state });
    if (state === MeetingState.reconnecting) { this.#emit("reconnecting", {}); }
    if (state === MeetingState.connected && before === MeetingState.reconnecting) { this.#emit("reconnected", {}); }
  }
}
