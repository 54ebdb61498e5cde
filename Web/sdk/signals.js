import { ParleyError } from "./errors.js";

const kind = "signals";
const longestType = 128;
const longestData = 8_192;
/** Bytes of type and data as JSON, before they are encrypted. */
const longestSealed = 8_220;

/** Sends signals: short messages of the application's own that are stored nowhere. */
export class Signals {
  #queue;
  #isJoined;
  #isEncrypted;

  /**
   * @param {import("./send-queue.js").SendQueue} queue
   * @param {() => boolean} isJoined
   * @param {() => boolean} isEncrypted
   */
  constructor(queue, isJoined, isEncrypted) {
    this.#queue = queue;
    this.#isJoined = isJoined;
    this.#isEncrypted = isEncrypted;
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
    const lengthOf = (text) => new TextEncoder().encode(text).length;
    if (lengthOf(data) > longestData) { throw new ParleyError("tooLarge", `The data of a signal has at most ${longestData} bytes.`); }
    if (this.#isEncrypted() && lengthOf(JSON.stringify({ s: type, d: data })) > longestSealed) {
      throw new ParleyError("tooLarge", "The data of a signal is too long to be encrypted: line breaks and quotation marks count twice.");
    }
    return { message: { type: "signal", signal: type, data, ...(to ? { to } : {}) }, waits };
  }
}
