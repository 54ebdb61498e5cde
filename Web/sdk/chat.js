import { FileOpener, newFileKey, sealFile } from "./encryption/file-sealing.js";
import { ParleyError } from "./errors.js";
import { chatProblem } from "./text.js";

/** How often a word about typing is repeated, so that it does not end at the others. */
const typingInterval = 2_500;
/** After how long without a key nobody types any more. */
const typingPause = 5_000;

/**
 * The chat of one meeting beyond writing: `meeting.chatting`. Messages themselves are `meeting.chat` and
 * `meeting.sendChat`.
 *
 * Methods that ask the server return promises, which reject with a `ParleyError` that carries the server's code.
 */
export class Chatting {
  #meeting;
  #ask;
  #typing = new Map();
  #own = { active: false, to: null, said: 0, timer: null };

  /**
   * @param {import("./meeting.js").Meeting} meeting
   * @param {(message: object) => Promise<void>} ask sends a request in its turn and waits until it is done
   */
  constructor(meeting, ask) {
    this.#meeting = meeting;
    this.#ask = ask;
  }

  /** The most bytes of a file, 0 if the meeting accepts none. @type {number} */
  get fileLimit() { return Number(this.#meeting.info?.chat?.fileLimit ?? 0); }

  /**
   * Why a text is too long for a message here, as a sentence; null when it is not.
   *
   * @param {string} text
   * @returns {string|null}
   */
  problem(text) { return chatProblem(text, this.#meeting.encrypted); }

  /** Whether this client may write. @type {boolean} */
  get mayWrite() { return this.#meeting.localParticipant.permissions.includes("chat"); }

  /** Everybody who types now. @type {import("./participant.js").Participant[]} */
  get typing() { return [...this.#typing.keys()].map((id) => this.#meeting.participant(id)).filter(Boolean); }

  /** Gives an own message another text. @param {{id: number}} message @param {string} text @returns {Promise<void>} */
  edit(message, text) { return this.#ask({ type: "editChat", message: message.id, text }); }

  /**
   * Takes a message away: an own one, or as a host any that everybody sees.
   *
   * @param {{id: number}} message
   * @returns {Promise<void>}
   */
  remove(message) { return this.#ask({ type: "deleteChat", message: message.id }); }

  /**
   * Reports to the others that the person types. Call it with each key; it sends no more than necessary, and ends by
   * itself.
   *
   * @param {boolean} active
   * @param {string|null} [to] the one whom the message will be for
   */
  setTyping(active, to = null) {
    const own = this.#own;
    clearTimeout(own.timer);
    const now = performance.now();
    if (active) { own.timer = setTimeout(() => this.setTyping(false, own.to), typingPause); }
    if (active === own.active && to === own.to && (!active || now - own.said < typingInterval)) { return; }
    if (!active && !own.active) { return; }
    Object.assign(own, { active, to, said: now });
    this.#meeting._send({ type: "typing", active, ...(to ? { to } : {}) });
  }

  /**
   * Sends a file. It comes back as a message with a `file`. In encrypted meetings it is sealed before it leaves.
   *
   * @param {File|Blob} file
   * @param {{name?: string, to?: string, onProgress?: (share: number) => void, signal?: AbortSignal}} [options]
   * @returns {Promise<object>} the message
   */
  async sendFile(file, { name = file.name ?? "file", to, onProgress, signal } = {}) {
    if (file.size > this.fileLimit) { throw new ParleyError("fileTooLarge", this.fileLimit === 0 ? "This meeting takes no files." : "The file is too large."); }
    if (file.size === 0) { throw new ParleyError("emptyFile", "The file is empty."); }
    const options = { to, onProgress, signal };
    if (this.#meeting.encrypted) { return this.#sendSealed(file, name, options); }
    const { message } = await this.#upload(file, { "Parley-File-Name": encodeURIComponent(name.slice(-300).toWellFormed?.() ?? name.slice(-300)) }, options);
    return message;
  }

  /** The message follows the upload, since a key may end during it. */
  async #sendSealed(file, name, options) {
    const encryption = this.#meeting._encryption;
    const key = newFileKey();
    const content = await sealFile(file, key, options).catch((cause) => {
      throw cause instanceof ParleyError ? cause : new ParleyError("unreadable", "The file cannot be read.", { cause });
    });
    const { file: held } = await this.#upload(content, {}, options);
    const text = await encryption.sealFileMessage(String(held?.id), file, name, key);
    const body = JSON.stringify({ text });
    const response = await this.#request(`files/${encodeURIComponent(held?.id)}`, { method: "POST", headers: { "Content-Type": "application/json" }, body });
    const { message } = await response.json();
    return encryption._openChat(message, { waits: false });
  }

  /** Sends the bytes of a file. @returns {Promise<object>} the server's answer */
  #upload(content, headers, { to, onProgress, signal }) {
    return new Promise((resolve, reject) => {
      const cancelled = () => reject(new ParleyError("cancelled", "The file was not sent."));
      if (signal?.aborted) { cancelled(); return; }
      // `fetch` doesn't report the progress of an upload.
      const request = new XMLHttpRequest();
      request.open("POST", this.#address("files"));
      request.responseType = "json";
      const all = { Authorization: `Bearer ${this.#credential()}`, "Content-Type": "application/octet-stream", ...headers, ...(to ? { "Parley-File-To": to } : {}) };
      for (const [name, value] of Object.entries(all)) { request.setRequestHeader(name, value); }
      request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) { onProgress?.(event.loaded / event.total); } });
      request.addEventListener("load", () => {
        if (request.status === 201 && request.response) { resolve(request.response); } else { reject(failure(request.response, request.status)); }
      });
      request.addEventListener("error", () => reject(new ParleyError("unreachable", "The file could not be sent: the connection was lost.")));
      request.addEventListener("abort", cancelled);
      signal?.addEventListener("abort", () => request.abort(), { once: true });
      request.send(content);
    });
  }

  /**
   * Fetches the file of a message.
   *
   * @param {{id: string, type: string, size: number}} file
   * @param {{onProgress?: (share: number) => void, writable?: WritableStream<Blob | Uint8Array>}} [options] `writable`
   *   takes the content as it comes, such as the stream of a file on the disk. It is closed at the end, or aborted when
   *   something is wrong with the content
   * @returns {Promise<Blob | null>} of the file's own type if it is an image, otherwise of one that no browser runs;
   *   null with a `writable`
   * @throws {ParleyError} `downloadTooLarge` above 2 GiB without a `writable`; in encrypted meetings `damagedFile` for
   *   one that was changed or cut, and `encrypted` for one whose message this client couldn't read
   */
  async fetchFile(file, { onProgress, writable } = {}) {
    try {
      return await this.#fetchFile(file, onProgress, writable ?? null);
    } catch (error) {
      await writable?.abort(error).catch(() => {});
      throw error;
    }
  }

  async #fetchFile(file, onProgress, writable) {
    if (writable === null && file.size > largestBlob) {
      throw new ParleyError("downloadTooLarge", "This browser can save files of up to 2 GB from here. Open the meeting in Chrome or Edge on a computer to save this one.");
    }
    const secret = this.#meeting.encrypted ? this.#meeting._encryption.fileSecret(file.id) : null;
    if (this.#meeting.encrypted && secret === null) { throw new ParleyError("encrypted", "This device does not have the key of the file."); }
    const response = await this.#request(`files/${encodeURIComponent(file.id)}`);
    const content = await readFile(response, file.size, secret, onProgress, writable);
    if (content === null) { return null; }
    return new Blob(content, { type: isPicture(file) ? file.type : "application/octet-stream" });
  }

  /**
   * Exports the public part of the chat. Hosts only. That of an encrypted meeting is what this client has read.
   *
   * @param {"text"|"json"} [format]
   * @returns {Promise<Blob>}
   */
  async export(format = "text") { return this.#meeting.encrypted ? this.#ownExport(format) : (await this.#request(`export?format=${format}`)).blob(); }

  #ownExport(format) {
    const messages = this.#meeting.chat.filter(({ to, deleted, unreadable }) => to === null && !deleted && !unreadable);
    if (format === "json") { return new Blob([JSON.stringify({ messages }, null, 2)], { type: "application/json" }); }
    return new Blob(messages.map(({ time, name, text }) => `[${time}] ${name}: ${text}\n`), { type: "text/plain" });
  }

  async #request(path, { headers = {}, ...options } = {}) {
    let response;
    try {
      response = await fetch(this.#address(path), { ...options, headers: { ...headers, Authorization: `Bearer ${this.#credential()}` }, credentials: "omit", cache: "no-store" });
    } catch (cause) {
      throw new ParleyError("unreachable", "The server does not answer.", { cause });
    }
    if (!response.ok) { throw failure(await response.json().catch(() => null), response.status); }
    return response;
  }

  #address(path) {
    const url = new URL(this.#meeting.signaling.url, globalThis.location?.href);
    return `${url.protocol === "wss:" ? "https:" : "http:"}//${url.host}/api/chat/${path}`;
  }

  #credential() {
    const token = this.#meeting.signaling?._resumeToken;
    if (!token) { throw new ParleyError("notJoined", "Join the meeting first."); }
    return token;
  }

  /** Applies a `typing` message. @param {object} message @returns {boolean} false for a message about something else */
  _apply(message) {
    if (message.type !== "typing") { return false; }
    this.#applyTyping(message);
    return true;
  }

  #applyTyping({ participant: id, active, to }) {
    clearTimeout(this.#typing.get(id));
    const before = this.#typing.delete(id);
    // Should the word that it has ended be lost with the connection.
    if (active === true) { this.#typing.set(id, setTimeout(() => this._stopped(id), 15_000)); }
    if (!before && active !== true) { return; }
    const participant = this.#meeting.participant(id) ?? null;
    this.#meeting._emit("typing", { participant, active: active === true, private: typeof to === "string" });
  }

  /** Somebody types no more: they left, or the connection was lost. */
  _stopped(id) { if (this.#typing.has(id)) { this.#applyTyping({ participant: id, active: false }); } }

  /** Nobody types any more: the connection is gone. */
  _lost() {
    for (const id of [...this.#typing.keys()]) { this._stopped(id); }
    clearTimeout(this.#own.timer);
    this.#own.active = false;
  }
}

/** Whether a file is an image that browsers show without running anything. @param {{type: string}} file */
export function isPicture(file) { return ["image/png", "image/jpeg", "image/gif", "image/webp"].includes(file?.type); }

function failure(value, status) {
  return new ParleyError(String(value?.code ?? "internal"), String(value?.Error ?? `The server answered with status ${status}.`), { status });
}

/** Bytes that are held as they came before they go into a blob, which browsers keep out of memory. */
const blobSize = 4 << 20;

/** The most bytes of a file that are collected in a page. */
const largestBlob = 2 ** 31;

/**
 * Reads a file as it comes, and opens it on the way where it is sealed.
 *
 * @returns {Promise<(Blob | Uint8Array)[] | null>} null where it went into `writable`
 */
async function readFile(response, size, secret, onProgress, writable) {
  const writer = writable?.getWriter() ?? null;
  try {
    return await readInto(response, size, secret, onProgress, writer);
  } finally {
    writer?.releaseLock();
  }
}

async function readInto(response, size, secret, onProgress, writer) {
  const opener = secret && new FileOpener(secret.key, secret.size);
  const content = [];
  let [parts, held, count] = [[], 0, 0];
  const reader = response.body.getReader();
  for (;;) {
    let piece;
    try {
      piece = await reader.read();
    } catch (cause) {
      throw new ParleyError("unreachable", "The connection was lost. Try again.", { cause });
    }
    if (piece.done) { break; }
    parts.push(...(opener ? await open(opener, piece.value, reader) : [piece.value]));
    [held, count] = [held + piece.value.length, count + piece.value.length];
    if (held >= blobSize) {
      const blob = new Blob(parts);
      if (writer) { await writer.write(blob); } else { content.push(blob); }
      [parts, held] = [[], 0];
    }
    onProgress?.(opener ? opener.share : size > 0 ? Math.min(1, count / size) : 1);
  }
  opener?.finish();
  if (!writer) { return [...content, ...parts]; }
  await writer.write(new Blob(parts));
  await writer.close();
  return null;
}

/** The rest of a damaged file need not come. */
async function open(opener, bytes, reader) {
  try {
    return await opener.open(bytes);
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  }
}
