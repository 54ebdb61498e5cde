import { Connection } from "./connection.js";
import { ParleyError, finalRefusals, lastingRefusals } from "./errors.js";
import { JoinToken } from "./join-token.js";
import { Signaling } from "./signaling.js";

const rejoinTimeout = 120_000;

/**
 * One client's session in a meeting: joining, also through the lobby; resuming after a lost socket, which `Signaling`
 * does; and rejoining with the same tracks when the session or the media path is lost.
 *
 * @typedef {object} SessionDelegate
 * @property {(message: object, connection: Connection) => Promise<void>|void} receive gets each message of the server
 * @property {(type: string, detail: object) => void} emit
 * @property {(error?: ParleyError) => void} lost the socket is gone, and the answers to requests with it
 * @property {() => void} flush messages can be sent again
 * @property {() => void} reset the connection is gone; the next one is another session
 * @property {(reason: string, message: string, error?: Error|null) => void} end
 */
export class Session {
  #options;
  #local;
  #data;
  #lifecycle;
  #encryption;
  #delegate;
  #token;
  #signaling = null;
  #connection = null;
  #subject = null;
  #refusal = null;
  #room = "";
  #onOnline = () => this.#online();

  /**
   * @param {object} parts
   * @param {import("./join-options.js").JoinOptions} parts.options
   * @param {import("./local-participant.js").LocalParticipant} parts.local
   * @param {import("./data-channels.js").DataChannels} parts.data
   * @param {import("./lifecycle.js").Lifecycle} parts.lifecycle
   * @param {import("./encryption/meeting-encryption.js").MeetingEncryption} parts.encryption
   * @param {SessionDelegate} delegate
   */
  constructor({ options, local, data, lifecycle, encryption }, delegate) {
    this.#options = options;
    this.#local = local;
    this.#data = data;
    this.#lifecycle = lifecycle;
    this.#encryption = encryption;
    this.#delegate = delegate;
    this.#token = new JoinToken(options);
  }

