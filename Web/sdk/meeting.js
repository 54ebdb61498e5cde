import { Connection } from "./connection.js";
import { Chatting } from "./chat.js";
import { DataChannels } from "./data-channels.js";
import { Devices } from "./devices.js";
import { checkToken } from "./discover.js";
import { DistinctNames, numbered } from "./distinct-names.js";
import { ParleyError } from "./errors.js";
import { Hosting, permissionsOf } from "./hosting.js";
import { JoinToken } from "./join-token.js";
import { LocalParticipant, RemoteParticipant } from "./participant.js";
import { Publication } from "./publication.js";
import { Signaling } from "./signaling.js";
import { Stats } from "./stats.js";
import { RemoteTrack } from "./track.js";
import { Turns } from "./turns.js";
import { Views } from "./views.js";
import { chatProblem } from "./text.js";

/**
 * The states of a meeting.
 *
 * - `idle`: not joined yet
 * - `connecting`: joining; media does not flow yet
 * - `waiting`: waiting to be let in, or for a host (`meeting.waiting` says which); nothing of the meeting is known yet
 * - `connected`: joined, and the media connection stands
 * - `reconnecting`: the signalling or the media connection was lost and is being restored
 * - `ended`: over for this client
 */
export const MeetingState = Object.freeze({
  idle: "idle", connecting: "connecting", waiting: "waiting", connected: "connected", reconnecting: "reconnecting", ended: "ended",
});

const firstConnectPatience = 12_000;
const rejoinPatience = 120_000;
const statsInterval = 2_000;

/** Refusals that are told when joining again was in vain for as long as patience lasts: the connection is no longer the reason. */
const outlasting = new Set(["meetingFull", "quotaReached", "lobbyFull"]);

/** Errors after which joining again is of no use. */
const final = new Set([
  "badToken", "tokenExpired", "tokenRequired", "signInRequired", "wrongOrigin", "wrongMeeting", "noSuchMeeting", "meetingExpired", "badName", "notAllowed", "unsupported", "banned",
  "passcodeRequired", "wrongPasscode", "passcodeBlocked", "meetingLocked", "notStarted", "meetingCancelled", "entryDenied", "lobbyTimeout",
]);

/**
 * A meeting as this client takes part in it.
 *
 * Its events are `CustomEvent`s; `docs/browser-client.md` has the table of them.
 */
export class Meeting extends EventTarget {
  #devices;
  #signaling = null;
  #connection = null;
  #state = MeetingState.idle;
  #participants = new Map();
  #slots = [];
  #speakers = [];
  #chat = [];
  #data = new DataChannels();
  #hosting = new Hosting(this);
  #turns = new Turns((message) => this._send(message), () => !this.#rejoining && this.#signaling?.open === true);
  #chatting = new Chatting(this, async (message) => this.#turns.add(message, { kind: "changes of messages", waits: false }).answer);
  /** The ids that this client had here: joining anew gives it another. */
  #ownIds = new Set();
  #token;
  #info = null;
  #joinedOnce = false;
  #rejoining = false;
  #mediaDown = false;
  #signalingDown = false;
  #waiting = null;
  #hasWaited = false;
  /** Whether who waits has lost the connection. */
  #waitingLost = false;
  /** Why it is over: `reason` and `message` of the event `ended`. */
  #ended = null;
  #lobby = null;
  #statsTimer = null;
  #connectTimer = null;
  #serverQuality = new Map();
  #names = new DistinctNames();
  #paused = { publications: new Set(), reason: null };
  /** What this browser cannot decode, by publication. */
  #undecodable = new Map();
  #subject = null;
  #views = new Views((slots) => this.#state !== MeetingState.ended && this.#signaling?.send({ type: "view", slots }) === true);
  #onOnline = () => this.#online();
  #onPageHide = (event) => { if (!event.persisted) { this.leave(); } };

  /**
   * Joins and waits until media flows.
   *
   * @param {JoinOptions} options
   * @returns {Promise<Meeting>}
   * @throws {ParleyError}
   */
  static async join(options) {
    const meeting = new Meeting(options);
    await meeting.join();
    return meeting;
  }

  /**
   * @typedef {object} JoinOptions
   * @property {string|URL} [url] address of the meeting (`https://host/<room>`); this, `discover`, or `signaling` with `token`
   * @property {string|URL} [discover] address of a discover document
   * @property {string} [signaling] address of the WebSocket, when no discover document is to be fetched
   * @property {string} [token] join token
   * @property {string} name display name
   * @property {string} [passcode] the meeting's passcode, where it has one
   * @property {boolean|MediaStreamTrack|DeviceChoice} [microphone] true opens one; a function decides when the server has answered
   * @property {boolean|MediaStreamTrack|DeviceChoice} [camera] as `microphone`
   * @property {boolean} [microphoneMuted] publish the microphone muted
   * @property {{microphone?: {deviceId?: string}, camera?: {deviceId?: string, facingMode?: string}}} [devices] devices to prefer
   * @property {number} [resolution] height of the camera picture
   * @property {string} [preferredVideoCodec] `VP8`, `VP9`, `H264` or `AV1`
   * @property {boolean} [simulcast] false sends a camera in one size instead of three
   * @property {"tcp"} [iceTransport] media over TCP only
   * @property {string} [client] names the program to the server
   *
   * @typedef {(document: import("./discover.js").DiscoverDocument) => boolean} DeviceChoice whether a device is opened
   */

  /** @param {JoinOptions} options */
  constructor(options) {
    super();
    /** @type {JoinOptions} */
    this.options = { ...options };
    this.#token = new JoinToken(this.options);
    this.#devices = new Devices();
    /** Oneself. @type {LocalParticipant} */
    this.localParticipant = new LocalParticipant(options.name ?? "Guest", this, this.#devices);
    this.#data.addEventListener("message", ({ detail }) => {
      if (this.#state === MeetingState.ended) { return; }
      this._emit("data", { ...detail, participant: this.participant(detail.from) ?? null });
    });
  }

