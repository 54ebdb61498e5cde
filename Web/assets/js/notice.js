import { h, setAttribute, setText } from "./dom.js";
import { icon, mark } from "./icons.js";

/** The frame of a page with a message. */
export function frame(...children) {
  return h("div", { class: "notice-frame" },
    h("header", { class: "page-head" }, h("a", { class: "brand", href: "/" }, mark(), h("span", { text: "Parley" }))),
    h("main", { class: "notice-page" }, ...children));
}

/** A page with a message and a way on: why one is not in, or that it is over. */
export class NoticePage {
  #notice;
  #status = h("p", { class: "notice-status", role: "status" });
  #again = null;

  /**
   * @param {import("./messages.js").Notice} notice
   * @param {{meeting?: string|null, action?: string, onAgain: () => void}} options `meeting` is its title, where there
   *   is one; `action` names what `onAgain` does
   */
  constructor(notice, options) {
    this.#notice = notice;
    const { retry, signIn } = notice;
    if (retry) {
      this.#again = h("button", { class: "button primary large", type: "button", on: { click: () => { if (!this.#isBusy) { options.onAgain(); } } } },
        h("span", { text: options.action ?? "Try again" }));
    }
    this.element = frame(h("div", { class: "notice" },
      h("div", { class: "notice-sign" }, icon(notice.icon ?? "warning")),
      options.meeting ? h("p", { class: "eyebrow", dir: "auto", text: options.meeting }) : null,
      h("h1", { tabIndex: -1, text: notice.title }),
      h("p", { text: notice.text }),
      retry ? this.#status : null,
      h("div", { class: "notice-actions" },
        this.#again,
        signIn ? h("a", { class: "button large primary", href: signIn, text: "Sign in" }) : null,
        h("a", { class: `button large${retry || signIn ? "" : " primary"}`, href: "/", text: "Start page" }))));
  }

  get #isBusy() { return this.#again?.getAttribute("aria-disabled") === "true"; }

  /** Whether it says the same as another notice. @param {import("./messages.js").Notice} notice */
  says(notice) { return notice.title === this.#notice.title && notice.text === this.#notice.text; }

  /** It is tried again. The button keeps the focus, and takes no further click until the answer. */
  trying() {
    setAttribute(this.#again, "aria-disabled", "true");
    this.#again.prepend(h("span", { class: "spinner", "aria-hidden": "true" }));
    setText(this.#status, "Trying again…");
  }

  /** It was in vain: the same holds still. */
  inVain() {
    setAttribute(this.#again, "aria-disabled", null);
    this.#again.querySelector(".spinner")?.remove();
    const time = new Date().toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    setText(this.#status, `${this.#notice.still ?? "Nothing has changed"} at ${time}.`);
  }
}
