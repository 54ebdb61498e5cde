import { ParleyError } from "/sdk/parley.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

/** How many files the server takes from somebody at the same time. */
const filesAtOnce = 3;
/** How many files may be chosen at once. */
const mostFiles = 30;
/** From this size on a file goes to the disk as it comes, in browsers that can. */
const streamedSize = 256 << 20;

/**
 * The size of a file, for people.
 *
 * @param {number} bytes
 * @returns {string}
 */
export function sizeText(bytes) {
  if (bytes < 1_000) { return `${bytes} bytes`; }
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/**
 * The place on the disk that somebody picks for a large file; null where the browser has no such way, undefined where
 * they changed their mind.
 *
 * @param {{name: string, size: number}} file
 * @returns {Promise<FileSystemWritableFileStream | null | undefined>}
 */
export async function placeFor({ name, size }) {
  if (size < streamedSize || typeof globalThis.showSaveFilePicker !== "function") { return null; }
  try {
    return await (await globalThis.showSaveFilePicker({ suggestedName: name })).createWritable();
  } catch (error) {
    return error.name === "AbortError" ? undefined : null;
  }
}

/**
 * Has the browser save something.
 *
 * @param {Blob} blob
 * @param {string} name
 */
export function save(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = h("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** The files that are being sent, each with its progress. */
export class Uploads {
  element = h("div", { class: "chat-sending" });
  #meeting;
  #receiver;
  #words;
  #onProblems;
  #waiting = [];
  #running = 0;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {object} panel
   * @param {() => string|undefined} panel.receiver the participant that the next files are for; undefined for everybody
   * @param {(error: Error) => string} panel.words the words for a problem
   * @param {(lines: string[]) => void} panel.onProblems
   */
  constructor(meeting, { receiver, words, onProblems }) {
    this.#meeting = meeting;
    this.#receiver = receiver;
    this.#words = words;
    this.#onProblems = onProblems;
  }

  /**
   * Sends files, some at the same time and the others after them. Refusals stay to be read until something else is
   * sent.
   */
  send(files) {
    const problems = files.length > mostFiles ? [`Only the first ${mostFiles} of ${files.length} files are sent.`] : [];
    this.#onProblems(problems);
    const tell = (text) => {
      problems.push(text);
      this.#onProblems(problems);
    };
    for (const file of files.slice(0, mostFiles)) { this.#waiting.push(this.#upload(file, tell)); }
    this.#sendWaiting();
  }

  async #sendWaiting() {
    while (this.#waiting.length > 0 && this.#running < filesAtOnce) {
      this.#running += 1;
      this.#waiting.shift()().finally(() => {
        this.#running -= 1;
        this.#sendWaiting();
      });
    }
  }

  /** Shows that a file is to be sent; returns what sends it. */
  #upload(file, tell) {
    const to = this.#receiver();
    const stop = new AbortController();
    const { signal } = stop;
    const bar = h("progress", { max: 1, value: 0, "aria-label": `Sending ${file.name}` });
    const row = h("div", { class: "chat-upload" }, h("span", { class: "chat-file-name", dir: "auto", text: file.name }), bar,
      h("button", { class: "icon-button small", type: "button", "aria-label": `Do not send ${file.name}`, title: "Do not send", on: { click: () => stop.abort() } }, icon("close")));
    signal.addEventListener("abort", () => row.remove());
    this.element.append(row);
    return async () => {
      try {
        if (signal.aborted) { return; }
        // A folder looks like a file until it is read.
        await file.slice(0, 1).arrayBuffer().catch((cause) => { throw new ParleyError("unreadable", "The file cannot be read.", { cause }); });
        await this.#inPace(() => this.#meeting.chatting.sendFile(file, { to, signal, onProgress: (share) => { bar.value = share; } }));
      } catch (error) {
        if (error.code !== "cancelled") { tell(`${file.name} was not sent. ${this.#words(error)}`); }
      } finally {
        row.remove();
      }
    };
  }

  /** Does something, and again while the server says that it was too fast: after some files it takes one a second. */
  async #inPace(action) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await action();
      } catch (error) {
        if (error.code !== "tooFast" || attempt >= mostFiles) { throw error; }
      }
      await new Promise((go) => { setTimeout(go, 1_100); });
    }
  }
}
