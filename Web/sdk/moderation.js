import { permissionsOf } from "./permissions.js";

/** Every reaction that the server accepts in `Hosting.react`, by name. */
export const reactions = Object.freeze({
  thumbsUp: "👍", thumbsDown: "👎", clap: "👏", heart: "❤️", laugh: "😂", surprised: "😮", celebrate: "🎉",
});

/**
 * Hosts' decisions: this client's role and permissions, the spotlight, and muting that covers later tracks. It does no
 * I/O: messages go in through `apply`, and events come out through `emit`.
 */
export class Moderation {
  #roster;
  #emit;
  #spotlight = null;

  /**
   * A host's muting that covers later tracks too; null without one.
   *
   * @type {{sources: string[], mayUnmute: boolean}|null}
   */
  muteForAll = null;

  /**
   * @param {import("./roster.js").Roster} roster
   * @param {(type: string, detail: object) => void} emit
   */
  constructor(roster, emit) {
    this.#roster = roster;
    this.#emit = emit;
  }

  /** The participant to show large, or null. @type {import("./participant.js").Participant|null} */
  get spotlighted() { return this.#spotlight === null ? null : this.#roster.participant(this.#spotlight) ?? null; }

  /** Whether the local participant is a host. @type {boolean} */
  get isHost() { return this.#roster.local.permissions.includes("moderate"); }

  /** Applies a host's decision. @param {object} message @returns {boolean} false for a message about something else */
  apply(message) {
    switch (message.type) {
      case "permissions": this.applyPermissions(message.role, message.permissions); return true;
      case "spotlight": this.#applySpotlight(message.participant); return true;
      case "muteAll": this.#applyMuteForAll(message.muteAll); return true;
      case "unmuteRequested":
        this.#emit("unmuteRequested", { sources: texts(message.sources), participant: this.#roster.participant(message.by) ?? null });
        return true;
      case "reaction": this.#applyReaction(message); return true;
      default: return false;
    }
  }

  /**
   * Applies the part of a room state that is about hosts' decisions.
   *
   * @param {{spotlight?: string, muteAll?: object}} state
   */
  applyAll({ spotlight, muteAll }) {
    this.#applySpotlight(spotlight);
    this.#applyMuteForAll(muteAll);
  }

  /** Applies this client's role and permissions; without `permissions` those of the role count. */
  applyPermissions(role, permissions) {
    const own = this.#roster.local;
    if (typeof role === "string") { own.role = role; }
    const before = own.permissions;
    const now = permissionsOf({ role: own.role, permissions });
    if (before.join() === now.join()) { return; }
    own.permissions = now;
    this.#emit("permissions", { before, now });
  }

  #applySpotlight(id) {
    const value = typeof id === "string" ? id : null;
    if (this.#spotlight === value) { return; }
    this.#spotlight = value;
    this.#emit("spotlight", { participant: this.spotlighted });
  }

  #applyMuteForAll(value) {
    const order = Array.isArray(value?.sources) ? { sources: texts(value.sources), mayUnmute: value.mayUnmute !== false } : null;
    if (JSON.stringify(order) === JSON.stringify(this.muteForAll)) { return; }
    this.muteForAll = order;
    this.#emit("muteForAll", { order });
  }

  #applyReaction({ participant: id, reaction }) {
    const participant = this.#roster.participant(id);
    if (participant && Object.hasOwn(reactions, reaction)) { this.#emit("reaction", { participant, reaction, emoji: reactions[reaction] }); }
  }
}

function texts(values) { return Array.isArray(values) ? values.map(String) : []; }
