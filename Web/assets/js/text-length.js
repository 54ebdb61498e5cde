import { lengthProblem } from "/sdk/text.js";
import { h, setAttribute, setText } from "./dom.js";

let count = 0;

/**
 * Says next to a field, while somebody types, that its text is too long, and cuts nothing: a field with a `maxLength`
 * counts UTF-16 units, cuts what is pasted and says nothing.
 *
 * @param {HTMLInputElement} field
 * @param {import("/sdk/text.js").TextLimits} limits
 * @param {string} noun what the text is, at the beginning of a sentence
 * @returns {{element: HTMLElement, problem: () => string|null}} `element` belongs below the field; `problem` is asked
 *   before the text is used, and puts the cursor into a field whose text is too long
 */
export function watchLength(field, limits, noun) {
  count += 1;
  const element = h("p", { class: "field-problem", role: "alert", id: `length-problem-${count}`, hidden: true });
  const described = field.getAttribute("aria-describedby");
  const show = () => {
    const problem = lengthProblem(field.value.trim(), limits, noun);
    if ((problem === null) !== element.hidden) {
      element.hidden = problem === null;
      setAttribute(field, "aria-invalid", problem === null ? null : "true");
      setAttribute(field, "aria-describedby", [described, problem === null ? null : element.id].filter(Boolean).join(" ") || null);
    }
    setText(element, problem ?? "");
    return problem;
  };
  field.addEventListener("input", show);
  return {
    element,
    problem() {
      const problem = show();
      if (problem !== null) { field.focus(); }
      return problem;
    },
  };
}
