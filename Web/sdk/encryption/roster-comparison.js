import { areEqual } from "./bytes.js";

/** Most rosters of one participant that are remembered until this client has had them. */
const maximumClaims = 32;

/**
 * @typedef {object} Difference
 * @property {{ hash: Uint8Array, at: number }[]} claims rosters that this client has not had, the oldest first
 * @property {boolean} wasAsked
 * @property {number} nextAsk
 * @property {number[]} answers when keys came after the first request, at most two
 * @property {boolean} isUsed whether frames came since the last request
 */

/**
 * Compares the rosters that others send keys to with one's own. They differ for a moment whenever somebody comes or
 * goes, and for longer where messages are lost. A ratchet step without a join that this client knows of counts as
 * another roster too: `RosterComparison` in Swift, which says why. Times are milliseconds.
 */
export class RosterComparison {
  #tolerance;
  #versions = [];
  /** @type {Map<string, Difference>} */
  #differences = new Map();
  #joinTolerance;
  #joins = 0;
  #lastJoin = -Infinity;
  /** The joins that the keys of each sender are about, as far as this client knows. */
  #knownJoins = new Map();

  /** @param {import("./key-timing.js").KeyTiming} timing */
  constructor({ rosterTolerance, joinTolerance }) {
    this.#tolerance = rosterTolerance;
    this.#joinTolerance = joinTolerance;
  }

  get #pause() { return this.#tolerance / 4; }

  /** @type {number} */
  get deadline() { return Math.min(...[...this.#differences.values()].map((each) => Math.min(this.#alarmTime(each), each.nextAsk))); }

  /** Two answers whose rosters this client hasn't had by now; one alone may be about a moment that it missed. */
  #alarmTime({ claims, answers }) { return answers.length < 2 ? Infinity : Math.max(claims[0].at + this.#tolerance, answers[1] + this.#pause); }

  /** This client's roster is now another. @param {Uint8Array} hash @param {number} now */
  update(hash, now) {
    const last = this.#versions.at(-1);
    if (last && areEqual(last.hash, hash)) { return; }
    if (last) { last.replacedAt = now; }
    this.#versions = this.#versions.filter(({ replacedAt }) => replacedAt === null || now - replacedAt <= 3 * this.#tolerance);
    this.#versions.push({ hash, replacedAt: null });
    for (const [id, { claims }] of this.#differences) {
      const rest = claims.slice(claims.findLastIndex((claim) => areEqual(claim.hash, hash)) + 1);
      if (rest.length === 0) { this.#differences.delete(id); } else if (rest.length < claims.length) { this.#restart(id, rest); }
    }
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
      this.#differences.delete(id);
      this.#knownJoins.set(id, this.#joins);
      return;
    }
    const difference = this.#differences.get(id);
    if (difference === undefined) { this.#restart(id, [{ hash, at: now }]); return; }
    if (difference.claims.length === maximumClaims) { difference.claims.splice(1, 1); }
    difference.claims.push({ hash, at: now });
    const { wasAsked, answers } = difference;
    if (wasAsked && (answers.length === 0 || (answers.length === 1 && now - answers[0] >= this.#pause / 2))) { answers.push(now); }
  }

  /**
   * This client has heard of somebody who joined: ratchet steps that came ahead of it were about them.
   *
   * @param {number} now
   */
  noteJoin(now) {
    this.#joins += 1;
    this.#lastJoin = now;
    for (const [id, { claims }] of this.#differences) {
      if (claims.some(({ hash }) => hash.length > 0)) { continue; }
      this.#differences.delete(id);
      this.#knownJoins.set(id, this.#joins);
    }
  }

  /** Somebody's ratchet step has come into use. @param {string} id @param {number} now */
  noteRatchet(id, now) {
    const isExplained = this.#joins > (this.#knownJoins.get(id) ?? 0) || now - this.#lastJoin <= this.#joinTolerance;
    this.#knownJoins.set(id, this.#joins);
    // The roster behind it isn't known.
    if (!isExplained && !this.#differences.has(id)) { this.#restart(id, [{ hash: new Uint8Array(0), at: now }]); }
  }

  /** Somebody's frame has opened: their key is in use. @param {string} id */
  noteFrame(id) {
    const difference = this.#differences.get(id);
    if (difference) { difference.isUsed = true; }
  }

  /** Signalling goes on after it was lost, and with it the answers. @param {number} now */
  resume(now) { for (const [id, { claims }] of this.#differences) { this.#restart(id, [{ hash: claims.at(-1).hash, at: now }]); } }

  /** @param {string} id */
  remove(id) {
    this.#differences.delete(id);
    this.#knownJoins.delete(id);
  }

  #restart(id, claims) {
    this.#differences.set(id, { claims, wasAsked: false, nextAsk: claims[0].at + this.#tolerance / 2, answers: [], isUsed: false });
  }

  /**
   * Those who are to be asked for their key again, and those whose rosters have differed for too long; each once.
   *
   * @param {number} now
   */
  handleTimeout(now) {
    const asked = [];
    const alarms = [];
    for (const [id, difference] of this.#differences) {
      const age = now - difference.claims[0].at;
      if (now >= this.#alarmTime(difference)) {
        this.#differences.delete(id);
        alarms.push(id);
      } else if (now >= difference.nextAsk) {
        // No answer for so long, and the key in use: the answers are kept back. One that is not in use harms nobody.
        if (difference.isUsed && age >= 4 * this.#tolerance) {
          this.#differences.delete(id);
          alarms.push(id);
          continue;
        }
        if (difference.isUsed || age <= this.#tolerance) { asked.push(id); }
        difference.wasAsked = true;
        difference.isUsed = false;
        difference.nextAsk = now + this.#pause;
      }
    }
    return { asked, alarms };
  }
}
