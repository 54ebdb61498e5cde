import { h } from "./dom.js";
import { choices } from "./storage.js";

/**
 * Whether this browser keeps a key by which others recognise it in encrypted meetings. Guests have a key of one
 * meeting.
 *
 * @param {string} id of the box
 * @returns {HTMLElement}
 */
export function identityChoice(id) {
  const box = h("input", { type: "checkbox", id, checked: isRecognised(), "aria-describedby": `${id}-hint` });
  box.addEventListener("change", () => choices.update({ recognised: box.checked }));
  return h("div", { class: "identity-choice" },
    h("label", { class: "row check", for: id }, box, h("span", { text: "Let others recognise this browser" })),
    h("span", { class: "hint", id: `${id}-hint`, text: "In encrypted meetings they see “same device as before” the next time, and so do you of them. The server then sees that it is the same browser, too." }));
}

/** @returns {boolean} */
export function isRecognised() { return choices.get().recognised === true; }
