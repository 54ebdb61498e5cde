import { LinkSecret } from "../encryption/link-secret.js";
import { sharedSecret, sharedSecretLengths } from "../encryption/shared-secret.js";
import { Meeting } from "../meeting.js";
import { apiKeyOf } from "./keys.js";
import { SessionModeration } from "./session-moderation.js";
import { SessionStatistics } from "./session-statistics.js";
import { Streams } from "./streams.js";

/** Why somebody or something is gone, in the library's words. */
const leaveReasons = { left: "clientDisconnected", replaced: "clientDisconnected", removed: "forceDisconnected", timeout: "networkDisconnected" };
const endReasons = {
  left: "clientDisconnected", removed: "forceDisconnected", endedByHost: "forceDisconnected", tokenExpired: "forceDisconnected",
  tokenRevoked: "forceDisconnected",
};

/** The library's name of an error that joining ends with. */
const joinErrors = {
  badToken: "OT_AUTHENTICATION_ERROR", tokenExpired: "OT_AUTHENTICATION_ERROR", tokenRequired: "OT_AUTHENTICATION_ERROR",
  wrongOrigin: "OT_AUTHENTICATION_ERROR", banned: "OT_AUTHENTICATION_ERROR", wrongMeeting: "OT_INVALID_SESSION_ID", noSuchMeeting: "OT_INVALID_SESSION_ID",
  badRoomName: "OT_INVALID_SESSION_ID", meetingExpired: "OT_INVALID_SESSION_ID", meetingFull: "OT_CONNECTION_LIMIT_EXCEEDED",
  quotaReached: "OT_CONNECTION_LIMIT_EXCEEDED", unsupported: "OT_NOT_SUPPORTED", encryptionUnsupported: "OT_NOT_SUPPORTED",
  encryptionRequired: "OT_ENCRYPTION_SECRET_MISSING", wrongSecret: "OT_ENCRYPTION_SECRET_MISMATCH", notEncrypted: "OT_INVALID_PARAMETER",
  encryptionFailed: "OT_ENCRYPTION_INTERNAL_ERROR",
};

/** The library's name of an error that a signal ends with. */
const signalErrors = { tooLarge: "OT_SIGNAL_TOO_LARGE", badMessage: "OT_INVALID_SIGNAL", notAllowed: "OT_UNABLE_TO_SIGNAL" };

/** The work behind `OT.initSession`: one meeting of the SDK, in the library's events. */
export class SessionCore {
  #session;
  #kit;
  #meeting = null;
  #streams = null;
  #secret = undefined;
  #statistics = new SessionStatistics(() => this.#meeting);
  #moderation;
  /** The engines of this session's publishers. */
  #sending = new Map();
  /** The unpublishing under way, by publisher. */
  #unpublishing = new Map();

  /**
   * @param {object} session the object that the page has
   * @param {object} kit what `/opentok.js` lends
   */
  constructor(session, kit) {
    this.#session = session;
    this.#kit = kit;
    this.#moderation = new SessionModeration(session, () => this.#meeting, (name, message) => this.#error(name, message));
  }

  // MARK: Connecting

