const deletions = Object.freeze(["author", "host"]);

/**
 * The form of a message that somebody has taken away: without text and file. Null for any other message.
 *
 * @param {object} message
 * @returns {object | null}
 */
export function deletedForm(message) {
  if (!deletions.includes(message?.deleted)) { return null; }
  const { file, ...rest } = message;
  return { ...rest, text: "" };
}

/**
 * The messages of the chat in their order, with later edits and deletions. It does no I/O: messages go in through
 * `apply` and `applyHistory`, and events come out through `emit`.
 */
export class ChatMessages {
  #emit;

  /** The messages, by rising number. @type {object[]} */
  all = [];

  /** @param {(type: string, detail: object) => void} emit */
  constructor(emit) { this.#emit = emit; }

  /**
   * Applies a message about the chat.
   *
   * @param {object} message
   * @returns {boolean} false for a message about something else
   */
  apply(message) {
    switch (message.type) {
      case "chat": this.#add(message.message, false); return true;
      case "chatChanged": this.#change(message.message); return true;
      default: return false;
    }
  }

  /** Applies the history of a `welcome` or `resumed`. @param {object[]} entries */
  applyHistory(entries) {
    for (const each of Array.isArray(entries) ? entries : []) { this.#add(each, true); }
  }

  #add(value, history) {
    const message = entry(value);
    if (!message) { return; }
    if (this.all.some((each) => each.id === message.id)) {
      // It may have changed while the signalling was down.
      if (history) { this.#change(message); }
      return;
    }
    // An answer that the server repeats after a loss may be older than the history's first message.
    this.all.splice(this.all.findLastIndex((each) => each.id < message.id) + 1, 0, message);
    this.#emit("chat", { message, history });
  }

  #change(value) {
    const changed = entry(value);
    const known = this.all.find((each) => each.id === changed?.id);
    if (!known) { return; }
    const isSame = (key) => (known[key] ?? null) === (changed[key] ?? null);
    if (["text", "deleted", "unreadable"].every(isSame)) { return; }
    known.text = changed.text;
    for (const key of ["edited", "deleted", "file", "unreadable"]) {
      if (changed[key] === undefined) { delete known[key]; } else { known[key] = changed[key]; }
    }
    this.#emit("chatChanged", { message: known });
  }
}

/** A message with the optional parts that make sense; null without the parts that every message has. */
function entry(value) {
  if (!Number.isInteger(value?.id) || typeof value.from !== "string" || typeof value.text !== "string") { return null; }
  const message = { ...deletedForm(value) ?? value, to: typeof value.to === "string" ? value.to : null };
  if (typeof message.edited !== "string") { delete message.edited; }
  if (!deletions.includes(message.deleted)) { delete message.deleted; }
  if (typeof message.file?.id !== "string") { delete message.file; }
  return message;
}
