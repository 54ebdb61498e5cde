import { numbered } from "./distinct-names.js";

/**
 * @typedef {object} LobbyContent
 * @property {{id: string, name: string, displayName: string}[]} waiting in the order they came
 * @property {boolean} locked
 */

/**
 * The lobby as hosts see it. It does no I/O: messages go in through `apply`, and events come out through `emit`.
 */
export class Lobby {
  #roster;
  #isHost;
  #emit;

  /** For hosts: who waits, and whether the meeting is locked. Null for everybody else. @type {LobbyContent|null} */
  content = null;

  /**
   * @param {import("./roster.js").Roster} roster
   * @param {() => boolean} isHost
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(roster, isHost, emit) {
    this.#roster = roster;
    this.#isHost = isHost;
    this.#emit = emit;
  }

  /** Applies a `lobby` message. @param {object} message @returns {boolean} false for a message about something else */
  apply(message) {
    if (message.type !== "lobby") { return false; }
    const locked = message.locked === true;
    if (this.#isHost()) {
      this.content = { waiting: this.#waiting(message.waiting), locked };
      this.#emit("lobby", this.content);
    } else {
      // The last message to somebody who isn't a host any more.
      this.content = null;
      this.#emit("lobby", { waiting: [], locked });
    }
    return true;
  }

  /** The connection is gone; the server reports the lobby to the next one again. */
  reset() { this.content = null; }

  #waiting(values) {
    const people = (Array.isArray(values) ? values : []).filter((each) => typeof each?.id === "string");
    const present = new Set(people.map(({ id }) => id));
    const { names, participants } = this.#roster;
    for (const { id } of this.content?.waiting ?? []) {
      if (!present.has(id) && !participants.has(id)) { names.remove(id); }
    }
    return people.map(({ id, name }) => {
      const text = String(name ?? "Guest");
      return { id, name: text, displayName: numbered(text, names.number(id, text)) };
    });
  }
}
