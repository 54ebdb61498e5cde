import { discover, encryptionProblem, LinkSecret, RoomName } from "/sdk/parley.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { identityChoice } from "./identity-choice.js";
import { choices } from "./storage.js";

/**
 * Whether a new meeting is to be encrypted from end to end: the server's policy, what this browser can do, and what the
 * person chose the last time.
 */
export class EncryptedChoice {
  #box = h("input", { type: "checkbox" });
  #isPreselected;
  #hint = h("span", { class: "hint" });
  #identity = null;
  /** The server's word: `off`, `offered`, `default` or `required`. */
  policy = "off";

  /**
   * @param {string} id of the box
   * @param {{isPreselected?: boolean, withIdentity?: boolean}} [options] `isPreselected` is false for meetings that
   *   people are invited to by a calendar file, which has no key; `withIdentity` asks too how others know this browser
   */
  constructor(id, { isPreselected = true, withIdentity = false } = {}) {
    this.#isPreselected = isPreselected;
    this.#box.id = id;
    this.element = h("div", { class: "encrypted-choice", hidden: true },
      h("label", { class: "row check", for: id }, this.#box, h("span", {}, icon("lock"), h("span", { text: "Encrypted meeting" }))), this.#hint);
    if (withIdentity) {
      this.#identity = identityChoice(`${id}-identity`);
      this.element.append(this.#identity);
    }
    this.#box.addEventListener("change", () => { if (isPreselected) { choices.update({ encrypted: this.#box.checked }); } });
  }

  /** Whether a meeting that is made now is to be encrypted. @type {boolean} */
  get isWanted() { return this.#box.checked; }

  /** Asks for the policy, and shows the choice where there is one. */
  async load() {
    const [policy, problem] = await Promise.all([askForPolicy(), encryptionProblem()]);
    this.policy = policy;
    this.element.hidden = policy === "off";
    if (policy === "off") { return; }
    if (this.#identity !== null) { this.#identity.hidden = problem !== null; }
    if (problem !== null) {
      this.#box.checked = false;
      this.#box.disabled = true;
      this.#hint.textContent = policy === "required" ? `This server has encrypted meetings only. ${problem}` : problem;
      return;
    }
    const chosen = choices.get().encrypted;
    this.#box.checked = policy === "required" || (this.#isPreselected && (typeof chosen === "boolean" ? chosen : policy === "default"));
    this.#box.disabled = policy === "required";
    this.#hint.textContent = "Only those with its whole link see and hear it; the server cannot. No recordings on the server, and no phones.";
  }

  /** The key of a new meeting; null for one in clear. @returns {LinkSecret | null} */
  newSecret() { return this.isWanted ? new LinkSecret() : null; }
}

/** The policy stands in the document of any room; reading it makes no meeting. */
async function askForPolicy() {
  try {
    const { encryption } = await discover({ url: `/${RoomName.random()}` });
    return ["offered", "default", "required"].includes(encryption) ? encryption : "off";
  } catch {
    return "off";
  }
}
