import { ParleyError } from "./errors.js";

/**
 * The address and the way to join: the discover document (`docs/protocol.md`).
 *
 * @typedef {object} DiscoverDocument
 * @property {string} meeting room name
 * @property {string} subject title
 * @property {string} signaling address of the WebSocket
 * @property {string} [token] join token
 * @property {string} [signedInAs] name of the person who signed in, to which the token holds them
 * @property {string[]} [linkDevices] what a link may open without a click, by the word of the server or of the token:
 *   `microphone`, `camera`
 * @property {boolean|null} [e2ee] whether the meeting is encrypted from end to end; null while that isn't decided
 * @property {"off"|"offered"|"default"|"required"} [encryption] whether new meetings may be encrypted
 * @property {RTCIceServer[]} iceServers
 */

/**
 * Fetches the discover document of a meeting. The token goes in a header, wherever it came from: addresses stand in the
 * logs of proxies.
 *
 * @param {object} options one of `url` or `discover` is needed
 * @param {string|URL} [options.url] address of the meeting, `https://host/<room>`; `#jwt=` or `?jwt=` in it is used as
 *   the token
 * @param {string|URL} [options.discover] address of the discover document itself, as `POST /GetAnonTokenJob` gives it
 * @param {string} [options.token] join token; wins over the one in the address
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<DiscoverDocument>} with `token` always filled in
 * @throws {ParleyError} with the server's code, `unreachable`, `noSuchMeeting`, or `badToken`
 */
export async function discover(options) {
  const base = globalThis.location?.href;
  const url = options.url === undefined ? null : new URL(options.url, base);
  const address = options.discover === undefined ? addressFor(url) : new URL(options.discover, base);
  const context = takeContext(address);
  const token = options.token ?? (url === null ? undefined : tokenOf(url)) ?? context;
  const headers = { Accept: "application/json" };
  if (token !== undefined) {
    checkToken(token);
    headers.Authorization = `Bearer ${token}`;
  }
  let response;
  try {
    response = await fetch(address, { headers, cache: "no-store", credentials: "same-origin", signal: options.signal });
  } catch (error) {
    if (options.signal?.aborted) { throw new ParleyError("cancelled", "The request was cancelled.", { cause: error }); }
    throw new ParleyError("unreachable", "The server did not answer.", { cause: error });
  }
  let document;
  try { document = await response.json(); } catch { document = null; }
  if (!response.ok) {
    const code = typeof document?.code === "string" ? document.code : codeOf(response.status);
    const message = typeof document?.Error === "string" ? document.Error : `The server answered with status ${response.status}.`;
    throw new ParleyError(code, message, { status: response.status, signIn: document?.signIn });
  }
  if (typeof document?.signaling !== "string") {
    throw new ParleyError("internal", "The server's answer names no signalling address.", { status: response.status });
  }
  const found = document.token ?? token;
  if (typeof found !== "string") { throw new ParleyError("badToken", "A token is needed to join this meeting."); }
  return { ...document, token: found, iceServers: Array.isArray(document.iceServers) ? document.iceServers : [] };
}

/** The most bytes of a join token, `psat=` before it left out. */
const tokenLimit = 8_192;

/**
 * Refuses a text that no server accepts as a token, before it is sent anywhere.
 *
 * @param {string} token
 * @throws {ParleyError} `badToken`
 */
export function checkToken(token) {
  // Other characters can't be in a header, and no token has them.
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) { throw new ParleyError("badToken", "The join token is empty, or has characters that no token has."); }
  const { length } = token.replace(/^psat=/, "");
  if (length > tokenLimit) { throw new ParleyError("badToken", `The join token has ${length} bytes, and servers take at most ${tokenLimit}. Ask for one with shorter data.`); }
}

/**
 * The join token in the address of a meeting: in the fragment, or in the query as Jitsi Meet has it.
 *
 * @param {URL} url
 * @returns {string|undefined}
 */
export function tokenOf(url) {
  const inFragment = new URLSearchParams(url.hash.replace(/^#/, "").replaceAll("+", "%2B")).get("jwt");
  return inFragment ?? url.searchParams.get("jwt") ?? undefined;
}

function addressFor(url) {
  if (url === null) { throw new ParleyError("noSuchMeeting", "Give the address of a meeting."); }
  // The path stays as it was encoded, so that the server alone decides what the name is, and whether a token is for it.
  return new URL(`/discover${url.pathname}`, url);
}

/**
 * Takes the token out of the address of a discover document, where `POST /GetAnonTokenJob` has put it.
 *
 * @param {URL} address
 * @returns {string|undefined}
 */
function takeContext(address) {
  const query = new URLSearchParams(address.search.replaceAll("+", "%2B"));
  const names = ["anonymousMeetingJoinContext", "anonymousContext"];
  const given = names.map((name) => query.get(name)).find((value) => value);
  if (!names.some((name) => query.has(name))) { return undefined; }
  for (const name of names) { query.delete(name); }
  address.search = query.toString();
  // Apps encode it once more on the way; no token has a percent sign of its own.
  try { return given && decodeURIComponent(given); } catch { return given; }
}

function codeOf(status) {
  if (status === 401 || status === 403) { return "badToken"; }
  if (status === 404 || status === 410) { return "noSuchMeeting"; }
  return status >= 500 ? "internal" : "badMessage";
}
