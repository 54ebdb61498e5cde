import { ParleyError } from "./errors.js";

const kind = "signals";
const longestType = 128;
const longestData = 8_192;

/** Sends signals: short messages of the application's own that are stored nowhere. */
export class Signals {
  #queue;
  #isJoined;

  /**
   * @param {import("./send-queue.js").SendQueue} queue
   * @param {() => boolean} isJoined
   */
  constructor(queue, isJoined) {
    this.#queue = queue;
    this.#isJoined = isJoined;
  }

  /** As `Meeting.signal`. @returns {boolean} false when it was dropped */
  post(signal) {
    const { message, waits } = this.#message(signal);
    const isAccepted = this.#queue.accepts(kind, waits);
    if (isAccepted) { this.#queue.add(message, { kind, waits }).answer.catch(() => {}); }
    return isAccepted;
  }

  /** As `Meeting.sendSignal`. @returns {Promise<void>} */
  async send(signal) {
    const { message, waits } = this.#message(signal);
    await this.#queue.add(message, { kind, waits }).answer;
  }

  #message({ type = "", data = "", to, waits = true }) {
    if (!this.#isJoined()) { throw new ParleyError("notJoined", "Join the meeting first."); }
    if (typeof type !== "string" || typeof data !== "string") { throw new ParleyError("badMessage", "The type and the data of a signal are text."); }
    if (type.length > longestType) { throw new ParleyError("tooLarge", `The type of a signal has at most ${longestType} bytes.`); }
    if (!/^[A-Za-z0-9_~-]*$/.test(type)) {
      throw new ParleyError("badMessage", "The type of a signal has only letters of ASCII, digits, '-', '_' and '~'.");
    }
    if (new TextEncoder().encode(data).length > longestData) {
      throw new ParleyError("tooLarge", `The data of a signal has at most ${longestData} bytes.`);
    }
    return { message: { type: "signal", signal: type, data, ...(to ? { to } : {}) }, waits };
  }
}
