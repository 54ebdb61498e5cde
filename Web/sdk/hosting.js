import { ParleyError } from "./errors.js";

/** How long the answer to a request is waited for. */
const patience = 10_000;

/** Everything that can be shown with `Hosting.react`, by name. The server takes no others. */
export const reactions = Object.freeze({
  thumbsUp: "👍", thumbsDown: "👎", clap: "👏", heart: "❤️", laugh: "😂", surprised: "😮", celebrate: "🎉",
});

const full = ["publishAudio", "publishVideo", "publishScreen", "subscribe", "chat", "data"];

/** What roles bring, where the server does not name permissions one by one. */
const rolePermissions = {
  organizer: [...full, "moderate"], presenter: [...full, "moderate"], guest: full, "publisher-only": full.slice(0, 3),
};

/**
 * The permissions of a participant as the protocol describes it.
 *
 * @param {{role?: string, permissions?: string[]}} value
 * @returns {string[]}
 */
export function permissionsOf(value) {
  return Array.isArray(value.permissions) ? value.permissions.map(String) : rolePermissions[value.role] ?? ["subscribe"];
}

/**
 * @typedef {object} Poll
 * @property {number} id
 * @property {string} question text from outside: show it with `textContent` only
 * @property {{text: string, votes: number|null}[]} options `votes` is null while one may not see it
 * @property {boolean} multiple whether one may choose several
 * @property {"always"|"whenClosed"|"moderators"} results who sees how it stands
 * @property {boolean} open
 * @property {number|null} voters
 * @property {number[]} mine what oneself has chosen, by place
 */

/**
 * Hosts' decisions, raised hands, reactions and polls of one meeting: `meeting.hosting`.
 *
 * Every method that asks the server returns a promise, which rejects with a `ParleyError`: `notAllowed` for who may not, `tooFast`, or
 * `unreachable` when the connection was lost before the answer came. Nothing is asked twice.
 */
export class Hosting {
  #meeting;
  #requests = new Map();
  // Far from the numbers of offers (above zero) and of what goes in its turn (below).
  #last = -1_000_000_000;
  #spotlight = null;
  /** By participant, the permissions last asked for; they hold until the server's own word has come. */
  #asked = new Map();

  /** The polls, in the order they were made. @type {Poll[]} */
  polls = [];

  /** What a host said of muting that holds for later tracks too; null when nothing does. @type {{sources: string[], mayUnmute: boolean}|null} */
  muteForAll = null;

