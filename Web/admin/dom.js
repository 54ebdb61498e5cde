// Making elements. Text is always text: nothing here parses HTML, so names of people cannot become markup.

/**
 * Makes an element.
 *
 * @param {string} tag such as `button` or `p`
 * @param {object} [properties] `class`, `text`, `on` (listeners by event name), properties and attributes
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) { continue; }
    if (key === "class") { element.className = value; }
    else if (key === "text") { element.textContent = value; }
    else if (key === "on") { for (const [type, listener] of Object.entries(value)) { element.addEventListener(type, listener); } }
    else if (key in element && !key.includes("-") && key !== "list") { element[key] = value; }
    else { element.setAttribute(key, String(value)); }
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/**
 * Makes an SVG element.
 *
 * @param {string} tag
 * @param {object} attributes
 * @param {...Node} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) { element.setAttribute(key, String(value)); }
  element.append(...children);
  return element;
}

/**
 * A time in the reader's own words, with the exact one to hover for.
 *
 * @param {string|undefined} text ISO 8601
 * @returns {HTMLElement}
 */
export function when(text) {
  if (!text) { return h("span", { class: "faint", text: "—" }); }
  const date = new Date(text);
  const shown = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  return h("time", { dateTime: text, title: date.toISOString(), text: shown });
}

/**
 * Has screen readers announce something that happened.
 *
 * @param {string} text
 */
export function announce(text) { document.getElementById("announcer").textContent = text; }
