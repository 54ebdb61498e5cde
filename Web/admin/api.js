// The administration's interface. The token stays in this tab, and goes nowhere else than to this server.

const KEY = "parley.adminToken";

/** An answer that is an error: its `status`, stable `code`, and a sentence. */
export class ApiError extends Error {
  /**
   * @param {number} status 0 when there was no answer
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @returns {boolean} whether a token is kept in this tab */
export function hasToken() { return sessionStorage.getItem(KEY) !== null; }

/** @param {string|null} token null forgets it */
export function setToken(token) {
  if (token === null) { sessionStorage.removeItem(KEY); } else { sessionStorage.setItem(KEY, token); }
}

/**
 * Makes a request.
 *
 * @param {string} method
 * @param {string} path below `/api/v1/`
 * @param {object} [options] `query` and `body`, whose undefined and empty values are left out of the query
 * @returns {Promise<any>} the answer's JSON; null where there is none
 */
export async function request(method, path, { query = {}, body } = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") { parameters.set(name, String(value)); }
  }
  const headers = {};
  const token = sessionStorage.getItem(KEY);
  if (token) { headers.Authorization = `Bearer ${token}`; }
  if (body !== undefined) { headers["Content-Type"] = "application/json"; }
  const address = `/api/v1/${path}${parameters.size ? `?${parameters}` : ""}`;
  let answer;
  try {
    answer = await fetch(address, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
  } catch {
    throw new ApiError(0, "noAnswer", "The server does not answer. Is it running?");
  }
  if (answer.status === 204) { return null; }
  const value = await answer.json().catch(() => null);
  if (!answer.ok) { throw new ApiError(answer.status, value?.code ?? "unknown", value?.Error ?? `The server answered ${answer.status}.`); }
  return value;
}

/** @param {string} part a part of a path */
export const part = (text) => encodeURIComponent(text);
