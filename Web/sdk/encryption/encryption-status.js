/** How long somebody may be there without an announcement, in milliseconds. */
const announcementTime = 5_000;

const noExchange = Object.freeze({ safetyCode: null, waitingFor: Object.freeze([]) });

/**
 * The encryption of a meeting as this client has verified it: `off` (not encrypted), `waiting` (for the keys of
 * `waitingFor`, or before the first keys), `encrypted`, or `refused` (another secret, or none).
 *
 * @typedef {object} EncryptionState
 * @property {"off" | "encrypted" | "waiting" | "refused"} state
 * @property {string | null} safetyCode 30 digits that people compare
 * @property {readonly string[]} waitingFor participant ids
 */

/**
 * The state of a meeting's encryption that people see, by who has keys, whom the server shows, and the time.
 */
export class EncryptionStatus {
  #present;
  #emit;
  #isOn = false;
  #isRefused = false;
  #exchange = noExchange;
  /** The signed names of those who have keys. */
  #members = new Map();
  /** Since when the server shows each participant. */
  #since = new Map();
  /** Those who have keys and whom the server doesn't show. */
  #hidden = new Map();
  #state = Object.freeze({ state: "off", ...noExchange });

  /**
   * @param {() => string[]} present the others whom the server shows
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(present, emit) {
    this.#present = present;
    this.#emit = emit;
  }

  /** @type {EncryptionState} */
  get state() { return this.#state; }

  /** The name that somebody with keys has signed; null for others. @param {string} id @returns {string | null} */
  name(id) { return this.#members.get(id) ?? null; }

  /** Names of those who have keys and whom the server has not shown for some seconds. @type {string[]} */
  get hiddenNames() { return [...this.#hidden].filter(([, { isReported }]) => isReported).map(([id]) => this.#members.get(id) ?? ""); }

  /** This client joins with a link secret. */
  start() {
    this.#isOn = true;
    this.update();
  }

  /** A new connection begins without keys. */
  rejoin() {
    this.#members = new Map();
    this.#since = new Map();
    this.#hidden = new Map();
    this.#exchange = noExchange;
    this.update();
  }

  /**
   * The worker's view of the exchange of keys.
   *
   * @param {{ safetyCode: string | null, waitingFor: string[] }} exchange
   */
  setExchange({ safetyCode, waitingFor }) {
    this.#exchange = { safetyCode, waitingFor };
    this.update();
  }

  /** Somebody has keys. @param {string} id @param {string} name that it signs */
  addMember(id, name) {
    this.#members.set(id, name);
    this.update();
  }

  /** Somebody's keys are gone; the next {@link update} shows it. @param {string} id */
  removeMember(id) { this.#members.delete(id); }

  /** The server shows a participant no longer. @param {string} id */
  removeParticipant(id) {
    this.#since.delete(id);
    this.#members.delete(id);
    this.update();
  }

  /** This client was refused for its secret, or for none. */
  refuse() {
    this.#isRefused = true;
    this.update();
  }

  /** Looks at who is there, and at the time. */
  update() {
    const now = performance.now();
    const present = this.#present();
    for (const id of present) { if (!this.#since.has(id)) { this.#since.set(id, now); } }
    const silent = present.filter((id) => !this.#members.has(id) && now - this.#since.get(id) >= announcementTime);
    this.#findHidden(present, now);
    const { safetyCode, waitingFor } = this.#exchange;
    const waiting = this.#isOn ? [...new Set([...waitingFor, ...silent])].sort() : [];
    const word = this.#isRefused ? "refused" : !this.#isOn ? "off" : safetyCode === null || waiting.length > 0 ? "waiting" : "encrypted";
    const state = { state: word, safetyCode: this.#isOn ? safetyCode : null, waitingFor: waiting };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) { return; }
    this.#state = Object.freeze({ ...state, waitingFor: Object.freeze(waiting) });
    this.#emit("encryptionchange", this.#state);
  }

  /** Says who has keys and is not shown by the server. Somebody who leaves is in neither list a moment later. */
  #findHidden(present, now) {
    for (const [id, name] of this.#members) {
      if (present.includes(id)) { this.#hidden.delete(id); continue; }
      const hidden = this.#hidden.get(id) ?? { since: now, isReported: false };
      this.#hidden.set(id, hidden);
      if (hidden.isReported || now - hidden.since < announcementTime) { continue; }
      hidden.isReported = true;
      this.#emit("hiddenmember", { participant: id, name });
    }
    for (const id of this.#hidden.keys()) { if (!this.#members.has(id)) { this.#hidden.delete(id); } }
  }
}
