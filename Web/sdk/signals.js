import { ParleyError } from "./errors.js";

/**
 * How many go out: at once, and a second on average. The server closes the socket of who sends more than 50 messages a second (200 at once), and what
 * is left of that is for everything else.
 */
const pace = { burst: 100, perSecond: 40 };
/** How many may be without the server's answer: what a slow network holds back arrives all at once. */
const unanswered = 100;
const longestQueue = 1_000;

/**
 * The signals of one meeting on their way to the server: as fast as it takes them and in their order, each until it has been answered.
 */
export class Signals {
  #ask;
  #isOpen;
  #queue = [];
  #underWay = 0;
  #turns = pace.burst;
  #counted = performance.now();
  #timer = null;

  /**
   * @param {(message: object) => Promise<void>} ask sends a message and settles with the server's answer
   * @param {() => boolean} isOpen whether something can be sent now
   */
  constructor(ask, isOpen) {
    this.#ask = ask;
    this.#isOpen = isOpen;
  }

  /**
   * Sends a signal, now or in its turn.
   *
   * @param {object} message as in the protocol
   * @param {boolean} waits false for one that is of no use after a loss of the connection
   * @returns {Promise<void>} resolves when the server has passed it on; rejects with a `ParleyError`: `notAllowed`, `tooFast` where too many wait,
   *   `unreachable` when the connection was lost before the answer, `cancelled` when the meeting ended
   */
  send(message, waits) {
    const problem = this.#problem(waits);
    if (problem) { return Promise.reject(problem); }
    return new Promise((resolve, reject) => {
      this.#queue.push({ message, waits, resolve, reject });
      this.flush();
    });
  }

  /** Whether one more would be taken. @param {boolean} waits */
  takes(waits) { return this.#problem(waits) === null; }

  #problem(waits) {
    if (!waits && !this.#isOpen()) { return new ParleyError("unreachable", "The server cannot be reached just now."); }
    if (this.#queue.length < longestQueue) { return null; }
    return new ParleyError(
      "tooFast", `${longestQueue} signals wait to be sent already, which is the limit: ${pace.perSecond} a second go out, ${pace.burst} at once. Send fewer.`,
    );
  }

  /** The connection is gone: what is of use only at once is dropped. */
  lost() {
    const dropped = this.#queue.filter(({ waits }) => !waits);
    this.#queue = this.#queue.filter(({ waits }) => waits);
    for (const { reject } of dropped) { reject(new ParleyError("unreachable", "The connection was lost before the signal was sent.")); }
  }

  /** Sends what may go now. */
  flush() {
    while (this.#queue.length > 0 && this.#underWay < unanswered && this.#isOpen() && this.#takeTurn()) {
      const { message, resolve, reject } = this.#queue.shift();
      this.#underWay += 1;
      this.#ask(message).then(resolve, reject).finally(() => { this.#underWay -= 1; this.flush(); });
    }
    // Without a connection, or with too many unanswered, what changes that flushes.
    if (this.#queue.length === 0 || this.#timer !== null || this.#turns >= 1) { return; }
    this.#timer = setTimeout(() => { this.#timer = null; this.flush(); }, 1_000 / pace.perSecond);
  }

  #takeTurn() {
    const now = performance.now();
    this.#turns = Math.min(pace.burst, this.#turns + (now - this.#counted) * pace.perSecond / 1_000);
    this.#counted = now;
    if (this.#turns < 1) { return false; }
    this.#turns -= 1;
    return true;
  }

  /** The meeting is over. */
  close() {
    clearTimeout(this.#timer);
    for (const { reject } of this.#queue.splice(0)) { reject(new ParleyError("cancelled", "The meeting was over before the signal was sent.")); }
  }
}
