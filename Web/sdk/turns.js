import { ParleyError } from "./errors.js";

/**
 * How many go out: at once, and a second on average. The server closes the socket of who sends more than 50 messages a second (200 at once), and what
 * is left of that is for everything else.
 */
const pace = { burst: 100, perSecond: 40 };
/**
 * How many bytes go out: at once, and a second on average. The server passes on 64 KiB a second of one participant (256 KiB at once), and counts 300
 * bytes for each message besides its own.
 */
const bytePace = { burst: 224 << 10, perSecond: 56 << 10, each: 300 };
/** How long nothing goes out after the server has refused something with `tooFast`: it takes nothing for half of that. */
const holdBack = 1_000;
/** How many, with how much text, may be without the server's answer: what a slow network holds back arrives all at once. */
const unanswered = { count: 100, characters: 128 << 10 };
/** How many of a kind wait at most. */
const longestQueue = 1_000;
/** How long an answer is waited for over a socket that works: longer than it takes to see that one does not. */
const patience = 30_000;

const encoder = new TextEncoder();

/**
 * What of one meeting goes to the server in its turn, chat messages and signals: as fast as it takes them and in their order, each until it has been
 * answered.
 */
export class Turns {
  #send;
  #isOpen;
  #queue = [];
  /** What is on its way, by its number, in the order in which it was sent. */
  #underWay = new Map();
  #characters = 0;
  #lastId = 0;
  #turns = pace.burst;
  #bytes = bytePace.burst;
  #counted = performance.now();
  #heldUntil = 0;
  #timer = null;
  #closed = false;

  /**
   * @param {(message: object) => void} send
   * @param {() => boolean} isOpen whether something can be sent now
   */
  constructor(send, isOpen) {
    this.#send = send;
    this.#isOpen = isOpen;
  }

  /**
   * Sends a message, now or in its turn.
   *
   * @param {object} message as in the protocol, without `id`
   * @param {{kind: string, waits?: boolean, repeats?: boolean}} options `kind`: what to call more of them; `waits` false for one that is of no use
   *   after a loss of the connection; `repeats` for one that is sent again, under the same number, when the connection was lost before the answer
   * @returns {{id: number, answer: Promise<void>}} its number, and what resolves when the server has done it; rejects with a `ParleyError`: the server's
   *   own, `tooFast` only after half a minute in which it was sent again, `unreachable` when the connection was lost before the answer, or none came,
   *   `cancelled` when the meeting ended
   * @throws {ParleyError} `tooFast` where too many wait, `unreachable` where it must not wait, `cancelled` after the meeting
   */
  add(message, { kind, waits = true, repeats = false }) {
    const problem = this.#problem(kind, waits);
    if (problem) { throw problem; }
    // Below zero, so that no offer has the same number.
    const id = --this.#lastId;
    const answer = new Promise((resolve, reject) => {
      this.#queue.push({ id, message, kind, waits, repeats, size: (message.text ?? message.data ?? "").length, resolve, reject, timer: null, since: null });
    });
    this.flush();
    return { id, answer };
  }

