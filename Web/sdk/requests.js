import { ParleyError } from "./errors.js";

/** How long the answer to a request may take, in milliseconds. */
const answerTimeout = 10_000;

/**
 * Requests that wait for the server's `done` or `error`. Each is sent once: after a lost connection nobody knows
 * whether the server carried it out.
 */
export class Requests {
  #send;
  #pending = new Map();
  // Far from the numbers of offers (above zero) and of the send queue (below it).
  #lastId = -1_000_000_000;

  /** @param {(message: object) => boolean} send whether the message could be sent */
  constructor(send) { this.#send = send; }

  /**
   * Sends a request.
   *
   * @param {object} message as in the protocol, without `id`
   * @returns {Promise<void>} resolves when the server has carried it out
   * @throws {ParleyError} the server's own, or `unreachable` without an answer
   */
  send(message) {
    const id = this.#lastId -= 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.answered(id, new ParleyError("unreachable", "The server did not answer.")), answerTimeout);
      this.#pending.set(id, { resolve, reject, timer });
      if (!this.#send({ ...message, id })) {
        this.answered(id, new ParleyError("unreachable", "The server cannot be reached just now. Try again when the connection is back."));
      }
    });
  }

  /**
   * Settles a request by the server's answer.
   *
   * @param {number} id
   * @param {ParleyError|null} [error]
   * @returns {boolean} whether a request with this number was pending
   */
  answered(id, error = null) {
    const request = this.#pending.get(id);
    if (!request) { return false; }
    this.#pending.delete(id);
    clearTimeout(request.timer);
    if (error) { request.reject(error); } else { request.resolve(); }
    return true;
  }

  /** Rejects every pending request: the socket is gone, and their answers with it. @param {ParleyError} [error] */
  lost(error = new ParleyError("unreachable", "The connection was lost before the server had answered.")) {
    for (const id of [...this.#pending.keys()]) { this.answered(id, error); }
  }
}
