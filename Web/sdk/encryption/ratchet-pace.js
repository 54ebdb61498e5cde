/**
 * When a publisher's next ratchet step may be: at once for those who join alone and for the first of many, and in
 * batches for the others. `RatchetPace` in Swift does the same.
 */
export class RatchetPace {
  #timing;
  #last = -Infinity;
  /** When the whole burst is there again. */
  #isFullAt = -Infinity;

  /** @param {import("./key-timing.js").KeyTiming} timing */
  constructor(timing) { this.#timing = timing; }

  /** When the step for somebody who joins now may be. @param {number} now @returns {number} */
  earliest(now) {
    const { joinBatch, joinBurst, joinSpacing } = this.#timing;
    return Math.max(now, this.#last + joinSpacing, this.#isFullAt - joinBatch * (joinBurst - 1));
  }

  /** @param {number} now */
  noteStep(now) {
    this.#last = now;
    this.#isFullAt = Math.max(this.#isFullAt, now) + this.#timing.joinBatch;
  }
}