  /** Whether one more would be taken. @param {string} kind @param {boolean} waits */
  takes(kind, waits) { return this.#problem(kind, waits) === null; }

  #problem(kind, waits) {
    if (this.#closed) { return new ParleyError("cancelled", "The meeting is over."); }
    if (!waits && !this.#isOpen()) { return new ParleyError("unreachable", "The server cannot be reached just now. Try again when the connection is back."); }
    if (this.#queue.length < longestQueue || this.#queue.filter((each) => each.kind === kind).length < longestQueue) { return null; }
    return new ParleyError(
      "tooFast", `${longestQueue} ${kind} wait to be sent already, which is the limit: ${pace.perSecond} a second go out, ${pace.burst} at once. Send fewer.`,
    );
  }

  /** Sends what may go now. */
  flush() {
    while (this.#queue.length > 0 && this.#fits(this.#queue[0]) && this.#isOpen() && this.#takeTurn(this.#queue[0])) {
      const item = this.#queue.shift();
      item.since ??= performance.now();
      this.#underWay.set(item.id, item);
      this.#characters += item.size;
      item.timer = setTimeout(() => this.answered(item.id, new ParleyError("unreachable", "The server did not answer.")), patience);
      this.#send({ ...item.message, id: item.id });
    }
    // Without a connection, or with too many unanswered, what changes that flushes.
    if (this.#queue.length === 0 || this.#timer !== null || !this.#fits(this.#queue[0]) || !this.#isOpen()) { return; }
    this.#timer = setTimeout(() => { this.#timer = null; this.flush(); }, Math.max(1_000 / pace.perSecond, this.#heldUntil - performance.now()));
  }

  #fits({ size }) {
    return this.#underWay.size === 0 || this.#underWay.size < unanswered.count && this.#characters + size <= unanswered.characters;
  }

  #takeTurn({ message }) {
    const now = performance.now();
    this.#turns = Math.min(pace.burst, this.#turns + (now - this.#counted) * pace.perSecond / 1_000);
    this.#bytes = Math.min(bytePace.burst, this.#bytes + (now - this.#counted) * bytePace.perSecond / 1_000);
    this.#counted = now;
    if (this.#turns < 1 || now < this.#heldUntil) { return false; }
    const bytes = encoder.encode(JSON.stringify(message)).length + bytePace.each;
    if (this.#bytes < bytes) { return false; }
    this.#turns -= 1;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * The server has done what a number stands for, or refused it.
   *
   * @param {number} id
   * @param {ParleyError|null} [error]
   * @returns {boolean} whether it was one of these
   */
  answered(id, error = null) {
    const item = this.#underWay.get(id);
    if (!item) { return false; }
    this.#land(item);
    if (error?.code === "tooFast" && item.waits && performance.now() - item.since < patience) {
      this.#holdBack(item);
      return true;
    }
    if (error) { item.reject(error); } else { item.resolve(); }
    this.flush();
    return true;
  }

  /** The meeting passes on no more just now: what it has refused goes out later, before everything that was said after it. */
  #holdBack(item) {
    // Numbers go down.
    const later = this.#queue.findIndex(({ id }) => id < item.id);
    this.#queue.splice(later < 0 ? this.#queue.length : later, 0, item);
    this.#heldUntil = performance.now() + holdBack;
    this.flush();
  }

  #land(item) {
    this.#underWay.delete(item.id);
    this.#characters -= item.size;
    clearTimeout(item.timer);
  }

  /**
   * The connection is gone, and the answers with it. What repeats is sent again before everything that waits: the server knows by the number what it has
   * passed on. Nobody knows that of the rest, and what is of use only at once is dropped.
   *
   * @param {ParleyError} [error] why, if that is known
   */
  lost(error = new ParleyError("unreachable", "The connection was lost before the server had answered.")) {
    const sent = [...this.#underWay.values()];
    for (const item of sent) { this.#land(item); }
    for (const { reject } of sent.filter(({ repeats }) => !repeats)) { reject(error); }
    const dropped = this.#queue.filter(({ waits }) => !waits);
    this.#queue = [...sent.filter(({ repeats }) => repeats), ...this.#queue.filter(({ waits }) => waits)];
    for (const { reject } of dropped) { reject(new ParleyError("unreachable", "The connection was lost before it was sent.")); }
  }

  /** Something that waits has arrived after all. @param {(message: object) => boolean} test finds it, the oldest first */
  arrived(test) {
    const index = this.#queue.findIndex(({ message }) => test(message));
    if (index >= 0) { this.#queue.splice(index, 1)[0].resolve(); }
  }

  /** The meeting is over. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const item of [...this.#underWay.values()]) {
      this.#land(item);
      item.reject(new ParleyError("unreachable", "The meeting was over before the server had answered."));
    }
    for (const { reject } of this.#queue.splice(0)) { reject(new ParleyError("cancelled", "The meeting was over before it was sent.")); }
  }
}
