import { stopped } from "./engine.js";
import { sources } from "./key-id.js";
import { SenderProof } from "./sender-proof.js";
import { SendWatchdog } from "./watchdog.js";

/** The track of each source in this client's key ids. */
const tracks = Object.freeze({ microphone: 0, camera: 1, screen: 2, screenAudio: 3 });

/**
 * Whether the browser has taken a sender's transform: it serves one end only, so the receiver of the transceiver can't
 * have it then.
 *
 * @param {RTCRtpTransceiver} transceiver
 * @param {RTCRtpScriptTransform} transform
 */
function hasTaken({ sender, receiver }, transform) {
  if (sender.transform !== transform) { return false; }
  try {
    receiver.transform = transform;
    return false;
  } catch (error) {
    return error.name === "InvalidStateError";
  }
}

/**
 * The encryption of one connection: a transform for each of its senders and receivers, set in the statement that makes
 * them. Everything fails closed: without a transform a sender is stopped, and a receiver plays nothing.
 */
export class ConnectionEncryption {
  #engine;
  #session;
  #onBypass;
  #senders = new Map();
  #active = new Set();
  #slots = 0;
  #proof = new SenderProof((source) => { if (!this.#isClosed) { this.#stop(source); } });
  #watchdog;
  #isClosed = false;

