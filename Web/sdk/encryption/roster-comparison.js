import { areEqual } from "./bytes.js";

/**
 * Compares the rosters that others send keys to with one's own. They differ for a moment whenever somebody comes or
 * goes. Times are milliseconds.
 */
export class RosterComparison {
  #tolerance;
  #versions = [];
  #unmatched = new Map();

  /** @param {number} tolerance */
  constructor(tolerance) { this.#tolerance = tolerance; }

  #due({ since, wasAsked }) { return since + (wasAsked ? this.#tolerance : this.#tolerance / 2); }

  /** @type {number} */
  get deadline() { return Math.min(...[...this.#unmatched.values()].map((difference) => this.#due(difference))); }

  /** This client's roster is now another. @param {Uint8Array} hash @param {number} now */
  update(hash, now) {
    const last = this.#versions.at(-1);
    if (last && areEqual(last.hash, hash)) { return; }
    if (last) { last.replacedAt = now; }
    this.#versions = this.#versions.filter(({ replacedAt }) => replacedAt === null || now - replacedAt <= 3 * this.#tolerance);
    this.#versions.push({ hash, replacedAt: null });
    for (const [id, difference] of this.#unmatched) { if (areEqual(difference.hash, hash)) { this.#unmatched.delete(id); } }
  }

  /**
   * Somebody has sent a key, and the hash of whom they send it to.
   *
   * @param {Uint8Array} hash
   * @param {string} id
   * @param {number} now
   */
  receive(hash, id, now) {
    if (this.#versions.some((version) => areEqual(version.hash, hash))) {
      this.#unmatched.delete(id);
    } else {
      const difference = this.#unmatched.get(id) ?? { hash, since: now, wasAsked: false };
      difference.hash = hash;
      this.#unmatched.set(id, difference);
    }
  }

  /** @param {string} id */
  remove(id) { this.#unmatched.delete(id); }

  /**
   * Those who are to be asked for their key again, and those whose rosters have differed for too long; each once.
   *
   * @param {number} now
   */
  handleTimeout(now) {
    const asked = [];
    const alarms = [];
    for (const [id, difference] of this.#unmatched) {
      if (now < this.#due(difference)) { continue; }
      if (difference.wasAsked) {
        this.#unmatched.delete(id);
        alarms.push(id);
      } else {
        difference.wasAsked = true;
        asked.push(id);
      }
    }
    return { asked, alarms };
  }
}
