import { ParleyError } from "./errors.js";

/**
 * Messages that go out: at once, and a second on average. The server closes the socket of a client that sends more than
 * 50 a second (200 at once); the rest of that is for everything else.
 */
const messageRate = { burst: 100, perSecond: 40 };
/**
 * Bytes that go out: at once, and a second on average. The server accepts 64 KiB a second of a participant (256 KiB at
 * once) and counts 300 bytes for each message besides its own.
 */
const byteRate = { burst: 224 << 10, perSecond: 56 << 10, perMessage: 300 };
/** The pause after a `tooFast`, in milliseconds: the server refuses everything for half of it. */
const refusalPause = 1_000;
/**
 * Messages, and characters in them, that may be without an answer: a slow network delivers what it held back at once.
 */
const unanswered = { count: 100, characters: 128 << 10 };
/** Messages of one kind that may wait. */
const longestQueue = 1_000;
/** How long an answer may take on a socket that works, in milliseconds: longer than it takes to notice a dead one. */
const answerTimeout = 30_000;

const encoder = new TextEncoder();

/**
 * Chat messages and signals on their way to the server: sent in their order and as fast as the server accepts them,
 * each held until it is answered.
 */
export class SendQueue {
  #send;
  #isOpen;
  #seal;
  #queue = [];
  /** Sent messages without an answer, by their numbers, in the order in which they were sent. */
  #underWay = new Map();
  #characters = 0;
  #lastId = 0;
  #messages = messageRate.burst;
  #bytes = byteRate.burst;
  #filledAt = performance.now();
  #pausedUntil = 0;
  #timer = null;
  #closed = false;

  /**
   * @param {(message: object) => void} send
   * @param {() => boolean} isOpen whether something can be sent now
   * @param {(message: object) => Promise<object>|null} [seal] makes the encrypted form of a message; null where it has
   *   none
   */
  constructor(send, isOpen, seal = () => null) {
    this.#send = send;
    this.#isOpen = isOpen;
    this.#seal = seal;
  }

  /**
   * Sends a message, now or in its turn.
   *
   * @param {object} message as in the protocol, without `id`
   * @param {object} options
   * @param {string} options.kind the plural of what it is, for errors
   * @param {boolean} [options.waits] false for a message that is useless after the connection was lost
   * @param {boolean} [options.repeats] whether it is sent again, under its number, after a lost connection
   * @returns {{id: number, answer: Promise<void>}} its number, and the server's answer. That rejects with a
   *   `ParleyError`: the server's own (`tooFast` only after half a minute of trying), `unreachable` without an answer,
   *   `cancelled` when the meeting ended
   * @throws {ParleyError} `tooFast` if too many wait, `unreachable` if it must not wait, `cancelled` after the meeting
   */
  add(message, { kind, waits = true, repeats = false }) {
    const problem = this.#problem(kind, waits);
    if (problem) { throw problem; }
    // Below zero, so that no offer has the same number.
    const id = --this.#lastId;
    const answer = new Promise((resolve, reject) => {
      const size = (message.text ?? message.data ?? "").length;
      this.#queue.push({ id, message, kind, waits, repeats, size, resolve, reject, timer: null, since: null, sealed: null, sealing: null });
    });
    this.flush();
    return { id, answer };
  }