  /** One of `MeetingState`. @type {string} */
  get state() { return this.#state; }

  /** What is waited for: `lobby`, `host`, `start`, or null when nothing is. @type {string|null} */
  get waiting() { return this.#waiting; }

  /** To hosts: who waits to be let in, and whether the meeting is locked; null for everybody else. @type {{waiting: {id: string, name: string, displayName: string}[], locked: boolean}|null} */
  get lobby() { return this.#lobby; }

  /** The others, by id, in the order they joined. @type {Map<string, RemoteParticipant>} */
  get participants() { return this.#participants; }

  /** Whether sound and pictures can flow now, also while only the signalling is being restored. @type {boolean} */
  get mediaConnected() { return !this.#rejoining && !this.#mediaDown && this.#connection?.connected === true; }

  /** What the server said about the meeting: `id`, `name`, `url`, `subject`, `expires`. @type {object|null} */
  get info() { return this.#info; }

  /** The meeting's title; before joining, what the server tells everybody with the address. Null until it has answered. @type {string|null} */
  get subject() { return this.#info?.subject ?? this.#subject; }

  /** Everybody who speaks now, loudest first. @type {import("./participant.js").Participant[]} */
  get speakers() { return this.#speakers; }

  /** Messages in order. @type {object[]} */
  get chat() { return this.#chat; }

  /** The peer connection's owner; null before joining. @type {Connection|null} */
  get connection() { return this.#connection; }

  /** Hosts' decisions, raised hands, reactions and polls. @type {Hosting} */
  get hosting() { return this.#hosting; }

  /** Changing and deleting messages, typing, files and export. @type {Chatting} */
  get chatting() { return this.#chatting; }

  /** The data channels; messages that wait for a connection are here. @type {DataChannels} */
  get data() { return this.#data; }

  /** The signalling channel; null before joining. @type {Signaling|null} */
  get signaling() { return this.#signaling; }

  /** Devices of this machine. @type {Devices} */
  get devices() { return this.#devices; }

  /**
   * Joins and waits until media flows.
   *
   * @throws {ParleyError}
   */
  async join() {
    if (this.#state !== MeetingState.idle) { throw new ParleyError("notAllowed", "This meeting was joined before."); }
    this.#setState(MeetingState.connecting);
    try {
      // Asking the server takes as long as opening devices does, so both go on at once.
      const document = this.#discover();
      document.catch(() => {});
      await this.#openDevices(document);
      this.#ensureGoingOn();
      globalThis.addEventListener?.("online", this.#onOnline);
      globalThis.addEventListener?.("pagehide", this.#onPageHide);
      await this.#enter(document);
      await this.#untilConnected();
    } catch (error) {
      const known = error instanceof ParleyError ? error : new ParleyError("internal", String(error?.message ?? error), { cause: error });
      if (this.#state !== MeetingState.ended) {
        this._emit("error", { error: known, fatal: true });
        this.#end("failed", known.message, known);
      }
      // What has ended the joining is more than that it was ended.
      const { reason, message } = this.#ended;
      throw known.code === "cancelled" && !["left", "failed"].includes(reason) ? new ParleyError(reason, message) : known;
    }
    this.#joinedOnce = true;
    this.#statsTimer = setInterval(() => this.#measure(), statsInterval);
    this.#refreshState();
    this._emit("joined", { participants: [...this.#participants.values()] });
  }

  /** Leaves: tells the server and frees every device. Safe to call at any time, also twice. */
  leave() {
    if (this.#state === MeetingState.ended) { return; }
    this.#signaling?.close({ leave: true });
    this.#end("left", "You left the meeting.");
  }

  /**
   * Lets somebody in who waits. Hosts only, as are the next four; each resolves when the server has done it.
   *
   * @param {string} id
   * @returns {Promise<void>}
   * @throws {ParleyError} `meetingFull` when there is no room for them, `notAllowed`, `tooFast`, `unreachable`
   */
  admit(id) { return this.#hosting._request({ type: "admit", ids: [id] }); }

  /** Lets everybody in who waits. @returns {Promise<void>} */
  admitAll() { return this.#hosting._request({ type: "admit", all: true }); }

  /**
   * Sends somebody away who waits.
   *
   * @param {string} id
   * @returns {Promise<void>}
   */
  deny(id) { return this.#hosting._request({ type: "deny", ids: [id] }); }

  /** Locks the meeting: nobody but hosts gets in, and nobody can knock. @returns {Promise<void>} */
  lock() { return this.#hosting._request({ type: "lock", locked: true }); }

  /** Unlocks the meeting. @returns {Promise<void>} */
  unlock() { return this.#hosting._request({ type: "lock", locked: false }); }

  /**
   * Sends a chat message. At most 100 go out at once and 40 a second, signals included; the others wait in their order, and so does each while the
   * signalling is down. One with which the connection was lost is sent again, and arrives once.
   *
   * @param {string} text 1 to 4,000 characters, and at most 16,000 bytes of UTF-8
   * @param {{to?: string}} [options] id of the one participant who is to get it
   * @returns {number} the message's `id` in a `chatFailed` event; 0, which counts as false, when the text is empty or too long
   * @throws {ParleyError} `tooFast` when 1,000 wait already; `cancelled` after the meeting
   */
  sendChat(text, options = {}) {
    if (text.trim().length === 0 || chatProblem(text) !== null) { return 0; }
    const message = { type: "chat", text, ...(options.to ? { to: options.to } : {}) };
    const { id, answer } = this.#turns.add(message, { kind: "chat messages", repeats: true });
    answer.catch((error) => {
      // What was on its way when the meeting ended has most likely arrived.
      if (this.#state === MeetingState.ended && error.code === "unreachable") { return; }
      this._emit("chatFailed", { message: { id, text, to: options.to ?? null }, error });
    });
    return id;
  }

  /**
   * Sends a message of the application's own to everybody else, or to some; they get a `data` event. The server looks at nothing
   * but the recipients.
   *
   * A reliable message (64 KiB at most) waits for its turn, also while the connection is being restored. What the browser has been given
   * arrives once and in order, unless this very connection is lost for good. A lossy one (1,024 bytes at most, which is one packet)
   * is sent at once and never again: for what is soon replaced by newer, such as pointers and positions.
   *
   * @param {string|ArrayBuffer|ArrayBufferView} data text is sent as UTF-8
   * @param {object} [options]
   * @param {string} [options.topic] what it is about, at most 128 bytes; the receivers get it beside the bytes
   * @param {boolean} [options.reliable] true unless said otherwise
   * @param {string|string[]} [options.to] ids of those who are to get it, at most 100; everybody else when left out
   * @returns {boolean} false when the message was dropped: a lossy one that cannot go now, or a reliable one while 4 MiB wait already
   * @throws {ParleyError} `tooLarge` or `badMessage`, for what can never be sent
   */
  sendData(data, options = {}) { return this.#data.send(data, options); }

  /**
   * Sends a signal: a short message of the application's own that is kept nowhere. Everybody gets a `signal` event, this client included, or
   * one participant does. It needs no media. At most 100 go out at once and 40 a second, chat messages included; the others wait, and so does each while the signalling is
   * down: 1,000 at most.
   *
   * @param {object} signal
   * @param {string} [signal.type] what it is about: at most 128 letters of ASCII, digits, `-`, `_` and `~`
   * @param {string} [signal.data] the content, at most 8 KiB of UTF-8
   * @param {string} [signal.to] id of the one participant who is to get it
   * @param {boolean} [signal.waits] false drops it while the signalling is down
   * @returns {boolean} false when it was dropped
   * @throws {ParleyError} `badMessage`, `tooLarge` or `notJoined`, for what can never be sent
   */
  signal(signal = {}) {
    const { message, waits } = this.#checked(signal);
    const taken = this.#turns.takes("signals", waits);
    if (taken) { this.#turns.add(message, { kind: "signals", waits }).answer.catch(() => {}); }
    return taken;
  }

  /**
   * As `signal`, for who wants to know what became of it.
   *
   * @param {object} signal as of `signal`
   * @returns {Promise<void>} resolves when the server has passed it on
   * @throws {ParleyError} those of `signal`; `notAllowed`; `tooFast` when as many wait as may; `unreachable` when the connection was lost before the
   *   server had answered, so that nobody knows whether it arrived; `cancelled` when the meeting ended
   */
  async sendSignal(signal = {}) {
    const { message, waits } = this.#checked(signal);
    await this.#turns.add(message, { kind: "signals", waits }).answer;
  }

  #checked({ type = "", data = "", to, waits = true }) {
    if (!this.#joinedOnce || this.#state === MeetingState.ended) { throw new ParleyError("notJoined", "Join the meeting first."); }
    if (typeof type !== "string" || typeof data !== "string") { throw new ParleyError("badMessage", "The type and the data of a signal are text."); }
    if (type.length > 128) { throw new ParleyError("tooLarge", "The type of a signal has at most 128 bytes."); }
    if (!/^[A-Za-z0-9_~-]*$/.test(type)) { throw new ParleyError("badMessage", "The type of a signal has only letters of ASCII, digits, '-', '_' and '~'."); }
    if (new TextEncoder().encode(data).length > 8_192) { throw new ParleyError("tooLarge", "The data of a signal has at most 8192 bytes."); }
    return { message: { type: "signal", signal: type, data, ...(to ? { to } : {}) }, waits };
  }

  /**
   * Puts another join token in the place of the one that this client came with, before that one ends (`tokenExpiring`) or to be given other
   * rights, which hold at once. It has to be for the same meeting and the same holder. Joining anew uses it too.
   *
   * @param {string} token
   * @throws {ParleyError} `badToken`, `tokenExpired`, `wrongMeeting`, or `notAllowed` for one of somebody else: everything stays as it was then
   */
  async renewToken(token) {
    checkToken(token);
    await this.#hosting._request({ type: "renewToken", token });
    this.#token.replace(token);
  }

  /**
   * Somebody by id, oneself included.
   *
   * @param {string} id
   * @returns {import("./participant.js").Participant|undefined}
   */
  participant(id) { return id === this.localParticipant.id ? this.localParticipant : this.#participants.get(id); }

  /**
   * Reads statistics: the path and every stream; of what is sent also how many receivers cannot decode it (`undecodableFor`), and what this browser is
   * not sent for that reason.
   *
   * @returns {Promise<{time: number, transport: object, streams: object[], undecodable: {participant: string, publication: string, codec: string}[]}|null>}
   */
  async stats() {
    const connection = this.#connection;
    if (!connection) { return null; }
    const digest = await connection.stats.collect();
    const receivers = new Map(this.localParticipant.publications.map(({ source, undecodableFor }) => [connection.midOf(source), undecodableFor?.count ?? 0]));
    return {
      ...digest,
      streams: digest.streams.map((each) => (each.direction === "outbound" ? { ...each, undecodableFor: receivers.get(each.mid) ?? 0 } : each)),
      undecodable: [...this.#participants.values()].flatMap((participant) => participant.publications
        .filter((each) => each.undecodableCodec !== null)
        .map((each) => ({ participant: participant.id, publication: each.id, codec: each.undecodableCodec.name }))),
    };
  }

  /** Looks for a new media path (ICE restart). @returns {Promise<void>} */
  async restartIce() { await this.#connection?.restartIce(); }

  // MARK: Joining

  /** @param {Promise<object>} finding the discover document */
  async #openDevices(finding) {
    const { options } = this;
    const opened = { microphone: options.microphone, camera: options.camera };
    for (const [source, wanted] of Object.entries(opened)) {
      if (typeof wanted === "function") { opened[source] = wanted(await finding) === true; }
    }
    this.#ensureGoingOn();
    if (opened.microphone === true && opened.camera === true) {
      Object.assign(opened, await this.#devices.openBoth({ ...options.devices, resolution: options.resolution }));
    } else {
      const kept = (promise) => promise.catch((error) => error);
      if (opened.microphone === true) { opened.microphone = await kept(this.#devices.openMicrophone(options.devices?.microphone)); }
      if (opened.camera === true) {
        opened.camera = await kept(this.#devices.openCamera({ resolution: options.resolution, ...options.devices?.camera }));
      }
    }
    for (const [source, track] of Object.entries(opened)) {
      if (track instanceof MediaStreamTrack) {
        if (track.readyState === "live") {
          this.localParticipant._prepare(track, source, source === "microphone" && options.microphoneMuted === true);
        }
      } else if (track instanceof Error) {
        // One may take part without devices: the page tells, the join goes on.
        this._emit("error", { error: track, fatal: false });
      }
    }
  }

  #discover() { return this.#token.document(); }

  /** Connects; who waits and loses the connection knocks again. */
  async #enter(document) {
    let lostAt = 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#connect(document);
        return;
      } catch (error) {
        if (this.#waiting === null || error?.code !== "unreachable" || this.#state === MeetingState.ended) { throw error; }
        if (!this.#waitingLost) {
          // Each loss has the whole patience, however long ago the one before was.
          this.#waitingLost = true;
          [lostAt, attempt] = [performance.now(), 0];
          this._emit("waiting", { reason: this.#waiting, lost: true });
        }
        if (performance.now() - lostAt > rejoinPatience) { throw error; }
        this.#signaling?.close();
        this.#connection?.close();
      }
      await this.#pause(Math.min(8_000, 500 * 2 ** attempt));
      this.#ensureGoingOn();
      document = this.#discover();
      document.catch(() => {});
    }
  }

  /** @param {Promise<object>} finding the discover document */
  async #connect(finding) {
    const { options } = this;
    finding.catch(() => {});
    this.#ensureGoingOn();
    let signaling = null;
    const connection = new Connection(
      {
        preferredVideoCodec: options.preferredVideoCodec, iceTransport: options.iceTransport, data: this.#data,
        simulcast: options.simulcast,
      },
      (message) => signaling?.send(message) === true,
    );
    this.#connection = connection;
    for (const publication of this.localParticipant.publications) {
      this.#addToConnection(publication);
    }
    // Browsers take as long to make a connection as the server takes to answer, so both go on at once.
    connection.prepareOffer();
    const document = await finding;
    this.#ensureGoingOn();
    if (typeof document.subject === "string") { this.#subject = document.subject; }
    signaling = new Signaling(document.signaling, (message) => this.#receive(message, connection));
    this.#signaling = signaling;
    this.#watch(signaling, connection);
    await signaling.join(() => connection.firstOffer(document.iceServers).then(({ offer, tracks }) => ({
      token: document.token, room: document.meeting, name: this.localParticipant.name, offer, tracks, client: options.client ?? "parley-web",
      ...(options.passcode ? { passcode: options.passcode } : {}),
    })));
    if (this.#hasWaited) {
      // What was said meanwhile was said to nobody.
      this.#hasWaited = false;
      for (const { mid, muted } of connection.tracks) { this._send({ type: "mute", mid, muted }); }
    }
    this.#ensureGoingOn();
    this.#turns.flush();
  }

  #addToConnection(publication) {
    const track = publication.track?.mediaStreamTrack;
    // A camera that is off has nothing to offer yet; switching it on publishes it anew.
    if (track) { this.#connection.addTrack(publication.source, track, publication.muted, publication.name); }
  }

  #watch(signaling, connection) {
    const current = () => this.#signaling === signaling && this.#state !== MeetingState.ended;
    signaling.addEventListener("lost", () => {
      if (!current()) { return; }
      this.#signalingDown = true;
      this.#hosting._lost();
      this.#chatting._lost();
      this.#turns.lost();
      this.#refreshState();
    });
    signaling.addEventListener("resumed", () => {
      if (!current()) { return; }
      this.#signalingDown = false;
      this.#tellAgain();
      this.#refreshState();
    });
    signaling.addEventListener("expired", ({ detail }) => { if (current()) { this.#rejoin(detail); } });
    signaling.addEventListener("fault", ({ detail }) => {
      this._emit("error", { error: new ParleyError("internal", String(detail?.message ?? detail), { cause: detail }), fatal: false });
    });
    connection.addEventListener("statechange", () => { if (current()) { this.#refreshState(); } });
    connection.addEventListener("interrupted", () => {
      if (!current()) { return; }
      this.#mediaDown = true;
      signaling.probe();
      this.#refreshState();
    });
    connection.addEventListener("recovered", () => {
      if (!current()) { return; }
      this.#mediaDown = false;
      this.#refreshState();
    });
    connection.addEventListener("refused", ({ detail }) => {
      if (!current() || this.#state === MeetingState.ended) { return; }
      this._emit("error", {
        error: new ParleyError("offerRefused", `What has changed in the meeting could not be agreed on with the server, so somebody may be missing here: ${detail.message}`, { cause: detail }),
        fatal: false,
      });
    });
    connection.addEventListener("failed", () => {
      if (current() && this.#joinedOnce) { this.#rejoin(new ParleyError("mediaFailed", "The media connection was lost.")); }
    });
  }

  /** Waits for the media path; after a while tries an ICE restart, and gives up after twice the time. */
  #untilConnected() {
    const connection = this.#connection;
    return new Promise((resolve, reject) => {
      const done = (settle, value) => {
        clearTimeout(this.#connectTimer);
        connection.removeEventListener("statechange", check);
        this.removeEventListener("ended", gone);
        settle(value);
      };
      const check = () => { if (connection.connected) { done(resolve); } };
      const gone = () => done(reject, new ParleyError("cancelled", "The meeting was left."));
      connection.addEventListener("statechange", check);
      this.addEventListener("ended", gone);
      this.#connectTimer = setTimeout(() => {
        connection.renegotiate({ iceRestart: true });
        this.#connectTimer = setTimeout(
          () => done(reject, new ParleyError("mediaFailed", "No way for sound and pictures was found through this network.")),
          firstConnectPatience,
        );
      }, firstConnectPatience);
      check();
    });
  }

  #ensureGoingOn() {
    if (this.#state === MeetingState.ended) { throw new ParleyError("cancelled", "The meeting was left."); }
  }

  /** Joins anew with the same tracks, for as long as patience lasts. */
  async #rejoin(cause) {
    if (this.#rejoining) { return; }
    this.#rejoining = true;
    this.#turns.lost();
    this.#refreshState();
    const start = performance.now();
    for (let attempt = 0; this.#state !== MeetingState.ended; attempt += 1) {
      this.#signaling?.close({ leave: true });
      this.#connection?.close();
      this.#dropTracks();
      this.#lobby = null;
      try {
        await this.#connect(this.#discover());
        await this.#untilConnected();
        break;
      } catch (error) {
        if (this.#state === MeetingState.ended) { return; }
        this.#endWaiting();
        if (final.has(error?.code)) {
          this._emit("error", { error, fatal: true });
          this.#end(error.code === "meetingExpired" ? "expired" : "failed", error.message, error);
          return;
        }
        if (performance.now() - start > rejoinPatience) {
          if (outlasting.has(error?.code)) { this.#end("failed", error.message, error); return; }
          this.#end("connectionLost", "The connection was lost and could not be restored.", cause);
          return;
        }
      }
      await this.#pause(Math.min(8_000, 500 * 2 ** attempt));
    }
    if (this.#state === MeetingState.ended) { return; }
    this.#rejoining = this.#mediaDown = this.#signalingDown = false;
    this.#turns.flush();
    this.#refreshState();
  }

  #pause(time) {
    return new Promise((resolve) => {
      const timer = setTimeout(done, time);
      function done() {
        clearTimeout(timer);
        globalThis.removeEventListener?.("online", done);
        resolve();
      }
      globalThis.addEventListener?.("online", done);
    });
  }

  #online() {
    if (this.#rejoining || !this.#joinedOnce) { return; }
    if (this.#signaling?.ready) { this.#signaling.probe(); } else { this.#signaling?.retryNow(); }
    // The address of this machine may be another one now.
    this.#connection?.renegotiate({ iceRestart: true });
  }

  /** After a resume: what was said while the socket was down is said again. */
  #tellAgain() {
    // The offer first: the tracks it brings must be known before they are muted.
    this.#connection.resend();
    for (const { mid, muted } of this.#connection.tracks) { this._send({ type: "mute", mid, muted }); }
    this._send({ type: "rename", name: this.localParticipant.name });
    this.#turns.flush();
  }

  // MARK: Messages

  async #receive(message, connection) {
    if (this.#connection !== connection || this.#state === MeetingState.ended) { return; }
    switch (message.type) {
      case "welcome": {
        this.#endWaiting();
        this.localParticipant.id = message.participant;
        this.#ownIds.add(message.participant);
        this.#takeInfo(message.meeting);
        if (Array.isArray(message.iceServers)) { connection.useServers(message.iceServers); }
        await connection.firstAnswer(message.answer);
        this.#hosting._takePermissions(message.participants?.find((each) => each.id === message.participant)?.role, message.permissions);
        this.localParticipant._endForbidden();
        this.#takeState(message);
        this.#views.again();
        this.#takeOwnName((message.participants ?? []).find((each) => each.id === message.participant));
        return;
      }
      case "waiting": this.#beginWaiting(["host", "start"].includes(message.reason) ? message.reason : "lobby"); return;
      case "lobby": this.#takeLobby(message); return;
      case "resumed":
        this.#takeState(message);
        this.#takeStopped((message.participants ?? []).find((each) => each.id === this.localParticipant.id));
        this.#views.again();
        return;
      case "answer":
        for (const each of message.publications ?? []) { this.#takePublication(this.localParticipant, each, false); }
        if (await connection.receiveAnswer(message)) { this.#applySlots(message.slots); }
        return;
      case "participantJoined": this.#takeParticipant(message.participant); return;
      case "participantUpdated":
        this.#takeParticipant(message.participant);
        this.#takeOwnName(message.participant);
        return;
      case "participantLeft": this.#removeParticipant(message.id, message.reason); return;
      case "published":
        this.#takePublication(this.participant(message.participant), message.publication);
        this.#applySlots(this.#slots);
        return;
      case "publicationUpdated": this.#takePublication(this.participant(message.participant), message.publication); return;
      case "unpublished": {
        const participant = this.participant(message.participant);
        const reason = typeof message.reason === "string" ? message.reason : null;
        if (participant?.isLocal) { this.#stopOwn(message.publication, reason); } else if (participant) { this.#removePublication(participant, message.publication, reason); }
        return;
      }
      case "slots": this.#applySlots(message.slots); return;
      case "paused": this.#takePaused(message.slots, message.reason); return;
      case "undecodable": this.#takeUndecodable(message.publications); return;
      case "undecodableFor": this.#takeReceivers(message); return;
      case "sendCodec": connection.setSendCodec(message); return;
      case "wanted": connection.setWanted(message); return;
      case "needSlots":
        if (connection.ensureSlots(message)) { this._renegotiate(); }
        return;
      case "speakers": this.#takeSpeakers(message.speakers); return;
      case "quality": this.#takeQuality(message.quality); return;
      case "chat": this.#takeChat(message.message, false); return;
      case "done":
        if (!this.#turns.answered(message.id)) { this.#hosting._receive(message); }
        return;
      case "signal":
        this._emit("signal", {
          from: message.from ?? null, participant: this.participant(message.from) ?? null,
          type: String(message.signal ?? ""), data: String(message.data ?? ""),
        });
        return;
      case "error": {
        if (await connection.receiveRefusal(message)) { return; }
        const error = new ParleyError(String(message.code), String(message.message ?? ""));
        if (this.#turns.answered(message.id, error) || this.#hosting._refused(message.id, error)) { return; }
        // The socket of who sends too fast is closed, and the place is kept: it is taken back as after any loss.
        if (message.fatal && error.code === "tooFast") {
          this.#hosting._lost(error);
          this.#turns.lost(error);
        }
        if (!message.fatal || error.code === "tooFast") { this._emit("error", { error, fatal: false }); return; }
        if (final.has(error.code)) {
          this._emit("error", { error, fatal: true });
          this.#end("failed", error.message, error);
        } else if (this.#joinedOnce) {
          this.#rejoin(error);
        }
        return;
      }
      case "meeting": this.#takeInfo(message.meeting); return;
      case "tokenExpiring": this._emit("tokenExpiring", { seconds: Number(message.seconds) || 0, leaves: message.leaves === true }); return;
      case "refreshToken":
        // Whoever came without a token is given a new one at the door.
        if (typeof message.token === "string" && this.#token.isOwn) { this.#token.replace(message.token); }
        return;
      case "ended":
        this.#end(String(message.reason), String(message.message ?? ""));
        return;
      default: if (!this.#chatting._receive(message)) { this.#hosting._receive(message); }
    }
  }

  /** What the meeting is called, when it ends, and what its chat takes; it may change, also while one is away. */
  #takeInfo(info) {
    const before = this.#info;
    this.#info = info ?? before;
    if (before !== null && JSON.stringify(before) !== JSON.stringify(this.#info)) { this._emit("meetingChanged", { info: this.#info, before }); }
  }

  #beginWaiting(reason) {
    if (this.#waiting === reason && !this.#waitingLost) { return; }
    this.#waiting = reason;
    this.#waitingLost = false;
    this.#hasWaited = true;
    this.#setState(MeetingState.waiting);
    this._emit("waiting", { reason, lost: false });
  }

  #endWaiting() {
    if (this.#waiting === null) { return; }
    this.#waiting = null;
    this.#waitingLost = false;
    if (this.#state === MeetingState.waiting) { this.#setState(this.#joinedOnce ? MeetingState.reconnecting : MeetingState.connecting); }
  }

  /** To hosts: the lobby, whole. Who is a host no more is told of it a last time, empty. */
  #takeLobby({ waiting, locked }) {
    if (!this.#hosting.isHost) {
      this.#lobby = null;
      this._emit("lobby", { waiting: [], locked: locked === true });
      return;
    }
    const people = (Array.isArray(waiting) ? waiting : []).filter((each) => typeof each?.id === "string");
    const present = new Set(people.map(({ id }) => id));
    for (const { id } of this.#lobby?.waiting ?? []) {
      if (!present.has(id) && !this.#participants.has(id)) { this.#names.remove(id); }
    }
    this.#lobby = {
      waiting: people.map(({ id, name }) => {
        const text = String(name ?? "Guest");
        return { id, name: text, displayName: numbered(text, this.#names.number(id, text)) };
      }),
      locked: locked === true,
    };
    this._emit("lobby", this.#lobby);
  }

  /** Says who came or went, to whoever is in already, where the meeting wants it said. */
  #announce(detail) {
    if (this.#joinedOnce && this.#info?.announces !== false) { this._emit("announced", detail); }
  }

  #takeState(message) {
    const present = new Set();
    for (const value of message.participants ?? []) {
      present.add(value.id);
      this.#takeParticipant(value, true);
    }
    for (const id of [...this.#participants.keys()]) {
      if (!present.has(id)) { this.#removeParticipant(id, "left"); }
    }
    this.#applySlots(message.slots);
    for (const entry of message.chat ?? []) { this.#takeChat(entry, true); }
    this.#hosting._takeState(message.state);
  }

  #takeParticipant(value, whole = false) {
    if (typeof value?.id !== "string") { return; }
    if (value.id === this.localParticipant.id) {
      this.#takeHand(this.localParticipant, value);
      this.localParticipant._takeFacts(value);
      for (const each of value.publications ?? []) { this.#takePublication(this.localParticipant, each, whole); }
      return;
    }
    let participant = this.#participants.get(value.id);
    const isNew = participant === undefined;
    if (isNew) {
      participant = new RemoteParticipant(value.id, "");
      this.#participants.set(value.id, participant);
    }
    const described = () => `${participant.name}\n${participant.role}\n${participant.connection}\n${participant.permissions}`;
    const before = described();
    participant.permissions = permissionsOf(value);
    participant.name = String(value.name ?? "Guest");
    this._nameChanged(participant);
    participant.role = String(value.role ?? "guest");
    participant._takeFacts(value);
    participant.connection = value.connection === "reconnecting" ? "reconnecting" : "connected";
    if (isNew) {
      this._emit("participantJoined", { participant });
      this.#announce({ participant, entered: true, reason: null });
    } else if (before !== described()) {
      this._emit("participantUpdated", { participant });
    }
    this.#takeHand(participant, value);
    for (const each of value.publications ?? []) { this.#takePublication(participant, each, true); }
    if (whole) {
      const ids = new Set((value.publications ?? []).map((each) => each.id));
      for (const each of [...participant.publications]) {
        if (!ids.has(each.id)) { this.#removePublication(participant, each.id); }
      }
    }
  }

  /** The server has the last word on a name: a token may set it. After a resume the own one is told anew instead. */
  #takeOwnName(value) {
    const own = this.localParticipant;
    if (value?.id !== own.id || typeof value.name !== "string") { return; }
    const before = own.displayName;
    own.name = value.name;
    this._nameChanged(own);
    if (own.displayName !== before) { this._emit("participantUpdated", { participant: own }); }
  }

  #takeHand(participant, { hand }) {
    const value = Number.isInteger(hand) ? hand : null;
    if (participant.hand === value) { return; }
    participant.hand = value;
    this._emit("hand", { participant });
  }

  /** After a resume: own tracks that the server has no more were ended while the socket was down. */
  #takeStopped(value) {
    const present = new Set((value?.publications ?? []).map((each) => each.id));
    for (const { id } of [...this.localParticipant.publications]) {
      if (id !== null && !present.has(id)) { this.#stopOwn(id); }
    }
  }

  #stopOwn(id, reason = null) {
    const publication = this.localParticipant.publications.find((each) => each.id === id);
    if (!publication) { return; }
    this._emit("stoppedByHost", { publication, reason });
    this.localParticipant._stopPublication(publication, reason);
  }

  /** `decides` for what says how things are now; an update of a participant may say of own tracks what was just changed. */
  #takePublication(participant, value, decides = true) {
    if (!participant || typeof value?.id !== "string") { return; }
    if (participant.isLocal) {
      const own = participant.publication(value.source);
      if (!own) { return; }
      own._takeFacts(value);
      if (decides && value.mutedByHost === true && !(own.muted && own.mutedByHost)) {
        this.localParticipant._muteForHost(own);
        this._emit("mutedByHost", { publication: own });
      }
      return;
    }
    const known = participant.publications.find((each) => each.id === value.id);
    if (known) {
      const muted = value.muted === true;
      known.mutedByHost = value.mutedByHost === true;
      if (known.muted !== muted) {
        known.muted = muted;
        this._emit("muted", { participant, publication: known, muted });
      }
      return;
    }
    const publication = new Publication(value, participant);
    participant.publications.push(publication);
    this._emit("published", { participant, publication });
    this.#showCodec(publication);
  }

  #removePublication(participant, id, reason = null) {
    const index = participant.publications.findIndex((each) => each.id === id);
    if (index < 0) { return; }
    const [publication] = participant.publications.splice(index, 1);
    this.#unsubscribe(publication);
    this._emit("unpublished", { participant, publication, reason });
  }

  #removeParticipant(id, reason) {
    const participant = this.#participants.get(id);
    if (!participant) { return; }
    for (const each of [...participant.publications]) { this.#removePublication(participant, each.id); }
    this.#participants.delete(id);
    this.#names.remove(id);
    this.#chatting._stopped(id);
    this.#speakers = this.#speakers.filter((each) => each !== participant);
    this._emit("participantLeft", { participant, reason: reason ?? "left" });
    this.#announce({ participant, entered: false, reason: reason ?? "left" });
  }

  // MARK: Slots

  #applySlots(slots) {
    if (!Array.isArray(slots)) { return; }
    this.#slots = slots;
    const wanted = new Map();
    for (const { mid, publication } of slots) {
      if (typeof publication === "string") { wanted.set(publication, String(mid)); }
    }
    for (const participant of this.#participants.values()) {
      for (const publication of participant.publications) {
        const mid = wanted.get(publication.id);
        if (publication.track && publication.track.mid !== mid) { this.#unsubscribe(publication); }
      }
    }
    for (const participant of this.#participants.values()) {
      for (const publication of participant.publications) {
        const mid = wanted.get(publication.id);
        if (mid === undefined || publication.track) { continue; }
        const mediaStreamTrack = this.#connection.slotTrack(mid);
        if (!mediaStreamTrack || mediaStreamTrack.kind !== publication.kind) { continue; }
        publication.track = new RemoteTrack(mediaStreamTrack, publication, mid, this.#views);
        this._emit("trackSubscribed", { participant, publication, track: publication.track });
      }
    }
    // What was said of a slot may have come before what it carries was known here.
    this.#showPaused();
  }

  #unsubscribe(publication) {
    const { track } = publication;
    if (!track || publication.participant.isLocal) { return; }
    publication.track = null;
    publication.paused = false;
    publication.pauseReason = null;
    this._emit("trackUnsubscribed", { participant: publication.participant, publication, track });
    track._end();
  }

  #dropTracks() {
    this.#slots = [];
    this.#paused = { publications: new Set(), reason: null };
    for (const participant of this.#participants.values()) {
      for (const publication of participant.publications) { this.#unsubscribe(publication); }
    }
    // The next connection is told anew.
    this.#takeUndecodable([]);
    for (const publication of this.localParticipant.publications) { this.#setReceivers(publication, null); }
  }

  // MARK: Codecs

  /** What this browser is not sent since it cannot decode it, whole. */
  #takeUndecodable(values) {
    this.#undecodable = new Map((Array.isArray(values) ? values : []).map(({ publication, codec }) => [publication, codec]));
    for (const participant of this.#participants.values()) {
      for (const publication of participant.publications) { this.#showCodec(publication); }
    }
  }

  #showCodec(publication) {
    const codec = this.#undecodable.get(publication.id) ?? null;
    if (JSON.stringify(publication.undecodableCodec) === JSON.stringify(codec)) { return; }
    publication.undecodableCodec = codec;
    this._emit(codec ? "undecodable" : "decodable", { participant: publication.participant, publication, codec });
  }

  /** Who cannot decode an own track. */
  #takeReceivers({ publication: id, codec, participants, count }) {
    const publication = this.localParticipant.publications.find((each) => each.id === id);
    if (!publication) { return; }
    const number = Number(count) || 0;
    this.#setReceivers(publication, number > 0 ? { codec, participants: Array.isArray(participants) ? participants.map(String) : [], count: number } : null);
  }

  #setReceivers(publication, receivers) {
    if (publication.undecodableFor === null && receivers === null) { return; }
    publication.undecodableFor = receivers;
    this._emit("undecodableFor", {
      publication, codec: receivers?.codec ?? null, count: receivers?.count ?? 0,
      participants: (receivers?.participants ?? []).map((each) => this.participant(each)).filter(Boolean),
    });
  }

  // MARK: Smaller messages

  #takeSpeakers(values) {
    for (const each of this.#speakers) { each.audioLevel = 0; }
    this.#speakers = [];
    for (const value of Array.isArray(values) ? values : []) {
      const participant = this.participant(value.participant);
      if (!participant) { continue; }
      participant.audioLevel = Math.min(1, Math.max(0.01, Number(value.level) || 0));
      this.#speakers.push(participant);
    }
    this._emit("speakers", { speakers: [...this.#speakers] });
  }

  #takeQuality(values) {
    const changed = [];
    for (const [id, quality] of Object.entries(values ?? {})) {
      const participant = this.participant(id);
      if (!participant) { continue; }
      this.#serverQuality.set(id, String(quality));
      if (participant.quality === quality) { continue; }
      participant.quality = String(quality);
      changed.push(participant);
    }
    if (changed.length > 0) { this._emit("quality", { participants: changed }); }
  }

  /** The slots that the server does not send for now, whole, and why. */
  #takePaused(slots, reason) {
    const mids = new Set(Array.isArray(slots) ? slots.map(String) : []);
    this.#paused = { publications: new Set(this.#slots.filter(({ mid }) => mids.has(String(mid))).map(({ publication }) => publication)), reason: String(reason) };
    this.#showPaused();
  }

  #showPaused() {
    const { publications, reason } = this.#paused;
    for (const participant of this.#participants.values()) {
      for (const publication of participant.publications) {
        const paused = publication.kind === "video" && publication.track !== null && publications.has(publication.id);
        if (publication.paused === paused) { continue; }
        publication.paused = paused;
        publication.pauseReason = paused ? reason : null;
        this._emit(paused ? "trackPaused" : "trackResumed", { participant, publication, reason: publication.pauseReason });
      }
    }
  }

  #takeChat(message, history) {
    if (typeof message?.text !== "string") { return; }
    if (this.#chat.some((each) => each.id === message.id)) {
      // Changed while the signalling was down.
      if (history) { this.#chatting._change(message); }
      return;
    }
    // After joining anew nobody knows the numbers any more: what was said from the place before stands in the history, or did not arrive.
    if (history && this.#rejoining && this.#ownIds.has(message.from)) {
      this.#turns.arrived(({ type, text, to }) => type === "chat" && text === message.text && (to ?? null) === (message.to ?? null));
    }
    // What is answered again after a loss may be older than what the history had room for.
    this.#chat.splice(this.#chat.findLastIndex((each) => each.id < message.id) + 1, 0, message);
    this._emit("chat", { message, history });
  }

  async #measure() {
    if (!this.#connection || this.#state === MeetingState.ended) { return; }
    const digest = await this.stats().catch(() => null);
    const own = this.localParticipant;
    if (!digest) { return; }
    const measured = Stats.quality(digest);
    // The server knows more, but cannot tell of it where nothing comes through.
    const quality = measured === "lost" ? measured : this.#serverQuality.get(own.id) ?? measured;
    if (quality !== own.quality) {
      own.quality = quality;
      this._emit("quality", { participants: [own] });
    }
  }

  // MARK: State

  #refreshState() {
    if (this.#state === MeetingState.ended || !this.#joinedOnce || this.#waiting !== null) { return; }
    const fine = !this.#rejoining && !this.#signalingDown && !this.#mediaDown && this.#connection?.connected === true;
    const brief = !this.#rejoining && !this.#signalingDown && !this.#mediaDown && this.#connection?.peerConnection.connectionState === "disconnected";
    // A short gap in the checks is no interruption yet; the connection says so itself when it lasts.
    if (brief) { return; }
    this.#setState(fine ? MeetingState.connected : MeetingState.reconnecting);
  }

  #setState(state) {
    const before = this.#state;
    if (before === state) { return; }
    this.#state = state;
    this._emit("statechanged", { state });
    if (state === MeetingState.reconnecting) { this._emit("reconnecting", {}); }
    if (state === MeetingState.connected && before === MeetingState.reconnecting) { this._emit("reconnected", {}); }
  }

  #end(reason, message, error = null) {
    if (this.#state === MeetingState.ended) { return; }
    this.#ended = { reason, message };
    this.#waiting = null;
    clearInterval(this.#statsTimer);
    clearTimeout(this.#connectTimer);
    globalThis.removeEventListener?.("online", this.#onOnline);
    globalThis.removeEventListener?.("pagehide", this.#onPageHide);
    this.#signaling?.close();
    this.#dropTracks();
    this.#data.close();
    this.#hosting._lost();
    this.#chatting._lost();
    this.#turns.close();
    this.#connection?.close();
    this.localParticipant._stop();
    this.#setState(MeetingState.ended);
    this._emit("ended", { reason, message, error });
  }

  // MARK: For the parts of the SDK

  _emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  /** Somebody is called otherwise, or new. Oneself keeps the number over joining anew, which gives another id. */
  _nameChanged(participant) {
    // Before joining nobody knows who was there first.
    if (participant.id === "") { return; }
    participant.nameNumber = this.#names.number(participant.isLocal ? "self" : participant.id, participant.name);
  }

  _send(message) { return this.#signaling?.send(message) ?? false; }

  _negotiate() { return this.#connection ? this.#connection.negotiate() : Promise.resolve(); }

  /** Negotiates for nobody who waits for it: a refusal is told as an `error`. */
  _renegotiate() { this.#connection?.renegotiate(); }

  _addTrack(publication) {
    if (this.#connection) { this.#addToConnection(publication); }
  }

  async _replaceTrack(source, track) {
    if (!this.#connection) { return; }
    const publication = this.localParticipant.publication(source);
    if (track && publication && this.#connection.midOf(source) === null) {
      // The source was off when this connection was made, so it has no m-section yet.
      this.#addToConnection(publication);
      await this._negotiate();
      return;
    }
    await this.#connection.replaceTrack(source, track);
  }

  _removeTrack(source) { this.#connection?.removeTrack(source); }

  _sendMute(source, muted) {
    const mid = this.#connection?.setMuted(source, muted) ?? null;
    if (mid !== null) { this._send({ type: "mute", mid, muted }); }
  }
}