  /** @type {Signaling|null} */
  get signaling() { return this.#signaling; }

  /** @type {Connection|null} */
  get connection() { return this.#connection; }

  /** @type {JoinToken} */
  get token() { return this.#token; }

  /** The title in the discover document, or null. @type {string|null} */
  get subject() { return this.#subject; }

  /** The room's name in the present join. @type {string} */
  get room() { return this.#room; }

  /** Whether a message that is sent now goes to the present session. @type {boolean} */
  get isOpen() { return !this.#lifecycle.rejoining && this.#signaling?.open === true; }

  /** Whether audio and video can flow now. @type {boolean} */
  get mediaConnected() { return !this.#lifecycle.rejoining && !this.#lifecycle.mediaDown && this.#connection?.connected === true; }

  /** Sends a message, if the socket is open. @param {object} message @returns {boolean} whether it was sent */
  send(message) { return this.#signaling?.send(message) ?? false; }

  /** Fetches the discover document. @returns {Promise<import("./discover.js").DiscoverDocument>} */
  discover() {
    const document = this.#token.document();
    document.catch(() => {});
    return document;
  }

  /** Joins and waits until media flows. @param {Promise<object>} document the discover document */
  async join(document) {
    globalThis.addEventListener?.("online", this.#onOnline);
    await this.#enter(document);
    await this.#connection.untilConnected();
    // A wrong secret refuses the join rather than ending the meeting a moment later.
    await this.#encryption._begun;
    this.ensureGoingOn();
  }

  /** Works out the meeting's state. */
  refresh() { this.#lifecycle.refresh(this.#connection?.peerConnection.connectionState); }

  /** Throws if the meeting was left. */
  ensureGoingOn() {
    if (this.#lifecycle.isOver) { throw new ParleyError("cancelled", "The meeting was left."); }
  }

  /** Puts an own track into the connection. @param {import("./publication.js").Publication} publication */
  addTrack(publication) {
    const track = publication.track?.mediaStreamTrack;
    // A camera that is off has nothing to offer yet; turning it on publishes it.
    if (track) { this.#connection?.addTrack(publication.source, track, publication.muted, publication.name); }
  }

  /** The server ended the session by a fatal `error`. @param {ParleyError} error */
  refuse(error) {
    if (finalRefusals.has(error.code)) {
      this.#end(error);
    } else if (this.#lifecycle.joinedOnce) {
      this.#rejoin(error);
    }
  }

  /** Ends a join that failed. @param {unknown} error @returns {ParleyError} the error to throw */
  fail(error) {
    const known = error instanceof ParleyError ? error : new ParleyError("internal", String(error?.message ?? error), { cause: error });
    if (!this.#lifecycle.isOver) { this.#end(known); }
    if (known.code === "cancelled" && this.#refusal !== null) { return this.#refusal; }
    // The reason for the end says more than that the join was cancelled.
    const { reason, message } = this.#lifecycle.endReason;
    return known.code === "cancelled" && !["left", "failed"].includes(reason) ? new ParleyError(reason, message) : known;
  }

  #end(error) {
    this.#refusal = error;
    this.#encryption._refusedBy(error);
    // A server that has not refused it itself would keep the participant for the whole resume window.
    if (this.#lifecycle.joinedOnce) { this.#signaling?.close({ leave: true }); }
    this.#delegate.emit("error", { error, fatal: true });
    this.#delegate.end("failed", error.message, error);
  }

  /** Closes the socket. @param {{leave?: boolean}} [options] `leave` sends the server a `leave` first */
  closeSignaling(options) { this.#signaling?.close(options); }

  /** Stops every attempt. The connection stays until `closeConnection`, so that its tracks can be released first. */
  stop() {
    globalThis.removeEventListener?.("online", this.#onOnline);
    this.#signaling?.close();
  }

  closeConnection() { this.#connection?.close(); }

  // MARK: Joining

  /** Connects. A client in the lobby that loses the connection joins again. */
  async #enter(document) {
    let lostAt = 0;
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#connect(document);
        return;
      } catch (error) {
        const { waiting, isOver, waitingLost } = this.#lifecycle;
        if (waiting === null || error?.code !== "unreachable" || isOver) { throw error; }
        if (!waitingLost) {
          // Each loss has the whole time, however long ago the last one was.
          [lostAt, attempt] = [performance.now(), 0];
          this.#lifecycle.loseWaiting();
        }
        if (performance.now() - lostAt > rejoinTimeout) { throw error; }
        this.#signaling?.close();
        this.#connection?.close();
      }
      await pauseBefore(attempt);
      this.ensureGoingOn();
      document = this.discover();
    }
  }

  /** @param {Promise<object>} finding the discover document */
  async #connect(finding) {
    this.ensureGoingOn();
    const { preferredVideoCodec, iceTransport, simulcast, client = "parley-web", passcode } = this.#options;
    let signaling = null;
    const send = (message) => signaling?.send(message) === true;
    const encryption = await this.#encryption._connection();
    this.ensureGoingOn();
    const connection = new Connection({ preferredVideoCodec, iceTransport, simulcast, data: this.#data, encryption }, send);
    this.#connection = connection;
    for (const publication of this.#local.publications) { this.addTrack(publication); }
    // Making a connection takes a browser as long as the answer takes the server, so both go on at once.
    connection.prepareOffer();
    const document = await finding;
    this.ensureGoingOn();
    if (typeof document.subject === "string") { this.#subject = document.subject; }
    this.#encryption._check(document.e2ee);
    this.#room = document.meeting ?? "";
    signaling = new Signaling(document.signaling, async (message) => {
      if (this.#connection === connection && !this.#lifecycle.isOver) { await this.#delegate.receive(message, connection); }
    });
    this.#signaling = signaling;
    this.#watch(signaling, connection);
    await signaling.join(() => connection.firstOffer(document.iceServers).then(({ offer, tracks }) => ({
      token: document.token, room: document.meeting, name: this.#local.name, offer, tracks, client, ...(passcode ? { passcode } : {}), ...(encryption ? { e2ee: true } : {}),
    })));
    if (this.#lifecycle.hasWaited) {
      // The server ignores mutes from the lobby.
      this.#lifecycle.hasWaited = false;
      this.#sendMutes();
    }
    this.ensureGoingOn();
    this.#delegate.flush();
  }

  // MARK: Losing the connection

  #watch(signaling, connection) {
    const listen = (target, type, listener) => target.addEventListener(type, ({ detail }) => {
      if (this.#signaling === signaling && !this.#lifecycle.isOver) { listener(detail); }
    });
    const report = (code, message, cause) => this.#delegate.emit("error", { error: new ParleyError(code, message, { cause }), fatal: false });
    const setDown = (part, isDown) => {
      this.#lifecycle[part] = isDown;
      this.refresh();
    };
    listen(signaling, "lost", () => {
      this.#delegate.lost();
      setDown("signalingDown", true);
    });
    listen(signaling, "resumed", () => {
      this.#repeatState();
      setDown("signalingDown", false);
    });
    listen(signaling, "expired", (error) => this.#rejoin(error));
    signaling.addEventListener("fault", ({ detail }) => report("internal", String(detail?.message ?? detail), detail));
    listen(connection, "statechange", () => this.refresh());
    listen(connection, "interrupted", () => {
      signaling.probe();
      setDown("mediaDown", true);
    });
    listen(connection, "recovered", () => setDown("mediaDown", false));
    listen(connection, "refused", (error) => {
      const problem = "A change in the meeting could not be agreed on with the server, so somebody may be missing here";
      report("offerRefused", `${problem}: ${error.message}`, error);
    });
    listen(connection, "failed", () => {
      if (this.#lifecycle.joinedOnce) { this.#rejoin(new ParleyError("mediaFailed", "The media connection was lost.")); }
    });
  }

  /** Joins again with the same tracks, until the reconnect timeout. */
  async #rejoin(cause) {
    const lifecycle = this.#lifecycle;
    if (lifecycle.rejoining) { return; }
    lifecycle.rejoining = true;
    this.#delegate.lost();
    this.refresh();
    const start = performance.now();
    for (let attempt = 0; !lifecycle.isOver; attempt += 1) {
      this.#signaling?.close({ leave: true });
      this.#connection?.close();
      this.#delegate.reset();
      try {
        await this.#connect(this.discover());
        await this.#connection.untilConnected();
        break;
      } catch (error) {
        if (lifecycle.isOver) { return; }
        lifecycle.endWaiting();
        if (this.#isHopeless(error, cause, performance.now() - start)) { return; }
      }
      await pauseBefore(attempt);
    }
    if (lifecycle.isOver) { return; }
    lifecycle.endRejoin();
    this.#delegate.flush();
    this.refresh();
  }

  /** Ends the meeting if another attempt can't succeed, or the reconnect timeout has passed. */
  #isHopeless(error, cause, time) {
    if (finalRefusals.has(error?.code)) {
      this.#encryption._refusedBy(error);
      this.#delegate.emit("error", { error, fatal: true });
      this.#delegate.end(error.code === "meetingExpired" ? "expired" : "failed", error.message, error);
      return true;
    }
    if (time <= rejoinTimeout) { return false; }
    if (lastingRefusals.has(error?.code)) {
      this.#delegate.end("failed", error.message, error);
    } else {
      this.#delegate.end("connectionLost", "The connection was lost and could not be restored.", cause);
    }
    return true;
  }

  #online() {
    if (this.#lifecycle.rejoining || !this.#lifecycle.joinedOnce) { return; }
    if (this.#signaling?.ready) { this.#signaling.probe(); } else { this.#signaling?.retryNow(); }
    // The machine may have another address now.
    this.#connection?.renegotiate({ iceRestart: true });
  }

  /** After a resume: sends again the state that may have been lost with the socket. */
  #repeatState() {
    // The offer first: the server must know the tracks that it brings before they are muted.
    this.#connection.resend();
    this.#sendMutes();
    this.#local._reportName();
    this.#delegate.flush();
  }

  #sendMutes() {
    for (const { mid, muted } of this.#connection.tracks) { this.send({ type: "mute", mid, muted }); }
  }
}

/** The pause before the next attempt, shorter when the machine comes back on a network. */
function pauseBefore(attempt) {
  return new Promise((resolve) => {
    const timer = setTimeout(done, Math.min(8_000, 500 * 2 ** attempt));
    function done() {
      clearTimeout(timer);
      globalThis.removeEventListener?.("online", done);
      resolve();
    }
    globalThis.addEventListener?.("online", done);
  });
}