  /**
   * @param {import("./engine.js").EncryptionEngine} engine
   * @param {(source: string) => void} onBypass a source was sent past the encryption; it is stopped already
   */
  constructor(engine, onBypass) {
    this.#engine = engine;
    this.#session = engine.newSession();
    this.#onBypass = onBypass;
    this.#watchdog = new SendWatchdog({
      senders: () => this.#senders, counts: async () => (await this.call("report")).senders, onBypass: (source) => this.#stop(source),
    });
  }

  /** Its number in the worker. @type {number} */
  get session() { return this.#session; }

  /**
   * Parts of the configuration of a connection: with it Chromium neither sends nor plays what has no transform. Other
   * browsers ignore it.
   *
   * @type {object}
   */
  static get configuration() { return { encodedInsertableStreams: true }; }

  /** Calls a method of the worker's session. @returns {Promise<any>} */
  call(method, argument) { return this.#isClosed ? Promise.reject(stopped()) : this.#engine.call(this.#session, method, argument); }

  /**
   * Has what a new transceiver sends encrypted. It must be called in the statement that makes it: later frames in clear
   * would have left. A source whose transform the browser doesn't take is stopped before anything is sent.
   *
   * @param {RTCRtpTransceiver} transceiver made with the `firstTrack` of what it is to send
   * @param {string} source
   * @param {MediaStreamTrack} content what it is to send
   * @returns {RTCRtpTransceiver | null} null for one that is stopped
   */
  protectSender(transceiver, source, content) {
    const { sender } = transceiver;
    const track = tracks[source];
    const rids = (sender.getParameters().encodings ?? []).flatMap(({ rid }) => rid ?? []);
    const transform = this.#engine.transform({ session: this.#session, role: "send", track, kind: content.kind, rids });
    sender.transform = transform;
    this.#proof.begin(source, sender, content);
    if (!hasTaken(transceiver, transform)) {
      this.#proof.refuse(source);
      transceiver.stop();
      this.#refuse(source);
      return null;
    }
    this.#senders.set(source, { sender, track, transform });
    return transceiver;
  }

  /** The track to make a transceiver with. @param {MediaStreamTrack} track that is to be sent */
  firstTrack(track) { return this.#proof.firstTrack(track); }

  /**
   * Puts another track under a source that `maySend`.
   *
   * @param {string} source
   * @param {MediaStreamTrack | null} track
   * @returns {Promise<void>}
   */
  replaceTrack(source, track) { return this.#proof.replace(source, this.#senders.get(source).sender, track); }

  /**
   * Has what a new transceiver receives decrypted.
   *
   * @param {RTCRtpTransceiver} transceiver
   * @param {"audio" | "video"} kind
   * @returns {{ transceiver: RTCRtpTransceiver, slot: number }} its number, for `assign`
   */
  protectReceiver(transceiver, kind) {
    const slot = this.#slots += 1;
    const transform = this.#engine.transform({ session: this.#session, role: "receive", slot, kind });
    transceiver.receiver.transform = transform;
    if (transceiver.receiver.transform !== transform) {
      transceiver.stop();
      throw stopped();
    }
    return { transceiver, slot };
  }

  /**
   * Whether a track may go to a sender of before: it has its transform still. A source without is stopped.
   *
   * @param {string} source
   * @returns {boolean}
   */
  maySend(source) {
    const known = this.#senders.get(source);
    if (known !== undefined && known.sender.transform === known.transform) { return true; }
    this.#refuse(source);
    return false;
  }

  /** A source is sent from now on. @param {string} source */
  add(source) {
    this.#active.add(source);
    this.#publish();
    this.#watchdog.alert();
  }

  /** Frames may begin to leave: the connection is there, or somebody wants to see them. */
  expectFrames() {
    this.#watchdog.expect();
    this.#proof.expectFrames();
  }

  /** A source is sent no more. @param {string} source */
  remove(source) { if (this.#active.delete(source)) { this.#publish(); } }

  /**
   * Notes the content of a slot, by the server's word.
   *
   * @param {number} slot
   * @param {import("../publication.js").Publication | null} publication
   */
  assign(slot, publication) {
    this.#tell("assign", { slot, participant: publication?.participant.id ?? null, source: publication === null ? 0 : sources[publication.source] });
  }

  /** Applies a report of the worker's session. @returns {boolean} false for one about something else */
  apply(message) {
    switch (message.type) {
      case "keyFrameWanted": this.#makeKeyFrame(message.track); return true;
      case "senderSeen": this.#proof.accept(this.#sourceOf(message.track)); return true;
      case "transformFailed": {
        // A connection that is closed ends its streams too.
        const source = message.role === "send" ? this.#sourceOf(message.track) : undefined;
        if (this.#active.has(source)) { this.#stop(source); }
        return true;
      }
      default: return false;
    }
  }

  /** Stops everything that is sent: the worker is gone. */
  stopAll() {
    this.#proof.close();
    for (const { sender } of this.#senders.values()) { sender.replaceTrack(null).catch(() => {}); }
  }

  close() {
    if (this.#isClosed) { return; }
    this.#isClosed = true;
    this.#watchdog.close();
    this.#proof.close();
    this.#active.clear();
    this.#engine.closeSession(this.#session);
  }

  #sourceOf(track) { return [...this.#senders.keys()].find((source) => tracks[source] === track); }

  #tell(method, argument) { if (!this.#isClosed) { this.#engine.tell(this.#session, method, argument); } }

  #publish() { this.#tell("tracks", [...this.#active].map((source) => [tracks[source], sources[source]])); }

  /** Stops what a source sends, whether it is known to be sent or not, and reports it once. */
  #stop(source) {
    const sender = this.#senders.get(source)?.sender;
    sender?.track?.stop();
    this.#proof.refuse(source);
    sender?.replaceTrack(null).catch(() => {});
    if (!this.#active.delete(source)) { return; }
    this.#publish();
    this.#onBypass(source);
  }

  /** Reports a source that is not sent, once the caller has done with it. */
  #refuse(source) {
    if (this.#active.delete(source)) { this.#publish(); }
    queueMicrotask(() => { if (!this.#isClosed) { this.#onBypass(source); } });
  }

  /** Chromium has no other way; parameters that change at the same time win. */
  #makeKeyFrame(track) {
    for (const each of this.#senders.values()) {
      if (each.track !== track) { continue; }
      const parameters = each.sender.getParameters();
      each.sender.setParameters(parameters, { encodingOptions: (parameters.encodings ?? []).map(() => ({ keyFrame: true })) }).catch(() => {});
    }
  }
}
