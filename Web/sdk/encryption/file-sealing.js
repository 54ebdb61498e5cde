import { ParleyError } from "../errors.js";
import { concat, utf8, ByteWriter } from "./bytes.js";

const { subtle } = globalThis.crypto;
const chunkLength = 65_536;
const tagLength = 16;
const keyLength = 32;

/** A key for one file. @returns {Uint8Array} */
export const newFileKey = () => globalThis.crypto.getRandomValues(new Uint8Array(keyLength));

/** The length of the sealed form of so many bytes. @param {number} size @returns {number} */
export const sealedLength = (size) => size + Math.ceil(size / chunkLength) * tagLength;

/** The error of a file that doesn't open. */
export const damaged = () => new ParleyError("damagedFile", "The file was damaged or changed on its way, so nothing of it is saved. Ask for it again.");

function parameters(size, number, isLast) {
  return {
    name: "AES-GCM", iv: new ByteWriter().number(isLast ? 1 : 0, 4).number(number, 8).result,
    additionalData: new ByteWriter().bytes(utf8("Parley file 1\0")).number(size, 8).result,
  };
}

const importKey = (key, use) => subtle.importKey("raw", key, "AES-GCM", false, [use]);

/**
 * The sealed form of a file: chunks of 64 KiB under AES-256-GCM. The nonce of a chunk is its number and whether it is
 * the last one, and each tag covers the file's size, so chunks that are left out, moved or cut don't open.
 *
 * @param {Blob} file
 * @param {Uint8Array} key
 * @param {{ signal?: AbortSignal }} [options]
 * @returns {Promise<Blob>}
 */
export async function sealFile(file, key, { signal } = {}) {
  const imported = await importKey(key, "encrypt");
  const chunks = [];
  for (let start = 0, number = 0; start < file.size; start += chunkLength, number += 1) {
    if (signal?.aborted) { throw new ParleyError("cancelled", "The file was not sent."); }
    const end = Math.min(start + chunkLength, file.size);
    const content = await file.slice(start, end).arrayBuffer();
    chunks.push(await subtle.encrypt(parameters(file.size, number, end === file.size), imported, content));
  }
  return new Blob(chunks, { type: "application/octet-stream" });
}

/** Opens a file as it comes. Nothing that isn't authentic is given out. */
export class FileOpener {
  #key;
  #size;
  #remaining;
  #number = 0;
  #pending = new Uint8Array(0);

  /**
   * @param {Uint8Array} key
   * @param {number} size of the content, by the sealed message about the file
   */
  constructor(key, size) {
    this.#key = importKey(key, "decrypt");
    this.#key.catch(() => {});
    this.#size = this.#remaining = size;
  }

  /** The share of the file that is open. @type {number} */
  get share() { return 1 - this.#remaining / this.#size; }

  /**
   * Takes the next bytes, however they are cut.
   *
   * @param {Uint8Array} bytes
   * @returns {Promise<Uint8Array[]>} the content of the chunks that are whole
   * @throws {ParleyError} `damagedFile`
   */
  async open(bytes) {
    this.#pending = concat(this.#pending, bytes);
    const opened = [];
    let start = 0;
    while (this.#remaining > 0) {
      const length = Math.min(this.#remaining, chunkLength);
      const end = start + length + tagLength;
      if (end > this.#pending.length) { break; }
      opened.push(await this.#openChunk(this.#pending.subarray(start, end), length === this.#remaining));
      this.#remaining -= length;
      this.#number += 1;
      start = end;
    }
    this.#pending = this.#pending.slice(start);
    if (this.#remaining === 0 && this.#pending.length > 0) { throw damaged(); }
    return opened;
  }

  /** The end has come. @throws {ParleyError} `damagedFile` where something is lacking */
  finish() { if (this.#remaining > 0) { throw damaged(); } }

  async #openChunk(sealed, isLast) {
    try {
      return new Uint8Array(await subtle.decrypt(parameters(this.#size, this.#number, isLast), await this.#key, sealed));
    } catch {
      throw damaged();
    }
  }
}

/** Types by the first bytes; every other file is only ever saved. @param {Blob} file @returns {Promise<string>} */
export async function imageType(file) {
  const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const begins = (text, at = 0) => [...text].every((letter, index) => head[at + index] === letter.charCodeAt(0));
  if (begins("\x89PNG\r\n\x1a\n")) { return "image/png"; }
  if (begins("\xff\xd8\xff")) { return "image/jpeg"; }
  if (begins("GIF87a") || begins("GIF89a")) { return "image/gif"; }
  return begins("RIFF") && begins("WEBP", 8) ? "image/webp" : "application/octet-stream";
}
