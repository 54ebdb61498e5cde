import { reactions } from "/sdk/parley.js";
import { h } from "./dom.js";
import { openMenu } from "./menu.js";

const words = {
  thumbsUp: "thumbs up", thumbsDown: "thumbs down", clap: "clapping", heart: "a heart", laugh: "laughing", surprised: "surprised", celebrate: "celebrating",
};
const shownFor = 3_500;

/** Reactions: the menu to choose one, and how those of everybody float over the stage. */
export class Reactions {
  #meeting;
  #announcer;
  #unsaid = [];
  #timer = null;

  /** The layer in which they float. Screen readers get words instead. */
  element = h("div", { class: "reactions", "aria-hidden": "true" });

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(meeting, announcer) {
    this.#meeting = meeting;
    this.#announcer = announcer;
  }

  /** Opens the menu next to a button. @param {HTMLElement} anchor */
  choose(anchor) {
    openMenu(anchor, "Reactions", Object.entries(reactions).map(([name, emoji]) => ({
      emoji, text: words[name][0].toUpperCase() + words[name].slice(1),
      action: () => this.#meeting.hosting.react(name).catch((error) => {
        const text = error.code === "tooFast" ? "Not so fast: wait a moment before you react again." : error.message;
        this.#announcer.show(text, { icon: "warning", urgent: true });
      }),
    })), "menu-reactions");
  }

  /** Shows somebody's reaction for a moment. */
  show(participant, reaction, emoji) {
    const name = participant.isLocal ? "You" : participant.displayName;
    const item = h("div", { class: "reaction" }, h("span", { class: "reaction-emoji", text: emoji }), h("span", { class: "reaction-name", dir: "auto", text: name }));
    item.style.setProperty("--lane", String(this.element.childElementCount % 3));
    this.element.append(item);
    while (this.element.childElementCount > 24) { this.element.firstElementChild.remove(); }
    setTimeout(() => item.remove(), shownFor);
    this.#unsaid.push(`${name}: ${words[reaction]}`);
    // Many at once are said together, and not all of them.
    this.#timer ??= setTimeout(() => {
      const said = this.#unsaid.slice(0, 3).join(", ");
      const more = this.#unsaid.length - 3;
      this.#announcer.say(more > 0 ? `${said} and ${more} more` : said);
      this.#unsaid = [];
      this.#timer = null;
    }, 600);
  }
}
