import { ParleyError } from "./errors.js";
import { RemoteTrack } from "./track.js";

/**
 * Routes each message of the server to the part that it is for, and each event of the replica to the parts that follow
 * it.
 */
export class MessageRouter {
  #parts;
  #hooks;
  /** The last step for each author's sealed texts, which stay in their order. */
  #opening = new Map();

  /**
   * @param {object} parts
   * @param {import("./local-participant.js").LocalParticipant} parts.local
   * @param {import("./lifecycle.js").Lifecycle} parts.lifecycle
   * @param {import("./session.js").Session} parts.session
   * @param {import("./replica.js").Replica} parts.replica
   * @param {import("./requests.js").Requests} parts.requests
   * @param {import("./send-queue.js").SendQueue} parts.queue
   * @param {import("./chat.js").Chatting} parts.chatting
   * @param {import("./views.js").Views} parts.views
   * @param {import("./encryption/meeting-encryption.js").MeetingEncryption} [parts.encryption]
   * @param {object} hooks
   * @param {(type: string, detail: object) => void} hooks.emit
   * @param {(reason: string, message: string) => void} hooks.end
   * @param {(error: ParleyError) => void} hooks.lost the socket is gone, and the answers to requests with it
   */
  constructor(parts, hooks) {
    this.#parts = parts;
    this.#hooks = hooks;
  }

  /**
   * Applies a message.
   *
   * @param {object} message
   * @param {import("./connection.js").Connection} connection the one that the message's session has
   */
  async receive(message, connection) {
    const { lifecycle, session, replica, requests, queue, chatting, views, local, encryption } = this.#parts;
    switch (message.type) {
      case "welcome":
        lifecycle.endWaiting();
        if (Array.isArray(message.iceServers)) { connection.useServers(message.iceServers); }
        // Keys are exchanged while the media path is made.
        // The room's own name: whoever asked before it was opened may have its name in other letters.
        encryption?._begin(message, String(message.meeting?.name ?? session.room), local.name);
        if (encryption?.isOn) { message.state = await encryption._openState(message.state); }
        await connection.firstAnswer(message.answer);
        if (encryption?.isOn && Array.isArray(message.chat)) { message.chat = message.chat.map((each) => encryption._recallChat(each)); }
        replica.apply(message);
        local._endForbidden();
        views.again();
        return;
      case "waiting": lifecycle.beginWaiting(["host", "start"].includes(message.reason) ? message.reason : "lobby"); return;
      case "resumed":
        encryption?._resume(message);
        if (encryption?.isOn && Array.isArray(message.chat)) {
          message.chat = await Promise.all(message.chat.map((each) => encryption._openChat(each, { waits: false })));
        }
        if (encryption?.isOn) { message.state = await encryption._openState(message.state); }
        replica.apply(message);
        views.again();
        return;
      case "answer":
        // The ids of own tracks first: `publish` returns when the offer is settled.
        replica.apply(message);
        if (await connection.receiveAnswer(message)) { replica.apply({ type: "slots", slots: message.slots }); }
        return;
      case "error": await this.#applyRefusal(message, connection); return;
      case "done": if (!queue.answered(message.id)) { requests.answered(message.id); } return;
      case "signal": this.#applySignal(message); return;
      case "chat": case "chatChanged":
        if (encryption?.isOn) {
          this.#inOrder(message.message?.from, async () => replica.apply({ ...message, message: await encryption._openChat(message.message) }));
        } else {
          replica.apply(message);
        }
        return;
      case "poll": replica.apply(encryption?.isOn ? { ...message, poll: await encryption._openPoll(message.poll) } : message); return;
      case "state": replica.apply(encryption?.isOn ? { ...message, state: await encryption._openState(message.state) } : message); return;
      case "announcement": case "keyEnvelopes": encryption?._apply(message); return;
      case "tokenExpiring": this.#hooks.emit("tokenExpiring", { seconds: Number(message.seconds) || 0, leaves: message.leaves === true }); return;
      case "refreshToken":
        // A client without a token of its own gets a new one with each discover document.
        if (typeof message.token === "string" && session.token.isOwn) { session.token.replace(message.token); }
        return;
      case "ended": this.#hooks.end(String(message.reason), String(message.message ?? "")); return;
      default: if (!connection.apply(message) && !replica.apply(message)) { chatting._apply(message); }
    }
  }

  /** A signal of the tenant's server comes in clear, and is from nobody. */
  #applySignal({ from = null, signal = "", data = "" }) {
    const { encryption, replica } = this.#parts;
    const emit = (text) => this.#hooks.emit("signal", { from, participant: replica.roster.participant(from) ?? null, type: String(signal), data: text });
    if (!encryption?.isOn || from === null) { emit(String(data)); return; }
    this.#inOrder(from, async () => {
      const text = await encryption.texts.openSignal(from, String(signal), String(data));
      if (text !== null) { emit(text); }
    });
  }

  /** Does what needs a key after what came from the same author before. */
  #inOrder(author, step) {
    const before = this.#opening.get(author) ?? Promise.resolve();
    const after = before.then(step).catch((error) => globalThis.reportError?.(error)).finally(() => { if (this.#opening.get(author) === after) { this.#opening.delete(author); } });
    this.#opening.set(author, after);
  }

  async #applyRefusal(message, connection) {
    const { session, requests, queue, replica } = this.#parts;
    if (await connection.receiveRefusal(message)) { return; }
    const error = new ParleyError(String(message.code), String(message.message ?? ""));
    if (queue.answered(message.id, error) || requests.answered(message.id, error)) { return; }
    if (!message.fatal) { replica.roster.local._refuseName(message.id); }
    if (message.fatal && error.code !== "tooFast") { session.refuse(error); return; }
    // The server closes the socket of a client that sends too fast and keeps its session: it is resumed as after any
    // loss.
    if (message.fatal) { this.#hooks.lost(error); }
    this.#hooks.emit("error", { error, fatal: false });
  }

  /** The track of a slot, if it is of the publication's kind. */
  trackOf(publication, mid) {
    const { connection } = this.#parts.session;
    const track = connection.slotTrack(mid);
    if (track?.kind !== publication.kind) { return null; }
    if (this.#parts.encryption?.isOn) { connection.assignSlot(mid, publication); }
    return new RemoteTrack(track, publication, mid, this.#parts.views);
  }

  /** Dispatches an event of the replica, and keeps the parts that depend on it up to date. */
  forward(type, detail) {
    const { lifecycle, chatting, session, encryption, replica: { roster, info } } = this.#parts;
    if (type === "participantLeft") {
      chatting._stopped(detail.participant.id);
      encryption?._left(detail.participant.id, detail.reason);
    }
    if (type === "trackUnsubscribed" && encryption?.isOn) { session.connection?.assignSlot(detail.track.mid, null); }
    const isRepeated = type === "chat" && detail.history && lifecycle.rejoining;
    if (isRepeated && roster.isOwnId(detail.message.from)) { this.#settle(detail.message); }
    this.#hooks.emit(type, detail);
    const announces = lifecycle.joinedOnce && info?.announces !== false;
    if (announces && type === "participantJoined") { this.#hooks.emit("announced", { ...detail, entered: true, reason: null }); }
    if (announces && type === "participantLeft") { this.#hooks.emit("announced", { ...detail, entered: false }); }
  }

  /** After a rejoin the server doesn't know the messages' numbers: the history shows which ones arrived. */
  #settle(message) {
    this.#parts.queue.arrived(({ type, text, to }) => type === "chat" && text === message.text && (to ?? null) === (message.to ?? null));
  }
}
