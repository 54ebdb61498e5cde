import { audiences } from "../polls.js";
import { base64url, concat, fromBase64url, utf8, ByteReader, ByteWriter } from "./bytes.js";

const { subtle } = globalThis.crypto;
const version = Uint8Array.of(1);
const nonceLength = 12;
const longestText = 1_200;
const mostOptions = 10;
const mostPolls = 1_000;
/** The question in place of one that doesn't open. */
const unreadable = "A poll that this device cannot read.";

/**
 * The polls of an encrypted meeting. Their words are sealed under a key of the link secret, so that late joiners can
 * read them; votes are indices.
 */
export class SealedPolls {
  #key;
  /** The poll of each sealed form, and the sealed form of each poll: they belong together. */
  #polls = new Map();
  #seals = new Map();

  /**
   * @param {import("./link-secret.js").LinkSecret} secret
   * @param {string} meeting by the welcome
   */
  constructor(secret, meeting) {
    this.#key = secret.key("poll", meeting).then((key) => subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]));
    this.#key.catch(() => {});
  }

  /** A meeting that has begun again numbers its polls from 1. */
  rejoin() { this.#seals.clear(); }

  /**
   * A draft as it goes out: numbers in place of the answers.
   *
   * @param {{ question: string, options: string[], multiple: boolean, results: string }} draft
   * @returns {Promise<object>}
   */
  async seal(draft) {
    const { question, options } = draft;
    const content = options.reduce((writer, each) => writer.text(each), new ByteWriter().text(question).number(options.length, 1)).result;
    const iv = globalThis.crypto.getRandomValues(new Uint8Array(nonceLength));
    const sealed = new Uint8Array(await subtle.encrypt(this.#parameters(iv, draft), await this.#key, content));
    return { ...draft, question: base64url(concat(version, iv, sealed)), options: options.map((_, index) => String(index + 1)) };
  }

  /**
   * A poll of the server as people see it: without answers, and `unreadable`, when it doesn't open, is shown as
   * another one, or has a part of an odd type.
   *
   * @param {object} poll
   * @returns {Promise<object>}
   */
  async open(poll) {
    const words = isWellFormed(poll) ? await this.#words(poll) : null;
    if (words === null || words.options.length !== poll.options.length || !this.#belongs(poll.question, poll.id)) {
      return { ...poll, question: unreadable, options: [], unreadable: true };
    }
    return { ...poll, question: words.question, options: poll.options.map((each, index) => ({ ...each, text: words.options[index] })) };
  }

  #parameters(iv, { multiple, results }) {
    return { name: "AES-GCM", iv, additionalData: utf8(`Parley poll 1\0${multiple ? "multiple" : "single"} ${results}`) };
  }

  async #words(poll) {
    const bytes = fromBase64url(poll.question);
    if (bytes === null || bytes.length <= nonceLength || bytes[0] !== version[0]) { return null; }
    try {
      const start = 1 + nonceLength;
      const parameters = this.#parameters(bytes.slice(1, start), poll);
      const reader = new ByteReader(new Uint8Array(await subtle.decrypt(parameters, await this.#key, bytes.slice(start))));
      const question = reader.text(longestText);
      const count = reader.number(1);
      if (count > mostOptions) { return null; }
      const options = Array.from({ length: count }, () => reader.text(longestText));
      reader.finish();
      return { question, options };
    } catch {
      return null;
    }
  }

  #belongs(seal, id) {
    if ((this.#polls.get(seal) ?? id) !== id || (this.#seals.get(id) ?? seal) !== seal) { return false; }
    if (this.#polls.size >= mostPolls) { this.#polls.clear(); }
    this.#polls.set(seal, id);
    this.#seals.set(id, seal);
    return true;
  }
}

/** Whether a poll's parts have their types: a list of one text looks like that text once it is written out. */
function isWellFormed(poll) {
  return typeof poll?.question === "string" && typeof poll.multiple === "boolean" && audiences.includes(poll.results)
    && Array.isArray(poll.options) && poll.options.every((each) => typeof each === "object" && each !== null);
}
