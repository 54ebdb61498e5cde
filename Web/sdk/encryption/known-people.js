import { IdentityStore } from "./identity-store.js";

const mostPeople = 1_000;
const all = "all";

/**
 * `sameDevice`: the identity was there in an earlier meeting; `newDevice`: it was never seen, as with guests;
 * `changed`: it was never seen, and the name came with another lasting identity before.
 *
 * @typedef {"sameDevice" | "newDevice" | "changed"} Recognition
 */

/** The identities that this browser has seen in encrypted meetings of this server. */
export class KnownPeople {
  #store;
  #present = new Map();
  /** The recognition of identities when they came first; it stays over rejoins. */
  #met = new Map();
  #last = Promise.resolve();

  /** @param {IdentityStore} [store] */
  constructor(store = new IdentityStore()) { this.#store = store; }

  /** Participants have other ids now. */
  rejoin() { this.#present.clear(); }

  /** @param {string} participant @returns {Recognition | null} */
  recognition(participant) { return this.#met.get(this.#present.get(participant)) ?? null; }

  /**
   * A participant's identity is known.
   *
   * @param {string} participant
   * @param {string} name that it signs
   * @param {string} key in base64url
   * @returns {Promise<Recognition | null>} null where it was recognised before, or nothing can be remembered
   */
  meet(participant, name, key) {
    this.#present.set(participant, key);
    // One after the other: each reads what the one before has written.
    this.#last = this.#last.then(() => this.#meet(name, key)).catch(() => null);
    return this.#last;
  }

  async #meet(name, key) {
    if (this.#met.has(key)) { return null; }
    const stored = await this.#store.run("people", "readonly", (each) => each.get(all));
    const people = Array.isArray(stored) ? stored : [];
    const recognition = recognise(people, name, key);
    this.#met.set(key, recognition);
    const known = people.find((each) => each.key === key);
    const others = people.filter((each) => each.key !== key);
    const next = [...others, { key, name, meetings: (known?.meetings ?? 0) + 1 }].slice(-mostPeople);
    await this.#store.run("people", "readwrite", (each) => each.put(next, all));
    return recognition;
  }
}

/** A name whose key was seen once only may be a guest's. */
function recognise(people, name, key) {
  if (people.some((each) => each.key === key)) { return "sameDevice"; }
  return people.some((each) => each.name === name && each.meetings > 1) ? "changed" : "newDevice";
}
