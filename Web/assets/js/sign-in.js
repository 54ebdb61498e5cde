import { h } from "./dom.js";
import { icon } from "./icons.js";

/**
 * Signing in at the tenant's provider: the way there and back, and out. The session itself is a cookie that no script
 * can read.
 */

/** The server's words in the address when signing in failed. */
const problems = {
  denied: "The sign-in was cancelled or refused. You can try again.",
  expired: "That took too long, or was begun in another tab. Sign in once more.",
  unreachable: "The sign-in service does not answer. Try again in a few minutes.",
  notAdmitted: "That account may not be used here. Sign in with another one, or ask for an invitation.",
  busy: "Many people are signing in just now. Try again in a moment.",
  failed: "Signing in did not work. Try again; if that does not help, tell whoever runs this server.",
};

/**
 * Why the last sign-in did not work, in words, or null. It is taken out of the address, so that it is not said again
 * later.
 *
 * @returns {string|null}
 */
export function signInProblem() {
  const match = /(?:^#|&)signin=(\w+)/.exec(location.hash);
  if (match === null) { return null; }
  const rest = location.hash.replace(/(^#|&)signin=\w+/, "").replace(/^&/, "");
  history.replaceState(history.state, "", location.pathname + location.search + (rest && !rest.startsWith("#") ? `#${rest}` : rest));
  return problems[match[1]] ?? problems.failed;
}

/** The address to sign in for the room of this page. @returns {string} */
export function signInAddress() { return `/signin?room=${location.pathname.slice(1)}`; }

/**
 * The notice of a meeting that needs a sign-in.
 *
 * @param {string} title of the meeting
 * @param {string|null} problem why the last try did not work
 * @returns {import("./messages.js").Notice & {signIn: string}}
 */
export function signInNotice(title, problem) {
  return {
    title: problem === null ? "Sign in to join" : "You are not signed in",
    text: problem ?? `The meeting “${title}” is for people with an account. You come back here afterwards.`,
    retry: false, icon: problem === null ? "people" : "warning", signIn: signInAddress(),
  };
}

/**
 * The signed-in person, with the way out.
 *
 * @param {string} name
 * @param {() => void} onSignedOut
 * @returns {HTMLElement}
 */
export function signedInLine(name, onSignedOut) {
  const problem = h("p", { class: "field-problem", role: "alert", hidden: true });
  const out = h("button", { class: "button", type: "button", text: "Sign out" });
  out.addEventListener("click", async () => {
    out.disabled = true;
    try {
      const response = await fetch("/signout", { method: "POST", credentials: "same-origin" });
      if (!response.ok) { throw new Error(`status ${response.status}`); }
      onSignedOut();
    } catch {
      out.disabled = false;
      problem.textContent = "You are still signed in: the server did not answer. Try again.";
      problem.hidden = false;
    }
  });
  return h("div", { class: "signed-in" },
    h("p", {}, icon("people"), h("span", { text: "Signed in as " }), h("strong", { dir: "auto", text: name })), out, problem);
}
