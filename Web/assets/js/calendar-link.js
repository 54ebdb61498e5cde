import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * A link that saves a meeting's calendar file. A token, with which the file names who is invited, goes in a header and
 * not in the address, which would stand in histories and logs.
 *
 * @param {string|URL} address of the file
 * @param {string|null} token
 * @param {string} [look] further classes
 */
export function calendarLink(address, token, look = "") {
  const link = h("a", { class: `button${look}`, href: String(address), download: "meeting.ics" }, icon("plus"), h("span", { text: "Add to calendar" }));
  let isReady = token === null;
  link.addEventListener("click", async (event) => {
    if (isReady) { return; }
    event.preventDefault();
    try {
      const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } });
      // Without the token there is a file all the same, which names nobody.
      if (response.ok) { link.href = URL.createObjectURL(await response.blob()); }
    } catch {
      // The browser says that there is no connection.
    }
    isReady = true;
    link.click();
  });
  return link;
}
