/**
 * The API key that a session's ID names, or else its token. The server checks the token only, so a page that passes
 * another key gets its error from here.
 *
 * @param {string} sessionId `1_` or `2_` and URL-safe Base64 of `1~<API key>~…`
 * @param {string} token of either form of the library, or any other
 * @returns {string|null} null where neither says
 */
export function apiKeyOf(sessionId, token) { return ofSession(sessionId) ?? ofToken(token); }

function ofSession(sessionId) {
  const parts = /^[12]_/.test(sessionId) ? text(sessionId.slice(2))?.split("~") : null;
  return parts?.[0] === "1" && parts[1] ? parts[1] : null;
}

function ofToken(token) {
  if (token.startsWith("T1==")) { return new URLSearchParams(text(token.slice(4))?.split(":", 1)[0] ?? "").get("partner_id"); }
  try {
    const claims = JSON.parse(text(token.split(".")[1] ?? "") ?? "null");
    return typeof claims?.session_id === "string" && typeof claims.iss === "string" ? claims.iss : null;
  } catch {
    return null;
  }
}

/** The text of Base64, URL-safe or not; null where it is none. */
function text(base64) {
  try { return atob(base64.replaceAll("-", "+").replaceAll("_", "/")); } catch { return null; }
}
