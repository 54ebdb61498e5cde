import { h, setAttribute } from "./dom.js";
import { icon } from "./icons.js";

let open = null;

/**
 * Opens a menu next to a button. It closes with Escape, Tab, a choice or a click elsewhere; the focus then returns to
 * the button.
 *
 * @param {HTMLElement} anchor
 * @param {string} label
 * @param {({icon: string, text: string, action: () => void, danger?: boolean}|{emoji: string, text: string, action: ()
 *   => void}|"line"|null)[]} entries
 * @param {string} [className]
 */
export function openMenu(anchor, label, entries, className = "") {
  const again = open?.anchor === anchor;
  closeMenu(again);
  if (again) { return; }
  const items = entries.filter(Boolean).map((entry) => {
    if (entry === "line") { return h("hr", { class: "menu-line" }); }
    return h("button", {
      class: `menu-item${entry.danger ? " menu-danger" : ""}${entry.emoji ? " menu-emoji" : ""}`, type: "button", role: "menuitem", title: entry.emoji ? entry.text : null,
      "aria-label": entry.emoji ? entry.text : null,
      on: { click: () => { closeMenu(); entry.action(); } },
    }, ...(entry.emoji ? [h("span", { "aria-hidden": "true", text: entry.emoji })] : [icon(entry.icon), h("span", { dir: "auto", text: entry.text })]));
  });
  const menu = h("div", { class: `menu menu-floating ${className}`, role: "menu", "aria-label": label },
    className === "" ? h("div", { class: "menu-title", dir: "auto", "aria-hidden": "true", text: label }) : null, ...items);
  const buttons = items.filter((item) => item.tagName === "BUTTON");
  menu.addEventListener("keydown", (event) => {
    const index = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: index + 1, ArrowRight: index + 1, ArrowUp: index - 1, ArrowLeft: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      buttons[(to + buttons.length) % buttons.length].focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      closeMenu();
    } else if (event.key === "Tab") { closeMenu(); }
  });
  const outside = (event) => { if (!menu.contains(event.target) && !anchor.contains(event.target)) { closeMenu(false); } };
  const resized = () => closeMenu(false);
  document.addEventListener("pointerdown", outside);
  window.addEventListener("resize", resized);
  open = { anchor, menu, close: () => { document.removeEventListener("pointerdown", outside); window.removeEventListener("resize", resized); } };
  (anchor.closest(".room") ?? document.body).append(menu);
  place(menu, anchor.getBoundingClientRect());
  setAttribute(anchor, "aria-expanded", "true");
  buttons[0]?.focus();
}

/** Closes the open menu, if there is one. @param {boolean} [focus] whether its button gets the focus back */
export function closeMenu(focus = true) {
  if (!open) { return; }
  const { anchor, menu, close } = open;
  open = null;
  close();
  menu.remove();
  setAttribute(anchor, "aria-expanded", "false");
  if (focus && anchor.isConnected) { anchor.focus(); }
}

/** Below the button where there is room, otherwise above it, and always inside the window. */
function place(menu, at) {
  const { offsetWidth: width, offsetHeight: height } = menu;
  const left = Math.min(Math.max(8, at.right - width), innerWidth - width - 8);
  const below = at.bottom + 6;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, at.top - height - 6);
  menu.style.setProperty("left", `${Math.max(8, left)}px`);
  menu.style.setProperty("top", `${top}px`);
}
