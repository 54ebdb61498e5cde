import { h, setAttribute, setText } from "./dom.js";
import { icon, qualityBars } from "./icons.js";
import { linkify } from "./links.js";
import { openMenu } from "./menu.js";
import { hueIndex, initials } from "./tile.js";

/** The head of a panel, with its closing button. */
function panelHead(title, id, onClose) {
  return h("header", { class: "panel-head" },
    h("h2", { id, text: title }),
    h("button", { class: "icon-button", type: "button", "aria-label": `Close ${title.toLowerCase()}`, title: "Close (Esc)", on: { click: onClose } }, icon("close")));
}

/** What a participant is, in a word; null for most. */
function roleWord({ role, permissions }) {
  if (role === "organizer") { return "organizer"; }
  if (permissions.includes("moderate")) { return "host"; }
  return { guest: null, "publisher-only": "only sends", subscriber: "only watches" }[role] ?? (role === "guest" ? null : role);
}

/** The chat: messages and a field to write. */
export class ChatPanel {
  #meeting;
  #list = h("ol", { class: "chat-list", tabIndex: 0, "aria-label": "Messages" });
  #empty = h("p", { class: "panel-empty", text: "No messages yet. What you write here is seen by everybody in the meeting." });
  #field;
  #to;
  #toRow;
  #problem = h("p", { class: "field-problem", role: "alert", hidden: true });
  #last = null;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {() => void} onClose
   */
  constructor(meeting, onClose) {
    this.#meeting = meeting;
    this.#field = h("textarea", {
      class: "chat-field", rows: 1, maxLength: 4000, placeholder: "Write a message", "aria-label": "Message", enterKeyHint: "send",
    });
    this.#to = h("select", { class: "chat-to", "aria-label": "Send to" });
    this.#toRow = h("label", { class: "chat-to-row" }, h("span", { text: "To" }), this.#to);
    const form = h("form", { class: "chat-form", on: { submit: (event) => { event.preventDefault(); this.#send(); } } },
      this.#toRow,
      h("div", { class: "chat-write" }, this.#field, h("button", { class: "icon-button primary", type: "submit", "aria-label": "Send", title: "Send (Enter)" }, icon("send"))),
      this.#problem);
    this.#field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); this.#send(); }
    });
    this.#field.addEventListener("input", () => this.#grow());
    this.element = h("aside", { class: "panel", id: "chat-panel", "aria-labelledby": "chat-title", hidden: true },
      panelHead("Chat", "chat-title", onClose), this.#empty, this.#list, form);
    for (const message of meeting.chat) { this.add(message); }
    this.refreshPeople();
  }

  /** Puts the cursor where one writes. */
  focus() {
    this.#field.focus();
    this.#list.scrollTop = this.#list.scrollHeight;
  }

  /** Brings the list of receivers up to date. */
  refreshPeople() {
    const chosen = this.#to.value;
    const options = [h("option", { value: "", text: "Everybody" })];
    for (const participant of this.#meeting.participants.values()) {
      options.push(h("option", { value: participant.id, text: `Only ${participant.name}` }));
    }
    this.#to.replaceChildren(...options);
    this.#to.value = options.some((option) => option.value === chosen) ? chosen : "";
    this.#toRow.hidden = this.#meeting.participants.size < 2;
  }

  /** @param {{id: number, from: string, name: string, text: string, time: string, to: string|null}} message */
  add(message) {
    this.#empty.hidden = true;
    const own = message.from === this.#meeting.localParticipant.id;
    const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 60;
    const time = new Date(message.time);
    const minute = Number.isNaN(time.getTime()) ? "" : time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    const grouped = this.#last && this.#last.from === message.from && (this.#last.to ?? null) === (message.to ?? null) && this.#last.minute === minute;
    this.#last = { from: message.from, to: message.to, minute };
    const receiver = message.to ? this.#meeting.participant(message.to) : null;
    const aside = message.to ? (own ? `only to ${receiver?.name ?? "one person"}` : "only to you") : null;
    const item = h("li", { class: `chat-message${own ? " chat-own" : ""}${grouped ? " chat-grouped" : ""}${message.to ? " chat-private" : ""}` },
      h("p", { class: grouped ? "visually-hidden" : "chat-head" },
        h("span", { class: "chat-name", dir: "auto", text: own ? "You" : message.name }),
        aside ? h("span", { class: "chat-aside", text: aside }) : null,
        minute ? h("time", { dateTime: message.time, text: minute }) : null),
      h("p", { class: "chat-text", dir: "auto" }, ...linkify(message.text)));
    this.#list.append(item);
    if (atEnd || own) { this.#list.scrollTop = this.#list.scrollHeight; }
  }

  #send() {
    const text = this.#field.value.trim();
    if (text.length === 0) { return; }
    if (!this.#meeting.sendChat(text, { to: this.#to.value || undefined })) {
      this.#problem.hidden = false;
      setText(this.#problem, "A message has at most 4,000 characters.");
      return;
    }
    this.#problem.hidden = true;
    this.#field.value = "";
    this.#grow();
    this.#field.focus();
  }

  #grow() {
    this.#field.style.setProperty("height", "auto");
    this.#field.style.setProperty("height", `${Math.min(140, this.#field.scrollHeight)}px`);
  }
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
   * @param {{onClose: () => void, onPin: (participant: object) => void, onDetails: (participant: object) => void, onInvite: (() => void)|null, host: import("./host-controls.js").HostControls}} handlers
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
    for (const [key, row] of this.#rows) {
      if (!keys.has(key)) { row.element.remove(); this.#rows.delete(key); }
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
  }

  #makeRow(participant) {
    const avatar = h("span", { class: "avatar avatar-small", "aria-hidden": "true" });
    const name = h("span", { class: "person-name", dir: "auto" });
    const note = h("span", { class: "person-note" });
    const microphone = h("span", { class: "person-device", role: "img" });
    const camera = h("span", { class: "person-device", role: "img" });
    const bars = qualityBars();
    const pin = h("button", { class: "icon-button small", type: "button", title: "Pin", on: { click: () => this.#handlers.onPin(participant) } }, icon("pin"));
    const details = h("button", { class: "icon-button small", type: "button", title: "Connection details", on: { click: () => this.#handlers.onDetails(participant) } }, bars.element);
    const hand = h("span", { class: "person-hand", role: "img", hidden: true }, icon("hand"), h("span", {}));
    const menu = h("button", { class: "icon-button small person-menu", type: "button", title: "For hosts", "aria-haspopup": "menu", "aria-expanded": "false" }, icon("more"));
    menu.addEventListener("click", () => openMenu(menu, participant.name, [
      ...this.#handlers.host.entries(participant), "line", { icon: "pin", text: "Pin for me", action: () => this.#handlers.onPin(participant) },
    ]));
    const element = h("li", { class: "person" }, avatar, h("span", { class: "person-text" }, name, note), hand, microphone, camera, details, pin, menu);
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
      setAttribute(menu, "aria-label", `More for ${participant.name}`);
      setText(avatar, initials(participant.name || "?"));
      setAttribute(avatar, "data-hue", hueIndex(participant.name));
      setText(name, participant.name);
      setText(note, [
        participant.isLocal ? "you" : null, roleWord(participant), hosting.spotlighted === participant ? "in the spotlight" : null,
        participant.publication("microphone")?.mutedByHost ? "muted by a host" : null,
        participant.connection === "reconnecting" ? "reconnecting…" : null, participant.sharing ? "sharing the screen" : null,
      ].filter(Boolean).join(", "));
      show(microphone, participant.microphoneOn, "Microphone");
      show(camera, participant.cameraOn, "Camera");
      bars.set(participant.quality);
      setAttribute(pin, "aria-label", `Pin ${participant.name}`);
      setAttribute(details, "aria-label", `Connection details of ${participant.name}`);
      element.classList.toggle("person-speaking", participant.speaking);
    };
    return { participant, element, update };
  }
}
