/** How many people are remembered who are not there, so that who comes back has the same number. */
const remembered = 500;

/** Names that look alike are one: neither case, width, blanks nor invisible characters tell two people apart. */
const keyOf = (name) => name.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "").replace(/\s+/gu, " ").trim().toLowerCase();

/**
 * A name with the number that distinguishes it from others.
 *
 * @param {string} name
 * @param {number} number 1 for the first who bears it, which stands without
 * @returns {string}
 */
export function numbered(name, number) { return number > 1 ? `${name} (${number})` : name; }

/**
 * Tells people of one name apart: the first who comes bears it as it is, the next ones are "Ann (2)", "Ann (3)".
 * Nobody's number changes while they are there, also when others go, and who comes back under the same id has it again.
 */
export class DistinctNames {
  #entries = new Map();

  /**
   * The number of somebody who is there; they get one where they are new, or have another name than before.
   *
   * @param {string} id
   * @param {string} name
   * @returns {number}
   */
  number(id, name) {
    const key = keyOf(name);
    const known = this.#entries.get(id);
    if (known?.isThere && known.key === key) { return known.number; }
    const others = [...this.#entries].filter(([each, { isThere }]) => isThere && each !== id).map(([, entry]) => entry);
    const isTaken = (number) => others.some((each) => each.shown === keyOf(numbered(name, number)));
    if (known?.key === key && !isTaken(known.number)) {
      known.isThere = true;
      return known.number;
    }
    // More than any present number: one that was just given up would suggest the same person.
    let number = Math.max(0, ...others.filter((each) => each.key === key).map((each) => each.number)) + 1;
    while (isTaken(number)) { number += 1; }
    this.#entries.delete(id);
    this.#entries.set(id, { key, number, shown: keyOf(numbered(name, number)), isThere: true });
    return number;
  }

  /** Somebody is there no more. @param {string} id */
  remove(id) {
    const entry = this.#entries.get(id);
    if (!entry) { return; }
    entry.isThere = false;
    // The ones who went first are forgotten first.
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    const gone = [...this.#entries].filter(([, { isThere }]) => !isThere);
    for (const [each] of gone.slice(0, Math.max(0, gone.length - remembered))) { this.#entries.delete(each); }
  }
}
