import { h } from "./dom.js";
import { icon } from "./icons.js";

/** Short messages: spoken by screen readers, and shown for a few seconds where that helps. */
export class Announcer {
  #polite = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  #urgent = h("div", { class: "visually-hidden", role: "alert", "aria-live": "assertive" });
  #toasts = h("div", { class: "toasts", "aria-hidden": "true" });

  /** Puts it into the page. @param {HTMLElement} parent */
  attach(parent) { parent.append(this.#polite, this.#urgent, this.#toasts); }

  /** The container of the toasts; they move into it when the page's layout changes. @type {HTMLElement} */
  get element() { return this.#toasts; }

  /**
   * Says something to screen readers only.
   *
   * @param {string} text
   * @param {{urgent?: boolean}} [options]
   */
  say(text, options = {}) {
    const region = options.urgent ? this.#urgent : this.#polite;
    const line = h("p", { text });
    region.append(line);
    setTimeout(() => line.remove(), 4_000);
  }

  /**
   * Says something and shows it.
   *
   * @param {string} text
   * @param {{icon?: string, urgent?: boolean, time?: number, topic?: string, onClick?: () => void}} [options] `topic`
   *   is for `clear`
   */
  show(text, options = {}) {
    this.say(text, options);
    const toast = h(options.onClick ? "button" : "div", { class: `toast${options.urgent ? " toast-urgent" : ""}`, tabIndex: -1 },
      options.icon ? icon(options.icon) : null, h("span", { text }));
    toast.dataset.topic = options.topic ?? "";
    if (options.onClick) {
      toast.type = "button";
      toast.addEventListener("click", () => { toast.remove(); options.onClick(); });
    }
    this.#toasts.append(toast);
    while (this.#toasts.children.length > 3) { this.#toasts.firstChild.remove(); }
    setTimeout(() => toast.remove(), options.time ?? (options.urgent ? 7_000 : 4_000));
  }

  /** Takes away what is shown about something: it is over, or seen elsewhere. @param {string} topic */
  clear(topic) {
    for (const toast of [...this.#toasts.children]) { if (toast.dataset.topic === topic) { toast.remove(); } }
  }
}
