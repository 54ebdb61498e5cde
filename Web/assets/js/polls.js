import { textLimits } from "/sdk/text.js";
import { openDialog } from "./dialogs.js";
import { h, setAttribute, setText } from "./dom.js";
import { icon } from "./icons.js";
import { confirmDialog } from "./host-controls.js";
import { watchLength } from "./text-length.js";

const resultsWords = { always: "Everybody sees the results", whenClosed: "Results are shown when the poll is closed", moderators: "Only hosts see the results" };

/** The dialog with the polls of the meeting: voting for everybody, making and closing them for hosts. */
export class Polls {
  #meeting;
  #announcer;
  #dialog = null;
  #cards = new Map();
  #list = null;
  #empty = null;
  #maker = null;

  /**
   * @param {import("/sdk/parley.js").Meeting} meeting
   * @param {import("./announcer.js").Announcer} announcer
   */
  constructor(meeting, announcer) {
    this.#meeting = meeting;
    this.#announcer = announcer;
  }

  /** How many one can vote in and has not yet. @type {number} */
  get waiting() { return this.#meeting.hosting.polls.filter((poll) => poll.open && !poll.unreadable && poll.mine.length === 0).length; }

  /** Opens the dialog. */
  open() {
    if (this.#dialog) { return; }
    this.#announcer.clear("poll");
    this.#cards.clear();
    this.#list = h("div", { class: "polls" });
    this.#empty = h("p", { class: "hint" });
    this.#maker = h("div", {});
    this.#dialog = openDialog("Polls", [this.#maker, this.#empty, this.#list], {
      className: "dialog-polls", onClose: () => { this.#dialog = null; },
    });
    this.refresh();
  }

  /** Brings the open dialog up to date. Typed text and the focus stay. */
  refresh() {
    if (!this.#dialog) { return; }
    const { polls, isHost } = this.#meeting.hosting;
    setText(this.#empty, isHost ? "There are no polls yet." : "There are no polls yet. Hosts can start one.");
    this.#empty.hidden = polls.length > 0 || this.#maker.querySelector("form") !== null;
    const present = new Set(polls.map((poll) => poll.id));
    for (const [id, card] of this.#cards) { if (!present.has(id)) { card.element.remove(); this.#cards.delete(id); } }
    for (const poll of polls) {
      let card = this.#cards.get(poll.id);
      if (card && card.isUnreadable !== Boolean(poll.unreadable)) {
        card.element.remove();
        card = undefined;
      }
      if (!card) {
        card = this.#makeCard(poll);
        this.#cards.set(poll.id, card);
        this.#list.prepend(card.element);
      }
      card.update(poll, isHost);
    }
    if (isHost && this.#maker.childElementCount === 0) {
      this.#maker.append(h("button", { class: "button", type: "button", on: { click: () => this.#showForm() } }, icon("plus"), h("span", { text: "New poll" })));
    } else if (!isHost) { this.#maker.replaceChildren(); }
  }

  #makeCard(poll) {
    const hosting = this.#meeting.hosting;
    if (poll.unreadable) { return this.#makeUnreadableCard(poll); }
    const title = h("legend", { class: "poll-question", dir: "auto", text: poll.question });
    const note = h("p", { class: "hint" });
    const rows = poll.options.map((option, index) => {
      const box = h("input", { type: poll.multiple ? "checkbox" : "radio", name: `poll-${poll.id}`, value: String(index) });
      const count = h("span", { class: "poll-count" });
      const bar = h("span", { class: "poll-bar", "aria-hidden": "true" });
      return { box, count, bar, element: h("label", { class: "poll-option" }, bar, box, h("span", { class: "poll-text", dir: "auto", text: option.text }), count) };
    });
    const toggle = h("button", { class: "button small", type: "button", on: { click: () => this.#try(() => hosting.setPoll(poll.id, !poll.open)) } });
    const remove = h("button", { class: "button small", type: "button", text: "Delete", on: { click: () => confirmDialog("Delete this poll?", poll.question, {
      action: "Delete", onYes: () => this.#try(() => hosting.removePoll(poll.id)),
    }) } });
    const controls = h("div", { class: "dialog-actions" }, toggle, remove);
    const chosen = () => rows.flatMap((row, index) => (row.box.checked ? [index] : []));
    for (const row of rows) {
      row.box.addEventListener("change", async () => {
        const done = await this.#try(() => hosting.vote(poll.id, chosen()));
        if (done) { this.#announcer.say("Your vote is counted"); } else { this.refresh(); }
      });
    }
    const update = (now, isHost) => {
      Object.assign(poll, { open: now.open });
      const seen = now.voters !== null;
      setText(note, [
        now.open ? (now.multiple ? "You may choose several." : "Choose one.") : "Closed.",
        seen ? (now.voters === 0 ? "Nobody has voted yet." : `${now.voters} ${now.voters === 1 ? "person has" : "people have"} voted.`) : null,
        seen && now.results === "always" ? null : `${resultsWords[now.results]}.`,
        now.open && now.mine.length > 0 ? "You can change your vote while the poll is open." : null,
      ].filter(Boolean).join(" "));
      rows.forEach((row, index) => {
        const votes = now.options[index].votes;
        row.box.checked = now.mine.includes(index);
        row.box.disabled = !now.open;
        setText(row.count, votes === null ? "" : String(votes));
        setAttribute(row.count, "aria-label", votes === null ? null : `${votes} ${votes === 1 ? "vote" : "votes"}`);
        row.bar.style.setProperty("transform", `scaleX(${votes && now.voters ? votes / now.voters : 0})`);
      });
      controls.hidden = !isHost;
      setText(toggle, now.open ? "Close poll" : "Open again");
    };
    return { update, isUnreadable: false, element: h("fieldset", { class: "poll" }, title, ...rows.map((row) => row.element), note, controls) };
  }

  /** The server may have made it up: it is nobody's poll, and nobody can vote in it here. */
  #makeUnreadableCard(poll) {
    const remove = h("button", { class: "button small", type: "button", text: "Delete", on: { click: () => this.#try(() => this.#meeting.hosting.removePoll(poll.id)) } });
    const controls = h("div", { class: "dialog-actions" }, remove);
    return {
      isUnreadable: true,
      update: (now, isHost) => { controls.hidden = !isHost; },
      element: h("fieldset", { class: "poll" }, h("legend", { class: "poll-question", text: poll.question }),
        h("p", { class: "hint", text: "It was made by nobody with the link of this meeting, or it came damaged. You cannot vote in it." }), controls),
    };
  }

  #showForm() {
    const lengths = [];
    /** A field, and below it what is wrong with its length. */
    const field = (place, label, limits, noun) => {
      const input = h("input", { class: "field", type: "text", "aria-label": label, placeholder: label });
      const length = watchLength(input, limits, noun);
      lengths.push(length);
      place.append(input, length.element);
      return input;
    };
    const questionPlace = h("div", { class: "poll-fields" });
    const question = field(questionPlace, "Question", textLimits.pollQuestion, "A question");
    const options = h("div", { class: "poll-fields" });
    const answerFields = [];
    const add = () => {
      if (answerFields.length >= 10) { return; }
      answerFields.push(field(options, `Answer ${answerFields.length + 1}`, textLimits.pollAnswer, "An answer"));
      more.hidden = answerFields.length >= 10;
    };
    const more = h("button", { class: "button small", type: "button", on: { click: () => { add(); answerFields.at(-1).focus(); } } }, icon("plus"), h("span", { text: "Another answer" }));
    add();
    add();
    const multiple = h("input", { type: "checkbox" });
    const results = h("select", { class: "field" }, ...Object.entries(resultsWords).map(([value, text]) => h("option", { value, text })));
    const problem = h("p", { class: "field-problem", role: "alert", hidden: true });
    const form = h("form", { class: "poll-form", on: { submit: async (event) => {
      event.preventDefault();
      const answers = answerFields.map((each) => each.value.trim()).filter(Boolean);
      problem.hidden = question.value.trim() !== "" && answers.length >= 2;
      if (!problem.hidden) {
        setText(problem, "A poll needs a question and at least two answers.");
        [question, ...answerFields].find((each) => each.value.trim() === "").focus();
        return;
      }
      if (lengths.some((each) => each.problem() !== null)) { return; }
      const done = await this.#try(() => this.#meeting.hosting.createPoll({ question: question.value.trim(), options: answers, multiple: multiple.checked, results: results.value }), problem);
      if (done) { this.#maker.replaceChildren(); this.refresh(); }
    } } },
    questionPlace, options, more,
    h("label", { class: "row check" }, multiple, h("span", { text: "Several answers may be chosen" })),
    h("label", { class: "row" }, h("span", { text: "Results" }), results), problem,
    h("div", { class: "dialog-actions" },
      h("button", { class: "button primary", type: "submit", text: "Start poll" }),
      h("button", { class: "button", type: "button", text: "Cancel", on: { click: () => { this.#maker.replaceChildren(); this.refresh(); } } })));
    this.#maker.replaceChildren(form);
    this.#empty.hidden = true;
    question.focus();
  }

  async #try(task, place = null) {
    try {
      await task();
      return true;
    } catch (error) {
      if (place) { place.hidden = false; setText(place, error.message); } else { this.#announcer.show(error.message, { icon: "warning", urgent: true }); }
      return false;
    }
  }
}
