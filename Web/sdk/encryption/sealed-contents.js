import { deletedForm } from "../chat-messages.js";
import { base64url } from "./bytes.js";
import { cleanFileName } from "./file-name.js";
import { imageType } from "./file-sealing.js";
import { SealedFiles } from "./sealed-files.js";
import { SealedPolls } from "./sealed-polls.js";
import { SealedTexts } from "./sealed-texts.js";

/** Opens and seals the contents of an encrypted meeting: chat, signals, files and polls. */
export class SealedContents {
  #texts;
  #files = new SealedFiles();
  #polls = null;

  /**
   * @param {(method: string, argument: unknown) => Promise<Uint8Array | null>} call of the present session in the
   *   worker
   */
  constructor(call) { this.#texts = new SealedTexts(call); }

  /** @type {SealedTexts} */
  get texts() { return this.#texts; }

  /**
   * The server has let this client in.
   *
   * @param {import("./link-secret.js").LinkSecret} secret
   * @param {string} room by the welcome
   */
  begin(secret, room) { this.#polls ??= new SealedPolls(secret, room); }

  /** A new connection begins. */
  rejoin() { this.#polls?.rejoin(); }

  // MARK: Chat

  /**
   * The plain form of a chat message: without its text, and `unreadable`, where this client can't read it.
   *
   * @param {object} message
   * @param {{ waits?: boolean }} [options] whether it waits for keys that are on their way
   * @returns {Promise<object>}
   */
  async openChat(message, { waits = true } = {}) {
    if (typeof message?.text !== "string") { return message; }
    return deletedForm(message) ?? this.#readable(message, await this.#texts.openChat(message, { waits }));
  }

  /** As `openChat` for messages of before, from memory. @param {object} message @returns {object} */
  recallChat(message) {
    if (typeof message?.text !== "string") { return message; }
    return deletedForm(message) ?? this.#readable(message, this.#texts.recallChat(message) ?? null);
  }

  /** The server's name and type of a file are nobody's words, so they are left out. */
  #readable(message, content) {
    const { file: stored, ...rest } = message;
    if (content === null) { return { ...rest, text: "", unreadable: true }; }
    if (content.file === undefined) { return { ...rest, text: content.text }; }
    const file = this.#files.add(content.file, message.from);
    if (file === null) { return { ...rest, text: "", unreadable: true }; }
    // A file that the server has taken away leaves its name.
    return file.id === stored?.id ? { ...rest, text: file.name, file } : { ...rest, text: file.name };
  }

  // MARK: Files

  /** The key and the size of a file that this client has read of, or null. @param {string} id */
  fileSecret(id) { return this.#files.get(id); }

  /**
   * The sealed message about a file that the server has, with the file as people see it.
   *
   * @param {string} id the server's
   * @param {Blob} file
   * @param {string} name
   * @param {Uint8Array} key
   * @param {string} from this client
   * @returns {Promise<string>}
   */
  async sealFileMessage(id, file, name, key, from) {
    const content = { i: id, n: cleanFileName(name), m: await imageType(file), s: file.size, k: base64url(key) };
    return this.#texts.sealFile(content, from);
  }

  // MARK: Polls

  /** A draft of a poll as it goes out. @param {object} draft @returns {Promise<object>} */
  sealPoll(draft) { return this.#polls.seal(draft); }

  /**
   * A poll of the server as people see it; null for one before the welcome.
   *
   * @param {object} poll
   * @returns {Promise<object | null>}
   */
  async openPoll(poll) { return this.#polls === null ? null : this.#polls.open(poll); }

  /** The same of all polls of a room's state. @param {object} state @returns {Promise<object>} */
  async openState(state) {
    if (!Array.isArray(state?.polls)) { return state; }
    return { ...state, polls: await Promise.all(state.polls.map((each) => this.openPoll(each))) };
  }

  // MARK: Sending

  /**
   * The form in which a message of the send queue goes out; null when it goes as it is.
   *
   * @param {object} message
   * @param {string} from this client
   * @returns {Promise<object> | null}
   */
  seal(message, from) {
    switch (message.type) {
      case "chat": case "editChat": return this.#texts.sealChat(message.text, from).then((text) => ({ ...message, text }));
      case "signal": return this.#texts.sealSignal(message.signal, message.data ?? "", from).then((data) => ({ ...message, data }));
      default: return null;
    }
  }
}
