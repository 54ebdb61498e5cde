import { openAccessDialog } from "./access-dialog.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { personName } from "./panels.js";
import { hueIndex, initials } from "./tile.js";

/** For how long a click is not taken after another person has moved under the pointer. */
const settleTime = 500;

/**
 * The hosts' view of the lobby: a notice over the stage, a list in the people panel, and the lock. Hidden from
 * everybody else, since the server sends it to nobody else.
 */
export class LobbyControls {
  #meeting;
  #options;
  #known = new Set();
  #locked = null;
  #changedAt = -Infinity;
  #first = null;
  #avatar = h("span", { class: "avatar avatar-small", "aria-hidden": "true" });
  #text = h("p", { class: "knock-text" });
  #admit = h("button", { class: "button primary small", type: "button", text: "Admit" });
  #deny = h("button", { class: "button small", type: "button", text: "Deny" });
  #more = h("button", { class: "button small", type: "button", text: "Show all" });
  #heading = h("h3", { id: "lobby-title" });
  #list = h("ul", { class: "lobby-list", "aria-labelledby": "lobby-title" });
  #all = h("button", { class: "button small", type: "button", text: "Admit all" });
  #lock = h("button", { class: "button lock-button", type: "button" });
  #access = h("button", { class: "button", type: "button", "aria-haspopup": "dialog" }, icon("shield"), h("span", { text: "Who gets in" }));
  #waiting;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {{announcer: import("./announcer.js").Announcer, peopleButton: HTMLElement, address: URL, onShow: () =>
   *   void}} options
   */
  constructor(meeting, options) {
    this.#meeting = meeting;
    this.#options = options;
    this.notice = h("section", { class: "knock", "aria-label": "Somebody wants to join", hidden: true },
      this.#avatar, this.#text, h("div", { class: "knock-actions" }, this.#admit, this.#deny, this.#more));
    this.#waiting = h("section", { class: "lobby-waiting", "aria-labelledby": "lobby-title", hidden: true },
      h("div", { class: "lobby-head" }, this.#heading, this.#all), this.#list);
    this.panel = h("div", { class: "lobby", hidden: true }, h("div", { class: "lobby-buttons" }, this.#lock, this.#access), this.#waiting);
    const answer = (action) => () => { if (this.#first && performance.now() - this.#changedAt > settleTime) { action(this.#first.id); } };
    this.#admit.addEventListener("click", answer((id) => this.#try(meeting.admit(id))));
    this.#deny.addEventListener("click", answer((id) => this.#try(meeting.deny(id))));
    this.#more.addEventListener("click", () => options.onShow());
    this.#all.addEventListener("click", () => this.#try(meeting.admitAll()));
    this.#lock.addEventListener("click", () => this.#try(this.#locked ? meeting.unlock() : meeting.lock()));
    this.#access.addEventListener("click", () => openAccessDialog(options.address, options.announcer));
    this.refresh();
  }

  /** Brings everything up to date with what the server said last. */
  refresh() {
    const { lobby } = this.#meeting;
    const waiting = lobby?.waiting ?? [];
    this.#showLock(lobby);
    this.#showNotice(waiting);
    this.#showList(waiting);
    this.#announce(waiting);
    this.panel.hidden = lobby === null;
  }

  #showLock(lobby) {
    const locked = lobby?.locked ?? false;
    this.#lock.classList.toggle("locked", locked);
    if (this.#locked === locked) { return; }
    if (this.#locked !== null && lobby) {
      this.#options.announcer.show(locked ? "The meeting is locked: nobody more can join" : "The meeting is unlocked", { icon: locked ? "lock" : "unlock" });
    }
    this.#locked = locked;
    this.#lock.replaceChildren(icon(locked ? "lock" : "unlock"), h("span", { text: locked ? "Unlock the meeting" : "Lock the meeting" }));
  }

  #showNotice(waiting) {
    const first = waiting[0] ?? null;
    if (first?.id !== this.#first?.id) { this.#changedAt = performance.now(); }
    this.#first = first;
    if (!first) {
      const hadFocus = this.notice.contains(document.activeElement);
      this.notice.hidden = true;
      this.#text.replaceChildren();
      if (hadFocus) { this.#options.peopleButton.focus(); }
      return;
    }
    this.notice.hidden = false;
    setText(this.#avatar, initials(first.name));
    setAttribute(this.#avatar, "data-hue", hueIndex(first.name));
    const others = waiting.length - 1;
    this.#text.replaceChildren(h("strong", { dir: "auto", text: first.name }), `${first.displayName.slice(first.name.length)} wants to join${others > 0 ? `, and ${others} more` : ""}`);
    setAttribute(this.#admit, "aria-label", `Admit ${first.displayName}`);
    setAttribute(this.#deny, "aria-label", `Deny ${first.displayName}`);
    const hadFocus = document.activeElement === this.#more;
    this.#more.hidden = others === 0;
    if (hadFocus && this.#more.hidden) { this.#admit.focus(); }
  }

  #showList(waiting) {
    const rows = [...this.#list.children];
    const focused = rows.findIndex((row) => row.contains(document.activeElement));
    for (const row of rows) { if (!waiting.some(({ id }) => id === row.dataset.id)) { row.remove(); } }
    for (const person of waiting) {
      if (![...this.#list.children].some((row) => row.dataset.id === person.id)) { this.#list.append(this.#row(person)); }
    }
    setText(this.#heading, `Waiting to be let in (${waiting.length})`);
    // Asked before it goes: what is hidden has no focus.
    const allHadFocus = document.activeElement === this.#all && waiting.length < 2;
    this.#all.hidden = waiting.length < 2;
    this.#waiting.hidden = waiting.length === 0;
    if (allHadFocus || (focused >= 0 && !this.#list.contains(document.activeElement))) {
      const left = this.#list.children;
      (left[Math.min(Math.max(focused, 0), left.length - 1)]?.querySelector("button") ?? this.#lock).focus();
    }
  }

  #row({ id, name, displayName }) {
    const shown = personName();
    shown.show(name, displayName);
    const avatar = h("span", { class: "avatar avatar-small", "aria-hidden": "true", text: initials(name) });
    setAttribute(avatar, "data-hue", hueIndex(name));
    const row = h("li", { class: "person" },
      h("span", { class: "lobby-who" }, avatar, h("span", { class: "person-text" }, shown.element)),
      h("span", { class: "lobby-answers" },
        h("button", { class: "button primary small", type: "button", text: "Admit", "aria-label": `Admit ${displayName}`, on: { click: () => this.#try(this.#meeting.admit(id)) } }),
        h("button", { class: "button small", type: "button", text: "Deny", "aria-label": `Deny ${displayName}`, on: { click: () => this.#try(this.#meeting.deny(id)) } })));
    row.dataset.id = id;
    return row;
  }

  /** Reports a refusal of the server, with the reason. @param {Promise<void>} request */
  async #try(request) {
    try { await request; } catch (error) { this.#options.announcer.show(error.message, { icon: "warning", urgent: true }); }
  }

  /** Says who is new, and shows how many wait at the button of the panel. */
  #announce(waiting) {
    for (const { id, displayName } of waiting) {
      if (!this.#known.has(id)) { this.#options.announcer.say(`${displayName} wants to join`); }
    }
    this.#known = new Set(waiting.map(({ id }) => id));
    const button = this.#options.peopleButton;
    button.querySelector(".badge")?.remove();
    if (waiting.length > 0) { button.append(h("span", { class: "badge", "aria-hidden": "true", text: waiting.length > 99 ? "99+" : String(waiting.length) })); }
  }
}
