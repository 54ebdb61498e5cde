import { ParleyError } from "./errors.js";
import { Moderation } from "./moderation.js";
import { Polls } from "./polls.js";
import { Requests } from "./requests.js";
import { lengthProblem, textLimits } from "./text.js";

/**
 * Hosts' decisions, raised hands, reactions and polls of one meeting: `meeting.hosting`.
 *
 * Each method that sends a request returns a promise. It rejects with a `ParleyError`: `notAllowed` without the
 * permission, `tooFast`, or `unreachable` when the connection was lost before the answer. No request is sent twice.
 */
export class Hosting {
  #meeting;
  #requests;
  #moderation;
  #polls;
  /** The permissions last requested for each participant, until the server reports them. */
  #requested = new Map();

  /**
   * @param {import("./meeting.js").Meeting} meeting
   * @param {{requests: Requests, moderation: Moderation, polls: Polls}} parts
   */
  constructor(meeting, { requests, moderation, polls }) {
    this.#meeting = meeting;
    this.#requests = requests;
    this.#moderation = moderation;
    this.#polls = polls;
  }

  /** Whether the local participant is a host. @type {boolean} */
  get isHost() { return this.#moderation.isHost; }

  /** The polls, in the order they were made. @type {import("./polls.js").Poll[]} */
  get polls() { return this.#polls.all; }

  /**
   * A host's muting that covers later tracks too; null without one.
   *
   * @type {{sources: string[], mayUnmute: boolean}|null}
   */
  get muteForAll() { return this.#moderation.muteForAll; }

  /** The participant whom everybody is to show large, or null. @type {import("./participant.js").Participant|null} */
  get spotlighted() { return this.#moderation.spotlighted; }

  /** Everybody whose hand is up, the first one first. @type {import("./participant.js").Participant[]} */
  get raisedHands() {
    return [this.#meeting.localParticipant, ...this.#meeting.participants.values()]
      .filter((each) => each.hand !== null).sort((a, b) => a.hand - b.hand);
  }

  // MARK: For everybody

  /** Raises or lowers this client's hand. @param {boolean} raised @returns {Promise<void>} */
  raiseHand(raised) { return this.#requests.send({ type: "raiseHand", raised }); }

  /**
   * Shows everybody a reaction for a moment.
   *
   * @param {keyof typeof import("./moderation.js").reactions} reaction
   * @returns {Promise<void>}
   */
  react(reaction) { return this.#requests.send({ type: "react", reaction }); }

  /**
   * Votes for options of a poll by their indices, in place of an earlier vote; an empty array withdraws it.
   *
   * @param {number} id
   * @param {number[]} options
   */
  async vote(id, options) {
    if (this.polls.find((each) => each.id === id)?.unreadable) { throw new ParleyError("encrypted", "This device cannot read the poll."); }
    await this.#requests.send({ type: "vote", poll: id, options });
    this.#polls.applyVote(id, options);
  }

  // MARK: For hosts

  /** Mutes a participant's tracks of these sources; a shared screen is ended. @returns {Promise<void>} */
  mute(participant, sources = ["microphone"]) {
    return this.#requests.send({ type: "muteParticipant", participant: participant.id, sources });
  }

  /** Ends a participant's tracks of these sources; they may publish them again. @returns {Promise<void>} */
  stop(participant, sources) { return this.#requests.send({ type: "stopTracks", participant: participant.id, sources }); }

  /**
   * Mutes everybody else, and with `includingSelf` this client too.
   *
   * @param {object} [options]
   * @param {string[]} [options.sources]
   * @param {string[]} [options.except] ids of participants to leave out
   * @param {{participant: string, source: string}[]} [options.exceptTracks] single tracks to leave out
   * @param {boolean} [options.includingLater] also tracks that are published later
   * @param {boolean} [options.includingSelf]
   * @param {boolean} [options.mayUnmute] false covers later tracks too, until `allowUnmuting`
   * @returns {Promise<void>}
   */
  muteAll({ sources = ["microphone"], except = [], exceptTracks = [], includingLater = false, includingSelf = false, mayUnmute = true } = {}) {
    return this.#requests.send({ type: "muteAll", sources, except, exceptTracks, includingLater, includingSelf, mayUnmute });
  }

  /**
   * Ends what `muteAll` ordered for later tracks and for unmuting. Muted tracks stay muted.
   *
   * @returns {Promise<void>}
   */
  allowUnmuting() { return this.#requests.send({ type: "liftMuteAll" }); }

  /** Asks a participant to unmute, and allows it even if nobody else may. @returns {Promise<void>} */
  askToUnmute(participant, sources = ["microphone"]) {
    return this.#requests.send({ type: "askToUnmute", participant: participant.id, sources });
  }

  /** Removes a participant; with `ban` permanently, as far as the token identifies them. @returns {Promise<void>} */
  remove(participant, { ban = false } = {}) {
    return this.#requests.send({ type: "removeParticipant", participant: participant.id, ban });
  }

  /**
   * Gives somebody another role.
   *
   * @param {"organizer"|"presenter"|"guest"|"subscriber"} role
   * @returns {Promise<void>}
   */
  setRole(participant, role) { return this.#requests.send({ type: "setRole", participant: participant.id, role }); }

  /** Gives somebody exactly these permissions. @param {string[]} permissions @returns {Promise<void>} */
  setPermissions(participant, permissions) {
    return this.#requests.send({ type: "setPermissions", participant: participant.id, permissions });
  }

  /**
   * Grants or withdraws one permission. Several calls in a row add up; several sets of `setPermissions` that were made
   * from one state would undo each other.
   *
   * @param {import("./participant.js").Participant} participant
   * @param {string} permission
   * @param {boolean} allowed
   */
  async allow(participant, permission, allowed) {
    const { id } = participant;
    const known = this.#requested.get(id);
    const isNewer = known && (known.pending > 0 || known.before === participant.permissions);
    const requested = isNewer ? known : { before: participant.permissions, permissions: participant.permissions, pending: 0 };
    const others = requested.permissions.filter((each) => each !== permission);
    requested.permissions = allowed ? [...others, permission] : others;
    requested.pending += 1;
    this.#requested.set(id, requested);
    try {
      await this.setPermissions(participant, requested.permissions);
      requested.pending -= 1;
    } catch (error) {
      this.#requested.delete(id);
      throw error;
    }
  }

  /** Asks everybody to show one participant large; null for nobody. @returns {Promise<void>} */
  spotlight(participant) { return this.#requests.send({ type: "spotlight", participant: participant?.id ?? null }); }

  /** Ends the meeting for everybody. @returns {Promise<void>} */
  endForAll() { return this.#requests.send({ type: "endMeeting" }); }

  /** Lowers somebody's hand. @returns {Promise<void>} */
  lowerHand(participant) { return this.#requests.send({ type: "raiseHand", raised: false, participant: participant.id }); }

  /** Lowers every hand. @returns {Promise<void>} */
  lowerHands() { return this.#requests.send({ type: "lowerHands" }); }

  /**
   * Makes a poll, open at once.
   *
   * @param {{question: string, options: string[], multiple?: boolean, results?: "always"|"whenClosed"|"moderators"}}
   *   draft
   * @returns {Promise<void>}
   */
  async createPoll({ question, options, multiple = false, results = "always" }) {
    const draft = { question, options, multiple, results };
    if (!this.#meeting.encrypted) { return this.#requests.send({ type: "createPoll", poll: draft }); }
    const problem = draftProblem(draft);
    if (problem !== null) { throw new ParleyError("badMessage", problem); }
    return this.#requests.send({ type: "createPoll", poll: await this.#meeting._encryption.sealPoll(draft) });
  }

  /** Closes a poll, or opens it again. @returns {Promise<void>} */
  setPoll(id, open) { return this.#requests.send({ type: "setPoll", poll: id, open }); }

  /** Removes a poll. @returns {Promise<void>} */
  removePoll(id) { return this.#requests.send({ type: "removePoll", poll: id }); }
}

/** Why the words of a poll can't be taken, as a sentence; the server can't judge ciphertext. */
function draftProblem({ question, options }) {
  if (question.trim() === "" || options.length < 2 || options.length > 10 || options.some((each) => each.trim() === "")) {
    return "A poll needs a question and 2 to 10 answers.";
  }
  if (new Set(options).size !== options.length) { return "The answers of a poll differ."; }
  const problems = options.map((each) => lengthProblem(each, textLimits.pollAnswer, "An answer"));
  return [lengthProblem(question, textLimits.pollQuestion, "A question"), ...problems].find((each) => each !== null) ?? null;
}
