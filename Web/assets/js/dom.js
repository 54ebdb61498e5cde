/**
 * Makes an element. Text is always text: nothing here parses HTML.
 *
 * @param {string} tag such as `button` or `p`
 * @param {object} [properties] `class`, `text`, `on` (listeners by event name), `hidden`, ARIA and `data-` attributes,
 *   other properties
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null) { continue; }
    if (key === "class") { element.className = value; }
    else if (key === "text") { element.textContent = value; }
    else if (key === "on") { for (const [type, listener] of Object.entries(value)) { element.addEventListener(type, listener); } }
    else if (key in element && !key.includes("-")) { element[key] = value; }
    else { element.setAttribute(key, String(value)); }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Whether words about keys are of use: who has a pointer that hovers mostly has a keyboard too. @returns {boolean} */
export function hasKeyboard() { return matchMedia("(any-hover: hover)").matches; }

/**
 * Sets an attribute to the text of a value, only when it changes.
 *
 * @param {Element} element
 * @param {string} name
 * @param {unknown} value null and false take the attribute away
 */
export function setAttribute(element, name, value) {
  if (value === null || value === false || value === undefined) { element.removeAttribute(name); return; }
  const text = String(value);
  if (element.getAttribute(name) !== text) { element.setAttribute(name, text); }
}

/**
 * Sets the text of an element, only when it changes, so that screen readers don't repeat it.
 *
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) { element.textContent = text; }
}
