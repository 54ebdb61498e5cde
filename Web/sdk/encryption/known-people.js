import { characters } from "../text.js";
import { utf8 } from "./bytes.js";
import { IdentityStore } from "./identity-store.js";

const mostPeople = 1_000;
const longestName = 100;
const all = "all";
/** How long somebody who is seen again in a meeting is still in the same one, in milliseconds: rooms keep their ids. */
const meetingTime = 12 * 3_600_000;

/**
 * `sameDevice`: the identity was there in an earlier meeting, under this name; `renamed`: it was there under another
 * name; `newDevice`: it was never seen, as with guests; `changed`: the name came with another lasting identity before.
 *
 * @typedef {"sameDevice" | "renamed" | "newDevice" | "changed"} Recognition
 */

/**
 * The identities that this browser has seen in encrypted meetings of this server. A changed one isn't remembered under
 * the name that it took, unless somebody trusts it.
 */
export class KnownPeople {
  #store;
  #present = new Map();
  /** The recognition of identities; it stays over rejoins. */
  #met = new Map();
  /** Those of earlier meetings. */
  #before = null;
  #last = Promise.resolve();

  /** @param {IdentityStore} [store] */
  constructor(store = new IdentityStore()) { this.#store = store; }

  /** Participants have other ids now. */
  rejoin() { this.#present.clear(); }

  /** @param {string} participant @returns {Recognition | null} */
  recognition(participant) { return this.#met.get(this.#present.get(participant))?.recognition ?? null; }

  /**
   * The name that somebody `renamed` had before; null for others.
   *
   * @param {string} participant
   * @returns {string | null}
   */
  earlierName(participant) { return this.#met.get(this.#present.get(participant))?.earlierName ?? null; }

  /**
   * A participant's identity is known, or has another name.
   *
   * @param {string} participant
   * @param {string} name that it signs
   * @param {string} key in base64url
   * @param {string} [meeting] the meeting's id
   * @returns {Promise<Recognition | null>} null where it was recognised before, or nothing can be remembered
   */
  meet(participant, name, key, meeting) {
    this.#present.set(participant, key);
    return this.#next(() => this.#meet(cleanName(name), key, meeting));
  }

  /**
   * Remembers a `changed` one under its name: two people have compared their code.
   *
   * @param {string} participant
   * @param {string} [meeting] the meeting's id
   * @returns {Promise<boolean | null>} whether it is trusted from now on
   */
  trust(participant, meeting) {
    return this.#next(async () => {
      const key = this.#present.get(participant);
      const found = this.#met.get(key);
      if (found?.recognition !== "changed") { return false; }
      await this.#store.update("people", all, (stored) => remember(peopleOf(stored), found.name, key, meeting));
      this.#met.set(key, { name: found.name, recognition: "newDevice" });
      return true;
    });
  }

  /** One after the other: each reads what the one before has written. */
  #next(step) {
    this.#last = this.#last.then(step).catch(() => null);
    return this.#last;
  }

  async #meet(name, key, meeting) {
    if (this.#met.get(key)?.name === name) { return null; }
    let found = null;
    await this.#store.update("people", all, (stored) => {
      const people = peopleOf(stored);
      this.#before ??= people;
      found = { name, ...recognise(this.#before, name, key) };
      return found.recognition === "changed" ? people : remember(people, name, key, meeting);
    });
    this.#met.set(key, found);
    return found.recognition;
  }
}

/** A name whose key was seen once only may be a guest's. */
function recognise(people, name, key) {
  const known = people.find((each) => each.key === key);
  if (known?.name === name) { return { recognition: "sameDevice" }; }
  if (people.some((each) => each.key !== key && each.name === name && each.meetings > 1)) { return { recognition: "changed" }; }
  return known === undefined ? { recognition: "newDevice" } : { recognition: "renamed", earlierName: known.name };
}

/** The one that was seen last comes last. Guests are forgotten first, which are seen in one meeting. */
function remember(people, name, key, meeting) {
  const known = people.find((each) => each.key === key);
  const seen = Date.now();
  const isSameMeeting = meeting !== undefined && known?.meeting === meeting && seen - known.seen < meetingTime;
  const others = people.filter((each) => each.key !== key);
  while (others.length >= mostPeople) { others.splice(Math.max(others.findIndex((each) => each.meetings === 1), 0), 1); }
  return [...others, { key, name, meetings: (known?.meetings ?? 0) + (isSameMeeting ? 0 : 1), meeting, seen }];
}

function peopleOf(stored) {
  return (Array.isArray(stored) ? stored : []).filter((each) => typeof each?.key === "string" && typeof each.name === "string")
    .map((each) => ({ ...each, name: cleanName(each.name) }));
}

/** A name as it is remembered: without control characters, and short. */
function cleanName(name) {
  const plain = name.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, "");
  // As all that are stored are, which are read again whenever somebody comes: cutting into characters costs the most.
  if (utf8(plain).length <= longestName) { return plain; }
  const parts = characters(plain);
  let [length, bytes] = [0, 0];
  for (const each of parts) {
    bytes += utf8(each).length;
    if (bytes > longestName) { break; }
    length += 1;
  }
  return parts.slice(0, length).join("");
}
