import { Chatting } from "./chat.js";
import { DataChannels } from "./data-channels.js";
import { EncryptedData } from "./encryption/encrypted-data.js";
import { Devices } from "./devices.js";
import { MeetingEncryption } from "./encryption/meeting-encryption.js";
import { checkToken } from "./discover.js";
import { ParleyError } from "./errors.js";
import { Hosting } from "./hosting.js";
import { Lifecycle, MeetingState } from "./lifecycle.js";
import { LocalParticipant } from "./local-participant.js";
import { MeetingStatistics } from "./meeting-statistics.js";
import { MessageRouter } from "./message-router.js";
import { OwnMedia } from "./own-media.js";
import { Replica } from "./replica.js";
import { Requests } from "./requests.js";
import { SendQueue } from "./send-queue.js";
import { Session } from "./session.js";
import { Signals } from "./signals.js";
import { Views } from "./views.js";

/**
 * A meeting as this client takes part in it. It routes the server's messages to the parts that hold the state, and
 * dispatches their events: `CustomEvent`s, of which `docs/browser-client.md` has the table.
 *
 * ```js
 * const meeting = await Meeting.join({ url: "/daily", name: "Ann", microphone: true });
 * meeting.addEventListener("chat", ({ detail }) => console.log(detail.message.text));
 * ```
 */
export class Meeting extends EventTarget {
  #devices = new Devices();
  #data = new DataChannels();
  #lifecycle = new Lifecycle((type, detail) => this._emit(type, detail));
  #requests = new Requests((message) => this._send(message));
  #queue = new SendQueue((message) => this._send(message), () => this.#session.isOpen, (message) => this.#encryption._seal(message));
  #signals = new Signals(this.#queue, () => this.#lifecycle.joinedOnce && !this.#lifecycle.isOver, () => this.encrypted);
  #views = new Views((slots) => !this.#lifecycle.isOver && this._send({ type: "view", slots }));
  #chatting = new Chatting(this, async (message) => this.#queue.add(message, { kind: "changes of messages", waits: false }).answer);
  #replica;
  #hosting;
  #session;
  #encryption;
  #encryptedData;
  #router;
  #media;
  #statistics;
  #onPageHide = (event) => { if (!event.persisted) { this.leave(); } };

  /**
   * Joins and waits until media flows.
   *
   * @param {import("./join-options.js").JoinOptions} options
   * @returns {Promise<Meeting>}
   * @throws {ParleyError}
   */
  static async join(options) {
    const meeting = new Meeting(options);
    await meeting.join();
    return meeting;
  }

