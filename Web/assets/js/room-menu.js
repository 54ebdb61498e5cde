import { h, setAttribute } from "./dom.js";
import { icon } from "./icons.js";

/** The menu behind a room's button "More". */
export class RoomMenu {
  #button;
  #entries;
  #open = null;

  /**
   * @param {HTMLButtonElement} button
   * @param {() => ({icon: string, text: string, action: () => void, className: string}|null)[]} entries the entries as
   *   they are when it opens
   */
  constructor(button, entries) {
    this.#button = button;
    this.#entries = entries;
  }

  /** Whether it is open. */
  get isOpen() { return this.#open !== null; }

  /** Opens it, or closes it. */
  toggle() {
    if (this.#open) { this.close(); return; }
    const menu = h("div", { class: "menu", role: "menu", "aria-label": "More" }, ...this.#entries().map((entry) => entry && h("button", {
      class: `menu-item ${entry.className}`, type: "button", role: "menuitem", on: { click: () => { this.close(); entry.action(); } },
    }, icon(entry.icon), h("span", { text: entry.text }))));
    menu.addEventListener("keydown", (event) => {
      const items = [...menu.querySelectorAll(".menu-item")].filter((item) => item.offsetParent !== null);
      const index = items.indexOf(document.activeElement);
      const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
      if (to !== undefined) {
        event.preventDefault();
        items[(to + items.length) % items.length].focus();
      } else if (event.key === "Tab") { this.close(); }
    });
    this.#open = { menu, outside: (event) => { if (!menu.contains(event.target) && !this.#button.contains(event.target)) { this.close(false); } } };
    document.addEventListener("pointerdown", this.#open.outside);
    this.#button.parentElement.append(menu);
    setAttribute(this.#button, "aria-expanded", "true");
    [...menu.querySelectorAll(".menu-item")].find((item) => item.offsetParent !== null)?.focus();
  }

  /**
   * @param {boolean} [focus] whether the button gets the focus back
   */
  close(focus = true) {
    if (!this.#open) { return; }
    document.removeEventListener("pointerdown", this.#open.outside);
    this.#open.menu.remove();
    this.#open = null;
    setAttribute(this.#button, "aria-expanded", "false");
    if (focus) { this.#button.focus(); }
  }
}
