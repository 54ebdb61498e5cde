import { ParleyError } from "./errors.js";

const pingInterval = 8_000;
const silenceLimit = 20_000;
const joinTimeout = 15_000;

/**
 * The WebSocket to the server: joins, resumes the session after a lost socket, and delivers messages one after the
 * other.
 *
 * A lost socket is opened again with growing pauses, and the session resumed with `resume`, until the server's window
 * has passed.
 *
 * Dispatches `lost` (the socket went away), `resumed` (`detail` is the message) and `expired` (the session
 * can't be resumed; `detail` is a `ParleyError`).
 */
export class Signaling extends EventTarget {
  #url;
  #handler;
  #socket = null;
  #ready = false;
  #closed = false;
  #resumeToken = null;
  #resumeWindow = 30;
  #chain = Promise.resolve();
  #pingTimer = null;
  #lastHeard = 0;
  #lostAt = 0;
  #attempt = 0;
  #retryTimer = null;
  #expiryTimer = null;
  #joining = null;

  /**
   * @param {string} url address of the WebSocket
   * @param {(message: object) => Promise<void>|void} handler called with each message in the order sent, never two at a
   *   time
   */
  constructor(url, handler) {
    super();
    this.#url = url;
    this.#handler = handler;
  }

  /** The WebSocket in use, or null. @type {WebSocket|null} */
  get socket() { return this.#socket; }

  /** The address of the WebSocket. @type {string} */
  get url() { return this.#url; }

  /** The secret of the session; null before joining. */
  get _resumeToken() { return this.#resumeToken; }

  /** Whether messages can be sent now: the server has answered `join` or `resume` on this socket. @type {boolean} */
  get ready() { return this.#ready; }

  /** Whether what is sent now goes out on a socket that stands, as far as is known. @type {boolean} */
  get open() { return this.#ready && this.#socket?.readyState === WebSocket.OPEN; }

  /**
   * Opens the socket and joins.
   *
   * @param {object|Promise<object>|(() => Promise<object>)} message the `join` message, or a function that makes it
   *   while the socket opens
   * @returns {Promise<object>} `welcome`, after the handler has dealt with it
   * @throws {ParleyError} with the server's code, or `unreachable`
   */
  join(message) {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#failJoin("unreachable", "The server did not answer in time."), joinTimeout);
      this.#joining = {
        waits: () => clearTimeout(timer),
        resolve: (value) => { clearTimeout(timer); this.#joining = null; resolve(value); },
        reject: (error) => { clearTimeout(timer); this.#joining = null; this.close(); reject(error); },
      };
      // The socket first: making an offer keeps the page busy for a while.
      let made;
      const first = new Promise((done) => { made = done; });
      this.#open(first);
      made(Promise.resolve(typeof message === "function" ? message() : message).then((value) => ({ ...value, type: "join" })));
      first.catch((error) => this.#joining?.reject(error));
    });
  }

  /**
   * Sends a message, if the socket is ready. The state is sent again after `resumed`, so nothing is queued here.
   *
   * @param {object} message
   * @returns {boolean} whether it was sent
   */
  send(message) {
    if (!this.open) { return false; }
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /**
   * Tries again at once, for instance when the machine is back on a network.
   */
  retryNow() {
    if (this.#closed || this.#ready) { return; }
    if (this.#socket?.readyState === WebSocket.CONNECTING) { return; }
    clearTimeout(this.#retryTimer);
    this.#attempt = 0;
    this.#resume();
  }

  /**
   * Checks that the socket still carries messages; a dead one counts as lost after 3 s.
   */
  probe() {
    if (!this.#ready) { return; }
    const before = this.#lastHeard;
    this.send({ type: "ping", time: Math.round(performance.now()) });
    const socket = this.#socket;
    setTimeout(() => { if (this.#socket === socket && this.#ready && this.#lastHeard === before) { this.#lose(); } }, 3_000);
  }

  /**
   * Closes permanently.
   *
   * @param {{leave?: boolean}} [options] whether to send a `leave` first
   */
  close(options = {}) {
    if (this.#closed) { return; }
    if (options.leave) { this.send({ type: "leave" }); }
    this.#closed = true;
    this.#ready = false;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#expiryTimer);
    clearInterval(this.#pingTimer);
    this.#socket?.close(1000);
    this.#socket = null;
    // No answer comes any more, so a join must not wait for one.
    this.#joining?.reject(new ParleyError("cancelled", "The meeting was left."));
  }

  #open(firstMessage) {
    let socket;
    try {
      socket = new WebSocket(this.#url);
    } catch (error) {
      this.#failJoin("unreachable", "The server's signalling address is not usable.", error);
      return;
    }
    this.#socket = socket;
    socket.addEventListener("open", async () => {
      let text;
      try { text = JSON.stringify(await firstMessage); } catch { return; }
      if (socket === this.#socket && socket.readyState === WebSocket.OPEN) { socket.send(text); }
    });
    socket.addEventListener("message", (event) => {
      if (socket !== this.#socket || this.#closed) { return; }
      this.#lastHeard = performance.now();
      let message;
      try { message = JSON.parse(event.data); } catch { return; }
      if (typeof message?.type !== "string") { return; }
      this.#chain = this.#chain.then(() => this.#receive(message, socket)).catch((error) => {
        this.dispatchEvent(new CustomEvent("fault", { detail: error }));
      });
    });
    socket.addEventListener("close", () => {
      // Messages that came before the close are dealt with first: a fatal error has the reason for the close.
      this.#chain = this.#chain.then(() => { if (socket === this.#socket) { this.#lose(); } });
    });
  }

  async #receive(message, socket) {
    if (this.#closed) { return; }
    switch (message.type) {
      case "pong": return;
      case "welcome":
        this.#resumeToken = message.resumeToken;
        this.#resumeWindow = Number(message.resumeWindow) || 30;
        this.#becomeReady();
        try {
          await this.#handler(message);
        } catch (error) {
          this.#joining?.reject(error);
          return;
        }
        this.#joining?.resolve(message);
        return;
      case "waiting":
        // The client waits in the lobby: the server decides how long.
        this.#joining?.waits();
        this.#ping();
        await this.#handler(message);
        return;
      case "resumed":
        if (socket !== this.#socket) { return; }
        if (typeof message.resumeToken === "string") { this.#resumeToken = message.resumeToken; }
        clearTimeout(this.#expiryTimer);
        this.#lostAt = 0;
        this.#attempt = 0;
        this.#becomeReady();
        await this.#handler(message);
        this.dispatchEvent(new CustomEvent("resumed", { detail: message }));
        return;
      case "error":
        if (message.fatal === true) {
          const error = new ParleyError(String(message.code), String(message.message ?? "The server refused."));
          if (this.#joining) { this.#joining.reject(error); return; }
          if (!this.#ready) { this.#expire(error); return; }
        }
        await this.#handler(message);
        return;
      default:
        await this.#handler(message);
    }
  }

  #becomeReady() {
    this.#ready = true;
    this.#ping();
  }

  /** Finds out when nobody is at the other end any more, and keeps proxies from closing a quiet socket. */
  #ping() {
    clearInterval(this.#pingTimer);
    this.#lastHeard = performance.now();
    this.#pingTimer = setInterval(() => {
      if (performance.now() - this.#lastHeard > silenceLimit) { this.#lose(); return; }
      if (this.#socket?.readyState === WebSocket.OPEN) { this.#socket.send(JSON.stringify({ type: "ping", time: Math.round(performance.now()) })); }
    }, pingInterval);
  }

  #lose() {
    if (this.#closed) { return; }
    const socket = this.#socket;
    this.#socket = null;
    try { socket?.close(); } catch { /* it may never have opened */ }
    clearInterval(this.#pingTimer);
    if (this.#joining) { this.#failJoin("unreachable", "The server could not be reached."); return; }
    if (this.#ready) {
      this.#ready = false;
      this.#lostAt = performance.now();
      this.#attempt = 0;
      this.#expiryTimer = setTimeout(
        () => this.#expire(new ParleyError("resumeExpired", "The place in the meeting could not be kept.")),
        this.#resumeWindow * 1000,
      );
      this.dispatchEvent(new CustomEvent("lost"));
    }
    const pause = Math.min(4_000, 250 * 2 ** this.#attempt) * (0.75 + Math.random() / 2);
    this.#attempt += 1;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#resume(), pause);
  }

  #resume() {
    if (this.#closed) { return; }
    this.#open({ type: "resume", resumeToken: this.#resumeToken });
    const socket = this.#socket;
    // A socket that opens but is not answered must not hold up the next try.
    setTimeout(() => { if (this.#socket === socket && !this.#ready && !this.#closed) { this.#lose(); } }, 6_000);
  }

  #expire(error) {
    if (this.#closed) { return; }
    this.close();
    this.dispatchEvent(new CustomEvent("expired", { detail: error }));
  }

  #failJoin(code, message, cause) {
    this.#joining?.reject(new ParleyError(code, message, { cause }));
  }
}
