import { h, setAttribute, setText } from "./dom.js";
import { icon, qualityBars, qualityWords } from "./icons.js";
import { openMenu } from "./menu.js";
import { hueIndex, initials } from "./tile.js";

/** The head of a panel, with its closing button. */
export function panelHead(title, id, onClose) {
  return h("header", { class: "panel-head" },
    h("h2", { id, text: title }),
    h("button", { class: "icon-button", type: "button", "aria-label": `Close ${title.toLowerCase()}`, title: "Close (Esc)", on: { click: onClose } }, icon("close")));
}

/**
 * A name in a list, whose number is read also where the name is too long for its line.
 *
 * @returns {{element: HTMLElement, show: (name: string, displayName: string) => void}}
 */
export function personName() {
  const text = h("span", { class: "person-name-text", dir: "auto" });
  const number = h("span", { class: "person-number" });
  return {
    element: h("span", { class: "person-name" }, text, number),
    show(name, displayName) {
      setText(text, name);
      setText(number, displayName.slice(name.length).trim());
    },
  };
}

/** A participant's role in a word; null for most. */
function roleWord({ role, permissions }) {
  if (role === "organizer") { return "organizer"; }
  if (permissions.includes("moderate")) { return "host"; }
  return { guest: null, "publisher-only": "only sends", subscriber: "only watches" }[role] ?? (role === "guest" ? null : role);
}

/** Everybody in the meeting. */
export class PeoplePanel {
  #meeting;
  #handlers;
  #list = h("ul", { class: "people-list" });
  #title;
  #bar;
  #rows = new Map();

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {{onClose: () => void, onPin: (participant: object) => void, onDetails: (participant: object) => void,
   *   onInvite: (() => void)|null, host: import("./host-controls.js").HostControls}} handlers
   */
  constructor(meeting, handlers) {
    this.#meeting = meeting;
    this.#handlers = handlers;
    const head = panelHead("People", "people-title", handlers.onClose);
    this.#title = head.querySelector("h2");
    this.#bar = handlers.host.makeBar();
    this.element = h("aside", { class: "panel", id: "people-panel", "aria-labelledby": "people-title", hidden: true },
      head,
      handlers.onInvite
        ? h("button", { class: "button people-invite", type: "button", on: { click: handlers.onInvite } }, icon("link"), h("span", { text: "Invite people" }))
        : null,
      this.#bar,
      this.#list);
    this.refresh();
  }

  /** Puts the focus on the first thing to do. */
  focus() { this.element.querySelector("button")?.focus(); }

  /** Brings the list up to date. */
  refresh() {
    const hands = this.#meeting.hosting.raisedHands;
    // Raised hands come first, in their order.
    const everybody = [...hands, ...[this.#meeting.localParticipant, ...this.#meeting.participants.values()].filter((each) => each.hand === null)];
    this.#bar.refresh();
    setText(this.#title, `People (${everybody.length})`);
    const keys = new Set(everybody.map((each) => (each.isLocal ? "self" : each.id)));
    let beside = null;
    for (const [key, row] of this.#rows) {
      if (keys.has(key)) { continue; }
      if (row.element.contains(document.activeElement)) { beside = row.element.nextElementSibling ?? row.element.previousElementSibling; }
      row.element.remove();
      this.#rows.delete(key);
    }
    for (const participant of everybody) {
      const key = participant.isLocal ? "self" : participant.id;
      let row = this.#rows.get(key);
      if (row && row.participant !== participant) { row.element.remove(); row = undefined; }
      if (!row) {
        row = this.#makeRow(participant);
        this.#rows.set(key, row);
        this.#list.append(row.element);
      }
      row.update(hands.indexOf(participant) + 1);
    }
    everybody.forEach((participant, index) => {
      const { element } = this.#rows.get(participant.isLocal ? "self" : participant.id);
      if (this.#list.children[index] === element) { return; }
      const focused = element.contains(document.activeElement) ? document.activeElement : null;
      this.#list.insertBefore(element, this.#list.children[index] ?? null);
      focused?.focus();
    });
    // A removed person takes the focus along; the next one in the list has it then.
    if (beside) { (beside.querySelector(".person-menu:not([hidden])") ?? beside.querySelector("button") ?? this.element.querySelector("button")).focus(); }
  }

  #makeRow(participant) {
    const avatar = h("span", { class: "avatar avatar-small", "aria-hidden": "true" });
    const name = personName();
    const note = h("span", { class: "person-note" });
    const microphone = h("span", { class: "person-device", role: "img" });
    const camera = h("span", { class: "person-device", role: "img" });
    const bars = qualityBars();
    const pin = h("button", { class: "icon-button small", type: "button", title: "Pin", on: { click: () => this.#handlers.onPin(participant) } }, icon("pin"));
    const details = h("button", { class: "icon-button small", type: "button", title: "Connection details", on: { click: () => this.#handlers.onDetails(participant) } }, bars.element);
    const hand = h("span", { class: "person-hand", role: "img", hidden: true }, icon("hand"), h("span", {}));
    const menu = h("button", { class: "icon-button small person-menu", type: "button", title: "For hosts", "aria-haspopup": "menu", "aria-expanded": "false" }, icon("more"));
    menu.addEventListener("click", () => openMenu(menu, participant.displayName, [
      ...this.#handlers.host.entries(participant), "line", { icon: "pin", text: "Pin for me", action: () => this.#handlers.onPin(participant) },
    ]));
    const element = h("li", { class: "person" }, avatar, h("span", { class: "person-text" }, name.element, note), hand, microphone, camera, details, pin, menu);
    const show = (mark, on, what) => {
      mark.classList.toggle("off", !on);
      const label = `${what} ${on ? "on" : "off"}`;
      if (mark.getAttribute("aria-label") === label) { return; }
      mark.setAttribute("aria-label", label);
      mark.title = label;
      mark.replaceChildren(icon(what === "Microphone" ? (on ? "microphone" : "microphoneOff") : (on ? "camera" : "cameraOff")));
    };
    const update = (place) => {
      const hosting = this.#meeting.hosting;
      hand.hidden = place === 0;
      setText(hand.lastChild, String(place));
      setAttribute(hand, "aria-label", `Hand raised, number ${place}`);
      menu.hidden = !hosting.isHost || participant.isLocal;
      pin.hidden = !menu.hidden;
      setAttribute(menu, "aria-label", `More for ${participant.displayName}`);
      setText(avatar, initials(participant.name || "?"));
      setAttribute(avatar, "data-hue", hueIndex(participant.name));
      name.show(participant.name, participant.displayName);
      setText(note, [
        participant.isLocal ? "you" : null, roleWord(participant), hosting.spotlighted === participant ? "in the spotlight" : null,
        participant.publication("microphone")?.mutedByHost ? "muted by a host" : null,
        participant.connection === "reconnecting" ? "reconnecting…" : null, participant.sharing ? "sharing the screen" : null,
      ].filter(Boolean).join(", "));
      show(microphone, participant.microphoneOn, "Microphone");
      show(camera, participant.cameraOn, "Camera");
      bars.set(participant.quality);
      setAttribute(pin, "aria-label", `Pin ${participant.displayName}`);
      const words = qualityWords[participant.quality];
      setAttribute(details, "aria-label", `Connection details of ${participant.displayName}${words ? `: ${words}` : ""}`);
      setAttribute(details, "title", words ? `Connection details: ${words}` : "Connection details");
      element.classList.toggle("person-speaking", participant.speaking);
    };
    return { participant, element, update };
  }
}