  /** Whether `add` would accept one more. @param {string} kind @param {boolean} waits */
  accepts(kind, waits) { return this.#problem(kind, waits) === null; }

  #problem(kind, waits) {
    if (this.#closed) { return new ParleyError("cancelled", "The meeting is over."); }
    if (!waits && !this.#isOpen()) {
      return new ParleyError("unreachable", "The server cannot be reached just now. Try again when the connection is back.");
    }
    if (this.#queue.length < longestQueue || this.#queue.filter((each) => each.kind === kind).length < longestQueue) { return null; }
    const { perSecond, burst } = messageRate;
    return new ParleyError(
      "tooFast", `${longestQueue} ${kind} wait to be sent already, which is the limit: ${perSecond} a second go out, ${burst} at once. Send fewer.`);
  }

  /** Sends what may go now. */
  flush() {
    while (this.#queue.length > 0 && this.#fits(this.#queue[0]) && this.#isOpen() && this.#isSealed(this.#queue[0]) && this.#consume(this.#queue[0])) {
      const item = this.#queue.shift();
      item.since ??= performance.now();
      this.#underWay.set(item.id, item);
      this.#characters += item.size;
      item.timer = setTimeout(() => this.answered(item.id, new ParleyError("unreachable", "The server did not answer.")), answerTimeout);
      this.#send({ ...item.sealed, id: item.id });
    }
    // Without a connection, or with too many unanswered messages, the change of that flushes.
    if (this.#queue.length === 0 || this.#timer !== null || !this.#fits(this.#queue[0]) || !this.#isOpen() || this.#queue[0].sealed === null) { return; }
    const pause = Math.max(1_000 / messageRate.perSecond, this.#pausedUntil - performance.now());
    this.#timer = setTimeout(() => { this.#timer = null; this.flush(); }, pause);
  }

  #fits({ size }) {
    return this.#underWay.size === 0 || this.#underWay.size < unanswered.count && this.#characters + size <= unanswered.characters;
  }

  /** Whether a message has the form in which it goes out; otherwise that is made, and flushes. */
  #isSealed(item) {
    if (item.sealed !== null) { return true; }
    if (item.sealing !== null) { return false; }
    const sealing = this.#seal(item.message);
    if (sealing === null) {
      item.sealed = item.message;
      return true;
    }
    item.sealing = sealing;
    sealing.then((sealed) => {
      if (item.sealing !== sealing) { return; }
      Object.assign(item, { sealed, sealing: null, size: (sealed.text ?? sealed.data ?? "").length });
      this.flush();
    }, (error) => {
      const index = this.#queue.indexOf(item);
      if (item.sealing !== sealing || index < 0) { return; }
      this.#queue.splice(index, 1);
      item.reject(error);
      this.flush();
    });
    return false;
  }

  /** The keys are others: what was sealed and not answered is sealed again. */
  unseal() { for (const item of this.#queue) { item.sealed = item.sealing = null; } }

  #consume({ sealed: message }) {
    const now = performance.now();
    this.#messages = Math.min(messageRate.burst, this.#messages + (now - this.#filledAt) * messageRate.perSecond / 1_000);
    this.#bytes = Math.min(byteRate.burst, this.#bytes + (now - this.#filledAt) * byteRate.perSecond / 1_000);
    this.#filledAt = now;
    if (this.#messages < 1 || now < this.#pausedUntil) { return false; }
    const bytes = encoder.encode(JSON.stringify(message)).length + byteRate.perMessage;
    if (this.#bytes < bytes) { return false; }
    this.#messages -= 1;
    this.#bytes -= bytes;
    return true;
  }

  /**
   * Settles a message by the server's answer.
   *
   * @param {number} id
   * @param {ParleyError|null} [error]
   * @returns {boolean} whether a message with this number was on its way
   */
  answered(id, error = null) {
    const item = this.#underWay.get(id);
    if (!item) { return false; }
    this.#forget(item);
    if (error?.code === "tooFast" && item.waits && performance.now() - item.since < answerTimeout) {
      this.#requeue(item);
      return true;
    }
    if (error) { item.reject(error); } else { item.resolve(); }
    this.flush();
    return true;
  }

  /** Sends a refused message later, before everything that was added after it: the meeting accepts no more for now. */
  #requeue(item) {
    // Numbers go down.
    const later = this.#queue.findIndex(({ id }) => id < item.id);
    this.#queue.splice(later < 0 ? this.#queue.length : later, 0, item);
    this.#pausedUntil = performance.now() + refusalPause;
    this.flush();
  }

  #forget(item) {
    this.#underWay.delete(item.id);
    this.#characters -= item.size;
    clearTimeout(item.timer);
  }

  /**
   * The connection is gone, and the answers with it. Messages that repeat are sent again before everything that waits:
   * the server knows them by their numbers. The others are rejected, since nobody knows whether they arrived.
   *
   * @param {ParleyError} [error] the reason, if it is known
   */
  lost(error = new ParleyError("unreachable", "The connection was lost before the server had answered.")) {
    const sent = [...this.#underWay.values()];
    for (const item of sent) { this.#forget(item); }
    for (const { reject } of sent.filter(({ repeats }) => !repeats)) { reject(error); }
    const dropped = this.#queue.filter(({ waits }) => !waits);
    this.#queue = [...sent.filter(({ repeats }) => repeats), ...this.#queue.filter(({ waits }) => waits)];
    for (const { reject } of dropped) { reject(new ParleyError("unreachable", "The connection was lost before it was sent.")); }
  }

  /**
   * Resolves the oldest waiting message that passes the test: it has arrived.
   *
   * @param {(message: object) => boolean} test
   */
  arrived(test) {
    const index = this.#queue.findIndex(({ message }) => test(message));
    if (index >= 0) { this.#queue.splice(index, 1)[0].resolve(); }
  }

  /** The meeting is over. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const item of [...this.#underWay.values()]) {
      this.#forget(item);
      item.reject(new ParleyError("unreachable", "The meeting was over before the server had answered."));
    }
    for (const { reject } of this.#queue.splice(0)) { reject(new ParleyError("cancelled", "The meeting was over before it was sent.")); }
  }
}
