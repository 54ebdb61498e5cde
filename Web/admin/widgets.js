// The small parts that every page uses: tables, forms, notices, questions.

import { announce, h } from "./dom.js";
import { request } from "./api.js";
// That of the SDK, which this port serves under this name.
import { lengthProblem } from "./text.js";

/** How many code points a text field may have, as the interface counts them. */
const most = new WeakMap();

/**
 * A table, or a sentence where there is nothing to show.
 *
 * @param {string} caption what it lists
 * @param {string[]} columns their headings
 * @param {(Node|string)[][]} rows
 * @param {string} nothing what to say when there is no row
 */
export function table(caption, columns, rows, nothing) {
  if (!rows.length) { return h("p", { class: "empty", text: nothing }); }
  return h("div", { class: "scroller", tabIndex: 0, role: "region", "aria-label": caption },
    h("table", {},
      h("caption", { class: "visually-hidden", text: caption }),
      h("thead", {}, h("tr", {}, ...columns.map((text) => h("th", { scope: "col", text })))),
      h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells.map((cell, index) =>
        h("td", { "data-label": columns[index] }, cell)))))));
}

/** @param {Error} error a notice that says what went wrong */
export function problem(error) { return h("p", { class: "notice problem", role: "alert", text: error.message }); }

/** @param {string} text a small word with a colour: `good`, `warn`, `bad` or `plain` */
export function badge(text, tone = "plain") { return h("span", { class: `badge ${tone}`, text }); }

/**
 * A field of a form.
 *
 * @param {string} label
 * @param {HTMLElement} control an input, select or text area with a `name`
 * @param {string} [hint]
 */
export function field(label, control, hint) {
  control.id ||= `field-${control.name}-${Math.random().toString(36).slice(2, 8)}`;
  const note = hint ? h("span", { class: "hint", id: `${control.id}-hint`, text: hint }) : null;
  if (note) { control.setAttribute("aria-describedby", note.id); }
  return h("div", { class: "field" }, h("label", { htmlFor: control.id, text: label }), control, note);
}

/**
 * A text field.
 *
 * @param {string} name
 * @param {object} [properties] those of an input; `most`, how many characters it takes: more of them are reported when
 *   the form is sent, and nothing is cut
 * @param {string} [tag] `textarea` for one of several lines
 */
export function input(name, { most: limit, ...properties } = {}, tag = "input") {
  const element = h(tag, { name, ...(tag === "input" ? { type: "text" } : {}), autocomplete: "off", spellcheck: false, ...properties });
  if (limit) { most.set(element, limit); }
  return element;
}

/** The fault of a field's value, or null; of hidden fields, which stand for another choice, nothing is asked. */
function problemOf(control) {
  if (control.closest("[hidden]")) { return null; }
  const label = control.labels?.[0]?.textContent;
  // Its value is empty, as if nothing had been typed.
  if (control.validity.badInput) { return control.type === "number" ? `“${label}” is not a number.` : `“${label}” is not complete.`; }
  if (control.validity.valueMissing) { return `“${label}” is missing.`; }
  return most.has(control) ? lengthProblem(control.value, { codePoints: most.get(control) }, `“${label}”`) : null;
}

/** @param {string} name a choice of `options`, texts or [value, text] */
export function select(name, options, properties = {}) {
  return h("select", { name, ...properties }, ...options.map((option) => {
    const [value, text] = Array.isArray(option) ? option : [option, option];
    return h("option", { value, text });
  }));
}

/** @param {string} summary fields that are folded away until somebody wants them */
export function more(summary, ...fields) { return h("details", { class: "more" }, h("summary", { text: summary }), h("div", { class: "form" }, ...fields)); }

/** A yes or no that may be left as it is; `answer` reads it. */
export function choice(name, label, hint) { return field(label, select(name, [["", hint], ["true", "Yes"], ["false", "No"]])); }

/** @param {string} text what a form says; undefined where it says nothing, so that the field is not sent */
export function answer(text, read = (word) => word) { return text === "" ? undefined : read(text); }

/** Reads a {@link choice}. */
export const truth = (text) => answer(text, (word) => word === "true");

/** Reads minutes as seconds. */
export const minutes = (text) => answer(text, (word) => Math.round(Number(word) * 60));

/**
 * A form whose button does something on the server.
 *
 * @param {string} button the button's text
 * @param {HTMLElement[]} fields
 * @param {(values: Record<string, string>) => Promise<void>} act
 */
