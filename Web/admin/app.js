// The shell: which page the address names, what it may do with the place, and who may see it.

import { announce, h } from "./dom.js";
import { hasToken, setToken } from "./api.js";
import { field, form, input, problem } from "./widgets.js";
import { auditPage } from "./audit.js";
import { domainPage, domainsPage, identityPage } from "./domains.js";
import { meetingPage, meetingsPage } from "./meetings.js";
import { tenantPage, tenantsPage } from "./tenants.js";
import { tokensPage } from "./tokens.js";
import { webhookPage, webhooksPage } from "./webhooks.js";

const PAGES = {
  meetings: [meetingsPage, meetingPage], tokens: [tokensPage], tenants: [tenantsPage, tenantPage], webhooks: [webhooksPage, webhookPage],
  domains: [domainsPage, domainPage, identityPage], audit: [auditPage],
};
const content = document.getElementById("content");
const forget = document.getElementById("forget");
let current = null;

/** A page's hold on its place. Once another page is shown it does nothing any more. */
class Page {
  #timer = null;
  #heading = h("h1", { tabIndex: -1, text: "…" });
  #note = h("div", {});

  title(text) {
    this.#heading.textContent = text;
    if (this === current) { document.title = `${text} – Parley administration`; }
  }

  show(...nodes) {
    if (this !== current) { return; }
    content.replaceChildren(this.#heading, this.#note, ...nodes);
  }

  /** Replaces what is shown in `place`, unless somebody is using it with the keyboard just now. */
  replace(place, ...nodes) {
    if (place.contains(document.activeElement) && place !== document.activeElement) { return; }
    place.replaceChildren(...nodes.filter(Boolean));
  }

  /** Does `work` every so many seconds while the page is to be seen. */
  every(seconds, work) {
    this.#timer = setInterval(async () => {
      if (this !== current) { return clearInterval(this.#timer); }
      if (document.hidden || document.querySelector("dialog[open]")) { return; }
      try {
        await work();
        this.#note.replaceChildren();
      } catch (error) {
        this.fail(error);
      }
    }, seconds * 1000);
  }

  saved(text) {
    this.#note.replaceChildren(h("p", { class: "notice good", text }));
    announce(text);
  }

  fail(error) {
    if (this !== current) { return; }
    if (error.status === 401) { return signIn(hasToken() ? "That is not the admin token." : ""); }
    if (!content.contains(this.#note)) { this.show(h("p", {}, h("a", { href: "#/meetings", text: "All meetings" }))); }
    this.#note.replaceChildren(problem(error));
  }

  again() { open(); }

  focus() { this.#heading.focus({ preventScroll: true }); }

  close() { clearInterval(this.#timer); }
}

/** Asks for the admin token. */
function signIn(text) {
  current?.close();
  current = null;
  forget.hidden = true;
  document.title = "Parley administration";
  const box = input("token", { type: "password", required: true, autocomplete: "current-password" });
  content.replaceChildren(h("section", { class: "card sign-in" }, h("h1", { tabIndex: -1, text: "Administration" }),
    text ? h("p", { class: "notice problem", role: "alert", text }) : null,
    form("Go on", [
      // Password managers look for a name next to the password.
      h("input", { type: "text", name: "username", autocomplete: "username", value: "admin", hidden: true }), field("Admin token", box, "The text that the server was started with (--admin-token)."),
    ], async (values) => {
      setToken(values.token.trim());
      open();
    })));
  box.focus();
}

async function open() {
  current?.close();
  const [name, id, inner] = location.hash.replace(/^#\//, "").split("/").map(decodeURIComponent);
  const [list, one, within] = PAGES[name] ?? PAGES.meetings;
  const page = new Page();
  current = page;
  for (const link of document.querySelectorAll(".nav a")) {
    if (link.getAttribute("href") === `#/${PAGES[name] ? name : "meetings"}`) { link.setAttribute("aria-current", "page"); } else { link.removeAttribute("aria-current"); }
  }
  forget.hidden = !hasToken();
  content.setAttribute("aria-busy", "true");
  try {
    await (inner && within ? within(page, id, inner) : id && one ? one(page, id) : list(page));
    if (page === current) { page.focus(); }
  } catch (error) {
    page.title("This does not work");
    page.fail(error);
  } finally {
    content.removeAttribute("aria-busy");
  }
}

forget.addEventListener("click", () => {
  setToken(null);
  signIn("");
});
// An address with another fragment would be another page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  (content.querySelector("h1") ?? content).focus();
});
window.addEventListener("hashchange", open);
open();