  /** @param {import("./meeting.js").Meeting} meeting */
  constructor(meeting) { this.#meeting = meeting; }

  /** Whether oneself looks after the others. @type {boolean} */
  get isHost() { return this.#meeting.localParticipant.permissions.includes("moderate"); }

  /** Whom everybody is to show large, or null. @type {import("./participant.js").Participant|null} */
  get spotlighted() { return this.#spotlight === null ? null : this.#meeting.participant(this.#spotlight) ?? null; }

  /** Everybody whose hand is up, who raised it first foremost. @type {import("./participant.js").Participant[]} */
  get raisedHands() {
    return [this.#meeting.localParticipant, ...this.#meeting.participants.values()]
      .filter((each) => each.hand !== null).sort((a, b) => a.hand - b.hand);
  }

  // MARK: For everybody

  /** Raises the own hand or lowers it. @param {boolean} raised @returns {Promise<void>} */
  raiseHand(raised) { return this.#ask({ type: "raiseHand", raised }); }

  /** Shows everybody a reaction for a moment. @param {keyof typeof reactions} reaction @returns {Promise<void>} */
  react(reaction) { return this.#ask({ type: "react", reaction }); }

  /**
   * Chooses answers of a poll by their places, instead of those chosen before; none takes the vote back.
   *
   * @param {number} id
   * @param {number[]} options
   */
  async vote(id, options) {
    await this.#ask({ type: "vote", poll: id, options });
    const poll = this.polls.find((each) => each.id === id);
    if (!poll) { return; }
    poll.mine = [...options];
    this.#meeting._emit("poll", { poll });
  }

  // MARK: For hosts

  /** Mutes what somebody sends of these sources; a screen that is shared is ended. @returns {Promise<void>} */
  mute(participant, sources = ["microphone"]) { return this.#ask({ type: "muteParticipant", participant: participant.id, sources }); }

  /** Ends what somebody sends of these sources; they may publish it again. @returns {Promise<void>} */
  stop(participant, sources) { return this.#ask({ type: "stopTracks", participant: participant.id, sources }); }

  /**
   * Mutes everybody else, and with `includingSelf` oneself too.
   *
   * @param {{sources?: string[], except?: string[], exceptTracks?: {participant: string, source: string}[], includingLater?: boolean,
   *   includingSelf?: boolean, mayUnmute?: boolean}} [options] `exceptTracks` leaves out single tracks; `mayUnmute: false` holds for later tracks
   *   too, until `allowUnmuting`
   * @returns {Promise<void>}
   */
  muteAll({ sources = ["microphone"], except = [], exceptTracks = [], includingLater = false, includingSelf = false, mayUnmute = true } = {}) {
    return this.#ask({ type: "muteAll", sources, except, exceptTracks, includingLater, includingSelf, mayUnmute });
  }

  /** Ends what `muteAll` said of later tracks and of unmuting. Who is muted stays muted. @returns {Promise<void>} */
  allowUnmuting() { return this.#ask({ type: "liftMuteAll" }); }

  /** Asks somebody to unmute, and allows it where nobody else may. @returns {Promise<void>} */
  askToUnmute(participant, sources = ["microphone"]) { return this.#ask({ type: "askToUnmute", participant: participant.id, sources }); }

  /** Takes somebody out of the meeting; with `ban` for good, as far as the token tells who it is. @returns {Promise<void>} */
  remove(participant, { ban = false } = {}) { return this.#ask({ type: "removeParticipant", participant: participant.id, ban }); }

  /** Gives somebody another role. @param {"organizer"|"presenter"|"guest"|"subscriber"} role @returns {Promise<void>} */
  setRole(participant, role) { return this.#ask({ type: "setRole", participant: participant.id, role }); }

  /** Gives somebody exactly these permissions. @param {string[]} permissions @returns {Promise<void>} */
  setPermissions(participant, permissions) { return this.#ask({ type: "setPermissions", participant: participant.id, permissions }); }

  /**
   * Gives somebody one permission more, or takes it away. Several calls in a row add up, where sets of `setPermissions`
   * that were made from one state would undo each other.
   *
   * @param {import("./participant.js").Participant} participant
   * @param {string} permission
   * @param {boolean} allowed
   */
  async allow(participant, permission, allowed) {
    const { id } = participant;
    const known = this.#asked.get(id);
    const isNewer = known && (known.pending > 0 || known.before === participant.permissions);
    const asked = isNewer ? known : { before: participant.permissions, permissions: participant.permissions, pending: 0 };
    const others = asked.permissions.filter((each) => each !== permission);
    asked.permissions = allowed ? [...others, permission] : others;
    asked.pending += 1;
    this.#asked.set(id, asked);
    try {
      await this.setPermissions(participant, asked.permissions);
      asked.pending -= 1;
    } catch (error) {
      this.#asked.delete(id);
      throw error;
    }
  }

  /** Has everybody show one participant large; null for nobody. @returns {Promise<void>} */
  spotlight(participant) { return this.#ask({ type: "spotlight", participant: participant?.id ?? null }); }

  /** Ends the meeting for everybody. @returns {Promise<void>} */
  endForAll() { return this.#ask({ type: "endMeeting" }); }

  /** Lowers somebody's hand. @returns {Promise<void>} */
  lowerHand(participant) { return this.#ask({ type: "raiseHand", raised: false, participant: participant.id }); }

  /** Lowers every hand. @returns {Promise<void>} */
  lowerHands() { return this.#ask({ type: "lowerHands" }); }

  /**
   * Makes a poll, which is open at once.
   *
   * @param {{question: string, options: string[], multiple?: boolean, results?: "always"|"whenClosed"|"moderators"}} draft
   * @returns {Promise<void>}
   */
  createPoll({ question, options, multiple = false, results = "always" }) {
    return this.#ask({ type: "createPoll", poll: { question, options, multiple, results } });
  }

  /** Closes a poll, or opens it again. @returns {Promise<void>} */
  setPoll(id, open) { return this.#ask({ type: "setPoll", poll: id, open }); }

  /** Takes a poll away. @returns {Promise<void>} */
  removePoll(id) { return this.#ask({ type: "removePoll", poll: id }); }

  #ask(message) {
    const id = this.#last -= 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, new ParleyError("unreachable", "The server did not answer.")), patience);
      this.#requests.set(id, { resolve, reject, timer });
      if (!this.#meeting._send({ ...message, id })) {
        this.#settle(id, new ParleyError("unreachable", "The server cannot be reached just now. Try again when the connection is back."));
      }
    });
  }

  #settle(id, error = null) {
    const request = this.#requests.get(id);
    if (!request) { return false; }
    this.#requests.delete(id);
    clearTimeout(request.timer);
    if (error) { request.reject(error); } else { request.resolve(); }
    return true;
  }

  // MARK: For the parts of the SDK

  /** Asks for something else and waits until it is done. @returns {Promise<void>} */
  _request(message) { return this.#ask(message); }

  /** The server refused a request. @returns {boolean} whether it was one of ours */
  _refused(id, error) { return this.#settle(id, error); }

  /** The socket is gone, and with it the answers to what was asked. */
  _lost(error = new ParleyError("unreachable", "The connection was lost before the server had answered.")) {
    for (const id of [...this.#requests.keys()]) { this.#settle(id, error); }
  }

  /** The whole state, of a `welcome`, a `resumed` or a `state`. */
  _takeState(state) {
    if (typeof state !== "object" || state === null) { return; }
    this.#takeSpotlight(state.spotlight);
    this.#takeMuteForAll(state.muteAll);
    const polls = Array.isArray(state.polls) ? state.polls : [];
    const present = new Set(polls.map((each) => each.id));
    for (const gone of this.polls.filter((each) => !present.has(each.id))) { this.#removePoll(gone.id); }
    for (const poll of polls) { this.#takePoll(poll); }
  }

  /** What oneself is and may do. */
  _takePermissions(role, permissions) {
    const own = this.#meeting.localParticipant;
    if (typeof role === "string") { own.role = role; }
    const before = own.permissions;
    const now = Array.isArray(permissions) ? permissions.map(String) : permissionsOf({ role: own.role });
    if (before.join() === now.join()) { return; }
    own.permissions = now;
    this.#meeting._emit("permissions", { before, now });
  }

  /** Takes a message of the server that is about these things. */
  _receive(message) {
    switch (message.type) {
      case "done": this.#settle(message.id); return;
      case "permissions": this._takePermissions(message.role, message.permissions); return;
      case "unmuteRequested": {
        const sources = Array.isArray(message.sources) ? message.sources.map(String) : [];
        this.#meeting._emit("unmuteRequested", { sources, participant: this.#meeting.participant(message.by) ?? null });
        return;
      }
      case "spotlight": this.#takeSpotlight(message.participant); return;
      case "muteAll": this.#takeMuteForAll(message.muteAll); return;
      case "reaction": {
        const participant = this.#meeting.participant(message.participant);
        if (participant && message.reaction in reactions) {
          this.#meeting._emit("reaction", { participant, reaction: message.reaction, emoji: reactions[message.reaction] });
        }
        return;
      }
      case "poll": this.#takePoll(message.poll); return;
      case "pollRemoved": this.#removePoll(message.poll); return;
      case "state": this._takeState(message.state); return;
      default:
    }
  }

  #takeSpotlight(id) {
    const value = typeof id === "string" ? id : null;
    if (this.#spotlight === value) { return; }
    this.#spotlight = value;
    this.#meeting._emit("spotlight", { participant: this.spotlighted });
  }

  #takeMuteForAll(value) {
    const now = typeof value === "object" && value !== null
      ? { sources: Array.isArray(value.sources) ? value.sources.map(String) : [], mayUnmute: value.mayUnmute !== false } : null;
    if (JSON.stringify(now) === JSON.stringify(this.muteForAll)) { return; }
    this.muteForAll = now;
    this.#meeting._emit("muteForAll", { order: now });
  }

  #takePoll(value) {
    if (!Number.isInteger(value?.id) || !Array.isArray(value.options)) { return; }
    const known = this.polls.find((each) => each.id === value.id);
    const poll = known ?? { mine: [] };
    Object.assign(poll, {
      id: value.id, question: String(value.question ?? ""), multiple: value.multiple === true, results: value.results ?? "always",
      open: value.open === true, voters: value.voters ?? null,
      options: value.options.map((each) => ({ text: String(each?.text ?? ""), votes: each?.votes ?? null })),
    });
    if (Array.isArray(value.mine)) { poll.mine = value.mine; }
    if (!known) { this.polls.push(poll); }
    this.#meeting._emit("poll", { poll, isNew: !known });
  }

  #removePoll(id) {
    const index = this.polls.findIndex((each) => each.id === id);
    if (index < 0) { return; }
    const [poll] = this.polls.splice(index, 1);
    this.#meeting._emit("pollRemoved", { poll });
  }
}