  /** @param {import("./join-options.js").JoinOptions} options */
  constructor(options) {
    super();
    /** @type {import("./join-options.js").JoinOptions} */
    this.options = { ...options };
    /** This client. @type {LocalParticipant} */
    this.localParticipant = new LocalParticipant(options.name ?? "Guest", this, this.#devices);
    const emit = (type, detail) => this._emit(type, detail);
    const end = (...why) => this.#end(...why);
    const lost = (error) => this.#lost(error);
    const local = this.localParticipant;
    const forward = (...event) => this.#router.forward(...event);
    this.#replica = new Replica({ local, receive: (...slot) => this.#router.trackOf(...slot), emit: forward });
    const { moderation, polls } = this.#replica;
    this.#hosting = new Hosting(this, { requests: this.#requests, moderation, polls });
    this.#encryption = new MeetingEncryption(this.options, {
      emit, send: (message) => this._send(message), refuse: (error) => this.#session.refuse(error), participants: () => [...this.participants.keys()],
      stopSource: (source, error) => this.#stopSource(source, error),
    });
    this.#encryptedData = new EncryptedData(this.#data, this.#encryption);
    const reset = () => {
      this.#replica.reset();
      this.#queue.unseal();
    };
    this.#session = new Session({ options: this.options, local, data: this.#data, lifecycle: this.#lifecycle, encryption: this.#encryption }, {
      emit, end, lost, receive: (...message) => this.#router.receive(...message), reset, flush: () => this.#queue.flush(),
    });
    this.#router = new MessageRouter({
      local, lifecycle: this.#lifecycle, session: this.#session, replica: this.#replica, requests: this.#requests, queue: this.#queue,
      chatting: this.#chatting, views: this.#views, encryption: this.#encryption,
    }, { emit, end, lost });
    this.#media = new OwnMedia(this.#session, local);
    this.#statistics = new MeetingStatistics(this.#session, this.#replica, emit);
    const emitData = (detail) => { if (!this.#lifecycle.isOver) { this._emit("data", { ...detail, participant: this.participant(detail.from) ?? null }); } };
    this.#data.addEventListener("message", ({ detail }) => { if (this.encrypted) { this.#encryptedData.receive(detail, emitData); } else { emitData(detail); } });
  }

  /** One of `MeetingState`. @type {string} */
  get state() { return this.#lifecycle.state; }

  /** Why the client waits: `lobby`, `host`, `start`, or null while it doesn't. @type {string|null} */
  get waiting() { return this.#lifecycle.waiting; }

  /** For hosts: who waits, and the lock; null for everybody else. @type {import("./lobby.js").LobbyContent|null} */
  get lobby() { return this.#replica.lobby.content; }

  /** The others, by id, in the order they joined. @type {Map<string, import("./participant.js").RemoteParticipant>} */
  get participants() { return this.#replica.roster.participants; }

  /** Whether audio and video can flow now, also while only signalling is being restored. @type {boolean} */
  get mediaConnected() { return this.#session.mediaConnected; }

  /** The meeting as the server describes it: `id`, `name`, `url`, `subject`, `expires`. @type {object|null} */
  get info() { return this.#replica.info; }

  /** The title; before joining, that of the discover document, and null until that is there. @type {string|null} */
  get subject() { return this.info?.subject ?? this.#session.subject; }

  /**
   * The encryption as this client has verified it; `encryptionchange` reports another state. Nothing of it is the
   * server's word.
   *
   * @type {import("./encryption/encryption-status.js").EncryptionState}
   */
  get encryption() { return this.#encryption.state; }

  /** Whether this client encrypts what it sends, and plays nothing else. @type {boolean} */
  get encrypted() { return this.#encryption.isOn; }

  /**
   * The identity that this client signs with in an encrypted meeting: `device` for the lasting one of this browser,
   * `guest` for one of this meeting, also where the browser keeps no keys; null before it is known.
   *
   * @type {"device"|"guest"|null}
   */
  get identity() { return this.#encryption.identity; }

  /**
   * Whether a participant's identity was there in an earlier meeting; null while that isn't known, and for guests.
   *
   * @param {string} id
   * @returns {import("./encryption/known-people.js").Recognition|null}
   */
  recognition(id) { return this.#encryption.recognition(id); }

  /**
   * The name that a participant's identity had in earlier meetings, where its recognition is `renamed`; null for
   * others.
   *
   * @param {string} id
   * @returns {string|null}
   */
  earlierName(id) { return this.#encryption.earlierName(id); }

  /**
   * Trusts a participant whose recognition is `changed`, once the codes of `pairCode` were compared: its key is
   * remembered under its name.
   *
   * @param {string} id
   */
  async trust(id) { await this.#encryption.trust(id); }

  /**
   * 60 digits that two people compare, this client's and a participant, the same on both sides; null before the key is
   * known. With lasting identities they stay the same in each meeting.
   *
   * @param {string} id
   * @returns {Promise<string|null>}
   */
  async pairCode(id) { return this.#encryption.pairCode(id); }

  /** The name that a participant has signed; null where there is none. @param {string} id @returns {string|null} */
  signedName(id) { return this.#encryption.signedName(id); }

  /** Names of those who have keys of this meeting and whom the server doesn't show. @type {string[]} */
  get hiddenMembers() { return this.#encryption.hiddenMembers; }

  /** Everybody who speaks now, loudest first. @type {import("./participant.js").Participant[]} */
  get speakers() { return this.#replica.roster.speakers; }

  /** Messages in order. @type {object[]} */
  get chat() { return this.#replica.chat.all; }

  /** The owner of the peer connection; null before joining. @type {import("./connection.js").Connection|null} */
  get connection() { return this.#session.connection; }

  /** Hosts' actions, raised hands, reactions and polls. @type {Hosting} */
  get hosting() { return this.#hosting; }

  /** Changing and deleting messages, typing, files and export. @type {Chatting} */
  get chatting() { return this.#chatting; }

  /** The data channels, with the messages that wait for a connection. @type {DataChannels} */
  get data() { return this.#data; }

  /** The signalling channel; null before joining. @type {import("./signaling.js").Signaling|null} */
  get signaling() { return this.#session.signaling; }

  /** Devices of this machine. @type {Devices} */
  get devices() { return this.#devices; }

  /** Joins and waits until media flows. @throws {ParleyError} */
  async join() {
    if (this.state !== MeetingState.idle) { throw new ParleyError("notAllowed", "This meeting was joined before."); }
    this.#lifecycle.start();
    try {
      await this.#encryption._prepare();
      // The server's answer takes as long as opening devices does, so both go on at once.
      const document = this.#session.discover();
      await this.localParticipant._openDevices(document, () => this.#session.ensureGoingOn());
      globalThis.addEventListener?.("pagehide", this.#onPageHide);
      await this.#session.join(document);
    } catch (error) {
      throw this.#session.fail(error);
    }
    this.#lifecycle.joinedOnce = true;
    this.#statistics.start();
    this.#session.refresh();
    this._emit("joined", { participants: [...this.participants.values()] });
  }

  /** Leaves and frees every device. Safe to call at any time, also twice. */
  leave() {
    if (this.#lifecycle.isOver) { return; }
    this.#session.closeSignaling({ leave: true });
    this.#end("left", "You left the meeting.");
  }

  /**
   * Admits somebody from the lobby. For hosts, as are the next four; each resolves when the server has done it.
   *
   * @param {string} id
   * @returns {Promise<void>}
   * @throws {ParleyError} `meetingFull` without capacity for them, `notAllowed`, `tooFast`, `unreachable`
   */
  admit(id) { return this.#requests.send({ type: "admit", ids: [id] }); }

  /** Admits everybody in the lobby. @returns {Promise<void>} */
  admitAll() { return this.#requests.send({ type: "admit", all: true }); }

  /** Sends somebody in the lobby away. @param {string} id @returns {Promise<void>} */
  deny(id) { return this.#requests.send({ type: "deny", ids: [id] }); }

  /** Locks the meeting: only hosts can enter, and nobody can wait. @returns {Promise<void>} */
  lock() { return this.#requests.send({ type: "lock", locked: true }); }

  /** Unlocks the meeting. @returns {Promise<void>} */
  unlock() { return this.#requests.send({ type: "lock", locked: false }); }

  /**
   * Sends a chat message. At most 100 go out at once and 40 a second, signals included; the others wait in their order,
   * also while signalling is down. A message whose connection was lost is sent again, and arrives once.
   *
   * @param {string} text 1 to 4,000 characters, and at most 16,000 bytes of UTF-8
   * @param {{to?: string}} [options] id of the one participant who gets it
   * @returns {number} the message's `id` in a `chatFailed` event; 0, which counts as false, for an empty or too long
   *   text
   * @throws {ParleyError} `tooFast` if 1,000 wait already; `cancelled` after the meeting
   */
  sendChat(text, options = {}) {
    if (text.trim().length === 0 || this.#chatting.problem(text) !== null) { return 0; }
    const message = { type: "chat", text, ...(options.to ? { to: options.to } : {}) };
    const { id, answer } = this.#queue.add(message, { kind: "chat messages", repeats: true });
    answer.catch((error) => {
      // A message that was on its way when the meeting ended has most likely arrived.
      if (this.#lifecycle.isOver && error.code === "unreachable") { return; }
      this._emit("chatFailed", { message: { id, text, to: options.to ?? null }, error });
    });
    return id;
  }

  /**
   * Sends a data message to everybody else, or to some; they get a `data` event. The server reads only the recipients.
   *
   * A reliable message (64 KiB at most) waits for its turn, also while the connection is being restored. Messages given
   * to the browser arrive once and in order, unless this connection is lost permanently. A lossy one (1,024 bytes at
   * most, one packet) is sent at once and never again: for pointers and positions, which newer messages soon replace.
   *
   * @param {string|ArrayBuffer|ArrayBufferView} data text is sent as UTF-8
   * @param {object} [options]
   * @param {string} [options.topic] the subject, at most 128 bytes; the receivers get it with the bytes
   * @param {boolean} [options.reliable] true by default
   * @param {string|string[]} [options.to] ids of the receivers, at most 100; everybody else by default
   * @returns {boolean} false when the message was dropped: a lossy one that can't go now, or a reliable one while 4 MiB
   *   wait
   * @throws {ParleyError} `tooLarge` or `badMessage`, for data that can never be sent
   */
  sendData(data, options = {}) { return (this.encrypted ? this.#encryptedData : this.#data).send(data, options); }

  /**
   * Sends a signal: a short message of the application's own that is stored nowhere. Everybody gets a `signal` event,
   * this client included, or one participant does. It needs no media and shares the queue of `sendChat`.
   *
   * @param {object} signal
   * @param {string} [signal.type] the subject: at most 128 letters of ASCII, digits, `-`, `_` and `~`
   * @param {string} [signal.data] the content, at most 8 KiB of UTF-8
   * @param {string} [signal.to] id of the one participant who gets it
   * @param {boolean} [signal.waits] false drops it while signalling is down
   * @returns {boolean} false when it was dropped
   * @throws {ParleyError} `badMessage`, `tooLarge` or `notJoined`, for a signal that can never be sent
   */
  signal(signal = {}) { return this.#signals.post(signal); }

  /**
   * Sends a signal and waits for the server's answer.
   *
   * @param {object} signal as of `signal`
   * @returns {Promise<void>} resolves when the server has passed it on
   * @throws {ParleyError} those of `signal`; `notAllowed`; `tooFast` if too many wait; `unreachable` without an answer,
   *   so that nobody knows whether it arrived; `cancelled` when the meeting ended
   */
  async sendSignal(signal = {}) { return this.#signals.send(signal); }

  /**
   * Replaces the join token, before it ends (`tokenExpiring`) or for other permissions, which apply at once. The new
   * one has to be for the same meeting and the same holder. A rejoin uses it too.
   *
   * @param {string} token
   * @throws {ParleyError} `badToken`, `tokenExpired`, `wrongMeeting`, or `notAllowed` for somebody else's: nothing
   *   changes then
   */
  async renewToken(token) {
    checkToken(token);
    await this.#requests.send({ type: "renewToken", token });
    this.#session.token.replace(token);
  }

  /**
   * A participant by id, or this client.
   *
   * @param {string} id
   * @returns {import("./participant.js").Participant|undefined}
   */
  participant(id) { return this.#replica.roster.participant(id); }

  /**
   * Reads statistics: the path and every stream, with `undecodableFor` for each sent one (how many receivers can't
   * decode it), and the publications that this browser isn't sent since it can't decode them.
   *
   * @returns {Promise<{time: number, transport: object, streams: object[], undecodable: object[]}|null>}
   */
  async stats() { return this.#statistics.collect(); }

  /** Looks for a new media path (ICE restart). @returns {Promise<void>} */
  async restartIce() { await this.connection?.restartIce(); }

  #lost(error) {
    this.#requests.lost(error);
    this.#chatting._lost();
    this.#queue.lost(error);
  }

  #end(reason, message, error = null) {
    if (this.#lifecycle.isOver) { return; }
    this.#lifecycle.beginEnd(reason, message);
    this.#statistics.stop();
    globalThis.removeEventListener?.("pagehide", this.#onPageHide);
    this.#session.stop();
    this.#replica.reset();
    this.#data.close();
    this.#requests.lost();
    this.#chatting._lost();
    this.#queue.close();
    this.#session.closeConnection();
    this.#encryption._close();
    this.localParticipant._stop();
    this.#lifecycle.end();
    this._emit("ended", { reason, message, error });
  }

  /** A source could not be encrypted. */
  #stopSource(source, error) {
    const publication = this.localParticipant.publication(source);
    if (publication) { this.localParticipant._stopPublication(publication, "unencrypted"); }
    this._emit("error", { error, fatal: false });
  }

  // MARK: For the parts of the SDK

  /** The encryption itself. @type {MeetingEncryption} */
  get _encryption() { return this.#encryption; }

  /** Carries own tracks into the connection. @type {OwnMedia} */
  get _media() { return this.#media; }

  _emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  _nameChanged(participant) { this.#replica.roster.nameChanged(participant); }

  _send(message) { return this.#session.send(message); }
}
