import { openDialog } from "./dialogs.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";

/** How long a key may be on its way before the lock says so, in milliseconds: most are there at once. */
const patience = 1_500;

/** How it is said whether a participant was there before. */
const recognitionWords = Object.freeze({ sameDevice: "same device as before", newDevice: "new device", changed: "another device than before" });

/** The names of participants, in a sentence. */
function namesOf(meeting, ids) {
  const names = ids.map((id) => meeting.participant(id)?.displayName).filter(Boolean);
  if (names.length === 0) { return "somebody"; }
  if (names.length > 3) { return `${names.slice(0, 2).join(", ")} and ${names.length - 2} others`; }
  return names.length === 1 ? names[0] : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** Says in words which keys are waited for. */
function waitingText(meeting) {
  const { waitingFor } = meeting.encryption;
  if (waitingFor.length === 0) { return "Waiting for the keys"; }
  const name = namesOf(meeting, waitingFor);
  return waitingFor.length === 1 ? `Waiting for ${name}’s key` : `Waiting for the keys of ${name}`;
}

/** The lock of a meeting: what this client has verified of its encryption, and a button to the sheet with the code. */
export class Lock {
  #meeting;
  #caption = h("span", { class: "lock-text" });
  #symbol = h("span", { class: "lock-icon" });
  #timer = null;
  #isLate = false;
  #dialog = null;
  #announcer;
  #told = new Set();
  /** Those whose own code is open. */
  #compared = new Set();

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(meeting, announcer) {
    this.#meeting = meeting;
    this.#announcer = announcer;
    this.element = h("button", { class: "lock", type: "button", on: { click: () => this.open() } }, this.#symbol, this.#caption);
    meeting.addEventListener("encryptionchange", () => this.#change());
    meeting.addEventListener("participantUpdated", () => this.refresh());
    meeting.addEventListener("rostermismatch", ({ detail }) => announcer.show(
      `${namesOf(meeting, [detail.participant])} sees other people in this meeting than you do. Compare the safety code under the lock.`, { icon: "warning", urgent: true, time: 15_000 }));
    meeting.addEventListener("hiddenmember", ({ detail }) => {
      announcer.show(`${detail.name} can see and hear this meeting and is not shown among the participants. Compare the safety code under the lock.`, { icon: "warning", urgent: true, time: 15_000 });
      this.#fill();
    });
    meeting.addEventListener("encryptionrefused", ({ detail }) => {
      const name = namesOf(meeting, [detail.participant]);
      if (detail.code === "identityChanged") { announcer.show(`Somebody else may be posing as ${name}: their device is suddenly another one, in the middle of the meeting. Nothing is sent to it. Compare the safety code under the lock.`, { icon: "warning", urgent: true, time: 15_000 }); }
      if (detail.code === "wrongSecret") { announcer.show(`${name} came with another link than yours, and can neither see nor hear this meeting.`, { icon: "warning", time: 10_000 }); }
    });
    meeting.addEventListener("encryptionidentity", () => this.#tellIdentity());
    meeting.addEventListener("recognised", ({ detail }) => {
      this.#tellChange(detail.participant);
      this.#fill();
    });
    this.#tellIdentity();
    for (const id of meeting.participants.keys()) { this.#tellChange(id); }
    this.#change();
  }

  /** Says that this browser keeps no key, once. */
  #tellIdentity() {
    if (this.#meeting.identity !== "guest" || this.#meeting.options.identity !== "device" || this.#told.has("")) { return; }
    this.#told.add("");
    this.#announcer.show("This browser cannot remember who you are, as in a private window. Others will not recognise it the next time.", { icon: "lock", time: 10_000 });
  }

  /** Says that a name comes with another lasting key than before, once a name. */
  #tellChange(id) {
    const key = `${id} ${this.#meeting.signedName(id)}`;
    if (this.#meeting.recognition(id) !== "changed" || this.#told.has(key)) { return; }
    this.#told.add(key);
    this.#announcer.show(
      `${namesOf(this.#meeting, [id])} is not on the device that you know from earlier meetings: it is a new one, or somebody else under this name. Compare the code between you two, under the lock.`, { icon: "warning", urgent: true, time: 15_000 });
  }

  /** The words of the lock. @type {string} */
  get text() {
    switch (this.#meeting.encryption.state) {
      case "encrypted": return "Encrypted";
      case "waiting": return this.#isLate ? waitingText(this.#meeting) : "Encrypted";
      case "refused": return "Refused";
      default: return "Not encrypted";
    }
  }

  /** Brings the lock and the open sheet up to date. */
  refresh() {
    const { state } = this.#meeting.encryption;
    const shown = state === "waiting" && !this.#isLate ? "encrypted" : state;
    setAttribute(this.element, "data-state", shown);
    setText(this.#caption, this.text);
    setAttribute(this.element, "aria-label", `${this.text}. Show the details`);
    this.element.title = this.text;
    if (this.#symbol.dataset.icon !== (shown === "off" ? "unlock" : "lock")) {
      this.#symbol.dataset.icon = shown === "off" ? "unlock" : "lock";
      this.#symbol.replaceChildren(icon(this.#symbol.dataset.icon));
    }
    this.#fill();
  }

  /** Opens the sheet. */
  open() {
    if (this.#dialog) { return; }
    const body = h("div", { class: "encryption" });
    this.#dialog = { body };
    this.#fill();
    openDialog(this.#meeting.encrypted ? "End-to-end encryption" : "Not encrypted from end to end", [body], { className: "dialog-encryption", onClose: () => { this.#dialog = null; } });
  }

  #change() {
    clearTimeout(this.#timer);
    this.#isLate = this.#isLate && this.#meeting.encryption.state === "waiting";
    if (this.#meeting.encryption.state === "waiting" && !this.#isLate) {
      this.#timer = setTimeout(() => {
        this.#isLate = this.#meeting.encryption.state === "waiting";
        this.refresh();
      }, patience);
    }
    this.refresh();
  }

  /** The text of everything on the sheet. While it is the same, the sheet stays, so that nobody loses their place. */
  #content() {
    const { state, safetyCode, waitingFor } = this.#meeting.encryption;
    const people = [this.#meeting.localParticipant, ...this.#meeting.participants.values()].map(({ id, name, displayName, isLocal }) => [
      id, name, displayName, isLocal ? null : this.#meeting.signedName(id), isLocal ? null : this.#meeting.recognition(id)]);
    return JSON.stringify([state, safetyCode, waitingFor, people, this.#meeting.hiddenMembers, this.#meeting.identity]);
  }

  #fill() {
    if (!this.#dialog) { return; }
    const content = this.#content();
    if (this.#dialog.content === content) { return; }
    this.#dialog.content = content;
    const focused = this.#dialog.body.contains(document.activeElement) ? document.activeElement : null;
    const person = focused?.closest("[data-person]")?.dataset.person;
    this.#show();
    if (person === undefined) { return; }
    const place = [...this.#dialog.body.querySelectorAll("[data-person]")].find((each) => each.dataset.person === person);
    (place?.querySelector(focused.tagName) ?? place?.querySelector("summary"))?.focus();
  }

  #show() {
    const { state, safetyCode } = this.#meeting.encryption;
    if (state === "off") {
      this.#dialog.body.replaceChildren(
        h("p", { text: "Everything is encrypted on its way, but the server of this meeting can see, hear and read what is said, shown and written." }),
        h("p", { text: "That cannot be changed during a meeting. Choose “Encrypted meeting” on the start page for the next one." }));
      return;
    }
    const people = [this.#meeting.localParticipant, ...this.#meeting.participants.values()];
    this.#dialog.body.replaceChildren(...[
      state === "waiting" ? h("p", { class: "encryption-waiting", role: "status" }, icon("clock"), h("span", {
        text: `${waitingText(this.#meeting)}: their device sends it by itself, and until it is here you neither see nor hear them.`,
      })) : h("p", { text: "Only the people in this meeting can see, hear and read what happens here. The server that carries it cannot." }),
      safetyCode === null ? null : h("p", { class: "label", id: "safety-title", text: "Safety code" }),
      safetyCode === null ? null : codeView(safetyCode),
      safetyCode === null ? null : h("p", { text: "Read these numbers to each other; they change when somebody comes or goes. If everybody sees the same ones, nobody listens in between you. If they stay different, somebody may: leave, and send a new link in another way." }),
      h("ul", { class: "encryption-people", "aria-label": "Whose keys are known" }, ...people.map((each) => this.#person(each)), ...this.#meeting.hiddenMembers.map(hiddenView)),
      this.#meeting.identity === "guest" && this.#meeting.options.identity !== "device" ? h("p", { class: "hint", text: "Others will not recognise you the next time, unless you choose “Let others recognise this browser” before you join." }) : null,
      h("p", { class: "hint", text: "The server still sees who is here and when, hands, reactions, and how much is sent. And it is the server that sends this page: people who do not trust it for that take part with the Parley program." }),
    ].filter(Boolean));
  }

  #person(participant) {
    const signed = participant.isLocal ? participant.name : this.#meeting.signedName(participant.id);
    const note = participant.isLocal ? "you" : signed === null ? "key not here yet" : signed === participant.name ? "" : `says the name is “${signed}”`;
    const recognition = participant.isLocal ? null : this.#meeting.recognition(participant.id);
    const words = recognition === "renamed" ? `was “${this.#meeting.earlierName(participant.id)}” before` : recognitionWords[recognition] ?? "";
    const notes = [note, words].filter((each) => each !== "").join(", ");
    const isChanged = recognition === "changed";
    return h("li", { "data-person": participant.id, "data-recognition": recognition }, icon(isChanged ? "warning" : signed === null ? "clock" : "check"),
      h("div", { class: "encryption-person" }, h("span", { dir: "auto", text: participant.displayName }), notes === "" ? null : h("span", { class: "encryption-note", text: ` ${notes}` }),
        participant.isLocal || signed === null ? null : this.#pairView(participant)));
  }

  /** The code of two people, who may be the only ones that know each other. */
  #pairView({ id, displayName }) {
    const digits = h("span", { class: "pair-digits" });
    const summary = h("summary", { text: `Code between you and ${displayName}` });
    const view = h("details", { class: "pair-code", open: this.#compared.has(id) }, summary, digits,
      h("span", { class: "encryption-note", text: "You two see the same numbers here, or somebody stands between you. They stay when others come and go." }));
    if (this.#meeting.recognition(id) === "changed") {
      view.append(h("button", { class: "button small", type: "button", text: "We have the same code", on: { click: () => this.#meeting.trust(id) } }));
    }
    const show = async () => setText(digits, ((await this.#meeting.pairCode(id)) ?? "").match(/\d{5}/g)?.join(" ") ?? "Not known yet");
    // The event of the view itself comes later: another sheet may be there by then.
    summary.addEventListener("click", () => {
      if (view.open) { this.#compared.delete(id); } else { this.#compared.add(id); show(); }
    });
    if (this.#compared.has(id)) { show(); }
    return view;
  }
}

/** Somebody who has keys and whom the server doesn't show. */
function hiddenView(name) {
  return h("li", { "data-recognition": "hidden" }, icon("warning"), h("div", { class: "encryption-person" }, h("span", { dir: "auto", text: name }),
    h("span", { class: "encryption-note", text: " can see and hear, and is not shown among the participants" })));
}

/** Thirty digits in six groups, large enough to be read from a screen. */
function codeView(code) {
  const groups = code.match(/\d{5}/g) ?? [];
  return h("div", { class: "safety-code", role: "group", "aria-labelledby": "safety-title" }, ...groups.map((group) => h("span", { class: "safety-group", text: group })));
}
