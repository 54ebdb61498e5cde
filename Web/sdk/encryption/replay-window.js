const words = 17n;

/**
 * Remembers which of the last numbers were seen, as RFC 3711 section 3.3.2 has it for packets. Numbers have 64 bits.
 */
export class ReplayWindow {
  /** How far behind the highest number one may come. */
  static size = 1_024n;
  #bits = new BigUint64Array(Number(words));
  #highest = -1n;

  /** @param {bigint} number @returns {"fresh" | "replayed" | "tooOld"} */
  check(number) {
    if (number > this.#highest) { return "fresh"; }
    if (this.#highest - number >= ReplayWindow.size) { return "tooOld"; }
    return this.#bits[this.#word(number)] >> (number & 63n) & 1n ? "replayed" : "fresh";
  }

  /** Notes an authentic number. @param {bigint} number */
  accept(number) {
    if (number > this.#highest) {
      const before = this.#highest < 0n ? -1n : this.#highest >> 6n;
      const steps = (number >> 6n) - before;
      for (let step = 0n; step < (steps < words ? steps : words); step++) {
        const word = (number >> 6n) - step;
        if (word >= 0n) { this.#bits[Number(word % words)] = 0n; }
      }
      this.#highest = number;
    }
    this.#bits[this.#word(number)] |= 1n << (number & 63n);
  }

  #word(number) { return Number((number >> 6n) % words); }
}