export function form(button, fields, act) {
  const submit = h("button", { class: "button primary", type: "submit", text: button });
  const place = h("div", { class: "form-problem" });
  const element = h("form", { class: "form", noValidate: true }, ...fields, h("div", { class: "form-end" }, submit, place));
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    element.querySelector(".notice.problem")?.remove();
    const wrong = [...element.elements].find((each) => problemOf(each) !== null);
    if (wrong) {
      // Next to the fault, where the focus is.
      (wrong.closest(".field") ?? place).append(problem(new Error(problemOf(wrong))));
      // In fields that are folded away nothing is seen, and nothing takes the focus.
      for (let folded = wrong.closest("details"); folded; folded = folded.parentElement.closest("details")) { folded.open = true; }
      wrong.focus();
      return;
    }
    submit.disabled = true;
    try {
      await act(Object.fromEntries(new FormData(element)));
    } catch (error) {
      place.replaceChildren(problem(error));
    } finally {
      submit.disabled = false;
      if (submit.isConnected) { keepFocus(submit, element); }
    }
  });
  return element;
}

/**
 * Gives the focus back that was lost by what was done: to the button, or to the first thing of its section where the
 * button is gone.
 */
function keepFocus(button, place) {
  if (document.activeElement !== document.body) { return; }
  const next = button.isConnected ? button : place.querySelector("button:not(:disabled), a[href], input, select, [tabindex='0']");
  (next ?? document.querySelector("main h1"))?.focus();
}

/**
 * A button that does something at once, or after a question.
 *
 * @param {string} text
 * @param {() => Promise<void>} act
 * @param {object} [options] `question` and `detail` ask before; `danger` colours it
 */
export function action(text, act, { question, detail, danger = false, label } = {}) {
  const button = h("button", { class: `button small${danger ? " danger" : ""}`, type: "button", text, "aria-label": label });
  button.addEventListener("click", async () => {
    if (question && !(await ask(question, detail, text, danger))) { return; }
    const place = button.closest("section") ?? document.getElementById("content");
    // A list is not redrawn while somebody is in it with the keyboard.
    button.blur();
    button.disabled = true;
    try {
      await act();
    } catch (error) {
      await tell("That did not work", h("p", { text: error.message }));
    } finally {
      button.disabled = false;
      keepFocus(button, place);
    }
  });
  return button;
}

/** Asks a question; true for yes. */
export function ask(question, detail, yes, danger) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog", "aria-label": question },
      h("h2", { text: question }), detail ? h("p", { text: detail }) : null,
      h("form", { method: "dialog", class: "dialog-end" },
        h("button", { class: "button", value: "no", text: "Cancel" }),
        h("button", { class: `button ${danger ? "danger-filled" : "primary"}`, value: "yes", text: yes })));
    dialog.addEventListener("close", () => { resolve(dialog.returnValue === "yes"); dialog.remove(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Shows something until it is closed. */
export function tell(title, ...content) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "dialog", "aria-label": title }, h("h2", { text: title }), ...content,
      h("form", { method: "dialog", class: "dialog-end" }, h("button", { class: "button primary", text: "Close" })));
    dialog.addEventListener("close", () => { dialog.remove(); resolve(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Shows a secret that is shown this once, with a button that copies it. */
export function showSecret(title, hint, secret) {
  const box = h("code", { class: "secret", tabIndex: 0, text: secret });
  const copy = h("button", { class: "button", type: "button", text: "Copy", on: { click: async () => {
    try {
      await navigator.clipboard.writeText(secret);
      copy.textContent = "Copied";
      announce("Copied");
    } catch {
      // Without leave for the clipboard it is selected, to be copied by hand.
      getSelection().selectAllChildren(box);
    }
  } } });
  return tell(title, h("p", { text: hint }), box, copy);
}

/**
 * A list that is fetched page by page.
 *
 * @param {string} path
 * @param {object} query
 * @param {(items: any[]) => HTMLElement} draw
 */
export async function paged(path, query, draw) {
  const items = [];
  const place = h("div", {});
  const more = h("button", { class: "button", type: "button", text: "Show more" });
  let after;
  async function load() {
    const page = await request("GET", path, { query: { ...query, after } });
    items.push(...page.items);
    after = page.next;
    place.replaceChildren(draw(items), after ? h("p", {}, more) : "");
  }
  more.addEventListener("click", () => load().catch((error) => place.append(problem(error))));
  await load();
  return place;
}

/** A choice of tenants for forms, the default one first. */
export async function tenantChoice(name = "tenant") {
  const page = await request("GET", "tenants", { query: { limit: 200 } });
  const sorted = page.items.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
  return select(name, sorted.map((tenant) => tenant.name));
}
