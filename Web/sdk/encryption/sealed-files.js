import { fromBase64url } from "./bytes.js";
import { cleanFileName } from "./file-name.js";

const mostFiles = 2_000;
const largestFile = 2 ** 40;
const unknownType = "application/octet-stream";

/**
 * The file of a message of an encrypted meeting, as people see it.
 *
 * @typedef {object} ChatFile
 * @property {string} id
 * @property {string} name
 * @property {string} type
 * @property {number} size
 */

/**
 * The keys of the files that this client has read of, by the files' ids. A file belongs to one message: the server
 * can't show it under another.
 */
export class SealedFiles {
  #known = new Map();

  /**
   * Remembers the file of a message.
   *
   * @param {{ i: string, n: string, m: string, s: number, k: string }} content of the sealed message
   * @param {string} from its sender
   * @returns {ChatFile | null} null for an impossible one, and for one that another message has
   */
  add(content, from) {
    const { i: id, n: name, m: type, s: size, k: text } = content ?? {};
    const key = typeof text === "string" ? fromBase64url(text) : null;
    if (typeof id !== "string" || id === "" || typeof name !== "string" || typeof type !== "string" || key?.length !== 32) { return null; }
    if (!Number.isSafeInteger(size) || size <= 0 || size > largestFile) { return null; }
    const known = this.#known.get(id);
    if (known) { return known.from === from && known.text === text && known.file.size === size ? known.file : null; }
    if (this.#known.size >= mostFiles) { this.#known.delete(this.#known.keys().next().value); }
    const file = { id, name: cleanFileName(name), type: /^[\x21-\x7e]{1,100}$/.test(type) ? type : unknownType, size };
    this.#known.set(id, { file, from, text, key });
    return file;
  }

  /** The key and the size of a file; null for one whose message wasn't read. @param {string} id */
  get(id) {
    const known = this.#known.get(id);
    return known ? { key: known.key, size: known.file.size } : null;
  }
}
