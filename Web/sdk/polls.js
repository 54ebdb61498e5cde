/**
 * @typedef {object} Poll
 * @property {number} id
 * @property {string} question text of others: show it with `textContent` only
 * @property {{text: string, votes: number|null}[]} options `votes` is null while this client may not see them
 * @property {boolean} multiple whether a vote may name several options
 * @property {"always"|"whenClosed"|"moderators"} results who sees the votes
 * @property {boolean} open
 * @property {number|null} voters null while this client may not see it
 * @property {number[]} mine this client's vote: indices of `options`
 * @property {true} [unreadable] set where this client can't read it, in an encrypted meeting; it has no options then
 */

/** The groups that may see the votes. */
export const audiences = Object.freeze(["always", "whenClosed", "moderators"]);

/** The polls of a meeting. It does no I/O: messages go in through `apply`, and events come out through `emit`. */
export class Polls {
  #emit;

  /** The polls, in the order they were made. @type {Poll[]} */
  all = [];

  /** @param {(type: string, detail: object) => void} emit */
  constructor(emit) { this.#emit = emit; }

  /**
   * Applies a message about polls.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "poll": this.#applyPoll(message.poll); return true;
      case "pollRemoved": this.#remove(message.poll); return true;
      default: return false;
    }
  }

  /** Applies every poll of a room state: one that isn't listed is gone. @param {object[]} values */
  applyAll(values) {
    const polls = Array.isArray(values) ? values : [];
    const present = new Set(polls.map((each) => each?.id));
    for (const { id } of this.all.filter((each) => !present.has(each.id))) { this.#remove(id); }
    for (const each of polls) { this.#applyPoll(each); }
  }

  /** Applies a vote of this client that the server has accepted. @param {number} id @param {number[]} options */
  applyVote(id, options) {
    const poll = this.all.find((each) => each.id === id);
    if (!poll) { return; }
    poll.mine = [...new Set(options)].sort((a, b) => a - b);
    this.#emit("poll", { poll });
  }

  #applyPoll(value) {
    if (!Number.isInteger(value?.id) || !Array.isArray(value.options)) { return; }
    const known = this.all.find((each) => each.id === value.id);
    const poll = known ?? { mine: [] };
    const before = JSON.stringify(poll);
    Object.assign(poll, {
      id: value.id, question: text(value.question), multiple: value.multiple === true,
      results: audiences.includes(value.results) ? value.results : "always", open: value.open === true, voters: count(value.voters),
      options: value.options.map((each) => ({ text: text(each?.text), votes: count(each?.votes) })),
    });
    if (value.unreadable === true) { poll.unreadable = true; } else { delete poll.unreadable; }
    if (Array.isArray(value.mine) && value.mine.every(Number.isInteger)) { poll.mine = value.mine; }
    if (!known) { this.all.push(poll); }
    if (before !== JSON.stringify(poll)) { this.#emit("poll", { poll, isNew: !known }); }
  }

  #remove(id) {
    const index = this.all.findIndex((each) => each.id === id);
    if (index < 0) { return; }
    const [poll] = this.all.splice(index, 1);
    this.#emit("pollRemoved", { poll });
  }
}

function text(value) { return typeof value === "string" ? value : ""; }

function count(value) { return Number.isInteger(value) ? value : null; }
