import { textLimits } from "/sdk/text.js";
import { h, setText } from "./dom.js";
import { icon } from "./icons.js";
import { frame } from "./notice.js";
import { watchLength } from "./text-length.js";

/** The page of who waits to be let in, or for a host. */
export class WaitingPage {
  #title = h("h1", { tabIndex: -1 });
  #text = h("p", { role: "status" });

  /** @param {{meeting: string, name: string, onLeave: () => void}} options */
  constructor(options) {
    this.element = frame(h("div", { class: "notice waiting" },
      h("div", { class: "notice-sign waiting-sign" }, icon("clock")),
      h("p", { class: "eyebrow", dir: "auto", text: options.meeting }),
      this.#title, this.#text,
      h("p", { class: "hint" }, "Nobody in the meeting can see or hear you yet. Hosts see your name, ", h("bdi", { text: options.name }), "."),
      h("div", { class: "notice-actions" },
        h("button", { class: "button large", type: "button", on: { click: options.onLeave } }, icon("leave"), h("span", { text: "Leave" })))));
  }

  /**
   * @param {"lobby"|"host"|"start"} reason
   * @param {boolean} [lost] whether the connection is lost, so that nobody knows of this person
   */
  show(reason, lost = false) {
    const [title, text] = {
      host: ["Waiting for the host", "The meeting begins when a host comes. You can stay on this page."],
      start: ["Waiting for the meeting to begin", "It begins at its time, or when a host comes. You can stay on this page."],
    }[reason] ?? ["Waiting to be let in", "The hosts of the meeting see that you are here, and can let you in. You can stay on this page."];
    setText(this.#title, title);
    setText(this.#text, lost ? "The connection was lost. You wait again as soon as it is back; stay on this page." : text);
  }

  /** The waiting is over. */
  letIn() {
    setText(this.#title, "Joining…");
    setText(this.#text, "You are let in. Your picture and sound are on their way.");
  }
}

/** Asks for a meeting's passcode. */
export class PasscodePage {
  #field = h("input", {
    class: "field", id: "passcode", type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false,
    "aria-describedby": "passcode-problem", enterKeyHint: "go",
  });

  /** @param {{meeting: string, wrong: boolean, onPasscode: (passcode: string) => void}} options */
  constructor(options) {
    const problem = h("p", { class: "field-problem", role: "alert", id: "passcode-problem", text: options.wrong ? "This is not the meeting's passcode. Try again." : "" });
    problem.hidden = !options.wrong;
    if (options.wrong) { this.#field.setAttribute("aria-invalid", "true"); }
    const length = watchLength(this.#field, textLimits.passcode, "A passcode");
    const submit = (event) => {
      event.preventDefault();
      if (length.problem() !== null) { return; }
      const passcode = this.#field.value.trim();
      if (passcode !== "") { options.onPasscode(passcode); return; }
      problem.hidden = false;
      setText(problem, "Type the passcode.");
      this.#field.focus();
    };
    this.element = frame(h("form", { class: "notice passcode", novalidate: "", on: { submit } },
      h("div", { class: "notice-sign" }, icon("lock")),
      h("p", { class: "eyebrow", dir: "auto", text: options.meeting }),
      h("h1", { text: "This meeting has a passcode" }),
      h("p", { text: "It is in your invitation; if not, ask whoever invited you." }),
      h("div", { class: "passcode-row" }, h("label", { class: "label", for: "passcode", text: "Passcode" }), this.#field, problem, length.element),
      h("div", { class: "notice-actions" },
        h("button", { class: "button primary large", type: "submit", text: "Join" }),
        h("a", { class: "button large", href: "/", text: "Start page" }))));
  }

  /** Puts the cursor where one types. */
  focus() { this.#field.focus(); }
}
