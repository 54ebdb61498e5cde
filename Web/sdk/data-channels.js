import { ParleyError } from "./errors.js";

const version = 1;
const labels = { reliable: "parley-reliable", lossy: "parley-lossy" };
const maximumHeader = 4_096;

/**
 * The server's limits, see `docs/protocol.md`: bytes of payload on each channel, bytes of a topic, and recipients
 * of one message.
 */
export const dataLimits = Object.freeze({ reliable: 65_536, lossy: 1_024, topic: 128, recipients: 100 });

// A little less than what the server accepts, so that clocks that differ lose no message.
const messageRate = { perSecond: 180, burst: 360 };
const byteRate = { perSecond: 900_000, burst: 1_800_000 };

/** Bytes of reliable messages that wait for the channel or for their turn. */
const waitingLimit = 4 * 1_048_576;
/** Bytes that the browser may hold; reliable messages beyond wait here, lossy ones are dropped. */
const bufferLimit = { reliable: 1_048_576, lossy: 65_536 };
const reopenPause = 1_000;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * Data messages: the two channels of a connection, and the reliable messages that wait for them. It outlives
 * connections, so that what waits is sent over the next one.
 *
 * Dispatches `message`, a `CustomEvent` whose `detail` has `from`, `topic`, `bytes` and `reliable`.
 */
export class DataChannels extends EventTarget {
  #peerConnection = null;
  #channels = { reliable: null, lossy: null };
  #waiting = [];
  #waitingBytes = 0;
  #messages = new Bucket(messageRate);
  #bytes = new Bucket(byteRate);
  #timer = null;
  #closed = false;

  /** Bytes of reliable messages that wait to be given to the browser. @type {number} */
  get waitingBytes() { return this.#waitingBytes; }

  /**
   * Whether messages go out at once now.
   *
   * @param {boolean} [reliable]
   * @returns {boolean}
   */
  isOpen(reliable = true) { return this.#channels[reliable ? "reliable" : "lossy"]?.readyState === "open"; }

  /**
   * Makes the channels of a new connection; call it before its first offer, which then carries them.
   *
   * @param {RTCPeerConnection} peerConnection
   */
  attach(peerConnection) {
    this.#peerConnection = peerConnection;
    for (const name of Object.keys(labels)) { this.#open(name, peerConnection); }
  }

  /**
   * Takes a message. A reliable one waits for its turn and, where there is none, for the channel; a lossy one is sent
   * now or not at all.
   *
   * @param {string|ArrayBuffer|ArrayBufferView} data text is sent as UTF-8
   * @param {{topic?: string, reliable?: boolean, to?: string|string[]}} [options]
   * @returns {boolean} false when it was dropped: a lossy one that cannot go now, or a reliable one when too much waits
   *   already
   * @throws {ParleyError} `tooLarge` or `badMessage`, for what can never be sent
   */
  send(data, { topic = "", reliable = true, to } = {}) {
    const name = reliable ? "reliable" : "lossy";
    const message = encode(encodeData(data), { topic, to }, dataLimits[name]);
    if (this.#closed) { return false; }
    if (reliable) {
      if (this.#waitingBytes + message.length > waitingLimit) { return false; }
      this.#waiting.push(message);
      this.#waitingBytes += message.length;
      this.#drain();
      return true;
    }
    const channel = this.#channels.lossy;
    if (channel?.readyState !== "open" || channel.bufferedAmount + message.length > bufferLimit.lossy) { return false; }
    return this.#take(message.length) && hand(channel, message);
  }

  /**
   * Whether a reliable message of so many bytes has room among those that wait.
   *
   * @param {number} length
   * @returns {boolean}
   */
  accepts(length) { return !this.#closed && this.#waitingBytes + length + maximumHeader <= waitingLimit; }

  /** Ends permanently; waiting messages are dropped. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#waiting = [];
    this.#waitingBytes = 0;
  }

  #open(name, peerConnection) {
    const options = name === "reliable" ? { ordered: true } : { ordered: false, maxRetransmits: 0 };
    const channel = peerConnection.createDataChannel(labels[name], options);
    channel.binaryType = "arraybuffer";
    channel.bufferedAmountLowThreshold = bufferLimit[name] / 2;
    channel.addEventListener("message", (event) => {
      const detail = decode(event.data);
      if (detail && this.#channels[name] === channel) {
        this.dispatchEvent(new CustomEvent("message", { detail: { ...detail, reliable: name === "reliable" } }));
      }
    });
    channel.addEventListener("open", () => this.#drain());
    channel.addEventListener("bufferedamountlow", () => this.#drain());
    channel.addEventListener("close", () => {
      // The server closes the reliable channel of a page that does not read; the connection itself may be fine.
      setTimeout(() => {
        const gone = this.#closed || this.#channels[name] !== channel || this.#peerConnection !== peerConnection;
        if (gone || peerConnection.connectionState === "closed") { return; }
        try { this.#open(name, peerConnection); } catch { /* the connection is over, and another one will be attached */ }
      }, reopenPause);
    });
    this.#channels[name] = channel;
  }

