import { ParleyError } from "../errors.js";
import { deletedForm } from "../chat-messages.js";
import { characters } from "../text.js";
import { base64url, fromBase64url, utf8 } from "./bytes.js";
import { cleanFileName } from "./file-name.js";
import { imageType } from "./file-sealing.js";
import { KnownPeople } from "./known-people.js";
import { ConnectionEncryption } from "./connection-encryption.js";
import { EncryptionEngine, stopped } from "./engine.js";
import { parseSecret, secretOf } from "./link.js";
import { pairCode } from "./safety-code.js";
import { SealedFiles } from "./sealed-files.js";
import { SealedPolls } from "./sealed-polls.js";
import { SealedTexts } from "./sealed-texts.js";
import { encryptionProblem } from "./support.js";

/** The sources, as a person calls their own. */
const sourceWords = { camera: "camera", microphone: "microphone", screen: "screen", screenAudio: "screen’s sound" };

/** How long somebody may be there without an announcement, in milliseconds. */
const announcementTime = 5_000;
const checkInterval = 500;
/** Bytes of a name that announcements have room for. */
const longestName = 640;
/** Envelopes in one message, and those that wait for a lost connection. */
const envelopeLimits = Object.freeze({ message: 256, waiting: 8_192 });

/**
 * The encryption of a meeting as this client has verified it: `off` (not encrypted), `waiting` (for the keys of
 * `waitingFor`, or before the first keys), `encrypted`, or `refused` (another secret, or none).
 *
 * @typedef {object} EncryptionState
 * @property {"off" | "encrypted" | "waiting" | "refused"} state
 * @property {string | null} safetyCode 30 digits that people compare
 * @property {readonly string[]} waitingFor participant ids
 */

/**
 * The end-to-end encryption of one meeting, in the page: the worker, the exchange of keys over signalling, and the
 * state that people see. Without a link secret it does nothing, and the meeting is joined in clear.
 */
export class MeetingEncryption {
  #options;
  #hooks;
  #secret = null;
  #engine = null;
  #current = null;
  #texts = null;
  #files = new SealedFiles();
  #polls = null;
  #people = null;
  #identity = null;
  #ownKey = null;
  #keys = new Map();
  #participant = "";
  #meeting = undefined;
  #announcement = null;
  #begun = Promise.resolve();
  #envelopes = [];
  #members = new Map();
  #since = new Map();
  #hidden = new Map();
  #exchange = { safetyCode: null, waitingFor: [] };
  #isRefused = false;
  #state = Object.freeze({ state: "off", safetyCode: null, waitingFor: Object.freeze([]) });
  #timer = null;

  /**
   * @param {import("../join-options.js").JoinOptions} options
   * @param {object} hooks
   * @param {(message: object) => boolean} hooks.send
   * @param {(type: string, detail: object) => void} hooks.emit
   * @param {(error: ParleyError) => void} hooks.refuse ends the meeting for this client
   * @param {(source: string, error: ParleyError) => void} hooks.stopSource
   */
  constructor(options, hooks) {
    this.#options = options;
    this.#hooks = hooks;
  }