  /**
   * Joins the meeting of the session's name. `sessionConnected` comes first, then the callback, then who and what was
   * there before.
   *
   * @param {string} token
   * @param {string|null} apiKey null where the page has said none
   * @param {unknown} [secret] that the apps of an encrypted session share; undefined for none
   */
  async connect(token, apiKey, secret) {
    const session = this.#session;
    if (session.currentState !== "disconnected") { throw this.#error("OT_ILLEGAL_STATE", "The session is connected or connecting already."); }
    const owner = apiKeyOf(session.sessionId, token);
    if (apiKey !== null && owner !== null && apiKey !== owner) {
      throw this.#error("OT_AUTHENTICATION_ERROR", `The session is not one of the API key ${apiKey}. Give the key that it was made with.`);
    }
    if (secret !== undefined) { this.#checkLength(secret); }
    session.currentState = "connecting";
    this.#secret = secret;
    // A page without that function can't encrypt, and the meeting refuses it in words.
    const encryptionSecret = secret === undefined ? undefined : await sharedSecret(secret, session.sessionId).catch(() => new LinkSecret(new Uint8Array(32)));
    const meeting = new Meeting({
      url: new URL(`/${encodeURIComponent(session.sessionId)}`, this.#kit.server), token, name: "Guest", client: "opentok.js", encryptionSecret,
    });
    this.#meeting = meeting;
    session._meeting = meeting;
    meeting.addEventListener("joined", () => this.#begin());
    meeting.addEventListener("ended", ({ detail }) => this.#ended(detail));
    meeting.addEventListener("waiting", ({ detail }) => { if (!detail.lost) { session._emit("sessionWaiting", { reason: detail.reason }); } });
    try {
      await meeting.join();
    } catch (error) {
      // A page that disconnected during the join may be connecting again.
      if (this.#meeting === meeting) { session.currentState = "disconnected"; }
      throw this.#error(joinErrors[error.code] ?? "OT_CONNECT_FAILED", error.message);
    }
    this.#settled();
  }

  /**
   * Takes a secret that the page sets. One that is set during a session is refused unless it is the session's, and a
   * session in clear ends by it.
   *
   * @param {unknown} secret
   */
  async checkSecret(secret) {
    if (this.#session.currentState === "disconnected") { this.#checkLength(secret); return; }
    if (secret === this.#secret) { return; }
    if (this.#secret === undefined) { this.disconnect(); }
    throw this.#error("OT_ILLEGAL_STATE", "Set the encryption secret before you connect. A session that has begun keeps its own; one without a secret was disconnected.");
  }

  #checkLength(secret) {
    const { least, most } = sharedSecretLengths;
    const length = typeof secret === "string" ? [...secret].length : 0;
    if (length >= least && length <= most) { return; }
    throw this.#error("OT_INVALID_ENCRYPTION_SECRET", `An encryption secret is a text of ${least} to ${most} characters.`);
  }

  #begin() {
    const session = this.#session;
    const meeting = this.#meeting;
    session.currentState = "connected";
    session.capabilities = this.#capabilities();
    session.connection = this.#connection(meeting.localParticipant);
    session.connections.set(session.connection.connectionId, session.connection);
    for (const participant of meeting.participants.values()) { session.connections.set(participant.id, this.#connection(participant)); }
    this.#streams = new Streams(session, meeting, this.#kit);
    this.#listen();
  }

  /** Reports that the page is connected, and to whom. */
  #settled() {
    const session = this.#session;
    const connections = [...session.connections.values()];
    const known = this.#streams.existing();
    const streams = this.#streams;
    session._emit("sessionConnected", { connections, streams: session._isLegacy ? known : [] });
    // The callback of `connect` comes in between.
    setTimeout(() => {
      if (this.#streams !== streams || !session.isConnected()) { return; }
      for (const connection of connections) {
        if (session.connections.get(connection.connectionId) === connection) { session._emit("connectionCreated", { connection, connections: [connection] }); }
      }
      // Version 0.91 reported them with the event before.
      streams.begin(!session._isLegacy);
    }, 0);
  }

  #listen() {
    const meeting = this.#meeting;
    const on = (type, body) => meeting.addEventListener(type, ({ detail }) => body(detail));
    on("participantJoined", ({ participant }) => {
      const connection = this.#connection(participant);
      this.#session.connections.set(participant.id, connection);
      this.#session._emit("connectionCreated", { connection, connections: [connection] });
    });
    on("participantLeft", ({ participant, reason }) => {
      const why = leaveReasons[reason] ?? "clientDisconnected";
      this.#streams.left(participant, why);
      const connection = this.#session.connections.get(participant.id);
      this.#session.connections.delete(participant.id);
      if (connection) { this.#session._emit("connectionDestroyed", { connection, connections: [connection], reason: why }); }
    });
    for (const type of ["published", "muted", "participantUpdated", "trackSubscribed", "trackUnsubscribed", "trackPaused", "trackResumed", "undecodable", "decodable"]) {
      on(type, ({ participant }) => this.#streams.changed(participant));
    }
    on("unpublished", ({ participant, reason }) => this.#streams.changed(participant, reason === null ? null : "forceUnpublished"));
    on("signal", ({ from, type, data }) => {
      const fields = { data: data === "" ? undefined : data, from: this.#session.connections.get(from) ?? null };
      const full = type === "" ? "signal" : `signal:${type}`;
      this.#session._emit(full, fields, { lists: full === "signal" ? ["signal"] : ["signal", full] });
    });
    on("muteForAll", ({ order }) => { this.#session._emit("muteForced", { active: order !== null }); });
    on("mutedByHost", ({ publication: { source } }) => this.#eachSending(source, (core) => core.forceMuted(source)));
    on("stoppedByHost", ({ publication: { source } }) => {
      this.#eachSending(source, (core, publisher) => core.forceEnded(source, () => this.#unpublished(publisher, "forceUnpublished")));
    });
    on("quality", ({ participants }) => {
      if (!participants.some((each) => each.isLocal)) { return; }
      for (const subscriber of this.#session._subscribers) { subscriber._core.then((core) => core.follow(), () => {}); }
    });
    on("permissions", () => { this.#session.capabilities = this.#capabilities(); });
    on("reconnecting", () => { this.#session._emit("sessionReconnecting"); });
    on("reconnected", () => {
      // A session that was lost permanently gives another connection.
      const own = this.#connection(meeting.localParticipant);
      if (own.connectionId !== this.#session.connection.connectionId) {
        this.#session.connections.delete(this.#session.connection.connectionId);
        this.#session.connection = own;
        this.#session.connections.set(own.connectionId, own);
      }
      this.#session._emit("sessionReconnected");
    });
  }

  /** Leaves the session. */
  disconnect() { this.#meeting?.leave(); }

  #ended({ reason }) {
    const session = this.#session;
    const why = endReasons[reason] ?? "networkDisconnected";
    const wasConnected = session.currentState === "connected";
    session.currentState = "disconnected";
    if (!wasConnected) { return; }
    for (const core of this.#sending.values()) { core.left(); }
    for (const publisher of [...session._publishers]) { this.#unpublished(publisher, why); }
    const event = session._emit("sessionDisconnected", { reason: why }, { cancelable: true });
    if (!event.isDefaultPrevented()) {
      for (const subscriber of [...session._subscribers]) { subscriber.destroy(); }
    }
    this.#streams.close();
    session.connections.clear();
    session.connection = null;
    session.capabilities = null;
    this.#meeting = null;
  }

  // MARK: Streams

  /** Sends what a publisher has opened. */
  async publish(publisher) {
    const session = this.#session;
    await this.#unpublishing.get(publisher);
    if (!session.isConnected()) { throw this.#error("OT_NOT_CONNECTED", "Connect to the session before you publish."); }
    if (publisher.session) { throw this.#error("OT_ILLEGAL_STATE", "The publisher is in a session already."); }
    if (session.capabilities.publish !== 1) { throw this.#error("OT_PERMISSION_DENIED", "The token does not let you publish."); }
    publisher.session = session;
    session._publishers.push(publisher);
    let core = null;
    try {
      core = await publisher._core;
      await core.ready();
      const own = this.#meeting?.localParticipant;
      if (!own) { throw this.#error("OT_NOT_CONNECTED", "The session was disconnected."); }
      if (publisher.session !== session) { throw this.#error("OT_ILLEGAL_STATE", "The publisher was taken out of the session before it was published."); }
      if (Object.values(core.sources).some((source) => own.publication(source))) {
        throw this.#error("OT_UNABLE_TO_PUBLISH", `A ${core.isScreen ? "screen" : "camera"} is published already; a session takes one of each from a client.`);
      }
      const { name } = publisher.properties;
      const isNamed = typeof name === "string" && name.trim() !== "";
      if (isNamed && !core.isScreen) { own.rename(name); }
      core.publish(own, isNamed ? name : undefined);
      this.#sending.set(publisher, core);
      await this.#meeting._media.negotiate();
      const stream = this.#streams?.own(own, core.isScreen, publisher.properties);
      if (!stream) { throw this.#error("OT_UNABLE_TO_PUBLISH", "It was ended as soon as it was published."); }
      publisher.stream = stream;
    } catch (error) {
      this.#sending.delete(publisher);
      // A refused track must not look as if it was sent.
      await core?.unpublish().catch(() => {});
      publisher.session = null;
      session._publishers = session._publishers.filter((each) => each !== publisher);
      throw this.#kit.asError(error);
    }
    const { stream } = publisher;
    publisher._emit("streamCreated", { stream });
    if (session._isLegacy) { session._emit("streamCreated", { stream, streams: [stream] }); }
  }

  /** Takes a publisher out of the session. */
  async unpublish(publisher, reason = "clientDisconnected") {
    if (publisher?.session !== this.#session) { return; }
    const done = publisher._core.then((core) => {
      this.#unpublished(publisher, reason);
      return core.unpublish();
    });
    // A page that publishes it again during this waits.
    this.#unpublishing.set(publisher, done.catch(() => {}));
    try { await done; } finally { this.#unpublishing.delete(publisher); }
  }

  #unpublished(publisher, reason) {
    const { stream } = publisher;
    publisher.session = null;
    publisher.stream = null;
    this.#sending.delete(publisher);
    this.#session._publishers = this.#session._publishers.filter((each) => each !== publisher);
    if (!stream) { return; }
    this.#streams?.ownEnded(stream);
    const event = publisher._emit("streamDestroyed", { stream, reason }, { cancelable: true });
    if (this.#session._isLegacy) { this.#session._emit("streamDestroyed", { stream, streams: [stream], reason }); }
    if (!event.isDefaultPrevented()) { publisher.destroy(); }
  }

  /** The publisher of a stream; undefined if it has ended. */
  ownerOf(stream) { return this.#streams?.ownerOf(stream); }

  /** Whether this client's network has hardly enough capacity. */
  get isSlow() { return ["poor", "lost"].includes(this.#meeting?.localParticipant.quality); }

  /** A picture's size became known. */
  sized(stream, size) { this.#streams?.sized(stream, size); }

  /** Nobody watches a track: the server need not send it. */
  hide(track) { this.#streams?.hide(track); }

  /** A subscriber is no more. */
  forget(subscriber) { this.#session._subscribers = this.#session._subscribers.filter((each) => each !== subscriber); }

  // MARK: Signals and moderation

  /** The acts of moderators. @type {SessionModeration} */
  get moderation() { return this.#moderation; }

  /**
   * Sends a signal; resolves when the server has passed it on. It waits for its turn, and for a connection that is
   * being brought back.
   */
  async signal(signal) {
    try { await this.#passOn(signal); } catch (error) { throw Object.assign(error, { signal }); }
  }

  async #passOn({ type = "", data = "", to, retryAfterReconnect = true }) {
    if (!this.#session.isConnected()) { throw this.#error("OT_NOT_CONNECTED", "Connect to the session before you signal."); }
    if (to === null || (to !== undefined && typeof (to?.connectionId ?? to) !== "string")) {
      throw this.#error("OT_INVALID_SIGNAL", "The receiver of a signal is a connection.");
    }
    const id = to?.connectionId ?? to;
    if (id !== undefined && !this.#session.connections.has(id)) { throw this.#error("OT_SIGNAL_NOT_FOUND", "The receiver is not in the session."); }
    try {
      await this.#meeting.sendSignal({ type, data: typeof data === "string" ? data : JSON.stringify(data), to: id, waits: retryAfterReconnect !== false });
    } catch (error) {
      // It was fine here, so that the server misses its receiver.
      const isGone = error.code === "badMessage" && id !== undefined && !this.#session.connections.has(id);
      throw this.#error(isGone ? "OT_SIGNAL_NOT_FOUND" : signalErrors[error.code] ?? "OT_SIGNAL_FAILED", error.message);
    }
  }

  /** At once: the track is stopped right after this event. */
  #eachSending(source, body) {
    for (const [publisher, core] of this.#sending) { if (core.sends(source)) { body(core, publisher); } }
  }

  // MARK: Statistics

  /** The figures of what is sent and received. @type {SessionStatistics} */
  get statistics() { return this.#statistics; }

  // MARK: Small things

  #error(name, message) { return new this.#kit.OTError(name, message); }

  #connection(participant) {
    return new this.#kit.Connection({
      connectionId: participant.id, creationTime: participant.created?.getTime() ?? Date.now(), data: participant.data ?? "",
      permissions: participant.isLocal ? this.#capabilities() : undefined,
    });
  }

  #capabilities() {
    const { permissions } = this.#meeting.localParticipant;
    const has = (...names) => (names.some((name) => permissions.includes(name)) ? 1 : 0);
    const moderates = has("moderate");
    return {
      publish: has("publishAudio", "publishVideo", "publishScreen"), subscribe: has("subscribe"),
      forceDisconnect: moderates, forceUnpublish: moderates, forceMute: moderates,
    };
  }
}
