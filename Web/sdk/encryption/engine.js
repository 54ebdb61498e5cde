import { ParleyError } from "../errors.js";

/** How often the worker is asked whether it works, in milliseconds, and how many times it may be silent. */
const pingInterval = 1_000;
const silentPings = 15;
/** How long a worker may take to start, in milliseconds. */
const startTimeout = 60_000;

const address = new URL("./worker.js", import.meta.url);
let spare = null;

/** The error of everything that a worker can't do any more. */
export const stopped = () => new ParleyError("encryptionFailed", "Encryption has stopped working in this page, so nothing is sent or played any more. Join again.");

/**
 * The worker of an encrypted meeting, as the page sees it: calls with answers, and the transforms that run in it.
 *
 * Dispatches `message` (`detail`: what a session reports) and `failed`, once, when the worker has an error, or doesn't
 * answer. Frames then go nowhere.
 */
export class EncryptionEngine extends EventTarget {
  #worker;
  #calls = new Map();
  #lastCall = 0;
  #lastSession = 0;
  #timer = null;
  #unanswered = 0;
  #isOver = false;
  #becomeReady;

  /** Resolves when the worker runs. @type {Promise<void>} */
  ready;

  constructor() {
    super();
    let fail;
    this.ready = new Promise((resolve, reject) => { [this.#becomeReady, fail] = [resolve, reject]; });
    this.ready.catch(() => {});
    this.addEventListener("failed", () => fail(stopped()));
    this.#worker = makeWorker();
    this.#worker.addEventListener("message", ({ data }) => this.#receive(data));
    for (const type of ["error", "messageerror"]) { this.#worker.addEventListener(type, () => this.#fail()); }
    const timeout = setTimeout(() => this.#fail(), startTimeout);
    this.ready.finally(() => clearTimeout(timeout)).catch(() => {});
    this.ready.then(() => { this.#timer = setInterval(() => this.#ping(), pingInterval); }, () => {});
  }

  /** The prepared worker, or a new one. @returns {EncryptionEngine} */
  static take() {
    const engine = spare ?? new EncryptionEngine();
    spare = null;
    return engine.#isOver ? new EncryptionEngine() : engine;
  }

  /** The worker, for tests. @type {Worker} */
  get _worker() { return this.#worker; }

  /** A number for the keys and transforms of a connection. @returns {number} */
  newSession() { return this.#lastSession += 1; }

  /**
   * Calls a method of a session in the worker.
   *
   * @param {number} session
   * @param {string} method
   * @param {unknown} [argument]
   * @returns {Promise<unknown>}
   * @throws {ParleyError} `encryptionFailed`
   */
  call(session, method, argument) {
    if (this.#isOver) { return Promise.reject(stopped()); }
    const call = this.#lastCall += 1;
    return new Promise((resolve, reject) => {
      this.#calls.set(call, { resolve, reject });
      this.#worker.postMessage({ call, session, method, argument });
    });
  }

  /** As `call`, for those who need no answer. */
  tell(session, method, argument) { this.call(session, method, argument).catch(() => {}); }

  /** A transform that runs in the worker. @param {object} options @returns {RTCRtpScriptTransform} */
  transform(options) { return new RTCRtpScriptTransform(this.#worker, options); }

  /** Ends the keys of a connection. @param {number} session */
  closeSession(session) { if (!this.#isOver) { this.#worker.postMessage({ session, method: "close" }); } }

  /** Ends the worker. */
  close() {
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#worker.terminate();
    this.#rejectCalls();
  }

  #receive({ call, result, problem, ...message }) {
    if (call !== undefined) {
      const pending = this.#calls.get(call);
      this.#calls.delete(call);
      if (problem === undefined) { pending?.resolve(result); } else { pending?.reject(new ParleyError("encryptionFailed", `This cannot be encrypted: ${problem}.`)); }
      return;
    }
    if (message.type === "ready") { this.#becomeReady(); return; }
    this.dispatchEvent(new CustomEvent("message", { detail: message }));
  }

  #ping() {
    // Counted, not timed: a machine that slept counts nothing.
    if (this.#unanswered >= silentPings) { this.#fail(); return; }
    this.#unanswered += 1;
    this.call(0, "ping").then(() => { this.#unanswered = 0; }, () => {});
  }

  #fail() {
    if (this.#isOver) { return; }
    this.close();
    this.dispatchEvent(new Event("failed"));
  }

  #rejectCalls() {
    const error = stopped();
    for (const { reject } of this.#calls.values()) { reject(error); }
    this.#calls.clear();
  }
}

/** Starts the worker of the encrypted meeting that comes next: it takes a browser some tenths of a second. */
export function prepareEncryption() { spare ??= new EncryptionEngine(); }

/**
 * A script of another server can't be a worker, so that one imports it; a page that forbids that gets no encryption.
 */
function makeWorker() {
  if (address.origin === globalThis.location.origin) { return new Worker(address, { type: "module", name: "encryption" }); }
  const url = URL.createObjectURL(new Blob([`import ${JSON.stringify(address.href)};`], { type: "text/javascript" }));
  return new Worker(url, { type: "module", name: "encryption" });
}
