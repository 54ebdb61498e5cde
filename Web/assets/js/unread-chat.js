import { shortened } from "/sdk/text.js";
import { authorName } from "./chat.js";
import { h, setAttribute } from "./dom.js";

/** The messages that came while the chat was not shown: their number on its button, and a notice of each. */
export class UnreadChat {
  #meeting;
  #announcer;
  #button;
  #onOpen;
  #count = 0;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   * @param {HTMLButtonElement} button
   * @param {() => void} onOpen called when somebody opens the chat from a notice
   */
  constructor(meeting, announcer, button, onOpen) {
    this.#meeting = meeting;
    this.#announcer = announcer;
    this.#button = button;
    this.#onOpen = onOpen;
  }

  /**
   * A message of somebody else came.
   *
   * @param {object} message
   * @param {boolean} isShown whether the chat is open
   */
  add(message, isShown) {
    const text = message.unreadable ? "sends a message that this device cannot read" : message.file ? `sends ${message.file.name}` : shortened(message.text, 90, "…");
    if (isShown) {
      if (!message.deleted) { this.#announcer.say(`${authorName(this.#meeting, message)}: ${text}`); }
      return;
    }
    this.#count += 1;
    this.#refresh();
    if (message.deleted) { return; }
    this.#announcer.show(`${authorName(this.#meeting, message)}: ${text}`, { icon: "chat", time: 6_000, topic: "chat", onClick: () => this.#onOpen() });
  }

  /** Everything is read. */
  clear() {
    this.#announcer.clear("chat");
    this.#count = 0;
    this.#refresh();
  }

  #refresh() {
    this.#button.querySelector(".badge")?.remove();
    if (this.#count > 0) { this.#button.append(h("span", { class: "badge", "aria-hidden": "true", text: this.#count > 99 ? "99+" : String(this.#count) })); }
    setAttribute(this.#button, "aria-label", this.#count > 0 ? `Chat, ${this.#count} unread` : "Chat");
  }
}
