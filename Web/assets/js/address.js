import { RoomName, secretOf, secretTextOf, withSecret } from "/sdk/parley.js";

const stashKey = "parley.e2ee";

/**
 * The address of this page, with the join token in `jwt` of its query, wherever it stood: in the fragment, where the
 * links of these pages have it and which no request for the page has, or in the query, as Jitsi Meet has it. Joining
 * sends it to the server in a header and over the WebSocket, so that it stands in no address and no log; an address
 * with it in the query was sent as it is before this page could do anything.
 *
 * The address bar loses the token at once, so that it is in no history, bookmark or picture of the screen. It stays
 * with this entry of the history, so that the page can be reloaded; the same address opened another time knows nothing
 * of it.
 *
 * The key of an encrypted meeting stays in the fragment: people send the address on as the browser shows it.
 *
 * @returns {URL}
 */
export function takeAddress() {
  const address = new URL(restored(location.href));
  const parts = address.hash.replace(/^#/, "").split("&");
  const given = tokenIn(address.hash) ?? address.searchParams.get("jwt");
  address.hash = parts.filter((part) => !part.startsWith("jwt=")).join("&");
  if (given !== null || address.href !== location.href) {
    address.searchParams.delete("jwt");
    history.replaceState(given === null ? history.state : { ...history.state, jwt: given }, "", address);
  }
  const token = given ?? history.state?.jwt;
  if (typeof token === "string") { address.searchParams.set("jwt", token); }
  return address;
}

/**
 * A host in front of a slash: an IP address, a name that ends as those of the public DNS do, or one with a letter and a
 * port. Times and numbers (2:30, 1:1, v1.2) are parts of room names; Sales.EMEA looks like a host and counts as one.
 */
const foreignHost = /^(?:\[[\da-f:.]+\]|\d{1,3}(?:\.\d{1,3}){3}|(?=.*\p{L})[^.:]+(?:\.[^.:]+)*(?:\.(?:[^.:\d]{2,}|xn--[a-z\d-]+)\.?|(?=:\d{2})))(?::\d+)?$/iu;

/**
 * The meeting of a typed room name, or of a pasted address of this server. Without its scheme an address is one too:
 * as a name it would lead into a meeting where nobody else is.
 *
 * @param {string} text
 * @param {{origin: string, protocol: string, host: string}} [server]
 * @returns {{address: string}|{problem: string}}
 */
export function typedMeeting(text, server = location) {
  let typed = text.trim();
  const [, host] = /^([^\s/?#]+)\/(?!\/)/u.exec(typed) ?? [];
  if (host !== undefined && !host.endsWith(":") && (host.toLowerCase() === server.host || foreignHost.test(host))) {
    typed = `${server.protocol}//${typed}`;
  }
  if (/^https?:\/\//i.test(typed)) {
    let url;
    try { url = new URL(typed); } catch { return { problem: "This address is not complete." }; }
    if (url.origin !== server.origin) { return { problem: "This address belongs to another server." }; }
    const name = RoomName.fromURL(url);
    const wrong = name === null ? "This address names no room." : RoomName.problem(name);
    return wrong ? { problem: wrong } : { address: url.pathname + url.search + url.hash };
  }
  const name = RoomName.clean(typed);
  const wrong = RoomName.problem(name);
  return wrong ? { problem: wrong } : { address: `/${encodeURIComponent(name)}` };
}

/**
 * Keeps the token with the entry of the history that another fragment has made: that one knows nothing of it.
 *
 * @param {URL} address as `takeAddress` gave it
 */
export function keepToken(address) {
  const token = address.searchParams.get("jwt");
  if (token !== null) { history.replaceState({ ...history.state, jwt: token }, ""); }
}

/** The join token in a fragment, or null. @param {string} fragment @returns {string|null} */
export function tokenIn(fragment) {
  return new URLSearchParams(fragment.replace(/^#/, "").replaceAll("+", "%2B")).get("jwt");
}

/**
 * An address with a join token in its fragment, next to the key of an encrypted meeting.
 *
 * @param {string|URL} address
 * @param {string} token
 * @returns {string}
 */
export function withToken(address, token) {
  const url = new URL(address);
  const secret = secretTextOf(url);
  url.hash = `jwt=${encodeURIComponent(token)}${secret === null ? "" : `&e2ee=${secret}`}`;
  return url.href;
}

/**
 * Keeps the key of a meeting in this tab while its person signs in elsewhere: what comes back has no fragment.
 *
 * @param {URL} address
 */
export function stashSecret(address) {
  const secret = secretTextOf(address);
  if (secret === null) { return; }
  try { sessionStorage.setItem(stashKey, JSON.stringify({ path: address.pathname, secret })); } catch { /* the person opens the link again */ }
}

/** An address with the key that was kept for it. */
function restored(href) {
  let stash = null;
  try {
    stash = JSON.parse(sessionStorage.getItem(stashKey) ?? "null");
    sessionStorage.removeItem(stashKey);
  } catch { /* nothing was kept */ }
  const url = new URL(href);
  if (typeof stash?.secret !== "string" || stash.path !== url.pathname || secretTextOf(url) !== null) { return href; }
  try { return withSecret(url, secretOf(new URL(`#e2ee=${stash.secret}`, url))); } catch { return href; }
}
