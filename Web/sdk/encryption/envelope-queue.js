import { base64url } from "./bytes.js";

/** Envelopes in one message, and those that wait for a lost connection. */
const limits = Object.freeze({ message: 256, waiting: 8_192 });

/** The key envelopes that wait to be sent. A lost connection holds them up. */
export class EnvelopeQueue {
  #waiting = [];
  #send;

  /** @param {(message: object) => boolean} send false while there is no connection */
  constructor(send) { this.#send = send; }

  /** Sends the worker's envelopes, or queues them. @param {{ recipient: string, bytes: Uint8Array }[]} envelopes */
  add(envelopes) {
    this.#waiting.push(...envelopes.map(({ recipient, bytes }) => ({ to: recipient, envelope: base64url(bytes) })));
    this.flush();
  }

  /** Sends what waits. */
  flush() {
    while (this.#waiting.length > 0) {
      const envelopes = this.#waiting.slice(0, limits.message);
      if (!this.#send({ type: "keyEnvelopes", envelopes })) { break; }
      this.#waiting.splice(0, envelopes.length);
    }
    // Keys that are missing are asked for again.
    if (this.#waiting.length > limits.waiting) { this.#waiting.splice(0, this.#waiting.length - limits.waiting); }
  }

  clear() { this.#waiting = []; }
}
