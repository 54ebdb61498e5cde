import { base64url, concat, fromBase64url, utf8 } from "./bytes.js";

const decoder = new TextDecoder("utf-8", { fatal: true });
/** Sealed texts whose plain form is kept: a history repeats them, and a seal opens once. */
const remembered = 5_000;
/** Data begins with a byte that no chat message and no signal begins with. */
const dataMark = Uint8Array.of(0);

/**
 * Chat messages, signals and data messages of an encrypted meeting: `{"t": text}`, `{"f": file}`, `{"s": type, "d":
 * data}`, and data behind a byte of zero. Each kind has a form of its own, so that the server can show none as another.
 *
 * @typedef {{ text: string } | { file: object }} ChatContent
 */
export class SealedTexts {
  #call;
  #known = new Map();

  /**
   * @param {(method: string, argument: unknown) => Promise<Uint8Array | null>} call of the present session in the
   *   worker
   */
  constructor(call) { this.#call = call; }

  /**
   * The sealed form of a chat message, for its `text`.
   *
   * @param {string} text
   * @param {string} from this client
   * @returns {Promise<string>}
   */
  sealChat(text, from) { return this.#sealContent({ t: text }, { text }, from); }

  /**
   * The sealed form of the message about a file.
   *
   * @param {{ i: string, n: string, m: string, s: number, k: string }} file its id, name, type, size and key
   * @param {string} from this client
   * @returns {Promise<string>}
   */
  sealFile(file, from) { return this.#sealContent({ f: file }, { file }, from); }

  async #sealContent(form, content, from) {
    const sealed = await this.#seal(form);
    this.#remember(sealed, { from, content, message: null });
    return sealed;
  }

  /**
   * The sealed form of a signal, for its `data`. Its type stays readable, and is sealed with it.
   *
   * @param {string} type
   * @param {string} data
   * @param {string} from this client
   * @returns {Promise<string>}
   */
  async sealSignal(type, data, from) {
    const sealed = await this.#seal({ s: type, d: data });
    this.#remember(sealed, { from, type, data });
    return sealed;
  }

  /**
   * The content of a chat message; null for one that this client can't read.
   *
   * @param {{ id: number, from: string, text: string }} message
   * @param {{ waits?: boolean }} [options] whether a key that may be on its way is waited for
   * @returns {Promise<ChatContent | null>}
   */
  async openChat(message, { waits = true } = {}) {
    const known = this.recallChat(message);
    if (known !== undefined) { return known; }
    const { id, from, text: sealed } = message;
    const content = contentOf(await this.#open(from, sealed, waits));
    if (content !== null) { this.#remember(sealed, { from, content, message: id }); }
    return content;
  }

  /** As `openChat`, from memory; undefined for what isn't there. A seal is for one message. */
  recallChat({ id, from, text: sealed }) {
    const known = this.#known.get(sealed);
    if (known === undefined) { return undefined; }
    if (known.from !== from || known.content === undefined) { return null; }
    known.message ??= id;
    return known.message === id ? known.content : null;
  }

  /**
   * The data of a signal; null for one that this client can't read, or that has come before.
   *
   * @param {string} from
   * @param {string} type
   * @param {string} sealed
   * @returns {Promise<string | null>}
   */
  async openSignal(from, type, sealed) {
    const own = this.#known.get(sealed);
    // It comes once: the server must not be able to repeat it.
    if (own?.type !== undefined) { this.#known.delete(sealed); }
    const content = own === undefined ? await this.#open(from, sealed, true) : own.from === from ? { s: own.type, d: own.data } : null;
    return content?.s === type && typeof content.d === "string" ? content.d : null;
  }

  /** @param {Uint8Array} bytes @returns {Promise<Uint8Array>} */
  sealData(bytes) { return this.#call("seal", concat(dataMark, bytes)); }

  /** @param {string} from @param {Uint8Array} bytes @returns {Promise<Uint8Array | null>} */
  async openData(from, bytes) {
    const plain = await this.#call("open", { from, bytes, waits: true }).catch(() => null);
    return plain?.[0] === dataMark[0] ? plain.slice(1) : null;
  }

  async #seal(content) { return base64url(await this.#call("seal", utf8(JSON.stringify(content)))); }

  async #open(from, sealed, waits) {
    const bytes = fromBase64url(sealed);
    if (bytes === null) { return null; }
    try {
      const plain = await this.#call("open", { from, bytes, waits });
      return plain && JSON.parse(decoder.decode(plain));
    } catch {
      return null;
    }
  }

  #remember(sealed, value) {
    if (this.#known.size >= remembered) { this.#known.delete(this.#known.keys().next().value); }
    this.#known.set(sealed, value);
  }
}

/** A form of exactly one kind. */
function contentOf(form) {
  const { t: text, f: file } = form ?? {};
  if (typeof text === "string" && file === undefined) { return { text }; }
  return text === undefined && typeof file === "object" && file !== null ? { file } : null;
}