  /** Gives waiting messages to the browser, as many as rate and buffer allow. */
  #drain() {
    clearTimeout(this.#timer);
    const channel = this.#channels.reliable;
    while (this.#waiting.length > 0 && channel?.readyState === "open") {
      const [message] = this.#waiting;
      // `bufferedamountlow` comes back here.
      if (channel.bufferedAmount > 0 && channel.bufferedAmount + message.length > bufferLimit.reliable) { return; }
      if (!this.#take(message.length)) {
        const pause = Math.max(this.#messages.pause(1), this.#bytes.pause(message.length));
        this.#timer = setTimeout(() => this.#drain(), Math.ceil(pause));
        return;
      }
      if (!hand(channel, message)) { return; }
      this.#waiting.shift();
      this.#waitingBytes -= message.length;
    }
  }

  #take(length) {
    if (this.#messages.pause(1) > 0 || this.#bytes.pause(length) > 0) { return false; }
    this.#messages.take(1);
    this.#bytes.take(length);
    return true;
  }
}

/** So many a second on average, so many at once. */
class Bucket {
  #rate;
  #level;
  #last = performance.now();

  constructor(rate) {
    this.#rate = rate;
    this.#level = rate.burst;
  }

  /** Milliseconds until `amount` is available; 0 for now. */
  pause(amount) {
    const now = performance.now();
    this.#level = Math.min(this.#rate.burst, this.#level + (now - this.#last) / 1_000 * this.#rate.perSecond);
    this.#last = now;
    return Math.max(0, (amount - this.#level) / this.#rate.perSecond * 1_000);
  }

  take(amount) { this.#level -= amount; }
}

function hand(channel, message) {
  try { channel.send(message); } catch { return false; }
  return true;
}

/**
 * The bytes of a message's data; text as UTF-8.
 *
 * @param {string|ArrayBuffer|ArrayBufferView} data
 * @returns {Uint8Array}
 */
export function encodeData(data) {
  if (typeof data === "string") { return encoder.encode(data); }
  if (data instanceof ArrayBuffer) { return new Uint8Array(data); }
  if (ArrayBuffer.isView(data)) { return new Uint8Array(data.buffer, data.byteOffset, data.byteLength); }
  throw new ParleyError("badMessage", "Data is a text, an ArrayBuffer or a view of one.");
}

function encode(payload, { topic, to }, limit) {
  if (payload.length > limit) { throw new ParleyError("tooLarge", `A message of this kind has at most ${limit} bytes.`); }
  if (typeof topic !== "string" || encoder.encode(topic).length > dataLimits.topic) {
    throw new ParleyError("badMessage", `A topic is a text of at most ${dataLimits.topic} bytes.`);
  }
  const recipients = to === undefined || to === null ? null : [to].flat().map(String);
  if (recipients && recipients.length > dataLimits.recipients) {
    throw new ParleyError("badMessage", `A message names at most ${dataLimits.recipients} recipients; leave \`to\` out for everybody.`);
  }
  const header = encoder.encode(JSON.stringify({ ...(recipients ? { to: recipients } : {}), topic }));
  if (header.length > maximumHeader) { throw new ParleyError("tooLarge", "The recipients' names are too long."); }
  const message = new Uint8Array(3 + header.length + payload.length);
  message.set([version, header.length >> 8, header.length & 255]);
  message.set(header, 3);
  message.set(payload, 3 + header.length);
  return message;
}

/** Reads a message of the server; null for one that can't be understood. */
function decode(data) {
  if (!(data instanceof ArrayBuffer) || data.byteLength < 3) { return null; }
  const head = new Uint8Array(data, 0, 3);
  const end = 3 + (head[1] << 8 | head[2]);
  if (head[0] !== version || end > data.byteLength) { return null; }
  try {
    const header = JSON.parse(decoder.decode(new Uint8Array(data, 3, end - 3)));
    if (typeof header?.from !== "string") { return null; }
    return { from: header.from, topic: String(header.topic ?? ""), bytes: new Uint8Array(data.slice(end)) };
  } catch { return null; }
}