  /** @type {EncryptionState} */
  get state() { return this.#state; }

  /** Whether this client joins with a link secret. @type {boolean} */
  get isOn() { return this.#secret !== null; }

  /** The sealed texts of the meeting. @type {SealedTexts} */
  get texts() { return this.#texts; }

  /**
   * The name that a participant has signed; null for one whose keys aren't known.
   *
   * @param {string} id
   * @returns {string | null}
   */
  signedName(id) { return this.#members.get(id) ?? null; }

  /**
   * The identity that this client signs with: `device` for one that lasts, `guest` for one of this meeting, also where
   * the browser can't keep one; null before it is known.
   *
   * @type {"device" | "guest" | null}
   */
  get identity() { return this.#identity; }

  /**
   * Whether a participant came with the same identity before; null while that isn't known, and for guests, who remember
   * nobody.
   *
   * @param {string} id
   * @returns {import("./known-people.js").Recognition | null}
   */
  recognition(id) { return this.#people?.recognition(id) ?? null; }

  /** The name that a participant had in earlier meetings, where its recognition is `renamed`. @param {string} id */
  earlierName(id) { return this.#people?.earlierName(id) ?? null; }

  /**
   * Trusts a participant whose recognition is `changed`: two people have compared their code.
   *
   * @param {string} id
   */
  async trust(id) {
    if (await this.#people?.trust(id, this.#meeting)) { this.#hooks.emit("recognised", { participant: id, recognition: "newDevice" }); }
  }

  /**
   * 60 digits that two people compare, the same on both sides; null before the other's key is known.
   *
   * @param {string} id
   * @returns {Promise<string | null>}
   */
  async pairCode(id) {
    const key = this.#keys.get(id);
    return key === undefined || this.#ownKey === null ? null : pairCode(fromBase64url(this.#ownKey), fromBase64url(key));
  }

  /** The key and the size of a file that this client has read of, or null. @param {string} id */
  fileSecret(id) { return this.#files.get(id); }

  /**
   * The sealed message about a file that the server has, with the file as people see it.
   *
   * @param {string} id the server's
   * @param {Blob} file
   * @param {string} name
   * @param {Uint8Array} key
   * @returns {Promise<string>}
   */
  async sealFileMessage(id, file, name, key) {
    const content = { i: id, n: cleanFileName(name), m: await imageType(file), s: file.size, k: base64url(key) };
    return this.#texts.sealFile(content, this.#participant);
  }

  /** A draft of a poll as it goes out. @param {object} draft @returns {Promise<object>} */
  sealPoll(draft) { return this.#polls.seal(draft); }

  /** Settles when this connection's keys have begun, or its secret was refused. @type {Promise<void>} */
  get _begun() { return this.#begun; }

  /** Names of those who have keys and whom the server has not shown for some seconds. @type {string[]} */
  get hiddenMembers() { return [...this.#hidden].filter(([, { isReported }]) => isReported).map(([id]) => this.#members.get(id) ?? ""); }

  /** The counts of frames in the worker, for tests and statistics. @returns {Promise<object | null>} */
  async report() { return await this.#current?.call("report") ?? null; }

  // MARK: For the parts of the SDK

  /** The worker, for tests. @type {Worker | null} */
  get _worker() { return this.#engine?._worker ?? null; }

  /**
   * Reads the link secret and starts the worker.
   *
   * @throws {ParleyError} `badSecret`, `encryptionUnsupported`
   */
  async _prepare() {
    const { encryptionSecret: given, url } = this.#options;
    const found = given === undefined || given === null ? (url === undefined ? null : secretOf(new URL(url, globalThis.location?.href))) : given;
    if (found === null) { return; }
    this.#secret = typeof found === "string" ? parseSecret(found) : found;
    this.#show();
    const problem = await encryptionProblem();
    if (problem !== null) { throw new ParleyError("encryptionUnsupported", problem); }
    this.#engine = EncryptionEngine.take();
    this.#engine.addEventListener("message", ({ detail }) => { if (detail.session === this.#current?.session) { this.#receive(detail); } });
    this.#engine.addEventListener("failed", () => this.#fail());
    this.#texts = new SealedTexts((method, argument) => this.#current?.call(method, argument) ?? Promise.reject(stopped()));
    this.#timer = setInterval(() => this.#show(), checkInterval);
  }

  /**
   * The encryption of the next connection; null for a meeting in clear. It waits for the worker.
   *
   * @returns {Promise<ConnectionEncryption | null>}
   */
  async _connection() {
    if (!this.isOn) { return null; }
    await this.#engine.ready;
    this.#current?.close();
    this.#current = new ConnectionEncryption(this.#engine, (source) => this.#hooks.stopSource(source, new ParleyError(
      "encryptionFailed", `Your ${sourceWords[source] ?? "stream"} could not be encrypted, so it was stopped. Turn it on again, or join again with another browser.`)));
    this.#announcement = null;
    this.#envelopes = [];
    this.#members = new Map();
    this.#since = new Map();
    this.#hidden = new Map();
    this.#exchange = { safetyCode: null, waitingFor: [] };
    this.#keys = new Map();
    this.#people?.rejoin();
    this.#polls?.rejoin();
    this.#show();
    return this.#current;
  }

  /**
   * Refuses a meeting that isn't what this client knows of it.
   *
   * @param {unknown} isEncrypted the server's word, before or after joining
   */
  _check(isEncrypted) {
    if (isEncrypted === true && !this.isOn) {
      throw new ParleyError("encryptionRequired", "This meeting is end-to-end encrypted; open it with its whole address, which contains the key.");
    }
    if (isEncrypted === false && this.isOn) {
      throw new ParleyError("notEncrypted", "This meeting is not encrypted, so it was not joined. Ask for a new address, or open it without the key.");
    }
  }

  /**
   * The server has let this client in: the exchange of keys begins.
   *
   * @param {object} welcome
   * @param {string} room by the welcome, so that everybody has the same
   * @param {string} name
   */
  _begin(welcome, room, name) {
    if (!this.isOn) {
      this._check(welcome.meeting?.e2ee === true);
      return;
    }
    this._check(welcome.meeting?.e2ee === true);
    this.#participant = String(welcome.participant);
    this.#meeting = typeof welcome.meeting?.id === "string" ? welcome.meeting.id : undefined;
    const own = welcome.participants?.find((each) => each?.id === this.#participant);
    const current = this.#current;
    this.#polls ??= new SealedPolls(this.#secret, room);
    this.#begun = current.call("start", {
      meeting: room, participant: this.#participant, name: shortName(String(own?.name ?? name)), secret: this.#secret.text, announcements: announcementsOf(welcome.announcements),
      present: list(welcome.participants).map((each) => String(each?.id)),
      identity: this.#options.identity === "device" ? "device" : "guest",
    }).then(({ isRefused, identity, key }) => {
      if (this.#current !== current) { return; }
      this.#ownKey = key;
      this.#takeIdentity(identity);
      if (isRefused) { this.#refuse(); }
    }, () => { if (this.#current === current) { this.#fail(); } });
  }

  #takeIdentity(identity) {
    const isNews = this.#identity !== identity;
    this.#identity = identity;
    if (isNews) { this.#hooks.emit("encryptionidentity", { identity, wanted: this.#options.identity === "device" ? "device" : "guest" }); }
  }

  /** The session goes on after a lost socket: others may have announced themselves. @param {object} resumed */
  _resume(resumed) {
    if (!this.isOn) { return; }
    const isAnnounced = list(resumed.announcements).some(({ participant, announcement }) => participant === this.#participant && announcement === this.#announcement?.announcement);
    this.#current?.call("resume", isAnnounced).catch(() => {});
    for (const each of announcementsOf(resumed.announcements)) { if (each.participant !== this.#participant) { this.#current?.call("announcement", each).catch(() => {}); } }
    this.#flush();
  }

  /** Applies a message about keys. @param {object} message @returns {boolean} false for one about something else */
  _apply(message) {
    switch (message.type) {
      case "announcement":
        for (const each of announcementsOf([message])) { this.#current?.call("announcement", each).catch(() => {}); }
        return true;
      case "keyEnvelopes": {
        const envelopes = list(message.envelopes).map(({ from, envelope }) => ({ participant: from, bytes: bytesOf(envelope) }))
          .filter(({ participant, bytes }) => typeof participant === "string" && bytes !== null);
        if (envelopes.length > 0) { this.#current?.call("envelopes", envelopes).catch(() => {}); }
        return true;
      }
      default: return false;
    }
  }

  /** This client has another name. @param {string} name */
  _rename(name) { this.#current?.call("rename", shortName(name)).catch(() => {}); }

  /** A participant is gone. @param {string} id @param {string} reason */
  _left(id, reason) {
    this.#since.delete(id);
    this.#members.delete(id);
    this.#current?.call("remove", { participant: id, isRemoved: reason === "removed" }).catch(() => {});
    this.#show();
  }

  /** The plain form of a chat message: without its text, and `unreadable`, where this client can't read it. */
  async _openChat(message, { waits = true } = {}) {
    if (typeof message?.text !== "string") { return message; }
    return deletedForm(message) ?? this.#readable(message, await this.#texts.openChat(message, { waits }));
  }

  /** As `_openChat` for messages of before, from memory. */
  _recallChat(message) {
    if (typeof message?.text !== "string") { return message; }
    return deletedForm(message) ?? this.#readable(message, this.#texts.recallChat(message) ?? null);
  }

  /** The server's name and type of a file are nobody's words, so they are left out. */
  #readable(message, content) {
    const { file: stored, ...rest } = message;
    if (content === null) { return { ...rest, text: "", unreadable: true }; }
    if (content.file === undefined) { return { ...rest, text: content.text }; }
    const file = this.#files.add(content.file, message.from);
    if (file === null) { return { ...rest, text: "", unreadable: true }; }
    // A file that the server has taken away leaves its name.
    return file.id === stored?.id ? { ...rest, text: file.name, file } : { ...rest, text: file.name };
  }

  /**
   * A poll of the server as people see it; null for one before the welcome.
   *
   * @param {object} poll
   * @returns {Promise<object | null>}
   */
  async _openPoll(poll) { return this.#polls === null ? null : this.#polls.open(poll); }

  /** The same of all polls of a room's state. @param {object} state @returns {Promise<object>} */
  async _openState(state) {
    if (!Array.isArray(state?.polls)) { return state; }
    return { ...state, polls: await Promise.all(state.polls.map((each) => this._openPoll(each))) };
  }

  /**
   * The form in which a message of the send queue goes out; null when it goes as it is.
   *
   * @returns {Promise<object> | null}
   */
  _seal(message) {
    if (!this.isOn) { return null; }
    switch (message.type) {
      case "chat": case "editChat": return this.#texts.sealChat(message.text, this.#participant).then((text) => ({ ...message, text }));
      case "signal": return this.#texts.sealSignal(message.signal, message.data ?? "", this.#participant).then((data) => ({ ...message, data }));
      default: return null;
    }
  }

  _close() {
    clearInterval(this.#timer);
    this.#current?.close();
    this.#current = null;
    this.#engine?.close();
  }

  // MARK: Reports of the worker

  #receive(message) {
    if (this.#current.apply(message)) { return; }
    switch (message.type) {
      case "announce":
        this.#announcement = { type: "announce", announcement: base64url(message.bytes) };
        this.#hooks.send(this.#announcement);
        break;
      case "send":
        this.#envelopes.push(...message.envelopes.map(({ recipient, bytes }) => ({ to: recipient, envelope: base64url(bytes) })));
        this.#flush();
        break;
      case "state":
        this.#exchange = { safetyCode: message.safetyCode, waitingFor: message.waitingFor };
        this.#show();
        break;
      case "event": this.#applyEvent(message.event); break;
      case "wrongSecret": this.#refuse(); break;
    }
  }

  #applyEvent({ type, participant, name, key, code }) {
    switch (type) {
      case "member":
        this.#members.set(participant, name);
        this.#keys.set(participant, key);
        this.#recognise(participant, name, key);
        this.#show();
        break;
      case "memberLeft": this.#members.delete(participant); break;
      case "refused": this.#hooks.emit("encryptionrefused", { participant, code }); break;
      case "rosterMismatch": this.#hooks.emit("rostermismatch", { participant }); break;
    }
  }

  /** People who are remembered themselves remember others. Guests don't. */
  #recognise(participant, name, key) {
    if (this.#options.identity !== "device") { return; }
    this.#people ??= new KnownPeople();
    this.#people.meet(participant, name, key, this.#meeting).then((recognition) => {
      if (recognition !== null) { this.#hooks.emit("recognised", { participant, recognition }); }
    });
  }

  /** Sends the envelopes that wait. A lost connection holds them up. */
  #flush() {
    while (this.#envelopes.length > 0) {
      const envelopes = this.#envelopes.slice(0, envelopeLimits.message);
      if (!this.#hooks.send({ type: "keyEnvelopes", envelopes })) { break; }
      this.#envelopes.splice(0, envelopes.length);
    }
    // Keys that are missing are asked for again.
    if (this.#envelopes.length > envelopeLimits.waiting) { this.#envelopes.splice(0, this.#envelopes.length - envelopeLimits.waiting); }
  }

  // MARK: State

  #refuse() {
    this.#isRefused = true;
    this.#show();
    this.#hooks.refuse(new ParleyError("wrongSecret", "Nobody in this meeting has the key of your address. It may be cut or old: open the whole address as you were given it."));
  }

  #fail() {
    this.#current?.stopAll();
    this.#exchange = { safetyCode: null, waitingFor: [] };
    this.#show();
    this.#hooks.refuse(stopped());
  }

  #show() {
    const now = performance.now();
    const present = this.#hooks.participants();
    for (const id of present) { if (!this.#since.has(id)) { this.#since.set(id, now); } }
    const silent = present.filter((id) => !this.#members.has(id) && now - this.#since.get(id) >= announcementTime);
    this.#lookForHidden(present, now);
    const { safetyCode, waitingFor } = this.#exchange;
    const waiting = this.isOn ? [...new Set([...waitingFor, ...silent])].sort() : [];
    const word = this.#isRefused ? "refused" : !this.isOn ? "off" : safetyCode === null || waiting.length > 0 ? "waiting" : "encrypted";
    const state = { state: word, safetyCode: this.isOn ? safetyCode : null, waitingFor: waiting };
    if (JSON.stringify(state) === JSON.stringify(this.#state)) { return; }
    this.#state = Object.freeze({ ...state, waitingFor: Object.freeze(waiting) });
    this.#hooks.emit("encryptionchange", this.#state);
  }

  /** Says who has keys and is not shown by the server. Somebody who leaves is in neither list a moment later. */
  #lookForHidden(present, now) {
    for (const [id, name] of this.#members) {
      if (present.includes(id)) { this.#hidden.delete(id); continue; }
      const hidden = this.#hidden.get(id) ?? { since: now, isReported: false };
      this.#hidden.set(id, hidden);
      if (hidden.isReported || now - hidden.since < announcementTime) { continue; }
      hidden.isReported = true;
      this.#hooks.emit("hiddenmember", { participant: id, name });
    }
    for (const id of this.#hidden.keys()) { if (!this.#members.has(id)) { this.#hidden.delete(id); } }
  }

  /** The server refused this client for its secret, or for none. @param {ParleyError} error */
  _refusedBy({ code }) {
    if (!["encryptionRequired", "notEncrypted", "wrongSecret", "badSecret"].includes(code)) { return; }
    this.#isRefused = true;
    this.#show();
  }
}

function shortName(name) {
  let short = name;
  for (let parts = characters(name); utf8(short).length > longestName; short = parts.join("")) { parts = parts.slice(0, -1); }
  return short;
}

const list = (value) => (Array.isArray(value) ? value.filter((each) => typeof each === "object" && each !== null) : []);
const bytesOf = (text) => (typeof text === "string" ? fromBase64url(text) : null);

function announcementsOf(values) {
  return list(values).map(({ participant, announcement }) => ({ participant, bytes: bytesOf(announcement) }))
    .filter(({ participant, bytes }) => typeof participant === "string" && bytes !== null);
}
