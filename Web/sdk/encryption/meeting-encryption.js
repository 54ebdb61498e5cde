import { ParleyError } from "../errors.js";
import { base64url, fromBase64url } from "./bytes.js";
import { KnownPeople } from "./known-people.js";
import { ConnectionEncryption } from "./connection-encryption.js";
import { EncryptionStatus } from "./encryption-status.js";
import { EncryptionEngine, stopped } from "./engine.js";
import { EnvelopeQueue } from "./envelope-queue.js";
import { announcementsOf, envelopesOf, list, shortName } from "./key-messages.js";
import { parseSecret, secretOf } from "./link.js";
import { pairCode } from "./safety-code.js";
import { SealedContents } from "./sealed-contents.js";
import { encryptionProblem } from "./support.js";

/** The sources, as a person calls their own. */
const sourceWords = { camera: "camera", microphone: "microphone", screen: "screen", screenAudio: "screen’s sound" };
/** How often the state is looked over, in milliseconds. */
const checkInterval = 500;

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
  #contents = new SealedContents((method, argument) => this.#current?.call(method, argument) ?? Promise.reject(stopped()));
  #people = null;
  #identity = null;
  #ownKey = null;
  #keys = new Map();
  #participant = "";
  #meeting = undefined;
  #announcement = null;
  #begun = Promise.resolve();
  #envelopes;
  #status;
  #timer = null;

  /**
   * @param {import("../join-options.js").JoinOptions} options
   * @param {object} hooks
   * @param {(message: object) => boolean} hooks.send
   * @param {() => string[]} hooks.participants the others whom the server shows
   * @param {(type: string, detail: object) => void} hooks.emit
   * @param {(error: ParleyError) => void} hooks.refuse ends the meeting for this client
   * @param {(source: string, error: ParleyError) => void} hooks.stopSource
   */
  constructor(options, hooks) {
    this.#options = options;
    this.#hooks = hooks;
    this.#envelopes = new EnvelopeQueue((message) => hooks.send(message));
    this.#status = new EncryptionStatus(() => hooks.participants(), (type, detail) => hooks.emit(type, detail));
  }

  /** @type {import("./encryption-status.js").EncryptionState} */
  get state() { return this.#status.state; }

  /** Whether this client joins with a link secret. @type {boolean} */
  get isOn() { return this.#secret !== null; }

  /** The sealed texts of the meeting. @type {import("./sealed-texts.js").SealedTexts} */
  get texts() { return this.#contents.texts; }

  /**
   * The name that a participant has signed; null for one whose keys aren't known.
   *
   * @param {string} id
   * @returns {string | null}
   */
  signedName(id) { return this.#status.name(id); }

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
  fileSecret(id) { return this.#contents.fileSecret(id); }

  /**
   * The sealed message about a file that the server has, with the file as people see it.
   *
   * @param {string} id the server's
   * @param {Blob} file
   * @param {string} name
   * @param {Uint8Array} key
   * @returns {Promise<string>}
   */
  async sealFileMessage(id, file, name, key) { return this.#contents.sealFileMessage(id, file, name, key, this.#participant); }

  /** A draft of a poll as it goes out. @param {object} draft @returns {Promise<object>} */
  sealPoll(draft) { return this.#contents.sealPoll(draft); }

  /** Settles when this connection's keys have begun, or its secret was refused. @type {Promise<void>} */
  get _begun() { return this.#begun; }

  /** Names of those who have keys and whom the server has not shown for some seconds. @type {string[]} */
  get hiddenMembers() { return this.#status.hiddenNames; }

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
    this.#status.start();
    const problem = await encryptionProblem();
    if (problem !== null) { throw new ParleyError("encryptionUnsupported", problem); }
    this.#engine = EncryptionEngine.take();
    this.#engine.addEventListener("message", ({ detail }) => { if (detail.session === this.#current?.session) { this.#receive(detail); } });
    this.#engine.addEventListener("failed", () => this.#fail());
    this.#timer = setInterval(() => this.#status.update(), checkInterval);
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
    this.#envelopes.clear();
    this.#keys = new Map();
    this.#people?.rejoin();
    this.#contents.rejoin();
    this.#status.rejoin();
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
    this.#contents.begin(this.#secret, room);
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
    this.#envelopes.flush();
  }

  /** Applies a message about keys. @param {object} message @returns {boolean} false for one about something else */
  _apply(message) {
    switch (message.type) {
      case "announcement":
        for (const each of announcementsOf([message])) { this.#current?.call("announcement", each).catch(() => {}); }
        return true;
      case "keyEnvelopes": {
        const envelopes = envelopesOf(message.envelopes);
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
    this.#current?.call("remove", { participant: id, isRemoved: reason === "removed" }).catch(() => {});
    this.#status.removeParticipant(id);
  }

  /** See {@link SealedContents}. */
  _openChat(message, options) { return this.#contents.openChat(message, options); }

  _recallChat(message) { return this.#contents.recallChat(message); }

  _openPoll(poll) { return this.#contents.openPoll(poll); }

  _openState(state) { return this.#contents.openState(state); }

  /**
   * The form in which a message of the send queue goes out; null when it goes as it is.
   *
   * @returns {Promise<object> | null}
   */
  _seal(message) { return this.isOn ? this.#contents.seal(message, this.#participant) : null; }

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
        this.#envelopes.add(message.envelopes);
        break;
      case "state":
        this.#status.setExchange(message);
        break;
      case "event": this.#applyEvent(message.event); break;
      case "wrongSecret": this.#refuse(); break;
    }
  }

  #applyEvent({ type, participant, name, key, code }) {
    switch (type) {
      case "member":
        this.#keys.set(participant, key);
        this.#recognise(participant, name, key);
        this.#status.addMember(participant, name);
        break;
      case "memberLeft": this.#status.removeMember(participant); break;
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

  // MARK: Refusals

  #refuse() {
    this.#status.refuse();
    this.#hooks.refuse(new ParleyError("wrongSecret", "Nobody in this meeting has the key of your address. It may be cut or old: open the whole address as you were given it."));
  }

  #fail() {
    this.#current?.stopAll();
    this.#status.setExchange({ safetyCode: null, waitingFor: [] });
    this.#hooks.refuse(stopped());
  }

  /** The server refused this client for its secret, or for none. @param {ParleyError} error */
  _refusedBy({ code }) {
    if (!["encryptionRequired", "notEncrypted", "wrongSecret", "badSecret"].includes(code)) { return; }
    this.#status.refuse();
  }
}
