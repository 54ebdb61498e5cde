import { discover } from "/sdk/parley.js";
import { textLimits } from "/sdk/text.js";
import { openDialog } from "./dialogs.js";
import { h, setText } from "./dom.js";
import { watchLength } from "./text-length.js";

/** The access to a meeting, changed from within it. */

const levels = [
  ["Everyone", "Everybody with the address"], ["SameEnterprise", "Only people with an invitation of their own; a host lets others in"],
  ["Invited", "Only people invited to this very meeting; a host lets others in"], ["Locked", "Only hosts; a host lets others in"],
];

/** Asks the server about the meeting, or to change it, with the invitation that the page came with. */
async function ask(address, method, body) {
  const { token } = await discover({ url: address });
  const headers = { Authorization: `Bearer ${token}` };
  if (body) { headers["Content-Type"] = "application/json"; }
  const response = await fetch(`/api/v1/meetings${address.pathname}`, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
  const answer = await response.json();
  if (!response.ok) { throw new Error(answer.Error); }
  return answer;
}

/**
 * Shows who gets in, and lets a host change it. A participant whom another host made a host has no invitation that says
 * so, and learns it here.
 *
 * @param {URL} address of the meeting, with the token that the page came with, if it did with one
 * @param {import("./announcer.js").Announcer} announcer
 */
export async function openAccessDialog(address, announcer) {
  let rules;
  try {
    ({ rules } = await ask(address, "GET"));
  } catch (error) {
    announcer.show(error.message, { icon: "warning", urgent: true });
    return;
  }
  if (!rules) {
    announcer.show("Only who came with a host’s invitation can change who gets in. You can lock the meeting.", { icon: "lock", urgent: true });
    return;
  }
  const level = h("select", { class: "field", id: "access-level" }, ...levels.map(([value, text]) => h("option", { value, text, selected: value === rules.accessLevel })));
  const passcode = h("input", {
    class: "field", id: "access-passcode", type: "text", autocomplete: "off", spellcheck: false,
    placeholder: rules.passcode ? "There is one; it stays when this is left empty" : "None",
  });
  const length = watchLength(passcode, textLimits.passcode, "A passcode");
  const none = h("input", { type: "checkbox" });
  const problem = h("p", { class: "field-problem", role: "alert", hidden: true });
  const button = h("button", { class: "button primary", type: "submit", text: "Save" });
  const labelled = (text, control) => h("div", { class: "access-field" }, h("label", { class: "label", for: control.id, text }), control);
  none.addEventListener("change", () => { passcode.disabled = none.checked; });
  const form = h("form", { class: "access", novalidate: "" },
    labelled("Without waiting come in", level), labelled("Passcode", passcode), length.element,
    rules.passcode ? h("label", { class: "row check" }, none, h("span", { text: "No passcode any more" })) : null,
    h("p", { class: "hint", text: "It holds for who comes or waits. Who is in stays in, and hosts always come in." }),
    problem, h("div", { class: "dialog-actions dialog-actions-end" },
      h("button", { class: "button", type: "button", text: "Cancel", on: { click: () => dialog.close() } }), button));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!none.checked && length.problem() !== null) { return; }
    const change = {};
    if (level.value !== rules.accessLevel) { change.accessLevel = level.value; }
    if (none.checked) { change.passcode = null; } else if (passcode.value.trim() !== "") { change.passcode = passcode.value.trim(); }
    button.disabled = true;
    try {
      if (Object.keys(change).length > 0) { await ask(address, "PATCH", change); }
      dialog.close();
      if (Object.keys(change).length > 0) { announcer.show("Saved. It holds for who comes or waits.", { icon: "check" }); }
    } catch (error) {
      problem.hidden = false;
      setText(problem, error.message);
      button.disabled = false;
      (change.passcode ? passcode : button).focus();
    }
  });
  const dialog = openDialog("Who gets in", [form], { className: "dialog-confirm" });
  level.focus();
}
