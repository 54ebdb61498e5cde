import { ChatMessages } from "./chat-messages.js";
import { Codecs } from "./codecs.js";
import { Lobby } from "./lobby.js";
import { Moderation } from "./moderation.js";
import { Polls } from "./polls.js";
import { Roster } from "./roster.js";
import { Slots } from "./slots.js";

/**
 * A client's replica of the meeting: what the server's messages say about it, with a part for each subject. It has no
 * socket, no connection and no page, so it runs anywhere: a message goes in through `apply`, and events come out
 * through `emit`. `Tests/Conformance` has the messages and the state that each client must have after them.
 *
 * ```js
 * const replica = new Replica({ local, receive: () => null, emit: (type, detail) => console.log(type, detail) });
 * replica.apply({ type: "participantJoined", participant: { id: "p_2", name: "Ben", role: "guest" } });
 * ```
 */
export class Replica {
  #forward;

  /**
   * The meeting's `id`, `name`, `url`, `subject`, `expires`, …; null before the first `welcome`.
   *
   * @type {object|null}
   */
  info = null;

  /**
   * @param {object} options
   * @param {import("./local-participant.js").LocalParticipant} options.local
   * @param {(publication: import("./publication.js").Publication, mid: string) =>
   *   import("./track.js").RemoteTrack|null} options.receive the track that a slot carries
   * @param {(type: string, detail: object) => void} options.emit
   */
  constructor({ local, receive, emit }) {
    this.#forward = emit;
    const forward = (type, detail) => this.#emit(type, detail);
    /** @type {Roster} */
    this.roster = new Roster(local, forward);
    /** @type {Slots} */
    this.slots = new Slots(this.roster, receive, forward);
    /** @type {Codecs} */
    this.codecs = new Codecs(this.roster, forward);
    /** @type {ChatMessages} */
    this.chat = new ChatMessages(forward);
    /** @type {Moderation} */
    this.moderation = new Moderation(this.roster, forward);
    /** @type {Polls} */
    this.polls = new Polls(forward);
    /** @type {Lobby} */
    this.lobby = new Lobby(this.roster, () => this.moderation.isHost, forward);
  }

  /**
   * Applies a message of the server.
   *
   * @param {object} message
   * @returns {boolean} false for a message that isn't about the meeting's state
   */
  apply(message) {
    switch (message.type) {
      case "welcome": this.#applyWelcome(message); return true;
      case "resumed": this.#applyState(message, { isWelcome: false }); return true;
      case "meeting": this.#applyInfo(message.meeting); return true;
      case "state": this.#applyRoomState(message.state); return true;
      case "published":
        this.roster.apply(message);
        this.slots.refresh();
        return true;
      default: {
        const parts = [this.roster, this.slots, this.codecs, this.chat, this.moderation, this.polls, this.lobby];
        return parts.some((part) => part.apply(message));
      }
    }
  }

  /** The connection is gone, and with it what the server said about it. */
  reset() {
    this.slots.reset();
    this.codecs.reset();
    this.lobby.reset();
  }

  #applyWelcome(message) {
    this.roster.enter(message.participant);
    this.#applyInfo(message.meeting);
    const own = message.participants?.find((each) => each?.id === message.participant);
    this.moderation.applyPermissions(own?.role, message.permissions);
    this.#applyState(message, { isWelcome: true });
  }

  #applyState({ participants, slots, chat, state }, options) {
    this.roster.applyAll(participants, options);
    this.slots.applyAll(slots);
    this.chat.applyHistory(chat);
    this.#applyRoomState(state);
  }

  #applyRoomState(state) {
    if (typeof state !== "object" || state === null) { return; }
    this.moderation.applyAll(state);
    this.polls.applyAll(state.polls);
  }

  /** Title, end and rules of the chat may change, also while the socket is down. */
  #applyInfo(info) {
    const before = this.info;
    this.info = info ?? before;
    if (before !== null && JSON.stringify(before) !== JSON.stringify(this.info)) { this.#emit("meetingChanged", { info: this.info, before }); }
  }

  /** Parts that hold something about a publication follow its life. */
  #emit(type, detail) {
    if (type === "unpublished") { this.slots.release(detail.publication); }
    this.#forward(type, detail);
    if (type === "published") { this.codecs.show(detail.publication); }
  }
}
